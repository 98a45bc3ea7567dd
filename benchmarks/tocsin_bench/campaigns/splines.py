"""Planted contacts on splines: no miss, never late, no false alarm, on several models with stamps of their own.

Robots of up to 14 joints follow random piecewise polynomials of degree 1 to 7, each with its own knots, beside a body
that drives past; lengths from 1e-3 to 1e3, stamps from milliseconds to hours. A ball is planted so that at a known
second t* it holds a point of a link, by a tenth of its radius, in exact arithmetic up to 40 digits. An answer is right
if it collides, if its seconds are no later than t*, and if at its time the distance, measured from the definitions
alone (`poses` and `gap` here share nothing with the library), is at most margin + tolerance. `is_free` must say no, and
an interval of `contact_intervals`, from which audits are made, must hold t* (of every fourth question).

    python -m tocsin_bench splines --count 100000 --seed 0
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

import numpy as np

import tocsin
from tocsin_bench.report import say

DESCRIPTION = "No miss, never late: contacts planted on splines of several robots, by the clock."

BROKEN = ("missed", "late", "false alarm", "is_free missed", "not listed")
"""What an answer must not be."""

KINDS = ("revolute", "continuous", "prismatic", "fixed")


@dataclass
class Link:
    """A link as the oracle sees it."""

    parent: int
    kind: str
    axis: np.ndarray
    origin: np.ndarray
    column: int
    shape: Any
    at: np.ndarray

    @cached_property
    def frame(self) -> tuple[np.ndarray, np.ndarray]:
        """Rotation and place of its joint on its parent."""
        return exact(self.origin[:3, :3]), exact(self.origin[:3, 3])

    @cached_property
    def unit(self) -> np.ndarray:
        """Its axis, of length 1."""
        n = exact(self.axis)
        return n / norm(n)

    @cached_property
    def turning(self) -> tuple[np.ndarray, np.ndarray]:
        """The matrix of the cross product with its axis, and its square: what Rodrigues' formula adds up."""
        x, y, z = self.unit
        k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        return k, k @ k


@dataclass
class Arm:
    """A robot, and what the oracle knows of it."""

    robot: Any
    links: list[Link]
    plan: Any
    motion: Any


@dataclass
class Case:
    """One question: who moves, and the ball that is met at `when` seconds."""

    arms: list[Arm]
    ball: Any
    ball_motion: Any
    ball_path: tuple[np.ndarray, np.ndarray, float, float]
    radius: float
    when: float
    margin: float
    scene: Any = field(default=None)

    @property
    def motions(self) -> list[Any]:
        """All motions of the question."""
        return [*[arm.motion for arm in self.arms], self.ball_motion]


@cache
def digits() -> Any:
    """Return arithmetic of 40 digits."""
    import mpmath

    mp = mpmath.mp.clone()
    mp.dps = 40
    return mp


def exact(values: Any) -> np.ndarray:
    """Return numbers of 40 digits, in an array."""
    found = np.empty(np.shape(values), object)
    found.flat = [digits().mpf(x) for x in np.asarray(values, float).ravel().tolist()]
    return found


def norm(v: np.ndarray) -> Any:
    """Return the length of a vector."""
    return digits().sqrt(v @ v)


def values(plan: Any, seconds: Any) -> np.ndarray:
    """Return the joint values at a time: the given polynomials, which hold at their ends."""
    knots = exact(plan.knots)
    t = min(max(seconds, knots[0]), knots[-1])
    i = max(k for k in range(len(knots) - 1) if k == 0 or knots[k] <= t)
    c = exact(plan.coefficients[i])
    return sum(c[k] * (t - knots[i]) ** k for k in range(len(c)))


def poses(arm: Arm, seconds: Any) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return (rotation, place) of every link, from the definitions."""
    q = values(arm.plan, seconds)
    found: list[tuple[np.ndarray, np.ndarray]] = []
    for link in arm.links:
        r, p = link.frame
        if link.kind in ("revolute", "continuous"):
            k, kk = link.turning
            x = q[link.column]
            r = r + r @ (k * digits().sin(x) + kk * (1 - digits().cos(x)))
        elif link.kind == "prismatic":
            p = p + r @ (link.unit * q[link.column])
        if link.parent >= 0:
            up, at = found[link.parent]
            r, p = up @ r, at + up @ p
        found.append((r, p))
    return found


def gap(case: Case, seconds: Any) -> Any:
    """Return the smallest distance of the ball to any link; negative where they overlap."""
    a, b, begin, end = map(exact, case.ball_path)
    x = (min(max(seconds, begin.item()), end.item()) - begin.item()) / (end.item() - begin.item())
    center = a + (b - a) * x
    least = digits().inf
    for arm in case.arms:
        for link, (r, p) in zip(arm.links, poses(arm, seconds)):
            if link.shape is None:
                continue
            local = r.T @ (center - p) - exact(link.at)
            if isinstance(link.shape, tocsin.Sphere):
                d = norm(local) - digits().mpf(link.shape.radius)
            else:
                out = abs(local) - exact(link.shape.size) / 2
                d = norm(np.maximum(out, 0)) + min(max(out), 0)
            least = min(least, d - digits().mpf(case.radius))
    return least


def random_arm(rng: np.random.Generator, name: str, joints: int, scale: float, seconds: tuple[float, float]) -> Arm:
    """Return a random robot on a random spline within some seconds."""
    builder = tocsin.RobotBuilder(name)
    builder.link("0", tocsin.Sphere(0.05 * scale))
    links = [Link(-1, "fixed", np.array([0.0, 0, 1]), np.eye(4), -1, tocsin.Sphere(0.05 * scale), np.zeros(3))]
    columns = 0
    k = 0
    while columns < joints:
        k += 1
        kind = str(rng.choice(KINDS, p=(0.55, 0.15, 0.2, 0.1)))
        axis = rng.normal(size=3) if rng.random() < 0.6 else np.eye(3)[rng.integers(3)]
        origin = np.eye(4)
        if rng.random() < 0.7:
            origin[:3, :3] = np.linalg.qr(rng.normal(size=(3, 3)))[0]
            origin[:3, :3] *= np.sign(np.linalg.det(origin[:3, :3]))
        origin[:3, 3] = rng.normal(size=3) * 0.3 * scale
        shape: Any = tocsin.Sphere(float(rng.uniform(0.02, 0.1)) * scale)
        if rng.random() < 0.5:
            shape = tocsin.Box(tuple((rng.uniform(0.05, 0.3, size=3) * scale).tolist()))
        at = np.zeros(3)
        parent = int(rng.integers(max(0, k - 2), k))
        builder.link(str(k), shape, parent=str(parent), joint=kind, axis=axis.tolist(), origin=origin)
        column = columns if kind != "fixed" else -1
        columns += kind != "fixed"
        links.append(Link(parent, kind, axis, origin, column, shape, at))
    robot = builder.build()
    sizes = np.array([scale if link.kind == "prismatic" else 1.0 for link in links if link.column >= 0])
    degree = int(rng.integers(1, 8))
    pieces = int(rng.integers(1, 6))
    times = np.sort(rng.uniform(*seconds, size=pieces + 1))
    if rng.random() < 0.2:  # knots that others may share
        times = np.linspace(*seconds, pieces + 1)
    lasts = np.diff(times)
    c = rng.normal(size=(pieces, degree + 1, columns)) * 0.4 * sizes
    c = c / (lasts[:, None] ** np.arange(degree + 1))[:, :, None]
    for i in range(1, pieces):
        c[i, 0] = sum(c[i - 1, k] * lasts[i - 1] ** k for k in range(degree + 1))
    names = [f"{k}_joint" for k, link in enumerate(links) if link.column >= 0]
    plan = tocsin.Trajectory.of_pieces(times, c, joint_names=names, source=name)
    return Arm(robot, links, plan, robot.follow(plan))


def random_case(rng: np.random.Generator) -> Case:
    """Return a question with a planted contact."""
    scale = 10.0 ** rng.uniform(-3, 3)
    length = 10.0 ** rng.uniform(-3, 4)
    start = float(rng.choice([0.0, 0.0, 1.0, 1e3])) * length
    seconds = (start, start + length)
    count = int(rng.integers(1, 4))
    joints = rng.multinomial(int(rng.integers(1, 15)), np.ones(count) / count)
    arms = [random_arm(rng, f"arm{k}", max(int(n), 1), scale, seconds) for k, n in enumerate(joints)]
    begin = min(float(a.plan.knots[0]) for a in arms)
    end = max(float(a.plan.knots[-1]) for a in arms)
    when = float(rng.choice([begin, end, rng.uniform(begin, end), rng.uniform(begin, end), rng.uniform(begin, end)]))
    if rng.random() < 0.2:
        knots = np.concatenate([a.plan.knots for a in arms])
        when = float(rng.choice(knots))
    arm = arms[int(rng.integers(len(arms)))]
    k = int(rng.integers(1, len(arm.links)))
    link = arm.links[k]
    r, p = poses(arm, digits().mpf(when))[k]
    direction = rng.normal(size=3)
    direction /= np.linalg.norm(direction)
    if isinstance(link.shape, tocsin.Sphere):
        local = direction * link.shape.radius
    else:
        half = 0.5 * np.array(link.shape.size)
        local = direction / np.max(np.abs(direction) / half)
    local = local + link.at
    radius = float(rng.uniform(0.01, 0.1)) * scale
    normal = r @ exact(local - link.at)
    center = p + r @ exact(local) + normal * (0.9 * radius / norm(normal))
    meets = np.array([float(x) for x in center])
    if rng.random() < 0.5:
        here = meets + rng.normal(size=3) * scale
        x = (when - begin) / (end - begin)
        there = here + (meets - here) / x if x > 0.05 else meets
        here = here if x > 0.05 else meets
        path = (here, there, begin, end)
    else:
        path = (meets, meets, begin, end)
    ball = tocsin.Body(tocsin.Sphere(radius), name="ball")
    motion = ball.follow([path[0], path[1]], times=[begin, end])
    margin = float(rng.choice([0.0, 0.0, 0.01])) * scale
    case = Case(arms, ball, motion, path, radius, when, margin)
    case.scene = tocsin.Scene(*[a.robot for a in arms], ball)
    # Robots among each other are another question: here the ball counts.
    for i, a in enumerate(arms):
        pairs = [(x, y) for x in a.robot.link_names for y in a.robot.link_names if x < y]
        a.robot.ignore_pairs(pairs)
        for b in arms[:i]:
            case.scene.ignore(a.robot.name, b.robot.name)
    return case


def judge(case: Case, method: str = "advancement") -> str:
    """Return "right", or what is wrong with the answers to a case."""
    if gap(case, digits().mpf(case.when)) > case.margin:
        return "not planted"
    hit = case.scene.first_contact(*case.motions, margin=case.margin, method=method)
    if not hit.collides:
        return "missed"
    if hit.status is tocsin.Status.CAPPED:
        return "capped"
    if hit.seconds is None or hit.seconds > case.when:
        return "late"
    found = gap(case, digits().mpf(hit.seconds))
    size = max(float(np.abs(case.ball_path[0]).max()), float(np.abs(case.ball_path[1]).max()))
    fast = 1e-9 * case.radius + 1e-12 * size
    if found > case.margin + hit.tolerance + fast:
        return "false alarm"
    if method == "advancement" and case.scene.is_free(*case.motions, margin=case.margin):
        return "is_free missed"
    return "right"


def is_listed(case: Case) -> bool:
    """Does an interval of contact of the ball hold the second at which it was planted?"""
    knots = [t for motion in case.motions for t in (float(motion.times[0]), float(motion.times[-1]))]
    begin, end = Fraction(min(knots)), Fraction(max(knots))
    when = (Fraction(case.when) - begin) / (end - begin)
    found = case.scene.contact_intervals(*case.motions, margin=case.margin)
    listed = any(Fraction(i.enter) <= when <= Fraction(i.exit) and "ball" in (i.link_a, i.link_b) for i in found)
    return listed or when > Fraction(found.until)


def campaign(count: int, seed: int, *, first: int = 0) -> Counter[str]:
    """Judge cases until `count` were planted; failures are printed by their number."""
    found: Counter[str] = Counter()
    number = first
    while found.total() - found["not planted"] < count:
        case = random_case(np.random.default_rng([seed, number]))
        method = "interval" if number % 8 == 7 else "advancement"
        word = judge(case, method)
        if word == "right" and number % 4 == 0 and not is_listed(case):
            word = "not listed"
        found[word] += 1
        if word not in ("right", "not planted"):
            say(f"{word}: {seed}:{number}")
        number += 1
    return found


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this campaign."""
    parser.add_argument("--count", type=int, default=100_000, help="planted contacts (default 100,000)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the motions (default 1)")


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Run the campaign, print what was found, and leave with an error if promises were broken."""
    found = campaign(args.count, args.seed)
    for word, n in sorted(found.items()):
        say(f"{word}: {n}")
    wrong = sum(n for word, n in found.items() if word in BROKEN)
    say("no promise broken" if wrong == 0 else f"{wrong} promises broken")
    if wrong:
        sys.exit(f"{wrong} promises were broken")
    return {"count": args.count, "broken": 0}

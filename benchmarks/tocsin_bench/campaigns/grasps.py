"""Programs in which random robots grip, carry and leave bodies: nothing touches where the audit has proven freedom.

Random robots on random splines (`splines`) grip a ball or a box at one knot and let it go at a later one, beside other
balls and boxes, and a second robot on its own clock. The judge places everything by the definitions alone (`tubes`):
what is carried by the pose of its link at the grip, what was left by that at the release. It looks at random seconds,
and at events, and measures carried and left bodies against balls and against the links of both robots. An audit is
right if nothing is within the margin at a second outside of all its stretches, if its clearance is no more than what is
measured, and no proven curve is above a measured distance.

Half of the programs have tubes. Then joints wander at every second that is looked at, each by its error to one side or
the other, and did so at the grip and at the release: the ball lies elsewhere in the hand, and is left elsewhere.

    python -m tocsin_bench grasps --count 2000 --seed 0
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

import tocsin
from tocsin_bench.campaigns.splines import Arm, random_arm
from tocsin_bench.campaigns.tubes import frames, gap
from tocsin_bench.report import say

DESCRIPTION = "Nothing touches where the audit of a program with grasps has proven freedom: random programs, sampled."

WANDERS = 4
"""Motions in the tubes that are looked at, at each second."""

SAMPLES = 80
"""Seconds at which a program is looked at."""


@dataclass
class Case:
    """A program, and what the judge knows of it."""

    arms: list[Arm]
    carried: Any
    radius: float
    link: int
    grip: np.ndarray
    """(3,) where the centre of the carried ball is in its link's frame."""
    rest: np.ndarray
    times: tuple[float, float]
    """When it is gripped and let go."""
    centres: np.ndarray
    radii: np.ndarray
    scene: Any
    program: Any
    margin: float
    errors: list[np.ndarray]
    """Of each arm, how far its joints may be off."""


def random_case(rng: np.random.Generator) -> Case:
    """Return a random program in which the first robot carries a ball."""
    scale = 10.0 ** rng.uniform(-2, 2)
    length = 10.0 ** rng.uniform(-1, 2)
    count = int(rng.integers(1, 3))
    arms = [random_arm(rng, f"arm{k}", int(rng.integers(1, 6)), scale, (0.0, length)) for k in range(count)]
    first = arms[0]
    link = int(rng.integers(len(first.links)))
    begin, end = float(first.plan.knots[0]), float(first.plan.knots[-1])
    on, off = np.sort(rng.uniform(begin, end, size=2)).tolist()
    r, p = frames(first, first.plan(on))[link]
    shape = first.links[link].shape
    size = shape.radius if isinstance(shape, tocsin.Sphere) else 0.5 * float(np.linalg.norm(shape.size))
    radius = float(rng.uniform(0.02, 0.1)) * scale
    way = rng.normal(size=3)
    grip = way / np.linalg.norm(way) * (size + radius)
    rest = p + r @ grip
    ball = tocsin.Body(tocsin.Sphere(radius), rest, name="carried")
    many = int(rng.integers(1, 4))
    radii = rng.uniform(0.02, 0.15, size=many) * scale
    t = float(rng.uniform(on, off))
    near = frames(first, first.plan(t))[link]
    centres = near[1] + near[0] @ grip + rng.normal(size=(many, 3)) * rng.uniform(0.1, 1.0) * scale
    others = [tocsin.Body(tocsin.Sphere(float(s)), c, name=f"ball{k}") for k, (s, c) in enumerate(zip(radii, centres))]
    scene = tocsin.Scene(*[a.robot for a in arms], ball, *others)
    for arm in arms:
        names = arm.robot.link_names
        arm.robot.ignore_pairs([(x, y) for x in names for y in names if x < y])
    if count == 2:
        scene.ignore("arm0", "arm1")
    name = first.robot.link_names[first.robot.link_index(str(link))]
    scene.ignore("carried", f"arm0/{name}")
    margin = float(rng.choice([0.0, 0.02])) * scale
    errors = [random_errors(rng, arm, scale) for arm in arms] if rng.random() < 0.5 else [np.zeros(1)] * count
    program = tocsin.Program()
    for arm, error in zip(arms, errors):
        off_by = dict(zip(arm.plan.joint_names, error.tolist())) if error.any() else None
        program.follow(arm.robot, arm.plan, at=float(arm.plan.knots[0]), error=off_by)
    program.attach(first.robot, ball, name, at=on)
    program.detach(first.robot, ball, at=off)
    return Case(arms, ball, radius, link, grip, rest, (on, off), centres, radii, scene, program, margin, errors)


def random_errors(rng: np.random.Generator, arm: Arm, scale: float) -> np.ndarray:
    """Return how far each joint of an arm may be off."""
    driven = [link for link in arm.links if link.column >= 0]
    sizes = np.array([scale if link.kind == "prismatic" else 1.0 for link in driven])
    return sizes * 10.0 ** rng.uniform(-4.0, -1.0)


@dataclass
class Wander:
    """How far joints are off: of the first arm at the grip and at the release, of all at the second looked at."""

    grip: np.ndarray
    release: np.ndarray
    now: list[np.ndarray]

    @staticmethod
    def of(case: Case, rng: np.random.Generator, t: float) -> Wander:
        """Draw one inside the tubes; at an event joints are off by what they are off then."""
        drawn = [[e * rng.choice([-1.0, 1.0], size=len(e)) for e in case.errors] for _ in range(3)]
        on, off = case.times
        now = [drawn[0][0] if t == on else drawn[1][0] if t == off else drawn[2][0], *drawn[2][1:]]
        return Wander(drawn[0][0], drawn[1][0], now)


def carried_at(case: Case, t: float, off_by: Wander) -> np.ndarray:
    """Return where the centre of the carried ball is at a second."""
    on, off = case.times
    if t < on:
        return case.rest
    arm = case.arms[0]
    r, p = frames(arm, arm.plan(min(t, off)) + (off_by.now[0] if t < off else off_by.release))[case.link]
    r0, p0 = frames(arm, arm.plan(on) + off_by.grip)[case.link]
    return p + r @ (r0.T @ (case.rest - p0))


def least(case: Case, t: float, off_by: Wander) -> float:
    """Return the smallest distance of all that is asked about at a second."""
    centre = carried_at(case, t, off_by)
    found = [float((np.linalg.norm(case.centres - centre, axis=1) - case.radii - case.radius).min())]
    for k, arm in enumerate(case.arms):
        links = list(arm.links)
        q = arm.plan(t) + off_by.now[k]
        found.append(gap(arm, q, case.centres, case.radii))
        if k == 0:  # not against the link that it hangs on
            links = [link if i != case.link else _bare(link) for i, link in enumerate(arm.links)]
        found.append(gap(Arm(arm.robot, links, arm.plan, arm.motion), q, centre[None], np.array([case.radius])))
    return min(found)


def _bare(link: Any) -> Any:
    """Return a link without its shape."""
    from dataclasses import replace

    return replace(link, shape=None)


def judge(case: Case, rng: np.random.Generator) -> str:
    """Return "right", or what is wrong with the audit of a program."""
    found = tocsin.audit(case.scene, case.program, margin=case.margin)
    begin, end = case.program.begin, case.program.end
    tubes = bool(case.errors[0].any())
    times = np.concatenate([rng.uniform(begin, end, SAMPLES), case.times, [begin, end]])
    for t in times.tolist():
        apart = min(least(case, t, Wander.of(case, rng, t)) for _ in range(WANDERS if tubes else 1))
        fuzz = 1e-9 * (1.0 + float(np.abs(case.centres).max()))
        inside = any(c.enter <= t <= c.exit for c in found.conflicts)
        if apart <= case.margin - fuzz and not inside:
            return "missed"
        if max(apart, 0.0) < found.clearance.lower - fuzz:
            return "clearance"
    for curve in found.curves:
        for t, upper in zip(curve.times, curve.upper):
            steps = curve.lower[(curve.edges[:-1] < t) & (t < curve.edges[1:])]
            if len(steps) and steps.max() > upper + 1e-9 * (1.0 + steps.max()):
                return "curve"
    for c in () if tubes else found.conflicts:  # in a tube the nominal motion may keep its margin
        if c.is_contact and c.distance is not None and c.distance > c.margin + 1e-3 * (c.margin + case.radius):
            return "false alarm"
    return "free" if found.is_free else "right"


def campaign(count: int, seed: int) -> Counter[str]:
    """Judge `count` programs; failures are printed by their number."""
    found: Counter[str] = Counter()
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        word = judge(random_case(rng), rng)
        found[word] += 1
        if word not in ("right", "free"):
            say(f"{word}: {seed}:{number}")
    return found


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("--count", type=int, default=2000, help="programs (default 2,000)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the programs (default 1)")


def run(args: argparse.Namespace) -> dict[str, int]:
    """Run the campaign."""
    warnings.simplefilter("ignore", tocsin.UnitWarning)  # errors of scenes of any scale
    found = campaign(args.count, args.seed)
    say(", ".join(f"{word}: {n}" for word, n in sorted(found.items())))
    wrong = sum(n for word, n in found.items() if word not in ("right", "free"))
    if wrong:
        raise SystemExit(f"{wrong} audits are wrong")
    return dict(found)

"""Programs in which random robots grip, carry and leave bodies: nothing touches where the audit has proven freedom.

Random robots on random splines (`splines`) grip a ball or a box at one knot and let it go at a later one, beside other
balls and boxes, and a second robot on its own clock. The judge places everything by the definitions alone (`tubes`):
what is carried by the pose of its link at the grip, what was left by that at the release. It looks at random seconds,
and at events, and measures carried and left bodies against balls and against the links of both robots. An audit is
right if nothing is within the margin at a second outside of all its stretches, if its clearance is no more than what is
measured, and no proven curve is above a measured distance.

    python -m tocsin_bench grasps --count 2000 --seed 0
"""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

import tocsin
from tocsin_bench.campaigns.splines import Arm, random_arm
from tocsin_bench.campaigns.tubes import frames, gap
from tocsin_bench.report import say

DESCRIPTION = "Nothing touches where the audit of a program with grasps has proven freedom: random programs, sampled."

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
    program = tocsin.Program()
    for arm in arms:
        names = arm.robot.link_names
        arm.robot.ignore_pairs([(x, y) for x in names for y in names if x < y])
        program.follow(arm.robot, arm.plan, at=float(arm.plan.knots[0]))
    if count == 2:
        scene.ignore("arm0", "arm1")
    name = first.robot.link_names[first.robot.link_index(str(link))]
    scene.ignore("carried", f"arm0/{name}")
    program.attach(first.robot, ball, name, at=on)
    program.detach(first.robot, ball, at=off)
    margin = float(rng.choice([0.0, 0.02])) * scale
    return Case(arms, ball, radius, link, grip, rest, (on, off), centres, radii, scene, program, margin)


def carried_at(case: Case, t: float) -> np.ndarray:
    """Return where the centre of the carried ball is at a second."""
    on, off = case.times
    if t < on:
        return case.rest
    r, p = frames(case.arms[0], case.arms[0].plan(min(t, off)))[case.link]
    r0, p0 = frames(case.arms[0], case.arms[0].plan(on))[case.link]
    return p + r @ (r0.T @ (case.rest - p0))


def least(case: Case, t: float) -> float:
    """Return the smallest distance of all that is asked about at a second."""
    centre = carried_at(case, t)
    found = [float((np.linalg.norm(case.centres - centre, axis=1) - case.radii - case.radius).min())]
    for k, arm in enumerate(case.arms):
        links = list(arm.links)
        q = arm.plan(t)
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
    times = np.concatenate([rng.uniform(begin, end, SAMPLES), case.times, [begin, end]])
    for t in times.tolist():
        apart = least(case, t)
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
    for c in found.conflicts:
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
    found = campaign(args.count, args.seed)
    say(", ".join(f"{word}: {n}" for word, n in sorted(found.items())))
    wrong = sum(n for word, n in found.items() if word not in ("right", "free"))
    if wrong:
        raise SystemExit(f"{wrong} audits are wrong")
    return dict(found)

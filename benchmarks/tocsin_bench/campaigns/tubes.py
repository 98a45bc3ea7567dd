"""Motions inside tubes that are proven free: none of them touches.

One to three random robots on random splines (`splines`), each joint with an error of its own, among balls, one of which
drives past with an error of its own. The tubes are made wider and wider as long as they are proven free. In the last
that is, the robots are placed at random seconds, every joint off by what hurts most: the ends of its error, chosen
joint by joint so that the nearest ball comes nearer.
Any such choice is a motion in the tube, since nothing is said of how fast errors change. Places and distances are
computed here, from the definitions (`frames` and `gap`), and share nothing with the library.

    python -m tocsin_bench tubes --count 10000 --seed 0
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
from tocsin_bench.report import say

DESCRIPTION = "No motion inside a tube that is proven free touches: random tubes, joints off by what hurts most."

WIDER = 12
"""How often tubes are made wider while they are proven free."""

SAMPLES = 24
"""Moments at which a tube that is proven free is looked into."""


@dataclass
class Tubes:
    """A question about tubes, and what the oracle knows of it."""

    arms: list[Arm]
    errors: list[np.ndarray]
    centres: np.ndarray
    radii: np.ndarray
    drift: np.ndarray
    """How far the first ball drives, from its centre, while the clock runs."""
    shake: float
    """By how much it may be off."""
    seconds: tuple[float, float]
    moments: np.ndarray
    """At which the balls are passed."""
    scene: Any
    balls: list[Any]
    margin: float

    def motions(self, factor: float) -> list[Any]:
        """Return all motions, in tubes that are so many times as wide."""
        found = [
            arm.robot.follow(arm.plan, error=dict(zip(arm.plan.joint_names, (factor * error).tolist())))
            for arm, error in zip(self.arms, self.errors)
        ]
        path = [self.centres[0], self.centres[0] + self.drift]
        return [*found, self.balls[0].follow(path, times=self.seconds, error=factor * self.shake)]

    def is_free(self, factor: float, method: str) -> bool:
        """Are tubes that are so many times as wide proven free?"""
        if method == "advancement":
            return self.scene.is_free(*self.motions(factor), margin=self.margin)
        hit = self.scene.first_contact(*self.motions(factor), margin=self.margin, method=method)
        return hit.status is tocsin.Status.FREE


def frames(arm: Arm, q: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return (rotation, place) of every link at joint values q, from the definitions."""
    found: list[tuple[np.ndarray, np.ndarray]] = []
    for link in arm.links:
        r, p = link.origin[:3, :3], link.origin[:3, 3]
        n = link.axis / np.linalg.norm(link.axis)
        if link.kind in ("revolute", "continuous"):
            c, s = np.cos(q[link.column]), np.sin(q[link.column])
            k = np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
            r = r @ (np.eye(3) + s * k + (1 - c) * k @ k)
        elif link.kind == "prismatic":
            p = p + r @ (q[link.column] * n)
        if link.parent >= 0:
            up, at = found[link.parent]
            r, p = up @ r, at + up @ p
        found.append((r, p))
    return found


def gap(arm: Arm, q: np.ndarray, centres: np.ndarray, radii: np.ndarray) -> float:
    """Return the smallest distance of an arm to balls; negative where they overlap."""
    least = np.inf
    for link, (r, p) in zip(arm.links, frames(arm, q)):
        if link.shape is None:
            continue
        local = (centres - p) @ r - link.at
        if isinstance(link.shape, tocsin.Sphere):
            d = np.linalg.norm(local, axis=1) - link.shape.radius
        else:
            out = np.abs(local) - 0.5 * np.array(link.shape.size)
            d = np.linalg.norm(np.maximum(out, 0.0), axis=1) + np.minimum(out.max(axis=1), 0.0)
        least = min(least, float((d - radii).min()))
    return least


def beside(rng: np.random.Generator, arms: list[Arm], t: float, radius: float, scale: float) -> np.ndarray:
    """Return the centre of a ball that a random link passes at time t, some way from it."""
    arm = arms[int(rng.integers(len(arms)))]
    k = int(rng.integers(len(arm.links)))
    place = frames(arm, arm.plan(t))[k][1]
    way = rng.normal(size=3)
    way /= np.linalg.norm(way)
    shape = arm.links[k].shape
    size = shape.radius if isinstance(shape, tocsin.Sphere) else 0.5 * float(np.linalg.norm(shape.size))
    return place + way * (size + radius + scale * 10.0 ** rng.uniform(-3.0, -0.5))


def random_tubes(rng: np.random.Generator) -> Tubes:
    """Return a random question about tubes."""
    scale = 10.0 ** rng.uniform(-3, 3)
    length = 10.0 ** rng.uniform(-3, 4)
    seconds = (0.0, length)
    joints = rng.integers(1, 6, size=int(rng.integers(1, 4)))
    arms = [random_arm(rng, f"arm{k}", int(n), scale, seconds) for k, n in enumerate(joints)]
    errors = []
    for arm in arms:
        driven = [link for link in arm.links if link.column >= 0]
        sizes = np.array([scale if link.kind == "prismatic" else 1.0 for link in driven])
        error = sizes * 10.0 ** rng.uniform(-4.0, -1.0) * rng.choice([0.0, 1.0, 1.0], size=len(sizes))
        errors.append(error)
    count = int(rng.integers(1, 4))
    radii = rng.uniform(0.02, 0.2, size=count) * scale
    drift = rng.normal(size=3) * 0.3 * scale
    moments = rng.uniform(*seconds, size=count)
    centres = np.array([beside(rng, arms, t, r, scale) for t, r in zip(moments, radii)])
    centres[0] -= moments[0] / length * drift
    balls = [tocsin.Body(tocsin.Sphere(float(r)), c, name=f"ball{k}") for k, (r, c) in enumerate(zip(radii, centres))]
    shake = float(rng.choice([0.0, 0.01, 0.05])) * scale
    scene = tocsin.Scene(*[a.robot for a in arms], *balls)
    # Robots, and balls, among each other are another question.
    for k in range(1, count):
        scene.ignore("ball0", f"ball{k}")
    for i, a in enumerate(arms):
        names = a.robot.link_names
        a.robot.ignore_pairs([(x, y) for x in names for y in names if x < y])
        for b in arms[:i]:
            scene.ignore(a.robot.name, b.robot.name)
    margin = float(rng.choice([0.0, 0.0, 0.02])) * scale
    return Tubes(arms, errors, centres, radii, drift, shake, seconds, moments, scene, balls, margin)


def closest(case: Tubes, factor: float, rng: np.random.Generator) -> float:
    """Return the smallest distance that was found inside the tubes, less the margin."""
    least = np.inf
    known = np.concatenate([case.moments, case.moments, *[a.plan.knots for a in case.arms]])
    for _ in range(SAMPLES):
        t = float(rng.choice(known)) if rng.random() < 0.5 else float(rng.uniform(*case.seconds))
        centres = case.centres.copy()
        push = rng.normal(size=3)
        share = (t - case.seconds[0]) / (case.seconds[1] - case.seconds[0])
        centres[0] += share * case.drift + factor * case.shake * push / np.linalg.norm(push)
        for arm, narrow in zip(case.arms, case.errors):
            error = factor * narrow
            q = arm.plan(t)
            sign = rng.choice([-1.0, 1.0], size=len(q))
            here = gap(arm, q + sign * error, centres, case.radii)
            for j in rng.permutation(len(q)):
                sign[j] = -sign[j]
                other = gap(arm, q + sign * error, centres, case.radii)
                sign[j] = sign[j] if other < here else -sign[j]
                here = min(here, other)
            least = min(least, here)
    return least - case.margin


def judge(rng: np.random.Generator, method: str) -> str:
    """Return what became of a random case: "proven", "not proven", or "touches"."""
    case = random_tubes(rng)
    factor, wider = 0.0, 1.0
    for _ in range(WIDER):
        if not case.is_free(wider, method):
            break
        factor, wider = wider, wider * float(rng.uniform(1.1, 2.5))
    if factor == 0.0:
        return "not proven"
    return "proven" if closest(case, factor, rng) > 0.0 else "touches"


def campaign(count: int, seed: int) -> Counter[str]:
    """Judge cases until `count` tubes were proven free; those that something in them touches are named."""
    found: Counter[str] = Counter()
    number = 0
    while found["proven"] + found["touches"] < count:
        word = judge(np.random.default_rng([seed, number]), "interval" if number % 8 == 7 else "advancement")
        found[word] += 1
        if word == "touches":
            say(f"touches: {seed}:{number}")
        number += 1
    return found


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("--count", type=int, default=10_000, help="tubes that are proven free (default 10,000)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the tubes (default 1)")


def run(args: argparse.Namespace) -> dict[str, int]:
    """Run the campaign."""
    warnings.simplefilter("ignore", tocsin.UnitWarning)  # errors of scenes of any scale
    found = campaign(args.count, args.seed)
    say(", ".join(f"{word}: {n}" for word, n in sorted(found.items())))
    if found["touches"]:
        raise SystemExit(f"{found['touches']} tubes were proven free, and something in them touches")
    return dict(found)

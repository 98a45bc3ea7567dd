"""The first of all contacts is the first contact: two engines that share no bound, on the same screw motions.

`scene.contacts(exact=True)` lists every touch of two features, from equations; `scene.first_contact` advances by
distances. On a body that moves on a screw past a standing one, and is apart from it at t = 0,

    late     `first_contact` is later than the first of the list, beyond rounding;
    early    it is earlier than the first of the list, but farther than the tolerance from touching there;
    alarm    it reports a contact, the list is empty, and they are farther apart than the tolerance there;
    missed   it says free, and the list is not empty.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from typing import Any

import numpy as np
from rich.progress import track

import tocsin
from tocsin_bench import report
from tocsin_bench.campaigns.exact import random_surface
from tocsin_bench.campaigns.planted_contact import random_rotation

DESCRIPTION = "The first of all contacts against first_contact, on the same screw motions."

GROUP = 100
"""Motions that share a pair of bodies."""

ROUNDING = 1e-12

SHRUNK = 1.0 - 1e-9
"""A distance that is measured to within the tolerance is."""


def random_move(rng: np.random.Generator, body: tocsin.Body) -> tocsin.Motion:
    """Return a screw motion that comes near the origin, by up to 170 degrees."""
    from scipy.spatial.transform import Rotation

    away = rng.normal(size=3)
    away *= rng.uniform(1.5, 4.0) / np.linalg.norm(away)
    start, end = np.eye(4), np.eye(4)
    start[:3, :3], start[:3, 3] = random_rotation(rng), away
    axis = rng.normal(size=3)
    turn = Rotation.from_rotvec(axis / np.linalg.norm(axis) * rng.uniform(0.0, 1.0) ** 2 * 2.97)
    end[:3, :3] = turn.as_matrix() @ start[:3, :3]
    end[:3, 3] = away * (1.0 - rng.uniform(0.4, 2.0)) + rng.normal(size=3) * 0.5
    return body.move(start, end, kind="screw")


def judge(scene: tocsin.Scene, body: tocsin.Body, move: Any, tolerance: float, tally: Counter[str]) -> float | None:
    """Compare both answers; return how much earlier `first_contact` is than the first contact, None if not apart."""
    hit = scene.first_contact(move, tolerance=tolerance)
    if hit.status is tocsin.Status.INITIAL_CONTACT:
        tally["not apart"] += 1
        return None
    answer: Any = scene.contacts(move, exact=True)
    times = answer.times
    tally["contact" if len(times) else "free"] += 1
    tally["listed"] += len(times)
    if not hit.collides:
        tally["missed"] += len(times) > 0
        return 0.0
    first = float(times[0]) if len(times) else np.inf
    if hit.time > first + ROUNDING:
        tally["late"] += 1
    if hit.time < first - ROUNDING:
        gap = scene.distance(body.at(pose_at(move, hit.time))).distance
        if gap * SHRUNK > tolerance:
            tally["early" if len(times) else "alarm"] += 1
    return first - hit.time if len(times) else 0.0


def pose_at(move: Any, t: float) -> np.ndarray:
    """Return the 4x4 pose of a moving body."""
    from tocsin.motion.poses import base_matrix

    return base_matrix(move.row_at(t))


def campaign(count: int, seed: int, tolerance: float = 1e-6) -> tuple[Counter[str], np.ndarray, float]:
    """Return the tally, how much earlier `first_contact` was on each motion, and the seconds."""
    tally: Counter[str] = Counter()
    leads = []
    start = time.thread_time()
    for k in track(range(count), "motions", console=report.console):
        if k % GROUP == 0:
            rng = np.random.default_rng([seed, k // GROUP])
            surfaces = [random_surface(rng, int(rng.integers(6))) for _ in range(2)]
            a, b = (tocsin.Body((s.vertices, s.triangles), name=name) for s, name in zip(surfaces, "ab"))
            scene = tocsin.Scene(a, b)
        lead = None
        while lead is None:
            lead = judge(scene, b, random_move(rng, b), tolerance, tally)
        leads.append(lead)
    return tally, np.array(leads), time.thread_time() - start


WRONG = ("missed", "late", "early", "alarm")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this campaign."""
    parser.add_argument("--count", type=int, default=10_000, help="motions (default 10,000)")
    parser.add_argument("--seed", type=int, default=1, help="seed of what is random (default 1)")


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Run, print and return the counts; exit with an error if the two disagree."""
    tally, leads, seconds = campaign(args.count, args.seed)
    say = report.console.print
    say(
        f"{args.count} motions: {tally['contact']} with contacts ({tally['listed']} in all), {tally['free']} without, "
        f"and {tally['not apart']} more in contact at t = 0, left out; {seconds:.0f} s"
    )
    say(", ".join(f"{word} {tally[word]}" for word in WRONG))
    some = leads[leads > 0.0]
    if len(some):
        say(f"first contact - answer: median {np.median(some):.1e}, largest {some.max():.1e} (within the tolerance)")
    wrong = sum(tally[word] for word in WRONG)
    if wrong:
        raise SystemExit(f"{wrong} answers disagree")
    return {**tally, "largest_lead": float(leads.max(initial=0.0))}

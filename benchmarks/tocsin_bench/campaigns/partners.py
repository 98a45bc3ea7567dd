"""Deforming meshes against rigid bodies and robots that turn: answers held against dense samples of the true motion.

A sheet or a blob deforms while a rigid mesh flies by and turns by up to most of half a turn, or an arm of two links
swings through several radians, both along their true arcs. The judge has kinematics of its own (rotation vectors and
products of matrices) and measures all pairs of triangles by `oracles.distance` at evenly spaced times. Contradicted is

- an answer that is free, or later, if triangles meet at a sample, or at a sample before its time;
- a contact at whose time the two models are further apart than the tolerance.

Self-contact is left out here (`brute` judges it).

    python -m tocsin_bench partners --count 100
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import tocsin
from tocsin_bench import report
from tocsin_bench.campaigns.brute import deforming_ends
from tocsin_bench.oracles import distance
from tocsin_bench.scenes import shapes

DESCRIPTION = "Deforming meshes against bodies and arms that turn, judged at dense samples of the true motion."

SAMPLES = 240
TOLERANCE = 1e-6


At = Callable[[float], np.ndarray]
"""Triangles (n, 3, 3) in the world at a time."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this benchmark."""
    parser.add_argument("--count", type=int, default=100, help="scenes (default 100)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the scenes (default 1)")


def _turning_body(rng: np.random.Generator) -> tuple[Any, Any, At]:
    """A body, its motion, and where its triangles truly are."""
    vertices, faces = shapes.blob(1, 0.35, 0.3, int(rng.integers(1 << 30)))
    vertices = vertices * rng.uniform(0.2, 1.6, 3)
    start, turn = Rotation.random(rng=rng), rng.normal(size=3)
    turn *= rng.uniform(0.3, 3.0) / np.linalg.norm(turn)
    direction = rng.normal(size=3)
    direction /= np.linalg.norm(direction)
    places = np.stack(
        [direction * rng.uniform(1.4, 2.2), -direction * rng.uniform(-1.0, 1.6) + rng.normal(size=3) * 0.4]
    )
    poses = np.tile(np.eye(4), (2, 1, 1))
    poses[0, :3, :3] = start.as_matrix()
    poses[1, :3, :3] = (Rotation.from_rotvec(turn) * start).as_matrix()
    poses[:, :3, 3] = places
    body = tocsin.Body(tocsin.Mesh(vertices, faces), name="partner")

    def at(t: float) -> np.ndarray:
        turned = (Rotation.from_rotvec(t * turn) * start).as_matrix()
        return (vertices @ turned.T + (1.0 - t) * places[0] + t * places[1])[faces]

    return body, body.move(poses[0], poses[1]), at


def _swinging_arm(rng: np.random.Generator) -> tuple[Any, Any, At]:
    """An arm of two links, its motion, and where its triangles truly are."""
    limb, faces = shapes.limb(0.7, 0.08, rings=5, segments=6, bumps=0.2)
    foot = np.array([*rng.uniform(-0.3, 0.3, 2), -2.2])
    axes = [np.array([0.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0])]
    joints = np.array([[0.0, 0.0, 0.6], [0.0, 0.0, 0.9]])
    builder = tocsin.RobotBuilder("partner")
    builder.link("base", tocsin.Box(size=(0.1, 0.1, 0.1)))
    builder.link("upper", tocsin.Mesh(limb, faces), parent="base", joint="revolute", axis=axes[0], origin=joints[0])
    builder.link("lower", tocsin.Mesh(limb, faces), parent="upper", joint="revolute", axis=axes[1], origin=joints[1])
    robot = builder.build()
    base = np.eye(4)
    base[:3, 3] = foot
    robot.place(base)
    q0 = np.array([rng.choice([-1.0, 1.0]) * rng.uniform(1.2, 1.6), rng.uniform(-0.5, 0.5)])
    q1 = q0 + np.array([-np.sign(q0[0]) * rng.uniform(1.0, 4.0), rng.uniform(-3.0, 3.0)])
    box, box_faces = shapes.box((0.1, 0.1, 0.1))

    def at(t: float) -> np.ndarray:
        q = (1.0 - t) * q0 + t * q1
        turn, place, parts = np.eye(3), foot.copy(), [(box + foot)[box_faces]]
        for axis, joint, angle in zip(axes, joints, q):
            place = place + turn @ joint
            turn = turn @ Rotation.from_rotvec(angle * axis).as_matrix()
            parts.append((limb @ turn.T + place)[faces])
        return np.concatenate(parts)

    return robot, robot.move(q0, q1), at


def judge(number: int, seed: int, counts: Counter[str]) -> list[str]:
    """Ask one scene, and return what contradicts the answer."""
    rng = np.random.default_rng([seed, 5, number])
    t0, t1, faces = deforming_ends(rng, ("sheet", "blob")[number % 2])
    partner, motion, at = (_turning_body, _swinging_arm)[number // 2 % 2](rng)
    soft = tocsin.Deformable(t0, faces, name="soft", self_contact=False)
    scene = tocsin.Scene(soft, partner)
    for link in getattr(partner, "link_names", ())[1:]:
        scene.ignore("base", link)
    if len(getattr(partner, "link_names", ())) > 1:
        scene.ignore("upper", "lower")
    hit = scene.first_contact(soft.move(t0, t1), motion, tolerance=TOLERANCE)
    free = scene.is_free(soft.move(t0, t1), motion, tolerance=TOLERANCE)
    counts[hit.status.value] += 1

    def apart(t: float) -> float:
        return distance.mesh_mesh(((1.0 - t) * t0 + t * t1)[faces], at(t), enough=0.0)

    name = f"partners:{seed}:{number}"
    wrong = [] if free != hit.collides else [f"{name}: is_free {free}, first_contact {hit.status.name}"]
    times = np.linspace(0.0, 1.0, SAMPLES + 1)
    for t in times[times < (hit.time if hit.collides else 2.0)]:
        if apart(float(t)) == 0.0:
            wrong.append(f"{name}: triangles meet at {t!r}; {hit.status.name} at {hit.time!r}")
            break
    if hit.status is tocsin.Status.CONTACT and apart(hit.time) > TOLERANCE * (1.0 + 1e-6):
        wrong.append(f"{name}: {apart(hit.time):.3g} apart at the time of contact {hit.time!r}")
    return wrong


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Judge all scenes, print what came of them, and end with a status other than 0 if an answer is contradicted."""
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    with report.progress("judging", args.count) as step:
        for number in range(args.count):
            wrong += judge(number, args.seed, counts)
            step(f"{len(wrong)} contradicted")
    rows = [[status, count] for status, count in sorted(counts.items())]
    title = f"{args.count} deforming meshes and turning partners, {SAMPLES + 1} samples each"
    report.table(title, ["", "count"], [*rows, ["contradicted", len(wrong)]])
    for line in wrong[:20]:
        report.console.print(line, highlight=False, soft_wrap=True)
    if wrong:
        sys.exit(f"{len(wrong)} answers are contradicted")
    return {"counts": dict(counts), "contradicted": len(wrong)}

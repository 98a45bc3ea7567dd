"""Rigid motions with a contact planted by construction.

Two shapes are put in touch at t*, then both are given constant velocities and run backwards to t = 0 and forwards to
t = 1. Around the planted features the relative velocity is chosen: head-on, oblique, grazing (tangent to the
touching planes, while the turning curves the paths away before and after), or curving (tangent at the start, and bent
into contact by the turning alone). A group shares two shapes and one scene; its cases differ in everything else: t* (0,
1 and their close neighbours included), poses, speeds, distance from the world's origin, margin, tolerance. Integer
shapes that touch with no depth at all are in `planted_exact`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import tocsin
from tocsin.limits import RELATIVE_TOLERANCE
from tocsin.options import BACKENDS
from tocsin_bench.campaigns.planted_contact import Touch, align, kin, proven, random_plan, random_rotation
from tocsin_bench.campaigns.planted_judge import Case, Tally
from tocsin_bench.campaigns.planted_shapes import Piece, across, random_piece, unit

GROUP = 16
"""Cases that share two shapes."""

LARGEST_TURN = 0.999 * np.pi
"""Orientations are given as matrices, so a motion turns by less than half a turn: the shorter arc."""


def backend_of(group: int) -> str:
    """Return the distance back end of a group: the second one for every fifth."""
    return BACKENDS[group % 5 == 4]


def random_time(rng: np.random.Generator) -> float:
    """Return a t*: uniform, dyadic, exactly 0 or 1, or very near to them."""
    r = rng.random()
    if r < 0.15:
        return 1.0
    if r < 0.22:
        return 0.0
    if r < 0.32:
        return 1.0 - 10 ** rng.uniform(-12, -2)
    if r < 0.40:
        return 10 ** rng.uniform(-9, -2)
    if r < 0.50:
        return float(rng.integers(1, 64)) / 64
    return float(rng.uniform(0.02, 0.98))


def random_asking(rng: np.random.Generator, diagonal: float) -> tuple[float, float | None]:
    """Return a margin and a tolerance for shapes whose smaller diagonal is given."""
    margin = diagonal * 10 ** rng.uniform(-4, 0) if rng.random() < 0.25 else 0.0
    tolerance = diagonal * 10 ** rng.uniform(-7, -2) if rng.random() < 0.25 else None
    return margin, tolerance


def ends(pose: np.ndarray, v: np.ndarray, omega: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the poses at 0 and at 1 of the constant-velocity motion that is at `pose` at t."""
    back, forth = kin.exp(-t * omega) @ pose[:3, :3], kin.exp((1 - t) * omega) @ pose[:3, :3]
    return kin.frame(back, pose[:3, 3] - t * v), kin.frame(forth, pose[:3, 3] + (1 - t) * v)


def _curving(rng: np.random.Generator, normal: np.ndarray, arm: np.ndarray, t: float) -> np.ndarray:
    """Return the omega of a turn about the frame's origin that starts along the touching plane and bends into it.

    A point on an arm r is drawn towards the origin by |omega|^2 |r|; where r points away from the other shape at the
    start, that acceleration alone brings the two together, and bounds on it have nothing to spare.
    """
    axis = np.cross(arm, normal)
    bend = float(np.arctan2(np.linalg.norm(axis), -arm @ normal))
    return unit(axis) * min(bend * rng.uniform(0.7, 1.1) / max(t, 1e-3), LARGEST_TURN)


def _velocities(
    rng: np.random.Generator, manner: str, normal: np.ndarray, speed: float, arms: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return v, omega of a and of b such that the planted points approach in the given manner.

    `arms` are the planted point relative to both frames' origins; the point of a moves at u relative to that of b.
    """

    def turning() -> np.ndarray:
        return unit(rng.normal(size=3)) * rng.uniform(0, LARGEST_TURN) if rng.random() < 0.65 else np.zeros(3)

    omega_a = turning()
    standing = rng.random() < 0.5
    omega_b = np.zeros(3) if standing or rng.random() < 0.5 else turning()
    v_b = np.zeros(3) if standing else rng.normal(size=3) * speed
    sideways = across(normal, rng)
    if manner == "head-on":
        u = normal * speed
    elif manner == "oblique":
        u = unit(normal * rng.uniform(0.02, 1) + sideways * rng.uniform(0, 2)) * speed
    else:  # grazing: tangent, or no relative motion of the points at all
        u = sideways * speed * (rng.random() < 0.7)
        omega_a = (
            omega_a if rng.random() < 0.3 else np.cross(normal, across(normal, rng)) * rng.uniform(0.1, LARGEST_TURN)
        )
    v_a = u + v_b + np.cross(omega_b, arms[1]) - np.cross(omega_a, arms[0])
    return v_a, omega_a, v_b, omega_b


def plant(rng: np.random.Generator, a: Piece, b: Piece, scale: float, miss: bool) -> tuple[Any, ...] | None:
    """Return (label, t*, margin, tolerance, span, ends of a, ends of b) with a proven contact at t*, or None."""
    kind_a, kind_b, parallel = random_plan(rng)
    feature, centre = a.sample(rng, kind_a, None), a.true.corners.mean(0)
    curving = not miss and np.linalg.norm(centre) > a.true.diagonal and rng.random() < 0.6
    if curving:
        feature = a.sample(rng, kind_a, unit(rng.normal(size=3) - 1.5 * unit(centre)))
    touch = Touch(a, b, feature, b.sample(rng, kind_b, None), parallel)
    t = random_time(rng)
    diagonal = min(a.true.diagonal, b.true.diagonal)
    margin, tolerance = random_asking(rng, diagonal)
    manner = str(rng.choice(["head-on", "oblique", "grazing"], p=[0.25, 0.45, 0.3]))
    manner = "grazing" if miss else "curving" if curving else manner
    far = scale * 10 ** rng.uniform(0, 4) if rng.random() < 0.2 else scale * rng.uniform(0, 2)
    pose_a = kin.frame(random_rotation(rng), unit(rng.normal(size=3)) * far)
    twist = float(rng.uniform(0, 2 * np.pi))
    speed = scale * 10 ** rng.uniform(-2, 1.5)
    state = rng.bit_generator.state
    for depth in (1e-12, 1e-11, 1e-10, 1e-9):
        rng.bit_generator.state = state
        span = far + scale * 12 + speed * 8
        gap = margin - depth * span
        if miss:
            gap = margin + rng.uniform(2, 10) * (RELATIVE_TOLERANCE * diagonal if tolerance is None else tolerance)
        pose_b = align(touch, pose_a, gap, twist)
        normal = pose_a[:3, :3] @ unit(touch.feature_a.normal)
        arms = pose_a[:3, :3] @ touch.feature_a.point, pose_b[:3, :3] @ touch.feature_b.point
        v_a, omega_a, v_b, omega_b = _velocities(rng, manner, normal, speed, arms)
        if curving:
            v_a, omega_a, v_b, omega_b = np.zeros(3), _curving(rng, normal, arms[0], t), np.zeros(3), np.zeros(3)
        ends_a, ends_b = ends(pose_a, v_a, omega_a, t), ends(pose_b, v_b, omega_b, t)
        at_t = kin.body_pose_mp(*ends_a, t), kin.body_pose_mp(*ends_b, t)
        if miss or proven(touch, *at_t, margin):
            label = f"{a.name}/{b.name} {touch.plan} {manner}"
            span = max(span, *(float(np.abs(e[:3, 3]).max()) for e in (*ends_a, *ends_b)))
            return label, t, margin, tolerance, span, ends_a, ends_b
    return None


def rigid_group(seed: int, group: int, tally: Tally | None = None, only: int | None = None) -> Iterator[Case]:
    """Yield the cases of one group: about GROUP planted ones, and a near miss. The same seeds give the same cases."""
    rng = np.random.default_rng([seed, 1, group])
    scale = 10 ** rng.uniform(-6, 6) if rng.random() < 0.4 else 1.0
    a, b = random_piece(rng, scale), random_piece(rng, scale * 10 ** rng.uniform(-0.7, 0.7))
    body_a, body_b = tocsin.Body(a.product, name="a"), tocsin.Body(b.product, name="b")
    scene = tocsin.Scene(body_a, body_b, backend=backend_of(group))
    for k in range(GROUP + 1):
        if only is not None and k != only:
            continue
        rng = np.random.default_rng([seed, 1, group, k])
        found = plant(rng, a, b, scale, miss=k == GROUP)
        if found is None:
            if tally is not None:
                tally.discarded += 1
            continue
        parts, true = (scene, body_a, body_b), (a.true, b.true)
        yield rigid_case(f"rigid:{seed}:{group}:{k}", found[0], parts, true, found[1:], k < GROUP)


def rigid_case(name: str, label: str, parts: tuple, true: tuple, numbers: tuple, planted: bool) -> Case:
    """Return the question about two bodies that move between the given ends."""
    scene, body_a, body_b = parts
    t, margin, tolerance, span, ends_a, ends_b = numbers

    def pairs(time: float) -> list:
        at_a, at_b = (kin.body_poses(t0, t1, [time])[0] for t0, t1 in (ends_a, ends_b))
        return [(true[0], at_a, true[1], at_b)]

    motions = body_a.move(*ends_a), body_b.move(*ends_b)
    return Case(name, label, t, margin, tolerance, span, scene, motions, pairs, planted)

"""Properness has the right sign: contacts that face each other, and contacts that do not, made by construction.

Two tetrahedra are placed so that at a chosen time two chosen features touch at a chosen point, a corner in the middle
of a face or two edges inside both, with a chosen normal; their other corners are put on the proper side of the touching
plane, or one of them on the wrong side. Then b is moved back and forth along a random screw through that moment. The
properness that `Scene.contacts` reports must have the sign of the construction and the value of [SCREW eq. 7], taken
here from face normals as it is printed; and stay the same at another time, in another frame, and with the bodies in the
other order.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import tocsin
from tocsin.motion.screw import Twist
from tocsin.motion.screw_axis import Screw
from tocsin_bench import report

DESCRIPTION = (
    "Does properness have the right sign: facing and non-facing contacts by construction, at other times, in other "
    "frames and orders."
)

FACES = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this benchmark."""
    parser.add_argument("--count", type=int, default=10_000, help="contacts (default 10,000)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the contacts (default 1)")


def _unit(v: np.ndarray) -> np.ndarray:
    return v / np.linalg.norm(v)


def _rotation(rng: np.random.Generator) -> np.ndarray:
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q *= np.sign(np.diag(r))
    return q if np.linalg.det(q) > 0.0 else -q


def _outward(corners: np.ndarray) -> np.ndarray:
    """Return the corners in an order in which `FACES` are wound outward."""
    volume = np.linalg.det(corners[1:] - corners[0])
    return corners if volume > 0.0 else corners[[1, 0, 2, 3]]


def _height(rng: np.random.Generator, above: bool) -> float:
    return float(rng.uniform(0.2, 1.0)) * (1.0 if above else -1.0)


def corner_in_face(rng: np.random.Generator, facing: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Return corners of a and b, the normal from a to b at the origin, and the properness: b's corner in a's face."""
    turn = _rotation(rng)
    n = turn[:, 2]
    angles = 2.0 * np.pi * (np.arange(3) + rng.uniform(-0.2, 0.2, 3)) / 3.0
    face = np.stack([np.cos(angles), np.sin(angles), np.zeros(3)], axis=1) * rng.uniform(1.0, 2.0, (3, 1))
    a = np.concatenate([face, [[0.0, 0.0, -rng.uniform(0.5, 2.0)]]]) @ turn.T
    wrong = -1 if facing else int(rng.integers(3))
    away = rng.uniform(-1.0, 1.0, (3, 3))
    away[:, 2] = [_height(rng, k != wrong) for k in range(3)]
    b = np.concatenate([[[0.0, 0.0, 0.0]], away]) @ turn.T
    return a, b, n, float(min(_unit(e) @ n for e in b[1:]))


def edge_on_edge(rng: np.random.Generator, facing: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Return the same for the edges from corner 0 to corner 1 of both, which cross at the origin."""
    turn = _rotation(rng)
    angle = rng.uniform(0.4, np.pi - 0.4)
    along_a, along_b = np.array([1.0, 0.0, 0.0]), np.array([np.cos(angle), np.sin(angle), 0.0])
    wrong = -1 if facing else int(rng.integers(4))
    bodies = []
    for side, along in enumerate((along_a, along_b)):
        across = np.array([-along[1], along[0], 0.0])
        far = []
        for k, way in enumerate((1.0, -1.0)):
            up = _height(rng, (2 * side + k != wrong) == (side == 1))
            far.append(way * rng.uniform(0.3, 1.0) * across + rng.uniform(-0.5, 0.5) * along + np.array([0.0, 0.0, up]))
        ends = [-rng.uniform(0.6, 1.5) * along, rng.uniform(0.6, 1.5) * along]
        bodies.append(np.array([*ends, *far]) @ turn.T)
    a, b = bodies
    proper, n = _equation_7(a, b)
    return a, b, n, proper


def _equation_7(a: np.ndarray, b: np.ndarray) -> tuple[float, np.ndarray]:
    """Return [SCREW eq. 7] for the edges 0-1 of two tetrahedra as printed, by normals of the left and right faces.

    And the normal: of the two the one for which it is more.
    """
    e_a, e_b = _unit(a[1] - a[0]), _unit(b[1] - b[0])

    def normals(corners: np.ndarray, e: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The outward normals of the faces on the left and on the right of a walker along e outside of the body."""
        found = []
        for k, other in ((2, 3), (3, 2)):
            m = _unit(np.cross(e, corners[k] - corners[0]))
            found.append((m if m @ (corners[other] - corners[0]) < 0.0 else -m, corners[k] - corners[0]))
        # The face with normal m is on the left if the way into it is along m x e.
        (m1, into1), (m2, _) = found
        return (m1, m2) if np.cross(m1, e) @ into1 > 0.0 else (m2, m1)

    a1, a2 = normals(a, e_a)
    b1, b2 = normals(b, e_b)
    values = []
    for sign in (1.0, -1.0):
        n = sign * _unit(np.cross(e_a, e_b))
        across_a, across_b = np.cross(n, e_a), np.cross(n, e_b)
        values.append((float(min(across_a @ a1, -across_a @ a2, -across_b @ b1, across_b @ b2)), n))
    return max(values, key=lambda v: v[0])


def through(rng: np.random.Generator, n: np.ndarray) -> Screw:
    """Return a random screw along which b closes in on a at the origin."""
    while True:
        omega, w = rng.uniform(-1.2, 1.2) * _unit(rng.normal(size=3)), rng.normal(size=3)
        if w @ n > 0.2:
            w = -w
        if w @ n < -0.2:
            return Screw(Twist(tuple(omega), tuple(w), (0.0, 0.0, 0.0), float(np.linalg.norm(omega))))


def reported(
    a: np.ndarray, b: np.ndarray, screw: Screw, when: float, world: np.ndarray, *, swapped: bool = False
) -> float | None:
    """Return the properness of the contact at the origin at that time; None if there is none."""
    one, two = tocsin.Body((_outward(a), FACES), world, name="a"), tocsin.Body((_outward(b), FACES), name="b")
    scene = tocsin.Scene(two, one) if swapped else tocsin.Scene(one, two)
    motion = two.move(world @ screw.at(-when), world @ screw.at(1.0 - when), kind="screw")
    # The screen leaves out edges and corners of which no face faces the other body: those are not proper at all.
    for exact in (False, True):
        for contact in scene.contacts(motion, every="contact", properness=-1.0, resolution="low", exact=exact):
            if abs(contact.time - when) < 1e-9 and np.linalg.norm(contact.point - world[:3, 3]) < 1e-7:
                return contact.properness
    return None


def campaign(count: int, seed: int) -> dict[str, Any]:
    """Construct contacts and look for them; return what was found wrong."""
    rng = np.random.default_rng(seed)
    wrong = {"not found": 0, "wrong sign": 0, "wrong value": 0, "depends on time, frame or order": 0}
    facing_count = 0
    worst = 0.0
    with report.progress("contacts", count) as advance:
        for k in range(count):
            facing = bool(k % 2)
            a, b, n, expected = (corner_in_face if k // 2 % 2 else edge_on_edge)(rng, facing)
            screw = through(rng, n)
            found = []
            for other in range(3):
                world = np.eye(4)
                if other:
                    world[:3, :3], world[:3, 3] = _rotation(rng), rng.normal(size=3)
                found.append(reported(a, b, screw, float(rng.uniform(0.2, 0.8)), world, swapped=other == 2))
            advance("")
            facing_count += facing
            if any(f is None for f in found):
                wrong["not found"] += 1
                continue
            values = np.array([f for f in found if f is not None])
            wrong["wrong sign"] += bool(((values > 0.0) != facing).any())
            wrong["wrong value"] += bool(abs(values[0] - expected) > 1e-9)
            wrong["depends on time, frame or order"] += bool(np.ptp(values) > 1e-9)
            worst = max(worst, float(np.abs(values - expected).max()))
    return {"contacts": count, "facing": facing_count, **wrong, "largest difference": worst}


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Run the campaign and say what it found."""
    found = campaign(args.count, args.seed)
    report.table(
        "Constructed contacts, each at three times, in three frames and both orders",
        ["", ""],
        [[k, f"{v:g}"] for k, v in found.items()],
    )
    return found

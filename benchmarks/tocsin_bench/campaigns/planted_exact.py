"""Contacts at exactly distance zero: integer shapes that share one point at t*, and nothing more.

All vertices are multiples of 6, so that the points with barycentric coordinates in sixths (vertices, edge points, face
points) are integers. At t* both orientations are signed permutations and both positions integers: the shared point is
shared exactly, in integers, with no depth to hide rounding in. Translations are a multiple of the denominator of t*, so
the position at t* is exact for any dyadic t*; turning motions are planted at t* = 0 or 1, where the pose is given as it
is. Shapes are flush, edge on edge, corner on corner, and apart on some axis just before.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import tocsin
from tocsin_bench.campaigns.planted_contact import kin, random_rotation
from tocsin_bench.campaigns.planted_judge import Case, Tally
from tocsin_bench.campaigns.planted_rigid import GROUP, backend_of, rigid_case
from tocsin_bench.oracles import shapes as truth
from tocsin_bench.scenes import shapes as meshes

SIXTHS = ((6, 0, 0), (6, 0, 0), (3, 3, 0), (2, 4, 0), (1, 2, 3), (2, 2, 2))
"""Barycentric coordinates of a planted point: a vertex, a point of an edge, a point of a face."""


def _integer_shape(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, bool]:
    """Return integer vertices, faces, and whether it is an upright box about the origin."""
    kind = rng.integers(4)
    if kind < 2:
        half = 6.0 * rng.integers(1, 9, 3)
        vertices, faces = meshes.box(tuple(2 * half))
        return np.round(vertices), faces, True
    if kind == 2:
        a, b = 6.0 * rng.integers(1, 9, 2)
        flat = np.array([[-a, -b, 0], [a, -b, 0], [a, b, 0], [-a, b, 0]])
        return flat, np.array([[0, 1, 2], [0, 2, 3]]), False
    vertices = 6.0 * rng.integers(-8, 9, (4, 3))
    return vertices, np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]), False


def _permutation(rng: np.random.Generator) -> np.ndarray:
    m = np.eye(3)[rng.permutation(3)] * rng.choice([-1.0, 1.0], 3)[:, None]
    return m * [1, 1, round(float(np.linalg.det(m)))]


def _touching(
    rng: np.random.Generator, a: tuple, b: tuple
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int, int] | None:
    """Return both rotations, the shift of b relative to a, and an axis and side on which b is beyond a; or None."""
    for _ in range(60):
        turn_a, turn_b = _permutation(rng), _permutation(rng)
        points = []
        for (vertices, faces, _), turn in ((a, turn_a), (b, turn_b)):
            triangle = vertices[faces[rng.integers(len(faces))]]
            points.append(turn @ (np.array(SIXTHS[rng.integers(len(SIXTHS))], float) @ triangle / 6))
        shift = points[0] - points[1]
        world_a, world_b = a[0] @ turn_a.T, b[0] @ turn_b.T + shift
        for axis in rng.permutation(3):
            for side in (1, -1):
                if (side * world_b[:, axis]).min() >= (side * world_a[:, axis]).max():
                    return turn_a, turn_b, shift, int(axis), side
    return None


def exact_group(seed: int, group: int, tally: Tally | None = None, only: int | None = None) -> Iterator[Case]:
    """Yield the cases of one group of exact contacts; the same seeds give the same cases."""
    rng = np.random.default_rng([seed, 2, group])
    a, b = _integer_shape(rng), _integer_shape(rng)
    scale = 2.0 ** rng.integers(-20, 21) / 64
    products, true = [], []
    for vertices, faces, is_box in (a, b):
        if is_box and rng.random() < 0.4:
            size = scale * np.ptp(vertices, axis=0)
            products.append(tocsin.Box(size=size))
            true.append(truth.box(size))
        else:
            products.append(tocsin.Mesh(scale * vertices, faces))
            true.append(truth.mesh(scale * vertices, faces))
    bodies = tuple(tocsin.Body(p, name=n) for p, n in zip(products, "ab"))
    scene = tocsin.Scene(*bodies, backend=backend_of(group))
    for k in range(GROUP):
        if only is not None and k != only:
            continue
        rng = np.random.default_rng([seed, 2, group, k])
        found = _touching(rng, a, b)
        if found is None:
            if tally is not None:
                tally.discarded += 1
            continue
        t, span, ends_a, ends_b, manner = _motion(rng, found)
        for pose in (*ends_a, *ends_b):
            pose[:3, 3] *= scale
        numbers = (t, 0.0, None, scale * span, ends_a, ends_b)
        label = f"exact{len(a[1])}/exact{len(b[1])} point {manner}"
        yield rigid_case(f"exact:{seed}:{group}:{k}", label, (scene, *bodies), tuple(true), numbers, True)


def _motion(rng: np.random.Generator, found: tuple) -> tuple[float, float, tuple, tuple, str]:
    """Return t*, the largest coordinate, and the ends of both motions, in integers at t*."""
    turn_a, turn_b, shift, axis, side = found
    place = np.round(rng.normal(size=3) * 2.0 ** rng.integers(0, 20))
    denominator = 2 ** int(rng.integers(0, 8))
    numerator = int(rng.integers(0, denominator + 1)) if rng.random() < 0.8 else denominator
    step = np.round(rng.normal(size=3) * 8)
    step[axis] = side * abs(step[axis])  # a moves towards b, or along it where this is 0
    if rng.random() < 0.25:
        step[axis] = 0.0
    v = step * denominator
    still = rng.random() < 0.5
    drift = np.zeros(3) if still else np.round(rng.normal(size=3) * 8)
    t = numerator / denominator
    after = denominator - numerator
    ends_a = (kin.frame(turn_a, place - numerator * (step + drift)), kin.frame(turn_a, place + after * (step + drift)))
    at_b = place + shift
    ends_b = (kin.frame(turn_b, at_b - numerator * drift), kin.frame(turn_b, at_b + after * drift))
    manner = "sliding" if step[axis] == 0 else "translation"
    if numerator in (0, denominator) and rng.random() < 0.5:
        # Turn a away at the other end: the end at t* is given exactly, so the contact there stays exact.
        other = random_rotation(rng)
        while np.trace(other @ turn_a.T) < -0.999:  # half a turn has two shorter arcs
            other = random_rotation(rng)
        lift = kin.frame(other, ends_a[0 if numerator else 1][:3, 3] - side * 64.0 * np.eye(3)[axis])
        ends_a = (lift, ends_a[1]) if numerator else (ends_a[0], lift)
        manner = "turning"
    span = float(max(np.abs(e[:3, 3]).max() for e in (*ends_a, *ends_b))) + float(np.abs(v).max()) + 200.0
    return t, span, ends_a, ends_b, manner

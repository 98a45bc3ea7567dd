"""The brute force over all feature pairs, on motions whose contacts are known by hand."""

import math

import mpmath
import numpy as np
import pytest

from tocsin_bench.oracles import kinematics as kin
from tocsin_bench.oracles import screw

TRIANGLE = np.array([[-1.0, -1, 0], [2, -1, 0], [-1, 2, 0]]), np.array([[0, 1, 2]])


def at(x=0.0, y=0.0, z=0.0, turn=(0.0, 0.0, 0.0)):
    return kin.frame(kin.exp(np.array(turn, float)), np.array([x, y, z], float))


def sheet(vertices, triangles):
    sides = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    return screw.Surface(vertices, triangles, np.arange(len(triangles)), np.unique(sides, axis=0), False)


def test_a_needle_falls_through_a_face():
    needle = sheet(np.array([[0.1, 0.1, 0.0], [0.2, 0.1, 3.0], [0.1, 0.2, 3.0]]), np.array([[0, 1, 2]]))
    hits = screw.all_contacts(sheet(*TRIANGLE), needle, at(), at(), at(0, 0, 1), at(0, 0, -1))
    assert [(h.kind, h.feature_a, h.feature_b) for h in hits] == [("face-vertex", 0, 0)]
    assert abs(hits[0].time - mpmath.mpf(1) / 2) < 1e-40
    assert hits[0].properness > 0.9


def test_the_same_from_the_other_side():
    needle = sheet(np.array([[0.1, 0.1, 0.0], [0.2, 0.1, 3.0], [0.1, 0.2, 3.0]]), np.array([[0, 1, 2]]))
    hits = screw.all_contacts(needle, sheet(*TRIANGLE), at(), at(), at(0, 0, -1), at(0, 0, 1))
    assert [(h.kind, h.feature_a, h.feature_b) for h in hits] == [("vertex-face", 0, 0)]
    assert abs(hits[0].time - mpmath.mpf(1) / 2) < 1e-40


def test_two_edges_cross_where_they_must():
    one = sheet(np.array([[-1.0, 0, 0], [1, 0, 0], [0.1, 0, -4.0]]), np.array([[0, 1, 2]]))
    two = sheet(np.array([[0.0, -1, 0], [0.0, 1, 0], [0.1, 0, 4.0]]), np.array([[0, 1, 2]]))
    hits = screw.all_contacts(one, two, at(), at(), at(0, 0, 3), at(0, 0, -1))
    assert hits[0].kind == "edge-edge"
    assert (hits[0].feature_a, hits[0].feature_b) == ((0, 1), (0, 1))
    assert abs(hits[0].time - mpmath.mpf(3) / 4) < 1e-40


def test_a_vertex_on_a_circle_passes_a_plane_twice():
    # About z by 120 degrees: the vertex at angle phi is at height sin(phi) over the plane y = 0.5.
    wall = np.array([[-9.0, 0.5, -9], [9, 0.5, -9], [0, 0.5, 20]]), np.array([[0, 1, 2]])
    point = sheet(np.array([[1.0, 0, 0], [1.0, 0, 1e-3], [1.0 + 1e-3, 0, 0]]), np.array([[0, 1, 2]]))
    start, end = at(), at(turn=(0, 0, 2 * math.pi / 3 * 1.4))
    times = [
        float(h.time)
        for h in screw.all_contacts(sheet(*wall), point, at(), at(), start, end)
        if h.kind == "face-vertex" and h.feature_b == 0
    ]
    assert times == pytest.approx(
        [(math.pi / 6) / (2.8 * math.pi / 3), (5 * math.pi / 6) / (2.8 * math.pi / 3)], abs=1e-15
    )


@pytest.mark.parametrize("seed", range(6))
def test_the_screw_meets_both_ends_and_its_middle_is_half_of_it(seed):
    rng = np.random.default_rng(seed)
    poses = [at(*rng.normal(size=3), turn=rng.normal(size=3)) for _ in range(4)]
    with mpmath.workdps(screw.DIGITS):
        motion, (rows, shift) = screw.relative_screw(*poses)
        x = rng.normal(size=3)
        seen = [np.linalg.inv(a) @ b for a, b in ((poses[0], poses[2]), (poses[1], poses[3]))]
        start = tuple(screw._dot(row, x) + s for row, s in zip(rows, shift))
        for t, pose in ((0, seen[0]), (1, seen[1])):
            assert np.allclose([float(c) for c in motion.at(start, t)], pose[:3, :3] @ x + pose[:3, 3], atol=1e-14)
        half = motion.at(motion.at(start, mpmath.mpf(1) / 2), mpmath.mpf(1) / 2)
        assert max(abs(a - b) for a, b in zip(half, motion.at(start, 1))) < 1e-45


def test_what_50_digits_cannot_decide_is_said():
    flat = sheet(*TRIANGLE)
    with pytest.raises(screw.Degenerate):
        screw.all_contacts(flat, flat, at(), at(), at(0.1, 0.2), at(0.3, 0.1))

"""The gap between two boxes: never more than their distance, and the whole of it where a face looks at a face."""

import itertools

import numpy as np
import pytest

from plain import PLAIN
from tocsin.geometry.box_gap import gap_between, wider
from tocsin_bench.oracles import kinematics, shapes

pytestmark = PLAIN

SIGNS = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))


def a_box(rng, far=2.0):
    axes = kinematics.exp(rng.normal(size=3))
    return tuple(rng.normal(size=3) * far), tuple(map(tuple, axes)), tuple(rng.uniform(0.05, 1.0, 3))


def corners(box):
    center, axes, half = map(np.array, box)
    return center + (SIGNS * half) @ axes


def test_a_gap_is_proven_by_the_corners_along_its_own_direction():
    rng = np.random.default_rng(1)
    positive = 0
    for _ in range(120):
        a, b = a_box(rng), a_box(rng)
        gap, n = gap_between(a, b)
        if gap > 0.0:
            positive += 1
            seen = (corners(b) @ n).min() - (corners(a) @ n).max()
            assert gap == pytest.approx(seen, rel=1e-5)
            truth = shapes.distance(shapes.hull(corners(a)), np.eye(4), shapes.hull(corners(b)), np.eye(4))
            assert gap <= truth + 1e-12
    assert positive > 40


def test_boxes_that_share_a_point_have_no_gap():
    rng = np.random.default_rng(2)
    for _ in range(200):
        a, b = a_box(rng, 0.0), a_box(rng, 0.0)
        inside_a = (rng.uniform(-1, 1, 3) * a[2]) @ np.array(a[1])
        inside_b = (rng.uniform(-1, 1, 3) * b[2]) @ np.array(b[1])
        moved = (tuple(inside_a - inside_b), b[1], b[2])
        assert gap_between(a, moved)[0] <= 1e-12


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_boxes_face_to_face_have_the_gap_of_their_faces_on_either_side(axis, side):
    unit = tuple(map(tuple, np.eye(3)))
    center = [0.0, 0.0, 0.0]
    center[axis] = 4.0 * side
    gap, n = gap_between(((0.0, 0.0, 0.0), unit, (1.0, 1.0, 1.0)), (tuple(center), unit, (0.5, 0.5, 0.5)))
    assert gap == pytest.approx(2.5, rel=1e-6)
    assert gap <= 2.5
    assert n[axis] * side == pytest.approx(1.0, rel=1e-6)


def test_boxes_at_the_same_place_have_a_direction_all_the_same():
    unit = tuple(map(tuple, np.eye(3)))
    gap, n = gap_between(((1.0, 2.0, 3.0), unit, (1.0, 2.0, 3.0)), ((1.0, 2.0, 3.0), unit, (0.5, 0.5, 0.5)))
    assert not gap > 0.0
    assert np.isfinite(n).all()


def test_the_wider_of_two_gaps_keeps_its_own_direction_and_the_first_of_equals_stays():
    x, y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    assert wider(1.0, -1.0, x, 2.0, 3.0, y) == (2.0, 3.0, y)
    assert wider(2.0, -1.0, x, 2.0, 3.0, y) == (2.0, -1.0, x)

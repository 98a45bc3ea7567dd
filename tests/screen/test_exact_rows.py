"""Records of exact contacts: unit normals on the side that is said, vertices by the user's numbers."""

import numpy as np
import pytest

import tocsin
from plain import PLAIN
from tocsin.screen.exact_rows import name_side, unit, wound

pytestmark = PLAIN


def test_a_unit_vector_is_one_and_nothing_stays_nothing():
    rng = np.random.default_rng(1)
    for x in rng.normal(size=(20, 3)):
        assert np.array(unit(tuple(x))) == pytest.approx(x / np.linalg.norm(x))
    assert unit((0.0, 0.0, 0.0)) == (0.0, 0.0, 0.0)


def test_the_normal_of_a_triangle_is_on_the_side_of_its_face():
    rng = np.random.default_rng(2)
    for _ in range(20):
        c, outward = rng.normal(size=(3, 3)), rng.normal(size=3)
        n = np.array(wound(tuple(map(tuple, c)), tuple(outward)))
        assert n @ outward >= 0.0
        assert n @ (c[1] - c[0]) == pytest.approx(0.0, abs=1e-12)
        assert n @ (c[2] - c[0]) == pytest.approx(0.0, abs=1e-12)
        assert np.linalg.norm(n) == pytest.approx(1.0)


@pytest.mark.parametrize(("count", "named"), [(1, [6, -1, -1]), (2, [6, 4, -1]), (3, [6, 4, 5])])
def test_vertices_are_named_from_the_side_that_touches(count, named):
    class Tables:
        faces = np.array([[14, 15, 16]])

    names = np.zeros(3, np.int64)
    name_side(names, Tables, 0, 10, count, 2)
    assert names.tolist() == named


def test_a_corner_that_falls_on_a_face_is_told_with_place_normal_and_speed():
    floor = tocsin.Body((np.array([(-2.0, -2, 0), (2, -2, 0), (0, 3, 0)]), [(0, 1, 2)]), name="floor")
    pin = tocsin.Body((np.array([(0.0, 0, 0), (0.1, 0, 1), (0, 0.1, 1)]), [(0, 1, 2)]), name="pin")
    scene = tocsin.Scene(floor, pin)
    up, down = np.eye(4), np.eye(4)
    up[2, 3], down[2, 3] = 1.0, -1.0
    found = scene.contacts(pin.move(up, down, kind="screw"), exact=True)
    tip = next(c for c in found if c.kind == "face-vertex")
    assert tip.time == pytest.approx(0.5, abs=1e-12)
    assert tip.point == pytest.approx([0, 0, 0], abs=1e-12)
    assert abs(tip.normal[2]) == pytest.approx(1.0)
    assert tip.closing_speed == pytest.approx(2.0)
    assert tip.features[1] == (0,)

"""Properness: its sign by construction, its formulas, open and non-manifold surfaces."""

import numpy as np
import pytest

import tocsin
from tocsin.contacts.properness import edge_normal, face_normal, sine_between
from tocsin.geometry.features import find_features
from tocsin_bench.campaigns import properness


def test_constructed_contacts_have_the_right_sign_and_value():
    """A part of `python -m tocsin_bench properness`."""
    found = properness.campaign(120, 5)
    assert found["facing"] == 60
    assert {k: v for k, v in found.items() if k not in ("contacts", "facing", "largest difference")} == {
        "not found": 0, "wrong sign": 0, "wrong value": 0, "depends on time, frame or order": 0,
    }  # fmt: skip
    assert found["largest difference"] < 1e-9


def wedge(*into):
    """Faces that share the edge from -x to x: (features, that edge)."""
    points = np.array([[-1.0, 0, 0], [1.0, 0, 0], *into])
    mesh = tocsin.Mesh(points, [[0, 1, 2 + k] if k % 2 else [1, 0, 2 + k] for k in range(len(into))])
    found = find_features(mesh, mesh.vertices)
    return found, next(e for e in found.edges if {int(e["tail"]), int(e["head"])} == {0, 1})


@pytest.mark.parametrize("faces", [1, 2, 3, 5])
def test_edges_of_any_number_of_faces_are_as_proper_as_the_worst_of_them(faces):
    rng = np.random.default_rng(faces)
    for _ in range(20):
        below = [(0.0, *rng.uniform([-1, -1], [1, -0.1])) for _ in range(faces)]
        above = [(0.0, *rng.uniform([-1, 0.1], [1, 1])) for _ in range(faces)]
        a, edge_a = wedge(*below)
        b, edge_b = wedge(*above)
        n = (0.0, 0.0, 1.0)
        proper, sign = edge_normal(a.sides, edge_a, b.sides, edge_b, n, n)
        expected = min([-p[2] / np.hypot(p[1], p[2]) for p in below] + [p[2] / np.hypot(p[1], p[2]) for p in above])
        assert sign == 1.0
        assert proper == pytest.approx(expected)
        back = (0.0, 0.0, -1.0)
        assert edge_normal(a.sides, edge_a, b.sides, edge_b, back, back) == (pytest.approx(expected), -1.0)


def test_a_sheet_faces_the_side_on_which_the_corner_is():
    mesh = tocsin.Box((1, 1, 1)).tessellate()
    found = find_features(mesh, mesh.vertices)
    corner = found.corners[int(np.argmin(mesh.vertices.sum(axis=1)))]
    down = tuple(np.array([1.0, 1.0, 1.0]) / np.sqrt(3.0))
    up = tuple(-np.array(down))
    assert face_normal(found.spokes, corner, down, True) == (pytest.approx(1 / np.sqrt(3)), 1.0)
    assert face_normal(found.spokes, corner, up, True)[0] == pytest.approx(-1 / np.sqrt(3))
    assert face_normal(found.spokes, corner, up, False) == (pytest.approx(1 / np.sqrt(3)), -1.0)


def test_equation_6_is_equation_7_times_the_sine():
    assert sine_between((2.0, 0, 0), (0, 3.0, 0)) == pytest.approx(1.0)
    assert sine_between((1.0, 0, 0), (1.0, 1.0, 0)) == pytest.approx(np.sqrt(0.5))
    assert sine_between((0.0, 0, 0), (1.0, 1.0, 0)) == 0.0

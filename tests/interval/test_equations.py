"""What an elementary test excludes is really free: planted contacts are never in an excluded part."""

import numpy as np
import pytest

from tocsin.geometry.tree import NODE, write_box
from tocsin.interval import box_separation, contraction, equations, witness
from tocsin.interval.frames import RELATIVE

SIZES = (0, 0, 0, -20, 20)


@pytest.mark.pure
def test_a_concave_function_is_above_need_wherever_time_was_excluded():
    rng = np.random.default_rng(1)
    for _ in range(500):
        lines = rng.normal(size=(3, 2)) * 2.0 ** rng.integers(-3, 4)
        need = float(rng.normal())
        at_lo, at_hi = (min(float(c + s * k) for c, k in lines) for s in (-1.0, 1.0))
        lo, hi = contraction.contract(at_lo, at_hi, need, -1.0, 1.0, -1.0, 1.0)
        for s in np.linspace(-1, 1, 33):
            if not lo <= s <= hi:
                assert min(c + s * k for c, k in lines) > need


def test_a_vertex_that_meets_a_triangle_is_never_excluded_there():
    rng = np.random.default_rng(2)
    for case in range(300):
        size = 2.0 ** float(rng.choice(SIZES))
        corners = rng.normal(size=(3, 3)) * size
        if case % 5 == 0:
            corners[2] = corners[0] + (corners[1] - corners[0]) * rng.choice([0.0, 0.5, 1.0])  # no area
        weights = rng.dirichlet(np.ones(3)) if rng.random() < 0.7 else np.eye(3)[rng.integers(3)]
        need = size * 10 ** rng.uniform(-6, 0)
        away = rng.normal(size=3)
        met = weights @ corners + away / np.linalg.norm(away) * need * rng.uniform(0, 0.99)
        share = int(rng.integers(0, 65)) / 64
        velocity = rng.normal(size=3) * size * 10 ** rng.uniform(-2, 1)
        start, stop = met - share * velocity, met + (1 - share) * velocity
        a, b, c = (tuple(p) for p in corners)
        lo, hi = equations.vertex_face(tuple(start), tuple(stop), a, b, c, need, -1.0, 1.0)
        assert lo <= -1.0 + 2.0 * share <= hi


@pytest.mark.pure
def test_edges_that_meet_are_never_excluded_there():
    rng = np.random.default_rng(3)
    for case in range(300):
        size = 2.0 ** float(rng.choice(SIZES))
        a, u = rng.normal(size=3) * size, rng.normal(size=3) * size
        v0, v1 = rng.normal(size=(2, 3)) * size
        if case % 3 == 0:  # parallel all the way, or at one end
            v0 = u * rng.uniform(-2, 2)
            v1 = v0 * 1.0 if case % 2 else v1
        share = int(rng.integers(0, 65)) / 64
        margin = size * 10 ** rng.uniform(-6, 0) if rng.random() < 0.5 else 0.0
        need = margin + size * 1e-12
        away = rng.normal(size=3)
        v = v0 + share * (v1 - v0)
        met = a + rng.uniform(0, 1) * u + away / np.linalg.norm(away) * margin * rng.uniform(0, 0.99)
        c = met - rng.uniform(0, 1) * v
        velocity = rng.normal(size=3) * size
        c0, c1 = c - share * velocity, c + (1 - share) * velocity
        a, u, *other = (tuple(x) for x in (a, u, c0, v0, c1 - c0, v1 - v0))
        lo, hi = equations.edge_edge((a, u), tuple(other), (need, 1e-12 * size, margin), -1.0, 1.0)
        assert lo <= -1.0 + 2.0 * share <= hi


def test_equations_of_features_that_stay_apart_are_excluded():
    face = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    lo, hi = equations.vertex_face((0.2, 0.2, 1.0), (0.3, 0.3, 0.1), *face, 0.05, -1.0, 1.0)
    assert lo > hi
    lo, hi = equations.vertex_face((2.0, 2.0, 1.0), (2.0, 2.0, -1.0), *face, 0.05, -1.0, 1.0)  # a root, not valid
    assert lo > hi
    edges = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0))  # parallel: f vanishes at all times
    still = (0.0, 0.0, 0.0)
    lo, hi = equations.edge_edge(edges[:2], (*edges[2:], still, still), (0.5, 0.0, 0.0), -1.0, 1.0)
    assert lo > hi


def test_a_root_is_closed_in_on_from_both_sides():
    face = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    lo, hi = equations.vertex_face((0.2, 0.2, 1.0), (0.2, 0.2, -3.0), *face, 1e-9, -1.0, 1.0)
    assert -0.5 - 1e-8 < lo <= -0.5 <= hi < -0.5 + 1e-8


@pytest.mark.pure
def test_boxes_whose_points_meet_are_never_excluded_there():
    rng = np.random.default_rng(5)
    nodes = np.zeros(2, NODE)
    relative = np.zeros(1, RELATIVE)
    work = np.zeros((8, 3))
    for _ in range(300):
        sides = []
        for k in range(2):
            axes, _ = np.linalg.qr(rng.normal(size=(3, 3)))
            center, half = rng.normal(size=3), rng.uniform(0, 1, 3) * rng.choice([1.0, 1e-3])
            write_box(nodes[k], tuple(center), tuple(map(tuple, axes)), tuple(half), 10.0)
            sides.append(center + (rng.uniform(-1, 1, 3) * half) @ axes)
        rotation, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        turn = rng.normal(size=(3, 3)) * 0.1
        s = rng.uniform(-1, 1)
        shift, drift = np.zeros(3), rng.normal(size=3)
        shift = sides[0] - (rotation + s * turn) @ sides[1] - s * drift
        relative[0]["x0"] = np.column_stack([rotation, shift])
        relative[0]["x1"] = np.column_stack([turn, drift])
        relative[0]["rho"][0] = np.linalg.norm(turn)
        lo, hi = box_separation.box_range(nodes[0], nodes[1], relative[0], 1e-12, -1.0, 1.0, work)
        assert lo <= s <= hi


def test_triangles_that_share_a_point_are_never_apart_and_those_beyond_a_plane_are():
    rng = np.random.default_rng(6)
    for _ in range(300):
        a, b = rng.normal(size=(2, 3, 3))
        b += rng.dirichlet(np.ones(3)) @ a - rng.dirichlet(np.ones(3)) @ b
        one, other = tuple(map(tuple, a)), tuple(map(tuple, b))
        assert witness.triangles_at(one, other, 1e-13, 1e-9) == witness.TOUCHING
        normal = rng.normal(size=3)
        normal /= np.linalg.norm(normal)
        gap = 10 ** rng.uniform(-3, 0)
        b += normal * (gap + (a @ normal).max() - (b @ normal).min())
        assert witness.triangles_at(one, tuple(map(tuple, b)), 0.99 * gap, 1e-9) == witness.APART

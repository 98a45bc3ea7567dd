"""The distances that everything else is judged by, against answers known by hand and against each other."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import minimize

from tocsin_bench.oracles import distance as tri
from tocsin_bench.oracles import shapes
from tocsin_bench.oracles.kinematics import exp, frame

FLAT = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]


@pytest.mark.parametrize(
    ("other", "squared"),
    [
        ([[0, 0, 2], [1, 0, 2], [0, 1, 2]], 4),  # parallel, above
        ([[0.25, 0.25, 3], [0.25, 0.25, 7], [1, 1, 7]], 9),  # vertex over the inside
        ([[0.25, 0.25, -1], [0.25, 0.25, 1], [5, 5, 1]], 0),  # an edge runs through the inside
        ([[2, 0, 0], [3, 0, 0], [2, 1, 0]], 1),  # coplanar, apart
        ([[0.25, 0.25, 0], [0.3, 0.25, 0], [0.25, 0.3, 0]], 0),  # coplanar, inside
        ([[1, 1, 0], [2, 1, 0], [1, 2, 0]], Fraction(1, 2)),  # vertex against an edge
        ([[1, 0, 0], [2, 0, 0], [2, -1, 0]], 0),  # one shared vertex
        ([[-1, -1, 1], [2, -1, 1], [0.5, -1, 5]], 2),  # edge against parallel edge
        ([[0.5, -1, 1], [0.5, 3, 1], [0.5, 3, 5]], 1),  # edge over the inside, parallel to it
        ([[0.2, 0.2, 5], [0.2, 0.2, 5], [0.2, 0.2, 5]], 25),  # a triangle that is a point
        ([[-1, 0.2, 5], [3, 0.2, 5], [1, 0.2, 5]], 25),  # a triangle that is a segment
    ],
)
def test_triangle_distances_known_by_hand(other, squared):
    for one, two in ((FLAT, other), (other, FLAT)):
        exact = tri.exact_triangle_triangle(one, two)
        assert abs(exact - Fraction(squared)) < Fraction(1, 10**12)
        assert tri.triangle_triangle(np.array([one], float), np.array([two], float))[0] == pytest.approx(
            float(squared) ** 0.5, abs=1e-12
        )


def test_float64_agrees_with_rationals_on_random_and_on_integer_triangles():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 150, 3, 3))
    b += 2 * rng.normal(size=(150, 1, 3))
    a[::2], b[::2] = np.round(a[::2]), np.round(b[::2])  # many degenerate and touching ones
    fast = tri.triangle_triangle(a, b)
    exact = [float(tri.exact_triangle_triangle(x, y)) ** 0.5 for x, y in zip(a, b)]
    assert np.allclose(fast, exact, atol=1e-12)


def test_edges_that_are_nearly_parallel_and_cross_keep_their_distance():
    """Clamping both parameters of the unconstrained solution, one by one, had given 8.4e-4 here."""
    a = [[-120.218, -288.847, 191.899], [120.218, -288.847, 191.899], [120.218, 288.847, 191.899]]
    b = [[120.22, -661.566, 191.899], [120.217, 473.671, 191.9], [129.794, 472.535, 230.035]]
    exact = float(tri.exact_triangle_triangle(a, b)) ** 0.5
    assert exact == pytest.approx(6.3246e-4, rel=1e-4)
    assert tri.triangle_triangle(np.array([a]), np.array([b]))[0] == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize("angle", [1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-15])
def test_random_edges_that_are_nearly_parallel(angle):
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=(2, 60, 3, 3))
    b[:, :2] = a[:, :2] + rng.normal(size=(60, 1, 3)) * 1e-3 + angle * rng.normal(size=(60, 2, 3))
    fast = tri.triangle_triangle(a, b)
    exact = [float(tri.exact_triangle_triangle(x, y)) ** 0.5 for x, y in zip(a, b)]
    assert np.allclose(fast, exact, atol=1e-10)


@pytest.mark.parametrize("scale", [1e-150, 1e-6, 1.0, 1e6, 1e150])
def test_triangle_distance_scales(scale):
    a, b = np.array([FLAT], float), np.array([FLAT], float) + [0, 0, 2]
    assert tri.triangle_triangle(a * scale, b * scale)[0] == pytest.approx(2 * scale)


def test_leaving_out_far_pairs_changes_nothing():
    rng = np.random.default_rng(2)
    for _ in range(5):
        a, b = (rng.normal(size=(40, 1, 3)) + 0.2 * rng.normal(size=(40, 3, 3)) for _ in range(2))
        b += [4, 0, 0]
        everything = tri.triangle_triangle(np.repeat(a, 40, 0), np.tile(b, (40, 1, 1))).min()
        assert tri.mesh_mesh(a, b) == everything


def test_winding_number_counts_inside():
    cube = shapes.box((2, 2, 2)).core
    inside = tri.winding_number(np.array([[0, 0, 0], [0.9, -0.9, 0.9], [1.1, 0, 0], [5, 5, 5]]), cube)
    assert np.allclose(inside, [1, 1, 0, 0], atol=1e-12)


def at(x, y, z, turn=(0, 0, 0)):
    return frame(exp(np.array(turn, float)), np.array([x, y, z], float))


KNOWN = [
    (shapes.sphere(1), shapes.sphere(2), at(5, 0, 0), 2),
    (shapes.sphere(1), shapes.sphere(2), at(0.5, 0, 0), 0),
    (shapes.sphere(1), shapes.box((2, 2, 2)), at(3, 0, 0), 1),
    (shapes.sphere(1), shapes.box((2, 2, 2)), at(3, 3, 3), np.sqrt(12) - 1),
    (shapes.sphere(0.1), shapes.box((2, 2, 2)), at(0.1, 0.2, 0), 0),  # a ball inside a solid
    (shapes.capsule(1, 4), shapes.capsule(1, 4), at(5, 0, 0), 3),
    (shapes.capsule(1, 4), shapes.capsule(1, 4), at(0, 0, 7), 1),
    (shapes.capsule(1, 4), shapes.capsule(0.5, 4), at(3, 0, 0, (np.pi / 2, 0, 0)), 1.5),
    (shapes.cylinder(1, 4), shapes.sphere(1), at(4, 0, 0), 2),
    (shapes.cylinder(1, 4), shapes.sphere(1), at(0, 0, 5), 2),
    (shapes.cylinder(1, 4), shapes.sphere(1), at(4, 0, 6), 4),  # 3-4-5 from the rim
    (shapes.cylinder(1, 4), shapes.box((2, 2, 2)), at(5, 0, 0), 3),
    (shapes.cylinder(1, 4), shapes.box((2, 2, 2)), at(5, 0, 0, (0, 0, np.pi / 4)), 4 - np.sqrt(2)),
    (shapes.cylinder(0.1, 0.1), shapes.box((2, 2, 2)), at(0.3, 0, 0), 0),  # a cylinder inside a box
    (shapes.cylinder(1, 4), shapes.cylinder(1, 4), at(5, 0, 0), 3),
    (shapes.cylinder(1, 4), shapes.cylinder(1, 4), at(0.5, 0, 7), 3),
    (shapes.cylinder(1, 4), shapes.cylinder(1, 4), at(4, 0, 0, (np.pi / 2, 0, 0)), 2),
    (shapes.mesh(FLAT, [[0, 1, 2]]), shapes.sphere(1), at(0.2, 0.2, 4), 3),
    (shapes.mesh(FLAT, [[0, 1, 2]]), shapes.cylinder(1, 2), at(0.2, 0.2, 4), 3),
]


@pytest.mark.parametrize(("a", "b", "pose", "expected"), KNOWN)
def test_shape_distances_known_by_hand(a, b, pose, expected):
    far = at(1e3, -2e3, 5e2, (0.3, -1, 2))
    assert shapes.distance(a, np.eye(4), b, pose) == pytest.approx(expected, abs=1e-6)
    assert shapes.distance(b, far @ pose, a, far) == pytest.approx(expected, abs=1e-6)


def test_a_closed_surface_holds_nothing_unless_it_is_solid():
    small, large = shapes.box((1, 1, 1)), shapes.box((4, 4, 4))
    surface, inner = shapes.Shape(large.core), shapes.Shape(small.core)
    assert shapes.distance(surface, np.eye(4), inner, np.eye(4)) == pytest.approx(1.5)
    assert shapes.distance(large, np.eye(4), inner, np.eye(4)) == 0
    assert shapes.distance(inner, np.eye(4), large, np.eye(4)) == 0


def test_an_empty_mesh_is_infinitely_far():
    nothing = shapes.mesh(np.zeros((0, 3)), np.zeros((0, 3)))
    assert shapes.distance(nothing, np.eye(4), shapes.sphere(1), np.eye(4)) == np.inf
    assert shapes.distance(shapes.cylinder(1, 1), np.eye(4), nothing, np.eye(4)) == np.inf


@pytest.mark.parametrize("seed", range(8))
def test_hull_distance_agrees_with_a_quadratic_program(seed):
    rng = np.random.default_rng(seed)
    p, q = rng.normal(size=(12, 3)), rng.normal(size=(12, 3)) + [4, 0, 0]

    def squared(w):
        return ((w[:12] @ p - w[12:] @ q) ** 2).sum()

    sums = {"type": "eq", "fun": lambda w: [w[:12].sum() - 1, w[12:].sum() - 1]}
    found = minimize(
        squared, np.full(24, 1 / 12), bounds=[(0, 1)] * 24, constraints=sums, options={"ftol": 1e-14, "maxiter": 500}
    )
    ours = shapes.distance(shapes.hull(p), np.eye(4), shapes.hull(q), np.eye(4))
    assert ours == pytest.approx(np.sqrt(found.fun), abs=1e-5)


@pytest.mark.parametrize("seed", range(6))
def test_cylinder_distance_agrees_with_alternating_projections(seed):
    rng = np.random.default_rng(seed)
    a, b = shapes.cylinder(0.5, 1.5), shapes.cylinder(0.3, 2.0)
    rotation, shift = exp(rng.normal(size=3)), 3 * rng.normal(size=3) / np.sqrt(3)

    def project(x, shape):
        rho = np.hypot(x[0], x[1])
        s = min(1.0, shape.radius / rho)
        return np.array([x[0] * s, x[1] * s, np.clip(x[2], -shape.half, shape.half)])

    x = shift
    for _ in range(5000):
        x = project(x, a)
        y = rotation @ project(rotation.T @ (x - shift), b) + shift
        x, closest = y, np.linalg.norm(x - y)
    assert shapes.distance(a, np.eye(4), b, frame(rotation, shift)) == pytest.approx(closest, abs=1e-5)


def test_edges_that_cross_nearly_parallel_are_measured_where_they_cross():
    rng = np.random.default_rng(3)
    for _ in range(200):
        x = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        angle, up = 10.0 ** rng.uniform(-9, -6), 10.0 ** rng.uniform(-9, -6)
        middle = rng.normal(size=3)
        a, b = middle - rng.uniform(0.2, 1) * x[0], middle + rng.uniform(0.2, 1) * x[0]
        turned, lifted = x[0] + angle * x[1], middle + up * x[2]
        c, d = lifted - rng.uniform(0.2, 1) * turned, lifted + rng.uniform(0.2, 1) * turned
        exact = float(tri.exact_segment_segment(*(tri._fractions([p])[0] for p in (a, b, c, d)))) ** 0.5
        assert abs(tri.segment_segment(a, b, c, d) ** 0.5 - exact) < 1e-12

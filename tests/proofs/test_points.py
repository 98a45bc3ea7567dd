"""Points of shapes as a proof writes them: in the shape, and nearest to the place, by brute force over samples."""

import numpy as np
import pytest

import tocsin
from tocsin.proofs.points import corners_of, nearest, nearest_of

HULL = np.array([(0.0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)])


def place(shape, said):
    """Return where a point is that a proof says: between corners by weights, and beside them."""
    which, weights, beside = said
    if isinstance(shape, tocsin.Box):
        corners = corners_of(shape)
    elif isinstance(shape, tocsin.ConvexHull):
        corners = np.asarray(shape.points)
    else:
        half = 0.0 if isinstance(shape, tocsin.Sphere) else 0.5 * shape.length
        corners = np.array([(0.0, 0.0, -half), (0.0, 0.0, half)])
    assert min(weights) >= 0.0
    return np.array(weights) @ corners[which] / sum(weights) + beside


def inside(shape, p, slack=1e-9):
    """Is a point in a solid?"""
    if isinstance(shape, tocsin.Box):
        return (np.abs(p) <= 0.5 * np.array(shape.size) + slack).all()
    half = 0.0 if isinstance(shape, tocsin.Sphere) else 0.5 * shape.length
    if isinstance(shape, tocsin.Cylinder):
        return abs(p[2]) <= half + slack and np.hypot(p[0], p[1]) <= shape.radius + slack
    return np.linalg.norm(p - [0, 0, np.clip(p[2], -half, half)]) <= shape.radius + slack


@pytest.mark.parametrize(
    "shape", [tocsin.Box((1, 2, 3)), tocsin.Sphere(0.7), tocsin.Capsule(0.4, 1.5), tocsin.Cylinder(0.6, 1.2)]
)
def test_the_nearest_point_of_a_solid_is_in_it_and_none_is_nearer(shape):
    rng = np.random.default_rng(1)
    cloud = rng.uniform(-2.0, 2.0, (4000, 3))
    cloud = cloud[[inside(shape, p, 0.0) for p in cloud]]
    for at in rng.normal(size=(20, 3)) * 2.0:
        far, said = nearest(shape, at, ())
        assert inside(shape, place(shape, said))
        assert np.linalg.norm(place(shape, said) - at) == pytest.approx(far)
        assert far <= np.linalg.norm(cloud - at, axis=1).min() + 1e-9


def test_a_point_of_a_hull_is_a_mean_of_its_corners():
    rng = np.random.default_rng(2)
    hull = tocsin.ConvexHull(HULL)
    for at in rng.normal(size=(20, 3)) * 2.0:
        _, said = nearest(hull, at, ())
        point = place(hull, said)
        some = rng.dirichlet(np.ones(len(hull.points)), 2000) @ np.asarray(hull.points)
        assert np.linalg.norm(point - at) <= np.linalg.norm(some - at, axis=1).min() + 1e-6


def test_a_point_of_a_mesh_is_on_the_triangle_that_touches():
    rng = np.random.default_rng(3)
    mesh = tocsin.Box((1, 1, 1)).tessellate()
    for at in rng.normal(size=(20, 3)):
        face = int(rng.integers(len(mesh.faces)))
        corners = np.asarray(mesh.vertices)[mesh.faces[face]]
        far, (said, weights, beside) = nearest(mesh, at, tuple(mesh.faces[face].tolist()))
        assert (said, beside) == (face, [0.0, 0.0, 0.0])
        point = np.array(weights) @ corners
        assert np.linalg.norm(point - at) == pytest.approx(far)
        some = rng.dirichlet([1, 1, 1], 3000) @ corners
        assert far <= np.linalg.norm(some - at, axis=1).min() + 1e-9


def test_of_several_shapes_the_nearest_is_taken_by_its_number():
    body = tocsin.Body([(tocsin.Sphere(0.1), (5.0, 0, 0)), (tocsin.Sphere(0.1), (0.0, 0, 0))])
    number, said = nearest_of(body.shapes[0], np.eye(4), np.array([0.5, 0.0, 0.0]), (), 7)
    assert number == 8
    assert place(tocsin.Sphere(0.1), said) == pytest.approx([0.1, 0.0, 0.0])

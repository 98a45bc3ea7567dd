"""Shapes of links: what they hold contains them; prepared one by one or on all cores they are the same."""

import numpy as np
import pytest
import trimesh

import tocsin
from tocsin.compiler import threads
from tocsin.errors import MeshWarning, TocsinError
from tocsin.geometry import cache
from tocsin.geometry import shape as shapes
from tocsin.geometry.convex import support_value
from tocsin.geometry.mesh import Mesh
from tocsin.geometry.primitives import Box
from tocsin.geometry.shape import make_shape

PARTS = ("nodes", "proxy", "center", "axes", "half", "samples")


def ball(subdivisions, radius):
    made = trimesh.creation.icosphere(subdivisions, radius)
    return Mesh(made.vertices, made.faces)


def moved(x):
    place = np.eye(4)
    place[0, 3] = x
    return place


def links():
    return {
        "a": [(ball(4, 1.0), moved(0.5)), (Box((1, 2, 3)), np.eye(4))],
        "b": [(ball(3, 0.2), np.eye(4))],
        "c": [(ball(4, 0.7), moved(-1.0)), (ball(2, 0.3), moved(2.0))],
        "d": Box((1, 1, 1)),
    }


def test_shapes_that_are_prepared_on_all_cores_have_the_same_bits(monkeypatch):
    monkeypatch.setattr(threads, "cores", lambda: 4)
    monkeypatch.setattr(shapes, "MANY", 1000)
    order = ["d", "c", "b", "a", "none"]
    with cache.bypassed():
        at_once = shapes.shapes_of_links(links(), order)
        alone = [shapes.placed_shapes(links().get(link), link) for link in order]
    assert list(map(len, at_once)) == list(map(len, alone)) == [1, 2, 1, 2, 0]
    for one, other in zip(sum(at_once, ()), sum(alone, ())):
        assert [getattr(one, part).tobytes() for part in PARTS] == [getattr(other, part).tobytes() for part in PARTS]
        assert (one.radius, one.reach, one.diagonal) == (other.radius, other.reach, other.diagonal)


def test_what_is_said_of_a_shape_is_said_at_the_line_that_brought_it(monkeypatch):
    monkeypatch.setattr(shapes, "MANY", 0)
    empty = Mesh(np.zeros((0, 3)), np.zeros((0, 3), int))
    with pytest.warns(MeshWarning, match="without triangles") as told:
        shapes.shapes_of_links({**links(), "e": [(ball(3, 1.0), np.eye(4)), (empty, np.eye(4))]}, list("abcde"))
    assert [warning.filename for warning in told] == [__file__]


def test_a_shape_out_of_range_is_refused_from_any_thread(monkeypatch):
    monkeypatch.setattr(shapes, "MANY", 0)
    with pytest.raises(TocsinError, match="is out of range"):
        shapes.shapes_of_links({**links(), "e": [(ball(2, 1.0), moved(1e30))]}, list("abcde"))


TETRAHEDRON = np.eye(4)[:, 1:], np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
SOURCES = [
    Box((0.4, 0.6, 0.8)),
    tocsin.Sphere(0.3),
    tocsin.Capsule(0.1, 0.5),
    tocsin.Cylinder(0.2, 0.7),
    tocsin.ConvexHull(np.random.default_rng(1).normal(size=(9, 3))),
    TETRAHEDRON,
]
PLACE = np.array([[0.0, -1, 0, 2], [1, 0, 0, 3], [0, 0, 1, -1], [0, 0, 0, 1]])


@pytest.mark.pure
@pytest.mark.parametrize("source", SOURCES, ids=lambda s: type(s).__name__)
def test_proxy_box_and_reach_contain_the_surface(source):
    shape = make_shape(source, PLACE)
    mesh = shape.mesh(16)
    points = mesh.vertices @ PLACE[:3, :3].T + PLACE[:3, 3]
    assert np.linalg.norm(points, axis=1).max() <= shape.reach * (1 + 1e-12)
    seen = (points - shape.center) @ shape.axes.T
    assert (np.abs(seen) <= shape.half + 1e-12).all()
    table = np.concatenate([shape.proxy, shape.axis])
    for n in np.random.default_rng(2).normal(size=(40, 3)):
        n /= np.linalg.norm(n)
        reached = support_value(table, 0, len(shape.proxy), shape.disk, tuple(map(float, n))) + shape.radius
        assert (points @ n).max() <= reached + 1e-12
    assert shape.is_mesh == isinstance(source, tuple)
    assert not shape.is_empty


@pytest.mark.pure
def test_shapes_are_one_if_made_and_placed_alike():
    box = Box((1, 1, 1))
    assert make_shape(box).identity == make_shape(box).identity
    assert make_shape(box).identity != make_shape(box, PLACE).identity
    assert make_shape(box).identity != make_shape(Box((1, 1, 1))).identity


@pytest.mark.pure
def test_a_mesh_without_triangles_is_empty_and_touches_nothing():
    with pytest.warns(MeshWarning, match="never touches"):
        shape = make_shape((np.zeros((0, 3)), np.zeros((0, 3), int)))
    assert shape.is_empty
    assert len(shape.faces) == 0

"""The rows of the design's table of cases that are about meshes and solids, by name."""

import math
import warnings

import numpy as np
import pytest

import tocsin
from promise.scenes import TETRAHEDRON, at, box_mesh, two
from tocsin import Status

BOX = box_mesh()


# --- degenerate triangle: the segment or point that it is -----------------------------------------------------------


def test_a_triangle_that_is_a_point_touches_as_a_point():
    point = (np.array([[0, 0, 0], [0, 0, 0], [0, 0, 0.0]]), np.array([[0, 1, 2]]))
    for shape in (BOX, tocsin.Box(size=(1, 1, 1)), tocsin.Sphere(radius=0.5)):
        scene, a, b = two(point, shape)
        hit = scene.first_contact(a.move(at(4), at(0)), b.at(at()), tolerance=1e-6)
        assert hit.collides
        assert hit.time <= 0.875
        assert 4 - 4 * hit.time - 0.5 <= 1e-6 + 1e-12
        assert scene.is_free(a.move(at(4, 3), at(0, 3)), b.at(at()))


def test_one_index_three_times_is_a_point():
    scene, a, b = two((np.array([[0, 0, 0.0]]), np.array([[0, 0, 0]])), BOX)
    assert scene.first_contact(a.move(at(4), at(0)), b.at(at()), tolerance=1e-6).collides


def test_a_point_against_a_point_and_a_default_tolerance_ends():
    point = (np.array([[0, 0, 0.0]]), np.array([[0, 0, 0]]))
    scene, a, b = two(point, point)
    assert scene.first_contact(a.move(at(4), at(-4)), b.at(at())).collides
    assert scene.is_free(a.move(at(4, 1), at(-4, 1)), b.at(at()))


POINT = (np.array([[0, 0, 0.0]]), np.array([[0, 0, 0]]))
SPECKS = [POINT, tocsin.Sphere(radius=1e-20), tocsin.Box(size=(1e-20, 1e-20, 1e-20)), (1e-20 * BOX[0], BOX[1])]


@pytest.mark.parametrize("other", [POINT, (np.array([[0, -1, -1], [0, 1, -1], [0, 0, 1.0]]), np.array([[0, 1, 2]]))])
@pytest.mark.parametrize("speck", SPECKS, ids=["point", "sphere", "box", "mesh"])
@pytest.mark.parametrize("method", ["advancement", "interval"])
def test_by_default_a_speck_is_decided(speck, other, method):
    """Its tolerance is what floating point resolves, many times its size."""
    scene, a, b = two(speck, other)
    hit = scene.first_contact(a.move(at(4), at(-4)), b.at(at()), method=method)
    assert hit.status is Status.CONTACT
    assert hit.time <= 0.5
    assert 4 - 8 * hit.time <= hit.tolerance + 1e-15


@pytest.mark.parametrize("faces", [[[0, 1, 1]], [[0, 1, 2]], [[1, 0, 0]]])
def test_a_triangle_that_is_a_segment_touches_as_a_segment(faces):
    segment = (np.array([[0, -1, 0], [0, 1, 0], [0, 0, 0.0]]), np.array(faces))
    scene, a, b = two(segment, BOX)
    hit = scene.first_contact(a.move(at(4), at(0)), b.at(at()))
    assert hit.collides
    assert hit.time <= 0.875
    assert 4 - 4 * hit.time - 0.5 <= hit.tolerance + 1e-12
    assert scene.is_free(a.move(at(4, 1.75), at(0, 1.75)), b.at(at()))


def test_slivers_are_triangles_like_others():
    sliver = (np.array([[0, 0, 0], [1, 0, 0], [1, 1e-9, 0]]), np.array([[0, 1, 2]]))
    scene, a, b = two(sliver, BOX)
    hit = scene.first_contact(a.move(at(-5, 0.1, 0.1), at(0, 0.1, 0.1)), b.at(at()))
    assert hit.collides
    assert 0.69 < hit.time <= 0.7


# --- empty mesh: never collides; a warning says so ------------------------------------------------------------------


def test_an_empty_mesh_never_collides_and_warns():
    with pytest.warns(tocsin.MeshWarning, match="never"):
        empty = tocsin.Body((np.zeros((0, 3)), np.zeros((0, 3), int)), name="nothing")
    box = tocsin.Body(BOX, name="box")
    scene = tocsin.Scene(empty, box)
    assert scene.first_contact(empty.move(at(4), at(-4))).status is Status.FREE
    assert scene.first_contact(box.move(at(4), at(-4))).status is Status.FREE
    assert scene.is_free(empty.at(at()))
    assert scene.distance().distance == math.inf


def test_vertices_without_faces_are_an_empty_mesh():
    with pytest.warns(tocsin.MeshWarning):
        empty = tocsin.Body((BOX[0], np.zeros((0, 3), int)), name="nothing")
    assert tocsin.Scene(empty, tocsin.Body(BOX, name="box")).is_free(empty.move(at(4), at(-4)))


def test_a_link_with_an_empty_mesh_does_not_hide_its_neighbours():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tocsin.MeshWarning)
        empty = tocsin.Mesh(np.zeros((0, 3)), np.zeros((0, 3), int))
        builder = tocsin.RobotBuilder("r")
        builder.link("base", empty)
        builder.link("tip", [empty, (tocsin.Sphere(radius=0.1), at(1))], parent="base", joint="revolute")
        robot = builder.build()
    wall = tocsin.Body(BOX, name="wall", pose=at(0, 1))
    assert tocsin.Scene(robot, wall).first_contact(robot.move([0], [3])).collides


# --- polygon soup, non-manifold, duplicated vertices: legal ------------------------------------------------------


def soup_of(mesh, seed=0):
    """Return the same surface as loose triangles in any winding, some twice."""
    rng = np.random.default_rng(seed)
    vertices, faces = mesh
    order = rng.permutation(np.concatenate([np.arange(len(faces)), rng.integers(len(faces), size=4)]))
    triangles = vertices[faces[order]]
    triangles[::2] = triangles[::2, ::-1]
    return triangles.reshape(-1, 3), np.arange(3 * len(triangles)).reshape(-1, 3)


def test_a_soup_touches_when_its_mesh_does():
    start, stop = at(4, 0.1, 0.2, (5, 0, 10)), at(0, 0.1, 0.2, (50, 0, 80))
    hits = []
    for shape in (BOX, soup_of(BOX)):
        scene, a, b = two(shape, TETRAHEDRON)
        hits.append(scene.first_contact(a.move(start, stop), b.at(at()), tolerance=1e-9))
    assert hits[0].collides
    assert hits[0].time == pytest.approx(hits[1].time, abs=1e-8)


def test_three_faces_on_one_edge_are_legal():
    fins = (
        np.array([[0, 0, 0], [0, 0, 1], [1, 0, 0.5], [-1, 1, 0.5], [-1, -1, 0.5]]),
        np.array([[0, 1, 2], [0, 1, 3], [0, 1, 4]]),
    )
    scene, a, b = two(fins, BOX)
    hit = scene.first_contact(a.move(at(-9), at(9)), b.at(at()))
    assert hit.collides
    assert 9 - 18 * hit.time - 1.5 <= hit.tolerance + 1e-12
    assert hit.time <= 7.5 / 18


def test_unused_vertices_do_not_touch_and_do_not_set_the_tolerance():
    vertices = np.vstack([TETRAHEDRON[0], [[100, 0, 0]]])
    scene, a, b = two((vertices, TETRAHEDRON[1]), BOX)
    hit = scene.first_contact(a.move(at(-9), at(9)), b.at(at()))
    assert hit.time <= 7.5 / 18
    assert 9 - 18 * hit.time - 1.5 <= 1e-4 * math.sqrt(3) + 1e-12


# --- one closed mesh wholly inside another ----------------------------------------------------------------------------

SMALL, LARGE = box_mesh(0.2, 0.2, 0.2), box_mesh(4, 4, 4)


def test_meshes_are_surfaces_one_inside_another_is_free():
    scene, a, b = two(SMALL, LARGE)
    assert scene.first_contact(a.move(at(-0.5), at(0.5)), b.at(at())).status is Status.FREE
    assert scene.is_free(a.move(at(-0.5), at(0.5)), b.at(at()))


def test_a_solid_mesh_holds_what_is_inside_it():
    a, b = tocsin.Body(SMALL, name="a"), tocsin.Body(LARGE, name="b", solid=True)
    hit = tocsin.Scene(a, b).first_contact(a.move(at(-0.5), at(0.5)))
    assert (hit.status, hit.time) == (Status.INITIAL_CONTACT, 0.0)
    hit = tocsin.Scene(a, b).first_contact(b.move(at(-0.5), at(0.5)))
    assert (hit.status, hit.time) == (Status.INITIAL_CONTACT, 0.0)
    assert tocsin.Scene(a, b).distance(a.at(at(0.3))).distance == 0.0


def test_a_hollow_mesh_inside_a_hollow_that_is_itself_solid_is_free():
    a, b = tocsin.Body(SMALL, name="a", solid=True), tocsin.Body(LARGE, name="b")
    assert tocsin.Scene(a, b).is_free(a.move(at(-0.5), at(0.5)))


def test_outside_a_solid_mesh_is_free():
    a, b = tocsin.Body(SMALL, name="a"), tocsin.Body(LARGE, name="b", solid=True)
    assert tocsin.Scene(a, b).is_free(a.move(at(3, 3, 3), at(5, 3, 3)))


def test_one_part_of_several_inside_a_solid_is_enough():
    vertices = np.vstack([SMALL[0] + [9, 0, 0], SMALL[0]])
    faces = np.vstack([SMALL[1], SMALL[1] + 8])
    a, b = tocsin.Body((vertices, faces), name="a"), tocsin.Body(LARGE, name="b", solid=True)
    assert tocsin.Scene(a, b).first_contact(a.move(at(0.1), at(0.2))).status is Status.INITIAL_CONTACT


@pytest.mark.parametrize(
    "solid",
    [
        tocsin.Box(size=(4, 4, 4)),
        tocsin.Sphere(radius=2),
        tocsin.Capsule(radius=2, length=1),
        tocsin.Cylinder(radius=2, length=4),
        tocsin.ConvexHull(LARGE[0]),
    ],
)
@pytest.mark.parametrize("inner", [SMALL, TETRAHEDRON, tocsin.Sphere(radius=0.1), tocsin.Box(size=(0.1, 0.1, 0.1))])
def test_primitives_and_hulls_are_solids(solid, inner):
    scene, a, b = two(inner, solid)
    for hit in (
        scene.first_contact(a.move(at(-0.1), at(0.1)), b.at(at())),
        scene.first_contact(b.move(at(-0.1), at(0.1))),
    ):
        assert (hit.status, hit.time) == (Status.INITIAL_CONTACT, 0.0)
    assert scene.distance(a.at(at(0.1))).distance == 0.0


def test_solid_needs_a_closed_mesh():
    open_mesh = (BOX[0], BOX[1][:-1])
    with pytest.raises(ValueError, match="closed"):
        tocsin.Body(open_mesh, name="a", solid=True)


def test_solid_needs_triangles_that_are_wound_alike():
    faces = np.array(BOX[1])
    faces[::2] = faces[::2, ::-1]
    with pytest.raises(ValueError, match="wound alike"):
        tocsin.Body((BOX[0], faces), name="a", solid=True)

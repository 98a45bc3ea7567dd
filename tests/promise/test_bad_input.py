"""Bad input gets an exception that says what to do; nothing returns garbage, nothing reaches a kernel."""

import math

import numpy as np
import pytest

import tocsin
from promise.scenes import TETRAHEDRON, arm, at, box_mesh, says, two

BOX = box_mesh()
NAN, INF = math.nan, math.inf


def spoiled(matrix, i, j, value):
    out = np.array(matrix, float)
    out[i, j] = value
    return out


# --- meshes and primitives ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [NAN, INF, -INF])
def test_vertices_that_are_not_finite(value):
    vertices = BOX[0].copy()
    vertices[3, 1] = value
    with pytest.raises(ValueError, match=says("vert", "finite")):
        tocsin.Mesh(vertices, BOX[1])


@pytest.mark.parametrize("vertices", [np.zeros((4, 2)), np.zeros(12), np.zeros((4, 3, 1)), "abc", None])
def test_vertices_of_a_wrong_shape(vertices):
    with pytest.raises(ValueError, match=r"\(n, 3\)"):
        tocsin.Mesh(vertices, [[0, 1, 2]])


@pytest.mark.parametrize("faces", [[[0, 1]], [[0, 1, 2, 3]], [0, 1, 2], [[0.5, 1, 2]], [["a", "b", "c"]]])
def test_faces_of_a_wrong_shape(faces):
    with pytest.raises(ValueError, match=says("face")):
        tocsin.Mesh(BOX[0], faces)


@pytest.mark.parametrize("faces", [[[0, 1, 8]], [[0, -1, 2]], [[0, 1, 10**9]]])
def test_faces_that_name_no_vertex(faces):
    with pytest.raises(ValueError, match=says("8")):
        tocsin.Mesh(BOX[0], faces)


def test_an_unknown_file(tmp_path):
    with pytest.raises(ValueError, match=says("nothing.stl", "not exist")):
        tocsin.Body(tmp_path / "nothing.stl")


def test_a_shape_of_no_known_kind():
    with pytest.raises(ValueError, match=says("mesh")):
        tocsin.Body(42)
    with pytest.raises(ValueError, match=says("mesh")):
        tocsin.Body(None or object())


@pytest.mark.parametrize("value", [0.0, -1.0, NAN, INF, "wide", None])
def test_sizes_must_be_positive_numbers(value):
    for make in (
        lambda: tocsin.Sphere(radius=value),
        lambda: tocsin.Capsule(radius=value, length=1),
        lambda: tocsin.Capsule(radius=1, length=value),
        lambda: tocsin.Cylinder(radius=value, length=1),
        lambda: tocsin.Cylinder(radius=1, length=value),
        lambda: tocsin.Box(size=(1, value, 1)),
    ):
        with pytest.raises(ValueError, match=says("positive")):
            make()


@pytest.mark.parametrize("size", [1.0, (1, 2), (1, 2, 3, 4), None])
def test_a_box_needs_three_sizes(size):
    with pytest.raises(ValueError, match=says("three")):
        tocsin.Box(size=size)


def test_a_hull_needs_points():
    with pytest.raises(ValueError, match=says("point")):
        tocsin.ConvexHull(np.zeros((0, 3)))
    with pytest.raises(ValueError, match=says("finite")):
        tocsin.ConvexHull([[0, 0, NAN], [1, 0, 0], [0, 1, 0], [0, 0, 1]])


def test_solid_needs_a_closed_mesh():
    with pytest.raises(ValueError, match=says("closed")):
        tocsin.Body((BOX[0], BOX[1][1:]), solid=True)


# --- poses -----------------------------------------------------------------------------------------------------------

NOT_RIGID = [
    np.diag([2.0, 1, 1, 1]),  # stretched
    np.diag([1.0, 1, -1, 1]),  # mirrored
    spoiled(np.eye(4), 0, 1, 0.5),  # sheared
    np.zeros((4, 4)),
    spoiled(np.eye(4), 3, 0, 1.0),  # a projective last row
    spoiled(np.eye(4), 3, 3, 2.0),
]
NOT_MATRICES = [np.eye(3), np.zeros(7), np.eye(5), "here", None, [[1, 2], [3]]]


@pytest.mark.parametrize("bad", NOT_RIGID)
def test_matrices_that_are_not_rigid(bad):
    _, a, _ = two(BOX, BOX)
    for use in (lambda: a.at(bad), lambda: a.move(at(), bad), lambda: a.move(bad, at()), lambda: a.follow([at(), bad])):
        with pytest.raises(ValueError, match=says("rigid")):
            use()
    with pytest.raises(ValueError, match=says("rigid")):
        tocsin.Body(BOX, pose=bad)


@pytest.mark.parametrize("value", [NAN, INF])
@pytest.mark.parametrize("where", [(0, 3), (1, 1), (3, 3)])
def test_poses_that_are_not_finite(value, where):
    _, a, _ = two(BOX, BOX)
    bad = spoiled(np.eye(4), *where, value)
    for use in (lambda: a.at(bad), lambda: a.move(at(), bad), lambda: a.move(bad, at())):
        with pytest.raises(ValueError, match=says("finite")):
            use()


@pytest.mark.parametrize("bad", NOT_MATRICES)
def test_poses_of_a_wrong_shape(bad):
    _, a, _ = two(BOX, BOX)
    for use in (lambda: a.at(bad), lambda: a.move(at(), bad), lambda: a.move(bad, at())):
        with pytest.raises(ValueError, match="4x4"):
            use()


def test_a_path_of_one_pose():
    _, a, _ = two(BOX, BOX)
    for path in ([at()], []):
        with pytest.raises(ValueError, match=says("two")):
            a.follow(path)


# --- scenes and questions ---------------------------------------------------------------------------------------------


def test_unknown_names_in_a_scene_are_answered_with_the_names_that_exist():
    scene, _, _ = two(BOX, BOX)
    with pytest.raises(ValueError, match=says("'c'", "'a'", "'b'")):
        scene.ignore("a", "c")
    with pytest.raises(KeyError, match=says("'c'")):
        scene.ignore("c", "a")


def test_a_scene_of_things_that_are_no_models():
    with pytest.raises(ValueError, match=says("bodies|models")):
        tocsin.Scene(BOX)
    with pytest.raises(ValueError, match=says("at least one")):
        tocsin.Scene()


def test_one_model_twice_and_two_models_of_one_name():
    a = tocsin.Body(BOX, name="a")
    with pytest.raises(ValueError, match=says("twice")):
        tocsin.Scene(a, a)
    with pytest.raises(ValueError, match=says("'a'")):
        tocsin.Scene(a, tocsin.Body(BOX, name="a"))


def test_a_motion_of_a_model_that_is_not_in_the_scene():
    scene, _, _ = two(BOX, BOX)
    stranger = tocsin.Body(BOX, name="stranger")
    with pytest.raises(ValueError, match=says("stranger", "not in this scene", "a, b")):
        scene.first_contact(stranger.move(at(), at(1)))


def test_two_motions_of_one_model():
    scene, a, _ = two(BOX, BOX)
    with pytest.raises(ValueError, match=says("'a'", "two motions")):
        scene.first_contact(a.move(at(3), at(4)), a.at(at(3)))


@pytest.mark.parametrize("motion", [at(), None, "up", [0.0, 1.0]])
def test_a_question_about_something_that_is_no_motion(motion):
    scene, _, _ = two(BOX, BOX)
    for question in (scene.first_contact, scene.is_free, scene.distance):
        with pytest.raises(ValueError, match=says("motion|move")):
            question(motion)


@pytest.mark.parametrize("margin", [-1.0, NAN, INF, "near", None, [0.1]])
def test_margins_that_make_no_sense(margin):
    scene, a, _ = two(BOX, BOX)
    for question in (scene.first_contact, scene.is_free):
        with pytest.raises(ValueError, match=says("margin")):
            question(a.move(at(3), at(4)), margin=margin)


@pytest.mark.parametrize("tolerance", [-1.0, 0.0, NAN, INF, "fine"])
def test_tolerances_that_make_no_sense(tolerance):
    scene, a, _ = two(BOX, BOX)
    for question in (scene.first_contact, scene.is_free):
        with pytest.raises(ValueError, match=says("tolerance")):
            question(a.move(at(3), at(4)), tolerance=tolerance)


@pytest.mark.parametrize("steps", [0, -5, 1.5, "many", None, NAN])
def test_step_caps_that_make_no_sense(steps):
    scene, a, _ = two(BOX, BOX)
    for question in (scene.first_contact, scene.is_free):
        with pytest.raises(ValueError, match=says("max_steps")):
            question(a.move(at(3), at(4)), max_steps=steps)


def test_an_unknown_method():
    scene, a, _ = two(BOX, BOX)
    with pytest.raises(ValueError, match=says("method", "advancement")):
        scene.first_contact(a.move(at(3), at(4)), method="guessing")


def test_options_are_named():
    scene, a, _ = two(BOX, BOX)
    with pytest.raises((TypeError, ValueError)):
        scene.first_contact(a.move(at(3), at(4)), 0.1)


def test_distance_is_about_one_moment():
    scene, a, _ = two(BOX, BOX)
    with pytest.raises(ValueError, match=says("moment")):
        scene.distance(a.move(at(3), at(4)))


def test_no_contact_no_configuration():
    robot = arm()
    hit = tocsin.Scene(robot, tocsin.Body(TETRAHEDRON, name="far", pose=at(50))).first_contact(robot.move([0], [1]))
    with pytest.raises(ValueError, match=says("no contact")):
        robot.at_contact(hit)


def test_a_refused_question_leaves_the_scene_as_it_was():
    scene, a, _ = two(BOX, BOX)
    before = scene.first_contact(a.move(at(3), at(0))).time
    with pytest.raises(ValueError, match="rigid"):
        a.place(np.diag([2.0, 1, 1, 1]))
    with pytest.raises(ValueError, match="'c'"):
        scene.ignore("a", "c")
    assert scene.first_contact(a.move(at(3), at(0))).time == before


@pytest.mark.parametrize("exponent", [-300, -160, -80, -40, -20, 20, 30, 80, 160, 300])
def test_huge_and_tiny_scenes_are_answered_right_or_refused(exponent):
    f = 10.0**exponent
    for make in (lambda: (f * BOX[0], BOX[1]), lambda: tocsin.Box(size=(f, f, f)), lambda: tocsin.Sphere(radius=f / 2)):
        start, stop = at(), at()
        start[0, 3], stop[0, 3] = 4 * f, -4 * f
        try:
            scene, a, b = two(make(), make())
            hit = scene.first_contact(a.move(start, stop), b.at(at()))
        except tocsin.TocsinError:
            assert not -30 < exponent < 30
            continue
        assert hit.status is tocsin.Status.CONTACT
        assert hit.time == pytest.approx(0.375, abs=1e-3)

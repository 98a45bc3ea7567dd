"""Deformable models: their edges, where their vertices are over time, and what is refused."""

import pickle

import numpy as np
import pytest

from tocsin import Deformable, MeshWarning, TocsinError

pytestmark = pytest.mark.pure

SQUARE = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
FACES = [[0, 1, 2], [0, 2, 3]]


def test_every_edge_is_listed_once_loose_ones_and_points_too():
    vertices = np.vstack([SQUARE, [[5.0, 0, 0], [6, 0, 0], [7, 0, 0]]])
    cloth = Deformable(vertices, FACES, edges=[[5, 4], [0, 1]], points=[6])
    assert cloth.edges.tolist() == [[0, 1], [0, 2], [0, 3], [1, 2], [2, 3], [4, 5], [6, 6]]


def test_the_sides_of_a_face_are_its_edges():
    cloth = Deformable(SQUARE, FACES)
    for (a, b, c), sides in zip(cloth.faces, cloth.face_edges):
        assert [set(cloth.edges[side]) for side in sides] == [{a, b}, {b, c}, {c, a}]


def test_the_mean_edge_is_of_edges_that_have_a_length():
    assert Deformable(SQUARE, edges=[[0, 1], [1, 2]]).mean_edge == 1.0
    assert Deformable(SQUARE, points=[0, 1]).mean_edge == pytest.approx(np.sqrt(2.0))
    with pytest.warns(MeshWarning, match="where others are"):
        assert Deformable(np.zeros((2, 3)), points=[0, 1]).mean_edge == 1.0


def test_vertices_go_straight_from_frame_to_frame_in_equal_times():
    cloth = Deformable(SQUARE, FACES)
    motion = cloth.follow([SQUARE, SQUARE + 1.0, SQUARE + 5.0])
    assert motion.pieces == 2
    np.testing.assert_array_equal(motion.vertices_at(0.0), SQUARE)
    np.testing.assert_allclose(motion.vertices_at(0.25), SQUARE + 0.5)
    np.testing.assert_array_equal(motion.vertices_at(0.5), SQUARE + 1.0)
    np.testing.assert_allclose(motion.vertices_at(0.75), SQUARE + 3.0)
    np.testing.assert_array_equal(motion.vertices_at(1.0), SQUARE + 5.0)


def test_what_a_user_does_to_an_array_afterwards_changes_nothing():
    given = SQUARE.copy()
    cloth = Deformable(given, FACES)
    motion = cloth.move(given, given)
    given[:] = 9.0
    np.testing.assert_array_equal(cloth.vertices, SQUARE)
    np.testing.assert_array_equal(motion.vertices_at(0.5), SQUARE)
    with pytest.raises(ValueError, match="read-only"):
        cloth.vertices[0, 0] = 1.0


def test_vertices_at_one_place_are_welded_or_remarked():
    double = np.vstack([SQUARE, SQUARE[:1]])
    with pytest.warns(MeshWarning, match="weld=True"):
        assert Deformable(double, FACES).same.tolist() == [0, 1, 2, 3, 4]
    assert Deformable(double, FACES, weld=True).same.tolist() == [0, 1, 2, 3, 0]
    assert Deformable(double, FACES, self_contact=False).same.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Deformable(SQUARE), "needs faces, edges or points"),
        (lambda: Deformable(SQUARE, [[0, 1, 9]]), "9"),
        (lambda: Deformable(SQUARE * np.nan, FACES), "finite"),
        (lambda: Deformable(SQUARE, FACES).move(SQUARE, SQUARE[:3]), "4 vertices; got 3"),
        (lambda: Deformable(SQUARE, FACES).place(np.eye(4)), "has no pose"),
        (lambda: Deformable(SQUARE, FACES).follow([]), "path"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(make, words):
    with pytest.raises(TocsinError, match=words):
        make()


def test_a_model_without_elements_is_remarked_and_what_engines_keep_is_not_pickled():
    with pytest.warns(MeshWarning, match="never touches"):
        Deformable(SQUARE, [])
    cloth = Deformable(SQUARE, FACES, name="cloth")
    cloth.kept["engine"] = object()
    again = pickle.loads(pickle.dumps(cloth))
    assert again.kept == {}
    assert repr(again) == "<Deformable 'cloth': 4 vertices, 2 triangles>"


@pytest.mark.pure
def test_a_motion_that_stands_is_where_it_was_at_that_time():
    frames = np.zeros((3, 3, 3)) + np.eye(3)
    frames[1:, :, 2] += [[1.0], [3.0]]
    cloth = Deformable(frames[0], [[0, 1, 2]])
    still = cloth.follow(frames).standing(0.75)
    assert still.pieces == 0
    assert np.array_equal(still.vertices_at(0.3), frames[0] + [0.0, 0.0, 2.0])


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf, 2e30, -2e30])
@pytest.mark.parametrize("end", [0, 1])
def test_wherever_a_coordinate_is_wrong_a_motion_is_refused(wrong, end):
    rest = np.random.default_rng(1).normal(size=(37, 3))
    cloth = Deformable(rest, faces=[(0, 1, 2)])
    for row, column in ((0, 0), (17, 1), (36, 2)):
        ends = [rest.copy(), rest + 1.0]
        ends[end][row, column] = wrong
        with pytest.raises(TocsinError, match=("start", "end")[end]):
            cloth.move(*ends)


@pytest.mark.parametrize(
    "given",
    [np.asfortranarray, np.ndarray.tolist, lambda v: v.astype(np.longdouble), lambda v: np.repeat(v, 2, 0)[::2]],
)
def test_a_motion_has_copies_of_whatever_it_is_given(given):
    rest = np.random.default_rng(2).normal(size=(8, 3))
    cloth = Deformable(rest, faces=[(0, 1, 2)])
    plain, other = rest + 1.0, given(rest)
    motion = cloth.move(plain, other)
    plain[:] = 9.0
    assert (motion.frames == [rest + 1.0, rest]).all()
    assert not motion.frames.flags.writeable

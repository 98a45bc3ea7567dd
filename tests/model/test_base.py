"""Models and motions: rows that nobody can write, places between them, and motions that travel without their model."""

import copy
import pickle

import numpy as np
import pytest

import tocsin
from tocsin import TocsinError
from tocsin.model.base import Motion, SentModel, counted, repeated


@pytest.fixture
def rail():
    builder = tocsin.RobotBuilder("rail").link("base")
    builder.link("cart", tocsin.Sphere(0.5), parent="base", joint="prismatic", axis=(1, 0, 0))
    return builder.build()


def test_words_for_counts():
    assert counted(1, "link") == "1 link"
    assert counted(0, "link") == "0 links"


def test_stations_are_repeated_at_both_ends():
    found = repeated(np.array([[1.0], [2.0], [3.0]]), 2, 1)
    assert found[:, 0].tolist() == [1, 1, 1, 2, 3, 3]


def test_rows_are_linear_between_knots_and_cannot_be_written(rail):
    motion = rail.follow([[0.0], [1.0], [5.0]])
    assert motion.pieces == 2
    for t, x in ((0.0, 0.0), (0.25, 0.5), (0.5, 1.0), (0.75, 3.0), (1.0, 5.0)):
        assert motion.row_at(t)[-1] == pytest.approx(x)
        assert motion.standing(t).rows[0, -1] == pytest.approx(x)
    assert motion.ends[:, -1].tolist() == [0.0, 5.0]
    with pytest.raises(ValueError, match="read-only"):
        motion.rows[0, 0] = 1.0
    row = motion.row_at(0.0)
    row[0] = 9.0
    assert motion.rows[0, 0] != 9.0


def test_what_stands_before_and_after_moves_in_between(rail):
    longer = rail.move([0.0], [1.0]).lasting(2, 1)
    assert longer.rows[:, -1].tolist() == [0, 0, 0, 1, 1]


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        (np.zeros((0, 8)), "at least one row"),
        (np.full((1, 8), np.nan), "finite"),
        (np.zeros((1, 8)), "unit quaternion"),
        (np.zeros((1, 3)), "rows of a motion"),
    ],
)
def test_rows_that_kernels_could_not_follow_do_not_reach_them(rail, rows, says):
    with pytest.raises(TocsinError, match=says):
        Motion(rail, rows)
    with pytest.raises(TocsinError, match="a motion is of"):
        Motion("rail", np.zeros((1, 8)))


def test_a_motion_travels_without_its_model_and_finds_it_again(rail):
    motion = rail.move([0.0], [1.0])
    there = pickle.loads(pickle.dumps(motion))
    assert isinstance(there.model, SentModel)
    assert there.model.width == rail.width, "it answers as the model of this process does"
    assert np.array_equal(there.rows, motion.rows)
    assert np.array_equal(copy.copy(motion).rows, motion.rows)
    lost = SentModel("of-nowhere", "ghost")
    with pytest.raises(TocsinError, match="'ghost', which is not in this process"):
        _ = lost.width


def test_a_model_that_is_placed_elsewhere_tells_scenes(rail):
    before, version = type(rail).changes, rail.version
    rail.place((1.0, 2.0, 3.0))
    assert rail.rest[:3].tolist() == [1, 2, 3]
    assert rail.version == version + 1
    assert type(rail).changes > before
    with pytest.raises(ValueError, match="read-only"):
        rail.rest[0] = 0.0


def test_links_are_found_by_name_and_others_listed(rail):
    assert rail.link_index("cart") == 1
    with pytest.raises(TocsinError, match="cart"):
        rail.link_index("crat")
    assert repr(rail) == "<Robot 'rail': 2 links, 1 shape>"


def test_the_configuration_at_a_contact_is_that_of_its_time(rail):
    scene = tocsin.Scene(rail, tocsin.Body(tocsin.Sphere(0.5), (3.0, 0, 0), name="ball"))
    hit = scene.first_contact(rail.move([0.0], [4.0]), tolerance=1e-6)
    assert rail.row_at_contact(hit)[-1] == pytest.approx(2.0, abs=1e-5)
    free = scene.first_contact(rail.move([0.0], [1.0]))
    with pytest.raises(TocsinError, match="no contact"):
        rail.motion_to_contact(free)
    other = tocsin.Body(tocsin.Sphere(1.0), name="stranger")
    with pytest.raises(TocsinError, match="not in the scene"):
        other.motion_to_contact(hit)


def test_a_motion_says_what_moves_and_how():
    body = tocsin.Body(tocsin.Sphere(0.1), name="ball")
    assert repr(body.at((0, 0, 0))) == "<Motion of 'ball': standing>"
    assert repr(body.move((0, 0, 0), (1, 0, 0))) == "<Motion of 'ball': 1 piece>"
    timed = body.follow([(0, 0, 0), (1, 0, 0), (2, 0, 0)], times=[0, 1, 2.5], error=0.01)
    assert repr(timed) == "<Motion of 'ball': 2 pieces, 0 to 2.5 s, off by up to 0.01 rad or m>"

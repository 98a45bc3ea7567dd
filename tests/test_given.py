"""The door for what is no number: each helper takes what is meant and names what is not, in one sentence."""

import warnings
from collections import deque
from pathlib import Path

import numpy as np
import pytest

from tocsin import Body, RobotBuilder, Scene, Sphere, TocsinError, Trajectory, UnitWarning, _given

pytestmark = pytest.mark.pure


def test_paths_are_text_or_of_pathlib():
    assert _given.path("a.stl", "a mesh") == Path("a.stl") == _given.path(Path("a.stl"), "a mesh")
    for wrong in (None, 3, b"a.stl", ["a.stl"], np.array("a.stl"), object()):
        with pytest.raises(TocsinError, match=r"^a mesh: a path is text or a pathlib\.Path; got "):
            _given.path(wrong, "a mesh")


def test_a_text_is_no_sequence_of_its_letters():
    assert _given.sequence(deque([1, 2]), "names", "a list") == [1, 2]
    assert _given.sequence(iter("ab"), "names", "a list") == ["a", "b"]
    for wrong in ("ab", b"ab", {"a": 1}, 3, None):
        with pytest.raises(TocsinError, match=r"^names must be a list; got "):
            _given.sequence(wrong, "names", "a list")


def test_members_of_another_kind_are_named():
    assert _given.each([1, 2], int, "counts", "whole numbers") == [1, 2]
    with pytest.raises(TocsinError, match=r"^counts must be whole numbers; one of them is 'two'"):
        _given.each([1, "two"], int, "counts", "whole numbers")


def test_functions_are_called_and_nothing_else_is():
    assert _given.function(None, "progress") is None
    assert _given.function(len, "progress") is len
    with pytest.raises(TocsinError, match=r"^progress is a function of"):
        _given.function(True, "progress")


def test_names_that_are_left_out_have_a_default_and_empty_ones_do_not():
    assert _given.name(None, "a name", "body") == "body"
    assert _given.name("cup", "a name", "body") == "cup"
    for wrong in ("", 3, "\ud800"):
        with pytest.raises(TocsinError, match=r"^a name "):
            _given.name(wrong, "a name", "body")


def test_texts_may_be_empty():
    assert _given.text("", "a title") == ""
    with pytest.raises(TocsinError, match=r"^a title must be text; got 3"):
        _given.text(3, "a title")


def test_moments_are_from_0_to_1():
    assert _given.moment(np.float32(0.5)) == 0.5
    for wrong in (-1e-9, 1.5, np.nan, np.inf, None, "0.5", True, [0.5], np.timedelta64(0, "s")):
        with pytest.raises(TocsinError, match=r"^times of a motion run from 0, its start, to 1, its end; got "):
            _given.moment(wrong)


class Series:
    """As those of pandas: an array of its values, and labels that an array does not have."""

    def __init__(self, values, index):
        self.values, self.index = np.array(values), index

    def __array__(self, *given, **named):
        return self.values

    def __iter__(self):
        return iter(self.index)


class Table(Series):
    """As those of pandas: columns have names, and so has what one goes through."""

    columns = property(lambda self: self.index)


def test_names_of_columns_are_found_where_there_are_some():
    assert _given.labels(Table([[1.0, 2.0]], ["a", "b"])) == ["a", "b"] == _given.labels(Series([1.0, 2.0], ["a", "b"]))
    for plain in (np.zeros(2), [0.0], (0.0,), "ab", None, 3, Series([1.0], range(1)), {"a": 1}, object()):
        assert _given.labels(plain) == []
    _given.check_labels(Table([[1.0, 2.0]], ["a", "b"]), "Q0", ("a", "b"))
    with pytest.raises(TocsinError, match=r"named 'b', 'a', and should be, in this order: 'a', 'b'"):
        _given.check_labels(Table([[1.0, 2.0]], ["b", "a"]), "Q0", ("a", "b"))


def two_joints():
    b = RobotBuilder("arm").link("base").link("upper", parent="base", joint="revolute", limits=(-2, 2))
    return b.link("lower", Sphere(0.1), parent="upper", joint="revolute", limits=(-2, 2)).build()


def test_joints_in_another_order_are_matched_by_their_names_or_refused():
    arm = two_joints()
    turned = ["lower_joint", "upper_joint"]
    row, table = Series([0.1, 0.2], turned), Table([[0.0, 0.0], [0.1, 0.2]], turned)
    assert arm.move([0, 0], row).rows[1][-2:].tolist() == [0.2, 0.1]
    assert arm.configuration(row).tolist() == [0.2, 0.1]
    assert arm.follow(table).rows[1][-2:].tolist() == [0.2, 0.1]
    assert Trajectory([0, 1], table).joint_names == tuple(turned)
    assert arm.follow(Trajectory([0, 1], table)).rows[1][-2:].tolist() == [0.2, 0.1]
    with pytest.raises(TocsinError, match="no joint 'elbow'; joints are: 'upper_joint', 'lower_joint'"):
        arm.configuration(Series([0.1], ["elbow"]))
    with pytest.raises(TocsinError, match="the columns of the velocities of the trajectory are named"):
        Trajectory([0, 1], table, Table([[0.0, 0.0], [0.0, 0.0]], turned[::-1]))
    scene = Scene(arm)
    for ask in (lambda: scene.check_edges(arm, table, table), lambda: scene.check_paths(arm, [table])):
        with pytest.raises(TocsinError, match="should be, in this order: 'upper_joint', 'lower_joint'"):
            ask()


def test_stamps_in_nanoseconds_are_remarked_on():
    with pytest.warns(UnitWarning, match="Nanoseconds"):
        two_joints().follow([[0, 0], [0.1, 0.1]], times=[1_700_000_000_000_000_000, 1_700_000_001_000_000_000])
    with pytest.warns(UnitWarning, match="Nanoseconds"):
        Trajectory([1.7e18, 1.8e18], [[0.0], [0.1]])


def test_a_name_that_a_body_and_a_link_share_is_remarked_on():
    scene = Scene(two_joints(), Body(Sphere(0.1), (0, 0, 3), name="upper"))
    with pytest.warns(UserWarning, match="'upper' is the model of that name; the link is 'arm/upper'"):
        scene.ignore("upper", "lower")


def test_a_body_that_is_carried_shares_its_name_with_its_own_link():
    arm, part = two_joints(), Body(Sphere(0.1), (0, 0, 3), name="part")
    arm.attach(part, "lower")
    scene = Scene(arm, part, Body(Sphere(0.1), (0, 0, 9), name="box"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scene.ignore("part", "box")


def test_a_state_that_a_robot_does_not_have_is_named():
    with pytest.raises(TocsinError, match=r"no state 'ready'; states are: \(none\)"):
        two_joints().at("ready")


def test_folders_above_a_file_are_made_and_what_fails_is_said(tmp_path):
    file = _given.write(tmp_path / "new" / "er" / "a.png", b"bytes", "a picture")
    assert file.read_bytes() == b"bytes"
    for wrong in (file / "below.png", tmp_path / "zero\0byte"):
        with pytest.raises(TocsinError, match="cannot write a picture to"):
            _given.write(wrong, b"", "a picture")
    assert [path.name for path in file.parent.iterdir()] == ["a.png"]

"""Results as plain dictionaries: the keys that are promised, numbers of the record that they were made from."""

import math

import numpy as np

import tocsin
from tocsin.cli import records
from tocsin.queries.audit.records import Moment, Pair
from tocsin.results import Contact, Distance


def robot():
    builder = tocsin.RobotBuilder("arm")
    builder.link("base", tocsin.Sphere(0.1))
    builder.link("upper", tocsin.Sphere(0.1), parent="base", joint="revolute", joint_name="shoulder")
    builder.link("ball", tocsin.Sphere(0.1), parent="upper", joint="ball", joint_name="wrist")
    builder.link("hand", tocsin.Sphere(0.1), parent="ball", joint_name="weld")
    return builder.build()


def test_configurations_go_by_joint_with_lists_for_those_of_several_values():
    found = records.by_joint(robot(), np.array([0.5, 0.0, 0.0, 0.0, 1.0]))
    assert found == {"shoulder": 0.5, "wrist": [0.0, 0.0, 0.0, 1.0]}


def test_an_answer_opens_with_who_was_asked():
    arm = robot()
    scene = tocsin.Scene(arm, tocsin.Body(tocsin.Sphere(1), (5, 0, 0), name="ball"))
    assert records.opening("check", arm, scene) == {
        "tocsin": tocsin.__version__, "command": "check", "robot": "arm", "scene": ["arm", "ball"],
    }  # fmt: skip


def test_a_contact_keeps_every_field():
    x, y, n = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.0]), np.array([0.0, 0.0, 1.0])
    told = records.contact(Contact("l", "m", "vertex-face", ((1,), (2, 3, 4)), x, y, n, 1.0, "a", "b"))
    assert told["features"] == [[1], [2, 3, 4]]
    assert (told["link_a"], told["link_b"], told["model_a"], told["model_b"]) == ("l", "m", "a", "b")
    assert told["point_a"] is x
    assert told["point_b"] is y
    assert told["distance"] == 1.0


def test_moments_pairs_and_nearest_are_their_fields():
    arm = robot()
    at = Moment(3, 0.25, 1.5, np.array([0.5, 0.0, 0.0, 0.0, 1.0]))
    told = records.moment(arm, at)
    assert (told["waypoint"], told["fraction"], told["time"]) == (3, 0.25, 1.5)
    assert told["configuration"]["shoulder"] == 0.5
    assert records.pair(Pair("a", "l", "b", "m")) == {"model_a": "a", "link_a": "l", "model_b": "b", "link_b": "m"}
    near = Distance(0.5, 0.4, "l", "m", np.zeros(3), np.ones(3), np.ones(3) / math.sqrt(3), "a", "b")
    assert records.nearest(near)["link_b"] == "m"
    assert records.nearest(near)["point_b"].tolist() == [1, 1, 1]

"""A motion that is audited, part by part: the same rows from knot to knot, and steps that hold what joints go."""

import math

import numpy as np
import pytest

import tocsin
from tocsin.queries.audit.courses import Course, largest_steps


def robot():
    builder = tocsin.RobotBuilder("arm").link("base", tocsin.Sphere(0.1))
    builder.link("one", tocsin.Sphere(0.1), parent="base", joint="revolute")
    builder.link("two", tocsin.Sphere(0.1), parent="one", joint="ball")
    return builder.build()


def rail():
    builder = tocsin.RobotBuilder("rail").link("base")
    return builder.link("cart", tocsin.Sphere(0.1), parent="base", joint="prismatic", joint_name="cart").build()


def turned(angle):
    return [math.sin(0.5 * angle), 0.0, 0.0, math.cos(0.5 * angle)]


def test_steps_are_of_the_entry_that_moves_most_orientations_by_their_angle():
    arm = robot()
    path = [[0.0, *turned(0.0)], [0.5, *turned(0.1)], [0.5, *turned(1.1)], [0.5, *turned(1.1)]]
    assert largest_steps(arm, arm.follow(path).rows) == pytest.approx([0.5, 1.0, 0.0])


def test_places_on_a_course_are_those_of_the_motion():
    arm = robot()
    motion = arm.follow([[0.0, *turned(0.0)], [1.0, *turned(0.0)], [3.0, *turned(0.0)]])
    course = Course(arm, motion)
    assert course.pieces == 2
    assert course.row(1, 0.0) is not None
    for piece in range(2):
        for share in (0.0, 0.25, 1.0):
            expected = motion.rows[piece] + share * (motion.rows[piece + 1] - motion.rows[piece])
            assert course.row(piece, share) == pytest.approx(expected)
            assert course.at(piece, share).pieces == 0
            assert course.at(piece, share).rows[0] == pytest.approx(expected)


def test_a_chunk_has_the_very_rows_and_is_made_once():
    arm = robot()
    motion = arm.follow([[float(k), *turned(0.1 * k)] for k in range(6)])
    course = Course(arm, motion)
    chunk = course.chunk(1, 4)
    assert np.array_equal(chunk.rows, motion.rows[1:5])
    assert course.chunk(1, 4) is chunk
    assert course.chunk(2, 4) is not chunk


def test_a_course_in_a_tube_keeps_it_standing_too():
    arm = rail()
    motion = arm.follow([[0.0], [1.0]], error=0.1)
    course = Course(arm, motion)
    assert np.array_equal(course.chunk(0, 1).error, motion.error)
    assert np.array_equal(course.at(0, 0.5).error, motion.error)


def test_on_curves_a_step_holds_the_way_of_every_joint():
    arm = rail()
    curve = tocsin.Trajectory([0.0, 1.0], np.zeros((2, 1)), np.full((2, 1), 4.0), joint_names=("cart",))
    motion = arm.follow(curve)
    steps = Course(arm, motion).steps
    way = np.ptp([motion.row_of(0, s)[-1] for s in np.linspace(0.0, 1.0, 101)])
    assert steps[0] >= way > 0.5

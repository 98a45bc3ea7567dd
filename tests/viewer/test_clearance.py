"""The clearance over time: that of two balls by hand, finer where it is lowest, and without what never changes."""

import math

import numpy as np
import pytest

import tocsin
from tocsin.viewer.clearance import LINKS, distance_at, measure, worth_measuring


def passing():
    ball = tocsin.Body(tocsin.Sphere(0.5), name="ball")
    scene = tocsin.Scene(ball, tocsin.Body(tocsin.Sphere(0.5), (0.0, 1.25, 0.0), name="other"))
    return scene, ball.move((-2.0, 0, 0), (3.0, 0, 0))


def test_the_distance_at_a_moment_is_that_of_two_balls():
    scene, motion = passing()
    for t in (0.0, 0.4, 1.0):
        assert distance_at(scene, (motion,), t).distance == pytest.approx(math.hypot(5.0 * t - 2.0, 1.25) - 1.0)


def test_the_lowest_place_is_found_between_even_samples():
    scene, motion = passing()
    found = measure(scene, (motion,), scene.first_contact(motion))
    assert len(found.times) >= LINKS.even
    assert (np.diff(found.times) > 0.0).all()
    assert found.distances.min() == pytest.approx(0.25, abs=1e-6)
    assert found.times[found.distances.argmin()] == pytest.approx(0.4, abs=1e-3)
    apart = np.linalg.norm(found.points[:, 0] - found.points[:, 1], axis=1)
    assert apart == pytest.approx(found.distances, abs=1e-9)


def test_what_stands_is_measured_once():
    scene, motion = passing()
    still = motion.standing(0.0)
    found = measure(scene, (still,), scene.first_contact(still))
    assert found.times.tolist() == [0.0, 1.0]
    assert found.distances[0] == found.distances[1]


def test_links_that_do_not_move_against_each_other_are_left_out_unless_they_touch():
    builder = tocsin.RobotBuilder("arm").link("base", tocsin.Sphere(0.1))
    builder.link("left", tocsin.Sphere(0.1), parent="base", origin=(1.0, 0, 0))
    builder.link("right", tocsin.Sphere(0.1), parent="base", origin=(1.0, 0.3, 0))
    builder.link("turns", tocsin.Sphere(0.1), parent="base", joint="revolute", origin=(0.0, 0.5, 0))
    arm = builder.build()
    scene = tocsin.Scene(arm)
    motion = arm.move([0.0], [1.0])
    poses = np.stack([motion.link_poses(t) for t in (0.0, 0.5, 1.0)])
    seen = worth_measuring(scene, poses, [])
    assert "turns" in (seen.distance(motion.standing(0.0)).link_a, seen.distance(motion.standing(0.0)).link_b)
    touching = [type("C", (), {"link_a": "left", "link_b": "right"})]
    assert worth_measuring(scene, poses, touching).distance(motion.standing(0.0)).distance == pytest.approx(0.1)

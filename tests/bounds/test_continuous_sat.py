"""Boxes that two Taylor models carry are never called apart at a time at which they overlap."""

import math

import numpy as np
import pytest

from tocsin.bounds import taylor
from tocsin.bounds.continuous_sat import apart_until, range_on

from .exact_motion import random_joint, random_rotation

UNIT = (0.0, 1.0)


def model_of(joints):
    out, step = np.zeros((3, 4, 5)), np.zeros((3, 4, 5))
    taylor.joint_taylor(out, joints[0], 0.0, 1.0)
    for joint in joints[1:]:
        taylor.joint_taylor(step, joint, 0.0, 1.0)
        taylor.compose(out, out, step)
    return out


def pose_at(joints, t):
    """Return (R, T) of a chain at t, from the definition of a joint's motion."""
    rotation, place = np.eye(3), np.zeros(3)
    for joint in joints:
        tau = t - joint["begin"]
        angle = joint["rate"] * tau
        place = place + rotation @ (joint["origin"] + tau * joint["velocity"])
        rotation = rotation @ (joint["k0"] + joint["k1"] * np.cos(angle) + joint["k2"] * np.sin(angle))
    return rotation, place


def box_of(rng):
    return rng.normal(size=3) * 0.2, random_rotation(rng), np.abs(rng.normal(size=3)) * 0.3


def widest_gap(box_a, pose_a, box_b, pose_b):
    """Return the widest gap of two boxes over the 15 axes of the separating-axis test: positive iff they are apart."""
    centers, axes = [], []
    for (center, rows, _), (rotation, place) in ((box_a, pose_a), (box_b, pose_b)):
        centers.append(rotation @ center + place)
        axes.append(rows @ rotation.T)
    crossed = [np.cross(u, v) for u in axes[0] for v in axes[1]]
    tried = [*axes[0], *axes[1], *[c / np.linalg.norm(c) for c in crossed if np.linalg.norm(c) > 1e-9]]
    return max(
        abs(n @ (centers[1] - centers[0])) - sum(np.abs(rows @ n) @ b[2] for rows, b in zip(axes, (box_a, box_b)))
        for n in tried
    )


def tuples(box):
    return tuple(box[0]), tuple(map(tuple, box[1])), tuple(box[2])


def attack(seed, cases, samples):
    rng = np.random.default_rng(seed)
    proven = 0
    for _ in range(cases):
        chains = [[random_joint(rng, angle=2.0) for _ in range(rng.integers(1, 4))] for _ in range(2)]
        for joint in (*chains[0], *chains[1]):
            joint["origin"] = rng.normal(size=3)
            joint["velocity"] = rng.normal(size=3)
            joint["begin"] = 0.0
        boxes = [box_of(rng), box_of(rng)]
        reach = [float(np.linalg.norm(b[0]) + np.linalg.norm(b[2])) for b in boxes]
        clear = 1e-9 + float(rng.choice([0.0, 0.1]))
        until = apart_until(
            *[(model_of(chains[i]), tuples(boxes[i]), reach[i]) for i in range(2)], clear, UNIT, UNIT, 0.0, 8
        )
        proven += until > 0.0
        for t in np.linspace(0.0, min(until, 1.0), samples) if until > 0.0 else ():
            assert widest_gap(boxes[0], pose_at(chains[0], t), boxes[1], pose_at(chains[1], t)) > 0.0, (until, t)
    return proven


def test_boxes_do_not_overlap_before_the_time_until_which_they_are_apart():
    assert attack(1, 400, 17) > 100


@pytest.mark.pure
def test_a_few_boxes_do_not_overlap_before_the_time_until_which_they_are_apart():
    attack(2, 6, 5)


def still(x, velocity=0.0):
    joint = random_joint(np.random.default_rng(0))
    joint["k0"], joint["k1"], joint["k2"], joint["rate"] = np.eye(3), 0.0, 0.0, 0.0
    joint["origin"], joint["velocity"], joint["begin"] = (x, 0.0, 0.0), (velocity, 0.0, 0.0), 0.0
    return model_of([joint])


CUBE = ((0.0, 0.0, 0.0), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), (0.5, 0.5, 0.5))


@pytest.mark.pure
def test_cubes_that_stand_apart_are_apart_to_the_end_unless_more_is_asked():
    sides = (still(0.0), CUBE, 0.9), (still(3.0), CUBE, 0.9)
    assert apart_until(*sides, 1.9, UNIT, UNIT, 0.0, 8) == math.inf
    assert apart_until(*sides, 2.1, UNIT, UNIT, 0.0, 8) == 0.0


def test_cubes_that_meet_halfway_are_apart_nearly_until_then():
    sides = (still(0.0), CUBE, 0.9), (still(3.0, -4.0), CUBE, 0.9)
    until = apart_until(*sides, 0.0, UNIT, UNIT, 0.0, 24)
    assert 0.45 < until < 0.5


def test_the_range_of_a_cubic_on_a_part_holds_its_samples():
    rng = np.random.default_rng(3)
    for _ in range(500):
        c = tuple(rng.normal(size=4))
        s0, s1 = sorted(rng.uniform(-1.0, 1.0, size=2))
        lo, hi = range_on(c, s0, s1)
        values = np.polynomial.polynomial.polyval(np.linspace(s0, s1, 65), c)
        assert lo - 1e-14 <= values.min()
        assert values.max() <= hi + 1e-14

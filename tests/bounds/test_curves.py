"""Joints on polynomials of time keep to their bounds, whatever the degree, the stretch and the slab."""

import numpy as np
import pytest

from tocsin import RobotBuilder, Sphere, Trajectory
from tocsin.bounds.motion_bound import chain_bound
from tocsin.model.timed import on_clock
from tocsin.motion.clocks import piece_on_clock
from tocsin.motion.curved_joints import curved_motion
from tocsin.motion.joints import JOINT
from tocsin_bench.campaigns.curves import attack, random_case


@pytest.mark.pure
def test_a_few_curves_keep_their_bounds():
    rng = np.random.default_rng(7)
    for _ in range(10):
        found = attack(random_case(rng), rng)
        assert max(found.values()) <= 1.0, found


def test_hundreds_of_curves_keep_their_bounds():
    rng = np.random.default_rng(8)
    for _ in range(300):
        found = attack(random_case(rng, links=int(rng.integers(1, 7))), rng)
        assert max(found.values()) <= 1.0, found


@pytest.mark.pure
@pytest.mark.parametrize("bend", [2.0**-20, 0.25, -0.25])
def test_an_arm_that_gets_longer_while_it_turns_keeps_its_bounds(bend):
    """A spiral: it turns by t and slides out by t + bend t^2. Its speed has the reach at the end, not at the start."""
    builder = RobotBuilder("arm")
    builder.link("base", None)
    builder.link("turn", None, parent="base", joint="continuous", axis=(0, 0, 1), joint_name="turn")
    slide = {"joint": "prismatic", "axis": (1, 0, 0), "limits": (-9, 9), "joint_name": "slide"}
    builder.link("tip", Sphere(0.02), parent="turn", **slide)
    arm = builder.build()
    drawn = np.array([[[0.0, 0.0], [1.0, 1.0], [0.0, bend]]])
    line = on_clock([arm.follow(Trajectory.of_pieces([0.0, 1.0], drawn, joint_names=["turn", "slide"]))])
    row0, row1, _, _, _ = piece_on_clock(line.configs, tuple(line.stretches[0].tolist()), 0)
    joints = np.zeros(len(arm.links), JOINT)
    for k in range(len(arm.links)):
        curved_motion(joints[k], arm.links[k], line.configs, row0, arm.width, -row1, 0.0, 1.0)
    speed, _, accel, *_ = chain_bound(joints, arm.links, len(arm.links) - 1, -1)
    r, rate, more = 1.0 + bend, 1.0 + 2.0 * bend, 2.0 * bend  # at t = 1, about the turn
    assert speed >= np.hypot(rate, r)
    assert accel >= np.hypot(more - r, 2.0 * rate)

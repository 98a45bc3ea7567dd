"""What touches at the end: poses of one moment are those of the chain, boxes hold their shapes, a look is a proof."""

import itertools

import numpy as np
import pytest

import tocsin
from plain import PLAIN
from tocsin.broad_phase.moving import FIRST, SLOTS, set_motion
from tocsin.motion.knots import WHOLE
from tocsin.queries.kernels.end_witness import place_all

pytestmark = PLAIN

CORNERS = np.array(list(itertools.product((-0.3, 0.3), (-0.1, 0.1), (-0.05, 0.05))))


def arm():
    builder = tocsin.RobotBuilder("arm").link("base")
    for k, axis in enumerate(((0, 0, 1), (0, 1, 0), (1, 0, 0))):
        parent = "base" if k == 0 else f"l{k - 1}"
        builder.link(
            f"l{k}", tocsin.Box((0.6, 0.2, 0.1)), parent=parent, joint="revolute", axis=axis, origin=(0.4, 0, 0)
        )
    return builder.build()


def test_poses_of_a_moment_are_those_of_the_chain_and_boxes_hold_the_shapes():
    rng = np.random.default_rng(1)
    robot = arm()
    scene = tocsin.Scene(robot)
    for _ in range(5):
        motion = robot.move(*rng.uniform(-1.5, 1.5, (2, 3)))
        prepared, configs, _ = scene.context.prepared(scene.context.tables(), (motion,))
        buffers = prepared.buffers
        set_motion(buffers, configs, WHOLE)
        t, grow = float(rng.random()), 0.125
        place_all(buffers, t, grow)
        poses = motion.link_poses(t)
        row = buffers.active[0, FIRST] + buffers.active[0, SLOTS]
        for i in range(1, 4):
            assert buffers.sweeps[i]["rotation"] == pytest.approx(poses[i, :3, :3], abs=1e-12)
            assert buffers.sweeps[i]["place"] == pytest.approx(poses[i, :3, 3], abs=1e-12)
            points = CORNERS @ poses[i, :3, :3].T + poses[i, :3, 3]
            box = buffers.boxes[row + i - 1]
            assert (points.min(axis=0) - grow >= box[:3] - 1e-12).all()
            assert (points.max(axis=0) + grow <= box[3:] + 1e-12).all()


@pytest.mark.parametrize(("end", "free"), [(2.5, False), (1.0, True), (6.0, False)])
def test_a_look_never_says_contact_where_there_is_none(end, free):
    ball = tocsin.Body(tocsin.Sphere(0.5), name="ball")
    scene = tocsin.Scene(ball, tocsin.Body(tocsin.Sphere(0.5), (3.0, 0, 0), name="other"))
    assert scene.is_free(ball.move((0, 0, 0), (end, 0, 0))) == free

"""What moves, all at once: slabs short enough, boxes that hold what they sweep, and every pair that may meet."""

import itertools

import numpy as np
import pytest

import tocsin
from plain import PLAIN
from tocsin.broad_phase.moving import (
    CHAIN_TURN,
    FIRST,
    JOINT_TURN,
    MODEL,
    MOST_SLABS,
    SLOTS,
    all_pairs,
    longest_turn,
    near_pairs,
    set_motion,
    sweep_boxes,
)  # fmt: skip
from tocsin.motion.knots import WHOLE

pytestmark = PLAIN


def arm(joints=2):
    builder = tocsin.RobotBuilder("arm").link("l0", tocsin.Sphere(0.1))
    for k in range(joints):
        rod = (tocsin.Box((0.5, 0.1, 0.1)), (0.25, 0, 0))
        builder.link(f"l{k + 1}", rod, parent=f"l{k}", joint="revolute", axis=(0, 0, 1), origin=(0.5 if k else 0, 0, 0))
    return builder.build()


def asked(scene, *motions):
    prepared, configs, _ = scene.context.prepared(scene.context.tables(), motions)
    return prepared.buffers, configs


@pytest.mark.parametrize("turn", [0.1, 1.0, 3.0, 9.0, 1000.0])
def test_no_joint_turns_farther_in_a_slab_than_bounds_hold(turn):
    robot = arm(1)
    buffers, configs = asked(tocsin.Scene(robot), robot.move([0.0], [turn]))
    slabs = set_motion(buffers, configs, WHOLE)
    assert 1 <= slabs <= MOST_SLABS
    if slabs < MOST_SLABS:
        assert turn / slabs <= min(JOINT_TURN, CHAIN_TURN) * (1 + 1e-12)
    assert longest_turn(buffers) >= turn * (1 - 1e-9)


def test_boxes_hold_what_shapes_sweep():
    rng = np.random.default_rng(1)
    robot = arm()
    corners = np.array(list(itertools.product((0.0, 0.5), (-0.05, 0.05), (-0.05, 0.05))))
    for _ in range(5):
        q0, q1 = rng.uniform(-1.0, 1.0, (2, 2))
        motion = robot.move(q0, q1)
        buffers, configs = asked(tocsin.Scene(robot), motion)
        set_motion(buffers, configs, WHOLE)
        sweep_boxes(buffers, 0.25, 0.75, 0.125)
        first, slots = buffers.active[0, FIRST], buffers.active[0, SLOTS]
        for t in np.linspace(0.25, 0.75, 9):
            poses = motion.link_poses(float(t))
            for g in (1, 2):
                points = corners @ poses[g, :3, :3].T + poses[g, :3, 3]
                box = buffers.boxes[first + slots + g]
                assert (points.min(axis=0) - 0.125 >= box[:3]).all()
                assert (points.max(axis=0) + 0.125 <= box[3:]).all()


def test_pairs_near_are_among_all_pairs_and_none_whose_boxes_meet_is_missing():
    rng = np.random.default_rng(2)
    robot = arm()
    bodies = [tocsin.Body(tocsin.Sphere(0.2), rng.uniform(-1, 1, 3), name=f"b{k}") for k in range(6)]
    scene = tocsin.Scene(robot, *bodies)
    buffers, configs = asked(scene, robot.move([0.0, 0.0], [0.8, -0.5]), bodies[0].move((0, 0, 0.3), (0.5, 0, 0.3)))
    set_motion(buffers, configs, WHOLE)
    sweep_boxes(buffers, 0.0, 1.0, 0.0)

    def found(make):
        pairs, n = make(buffers, buffers.workspace.pairs, 0.0)
        return {tuple(sorted((int(p["a"]), int(p["b"])))) for p in pairs[:n]}

    every, near = found(all_pairs), found(near_pairs)
    assert near <= every
    boxes = {}
    for k in range(len(buffers.active)):
        model = buffers.world.models[buffers.active[k, MODEL]]
        row = buffers.active[k, FIRST] + buffers.active[k, SLOTS]
        for g in range(model["geoms"]):
            boxes[int(model["geom"]) + g] = buffers.boxes[row + g]
    for k, body in enumerate(bodies[1:], 1):
        g = int(buffers.world.models[1 + k]["geom"])
        place = np.asarray(body.rest[:3])
        boxes[g] = np.concatenate([place - 0.2, place + 0.2])
    for a, b in every:
        x, y = boxes[a], boxes[b]
        if (x[:3] < y[3:] - 1e-9).all() and (y[:3] < x[3:] - 1e-9).all():
            assert (a, b) in near
    assert len(near) < len(every)

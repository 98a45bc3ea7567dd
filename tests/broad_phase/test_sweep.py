"""No point of a shape ever leaves the box that its link is said to sweep."""

import numpy as np
import pytest

import tocsin
from promise.scenes import at, box_mesh
from tocsin.bounds.motion_bound import chain_bound
from tocsin.broad_phase.sweep import SWEEP, Chains, geom_box, half_of, link_bounds, link_middle
from tocsin.motion.joints import JOINT, joint_motion
from tocsin_bench.oracles import kinematics
from tocsin_bench.scenes.trees import configuration, origin, random_robot

SHAPES = (
    (box_mesh(0.3, 0.5, 0.8), at(0.2, 0.1, 0)),
    (tocsin.Capsule(radius=0.1, length=0.5), at(0, 0, 0.3)),
    (tocsin.Cylinder(radius=0.2, length=0.3), at(0.1, 0, 0)),
)


def surface():
    """Return points of the three shapes, in the link's frame."""
    ring = np.array([[np.cos(x), np.sin(x), 0.0] for x in np.linspace(0, 2 * np.pi, 12)])
    ball = np.random.default_rng(0).normal(size=(60, 3))
    ball *= 0.1 / np.linalg.norm(ball, axis=1, keepdims=True)
    return (
        box_mesh(0.3, 0.5, 0.8)[0] + [0.2, 0.1, 0],
        np.concatenate([ball + [0, 0, 0.05], ball + [0, 0, 0.55]]),
        np.concatenate([0.2 * ring + [0.1, 0, 0.15], 0.2 * ring + [0.1, 0, -0.15]]),
    )


def check(seed, n, turns, samples=9, slab=1.0):
    rng = np.random.default_rng(seed)
    robot, tree, order = random_robot(rng, n, shape=list(SHAPES))
    q0, q1 = configuration(rng, tree, turns), configuration(rng, tree, turns)
    base = (origin(rng), origin(rng))
    rows = robot.move(q0, q1, base=base).rows.reshape(-1)
    world = tocsin.Scene(robot).context.tables()
    joints, sweeps = np.zeros(n + 1, JOINT), np.zeros(n + 1, SWEEP)
    taylor, scratch = np.zeros((n + 1, 3, 4, 5)), np.zeros((3, 4, 5))
    t0 = float(rng.random())
    t1 = t0 + (1.0 - t0) * float(rng.random()) * 2.0 ** -float(rng.integers(0, 8))
    for i in range(n + 1):
        joint_motion(joints[i], world.links[i], rows, 0, robot.width, 0.0, 1.0)
        link_bounds(sweeps, joints, world.links, i)
        link_middle(sweeps, joints, world.links, i, 0.5 * (t0 + t1), half_of(t0, t1) * slab)
        told = [
            float(sweeps[i][k])
            for k in ("speed", "turn", "accel", "accel_per_reach", "jerk", "jerk_per_reach", "length", "noise")
        ]
        assert told == pytest.approx(chain_bound(joints, world.links, i, -1), rel=1e-11)
    boxes = np.zeros((len(world.geoms), 6))
    margin = float(rng.choice([0.0, 0.1]))
    for g, geom in enumerate(world.geoms):
        geom_box(boxes, g, Chains(sweeps, taylor, scratch, joints, world.links), world.points, geom, t0, t1, margin)
    poses = kinematics.poses(tree, q0, q1, np.linspace(t0, t1, samples), base=base)
    points = surface()
    for link in range(n + 1):
        for k in range(3):
            box = boxes[3 * order[link] + k]
            places = points[k] @ poses[:, link, :3, :3].transpose(0, 2, 1) + poses[:, link, None, :3, 3]
            assert (places - margin >= box[:3] - 1e-12).all()
            assert (places + margin <= box[3:] + 1e-12).all()


@pytest.mark.parametrize("turns", [0.01, 0.2, 1.0])
def test_swept_boxes_hold_sampled_shapes(turns):
    for seed in range(12):
        check(seed, 1 + seed % 6, turns)
        check(seed, 1 + seed % 6, turns, slab=0.0)


@pytest.mark.pure
def test_one_swept_box_holds_its_sampled_shape():
    check(3, 1, 0.2, samples=3)

"""What is dropped as far is far, at every time; and nearly everything that is far is dropped."""

import numpy as np
import pytest

import tocsin
from promise.scenes import at, box_mesh
from tocsin.broad_phase.moving import set_motion
from tocsin.interval.sphere_filter import drop_far
from tocsin.motion.knots import WHOLE
from tocsin_bench.oracles import kinematics
from tocsin_bench.scenes import arm_scenes
from tocsin_bench.scenes.trees import configuration, origin, random_robot

from .stage_two import PAIR, ready, splinter

SHAPE = box_mesh(0.1, 0.2, 0.8)


def left(scene, motion, margin=0.0):
    """Return the pairs (moving shape, standing shape) that are not dropped, and how many there were."""
    _, buffers, swept = ready(scene, motion)
    moving, standing = np.flatnonzero(swept.row >= 0), np.flatnonzero(swept.row < 0)
    pairs = np.zeros(len(moving) * len(standing), PAIR)
    pairs["a"], pairs["b"] = np.repeat(moving, len(standing)), np.tile(standing, len(moving))
    pairs["margin"] = margin
    n = drop_far(buffers, pairs, np.tile([0.0, 1.0], (len(pairs), 1)), len(pairs), 0.0, 1.0)
    return {(int(p["a"]), int(p["b"])) for p in pairs[:n]}, len(pairs)


@pytest.mark.parametrize("turns", [0.0, 0.001, 0.1, 0.5, 2.0])
def test_what_a_vertex_meets_at_some_time_is_kept(turns):
    """A splinter's tip is where a vertex of a random robot passes, or the margin away from there."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        n_links, margin = 1 + seed, (0.0, 0.05)[seed % 2]
        robot, tree, order = random_robot(rng, n_links, shape=[(SHAPE, np.eye(4))])
        q0, q1 = configuration(rng, tree, turns), configuration(rng, tree, turns)
        base = (origin(rng), origin(rng))
        times = rng.choice([0.0, 1.0, *rng.random(8)], size=40)
        poses = kinematics.poses(tree, q0, q1, times, base=base)
        bodies, claims = [], []
        for k in range(len(times)):
            link = int(rng.integers(n_links + 1))
            away = rng.normal(size=3)
            away /= np.linalg.norm(away)
            vertex = (poses[k, link] @ [*SHAPE[0][rng.integers(len(SHAPE[0]))], 1.0])[:3]
            bodies.append(tocsin.Body(splinter(vertex + margin * away, away, 0.05), name=f"splinter {k}"))
            claims.append((order[link], n_links + 1 + k))
        found, _ = left(tocsin.Scene(robot, *bodies), robot.move(q0, q1, base=base), margin)
        assert set(claims) <= found, seed


def test_two_that_move_are_held_apart_only_where_they_never_meet():
    """Balls that fly past each other, through each other, and side by side at great speed."""
    body = tocsin.Body(tocsin.Mesh(*box_mesh(0.1, 0.1, 0.1)), name="a")
    other = tocsin.Body(tocsin.Mesh(*box_mesh(0.1, 0.1, 0.1)), name="b")
    scene = tocsin.Scene(body, other)
    pairs = np.zeros(1, PAIR)
    pairs["b"] = 1

    def is_kept(a, b):
        prepared, configs, _ = scene.context.prepared(scene.context.tables(), (body.move(*a), other.move(*b)))
        set_motion(prepared.buffers, configs, WHOLE)
        return drop_far(prepared.buffers, pairs, np.array([[0.0, 1.0]]), 1, 0.0, 1.0) == 1

    assert is_kept((at(-1), at(1)), (at(1), at(-1)))
    assert is_kept((at(0), at(10)), (at(0.15), at(10.15)))
    assert not is_kept((at(0), at(10)), (at(1), at(11)))
    assert not is_kept((at(0), at(10)), (at(0, 1), at(10, 1)))
    assert not is_kept((at(0), at(0)), (at(0, 1), at(0, 1)))


def test_links_of_one_model_are_left_alone():
    rng = np.random.default_rng(1)
    robot, tree, _ = random_robot(rng, 3, shape=[(SHAPE, np.eye(4))])
    motion = robot.move(configuration(rng, tree, 0.1), configuration(rng, tree, 0.1))
    _, buffers, _ = ready(tocsin.Scene(robot, tocsin.Body(tocsin.Sphere(0.1), at(90.0))), motion)
    pairs = np.zeros(2, PAIR)
    pairs["a"], pairs["b"] = (0, 0), (1, 4)
    assert drop_far(buffers, pairs, np.zeros((2, 2)), 2, 0.0, 1.0) == 1
    assert pairs[0]["b"] == 1


@pytest.mark.parametrize(("degrees", "share"), [(1.0, 0.1), (60.0, 0.3)])
def test_most_of_a_room_is_far_from_an_arm(degrees, share):
    task = arm_scenes.task("room")
    for motion in arm_scenes.motions(task, degrees, 4, 1):
        found, n_pairs = left(task.scene, motion)
        assert len(found) < share * n_pairs

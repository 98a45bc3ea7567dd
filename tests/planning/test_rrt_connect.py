"""The planner of our own: what it returns is proven, and the same for every number of threads."""

import numpy as np
import pytest

import tocsin
from planning.arms import GOAL, START, cell
from tocsin import TocsinError
from tocsin.planning import plan
from tocsin.planning.rrt_connect import Tree

WHOLE = [[*START, 0.0], [*GOAL, 0.0]]


@pytest.fixture(scope="module")
def scene_and_robot():
    return cell()


def test_a_plan_goes_around_and_is_proven_by_an_audit(scene_and_robot):
    scene, robot = scene_and_robot
    assert not scene.is_free(robot.move(*WHOLE), margin=0.01)
    found = plan(scene, robot, *WHOLE, margin=0.01, seconds=60)
    assert found.found
    assert found.path[0].tolist() == WHOLE[0]
    assert found.path[-1].tolist() == WHOLE[1]
    assert scene.check_edges(robot, found.path[:-1], found.path[1:], margin=0.01).all()
    assert tocsin.audit(scene, robot, found.path, margin=0.009).is_free
    assert (robot.limits[:, 0] <= found.path).all()
    assert (found.path <= robot.limits[:, 1]).all()
    assert found.edges > 0
    times = found.times(speed=2.0)
    assert (np.diff(times) > 0).all()
    assert np.abs(np.diff(found.path, axis=0)).max() / np.diff(times).max() <= 2.0 + 1e-9


def test_the_same_seed_finds_the_same_path_on_any_number_of_threads(scene_and_robot):
    scene, robot = scene_and_robot
    paths = []
    for threads in (1, 2):
        scene.threads = threads
        paths.append(plan(scene, robot, START, GOAL, group="arm", seconds=60, seed=3).path.tolist())
    scene.threads = None
    assert paths[0] == paths[1]
    assert plan(scene, robot, START, GOAL, group="arm", seconds=60, seed=4).path.tolist() != paths[0]


def test_a_way_that_is_free_is_the_straight_one(scene_and_robot):
    scene, robot = scene_and_robot
    near = START + 0.1
    assert plan(scene, robot, START, near, group="arm").path[:, :3].tolist() == [START.tolist(), near.tolist()]
    assert plan(scene, robot, START, START, group="arm").found


def test_what_cannot_be_planned_says_why(scene_and_robot):
    scene, robot = scene_and_robot
    with pytest.raises(TocsinError, match=r"the start is not free: 'link\d' and 'board'"):
        plan(scene, robot, [0.0, 0.5, 0.5], GOAL, group="arm")
    with pytest.raises(TocsinError, match="'finger_joint' is not in group 'arm', but differs"):
        plan(scene, robot, [*START, 0.0], {"joint0": 0.9, "finger_joint": 0.02}, group="arm")
    late = plan(scene, robot, START, GOAL, group="arm", seconds=1e-9)
    assert not late.found
    assert late.path.shape == (0, 4)


@pytest.mark.pure
def test_a_tree_knows_its_ways_and_forgets_what_was_dropped():
    tree = Tree(np.zeros(2))
    nodes = [tree.add(np.array([k, 0.0]), k - 1) for k in range(1, 100)]
    assert nodes == list(range(1, 100))
    assert tree.nearest(np.array([[50.2, 1.0], [-3.0, 0.0]])).tolist() == [50, 0]
    assert tree.way(3).tolist() == [[0, 0], [1, 0], [2, 0], [3, 0]]
    tree.drop(40)
    assert tree.nearest(np.array([[50.2, 1.0]])).tolist() == [39]

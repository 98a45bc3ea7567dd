"""Cells of joint values: what is proven apart in the whole cell is apart at every sampled value in it."""

import itertools

import numpy as np
import pytest

import tocsin
from plain import PLAIN
from tocsin.advancement.box_step import deepest_on_top
from tocsin.advancement.cells import Cell, box_speed, corner_speed, left_over, proven_apart, set_speed
from tocsin.advancement.surveying import still_joints
from tocsin.advancement.workspace import make_workspace
from tocsin.broad_phase.pairs import PAIR
from tocsin.broad_phase.sweep import SWEEP
from tocsin.motion.joints import JOINT
from tocsin_bench.oracles import kinematics

pytestmark = PLAIN

CORNERS = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))


def test_the_speed_of_a_box_and_of_a_triangle_are_the_fastest_of_their_corners():
    rng = np.random.default_rng(1)
    for _ in range(100):
        n, velocity, turn, arm = rng.normal(size=(4, 3))
        axes, half = kinematics.exp(rng.normal(size=3)), rng.uniform(0.1, 1.0, 3)
        points = arm + (CORNERS * half) @ axes
        truth = np.abs((velocity + np.cross(turn, points)) @ n).max()
        found = box_speed(tuple(n), tuple(velocity), tuple(turn), tuple(arm), tuple(map(tuple, axes)), tuple(half))
        assert found == pytest.approx(truth)
        p, q, r = rng.normal(size=(3, 3))
        truth = np.abs((velocity + np.cross(turn, np.array([p, q, r]))) @ n).max()
        found = corner_speed(*map(tuple, (n, velocity, turn, p, q, r)))
        assert found == pytest.approx(truth)


def test_the_speed_of_a_convex_set_holds_that_of_all_its_points():
    rng = np.random.default_rng(2)
    for _ in range(100):
        n, velocity, turn = rng.normal(size=(3, 3))
        table, radius = rng.normal(size=(5, 3)), float(rng.choice([0.0, 0.3]))
        found = set_speed(tuple(n), tuple(velocity), tuple(turn), table, (0, 5, radius, 0.0))
        around = rng.normal(size=(20, 3))
        around *= radius / np.linalg.norm(around, axis=1)[:, None]
        points = (table[:, None] + around).reshape(-1, 3)
        assert found >= np.abs((velocity + np.cross(turn, points)) @ n).max() - 1e-12
        if radius == 0.0:
            assert found == pytest.approx(np.abs((velocity + np.cross(turn, table)) @ n).max())


def test_what_is_left_is_the_gap_less_the_smaller_of_two_losses_rounded_down():
    cell = Cell((), (), (), 0.5, 0.0)
    assert left_over(4.0, 1.0, (10.0, 2.0), cell) == pytest.approx(4.0 - (1.0 + 1.0) - 0.5)
    assert left_over(4.0, 1.0, (0.25, 2.0), cell) == pytest.approx(4.0 - 0.25 - 0.5)
    assert left_over(4.0, 1.0, (10.0, 2.0), cell) < 1.5
    assert left_over(1.0, 1.0, (10.0, 0.0), cell._replace(noise_speed=0.25)) == pytest.approx(1.0 - 1.5 - 0.5)


def arm(rng, mesh):
    """A rod on two revolute joints, and a post on their base: a box, or its triangles."""
    rod = tocsin.Box((0.8, 0.1, 0.1))
    builder = tocsin.RobotBuilder("arm").link("base")
    builder.link("one", parent="base", joint="revolute", axis=(0, 0, 1))
    shape = (rod.tessellate() if mesh else rod, (0.4, 0.0, 0.0))
    builder.link("two", shape, parent="one", joint="revolute", axis=(0, 1, 0), origin=(0.3, 0.0, 0.0))
    builder.link("post", tocsin.Box((0.1, 0.1, 0.4)), parent="base", origin=rng.uniform(-0.9, 0.9, 3))
    return builder.build()


@pytest.mark.parametrize("mesh", [False, True], ids=["solids", "triangles"])
def test_what_is_proven_apart_in_a_cell_is_apart_at_every_value_in_it(mesh):
    rng = np.random.default_rng(3)
    proven = 0
    for _ in range(20):
        robot = arm(rng, mesh)
        scene = tocsin.Scene(robot)
        world = scene.context.tables()
        links, joints = world.links.copy(), np.zeros(len(world.links), JOINT)
        links["config"][[1, 2]] = 0, 1
        still_joints(links, joints, 3, 0)
        middle, size = rng.uniform(-2.0, 2.0, 2), float(rng.choice([0.02, 0.1, 0.3]))
        pair = np.zeros(1, PAIR)[0]
        pair["a"], pair["b"] = 0, 1
        chain = links, joints, np.zeros(len(links), SWEEP)
        ends = np.array([*middle, *(middle + size)])
        apart, _ = proven_apart(world, chain, make_workspace(64, 64), pair, (1, 2), ends, 0.0)
        if apart:
            proven += 1
            for dx, dy in rng.uniform(-1.0, 1.0, (6, 2)):
                assert scene.distance(robot.at(middle + size * np.array([dx, dy]))).distance > 0.0
    assert 3 < proven < 20, "the test is idle"


def test_the_deepest_pair_is_on_top_and_what_is_done_is_not_there():
    stack = np.zeros((8, 2), np.int64)
    kids = np.array([[2 * 5, 2 * 6, -1, 2 * 8]])
    gaps = np.array([0.3, -0.5, -9.0, 0.1])
    top = deepest_on_top(stack, 1, kids, 0, (70, 80), True, gaps, 0)
    assert top == 4
    assert stack[3].tolist() == [6, 80]
    assert sorted(stack[1:4, 0].tolist()) == [5, 6, 8]
    top = deepest_on_top(stack, 0, kids, 0, (70, 80), False, gaps, 0b0010)
    assert top == 2
    assert stack[1].tolist() == [70, 8]
    assert stack[0].tolist() == [70, 5]

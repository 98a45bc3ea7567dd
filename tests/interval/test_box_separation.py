"""The continuous separating-axis test: no moment at which two boxes are near is left out of the range."""

import itertools

import numpy as np
import pytest

from plain import PLAIN
from tocsin.geometry.tree import NODE, write_box
from tocsin.interval.box_separation import box_range, clearance, exclude, travel
from tocsin.interval.frames import RELATIVE
from tocsin_bench.oracles import kinematics, shapes

pytestmark = PLAIN

SIGNS = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))


def random_node(rng, far=1.0):
    center, half = rng.normal(size=3) * far, rng.uniform(0.1, 1.0, 3)
    axes = kinematics.exp(rng.normal(size=3))
    node = np.zeros(1, NODE)[0]
    write_box(node, tuple(center), tuple(map(tuple, axes)), tuple(half), float(np.linalg.norm(center) + 2.0))
    return node, center + (SIGNS * half) @ axes


def random_relative(rng):
    """A line of poses x0 + s x1, s in [-1, 1]: b turns and moves a little as a sees it."""
    relative = np.zeros(1, RELATIVE)[0]
    relative["x0"][:, :3] = kinematics.exp(rng.normal(size=3))
    relative["x0"][:, 3] = rng.normal(size=3) * 2.0
    relative["x1"] = rng.normal(size=(3, 4)) * [0.05, 0.05, 0.05, 1.5]
    return relative


def test_no_moment_at_which_boxes_are_near_is_left_out():
    rng = np.random.default_rng(1)
    work = np.zeros((8, 3))
    shorter = 0
    for _ in range(60):
        (a, corners_a), (b, corners_b) = random_node(rng), random_node(rng)
        relative, need = random_relative(rng), float(rng.choice([0.0, 0.1]))
        lo, hi = box_range(a, b, relative, need, -1.0, 1.0, work)
        shorter += hi - lo < 1.9
        for s in np.linspace(-1.0, 1.0, 6):
            if lo <= s <= hi:
                continue
            m = relative["x0"] + s * relative["x1"]
            moved = corners_b @ m[:, :3].T + m[:, 3]
            truth = shapes.distance(shapes.hull(corners_a), np.eye(4), shapes.hull(moved), np.eye(4))
            assert truth > need - 1e-9
    assert shorter > 20, "the test is idle"


def test_boxes_far_apart_all_the_time_leave_nothing():
    rng = np.random.default_rng(2)
    (a, _), (b, _) = random_node(rng, 0.1), random_node(rng, 0.1)
    relative = np.zeros(1, RELATIVE)[0]
    relative["x0"][:, :3] = np.eye(3)
    relative["x0"][0, 3] = 50.0
    lo, hi = box_range(a, b, relative, 0.0, -1.0, 1.0, np.zeros((8, 3)))
    assert lo > hi


def test_an_axis_excludes_where_the_gap_is_positive_on_either_side():
    # The gap is at - wide: 1 at s = -1 and -1 at s = 1, so nothing before the middle.
    lo, hi = exclude(3.0, 1.0, 2.0, 2.0, -1.0, 1.0, -1.0, 1.0)
    assert lo == pytest.approx(0.0, abs=1e-9)
    assert lo <= 0.0
    assert hi == 1.0
    assert exclude(-3.0, -1.0, 2.0, 2.0, -1.0, 1.0, -1.0, 1.0)[0] == pytest.approx(0.0, abs=1e-9)
    assert exclude(0.5, -0.5, 2.0, 2.0, -1.0, 1.0, -1.0, 1.0) == (-1.0, 1.0)
    lo, hi = exclude(3.0, 3.0, 2.0, 2.0, -1.0, 1.0, -1.0, 1.0)
    assert lo > hi


def test_travel_is_at_least_what_the_centre_moves_and_grows_with_the_radius():
    rng = np.random.default_rng(3)
    for _ in range(50):
        relative, center = random_relative(rng), tuple(rng.normal(size=3))
        moved = np.linalg.norm(relative["x1"][:, :3] @ center + relative["x1"][:, 3])
        assert travel(relative, center, 0.0) == pytest.approx(moved)
        assert travel(relative, center, 1.0) > moved


def test_what_a_gap_must_exceed_holds_margin_noise_and_remainder():
    relative = random_relative(np.random.default_rng(4))
    relative["rho"], relative["tau"] = (0.5, 0.25), (0.125, 0.0625)
    pair = {"margin": 1.0, "noise": 2.0}
    assert clearance(pair, relative, 0, 2.0) == pytest.approx(3.0 + 1.0 + 0.125)
    assert clearance(pair, relative, 1, 2.0) == pytest.approx(3.0 + 0.5 + 0.0625)
    assert clearance(pair, relative, 0, 2.0) >= 3.0 + 1.0 + 0.125

"""Temporal culling: until the time that it says, the oracle finds two shapes farther apart than their margin."""

import math

import numpy as np
import pytest

import tocsin
from advancement.moving_pair import moving_pair
from tocsin.broad_phase.sweep import Chains
from tocsin.broad_phase.temporal import free_until, geom_frame
from tocsin_bench.oracles import shapes

SIDES = ((0.6, 0.4, 0.3), (0.5, 0.5, 0.2))


def asked(rng, margin):
    """Return two boxes that move, and until when they are said to be apart."""
    moving = moving_pair(rng, *(tocsin.Box(side) for side in SIDES), margin, float(rng.choice([0.25, 0.5])))
    pair = moving.pair
    pair["start"], pair["until"] = 0.0, 1.0
    taylor, scratch = np.zeros((2, 3, 4, 5)), np.zeros((3, 4, 5))
    for sweep in moving.sweeps:
        sweep["taylor"] = 0
    a, b = moving.world.geoms
    until = free_until(pair, a, b, Chains(moving.sweeps, taylor, scratch, moving.joints, moving.world.links), 0.0, 1.0)
    return moving, until


def check(seed, cases, samples):
    """Return how many pairs were said to be apart for a part of the time, and for all of it."""
    rng = np.random.default_rng(seed)
    oracle = [shapes.box(side) for side in SIDES]
    part = whole = 0
    for _ in range(cases):
        margin = float(rng.choice([0.0, 0.125]))
        moving, until = asked(rng, margin)
        assert until >= 0.0
        part += 0.0 < until < math.inf
        whole += until == math.inf
        for t in np.linspace(0.0, min(until, 1.0), samples) if until > 0.0 else ():
            pose_a, pose_b = moving.poses(t)
            assert shapes.distance(oracle[0], pose_a, oracle[1], pose_b, enough=margin) > margin - 1e-12
    return part, whole


def test_shapes_are_apart_until_the_time_that_is_said():
    part, whole = check(1, 60, 4)
    assert part > 3
    assert whole > 3


@pytest.mark.pure
def test_a_few_shapes_are_apart_until_the_time_that_is_said():
    check(2, 6, 3)


@pytest.mark.pure
def test_the_frame_of_a_shape_is_its_box():
    body = tocsin.Body((tocsin.Box((2.0, 4.0, 6.0)), (1.0, 2.0, 3.0)))
    (geom,) = tocsin.Scene(body).context.tables().geoms
    centre, axes, half = geom_frame(geom)
    assert centre == (1.0, 2.0, 3.0)
    assert np.array_equal(axes, np.eye(3))
    assert half == pytest.approx((1.0, 2.0, 3.0), rel=1e-12)
    assert min(np.array(half) - (1.0, 2.0, 3.0)) >= 0.0

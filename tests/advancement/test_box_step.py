"""Gaps of boxes are never more than their distance, and no step of theirs passes a contact."""

import numpy as np
import pytest

import tocsin
from tocsin.advancement.box_step import box_gap, box_step, center_of, half_of
from tocsin.geometry.tree import NODE, node_axes, write_box
from tocsin_bench.oracles import kinematics, shapes

from .moving_pair import moving_pair

SIGNS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)


def random_node(rng):
    center, half = rng.normal(size=3), rng.random(3) * rng.choice([0.1, 1.0]) + 0.01
    node = np.zeros(1, NODE)[0]
    axes = kinematics.exp(rng.normal(size=3))
    write_box(node, tuple(center), tuple(map(tuple, axes)), tuple(half), float(np.linalg.norm(center) + 2.0))
    return node


def corners(node):
    """Return the corners of the box that a node stands for."""
    axes, half = np.array(node_axes(node)), np.array(half_of(node))
    return np.array(center_of(node)) + (SIGNS * half) @ axes


def test_the_gap_of_two_boxes_is_at_most_their_distance():
    rng = np.random.default_rng(1)
    positive = 0
    for _ in range(150):
        a, b = random_node(rng), random_node(rng)
        rotation, place = kinematics.exp(rng.normal(size=3)), rng.normal(size=3) * 2
        gap, n = box_gap(a, b, (tuple(map(tuple, rotation)), tuple(place)))
        hulls = [shapes.hull(corners(a)), shapes.hull(corners(b) @ rotation.T + place)]
        truth = shapes.distance(hulls[0], np.eye(4), hulls[1], np.eye(4))
        assert gap <= truth + 1e-12
        assert np.linalg.norm(n) <= 1.0 + 2.0**-50  # the noise of a pair has room for directions unit to 16 units
        positive += gap > 0.0
    assert positive > 50


@pytest.mark.pure
def test_boxes_face_to_face_have_the_gap_of_their_faces():
    a, b = np.zeros(1, NODE)[0], np.zeros(1, NODE)[0]
    identity = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    for node in (a, b):
        write_box(node, (0.0, 0.0, 0.0), identity, (0.5, 1.0, 1.5), 2.0)
    gap, n = box_gap(a, b, (identity, (-3.0, 0.5, 0.0)))
    assert gap == pytest.approx(2.0, rel=1e-5)
    assert gap <= 2.0
    assert n == pytest.approx((-1.0, 0.0, 0.0), abs=1e-6)


def check_steps(seed, cases, samples):
    rng = np.random.default_rng(seed)
    sides = (0.4, 0.6, 0.9), (1.0, 0.2, 0.5)
    oracle = [shapes.box(side) for side in sides]
    taken = 0
    for _ in range(cases):
        margin = float(rng.choice([0.0, 0.3]))
        moving = moving_pair(rng, *(tocsin.Box(side) for side in sides), margin=margin, spread=rng.choice([0.5, 1.0]))
        roots = [moving.world.nodes[g["root"]] for g in moving.world.geoms]
        t = float(rng.random()) * 0.8
        h, gap = box_step(*roots, *moving.state(t), moving.pair, 1.0 - t)
        assert (h > 0.0) == (gap > 0.0)
        for s in np.linspace(t, min(t + h, 1.0), samples) if h > 0.0 else ():
            pose_a, pose_b = moving.poses(s)
            assert shapes.distance(oracle[0], pose_a, oracle[1], pose_b) > margin - 1e-12
        taken += h > 0.0
    return taken


def test_no_step_of_boxes_passes_a_contact():
    assert check_steps(2, 60, 5) > 20


@pytest.mark.pure
def test_one_step_of_boxes_does_not_pass_a_contact():
    check_steps(3, 1, 3)

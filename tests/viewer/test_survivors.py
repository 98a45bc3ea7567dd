"""What the culling saw: boxes that hold what shapes swept, and the pair that touches among what is left."""

import numpy as np

import tocsin
from tocsin.viewer.survivors import MOST_SLABS, slabs_of


def asked(pieces=1):
    ball = tocsin.Body(tocsin.Sphere(0.5), name="ball")
    others = [tocsin.Body(tocsin.Sphere(0.5), (3.0, 4.0 * k, 0.0), name=f"b{k}") for k in range(3)]
    scene = tocsin.Scene(ball, *others)
    path = [(4.0 * k / pieces, 0.0, 0.0) for k in range(pieces + 1)]
    return scene.first_contact(ball.follow(path))


def test_boxes_hold_what_the_ball_sweeps_in_each_slab():
    found = slabs_of(asked(4))
    assert found[0].t0 == 0.0
    assert found[-1].t1 == 1.0
    for slab in found:
        assert slab.shapes.tolist() == [0]
        low, high = slab.boxes[0, :3], slab.boxes[0, 3:]
        assert low[0] <= 4.0 * slab.t0 - 0.5
        assert high[0] >= 4.0 * slab.t1 + 0.5
        assert high[1] <= 0.6


def test_the_pair_that_touches_survives_every_cull_and_what_is_far_none():
    found = slabs_of(asked())
    spatial = {tuple(pair) for slab in found for pair in np.sort(slab.spatial, axis=1).tolist()}
    temporal = {tuple(pair) for slab in found for pair in np.sort(slab.temporal, axis=1).tolist()}
    assert (0, 1) in temporal
    assert temporal <= spatial
    assert (0, 2) not in spatial


def test_of_a_long_path_some_slabs_are_shown():
    assert len(slabs_of(asked(600))) == MOST_SLABS

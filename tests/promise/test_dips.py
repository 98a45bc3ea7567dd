"""Contacts that last for a moment: the margin is a distance that the shapes come down to, and no less.

The oracles measure the distance at sampled times and go down to a least one, d at time t. Asked for a clearance of d,
an answer must collide, no later than t, however short the dip is; at its time the shapes are within the tolerance of d.
Links two and three joints apart are asked about in the same way, before and after they have a chart.
"""

import math

import numpy as np
import pytest

import tocsin
from tocsin import Status
from tocsin.advancement import surveying
from tocsin_bench.campaigns import planted_articulated as articulated
from tocsin_bench.campaigns import planted_rigid as rigid
from tocsin_bench.campaigns.planted_shapes import random_piece, unit
from tocsin_bench.oracles import kinematics as kin
from tocsin_bench.oracles import shapes

ERROR = 1e-11
"""Of the oracles, times the size of what is asked about."""

GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0


def lowest(distance, samples=25, rounds=30):
    """Return (d, t): the least positive distance that was found, by samples and a golden section around the least."""
    times = np.linspace(0, 1, samples)
    found = [(distance(t), t) for t in times]
    positive = [(d, k) for k, (d, _) in enumerate(found) if d > 0]
    if not positive:
        return None
    _, k = min(positive)
    lo, hi = times[max(k - 1, 0)], times[min(k + 1, samples - 1)]
    for _ in range(rounds):
        x, y = hi - GOLDEN * (hi - lo), lo + GOLDEN * (hi - lo)
        low, high = distance(x), distance(y)
        found += [(low, x), (high, y)]
        lo, hi = (lo, y) if low <= high else (x, hi)
    return min((d, t) for d, t in found if d > 0)


def check(hit, free, distance, margin, least, when, error):
    """Compare an answer with what the oracles say."""
    assert hit.status in (Status.CONTACT, Status.INITIAL_CONTACT), (hit.status, least, when)
    assert hit.time <= when, (hit.time, when, least)
    assert distance(hit.time) <= margin + hit.tolerance + error
    assert not free


@pytest.mark.parametrize("method", ["advancement", "interval"])
@pytest.mark.parametrize("seed", range(10))
def test_two_bodies_that_come_down_to_the_margin(seed, method):
    rng = np.random.default_rng([11, seed])
    scale = 10 ** rng.uniform(-6, 6) if seed % 3 == 0 else 1.0
    a, b = random_piece(rng, scale), random_piece(rng, scale * 10 ** rng.uniform(-1, 0.3))
    body_a, body_b = tocsin.Body(a.product, name="a"), tocsin.Body(b.product, name="b")
    scene = tocsin.Scene(body_a, body_b)
    ends = []
    for amount in (3.0, 1.0):
        start = kin.frame(kin.exp(rng.normal(size=3)), scale * amount * rng.normal(size=3))
        ends.append(rigid.ends(start, scale * amount * rng.normal(size=3), unit(rng.normal(size=3)) * 3.0, 0.0))

    def distance(t):
        return shapes.distance(a.true, kin.body_poses(*ends[0], [t])[0], b.true, kin.body_poses(*ends[1], [t])[0])

    dip = lowest(distance)
    assert dip is not None, "they overlap all the time: not a seed to ask with"
    error = ERROR * scale
    margin = dip[0] + error
    asked = {"margin": margin, "method": method}
    motions = body_a.move(*ends[0]), body_b.move(*ends[1])
    hit = scene.first_contact(*motions, **asked)
    check(hit, scene.is_free(*motions, **asked), distance, margin, *dip, error)


def serial_arm(rng):
    """Return an arm of four or five links on revolute joints, close to each other, one joint perhaps a mimic."""
    joints, parts = [kin.Joint()], []
    for link in range(int(rng.integers(4, 6))):
        if link:
            origin = kin.frame(kin.exp(rng.normal(size=3)), 0.16 * unit(rng.normal(size=3)))
            mimic = (1, float(rng.choice([-1.0, 3.7])), 0.4) if link == 3 and rng.random() < 0.3 else None
            joints.append(kin.Joint("revolute", link - 1, origin, tuple(rng.normal(size=3)), mimic))
        placement = kin.frame(kin.exp(rng.normal(size=3)), 0.03 * rng.normal(size=3))
        parts.append([(random_piece(rng, 0.12), placement)])
    return joints, parts


@pytest.mark.parametrize("seed", range(4))
def test_links_two_and_three_joints_apart_before_and_after_their_charts(seed, monkeypatch):
    made = []
    survey = surveying.Site.bits
    monkeypatch.setattr(surveying, "EARNED", 1)
    monkeypatch.setattr(surveying.cache, "load", lambda *_: None)
    monkeypatch.setattr("tocsin.queries.charts.LOOK", 1)
    monkeypatch.setattr(surveying.Site, "bits", lambda site: made.append(site.turned is not None) or survey(site))
    rng = np.random.default_rng([12, seed])
    joints, parts = serial_arm(rng)
    robot, tree = articulated.build(joints, parts, False), kin.Tree(tuple(joints))
    scene, plain = tocsin.Scene(robot), tocsin.Scene(robot, charts=False)
    pairs = [(i, j) for i in range(len(parts)) for j in range(i - 1)]
    asked = 0
    while asked < 2:
        q0 = rng.uniform(-3, 3, robot.n_config)
        q1 = q0 + rng.uniform(-1, 1, robot.n_config) * rng.choice([0.3, 1.5, 7.0])

        def distance(t, q0=q0, q1=q1):
            poses = kin.poses(tree, q0, q1, [t])[0]
            placed = [(parts[k][0][0].true, poses[k] @ parts[k][0][1]) for k in range(len(parts))]
            return min(shapes.distance(*placed[i], *placed[j]) for i, j in pairs)

        if distance(0.0) == 0.0:
            continue
        asked += 1
        dip = lowest(distance, samples=17, rounds=20)
        motion = robot.move(q0, q1)
        for margin in (0.0, dip[0] + ERROR):
            hits = [scene.first_contact(motion, margin=margin) for _ in range(3)]
            free = scene.is_free(motion, margin=margin)
            same = plain.first_contact(motion, margin=margin)
            assert [(h.time, h.status) for h in hits] == [(same.time, same.status)] * 3
            assert free == (same.status is Status.FREE)
            if margin:
                check(same, free, distance, margin, *dip, ERROR)
    assert made, "no chart was made"

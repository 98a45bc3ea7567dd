"""Pairs of shapes that are left out of many never come near each other on their relative screws."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tocsin
from tocsin.broad_phase.model_tree import make_model_tree
from tocsin.queries import all_contacts
from tocsin.screen.broad_phase import FAST, pairs_near


def crowd(rng, n, turn, way, spread):
    """Bodies, most of them boxes away from their origins, each moving and turning up to `turn`; some stand."""
    bodies, motions = [], []
    for k in range(n):
        size = tuple(rng.uniform(0.1, 0.5, 3))
        shape = [(tocsin.Box(size), tuple(rng.uniform(-0.3, 0.3, 3)))]
        place = rng.uniform(-spread, spread, 3)
        start = np.eye(4)
        start[:3, :3] = Rotation.random(random_state=int(rng.integers(2**31))).as_matrix()
        start[:3, 3] = place
        end = start.copy()
        axis = rng.normal(size=3)
        end[:3, :3] = (
            Rotation.from_rotvec(axis / np.linalg.norm(axis) * rng.uniform(0, turn)).as_matrix() @ start[:3, :3]
        )
        end[:3, 3] += rng.uniform(-way, way, 3)
        bodies.append(tocsin.Body(shape, start, name=f"b{k}"))
        if k % 5:
            motions.append(bodies[-1].move(start, end))
    return tocsin.Scene(*bodies), motions


def laid(scene, motions):
    cast = all_contacts.cast_of(scene.context)
    key, poses, _ = all_contacts.moved(scene.context, cast, tuple(motions))
    moves = np.isin(cast.world.geoms["model"], list(key))
    return cast, poses, moves


def least_gap(table, poses, a, b):
    """The least distance of two balls on the relative screw, at many moments, by rotation vectors alone."""
    rows = poses[[table[a]["link"], table[b]["link"]]]
    turn = [[Rotation.from_quat(rows[i, e, 3:7]) for e in (0, 1)] for i in (0, 1)]
    seen = [turn[0][e].inv().apply(rows[1, e, :3] - rows[0, e, :3]) for e in (0, 1)]
    both = [turn[0][e].inv() * turn[1][e] for e in (0, 1)]
    omega = (both[1] * both[0].inv()).as_rotvec()
    angle = float(np.linalg.norm(omega))
    d = seen[1] - seen[0]
    if angle > 1e-9:
        axis = omega / angle
        along, across = axis * (axis @ d), d - axis * (axis @ d)
        # A turn about u takes seen[0] to seen[1] but for the slide: solve (I - R) u = across in the plane of the turn.
        foot = 0.5 * (across + np.cross(axis, across) / math.tan(0.5 * angle))
        u = seen[0] + foot
    start = seen[0] + both[0].apply(table[b]["center"])
    gaps = []
    for t in np.linspace(0.0, 1.0, 65):
        if angle > 1e-9:
            at = u + Rotation.from_rotvec(omega * t).apply(start - u) + along * t
        else:
            at = start + d * t
        gaps.append(np.linalg.norm(at - table[a]["center"]))
    return min(gaps) - table[a]["radius"] - table[b]["radius"]


@pytest.mark.parametrize(
    ("turn", "way", "spread"), [(0.0, 1.0, 6.0), (0.2, 0.5, 3.0), (0.7, 2.0, 6.0), (2.5, 1.0, 4.0)]
)
def test_balls_of_pairs_that_are_left_out_do_not_meet(turn, way, spread):
    rng = np.random.default_rng(7)
    scene, motions = crowd(rng, 70, turn, way, spread)
    cast, poses, moves = laid(scene, motions)
    table = cast.surfaces.table
    pairs = pairs_near(make_model_tree(len(table)), table, poses, cast.world, moves)
    kept = {tuple(p) for p in pairs.tolist()}
    assert [tuple(p) for p in pairs.tolist()] == sorted(kept)
    left_out = [(a, b) for a in range(70) for b in range(a + 1, 70) if (a, b) not in kept and (moves[a] or moves[b])]
    assert turn > FAST or len(kept) < 0.5 * len(left_out)
    for a, b in left_out:
        assert least_gap(table, poses, a, b) > 0.0


@pytest.mark.parametrize("turn", [0.0, 0.3, 3.0])
def test_contacts_of_many_are_those_of_all_pairs(monkeypatch, turn):
    scene, motions = crowd(np.random.default_rng(3), 80, turn, 0.6, 1.5)
    scene.ignore("b3", "b4")
    told = []
    for few in (0, 10**6):
        monkeypatch.setattr(all_contacts, "FEW_SHAPES", few)
        found = scene.contacts(*motions)
        told.append(found.rows.tobytes())
        assert len(found) > 20
    assert told[0] == told[1]

"""Rings around vertices: found where they are, and settled only where exact arithmetic finds no contact."""

import itertools

import numpy as np
import pytest

import tocsin
from tocsin.deform.mesh_arrays import REACH, MeshPair
from tocsin.deform.mesh_state import MeshState
from tocsin.deform.narrow import EVERY, FIRST, VERTEX_FACE
from tocsin.deform.one_ring import MOST_PAIRS, direct, list_face, make_scratch, rings_free
from tocsin.deform.overlap import Reach
from tocsin.deform.rings import LONGEST
from tocsin.deform.run import find
from tocsin_bench.oracles import feature_pairs

ONE = np.float32(1.0)


def grid(n, rng, bumps):
    """A square of n x n vertices with noise on it."""
    x, y = np.meshgrid(np.linspace(0, 1, n), np.linspace(0, 1, n), indexing="ij")
    v = np.stack([x.ravel(), y.ravel(), np.zeros(n * n)], axis=1) + bumps * rng.normal(size=(n * n, 3))
    i = np.arange(n * n).reshape(n, n)
    faces = np.concatenate(
        [
            np.stack([i[:-1, :-1], i[1:, :-1], i[1:, 1:]], -1).reshape(-1, 3),
            np.stack([i[:-1, :-1], i[1:, 1:], i[:-1, 1:]], -1).reshape(-1, 3),
        ]
    )
    return v, faces.astype(np.int32)


def fan(n, rng, turns=1):
    """A vertex with n faces around it, that go around it once or more often."""
    angle = 2 * np.pi * turns * (np.arange(n) + 0.3 * rng.random(n)) / n
    rim = np.stack([np.cos(angle), np.sin(angle), 0.2 * rng.normal(size=n)], axis=1) * (0.5 + rng.random((n, 1)))
    k = np.arange(n)
    faces = np.stack([np.zeros(n, int), 1 + k, 1 + (k + 1) % n], axis=1)
    return np.concatenate([np.zeros((1, 3)), rim]), faces.astype(np.int32)


def made(v, faces, edges=(), points=(), same=None):
    edges = np.asarray(edges, np.int32).reshape(-1, 2)
    same = np.arange(len(v), dtype=np.int32) if same is None else same
    return MeshState(len(v), faces, edges, np.asarray(points, np.int32), same)


def reach_of(limit, noise, margin):
    return Reach(ONE - limit, limit, margin, margin, noise, False)


def settled(soft, v0, v1, limit=1.0, margin=0.0):
    """The vertices in the middle of rings that are settled, and all that have one."""
    side = soft.fit(v0, v1, np.zeros(3)).arrays
    limit, margin = np.float32(limit), np.float32(margin)
    noise = np.float32(24.0 * 2.0**-24 * side.measures[REACH] * (1.0 + 2.0**-22))
    flat, every = set(), set()
    for length, used, first in side.ring_lengths:
        bits = rings_free(side.table, side.ring_vertices, first, length, reach_of(limit, noise, margin), make_scratch())
        for lane in range(used):
            v = int(side.ring_vertices[first, 0, lane])
            every.add(v)
            if (bits >> lane) & 1:
                flat.add(v)
    return flat, every


def unsettled_pairs(soft, v0, v1, limit=1.0, margin=0.0):
    """Pairs of faces, as given, of rings taken apart: those that are left, and all."""
    side = soft.fit(v0, v1, np.zeros(3)).arrays
    limit, margin = np.float32(limit), np.float32(margin)
    noise = np.float32(24.0 * 2.0**-24 * side.measures[REACH] * (1.0 + 2.0**-22))
    scratch, rows, left, every = make_scratch(), np.zeros((MOST_PAIRS, 4), np.int32), set(), set()
    reach = reach_of(limit, noise, margin)
    for b, (length, used, first) in enumerate(side.ring_lengths):
        rings_free(side.table, side.ring_vertices, first, length, reach, scratch)
        direct(scratch, length)
        for i in range(length):
            n = list_face(side, b, i, (1 << used) - 1, reach, scratch, rows, 0)
            left |= {tuple(sorted(side.source[pair].tolist())) for pair in rows[:n, :2]}
        for lane in range(used):
            members = side.source[side.ring_faces[first : first + length, 0, lane]].tolist()
            every |= {tuple(sorted(pair)) for pair in itertools.combinations(members, 2)}
    return left, every


def touching(v0, v1, faces):
    """Features of the faces given that share no vertex and touch, in exact arithmetic."""
    edges = {tuple(sorted(p)) for f in faces for p in ((f[0], f[1]), (f[1], f[2]), (f[2], f[0]))}
    found = 0
    for v, f in itertools.product(np.unique(faces).tolist(), faces):
        if v not in f:
            rows = [v, *f]
            found += feature_pairs.first_contact(feature_pairs.VERTEX_FACE, v0[rows], v1[rows]) is not None
    for e, f in itertools.combinations(sorted(edges), 2):
        if not set(e) & set(f):
            rows = [*e, *f]
            found += feature_pairs.first_contact(feature_pairs.EDGE_EDGE, v0[rows], v1[rows]) is not None
    return found


@pytest.mark.parametrize("bumps", [0.02, 0.05, 0.07])
def test_a_ring_that_is_settled_touches_itself_nowhere(bumps):
    rng = np.random.default_rng(int(1000 * bumps))
    v0, faces = grid(7, rng, bumps)
    v1 = v0 + 1.5 * bumps * rng.normal(size=v0.shape)
    flat, every = settled(made(v0, faces), v0, v1)
    assert len(every) == 25
    assert flat
    assert bumps < 0.05 or len(flat) < 25
    for v in flat:
        assert touching(v0, v1, faces[(faces == v).any(axis=1)]) == 0


@pytest.mark.parametrize("n", [*range(3, 17), 31])
def test_fans_are_settled_until_they_touch(n):
    rng = np.random.default_rng(n)
    for _ in range(3):
        v0, faces = fan(n, rng)
        v1 = v0 + 0.15 * rng.normal(size=v0.shape)
        for limit in (0.25, 1.0):
            if 0 in settled(made(v0, faces), v0, v1, limit)[0]:
                vt = v0 + limit * (v1 - v0)
                assert touching(v0, vt, faces) == 0


@pytest.mark.parametrize(
    ("n", "bend"), [(3, 0.6), (4, 0.6), (5, 0.9), (6, 0.3), (6, 1.2), (8, 0.8), (12, 0.5), (20, 0.5)]
)
def test_pairs_of_a_folded_ring_that_are_settled_touch_nowhere(n, bend):
    rng = np.random.default_rng(n)
    settled_at_all = touch_at_all = 0
    for _ in range(6):
        v0, faces = fan(n, rng)
        v0[1:] += bend * rng.normal(size=(n, 3))
        v1 = v0 + 0.5 * bend * rng.normal(size=v0.shape)
        for limit in (1e-3, 1.0):
            left, every = unsettled_pairs(made(v0, faces), v0, v1, limit)
            assert len(every) == n * (n - 1) // 2
            settled_at_all += len(every - left)
            vt = v0 + limit * (v1 - v0)
            for pair in every - left:
                assert touching(v0, vt, faces[list(pair)]) == 0
            touch_at_all += sum(touching(v0, vt, faces[list(pair)]) > 0 for pair in left)
    assert settled_at_all > 10
    assert touch_at_all > 0 or n == 3 or bend < 0.5


def test_pairs_of_a_ring_keep_the_margin():
    v, faces = grid(5, np.random.default_rng(0), 0.0)
    assert unsettled_pairs(made(v, faces), v, v)[0] == set()
    left, every = unsettled_pairs(made(v, faces), v, v, margin=0.3)  # edges are 0.25 long
    assert left == every


@pytest.mark.parametrize("n", [7, 9, 12, 50, LONGEST])
def test_a_fan_that_goes_around_twice_is_not_settled(n):
    v, faces = fan(n, np.random.default_rng(n), turns=2)
    assert settled(made(v, faces), v, v) == (set(), {0})
    once, faces = fan(n, np.random.default_rng(n))
    assert settled(made(once, faces), once, once) == ({0}, {0})


@pytest.mark.parametrize("n", [3, 5, 8])
def test_a_fan_that_is_flat_at_both_ends_and_collapses_between_them_is_not_settled(n):
    """Half a turn about its own normal: straight ways of its rim go through the middle, all at once."""
    v0, faces = fan(n, np.random.default_rng(n))
    v1 = v0 * [-1.0, -1.0, 1.0]
    assert settled(made(v0, faces), v0, v1) == (set(), {0})
    assert settled(made(v0, faces), v1, v1) == ({0}, {0})


def test_a_ring_keeps_the_margin():
    v, faces = grid(5, np.random.default_rng(0), 0.0)
    assert len(settled(made(v, faces), v, v)[0]) == 9
    # Every vertex is 0.25 from its neighbours: half of a face's height away from a feature without a common vertex.
    assert settled(made(v, faces), v, v, margin=0.2)[0] == set()


def test_rings_are_where_faces_close_around_a_vertex_and_nowhere_else():
    v, faces = grid(4, np.random.default_rng(0), 0.0)
    assert settled(made(v, faces), v, v)[1] == {5, 6, 9, 10}
    assert settled(made(v, faces, edges=[(5, 15)]), v, v)[1] == {6, 9, 10}
    assert settled(made(v, faces, points=[6]), v, v)[1] == {5, 9, 10}
    again = np.concatenate([faces, faces[:1]])
    assert settled(made(v, again), v, v)[1] == {6, 9, 10}
    same = np.arange(len(v), dtype=np.int32)
    same[15] = 5
    assert settled(made(v, faces, same=same), v, v)[1] == {6, 9, 10}
    wide, spokes = fan(LONGEST + 1, np.random.default_rng(0))
    assert settled(made(wide, spokes), wide, wide)[1] == set()


def test_long_fans_are_rings_and_folded_ones_are_settled_in_parts():
    """Two of eight blocks of a folded fan have more pairs than a chunk has room for; lists are those of pairs alone."""
    rng = np.random.default_rng(3)
    v, faces = fan(LONGEST, rng)
    v0 = np.concatenate([v + [3.0 * k, 0.0, 0.0] for k in range(8)])
    every = np.concatenate([faces + k * len(v) for k in range(8)]).astype(np.int32)
    v1 = v0 + 0.6 * rng.normal(size=v0.shape)
    assert settled(made(v0, every), v0, v0)[1] == {k * len(v) for k in range(8)}
    found = []
    for edges in ([], [(k * len(v), k * len(v) + 1) for k in range(8)]):  # at a loose edge no vertex has a ring
        side = made(v0, every, edges=edges).fit(v0, v1, np.zeros(3))
        assert side.arrays.has_ring.any() != bool(edges)
        hits = find([MeshPair(side, side, True, 0.0, 1e-9, overlaps=False)], EVERY, threads=1).hits
        found.append(hits[hits["kind"] == VERTEX_FACE])
    assert len(found[0]) > 300
    assert found[0].tobytes() == found[1].tobytes()


def test_neighbours_that_fold_onto_each_other_are_found():
    rng = np.random.default_rng(5)
    for n in (5, 8, 11):
        v0, faces = fan(n, rng)
        v1 = v0.copy()
        v1[3] = v0[1] + (v0[1] - v0[3])  # one spoke sweeps over others
        side = made(v0, faces).fit(v0, v1, np.zeros(3))
        found = find([MeshPair(side, side, True, 0.0, 1e-9, overlaps=False)], FIRST, threads=1)
        truth = touching(v0, v1, faces)
        assert (len(found.hits) > 0) == (truth > 0)


def test_a_closed_mesh_that_collapses_has_the_contacts_of_exact_arithmetic():
    rng = np.random.default_rng(8)
    n = 8
    rim = [
        [np.cos(a) * np.cos(b), np.sin(a) * np.cos(b), np.sin(b)]
        for b in (-0.7, 0.0, 0.7)
        for a in 2 * np.pi * np.arange(n) / n
    ]
    v0 = np.array([[0.0, 0.0, -1.0], [0.0, 0.0, 1.0], *rim]) + 0.02 * rng.normal(size=(2 + 3 * n, 3))
    k = np.arange(n)
    rings = [2 + r * n + k for r in range(3)]
    turned = [2 + r * n + (k + 1) % n for r in range(3)]
    faces = [np.stack([0 * k, turned[0], rings[0]], 1), np.stack([0 * k + 1, rings[2], turned[2]], 1)]
    for r in range(2):
        faces += [
            np.stack([rings[r], turned[r], turned[r + 1]], 1),
            np.stack([rings[r], turned[r + 1], rings[r + 1]], 1),
        ]
    faces = np.concatenate(faces)
    v1 = v0 * np.array([1.0, 1.0, -0.2]) + 0.1 * rng.normal(size=v0.shape)
    model = tocsin.Deformable(v0, faces)
    found = tocsin.Scene(model).contacts(model.move(v0, v1), tolerance=1e-11)
    assert len(found.times) == touching(v0, v1, faces) > 10

"""What culling leaves out never touches: hierarchies, time-of-contact tests and filters against exact arithmetic."""

import itertools
import warnings
from fractions import Fraction

import numpy as np
import pytest

import tocsin
from tocsin.deform import overlap
from tocsin.deform.hierarchy import AXES, ENDS
from tocsin.deform.mesh_state import MeshState
from tocsin_bench.oracles import feature_pairs
from tocsin_bench.oracles.distance import exact_pierces


def soup(seed, triangles, move, size=0.35):
    """A soup of small triangles in a unit cube, all its own vertices, that move by about `move`."""
    rng = np.random.default_rng(seed)
    centers = rng.random((triangles, 1, 3))
    v0 = (centers + size * (rng.random((triangles, 3, 3)) - 0.5)).reshape(-1, 3)
    v1 = v0 + np.repeat(rng.normal(size=(triangles, 3)) * move, 3, axis=0) + rng.normal(size=v0.shape) * 0.05 * move
    return v0, v1, np.arange(3 * triangles).reshape(-1, 3)


def brute(v0, v1, faces, edges):
    """All touching pairs of features that share no vertex, in exact arithmetic: {(kind, i, j): time}.

    And edges that go through faces at time 0.
    """
    found = {}
    for (i, e), (f, face) in itertools.product(enumerate(edges), enumerate(faces)):
        if not set(e) & set(face):
            p, q, *corners = (tuple(map(Fraction, v0[v])) for v in [*e, *face])
            if exact_pierces(p, q, corners):
                found["edge-face", i, f] = 0.0
    for v, (f, face) in itertools.product(range(len(v0)), enumerate(faces)):
        if v not in face:
            rows = [v, *face]
            time = feature_pairs.first_contact(feature_pairs.VERTEX_FACE, v0[rows], v1[rows])
            if time is not None:
                found["vertex-face", v, f] = float(time.hi)
    for (i, e), (k, f) in itertools.combinations(enumerate(edges), 2):
        if not set(e) & set(f):
            rows = [*e, *f]
            time = feature_pairs.first_contact(feature_pairs.EDGE_EDGE, v0[rows], v1[rows])
            if time is not None:
                found["edge-edge", i, k] = float(time.hi)
    return found


@pytest.mark.parametrize(("seed", "move"), [(1, 0.2), (2, 0.5), (3, 3.0)])
def test_every_touching_pair_is_found_and_no_other(seed, move):
    v0, v1, faces = soup(seed, 14, move)
    model = tocsin.Deformable(v0, faces)
    scene = tocsin.Scene(model)
    truth = brute(v0, v1, faces, model.edges)
    assert truth
    found = scene.contacts(model.move(v0, v1), tolerance=1e-11)
    asked = {
        (found.kinds[kind], int(i), int(k)): time for kind, (i, k), time in zip(found.kind, found.features, found.times)
    }
    assert asked.keys() == truth.keys()
    for pair, time in truth.items():
        assert asked[pair] <= time * (1 + 1e-15)
        assert asked[pair] == pytest.approx(time, abs=1e-6)
    assert scene.first_contact(model.move(v0, v1), tolerance=1e-11).time == min(asked.values())


@pytest.mark.parametrize("power", [-90, -40, 27, 29, 33, 39, 41, 44, 60, 95])
def test_scaled_by_powers_of_two_the_same_pairs_touch_at_the_same_times(power):
    v0, v1, faces = soup(5, 60, 0.5)
    joined = np.concatenate([faces, [[0, 3, 6], [3, 6, 9], [6, 9, 0], [9, 0, 3]]])  # rings too
    asked = []
    for scale in (1.0, 2.0**power):
        model = tocsin.Deformable(scale * v0, joined)
        found = tocsin.Scene(model).contacts(model.move(scale * v0, scale * v1), tolerance=scale * 1e-6)
        asked.append(found)
    assert len(asked[0]) > 100
    assert np.array_equal(asked[0].features, asked[1].features)
    assert np.array_equal(asked[0].times, asked[1].times)


def test_a_connected_mesh_meets_itself_where_exact_arithmetic_says():
    rng = np.random.default_rng(4)
    n = 5
    x, y = np.meshgrid(np.linspace(0, 1, n), np.linspace(0, 1, n), indexing="ij")
    v0 = np.stack([x.ravel(), y.ravel(), 0.02 * rng.normal(size=n * n)], axis=1)
    v1 = v0 + 0.6 * rng.normal(size=v0.shape)
    i = np.arange(n * n).reshape(n, n)
    faces = np.concatenate(
        [
            np.stack([i[:-1, :-1], i[1:, :-1], i[1:, 1:]], -1).reshape(-1, 3),
            np.stack([i[:-1, :-1], i[1:, 1:], i[:-1, 1:]], -1).reshape(-1, 3),
        ]
    )
    model = tocsin.Deformable(v0, faces)
    truth = brute(v0, v1, faces, model.edges)
    found = tocsin.Scene(model).contacts(model.move(v0, v1), tolerance=1e-11)
    asked = {(found.kinds[kind], int(i), int(k)) for kind, (i, k) in zip(found.kind, found.features)}
    assert len(truth) > 30
    assert asked == truth.keys()


def test_a_far_away_scene_has_the_same_contacts():
    v0, v1, faces = soup(5, 30, 0.3)
    v0, v1 = np.round(v0 * 2**20) / 2**20, np.round(v1 * 2**20) / 2**20
    model = tocsin.Deformable(v0, faces)
    here = tocsin.Scene(model).contacts(model.move(v0, v1), tolerance=1e-9)
    far = np.array([2.0**20, -(2.0**21), 2.0**19])
    there = tocsin.Scene(model).contacts(model.move(v0 + far, v1 + far), tolerance=1e-9)
    assert np.array_equal(here.features, there.features)
    assert np.array_equal(here.times, there.times)


@pytest.mark.parametrize("axis", range(AXES))
def test_boxes_contain_their_elements_at_all_times(axis):
    v0, v1, faces = soup(axis, 100, 1.0)
    none = np.zeros((0, 2), np.int32)
    soft = MeshState(len(v0), faces.astype(np.int32), none, none[:, 0], np.arange(len(v0), dtype=np.int32))
    origin = np.array([0.3, 0.2, 0.1])
    side = soft.fit(v0, v1, origin).arrays
    signs = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, -1, 0), (0, 1, 1), (0, 1, -1), (1, 0, 1), (-1, 0, 1)]
    direction = np.array(signs[axis], float)
    for level in range(3):
        start = int(side.start[level])
        for e in range(len(side.corners)):
            q, lane = divmod(e // 8**level, 8)
            low_t0, high_t0, low_t1, high_t1 = side.octets[start + q, axis * ENDS : axis * ENDS + 4, lane].astype(float)
            for t in (0.0, 0.3, 1.0):
                at = ((1 - t) * v0 + t * v1 - origin)[side.corners[e]] @ direction
                assert (1 - t) * low_t0 + t * low_t1 < at.min()
                assert (1 - t) * high_t0 + t * high_t1 > at.max()


def test_what_no_axis_leaves_is_apart():
    v0, v1, faces = soup(9, 64, 2.0)
    none = np.zeros((0, 2), np.int32)
    soft = MeshState(len(v0), faces.astype(np.int32), none, none[:, 0], np.arange(len(v0), dtype=np.int32))
    side = soft.fit(v0, v1, np.zeros(3)).arrays
    one, zero = np.float32(1.0), np.float32(0.0)
    reach = overlap.Reach(zero, one, zero, zero, zero, still=False)
    workspace = overlap.make_ready()
    culled = 0
    for x, y in itertools.combinations(range(64), 2):
        overlap.ready(side.octets, x // 8, reach, workspace)
        if (overlap.near(workspace, side.octets, y // 8, reach, 0, AXES) >> (8 * (x % 8) + y % 8)) & 1:
            continue
        culled += 1
        a, b = side.corners[x], side.corners[y]
        for t in np.linspace(0, 1, 21):
            p, q = ((1 - t) * v0 + t * v1)[a], ((1 - t) * v0 + t * v1)[b]
            axes = np.concatenate([np.eye(3), [[1, 1, 0], [1, -1, 0], [0, 1, 1], [0, 1, -1], [1, 0, 1], [-1, 0, 1]]])
            gaps = [max((q @ n).min() - (p @ n).max(), (p @ n).min() - (q @ n).max()) for n in axes]
            assert max(gaps) > 0.0
    assert culled > 500


def test_answers_do_not_depend_on_the_number_of_threads():
    v0, v1, faces = soup(12, 400, 0.4, size=0.15)
    model = tocsin.Deformable(v0, faces, ignore_overlaps=True)
    answers = []
    for threads in (1, 2, 5):
        scene = tocsin.Scene(model, threads=threads)
        hit = scene.first_contact(model.move(v0, v1))
        every = scene.contacts(model.move(v0, v1))
        answers.append((hit.time, hit.contacts[0].features, every.times.tobytes(), every.features.tobytes()))
    assert answers[0] == answers[1] == answers[2]


def test_the_order_is_made_anew_only_when_it_is_worn():
    rng = np.random.default_rng(0)
    v0, _, faces = soup(20, 600, 0.0, size=0.05)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = tocsin.Deformable(v0, faces)
    scene = tocsin.Scene(model)
    scene.is_free(model.move(v0, v0 + 1.0))
    soft = model.kept["soft"]
    scene.is_free(model.move(v0 + 1.0, v0 + 1.1))
    assert soft.rebuilt == 1
    mixed = np.repeat(rng.permutation(v0[::3]), 3, axis=0) + (v0 - np.repeat(v0[::3], 3, axis=0))
    scene.is_free(model.move(mixed, mixed))
    assert soft.rebuilt == 2

"""Local advancement: never late, within the tolerance, whatever the pair does; held against exact arithmetic."""

import math

import numpy as np
import pytest

import tocsin
from plain import PLAIN
from tocsin.deform import advance
from tocsin_bench.oracles import feature_gaps, feature_pairs

VF, EE = feature_pairs.VERTEX_FACE, feature_pairs.EDGE_EDGE


def times(kind, t0, t1, **options):
    """Ask the product about pairs given as (n, 4, 3)."""
    if kind == VF:
        return tocsin.vertex_face_times(t0[:, 0], t1[:, 0], t0[:, 1:], t1[:, 1:], **options)
    return tocsin.edge_edge_times(t0[:, :2], t1[:, :2], t0[:, 2:], t1[:, 2:], **options)


def random_pairs(seed, n):
    """Pairs of every temper: slow, fast, flat, coplanar, on a grid (so that corners meet), tiny and huge."""
    rng = np.random.default_rng(seed)
    t0 = rng.normal(size=(n, 4, 3))
    t1 = t0 + rng.normal(size=(n, 4, 3)) * 10.0 ** rng.uniform(-2, 1.5, size=(n, 1, 1))
    grid = rng.random(n) < 0.3
    t0[grid] = np.round(t0[grid])
    t1[grid] = np.round(t1[grid])
    flat = rng.random(n) < 0.2
    t0[flat, :, 2] = 0.0
    t1[flat, :, 2] = 0.0
    scale = 2.0 ** rng.integers(-20, 20, size=(n, 1, 1))
    return t0 * scale, t1 * scale, scale[:, 0, 0]


@pytest.mark.parametrize("kind", [VF, EE])
def test_a_time_is_never_late_and_a_contact_is_within_the_tolerance(kind):
    t0, t1, scale = random_pairs(5, 1200)
    hits = 0
    for tolerance in (1e-3, 1e-9):
        for k in range(len(t0)):
            asked = times(kind, t0[k : k + 1], t1[k : k + 1], tolerance=tolerance * scale[k])[0]
            truth = feature_pairs.first_contact(kind, t0[k], t1[k])
            if truth is not None:
                hits += 1
                assert asked <= float(truth.hi) * (1 + 1e-15), (kind, k)
            if math.isfinite(asked):
                gap = math.sqrt(feature_gaps.exact_squared_distance(kind, t0[k], t1[k], float(asked)))
                assert gap <= tolerance * scale[k] * (1 + 1e-12), (kind, k, gap)
    assert hits > 200


@pytest.mark.parametrize("kind", [VF, EE])
def test_a_margin_is_kept_until_the_time_and_reached_at_it(kind):
    rng = np.random.default_rng(11)
    t0 = rng.normal(size=(100, 4, 3))
    t1 = t0 + rng.normal(size=(100, 4, 3))
    margin, tolerance = 0.1, 1e-4
    asked = times(kind, t0, t1, margin=margin, tolerance=tolerance)
    for k in range(len(t0)):
        upto = min(asked[k], 1.0)
        for t in np.linspace(0.0, upto, 20)[:-1] if upto > 0.0 else ():
            assert math.sqrt(feature_gaps.exact_squared_distance(kind, t0[k], t1[k], t)) > margin
        if math.isfinite(asked[k]):
            gap = math.sqrt(feature_gaps.exact_squared_distance(kind, t0[k], t1[k], float(asked[k])))
            assert gap <= margin + tolerance


def test_contact_exactly_at_the_end_is_found():
    face = np.array([[[-1.0, -1, 0], [1, -1, 0], [0, 1, 0]]])
    for start in (1.0, 3.0, 0.1):
        asked = tocsin.vertex_face_times([[0, 0, start]], [[0, 0, 0.0]], face, face, tolerance=1e-12)
        assert 1.0 - 1e-11 / start <= asked[0] <= 1.0


def test_a_vertex_that_slides_in_the_plane_of_a_face_meets_its_edge():
    face = np.array([[[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]])
    asked = tocsin.vertex_face_times([[0.25, -1, 0]], [[0.25, 1, 0]], face, face, tolerance=1e-9)
    assert asked[0] == pytest.approx(0.5, abs=1e-9)


def test_parallel_edges_meet():
    a0 = np.array([[[0.0, 0, 0], [1, 0, 0]]])
    b0 = np.array([[[0.3, 0, 1], [2, 0, 1]]])
    asked = tocsin.edge_edge_times(a0, a0, b0, b0 - [0, 0, 2], tolerance=1e-9)
    assert asked[0] == pytest.approx(0.5, abs=1e-9)


def test_edges_on_one_line_meet_end_to_end():
    a0 = np.array([[[0.0, 0, 0], [1, 0, 0]]])
    b0 = np.array([[[3.0, 0, 0], [4, 0, 0]]])
    asked = tocsin.edge_edge_times(a0, a0, b0, b0 - [4, 0, 0], tolerance=1e-9)
    assert asked[0] == pytest.approx(0.5, abs=1e-9)


@pytest.mark.parametrize(
    "corners", [[[0.0, 0, 0]] * 3, [[-1.0, 0, 0], [1, 0, 0], [1, 0, 0]], [[-1.0, 0, 0], [0, 0, 0], [2, 0, 0]]]
)
def test_a_degenerate_face_is_the_point_or_segment_that_it_is(corners):
    face = np.array([corners])
    hit = tocsin.vertex_face_times([[0, 0, 1]], [[0, 0, -1]], face, face, tolerance=1e-9)
    assert hit[0] == pytest.approx(0.5, abs=1e-9)
    beside = tocsin.vertex_face_times([[0, 0.1, 1]], [[0, 0.1, -1]], face, face, tolerance=1e-9)
    assert beside[0] == math.inf


def test_a_face_that_turns_fast_just_below_a_vertex_is_told_apart():
    turn = np.array([[-1.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    start = np.array([turn @ [[1, 0, 0], [0, 1, 0], [0, 0, 1]]])
    end = np.array([turn @ [[-1, 0, 0], [0, -1, 0], [0, 0, 1]]])
    asked = tocsin.vertex_face_times([[0, 0, 1e-9]], [[0, 0, 1e-9]], start, end, tolerance=1e-12)
    assert asked[0] == math.inf


def test_nothing_moves_is_the_static_answer():
    face = np.array([[[-1.0, -1, 0], [1, -1, 0], [0, 1, 0]]])
    still = tocsin.vertex_face_times(
        [[0, 0, 0.5], [0, 0, 0.0]], [[0, 0, 0.5], [0, 0, 0.0]], face.repeat(2, 0), face.repeat(2, 0)
    )
    assert still.tolist() == [math.inf, 0.0]


def test_scaling_by_a_power_of_two_changes_no_time():
    t0, t1, _ = random_pairs(3, 200)
    for kind in (VF, EE):
        size = np.abs(t0).max(axis=(1, 2))
        for k in range(40):
            one = times(kind, t0[k : k + 1], t1[k : k + 1], tolerance=1e-6 * size[k])
            other = times(kind, t0[k : k + 1] * 2.0**40, t1[k : k + 1] * 2.0**40, tolerance=1e-6 * size[k] * 2.0**40)
            assert one == other


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"v_t0": [[np.nan, 0, 0]]}, "finite"),
        ({"v_t0": [[0, 0]]}, "shape"),
        ({"v_t1": [[0, 0, 0], [1, 1, 1]]}, "same number"),
        ({"f_t0": [[[1e40, 0, 0]] * 3]}, "choose other units"),
        ({"tolerance": 0.0}, "tolerance"),
        ({"margin": -1.0}, "margin"),
    ],
)
def test_wrong_input_is_named(change, said):
    given = {"v_t0": [[0, 0, 1]], "v_t1": [[0, 0, 0]], "f_t0": [[[0, 0, 0]] * 3], "f_t1": [[[0, 0, 0]] * 3], **change}
    arrays = [given.pop(name) for name in ("v_t0", "v_t1", "f_t0", "f_t1")]
    with pytest.raises(tocsin.TocsinError, match=said):
        tocsin.vertex_face_times(*arrays, **given)


@pytest.mark.parametrize("kind", [VF, EE])
def test_a_pair_among_others_ends_as_it_does_alone(kind):
    t0, t1, scale = random_pairs(8, 301)
    together = times(kind, t0 / scale[:, None, None], t1 / scale[:, None, None], tolerance=1e-7)
    for k in range(len(t0)):
        alone = times(kind, t0[k : k + 1] / scale[k], t1[k : k + 1] / scale[k], tolerance=1e-7)
        assert alone[0] == together[k]


@pytest.mark.pure
@PLAIN[1]
def test_a_pair_that_touches_is_left_alone_while_directions_are_sought_for_those_beside_it(monkeypatch):
    """Eight vertices and faces, of which the first touches: a direction that others need is not to free it."""
    answers = iter([np.zeros(8), np.full(8, 2.0)])
    monkeypatch.setattr(advance, "stay_all", lambda *_: next(answers))
    monkeypatch.setattr(advance, "volume_hold", lambda *_: np.zeros(8))
    vertices, faces = np.zeros((8, 8)), np.zeros((24, 8))
    vertices[1:, [2, 5]] = 1.0
    faces[1::3, [0, 3]] = faces[2::3, [1, 4]] = 1.0
    points = np.array([[k, 3 * k, 3 * k + 1, 3 * k + 2] for k in range(8)], np.int32)
    pairs = (vertices, faces), points, np.arange(8, dtype=np.int32)
    t, contact, ahead = advance.points_step(False, False, pairs, 0, np.zeros(8), np.full(8, 1e-6), 0.0)
    assert contact.tolist() == [True] + 7 * [False]
    assert (t[0], ahead[0]) == (0.0, 0.0)
    assert (ahead[1:] == 2.0).all()

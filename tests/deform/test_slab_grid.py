"""The grid of slabs: every moment is in one, feature pairs go by their vertices, and keys tell pairs apart."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

import tocsin
from plain import PLAIN
from tocsin.deform.mesh_state import MeshState
from tocsin.deform.narrow import EDGE_EDGE, FACE_VERTEX, HIT, VERTEX_FACE
from tocsin.deform.slabs import Slabs, keys_of, points_of

pytestmark = PLAIN


def mesh(n, faces):
    none = np.zeros((0, 2), np.int32)
    return MeshState(n, np.array(faces, np.int32), none, np.zeros(0, np.int32), np.arange(n, dtype=np.int32))


def hits(*rows):
    table = np.zeros(len(rows), HIT)
    for row, (kind, a, b) in zip(table, rows):
        row["kind"], row["a"], row["b"] = kind, a, b
    return table


def test_feature_pairs_are_listed_by_their_vertices():
    a, b = mesh(4, [[0, 1, 2], [2, 1, 3]]), mesh(3, [[2, 0, 1]])
    (found,) = points_of(VERTEX_FACE, hits((VERTEX_FACE, 3, 0)), a, b).tolist()
    assert found[0] == 3
    assert sorted(found[1:]) == [0, 1, 2]
    (found,) = points_of(FACE_VERTEX, hits((FACE_VERTEX, 1, 2)), a, b).tolist()
    assert found[0] == 2
    assert sorted(found[1:]) == [1, 2, 3]
    edge = a.given.edges.tolist().index([1, 2])
    (found,) = points_of(EDGE_EDGE, hits((EDGE_EDGE, edge, 0)), a, b).tolist()
    assert sorted(found[:2]) == [1, 2]
    assert sorted(found[2:]) == sorted(b.given.edges[0].tolist())


def test_no_two_feature_pairs_have_one_key():
    rng = np.random.default_rng(1)
    rows = {tuple(row) for row in np.column_stack([rng.integers(0, 5, 500), rng.integers(0, 2**29, (500, 2))]).tolist()}
    assert len(set(keys_of(hits(*rows)).tolist())) == len(rows)


class Path:
    """A link whose deviation from a straight line grows with the square of the time."""

    length_of_chain, joints, links, link = 0, None, None, 0

    def deviation(self, rigid, duration):
        return duration * duration

    def longest(self, rigid, allowed):
        return np.sqrt(max(allowed, 0.0))


def grid(tolerance, noise=0.0, begin=0.0, end=1.0):
    mixed = SimpleNamespace(
        rigid=SimpleNamespace(radius=0.5), path=Path(), tolerance=tolerance, noise=noise, begin=begin, end=end,
        margin=0.25, ends=(np.zeros((2, 3)), np.ones((2, 3))),
    )  # fmt: skip
    return Slabs(mixed, None, 1)


def test_the_deepest_slabs_deviate_by_less_than_a_quarter_of_the_tolerance():
    for tolerance in (1.0, 1e-2, 1e-4):
        slabs = grid(tolerance)
        assert slabs.deviation[-1] <= 0.25 * tolerance
        assert slabs.decides
        assert slabs.depth == 0 or slabs.deviation[-2] > 0.25 * tolerance
        assert (np.diff(slabs.deviation) < 0.0).all()


def test_larger_slabs_are_asked_for_all_that_the_deepest_could_call_a_contact():
    slabs = grid(1e-3)
    near, least = 0.75, slabs.deviation[-1]
    assert slabs.reach[-1] == pytest.approx(near + least)
    for level in range(slabs.depth):
        assert slabs.reach[level] >= near + slabs.deviation[level] + 2.0 * least + 0.5e-3


def test_slabs_cut_a_stretch_without_gaps_and_vertices_go_along():
    slabs = grid(1e-3, begin=0.25, end=0.75)
    for level in (0, 1, 3):
        times = [slabs.time(level, k) for k in range(2**level + 1)]
        assert times[0] == 0.25
        assert times[-1] == 0.75
        assert times == pytest.approx(np.linspace(0.25, 0.75, 2**level + 1).tolist())
        assert slabs._vertices(level, 2**level).tolist() == [[1.0] * 3] * 2
        assert slabs._vertices(level, 0).tolist() == [[0.0] * 3] * 2


def test_noise_that_no_slab_is_short_enough_for_leaves_contacts_undecided():
    slabs = grid(1e-3, noise=1.0)
    assert not slabs.decides


def test_a_cloth_and_a_turning_rod_meet_when_the_rod_is_where_the_cloth_is():
    cloth = tocsin.Deformable(np.array([(0.9, -1.0, -1), (0.9, -1, 1), (0.5, -0.5, 0)]), [(0, 1, 2)])
    builder = tocsin.RobotBuilder("rod").link("base")
    along_x = np.array([[0, 0, 1, 0.0], [0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 0, 1]])
    rod = (tocsin.Capsule(0.05, 2.0), along_x)
    builder.link("rod", rod, parent="base", joint="revolute", axis=(0, 0, 1))
    rod = builder.build()
    hit = tocsin.Scene(cloth, rod).first_contact(rod.move([0.0], [-1.5]), tolerance=1e-4)
    assert hit.status is tocsin.Status.CONTACT
    # The corner at 45 degrees, sqrt(1/2) away: the rod's side is there when its axis is asin(0.05 / sqrt(1/2)) before.
    truth = (math.pi / 4.0 - math.asin(0.05 / math.sqrt(0.5))) / 1.5
    assert hit.time <= truth
    assert hit.time == pytest.approx(truth, abs=2e-4)

"""A vertex has a ring where faces close around it once, edge by edge; everything else is left to pairs."""

import numpy as np
import pytest

from tocsin.deform.rings import LONGEST, blocks_of, find_rings

pytestmark = pytest.mark.pure


def grid(n):
    """n x n squares, two triangles each."""
    at = np.arange((n + 1) ** 2).reshape(n + 1, n + 1)
    a, b, c, d = at[:-1, :-1].ravel(), at[:-1, 1:].ravel(), at[1:, 1:].ravel(), at[1:, :-1].ravel()
    return np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)]).astype(np.int32), at


def fan(n):
    """n faces around vertex 0, closed."""
    return np.array([(0, 1 + k, 1 + (k + 1) % n) for k in range(n)], np.int32)


def rings(faces, n, same=None):
    return find_rings(faces, np.arange(n, dtype=np.int32) if same is None else same, n, len(faces))


def test_inside_a_sheet_every_vertex_has_one_and_none_at_its_border():
    faces, at = grid(4)
    whole = rings(faces, at.size)[0]
    assert sorted(np.flatnonzero(whole)) == sorted(at[1:-1, 1:-1].ravel())


@pytest.mark.parametrize("n", [3, 7, LONGEST])
def test_faces_around_a_vertex_are_put_in_order(n):
    rng = np.random.default_rng(n)
    faces = rng.permutation(fan(n))
    whole, ring, members, start = rings(faces, n + 1)
    assert whole.tolist() == [True] + [False] * n
    assert start[:2].tolist() == [0, n]
    around = ring[:n].tolist()
    assert sorted(around) == list(range(1, n + 1))
    for k in range(n):
        assert set(faces[members[k]]) == {0, around[k], around[(k + 1) % n]}


@pytest.mark.parametrize(
    "faces",
    [
        fan(LONGEST + 1),  # too many
        fan(6)[:-1],  # open
        np.concatenate([fan(3), fan(3) + [[0, 3, 3]]]).astype(np.int32),  # two circles that meet at the vertex
        np.concatenate([fan(4), fan(4)[:1]]),  # one face twice
        np.array([(0, 1, 2), (0, 2, 1)], np.int32),  # two faces, back to back
        np.array([(0, 0, 1), (0, 1, 2), (0, 2, 3), (0, 3, 1)], np.int32),  # a degenerate one among them
    ],
)
def test_what_is_no_simple_circle_has_none(faces):
    assert not rings(np.ascontiguousarray(faces), int(faces.max()) + 1)[0][0]


def test_vertices_that_count_as_one_have_none_and_neither_has_one_at_a_loose_edge():
    faces = np.concatenate([fan(5), fan(5) + 6]).astype(np.int32)
    same = np.arange(12, dtype=np.int32)
    same[6] = 0
    assert not rings(faces, 12, same)[0].any()
    loose = np.concatenate([fan(5), [[0, 6, 6]]]).astype(np.int32)
    assert not find_rings(loose, np.arange(7, dtype=np.int32), 7, 5)[0].any()


def test_blocks_have_eight_rings_of_one_length_each_once():
    sheet, at = grid(6)
    faces = np.concatenate([sheet, fan(30) + at.size]).astype(np.int32)
    n = at.size + 31
    found = rings(faces, n)
    place = np.random.default_rng(1).permutation(len(faces)).astype(np.int32)
    blocks = blocks_of(found, place, np.arange(n))
    vertices, members = blocks.vertices[:, 0], blocks.faces[:, 0]
    seen = []
    after = 0
    for length, used, first in blocks.lengths:
        assert first == after
        after = first + 1 + length
        for lane in range(used):
            v = vertices[first, lane]
            seen.append(v)
            for k in range(length):
                p, q = vertices[first + 1 + k, lane], vertices[first + 1 + (k + 1) % length, lane]
                (face,) = faces[place == members[first + k, lane]]
                assert set(face) == {v, p, q}
        assert (vertices[first, used:] == vertices[first, used - 1]).all(), "filled with the last"
    assert after == len(vertices) == len(members)
    assert blocks.lengths[-1].tolist()[:2] == [30, 1]
    assert sorted(seen) == np.flatnonzero(found[0]).tolist()

"""Every edge and vertex has one element that speaks for it, so that each pair of features is tested once."""

import numpy as np
import pytest

from tocsin.deform.topology import FACE, by_number, directed, make_elements, reordered, sides_of

pytestmark = pytest.mark.pure

NONE = np.zeros((0, 2), np.int32)


def random_mesh(rng):
    """Faces, loose edges and loose points on a dozen vertices, with doubled and degenerate ones."""
    n = int(rng.integers(3, 12))
    faces = rng.integers(0, n, (int(rng.integers(0, 12)), 3)).astype(np.int32)
    edges = rng.integers(0, n, (int(rng.integers(0, 4)), 2)).astype(np.int32)
    points = rng.integers(0, n, int(rng.integers(0, 3))).astype(np.int32)
    return n, faces, edges, points


def test_every_edge_and_every_vertex_in_use_is_represented_exactly_once():
    rng = np.random.default_rng(4)
    for _ in range(200):
        n, faces, edges, points = random_mesh(rng)
        elements = make_elements(n, faces, edges, points, np.arange(n, dtype=np.int32))
        pairs = [(f[k], f[(k + 1) % 3]) for f in faces for k in range(3)] + [tuple(e) for e in edges]
        pairs += [(p, p) for p in points]
        assert {tuple(sorted(e)) for e in elements.edges.tolist()} == {tuple(sorted(map(int, p))) for p in pairs}
        owned = elements.owned_edges[elements.owned_edges >= 0]
        assert sorted(owned) == list(range(len(elements.edges)))
        spoken = [
            v for corners, owns in zip(elements.corners, elements.owns) for k, v in enumerate(corners) if owns >> k & 1
        ]
        assert sorted(spoken) == sorted(set(elements.corners.ravel().tolist()))
        assert (elements.owns & FACE != 0).tolist() == [k < len(faces) for k in range(len(elements.corners))]


def test_an_owned_edge_is_a_side_of_its_owner():
    rng = np.random.default_rng(5)
    for _ in range(100):
        n, faces, edges, points = random_mesh(rng)
        elements = make_elements(n, faces, edges, points, np.arange(n, dtype=np.int32))
        sides = sides_of(elements)
        for m, (corners, owned) in enumerate(zip(elements.corners, elements.owned_edges)):
            for k in range(3):
                if owned[k] >= 0:
                    assert set(elements.edges[owned[k]]) == {corners[k], corners[(k + 1) % 3]}
                    assert sides[m, k] == owned[k]


def test_edges_go_the_way_of_who_represents_them():
    elements = make_elements(3, np.array([[2, 1, 0]], np.int32), NONE, NONE[:, 0], np.arange(3, dtype=np.int32))
    assert elements.edges.tolist() == [[0, 1], [0, 2], [1, 2]]
    assert directed(elements).tolist() == [[1, 0], [0, 2], [2, 1]]


def test_another_order_has_the_same_elements():
    rng = np.random.default_rng(6)
    faces = rng.integers(0, 9, (7, 3)).astype(np.int32)
    elements = make_elements(9, faces, NONE, NONE[:, 0], np.arange(9, dtype=np.int32))
    order = rng.permutation(7)
    other = reordered(elements, order)
    assert other.source.tolist() == order.tolist()
    assert np.array_equal(other.corners, faces[order])
    assert np.array_equal(other.owned_edges, elements.owned_edges[order])


def test_places_of_the_same_number_keep_their_order():
    rng = np.random.default_rng(7)
    numbers = rng.integers(0, 5, 40).astype(np.int32)
    order = rng.permutation(40).astype(np.int32)
    assert by_number(numbers, order, 5).tolist() == sorted(order.tolist(), key=lambda place: numbers[place])

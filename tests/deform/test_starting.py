"""What a list says about the start: parts inside solids, and edges through faces that say nothing more."""

import numpy as np
import pytest

from tocsin.deform.narrow import EDGE_EDGE, EDGE_FACE, VERTEX_FACE
from tocsin.deform.starting import is_confirmed, mark_inside, parts_of, touching_at_start
from tocsin.deform.topology import make_elements
from tocsin.outcome import CAPPED, CONTACT

pytestmark = pytest.mark.pure

ROW = np.dtype([("kind", "i4"), ("a", "i4"), ("b", "i4"), ("time", "f8"), ("status", "i4")])


def elements(n, faces):
    nothing = np.zeros((0, 2), np.int32)
    return make_elements(n, np.array(faces, np.int32), nothing, np.zeros(0, np.int32), np.arange(n, dtype=np.int32))


def rows(*given):
    return np.array(list(given), ROW)


def test_faces_that_share_an_edge_are_one_part_and_each_part_has_a_sample_of_its_own():
    found = parts_of(elements(9, [[0, 1, 2], [2, 1, 4], [5, 6, 7]]), None)
    assert len(found.samples) == 2
    assert found.labels[0] == found.labels[1] != found.labels[2]
    assert found.samples[found.labels[2]] in (5, 6, 7)


def test_parts_without_what_touches():
    three = elements(5, [[0, 1, 2], [2, 1, 3], [2, 3, 4]])
    assert len(parts_of(three, None).samples) == 1
    assert len(parts_of(three, np.array([False, True, False])).samples) == 2


def test_elements_touch_by_a_corner_an_edge_or_as_a_face_and_at_the_start_only():
    two = elements(6, [[0, 1, 2], [3, 4, 5]])
    by_vertex = touching_at_start(two, rows((VERTEX_FACE, 4, 0, 0.0, CONTACT)))
    assert two.corners[by_vertex].tolist() == [[3, 4, 5]]
    edge = two.edges.tolist().index([0, 2])
    by_edge = touching_at_start(two, rows((EDGE_EDGE, edge, 0, 0.0, CONTACT)))
    assert two.corners[by_edge].tolist() == [[0, 1, 2]]
    assert not touching_at_start(two, rows((VERTEX_FACE, 4, 0, 0.5, CONTACT))).any()


def test_an_edge_that_may_go_through_a_face_says_nothing_where_its_end_touches_that_face():
    a, b = elements(3, [[0, 1, 2]]), elements(3, [[0, 1, 2]])
    edge = a.edges.tolist().index([0, 1])
    unclear, through = (EDGE_FACE, edge, 0, 0.0, CAPPED), (EDGE_FACE, edge, 0, 0.0, CONTACT)
    touch = (VERTEX_FACE, 1, 0, 0.0, CONTACT)
    assert is_confirmed(rows(unclear), a, b, False).tolist() == [True]
    assert is_confirmed(rows(unclear, touch), a, b, False).tolist() == [False, True]
    assert is_confirmed(rows(through, touch), a, b, False).tolist() == [True, True]
    assert is_confirmed(rows(unclear, (VERTEX_FACE, 2, 0, 0.0, CONTACT)), a, b, False).tolist() == [True, True]
    assert is_confirmed(rows(unclear, (EDGE_EDGE, edge, 2, 0.0, CONTACT)), a, b, False).tolist() == [False, True]


def test_samples_are_inside_a_closed_mesh_or_not():
    corners = np.array([[1.0, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
    faces = np.array([[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]], np.int32)
    inside = np.zeros(3, np.bool_)
    mark_inside(corners, faces, np.array([[0.0, 0, 0], [0.9, 0.9, -0.9], [3, 0, 0]]), inside)
    assert inside.tolist() == [True, False, False]

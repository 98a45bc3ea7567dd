"""Pairs that the caller brings: times against the closed form, shapes and numbers that are refused."""

import math

import numpy as np
import pytest

import tocsin
from tocsin.deform.pairs import diagonal, edge_edge_times, size_of, vertex_face_times

FACE = np.array([[[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]])

pytestmark = pytest.mark.pure


def test_a_vertex_that_falls_on_a_face_is_there_when_it_is():
    start, end = np.array([[0.2, 0.2, 1.0], [0.9, 0.9, 1.0]]), np.array([[0.2, 0.2, -1.0], [0.9, 0.9, -1.0]])
    two = np.repeat(FACE, 2, axis=0)
    times = vertex_face_times(start, end, two, two, margin=0.1, tolerance=1e-6)
    assert times[0] == pytest.approx(0.45, abs=1e-5)
    assert times[0] <= 0.45
    assert times[1] == math.inf


def test_edges_that_cross_on_their_way_meet():
    a = np.array([[[0.0, -1, 1], [0, 1, 1]]])
    b = np.array([[[-1.0, 0, 0], [1, 0, 0]]])
    times = edge_edge_times(a, a - (0, 0, 4), b, b, tolerance=1e-9)
    assert times == pytest.approx([0.25], abs=1e-8)


def test_no_pairs_have_no_times():
    assert len(vertex_face_times(np.zeros((0, 3)), np.zeros((0, 3)), FACE[:0], FACE[:0])) == 0


@pytest.mark.parametrize("bad", [np.zeros((2, 3)), np.zeros((1, 2)), np.full((1, 3), np.nan), [["x", 0, 0]]])
def test_what_does_not_fit_is_refused_in_a_sentence(bad):
    with pytest.raises(tocsin.TocsinError, match=r"\.$"):
        vertex_face_times(bad, np.zeros((1, 3)), FACE, FACE)


def test_the_default_tolerance_goes_by_the_smaller_side_that_is_no_point():
    flat = np.array([0.0, 0, 0, 3, 4, 0, 0, 0, 0])
    assert diagonal(flat, 0, 2) == 5.0
    assert diagonal(flat, 2, 1) == 0.0
    edge, other = np.array([0.0, 0, 0, 3, 4, 0]), np.array([0.0, 0, 0, 0, 0, 1])
    assert size_of(edge, other, 2, 0) == 1.0
    assert size_of(edge, np.zeros(6), 2, 0) == 5.0, "a side without size has no say"
    assert size_of(np.zeros(6), np.zeros(6), 2, 0) == 1.0

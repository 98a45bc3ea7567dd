"""One event is one row: corners on borders are told once, and the most proper of an event is kept."""

import numpy as np
import pytest

from plain import PLAIN
from tocsin.contacts.timed import TIMED
from tocsin.screen.resolve import BORDER, SAME, SHIFT, best_of_each, corner_key
from tocsin.screen.tables import SURFACE

pytestmark = PLAIN


def rows_of(*given):
    rows, keys = np.zeros(len(given), TIMED), np.zeros(len(given), np.int64)
    for row, (k, (key, time, proper)) in zip(rows, enumerate(given)):
        row["time"], row["properness"], keys[k] = time, proper, key
    return rows, keys


@pytest.mark.parametrize("room", [8, 2])
def test_the_most_proper_of_an_event_is_kept_whatever_room_there_is(room):
    rows, keys = rows_of((7, 0.5, 0.1), (3, 0.2, 0.4), (7, 0.5, 0.9), (7, 0.8, 0.2), (3, 0.2, 0.3))
    assert best_of_each(rows, keys, np.empty((2, room), np.int64)) == 3
    kept = sorted((float(r["time"]), float(r["properness"])) for r in rows[:3])
    assert kept == [(0.2, 0.4), (0.5, 0.9), (0.8, 0.2)]


@pytest.mark.parametrize("room", [8, 1])
def test_events_at_other_times_are_others(room):
    rows, keys = rows_of((1, 0.5, 0.1), (1, 0.5 + 3.0 * SAME, 0.2))
    assert best_of_each(rows, keys, np.empty((2, room), np.int64)) == 2
    rows, keys = rows_of((1, 0.5, 0.1), (1, 0.5 + 0.5 * SAME, 0.2))
    assert best_of_each(rows, keys, np.empty((2, room), np.int64)) == 1
    assert rows[0]["properness"] == 0.2


@pytest.mark.parametrize("k", range(3))
def test_two_corners_have_one_key_whichever_is_in_a_face_of_the_other(k):
    surface = np.zeros(1, SURFACE)[0]
    surface["point"] = 100
    triangle = np.array([111, 112, 113])
    at = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)][k]  # weights of the second and third corner
    mine = corner_key(*at, triangle, surface, 55, 9, 4, np.int64(2))
    other = np.zeros(1, SURFACE)[0]
    other["point"] = 0
    theirs = corner_key(0.0, 0.0, np.array([55, 1, 2]), other, 11 + k, 8, 3, np.int64(1))
    assert mine == theirs


def test_inside_a_face_the_face_counts_and_on_its_border_it_does_not():
    surface, triangle = np.zeros(1, SURFACE)[0], np.array([1, 2, 3])
    inside = [corner_key(0.3, 0.3, triangle, surface, 5, face, 4, np.int64(1)) for face in (8, 9)]
    assert inside[0] != inside[1]
    border = [corner_key(0.3, 0.5 * BORDER, triangle, surface, 5, face, 4, np.int64(1)) for face in (8, 9)]
    assert border[0] == border[1]
    assert len({key // SHIFT for key in (*inside, *border)}) == 2

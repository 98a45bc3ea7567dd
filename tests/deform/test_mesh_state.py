"""What is kept of a deformable model: an order that is made anew when it is worn, and fits that hold its vertices."""

import numpy as np

from plain import PLAIN
from tocsin.deform.hierarchy import AXES, ENDS, HI_T0, HI_T1, LO_T0, LO_T1
from tocsin.deform.mesh_state import MeshState, in_sequence, seat, widen

pytestmark = PLAIN

NONE = np.zeros((0, 2), np.int32)


def cloth(n):
    x, y = np.meshgrid(np.linspace(0, 1, n), np.linspace(0, 1, n))
    flat = np.stack([x.ravel(), y.ravel(), np.zeros(n * n)], axis=1)
    corners = [i * n + j for i in range(n - 1) for j in range(n - 1)]
    faces = np.array([f for a in corners for f in ((a, a + 1, a + n), (a + 1, a + n + 1, a + n))], np.int32)
    return flat, faces


def made(n=6):
    flat, faces = cloth(n)
    return flat, MeshState(len(flat), faces, NONE, np.zeros(0, np.int32), np.arange(len(flat), dtype=np.int32))


def test_boxes_of_elements_hold_their_corners_at_both_ends():
    flat, soft = made()
    moved = flat + np.random.default_rng(1).normal(size=flat.shape) * 0.1
    arrays = soft.fit(flat, moved, np.zeros(3)).arrays
    for e, corners in enumerate(arrays.corners):
        octet, lane = arrays.octets[e // 8], e % 8
        for places, low, high in ((flat, LO_T0, HI_T0), (moved, LO_T1, HI_T1)):
            for axis in range(3):
                x = places[corners, axis]
                assert octet[axis * ENDS + low, lane] <= x.min()
                assert octet[axis * ENDS + high, lane] >= x.max()
    assert AXES >= 3


def test_the_order_is_made_once_and_again_when_the_model_has_changed_its_form():
    flat, soft = made()
    soft.fit(flat, flat + 0.01, np.zeros(3))
    soft.fit(flat.copy(), flat + 0.02, np.zeros(3))
    assert soft.rebuilt == 1
    shuffled = flat[np.random.default_rng(2).permutation(len(flat))]
    soft.fit(shuffled, shuffled.copy(), np.zeros(3))
    assert soft.rebuilt <= 2
    last = soft.fit(flat, flat, np.zeros(3))
    assert soft.fit(flat, flat, np.zeros(3)).arrays.octets is last.arrays.octets


def test_the_very_same_arrays_are_not_fitted_again_until_forgotten():
    flat, soft = made()
    origin = np.zeros(3)
    first = soft.fit(flat, flat, origin)
    first.arrays.octets[:] = 7.0
    assert (soft.fit(flat, flat, origin).arrays.octets == 7.0).all()
    soft.forget()
    assert not (soft.fit(flat, flat, origin).arrays.octets == 7.0).all()


def test_seats_and_sequences_follow_the_elements():
    corners = np.array([[5, 1, 2], [2, 1, 0]], np.int32)
    seats = np.zeros((1, 3, 8), np.int32)
    seat(corners, seats)
    assert seats[0, :, 0].tolist() == [5, 1, 2]
    assert (seats[0, :, 1:] == corners[1][:, None]).all(), "the last element fills the octet"
    assert in_sequence(corners, 6).tolist() == [5, 1, 2, 0]
    box = np.array([[np.inf] * 3, [-np.inf] * 3])
    widen(box, np.array([[0.0, 1, 2], [-1, 5, 2]]))
    assert box.tolist() == [[-1.0, 1.0, 2.0], [0.0, 5.0, 2.0]]

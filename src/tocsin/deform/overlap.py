"""Time-of-contact tests of boxes and k-DOPs (2010, section IV): eight against eight, one against eight at a time.

Along an axis the gap between two DOPs whose sides move linearly is linear in time too: it is positive during [0, T] if
it is at 0 and at T. That is the test: no division, and T, the best time so far, is where the paper would compare times.
One octet is made ready, grown by the margin and with its sides at T, so that a test of one of its lanes against eight
is differences only; the largest of them over all axes decides.
"""

import math
from typing import NamedTuple

import numpy as np

from tocsin._jit import kernel
from tocsin._lanes import bits, load_singles
from tocsin.deform.hierarchy import AXES, ENDS, HI_T0, HI_T1, LO_T0, LO_T1, ROWS
from tocsin.deform.rows import greater, lane_at, lesser, store_singles

ALL = 255
"""Bits of eight lanes."""

A, B = 0, 1
"""Places of the two octets that are made ready."""

ZERO = np.float32(0.0)


class Reach(NamedTuple):
    """What a test of octets needs to know: the time until which it matters, and how near is near."""

    done: np.float32
    limit: np.float32
    margin: np.float32
    wide: np.float32
    """The margin along diagonal axes, where lengths are sqrt 2 as large."""
    noise: np.float32
    still: bool
    """So little moves until then that time 0 will do, with margins that are larger by it."""


@kernel
def make_ready():
    """Return room for two octets that are made ready."""
    return np.zeros((2, ROWS, 8), dtype=np.float32)


@kernel
def ready(octets, q, reach, margin, wide, out, place):
    """Write an octet with its DOPs grown by the margins, and with its sides at T in the place of those at 1."""
    for axis in range(AXES):
        row = axis * ENDS
        by = margin if axis < 3 else wide
        low = load_singles(octets, q, row + LO_T0)
        high = load_singles(octets, q, row + HI_T0)
        store_singles(out, place, row + LO_T0, low - by)
        store_singles(out, place, row + HI_T0, high + by)
        if not reach.still:
            low = low * reach.done + load_singles(octets, q, row + LO_T1) * reach.limit
            high = high * reach.done + load_singles(octets, q, row + HI_T1) * reach.limit
            store_singles(out, place, row + LO_T1, low - by)
            store_singles(out, place, row + HI_T1, high + by)


@kernel
def gap(octets, axis, i):
    """Return by how much lanes of the second octet are beside lane i of the first along one axis, from 0 to T.

    Proof. The gap at t in [0, T] is a weighted mean of those at 0 and at T: above the margin if both are. `limit` is T
    rounded up and `done` is 1 - T. A side at T passes at most five roundings of 2^-24 of a weighted mean of two sides,
    which are at most twice the largest coordinate X of its model, and growing it by the margin one more (the margin's
    own part is in it): 12 2^-24 X at most. DOPs were grown by 18 2^-24 X beyond their own roundings (`hierarchy.PAD`).
    The sign of a difference is exact.
    """
    row = axis * ENDS
    above = load_singles(octets, B, row + LO_T0) - lane_at(octets, A, row + HI_T0, i)
    below = lane_at(octets, A, row + LO_T0, i) - load_singles(octets, B, row + HI_T0)
    above_t = load_singles(octets, B, row + LO_T1) - lane_at(octets, A, row + HI_T1, i)
    below_t = lane_at(octets, A, row + LO_T1, i) - load_singles(octets, B, row + HI_T1)
    return greater(lesser(above, above_t), lesser(below, below_t))


@kernel
def still_gap(octets, octets_b, b, axis, i):
    """Return by how much lanes of octet b are beside lane i of the octet that was made ready, along one axis at 0."""
    row = axis * ENDS
    above = load_singles(octets_b, b, row + LO_T0) - lane_at(octets, A, row + HI_T0, i)
    return greater(above, lane_at(octets, A, row + LO_T0, i) - load_singles(octets_b, b, row + HI_T0))


@kernel
def side_gap(octets, octets_b, b, k, axis, reach):
    """Return by how much lanes of the octet that was made ready are beside lane k of octet b along one axis; `gap`."""
    row = axis * ENDS
    low = lane_at(octets_b, b, row + LO_T0, k)
    high = lane_at(octets_b, b, row + HI_T0, k)
    above = load_singles(octets, A, row + LO_T0) - high
    below = low - load_singles(octets, A, row + HI_T0)
    if reach.still:
        return greater(above, below)
    low = low * reach.done + lane_at(octets_b, b, row + LO_T1, k) * reach.limit
    high = high * reach.done + lane_at(octets_b, b, row + HI_T1, k) * reach.limit
    above = lesser(above, load_singles(octets, A, row + LO_T1) - high)
    below = lesser(below, low - load_singles(octets, A, row + HI_T1))
    return greater(above, below)


@kernel
def near_lane(octets, octets_b, b, k, reach):
    """Return the lanes (bits) of the octet that was made ready that may come near lane k of octet b."""
    far = side_gap(octets, octets_b, b, k, 0, reach)
    for axis in range(1, AXES):
        far = greater(far, side_gap(octets, octets_b, b, k, axis, reach))
    return ALL - bits(far > ZERO)


@kernel
def near_octet(octets, octets_b, b, lanes, reach, masks):
    """Write for each of the `lanes` (bits) of the octet that was made ready which lanes (bits) of octet b come near it.

    If all is still, the margin includes how far both can go during [0, T]: the rest is apart all that time.
    """
    if reach.still:
        for i in range(8):
            masks[i] = 0
            if (lanes >> i) & 1:
                far = still_gap(octets, octets_b, b, 0, i)
                for axis in range(1, AXES):
                    far = greater(far, still_gap(octets, octets_b, b, axis, i))
                masks[i] = ALL - bits(far > ZERO)
        return
    ready(octets_b, b, reach, ZERO, ZERO, octets, B)
    for i in range(8):
        masks[i] = 0
        if (lanes >> i) & 1:
            far = gap(octets, 0, i)
            for axis in range(1, AXES):
                far = greater(far, gap(octets, axis, i))
            masks[i] = ALL - bits(far > ZERO)


@kernel
def single_up(x):
    """Return a single-precision number of at least x >= 0."""
    return np.float32(x * (1.0 + 2.0**-23))


@kernel
def diagonal(margin):
    """Return the margin along a diagonal axis, rounded up."""
    return margin * (math.sqrt(2.0) * (1.0 + 2.0**-50))

"""Time-of-contact tests of boxes and k-DOPs [LOCAL IV.A, IV.B]: eight against eight.

Along an axis the gap between two DOPs whose sides move linearly is linear in time too: it is positive during [0, T] if
it is at 0 and at T. That is the test: no division, and T, the best time so far, is what [LOCAL eq. 2] has to be
compared with. One octet is made ready, grown by the margin and with its sides at T; a test of one of its lanes against
eight is then differences only, and their signs decide (`signs`).
"""

import math
from typing import NamedTuple

import numpy as np

from tocsin.compiler.jit import inlined, kernel
from tocsin.deform.hierarchy import AXES, ENDS, HI_T0, HI_T1, LO_T0, LO_T1, ROWS
from tocsin.simd.lanes import load_singles
from tocsin.simd.signs import YES, may_meet, meet, negatives
from tocsin.simd.singles import lane_at, spread_single, store_singles


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
    """Return room for an octet that is made ready."""
    return np.zeros((1, ROWS, 8), dtype=np.float32)


@inlined
def ready(octets, q, reach, out):
    """Write an octet with its DOPs grown by the margin, and with its sides at T in the place of those at 1."""
    for axis in range(AXES):
        row = axis * ENDS
        by = reach.margin if axis < 3 else reach.wide
        low = load_singles(octets, q, row + LO_T0)
        high = load_singles(octets, q, row + HI_T0)
        store_singles(out, 0, row + LO_T0, low - by)
        store_singles(out, 0, row + HI_T0, high + by)
        if not reach.still:
            low = low * reach.done + load_singles(octets, q, row + LO_T1) * reach.limit
            high = high * reach.done + load_singles(octets, q, row + HI_T1) * reach.limit
            store_singles(out, 0, row + LO_T1, low - by)
            store_singles(out, 0, row + HI_T1, high + by)


@inlined
def moving(so_far, octet, row, i, low, high, low_t, high_t):
    """Return `so_far` without the DOPs of eight that are beside lane i of a ready octet along one axis, from 0 to T.

    Proof. The gap at t in [0, T] is a weighted mean of those at 0 and at T: above the margin if both are. `limit` is T
    rounded up and `done` is 1 - T. A side at T passes at most five roundings of 2^-24 of a weighted mean of two sides,
    which are at most twice the largest coordinate X of its model, and growing it by the margin one more (the margin's
    own part is in it): 12 2^-24 X at most. DOPs were grown by 18 2^-24 X beyond their own roundings (`hierarchy.PAD`),
    so that a gap of 0 is one too. The sign of a difference is exact.
    """
    return may_meet(
        so_far,
        low - lane_at(octet, 0, row + HI_T0, i),
        low_t - lane_at(octet, 0, row + HI_T1, i),
        high - lane_at(octet, 0, row + LO_T0, i),
        high_t - lane_at(octet, 0, row + LO_T1, i),
    )


@inlined
def standing(so_far, octet, row, i, low, high):
    """Return `so_far` without the DOPs of eight that are beside lane i of a ready octet along one axis at time 0."""
    return meet(so_far, low - lane_at(octet, 0, row + HI_T0, i), high - lane_at(octet, 0, row + LO_T0, i))


@inlined
def near_moving(octet, octets, q, reach, first, last):
    """Return 64 bits: bit 8 i + k if lane k of octet q may come near lane i of a ready octet during [0, T].

    Axis by axis: eight rows of signs stay in registers.
    """
    a = spread_single(YES)
    b = a
    c = a
    d = a
    e = a
    f = a
    g = a
    h = a
    for axis in range(first, last):
        row = axis * ENDS
        low = load_singles(octets, q, row + LO_T0)
        high = load_singles(octets, q, row + HI_T0)
        low_t = low * reach.done + load_singles(octets, q, row + LO_T1) * reach.limit
        high_t = high * reach.done + load_singles(octets, q, row + HI_T1) * reach.limit
        a = moving(a, octet, row, 0, low, high, low_t, high_t)
        b = moving(b, octet, row, 1, low, high, low_t, high_t)
        c = moving(c, octet, row, 2, low, high, low_t, high_t)
        d = moving(d, octet, row, 3, low, high, low_t, high_t)
        e = moving(e, octet, row, 4, low, high, low_t, high_t)
        f = moving(f, octet, row, 5, low, high, low_t, high_t)
        g = moving(g, octet, row, 6, low, high, low_t, high_t)
        h = moving(h, octet, row, 7, low, high, low_t, high_t)
    return joined(a, b, c, d, e, f, g, h)


@inlined
def near_still(octet, octets, q, first, last):
    """Return 64 bits as `near_moving`, of octets that are where they are at time 0."""
    a = spread_single(YES)
    b = a
    c = a
    d = a
    e = a
    f = a
    g = a
    h = a
    for axis in range(first, last):
        row = axis * ENDS
        low = load_singles(octets, q, row + LO_T0)
        high = load_singles(octets, q, row + HI_T0)
        a = standing(a, octet, row, 0, low, high)
        b = standing(b, octet, row, 1, low, high)
        c = standing(c, octet, row, 2, low, high)
        d = standing(d, octet, row, 3, low, high)
        e = standing(e, octet, row, 4, low, high)
        f = standing(f, octet, row, 5, low, high)
        g = standing(g, octet, row, 6, low, high)
        h = standing(h, octet, row, 7, low, high)
    return joined(a, b, c, d, e, f, g, h)


@inlined
def joined(a, b, c, d, e, f, g, h):
    """Return 64 bits: the signs of eight times eight lanes."""
    low = negatives(a) | (negatives(b) << 8) | (negatives(c) << 16) | (negatives(d) << 24)
    high = negatives(e) | (negatives(f) << 8) | (negatives(g) << 16) | (negatives(h) << 24)
    return low | (high << 32)


@inlined
def near(octet, octets, q, reach, first, last):
    """Return 64 bits: bit 8 i + k if lane k of octet q may come near lane i of a ready octet during [0, T].

    By the axes first to last - 1.
    If all is still, the margin includes how far both can go during [0, T]: the rest is apart all that time.
    """
    if reach.still:
        return near_still(octet, octets, q, first, last)
    return near_moving(octet, octets, q, reach, first, last)


@kernel
def diagonal(margin):
    """Return the margin along a diagonal axis, rounded up."""
    return margin * (math.sqrt(2.0) * (1.0 + 2.0**-50))

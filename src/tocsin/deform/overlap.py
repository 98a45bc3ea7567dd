"""Time-of-contact tests of boxes and k-DOPs (2010, section IV), one against eight at a time.

Along an axis the gap between two DOPs whose sides move linearly is linear in time too: it is positive during [0, T] if
it is at 0 and at T. That is the test: no division, and T, the best time so far, is where the paper would compare times.
The first three axes are the test of the boxes; only what they leave is asked about the other six.
"""

import math

import numpy as np

from tocsin._jit import kernel
from tocsin._lanes import bits, load_singles
from tocsin.deform.hierarchy import AXES, ENDS, HI_T0, HI_T1, LO_T0, LO_T1

ALL = 255
"""Bits of eight lanes."""


@kernel
def gap(octets_a, a, i, octets_b, b, axis, done, limit, margin):
    """Return (apart, apart at 0) of lane i of the octet a and all lanes of the octet b, along one axis.

    Proof. g0 and g1 are the gaps at 0 and 1, so the gap at T is (1 - T) g0 + T g1, and above the margin in between if
    it is at 0 and at T. `limit` is T rounded up and `done` is 1 - T. A gap passes at most five roundings of 2^-24, each
    relative to one of its weighted terms, which are at most the weighted sums of the coordinates of both DOPs; each was
    grown by 15 2^-24 of its coordinates (`hierarchy`), so what is computed as larger than the margin is larger.
    """
    row = axis * ENDS
    g0 = load_singles(octets_b, b, row + LO_T0) - octets_a[a, row + HI_T0, i]
    h0 = octets_a[a, row + LO_T0, i] - load_singles(octets_b, b, row + HI_T0)
    g1 = load_singles(octets_b, b, row + LO_T1) - octets_a[a, row + HI_T1, i]
    h1 = octets_a[a, row + LO_T1, i] - load_singles(octets_b, b, row + HI_T1)
    above = g0 > margin
    below = h0 > margin
    apart = (above & (g0 * done + g1 * limit > margin)) | (below & (h0 * done + h1 * limit > margin))
    return apart, above | below


@kernel
def near(octets_a, a, i, octets_b, b, done, limit, margin, wide):
    """Return (lanes, lanes at 0) as bits: which DOPs of octet b may come near lane i of octet a, and may be so at 0.

    Along the diagonal axes lengths are sqrt 2 as large, and so is the margin: `wide`.
    """
    x, x0 = gap(octets_a, a, i, octets_b, b, 0, done, limit, margin)
    y, y0 = gap(octets_a, a, i, octets_b, b, 1, done, limit, margin)
    z, z0 = gap(octets_a, a, i, octets_b, b, 2, done, limit, margin)
    far = x | y | z
    if bits(far) == ALL:
        return 0, 0
    far0 = x0 | y0 | z0
    for axis in range(3, AXES, 2):
        p, p0 = gap(octets_a, a, i, octets_b, b, axis, done, limit, wide)
        q, q0 = gap(octets_a, a, i, octets_b, b, axis + 1, done, limit, wide)
        far = far | p | q
        far0 = far0 | p0 | q0
    return ALL - bits(far), ALL - bits(far | far0)


@kernel
def still_near(octets_a, a, i, octets_b, b, margin, wide):
    """Return the lanes (bits) of octet b that are within a margin of lane i of octet a at time 0.

    The margin includes how far both can go during [0, T], so that the rest is apart all that time.
    """
    apart = lane_gap(octets_a, a, i, octets_b, b, 0, margin)
    apart = apart | lane_gap(octets_a, a, i, octets_b, b, 1, margin)
    apart = apart | lane_gap(octets_a, a, i, octets_b, b, 2, margin)
    if bits(apart) == ALL:
        return 0
    for axis in range(3, AXES, 2):
        apart = apart | lane_gap(octets_a, a, i, octets_b, b, axis, wide)
        apart = apart | lane_gap(octets_a, a, i, octets_b, b, axis + 1, wide)
    return ALL - bits(apart)


@kernel
def lane_gap(octets_a, a, i, octets_b, b, axis, margin):
    """Return the lanes of octet b that are farther than a margin from lane i of octet a at time 0, along one axis."""
    row = axis * ENDS
    g = load_singles(octets_b, b, row + LO_T0) - octets_a[a, row + HI_T0, i]
    h = octets_a[a, row + LO_T0, i] - load_singles(octets_b, b, row + HI_T0)
    return (g > margin) | (h > margin)


@kernel
def single_up(x):
    """Return a single-precision number of at least x >= 0."""
    return np.float32(x * (1.0 + 2.0**-23))


@kernel
def diagonal(margin):
    """Return the margin along a diagonal axis, rounded up."""
    return margin * (math.sqrt(2.0) * (1.0 + 2.0**-50))

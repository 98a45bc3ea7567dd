"""The gap between two boxes, (centre, axes, half extents) each, along the best of seven directions.

The face normals of both boxes and the line between their centres are tried; the nine edge-edge axes of the classic test
cost more than they cull. Any direction gives a lower bound of the distance: soundness never rests on the best one.
"""

from tocsin import vec
from tocsin.compiler.jit import kernel
from tocsin.geometry.tree import UNIT_DOWN
from tocsin.simd.lanes import root, select


@kernel
def wider(gap, side, n, other_gap, other_side, other_n):
    """Return whichever has the wider gap."""
    better = other_gap > gap
    return (
        select(better, other_gap, gap),
        select(better, other_side, side),
        (select(better, other_n[0], n[0]), select(better, other_n[1], n[1]), select(better, other_n[2], n[2])),
    )


@kernel
def gap_between(box, other):
    """Return (gap, n): the widest gap between two boxes along seven directions, and the unit direction to the other.

    A gap that is not positive proves nothing. |n| <= 1 up to the roundings that the noise of a pair covers: the axes
    are unit to 2^-22 and made shorter by 2^-21.
    """
    center, (a0, a1, a2), (h0, h1, h2) = box
    other_center, (b0, b1, b2), (g0, g1, g2) = other
    d = vec.sub(other_center, center)
    s0 = vec.dot(a0, d)
    s1 = vec.dot(a1, d)
    s2 = vec.dot(a2, d)
    t0 = vec.dot(b0, d)
    t1 = vec.dot(b1, d)
    t2 = vec.dot(b2, d)
    m00 = abs(vec.dot(a0, b0))
    m01 = abs(vec.dot(a0, b1))
    m02 = abs(vec.dot(a0, b2))
    m10 = abs(vec.dot(a1, b0))
    m11 = abs(vec.dot(a1, b1))
    m12 = abs(vec.dot(a1, b2))
    m20 = abs(vec.dot(a2, b0))
    m21 = abs(vec.dot(a2, b1))
    m22 = abs(vec.dot(a2, b2))
    gap, side, n = abs(s0) - h0 - (g0 * m00 + g1 * m01 + g2 * m02), s0, a0
    gap, side, n = wider(gap, side, n, abs(s1) - h1 - (g0 * m10 + g1 * m11 + g2 * m12), s1, a1)
    gap, side, n = wider(gap, side, n, abs(s2) - h2 - (g0 * m20 + g1 * m21 + g2 * m22), s2, a2)
    gap, side, n = wider(gap, side, n, abs(t0) - g0 - (h0 * m00 + h1 * m10 + h2 * m20), t0, b0)
    gap, side, n = wider(gap, side, n, abs(t1) - g1 - (h0 * m01 + h1 * m11 + h2 * m21), t1, b1)
    gap, side, n = wider(gap, side, n, abs(t2) - g2 - (h0 * m02 + h1 * m12 + h2 * m22), t2, b2)
    n = vec.scale(n, select(side < 0.0, -UNIT_DOWN, UNIT_DOWN))
    # Along the line between the centres: |d| less both half-widths, all over |d|.
    square = vec.dot(d, d)
    shorter = 1.0 / root(select(square > 0.0, square, 1.0))
    widths = (h0 * abs(s0) + h1 * abs(s1) + h2 * abs(s2)) + (g0 * abs(t0) + g1 * abs(t1) + g2 * abs(t2))
    gap, _, n = wider(gap * UNIT_DOWN, side, n, (square - widths) * shorter, side, vec.scale(d, shorter))
    return gap, n

"""Point sets in the plane: the convex polygon and the smallest rectangle around it.

Both are computed in plain floating point and promise only quality: whoever uses them proves containment afterwards,
on the original points.
"""

import math

import numpy as np

from tocsin.compiler.arrays import stable_order
from tocsin.compiler.jit import kernel

LEVEL = 2.0**-44
"""A side of a polygon that falls by less than this, relative to its extent, counts as level: that may be rounding."""

SHORT = 2.0**-26
"""A side shorter than this, relative to the polygon's extent, has too few digits to be a rectangle's direction."""


@kernel
def convex_polygon(x, y):
    """Return the indices of the convex hull's corners, counter-clockwise, without points on its sides.

    Andrew's monotone chain, O(n log n). One index for coincident points, two for points on a line.
    """
    n = x.shape[0]
    order = stable_order(y)
    order = order[stable_order(x[order])]  # stable: by x, then y
    chain = np.zeros(2 * n + 1, dtype=np.int64)
    size = 0
    for turn in range(2):
        base = size
        for step in range(n):
            i = order[step] if turn == 0 else order[n - 1 - step]
            while size - base >= 2:
                a = chain[size - 2]
                b = chain[size - 1]
                if (x[b] - x[a]) * (y[i] - y[a]) - (y[b] - y[a]) * (x[i] - x[a]) > 0.0:
                    break
                size -= 1
            if size == base or x[i] != x[chain[size - 1]] or y[i] != y[chain[size - 1]]:
                chain[size] = i
                size += 1
        if size - base == 1:
            return chain[:1].copy()
        size -= 1  # the last point of one chain is the first of the other
    return chain[:size].copy()


@kernel
def smallest_rectangle(x, y, pad):
    """Return `(ux, uy, measure)`: the unit direction of a side of the rectangle around the points with least measure.

    The measure is (width + pad) (height + pad), so that of rectangles without area the shortest wins. A side of the
    best rectangle lies on a side of the convex polygon; rotating calipers visit all of them in O(n log n).

    Corners that rounding alone tells apart (each corner of a box is seen twice along its side) have sides of any
    direction, which would stop a caliper half-way or send it too far. So calipers also pass sides that lose next to
    nothing, and sides of next to no length are no candidates.
    """
    polygon = convex_polygon(x, y)
    n = polygon.shape[0]
    if n == 1:
        return 1.0, 0.0, pad * pad
    extent = max(x.max() - x.min(), y.max() - y.min())
    slack = LEVEL * extent
    best = math.inf
    best_x, best_y = 1.0, 0.0
    right, top, left = 1, 1, 1
    for i in range(n):
        a = polygon[i]
        b = polygon[(i + 1) % n]
        ux = x[b] - x[a]
        uy = y[b] - y[a]
        length = math.hypot(ux, uy)
        if length < SHORT * extent:
            continue
        ux /= length
        uy /= length
        right = max(right, i + 1)
        while right < 3 * n and _rise(x, y, polygon, right, ux, uy) > -slack:
            right += 1
        top = max(top, right)
        while top < 3 * n and _rise(x, y, polygon, top, -uy, ux) > -slack:
            top += 1
        left = max(left, top)
        while left < 3 * n and _rise(x, y, polygon, left, -ux, -uy) > -slack:
            left += 1
        r = polygon[right % n]
        t = polygon[top % n]
        l = polygon[left % n]
        width = (x[r] - x[l]) * ux + (y[r] - y[l]) * uy
        height = (y[t] - y[a]) * ux - (x[t] - x[a]) * uy
        measure = (width + pad) * (height + pad)
        if measure < best:
            best, best_x, best_y = measure, ux, uy
    return best_x, best_y, best


@kernel
def _rise(x, y, polygon, k, ux, uy):
    """How much the polygon's side after corner k gains along (ux, uy)."""
    n = polygon.shape[0]
    a = polygon[k % n]
    b = polygon[(k + 1) % n]
    return (x[b] - x[a]) * ux + (y[b] - y[a]) * uy

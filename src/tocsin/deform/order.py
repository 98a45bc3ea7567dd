"""The order of elements in a hierarchy: neighbours in space next to each other.

The hierarchy is implicit: eight elements in a row make an octet, eight octets in a row an octet of the next level. So
all there is to building it is the order: boxes are split near the median of the longest side, where octets stay whole.
"""

import numpy as np

from tocsin.compiler.jit import kernel

MAX_SPLITS = 64


@kernel
def split_at(order, key, lo, hi, k):
    """Reorder order[lo:hi] so that the k smallest keys come first (Hoare's selection, deterministic)."""
    left = lo
    right = hi - 1
    target = lo + k
    while left < right:
        pivot = key[order[(left + right) // 2]]
        i = left
        j = right
        while i <= j:
            while key[order[i]] < pivot:
                i += 1
            while key[order[j]] > pivot:
                j -= 1
            if i <= j:
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if target <= j:
            right = j
        elif target >= i:
            left = i
        else:
            return


@kernel
def spatial_order(centers):
    """Return the order of points (n, 3) in which each octet, and each octet of octets, is close together.

    centers is stored by axis: (3, n).
    """
    n = centers.shape[1]
    order = np.arange(n).astype(np.int32)
    stack = np.zeros((MAX_SPLITS, 2), dtype=np.int64)
    stack[0, 1] = n
    top = 1
    while top > 0:
        top -= 1
        lo = stack[top, 0]
        hi = stack[top, 1]
        count = hi - lo
        if count <= 2:
            continue
        best = 0
        widest = -1.0
        for axis in range(3):
            least = np.inf
            most = -np.inf
            for i in range(lo, hi):
                x = centers[axis, order[i]]
                least = min(least, x)
                most = max(most, x)
            if most - least > widest:
                widest = most - least
                best = axis
        # Ranges start at multiples of the largest power of eight below their length: splits there keep octets whole.
        unit = 1
        while unit * 8 < count:
            unit *= 8
        k = unit * ((count // unit + 1) // 2)
        split_at(order, centers[best], lo, hi, k)
        stack[top, 0] = lo
        stack[top, 1] = lo + k
        stack[top + 1, 0] = lo + k
        stack[top + 1, 1] = hi
        top += 2
    return order

"""Powers of two that bring a point set to unit size.

Multiplying by a power of two is exact, so a fit that is done on the scaled copy and scaled back gives the same bits
for the same shape in any binary unit, cannot overflow, and meets underflow only 2^-1000 below the size of the data,
where one tiny relative term covers it.
"""

import math

import numpy as np

from tocsin.compiler.jit import kernel

UNDERFLOW = 2.0**-1000
"""Added to bounds at unit size: more than any sum of a few hundred roundings in the subnormal range (2^-1074 each)."""


@kernel
def binary_scale(largest):
    """Return `(down, up)`, powers of two with `down * up == 1` and `largest * down` in [1/2, 1).

    The exponent is kept within +-1000 so that both factors are normal numbers; beyond that `largest * down` is still
    between 2^-75 and 2^24. For `largest == 0` both factors are 1.
    """
    if largest == 0.0:
        return 1.0, 1.0
    _, exponent = math.frexp(largest)
    exponent = min(max(exponent, -1000), 1000)
    return math.ldexp(1.0, -exponent), math.ldexp(1.0, exponent)


@kernel
def largest_coordinate(points):
    """Return the largest absolute coordinate of an (n, 3) array, 0 for no points."""
    largest = 0.0
    for i in range(points.shape[0]):
        for j in range(3):
            largest = max(largest, abs(points[i, j]))
    return largest


@kernel
def representable(value, down, up):
    """Return the unit-size value nearest to `value` that scales back exactly (they differ when subnormal)."""
    return (value * up) * down


@kernel
def scale_up(bound, up):
    """Return an upper bound of `bound * up` for a bound >= 0: exact unless subnormal, so one ulp is enough."""
    return math.nextafter(bound * up, math.inf) if bound > 0.0 else 0.0


@kernel
def middle_of_box(points):
    """Return the middle of the axis-aligned box of (n, 3) points, n >= 1; halved first, so that it cannot overflow."""
    lo = np.full(3, np.inf)
    hi = np.full(3, -np.inf)
    for i in range(points.shape[0]):
        for j in range(3):
            lo[j] = min(lo[j], points[i, j])
            hi[j] = max(hi[j], points[i, j])
    return 0.5 * lo[0] + 0.5 * hi[0], 0.5 * lo[1] + 0.5 * hi[1], 0.5 * lo[2] + 0.5 * hi[2]

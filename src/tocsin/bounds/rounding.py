"""Outward rounding: how a floating-point result becomes a bound.

`above` and `below` move one float outward by one or two floats with a multiply and two adds (0.85 ns; `math.nextafter`
takes 6.6, a library call that blocks vectorisation). Where a whole formula is bounded they are not used: it is computed
plainly, and `UNIT` times the number of roundings times the sum of the absolute values of its terms is added to a radius
once; the standard model of floating-point arithmetic, fl(a op b) = (a op b)(1 + d) + e with |d| <= UNIT and |e| <=
2^-1075, makes that a proof.
"""

from tocsin.compiler.jit import kernel

UNIT = 2.0**-53
"""Unit roundoff u of double precision, round to nearest."""

SMALLEST_NORMAL = 2.0**-1022
"""Smallest positive normal double."""

UNDERFLOW = 2.0**-500
"""Added to every radius, so that underflow cannot break it.

An underflowing product is wrong by at most 2^-1075, and a square that underflows hides a length of at most 2^-537; both
vanish against 2^-500, and products of two such radii still do not underflow. Any scene larger than 1e-115 m rounds this
term away, so that scaling by a power of two changes no bit that matters.
"""

GUARD = 1.0 + 2.0**-46
"""Factor of a radius that covers the roundings of computing the radius itself.

A sum of non-negative terms in which no term passes more than 100 roundings is computed with a relative error of at most
100 u / (1 - 100 u) < 101 UNIT (Higham, lemma 3.1); 2^-46 is 128 UNIT.
"""


@kernel
def above(x):
    """Return a float >= the next float above a finite x, at most two floats further.

    Proof. Let e = fl(|x| 2^-52) + 2^-1022. For |x| in [2^k, 2^(k+1)) with k >= -970 the product is exact and at least
    2^(k-52), the gap between x and its upper neighbour. For smaller |x| the gap is at most 2^-1022 <= e. So x + e is at
    least the neighbour, and rounding, being monotone, keeps it there.
    """
    return x + (abs(x) * 2.0**-52 + SMALLEST_NORMAL)


@kernel
def below(x):
    """Return a float <= the next float below a finite x, at most two floats further: -above(-x)."""
    return x - (abs(x) * 2.0**-52 + SMALLEST_NORMAL)

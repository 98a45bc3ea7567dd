"""Certificates of freedom for features whose vertices move linearly: a separating direction, and how long it holds.

Two convex features (a point and a triangle, two segments) are apart by more than `margin` at a time as soon as one
direction n has n . D > margin |n| for every difference D of a vertex of one and a vertex of the other. Vertices move
linearly, so for a fixed n each n . D is linear in time: [LOCAL lemma 1, lemma 2, lemma 3], vertex by vertex instead of
with the largest speed of all. A direction that itself turns linearly, n(x), makes it a quadratic in Bernstein form,
whose first root bounds the step from below. The turning direction follows the closest features to first order, so that
steps converge on the contact like Newton's, and need no polynomial of the features themselves.

All differences are taken between the given end positions, so nothing depends on where in the world they are, and no
error adds up from step to step. The code is written over `lanes`, and holds for floats as well.
"""

from tocsin import vec
from tocsin.bounds.rounding import UNDERFLOW, UNIT
from tocsin.compiler.jit import kernel
from tocsin.simd.lanes import root, select

NOISE = 16.0 * UNIT
"""Relative error of a Bernstein coefficient of n . D: see `hold`."""


@kernel
def larger(x, y):
    """Return the larger of two numbers; y if they are not ordered."""
    return select(x > y, x, y)


@kernel
def smaller(x, y):
    """Return the smaller of two numbers; y if they are not ordered."""
    return select(x < y, x, y)


@kernel
def between(p, q, t):
    """Return (1 - t) p + t q; each component is wrong by at most 5 UNIT times the larger of |p| and |q| there.

    1 - t, the products and the sum are rounded once each, and p and q, differences of given numbers, once before.
    """
    s = 1.0 - t
    return (s * p[0] + t * q[0], s * p[1] + t * q[1], s * p[2] + t * q[2])


@kernel
def widest(p, q):
    """Return the larger of the absolute values of p and q, component by component."""
    return (larger(abs(p[0]), abs(q[0])), larger(abs(p[1]), abs(q[1])), larger(abs(p[2]), abs(q[2])))


@kernel
def greatest(p):
    """Return the largest component."""
    return larger(larger(p[0], p[1]), p[2])


@kernel
def largest(p, q):
    """Return the largest absolute component of p and q."""
    return greatest(widest(p, q))


@kernel
def first_root(b0, b1, b2):
    """Return a lower bound of the first root in (0, 1] of b0 (1-x)^2 + 2 b1 x (1-x) + b2 x^2, b0 > 0; 2 if none.

    Proof. The first positive root is b0 / (B + sqrt(disc)), B = b0 - b1, disc = b1^2 - b0 b2; there is none if disc < 0
    or the denominator is not positive. The computed disc is wrong by at most 3 u (b1^2 + |b0 b2|), and enlarging disc
    or the denominator makes the quotient smaller; 8 u of the denominator's terms cover its own roundings, and the
    quotient's. nan, of a direction that turns without bounds, proves nothing: 0.
    """
    square = b1 * b1
    product = b0 * b2
    disc = square - product + 4.0 * UNIT * (square + abs(product))
    side = root(larger(disc, 0.0))
    gain = b0 - b1
    below = gain + side + 8.0 * UNIT * (abs(gain) + side)
    x = select(below > 0.0, b0 / below, select(below < 0.0, 2.0, 0.0))
    x = select(disc >= 0.0, x, select(disc < 0.0, 2.0, 0.0))
    return select((b1 >= 0.0) & (b2 >= 0.0), 2.0, x)


@kernel
def first_crossing(b0, b1):
    """Return a lower bound of the root in (0, 1] of b0 (1-x) + b1 x, b0 > 0; 2 if there is none, 0 for nan.

    Proof. The root is b0 / (b0 - b1), of two roundings; 4 u off covers them and the product's.
    """
    return select(b1 >= 0.0, 2.0, select(b1 < 0.0, b0 / (b0 - b1) * (1.0 - 4.0 * UNIT), 0.0))


@kernel
def stay(n, wide, length, d, d_end, far, margin):
    """Return x in [0, 1] as `hold` does, for a direction that does not turn [LOCAL lemma 2, lemma 3]."""
    off = NOISE * vec.dot(wide, far) + UNDERFLOW + margin * (1.0 + 16.0 * UNIT) * length
    b0 = vec.dot(n, d) - off
    x = first_crossing(b0, vec.dot(n, d_end) - off)
    return select(b0 > 0.0, smaller(x, 1.0), 0.0)


@kernel
def hold(turning, d, d_end, far, margin):
    """Return x in [0, 1]: n(y) . D(y) > margin |n(y)| for all y < x, and at 1 too if x is 1; 0 if not even now.

    y runs over what is left of the motion, n(y) = (1-y) n + y n_end, D from `d` to `d_end`; `far` is `widest` of D at
    both ends of the whole motion. `turning` is (n, n_end, wide, length, length_end): `widest` of n and n_end, and at
    least |n| and |n_end|.

    Proof. d and d_end are wrong by at most 5 u far in each component (`between`), a dot product by 3 u more of its
    terms, the mean of two by one more: each Bernstein coefficient of n . D is known up to 10 u wide . far.
    |n(y)| <= (1-y) |n| + y |n_end|, so the margin is taken off as Bernstein coefficients too, 16 u larger, which covers
    the roundings of taking it off. True coefficients are then at least those below, and the Bernstein basis is not
    negative: before the first root of the lower quadratic the true one is positive. Component by component the noise
    vanishes where everything lies in planes across n, as in boxes that touch: that is why it is not a product of norms.
    """
    n, n_end, wide, length, length_end = turning
    noise = NOISE * vec.dot(wide, far) + UNDERFLOW
    keep = margin * (1.0 + 16.0 * UNIT)
    b0 = vec.dot(n, d) - noise - keep * length
    b1 = 0.5 * (vec.dot(n, d_end) + vec.dot(n_end, d)) - noise - keep * 0.5 * (length + length_end)
    b2 = vec.dot(n_end, d_end) - noise - keep * length_end
    return select(b0 > 0.0, smaller(first_root(b0, b1, b2), 1.0), 0.0)


@kernel
def later(t, x):
    """Return a time no later than t + x (1 - t).

    Proof. x (1-t) passes two roundings, and the sum one: taking 8 u of the increment and 2 u of the sum off covers
    them.
    """
    return (t + x * (1.0 - t) * (1.0 - 8.0 * UNIT)) * (1.0 - 2.0 * UNIT)

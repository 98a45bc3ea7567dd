"""The sign of the volume that two features span, in single precision: while it stays, they cannot touch.

Two in five of the feature pairs that the feature filter leaves keep the sign of their volume for the whole motion. This
filter finds them, eight at a time, in a fifth of the time that advancing them in double precision takes
(`coplanarity_step`).
"""

import numpy as np

from tocsin import vec
from tocsin.compiler.jit import kernel
from tocsin.deform.element_filter import LARGEST, LEAST, ONE, ZERO, length1, mixed, noise_of, single_up
from tocsin.simd.gathers import picked
from tocsin.simd.lanes import bits
from tocsin.simd.singles import greater

THREE = np.float32(3.0)
SPREAD = np.float32(16.0)
"""Noise of a volume, in `noise` and products of two lengths; see `volume_sign`."""


@kernel
def largest1(d, e):
    """Return the largest absolute component of two vectors."""
    size = greater(greater(abs(d[0]), abs(d[1])), abs(d[2]))
    return greater(size, greater(greater(abs(e[0]), abs(e[1])), abs(e[2])))


@kernel
def volume_sign(w, e, f, w_end, e_end, f_end, noise, margin):
    """Return where det(w, e, f) keeps one sign, and the margin, from the first values to the end values.

    `noise` is 24 u X, u the unit roundoff and X the largest coordinate. Positions are rounded by u X, a difference by
    2 u X more, both ends at T by 6 u X, and as the weights of both ends add up to 1 only up to u, by 2 u X more: a
    component is wrong by at most d = 12 u X, half of the noise.

    Proof. As `volume.volume_hold`: four Bernstein coefficients, all on one side. With W, E, F the largest components
    plus d, a determinant is wrong by 6 d (E F + W F + W E) from its vectors and by 6 * 10 u W E F from rounding, where
    u W <= u (2 X + d) < noise / 11: in all less than 9 noise (E F + W F + W E), and 16 cover the roundings of this
    bound. The margin counts |e x f| in the sum of absolute components, which is larger than its length, with its own
    error: 4 d (E + F) and 4 u E F in each of three components.
    """
    n00 = vec.cross(e, f)
    n11 = vec.cross(e_end, f_end)
    n01 = vec.add(vec.cross(e, f_end), vec.cross(e_end, f))
    size_w = largest1(w, w_end) + noise
    size_e = largest1(e, e_end) + noise
    size_f = largest1(f, f_end) + noise
    keep = SPREAD * noise * (size_e * size_f + size_w * (size_e + size_f)) + LEAST
    if margin > ZERO:
        wide = length1(n00) + length1(n01) + length1(n11) + SPREAD * noise * (size_e + size_f)
        keep = keep + margin * wide
    three = THREE * keep
    c0 = vec.dot(w, n00)
    c1 = vec.dot(w_end, n00) + vec.dot(w, n01)
    c2 = vec.dot(w_end, n01) + vec.dot(w, n11)
    c3 = vec.dot(w_end, n11)
    above = (c0 > keep) & (c1 > three) & (c2 > three) & (c3 > keep)
    below = (c0 < ZERO - keep) & (c1 < ZERO - three) & (c2 < ZERO - three) & (c3 < ZERO - keep)
    return above | below


@kernel
def start_of(first, second):
    """Return the difference of two rows of places at time 0."""
    return (second[0] - first[0], second[1] - first[1], second[2] - first[2])


@kernel
def end_of(first, second, start, done, limit):
    """Return the difference of two rows of places at the time limit; `start` is the one at time 0."""
    end = (second[3] - first[3], second[4] - first[4], second[5] - first[5])
    return mixed(start, end, done, limit)


@kernel
def sign_filter(edges, table_a, table_b, reach, rows, n, limit, margin):
    """Keep those of n feature pairs whose volume may change its sign by the limit; return how many are left.

    Rows of points as `feature_filter` writes them: a vertex and the corners of a face, or the ends of two edges. There
    is room for seven rows more than n.
    """
    if n == 0:
        return 0
    upto = min(single_up(limit), ONE)
    done = ONE - upto
    noise = noise_of(reach, LARGEST)
    near = single_up(margin * (1.0 + 2.0**-20))
    for k in range(n, n + 7):
        for c in range(4):
            rows[k, c] = rows[n - 1, c]
    left = 0
    for first in range(0, n, 8):
        p = picked(table_a, rows, first, 0)
        q = picked(table_a if edges else table_b, rows, first, 1)
        r = picked(table_b, rows, first, 2)
        s = picked(table_b, rows, first, 3)
        if edges:
            w = start_of(p, r)
            e = start_of(p, q)
            f = start_of(r, s)
            w_end = end_of(p, r, w, done, upto)
            e_end = end_of(p, q, e, done, upto)
            f_end = end_of(r, s, f, done, upto)
        else:
            w = start_of(p, q)
            e = start_of(q, r)
            f = start_of(q, s)
            w_end = end_of(p, q, w, done, upto)
            e_end = end_of(q, r, e, done, upto)
            f_end = end_of(q, s, f, done, upto)
        free = bits(volume_sign(w, e, f, w_end, e_end, f_end, noise, near))
        for k in range(min(8, n - first)):
            for c in range(6):
                rows[left, c] = rows[first + k, c]
            left += 1 - ((free >> k) & 1)
    return left

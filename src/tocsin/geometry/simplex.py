"""The point of a small simplex that is closest to the origin, as barycentric weights.

Each function returns the four weights (unused ones 0). Degenerate simplices fall back to their faces.
"""

import math

from tocsin import vec
from tocsin.compiler.jit import kernel


@kernel
def segment_weights(a, b):
    """Return the weights of the point of segment ab closest to the origin."""
    ab = vec.sub(b, a)
    d = vec.dot(ab, ab)
    t = -vec.dot(a, ab)
    if not t > 0.0:
        return 1.0, 0.0
    if t >= d:
        return 0.0, 1.0
    t = t / d
    return 1.0 - t, t


@kernel
def blend3(w, a, b, c):
    """Return w0 a + w1 b + w2 c."""
    return (
        w[0] * a[0] + w[1] * b[0] + w[2] * c[0],
        w[0] * a[1] + w[1] * b[1] + w[2] * c[1],
        w[0] * a[2] + w[1] * b[2] + w[2] * c[2],
    )


@kernel
def triangle_weights(a, b, c):
    """Return the weights of the point of triangle abc closest to the origin."""
    n = vec.cross(vec.sub(b, a), vec.sub(c, a))
    n2 = vec.dot(n, n)
    if n2 > 0.0:
        wa = vec.dot(n, vec.cross(b, c))
        wb = vec.dot(n, vec.cross(c, a))
        wc = vec.dot(n, vec.cross(a, b))
        if wa > 0.0 and wb > 0.0 and wc > 0.0:
            s = wa + wb + wc
            return wa / s, wb / s, wc / s
    s, t = segment_weights(a, b)
    best = (s, t, 0.0)
    x = blend3(best, a, b, c)
    least = vec.dot(x, x)
    s, t = segment_weights(b, c)
    w = (0.0, s, t)
    x = blend3(w, a, b, c)
    d = vec.dot(x, x)
    if d < least:
        least = d
        best = w
    s, t = segment_weights(c, a)
    w = (t, 0.0, s)
    x = blend3(w, a, b, c)
    d = vec.dot(x, x)
    if d < least:
        best = w
    return best


@kernel
def volume(a, b, c):
    """Return six times the signed volume of the tetrahedron 0abc."""
    return vec.dot(a, vec.cross(b, c))


@kernel
def tetrahedron_weights(a, b, c, d):
    """Return (inside, w): the weights of the point of abcd closest to the origin, and whether the origin is inside."""
    total = vec.dot(vec.sub(b, a), vec.cross(vec.sub(c, a), vec.sub(d, a)))
    wa = volume(b, c, d)
    wb = -volume(a, c, d)
    wc = volume(a, b, d)
    wd = -volume(a, b, c)
    if total < 0.0:
        total, wa, wb, wc, wd = -total, -wa, -wb, -wc, -wd
    if total > 0.0 and wa >= 0.0 and wb >= 0.0 and wc >= 0.0 and wd >= 0.0:
        s = wa + wb + wc + wd
        if s > 0.0:
            return True, (wa / s, wb / s, wc / s, wd / s)
    # Outside (or flat): the closest point is on a face.
    least = math.inf
    best = (1.0, 0.0, 0.0, 0.0)
    w = triangle_weights(a, b, c)
    x = blend3(w, a, b, c)
    e = vec.dot(x, x)
    if e < least:
        least = e
        best = (w[0], w[1], w[2], 0.0)
    w = triangle_weights(a, b, d)
    x = blend3(w, a, b, d)
    e = vec.dot(x, x)
    if e < least:
        least = e
        best = (w[0], w[1], 0.0, w[2])
    w = triangle_weights(a, c, d)
    x = blend3(w, a, c, d)
    e = vec.dot(x, x)
    if e < least:
        least = e
        best = (w[0], 0.0, w[1], w[2])
    w = triangle_weights(b, c, d)
    x = blend3(w, b, c, d)
    e = vec.dot(x, x)
    if e < least:
        best = (0.0, w[0], w[1], w[2])
    return False, best

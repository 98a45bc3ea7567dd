"""Takes two features past the first moment at which they lie in one plane, where most pairs are settled.

A vertex and a face, or two edges, can touch only where the volume that they span is zero (`volume`). At its first root
they lie in one plane, and the point where they cross in it decides. Inside both features, they touch. Outside, a
direction in the plane keeps them apart until the volume has changed its sign, and if it keeps the new sign to the end,
they are free. What this leaves open (several roots, features in one plane to begin with, degenerate ones) is advanced
from the time that was reached (`advance`).

With w from one feature to the other and e, f along them, points of the two differ by w - s e + r f: for two edges s and
r are in [0, 1], for a vertex and a face s, r >= 0 and s + r <= 1. With n = e x f, S = n . (w x f) and R = n . (w x e),
the two cross at s = S / n.n, r = R / n.n, seen along n. Outside, say S < 0, the direction n x f tells all differences
from zero, as (n x f) . (w - s e + r f) = s n.n - S > 0; so does n x e where R < 0, the same for S or R beyond n.n, and
n x (e + f) for the third side of a face.

The code is written over `lanes`, and holds for floats as well.
"""

from tocsin import vec
from tocsin.bounds.rounding import UNDERFLOW, UNIT
from tocsin.compiler.jit import kernel
from tocsin.deform.certificate import between, larger, later, smaller
from tocsin.deform.closest import chosen3, divisor
from tocsin.deform.volume import SHORT, coefficients, less_margin
from tocsin.simd.lanes import root, select

ROUNDS = 4
"""Newton steps towards the root, from where a line would have it."""


@kernel
def all_positive(c):
    """Are all four coefficients positive, or those of both halves?"""
    plain = (c[0] > 0.0) & (c[1] > 0.0) & (c[2] > 0.0) & (c[3] > 0.0)
    a = c[0] + c[1]
    b = c[1] + c[2]
    d = c[2] + c[3]
    ab = a + b
    bd = b + d
    return plain | ((c[0] > 0.0) & (a > 0.0) & (ab > 0.0) & (ab + bd > 0.0) & (bd > 0.0) & (d > 0.0) & (c[3] > 0.0))


@kernel
def positive_until(c, x):
    """Are all coefficients of the cubic on [0, x] positive? By de Casteljau's scheme."""
    rest = 1.0 - x
    a = rest * c[0] + x * c[1]
    b = rest * c[1] + x * c[2]
    ab = rest * a + x * b
    bd = rest * b + x * (rest * c[2] + x * c[3])
    return (c[0] > 0.0) & (a > 0.0) & (ab > 0.0) & (rest * ab + x * bd > 0.0)


@kernel
def negative_from(c, more, x):
    """Are all coefficients of the cubic on [x, 1] negative, with twice `more` added to each?"""
    rest = 1.0 - x
    b = rest * c[1] + x * c[2]
    d = rest * c[2] + x * c[3]
    bd = rest * b + x * d
    last = rest * (rest * (rest * c[0] + x * c[1]) + x * b) + x * bd
    off = 0.0 - 2.0 * more
    return (last < off) & (bd < off) & (d < off) & (c[3] < off)


@kernel
def near_root(c):
    """Return (x, short, slope): about where the cubic first crosses zero, by how much that is off, and the slope there.

    Only a guess: the root of the parabola through the values at 0, 1/2 and 1, then Newton's method, whose error is half
    of the square of the last step times second derivative over first, or about that.
    """
    middle = 0.75 * (c[1] + c[2]) - 0.25 * (c[0] + c[3])
    x = c[0] / (c[0] - middle + root(larger(middle * middle - c[0] * c[3], 0.0)) + UNDERFLOW)
    third = (c[1] - c[0]) * 3.0
    second = (c[2] - 2.0 * c[1] + c[0]) * 3.0
    first = c[3] - c[0] - 3.0 * (c[2] - c[1])
    by = x
    slope = third
    over = x
    for _ in range(ROUNDS):
        value = ((first * x + second) * x + third) * x + c[0]
        slope = (3.0 * first * x + 2.0 * second) * x + third
        over = 1.0 / (slope - UNDERFLOW)
        by = value * over
        x = x - by
    return x, abs((6.0 * first * x + 2.0 * second) * over) * by * by, slope


@kernel
def side_of(edges, beyond_s, beyond_r, third, e, f):
    """Return the side, e, f or e + f, across which the crossing is outside by most."""
    ee = vec.dot(e, e)
    ff = vec.dot(f, f)
    of_s = beyond_s * abs(beyond_s)
    of_r = beyond_r * abs(beyond_r)
    by_f = of_s * ee > of_r * ff
    side = chosen3(by_f, f, e)
    if edges:
        return side
    g = vec.add(e, f)
    most = select(by_f, of_s, of_r) * vec.dot(g, g)
    return chosen3(third * abs(third) * select(by_f, ff, ee) > most, g, side)


@kernel
def least_along(edges, d, w, e, f):
    """Return the least of |d . (w - s e + r f)| over both features if all are on one side, else a number below 0."""
    dw = vec.dot(d, w)
    de = vec.dot(d, e)
    df = vec.dot(d, f)
    sign = select(dw + 0.375 * (df - de) > 0.0, 1.0, -1.0)
    df = smaller(sign * df, 0.0)
    de = smaller(0.0 - sign * de, 0.0)
    return sign * dw + (df + de if edges else smaller(df, de))


@kernel
def coplanarity_step(edges, again, begun, start, end, sizes, near, margin):
    """Return (t, contact, free): what the first root of the volume says about a pair that is free until `begun`.

    `free`: never within the margin. `contact`: within `near` at t. Whatever they are, the pair keeps the margin until
    t. (w, e, f) go from `start` at time 0 to `end` at time 1; the sizes bound their components. `again`: begun is not
    0.

    Proof. Coefficients of the volume are known up to `off` (`volume_hold`), the sign taken out, and the margin off: low
    is below the truth, and where all are positive on [0, x], there is no contact before x. Above it the truth is below
    low + 2 more, more = off and the margin's part: where that is negative on [z, 1] the volume has the other sign and
    the margin. In between, from t to z, a direction d keeps them apart if at t all d . D are on one side, and farther
    than D can change until then, 2 (z - t) of the sizes in each component, what it may be wrong by there (5 u of them
    each, `between`, and 8 roundings), and the margin. A contact is one by the proof in `advance.points_step`.
    """
    w0, e0, f0 = start
    w1, e1, f1 = end
    size_w, size_e, size_f = sizes
    w, e, f = start
    if again:
        w = between(w0, w1, begun)
        e = between(e0, e1, begun)
        f = between(f0, f1, begun)
    c, normals = coefficients(w, e, f, w1, e1, f1)
    sign = select(c[0] < 0.0, -1.0, 1.0)
    off = 256.0 * UNIT * size_w * size_e * size_f + UNDERFLOW
    c = (sign * c[0], sign * c[1], sign * c[2], sign * c[3])
    low = (c[0] - off, c[1] - off, c[2] - off, c[3] - off)
    more = off
    if margin > 0.0:
        low = less_margin(low, normals, margin, size_e * size_f)
        more = larger(larger(c[0] - low[0], c[1] - low[1]), larger(c[2] - low[2], c[3] - low[3]))
        more = more * (1.0 + 8.0 * UNIT)
    through = all_positive(low)
    x, short, slope = near_root(low)
    short = short + SHORT
    z = x + short + 2.5 * more / (abs(slope) + UNDERFLOW)
    x = x - short
    x = select((x > 0.0) & (x < 1.0), x, 0.0)
    x = select(positive_until(low, x), x, 0.0)
    z = select((z > x) & (z < 1.0), z, 1.0)
    clear = (z >= 1.0) | negative_from(low, more, z)
    t = larger(begun, later(begun, x))
    w = between(w0, w1, t)
    e = between(e0, e1, t)
    f = between(f0, f1, t)
    n = vec.cross(e, f)
    nn = vec.dot(n, n)
    s = vec.dot(vec.cross(w, f), n)
    r = vec.dot(vec.cross(w, e), n)
    if edges:
        beyond_s = larger(0.0 - s, s - nn)
        beyond_r = larger(0.0 - r, r - nn)
        third = beyond_s
    else:
        beyond_s = 0.0 - s
        beyond_r = 0.0 - r
        third = s + r - nn
    within = 0.0 - larger(larger(beyond_s, beyond_r), third)
    inside = (nn > 0.0) & (within >= 0.0)
    over = 1.0 / divisor(nn)
    gap = vec.sub(vec.axpy(w, r * over, f), vec.scale(e, s * over))
    size = size_w + size_e + size_f
    contact = inside & (near >= root(vec.dot(gap, gap)) + 32.0 * UNIT * size)
    d = vec.cross(n, side_of(edges, beyond_s, beyond_r, third, e, f))
    until = begun + z * (1.0 - begun)
    keep = (2.0 * (until - t) + 64.0 * UNIT) * size + margin * (1.0 + 16.0 * UNIT)
    least = least_along(edges, d, w, e, f)
    beside = (x > 0.0) & (least > keep * (abs(d[0]) + abs(d[1]) + abs(d[2])) + UNDERFLOW)
    return select(contact, t, select(beside, later(begun, z), t)), contact, through | (beside & clear)

"""The volume that two features span: while it keeps its sign they cannot touch, and its first root is near.

A vertex w away from the face e, f, or two edges e and f with w between them, lie in one plane where det(w, e, f) is
zero. Vertices move linearly, so the determinant is a cubic; in Bernstein form its control points enclose it. Before the
hull of the control points reaches zero there is no contact: this is an inclusion, not a solver. Newton's method only
guesses where to look closer, and the guess counts only if the control points of the cubic up to it are all positive.

The code is written over `lanes`, and holds for floats as well.
"""

from tocsin import vec
from tocsin.bounds.rounding import UNDERFLOW, UNIT
from tocsin.compiler.jit import kernel
from tocsin.deform.certificate import smaller
from tocsin.simd.lanes import root, select

ROUNDS = 4
"""Newton steps of a guess: from the hull's bound, mostly within a tenth, four are enough for double precision."""

SHORT = 2.0**-46
"""How far a guess stops short of the root, of what is left of the motion."""

NONE = 3.0
"""No crossing."""


@kernel
def coefficients(w, e, f, w_end, e_end, f_end):
    """Return ((c0, c1, c2, c3), (n0, n1, n2)): det(w, e, f) and e x f in Bernstein form, all moving linearly."""
    n0 = vec.cross(e, f)
    n1 = vec.add(vec.cross(e, f_end), vec.cross(e_end, f))
    n2 = vec.cross(e_end, f_end)
    c1 = (vec.dot(w_end, n0) + vec.dot(w, n1)) * (1.0 / 3.0)
    c2 = (vec.dot(w_end, n1) + vec.dot(w, n2)) * (1.0 / 3.0)
    return (vec.dot(w, n0), c1, c2, vec.dot(w_end, n2)), (n0, vec.scale(n1, 0.5), n2)


@kernel
def less_margin(c, n, margin, size):
    """Return c less margin |n|, coefficient by coefficient; `size` bounds the products of two components in n.

    Proof. |n(y)| is at most the sum of the Bernstein polynomials times |n_k|, and a quadratic is a cubic with the
    coefficients n0, (n0 + 2 n1) / 3, (2 n1 + n2) / 3, n2. A component of a cross product is known up to 24 u of `size`,
    so its length up to 42 u; it is at most 2 sqrt 3 `size`, of which `ahead_of_root` needs 10 u: 35 u. `more` is 128 u,
    above these 77 u and its own roundings; lengths and sums take less than 16 roundings, of the 64 u in `keep`.
    """
    keep = margin * (1.0 + 64.0 * UNIT)
    more = margin * (128.0 * UNIT) * size
    k0 = keep * root(vec.dot(n[0], n[0])) + more
    k1 = keep * root(vec.dot(n[1], n[1])) + more
    k2 = keep * root(vec.dot(n[2], n[2])) + more
    third = 1.0 / 3.0
    return c[0] - k0, c[1] - (k0 + 2.0 * k1) * third, c[2] - (2.0 * k1 + k2) * third, c[3] - k2


@kernel
def crossing(above, below, at, width):
    """Return where the line from (at, above) to (at + width, below) crosses zero downwards; NONE if it does not."""
    x = at + width * (above / (above - below))
    return select(above > 0.0, select(below > 0.0, NONE, x), NONE)


@kernel
def hull_root(c):
    """Return x in [0, 1] before which the hull of the control points (k / 3, c_k), c_0 > 0, is above zero.

    Proof. The hull reaches zero no earlier than the earliest crossing of a line from a control point above zero to a
    later one that is not: where the hull first meets zero, an edge of the hull does, and its ends are two such points.
    """
    x = smaller(crossing(c[0], c[1], 0.0, 1.0), crossing(c[0], c[2], 0.0, 2.0))
    x = smaller(x, smaller(crossing(c[0], c[3], 0.0, 3.0), crossing(c[1], c[2], 1.0, 1.0)))
    x = smaller(x, smaller(crossing(c[1], c[3], 1.0, 2.0), crossing(c[2], c[3], 2.0, 1.0)))
    return select(x < NONE, x * ((1.0 - 8.0 * UNIT) / 3.0), 1.0)


@kernel
def ahead_of_root(c):
    """Return x in [0, 1]: the cubic with coefficients c is positive before x, and on [0, 1] if x is 1.

    Proof. If c_0 is not positive, x is 0; `hull_root` is one bound. The other is a guess r: the control points of the
    cubic on [0, r] come from c by de Casteljau's scheme, and the cubic is positive there if they are. Each is wrong by
    less than 10 u of the largest |c|, which the caller has taken off.
    """
    sure = hull_root(c)
    third = (c[1] - c[0]) * 3.0
    second = (c[2] - 2.0 * c[1] + c[0]) * 3.0
    first = c[3] - c[0] - 3.0 * (c[2] - c[1])
    x = sure
    by = sure
    for _ in range(ROUNDS):
        value = ((first * x + second) * x + third) * x + c[0]
        slope = (3.0 * first * x + 2.0 * second) * x + third
        by = value / (slope - UNDERFLOW)
        x = x - by
    r = x - (abs(by) * 0.0625 + SHORT)
    r = select(r > sure, select(r < 1.0, r, sure), sure)
    rest = 1.0 - r
    a = rest * c[0] + r * c[1]
    b = rest * c[1] + r * c[2]
    d = rest * c[2] + r * c[3]
    ab = rest * a + r * b
    bd = rest * b + r * d
    seen = (a > 0.0) & (ab > 0.0) & (rest * ab + r * bd > 0.0)
    return select(c[0] > 0.0, select(seen, r, sure), 0.0)


@kernel
def volume_hold(now, end, sizes, margin):
    """Return x in [0, 1]: det(w, e, f) keeps its sign, and the planes or lines their margin, for all y < x; at 1 too.

    Of (w, e, f), w joins the two features, e and f span them: the two sides of the face, or the two edges. Each moves
    linearly from its value now to its end value; the sizes bound their components over the whole motion. Within the
    margin |det| <= margin |e x f|.

    Proof. A coefficient is a sum of at most three determinants with one vector of each at either end, over three. A
    determinant has six products of components, each wrong by 5 u per factor (`between`) and at most 8 roundings: in all
    at most 25 u times 6 size_w size_e size_f, that is 150 u; and 60 u for `ahead_of_root`. 256 u covers these, and the
    rounding of taking it off.
    """
    size_w, size_e, size_f = sizes
    c, n = coefficients(now[0], now[1], now[2], end[0], end[1], end[2])
    sign = select(c[0] < 0.0, -1.0, 1.0)
    off = 256.0 * UNIT * size_w * size_e * size_f + UNDERFLOW
    c = (sign * c[0] - off, sign * c[1] - off, sign * c[2] - off, sign * c[3] - off)
    if margin > 0.0:
        c = less_margin(c, n, margin, size_e * size_f)
    return ahead_of_root(c)

"""The exact first contact of one vertex-face or edge-edge pair whose vertices move linearly: integers, no rounding.

Coordinates are made integers by one power of two, so every polynomial below has integer coefficients. With all points
relative to each other, u(t) = u0 + t (u1 - u0), the two features touch at t exactly if

- an endpoint p of one lies on an edge [x, y] of the other: (x - p) x (y - p) = 0 and (x - p) . (y - p) <= 0; or
- they cross properly: the four points are coplanar, D(t) = 0, and the orientations of three (vertex-face) or four
  (edge-edge) triples, measured along the normal n(t), are strictly those of a crossing.

So contact at t is a formula in the signs of a few polynomials of degree 2 to 4.

Claim: the first contact is a root in [0, 1] of D, the coplanarity cubic, if D is not identically zero; otherwise it is
0 or a root of one of the polynomials of the formula. Proof: contact implies D = 0. If D is zero throughout, no sign
changes between two neighbouring roots, so whether there is contact does not change there either; contact times are a
closed set, so the first of them is 0 or such a root. Each candidate is then judged by exact signs at an algebraic
number: Bernstein coefficients over an isolating interval, and a greatest common divisor where they stay undecided.

Roots are isolated by Descartes' rule in Bernstein form (a strict sign pattern without change: no root, with one change:
exactly one) after the polynomial was made square-free, and narrowed to 2^-140, more than 40 digits.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from math import comb, gcd, lcm

import numpy as np

BITS = 140
"""Times are known to within 2^-BITS."""

VERTEX_FACE, EDGE_EDGE = "vertex-face", "edge-edge"


@dataclass(frozen=True)
class Bracket:
    """The first time lies in [lo, hi], which is one point if it is a fraction of powers of two."""

    lo: Fraction
    hi: Fraction

    def __float__(self) -> float:
        return float(self.lo)

    def digits(self) -> str:
        """Return the time as a decimal with 40 digits behind the point, cut off."""
        whole = self.lo.numerator * 10**40 // self.lo.denominator
        return f"{whole // 10**40}.{whole % 10**40:040d}"


# --- polynomials: integer coefficients, the constant first ------------------------------------------------------------


def _trimmed(p):
    while p and p[-1] == 0:
        p = p[:-1]
    return p


def _add(p, q):
    if len(p) < len(q):
        p, q = q, p
    return [a + b for a, b in zip(p, q)] + p[len(q) :]


def _sub(p, q):
    return _add(p, [-b for b in q])


def _mul(p, q):
    out = [0] * (len(p) + len(q) - 1)
    for i, a in enumerate(p):
        if a:
            for k, b in enumerate(q):
                out[i + k] += a * b
    return out


def _cross(u, v):
    return tuple(_sub(_mul(u[i], v[k]), _mul(u[k], v[i])) for i, k in ((1, 2), (2, 0), (0, 1)))


def _dot(u, v):
    return _add(_add(_mul(u[0], v[0]), _mul(u[1], v[1])), _mul(u[2], v[2]))


def _minus(u, v):
    return tuple(_sub(a, b) for a, b in zip(u, v))


def _primitive(p):
    common = gcd(*p)
    return [a // common for a in p] if common > 1 else p


def _remainder(p, q):
    """A positive or negative multiple of p modulo q, primitive."""
    p = list(p)
    while len(p) >= len(q):
        lead = p[-1]
        shift = len(p) - len(q)
        p = [a * q[-1] for a in p]
        for k, b in enumerate(q):
            p[shift + k] -= lead * b
        p = _trimmed(p)
    return _primitive(p) if p else p


def _common(p, q):
    """The greatest common divisor of two polynomials, up to a factor."""
    p, q = _trimmed(p), _trimmed(q)
    while q:
        p, q = q, _remainder(p, q) if len(p) >= len(q) else p
    return _primitive(p)


def _quotient(p, q):
    """A multiple of p / q where q divides p."""
    p, out = [Fraction(a) for a in p], []
    while len(p) >= len(q):
        factor = p[-1] / q[-1]
        out.append(factor)
        shift = len(p) - len(q)
        for k, b in enumerate(q):
            p[shift + k] -= factor * b
        p.pop()
    scale = lcm(*(f.denominator for f in out))
    return _primitive([int(f * scale) for f in reversed(out)])


def _square_free(p):
    p = _primitive(_trimmed(p))
    if len(p) < 3:
        return p
    common = _common(p, [k * a for k, a in enumerate(p)][1:])
    return _quotient(p, common) if len(common) > 1 else p


def _bernstein(p, lo=0, hi=1, bits=0):
    """Bernstein coefficients of p over [lo, hi] / 2^bits, times a positive number."""
    degree = len(p) - 1
    if bits:
        p = [a << (bits * (degree - k)) for k, a in enumerate(p)]
    if lo:  # p(lo + x), by Horner
        p = list(p)
        for i in range(degree):
            for k in range(degree - 1, i - 1, -1):
                p[k] += lo * p[k + 1]
    width = hi - lo
    if width != 1:
        p = [a * width**k for k, a in enumerate(p)]
    scale = lcm(*(comb(degree, k) for k in range(degree + 1)))
    return [sum(comb(i, k) * (scale // comb(degree, k)) * p[k] for k in range(i + 1)) for i in range(degree + 1)]


def _changes(b):
    signs = [x > 0 for x in b if x]
    return sum(x != y for x, y in itertools.pairwise(signs))


def _halves(b):
    """De Casteljau at the middle: the coefficients over both halves, times 2^degree."""
    left, right, row, degree = [], [], b, len(b) - 1
    for level in range(degree + 1):
        left.append(row[0] << (degree - level))
        right.append(row[-1] << (degree - level))
        row = [x + y for x, y in itertools.pairwise(row)]
    return left, right[::-1]


def _value(p, at, bits):
    """The sign-carrying integer 2^(bits degree) p(at / 2^bits)."""
    out = 0
    for k, a in enumerate(reversed(p)):
        out = out * at + (a << (bits * k))
    return out


class Root:
    """One simple root of a square-free polynomial: in [lo, hi] / 2^bits, alone there; exact where lo == hi."""

    def __init__(self, p, lo, hi, bits):
        self.p, self.lo, self.hi, self.bits = p, lo, hi, bits
        if lo < hi:
            self.rising = _value(p, hi, bits) > 0
            if not self.rising and _value(p, hi, bits) == 0:
                raise ValueError("an isolating interval ends in a root")

    def narrow(self, bits):
        """Halve until the interval is no wider than 2^-bits."""
        while self.lo < self.hi and (self.hi - self.lo) << bits > 1 << self.bits:
            self.lo, self.hi, self.bits = 2 * self.lo, 2 * self.hi, self.bits + 1
            middle = (self.lo + self.hi) // 2
            value = _value(self.p, middle, self.bits)
            if value == 0:
                self.lo = self.hi = middle
            elif (value > 0) == self.rising:
                self.hi = middle
            else:
                self.lo = middle

    def sign(self, q) -> int:
        """The sign of the polynomial q at the root, exactly."""
        q = _trimmed(q)
        if not q:
            return 0
        for bits in (0, 20, 60):
            self.narrow(bits)
            found = self._sign_over_interval(q)
            if found is not None:
                return found
        common = _common(self.p, q)
        if len(common) > 1 and _value(common, self.lo, self.bits) * _value(common, self.hi, self.bits) < 0:
            return 0
        bits = 60
        while True:
            bits *= 2
            self.narrow(bits)
            found = self._sign_over_interval(q)
            if found is not None:
                return found

    def _sign_over_interval(self, q):
        if self.lo == self.hi:
            value = _value(q, self.lo, self.bits)
            return (value > 0) - (value < 0)
        b = _bernstein(q, self.lo, self.hi, self.bits)
        return 1 if min(b) > 0 else -1 if max(b) < 0 else None

    def bracket(self) -> Bracket:
        """Where the root is, to 2^-BITS."""
        self.narrow(BITS)
        scale = 1 << self.bits
        return Bracket(Fraction(self.lo, scale), Fraction(self.hi, scale))


def roots(p) -> list[Root]:
    """All roots in [0, 1] of a polynomial that is not zero, in order."""
    p = _trimmed(p)
    b = _bernstein(p)
    if _changes(b) == 0 and b[0] and b[-1]:
        return []
    p = _square_free(p)
    found, todo = [], [(_bernstein(p), 0, 0)]
    if p and sum(p) == 0:
        found.append(Root(p, 1, 1, 0))
    while todo:
        b, lo, bits = todo.pop()
        if b[0] == 0:
            found.append(Root(p, lo, lo, bits))
        changes = _changes(b)
        if changes == 1 and b[0] and b[-1]:
            found.append(Root(p, lo, lo + 1, bits))
        elif changes:
            left, right = _halves(b)
            todo += [(left, 2 * lo, bits + 1), (right, 2 * lo + 1, bits + 1)]
    return sorted(found, key=lambda root: Fraction(root.lo, 1 << root.bits))


# --- pairs ------------------------------------------------------------------------------------------------------------


def _integers(t0, t1):
    """Eight points as integers (a common power of two times what was given); floats, ints or dyadic Fractions."""
    ratios = [[(float(c) if isinstance(c, np.floating) else c).as_integer_ratio() for c in p] for p in (*t0, *t1)]
    scale = max(d for point in ratios for _, d in point)
    whole = [[n * (scale // d) for n, d in point] for point in ratios]
    if any(scale % d for point in ratios for _, d in point):
        scale = lcm(*(d for point in ratios for _, d in point))
        whole = [[n * (scale // d) for n, d in point] for point in ratios]
    return whole[: len(t0)], whole[len(t0) :]


def _moving(t0, t1):
    start, end = _integers(t0, t1)
    return [tuple([a, b - a] for a, b in zip(p, q)) for p, q in zip(start, end)]


def _vertex_face(points):
    """The cubic, the (point on edge) tests, and the orientation polynomials, which must all be positive."""
    v, *face = points
    q = [_minus(f, v) for f in face]
    n = _cross(_minus(q[1], q[0]), _minus(q[2], q[0]))
    crosses = [_cross(q[i], q[(i + 1) % 3]) for i in range(3)]
    on_edge = [(crosses[i], _dot(q[i], q[(i + 1) % 3])) for i in range(3)]
    return on_edge, [_dot(c, n) for c in crosses]


def _edge_edge(points):
    """The same; of the orientation polynomials each pair must differ in sign."""
    a0, a1, b0, b1 = points
    a, b = _minus(a1, a0), _minus(b1, b0)
    n = _cross(a, b)
    on_edge = []
    for p, x, y in ((a0, b0, b1), (a1, b0, b1), (b0, a0, a1), (b1, a0, a1)):
        u, v = _minus(x, p), _minus(y, p)
        on_edge.append((_cross(u, v), _dot(u, v)))
    sides = [_dot(_cross(a, _minus(p, a0)), n) for p in (b0, b1)] + [
        _dot(_cross(b, _minus(p, b0)), n) for p in (a0, a1)
    ]
    return on_edge, sides


def _coplanarity(points):
    p, q, r, s = points
    return _dot(_minus(q, p), _cross(_minus(r, p), _minus(s, p)))


def _touches(kind, root, on_edge, sides) -> bool:
    for cross, dot in on_edge:
        if all(root.sign(c) == 0 for c in cross) and root.sign(dot) <= 0:
            return True
    signs = [root.sign(s) for s in sides]
    if kind == VERTEX_FACE:
        return min(signs) > 0
    return signs[0] * signs[1] < 0 and signs[2] * signs[3] < 0


def first_contact(kind: str, t0, t1) -> Bracket | None:
    """When the pair first touches in [0, 1], or None if it never does.

    `t0`, `t1`: four points each, of floats, ints or Fractions; the vertex and then the face, or one edge and then the
    other.
    """
    points = _moving(t0, t1)
    cubic = _trimmed(_coplanarity(points))
    if cubic:
        candidates = roots(cubic)
        if not candidates:
            return None
    on_edge, sides = (_vertex_face if kind == VERTEX_FACE else _edge_edge)(points)
    if not cubic:
        candidates = [Root([0, 1], 0, 0, 0)]
        for p in (*(p for cross, dot in on_edge for p in (*cross, dot)), *sides):
            if _trimmed(p):
                candidates += roots(p)
        for root in candidates:
            root.narrow(BITS)
        candidates.sort(key=lambda root: Fraction(root.lo, 1 << root.bits))
    for root in candidates:
        if _touches(kind, root, on_edge, sides):
            return root.bracket()
    return None

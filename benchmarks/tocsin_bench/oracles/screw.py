"""All contacts of two surfaces on a relative screw motion by brute force in 50 digits: the judge of `exact=True`.

Nothing here comes from the engines. The screw of [SCREW eq. 1] is found anew from the poses (axis point u, direction
v, angle, slide g, by [SCREW 4.1]); a point moves as u + g t v + R(v, angle t) (x - u), so with c = cos(angle t),
s = sin(angle t) the volume of four points that decides about a contact is

    f(t) = k0 + k1 t + k2 c + k3 s + t (k4 c + k5 s)

with k4 = k5 = 0 for a vertex and a face. A face of the moving body is taken at rest, and the vertex moved backwards.

All pairs of features and all of [0, 1] go through a filter in double precision, cut into CUTS and then FINE more
intervals: a pair is out if |f| at the middle exceeds |f'| h + F2 h^2 / 2, or balls around the features, or in the end a
direction, show them apart for longer than they can move; all with a slack of 1e-9 of the lengths that enter, a thousand
times the rounding. What is left is decided in 50 digits: f is cut until it is monotone, a sign change gives a root by
bisection and Newton, and the inside test is exact but for 1e-30. What 50 digits cannot decide raises `Degenerate`: such
pairs are for other tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np
from mpmath import mpf

DIGITS = 50
CUTS = 64
FINE = 16
SLACK = 1e-9
TINY = mpf(10) ** -30

VERTEX_FACE, FACE_VERTEX, EDGE_EDGE = "vertex-face", "face-vertex", "edge-edge"


class Degenerate(Exception):
    """A touch that 50 digits cannot tell from a near miss."""


@dataclass(frozen=True, eq=False)
class Surface:
    """What can touch: vertices, edges, and triangles of which those with one number in `group` are one flat face."""

    vertices: np.ndarray
    triangles: np.ndarray
    group: np.ndarray
    edges: np.ndarray
    closed: bool = True
    """Triangles are wound outward."""


@dataclass(frozen=True)
class Hit:
    """A contact: features are a vertex number, a pair of vertex numbers, or the number of a flat face."""

    kind: str
    feature_a: Any
    feature_b: Any
    time: mpf
    properness: float
    """[SCREW eq. 7], from the definitions."""
    facing: bool
    """Do closed surfaces meet there with their outsides? [SCREW eq. 7] does not ask: it is as positive where an inward
    edge or corner is met from within, which [SCREW 4.2] and [SCREW 9] leave out as facing away."""


# --- 50 digits ------------------------------------------------------------------------------------------------------


def _dot(a: Any, b: Any) -> Any:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a: Any, b: Any) -> Any:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def _sub(a: Any, b: Any) -> Any:
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def _axpy(a: Any, s: Any, b: Any) -> Any:
    return (a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2])


def _vector(x: Any) -> Any:
    return tuple(mpf(float(c)) for c in x)


def _rigid(pose: Any) -> tuple[Any, Any]:
    """Return (rows of the rotation, position) of a 4x4 pose, the rotation made orthogonal by way of its quaternion."""
    m = [[mpf(float(pose[i][j])) for j in range(3)] for i in range(3)]
    squares = (
        1 + m[0][0] + m[1][1] + m[2][2],
        1 + m[0][0] - m[1][1] - m[2][2],
        1 - m[0][0] + m[1][1] - m[2][2],
        1 - m[0][0] - m[1][1] + m[2][2],
    )
    k = max(range(4), key=lambda i: squares[i])
    off = (m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1])
    plus = (m[2][1] + m[1][2], m[0][2] + m[2][0], m[1][0] + m[0][1])
    quaternion = (
        (squares[0], *off),
        (off[0], squares[1], plus[2], plus[1]),
        (off[1], plus[2], squares[2], plus[0]),
        (off[2], plus[1], plus[0], squares[3]),
    )[k]
    w, x, y, z = quaternion
    n = w * w + x * x + y * y + z * z
    rows = (
        (1 - 2 * (y * y + z * z) / n, 2 * (x * y - z * w) / n, 2 * (x * z + y * w) / n),
        (2 * (x * y + z * w) / n, 1 - 2 * (x * x + z * z) / n, 2 * (y * z - x * w) / n),
        (2 * (x * z - y * w) / n, 2 * (y * z + x * w) / n, 1 - 2 * (x * x + y * y) / n),
    )
    return rows, tuple(mpf(float(pose[i][3])) for i in range(3))


def _apply(rows: Any, x: Any) -> Any:
    return (_dot(rows[0], x), _dot(rows[1], x), _dot(rows[2], x))


def _columns(rows: Any) -> Any:
    return tuple(zip(*rows))


def _seen_from(a: Any, b: Any) -> Any:
    """Return b's pose in a's frame."""
    inverse = _columns(a[0])
    turned = _columns(tuple(_apply(inverse, c) for c in _columns(b[0])))
    return turned, _apply(inverse, _sub(b[1], a[1]))


@dataclass(frozen=True)
class Screw:
    """u + g t v + R(v, angle t) (x - u)."""

    u: Any
    v: Any
    angle: mpf
    g: mpf

    def at(self, x: Any, t: Any) -> Any:
        """Return where x is at time t."""
        r = _sub(x, self.u)
        along = _dot(self.v, r)
        across = _axpy(r, -along, self.v)
        out = _axpy(self.u, along + self.g * t, self.v)
        out = _axpy(out, mpmath.cos(self.angle * t), across)
        return _axpy(out, mpmath.sin(self.angle * t), _cross(self.v, across))

    def back(self) -> Screw:
        """Return the screw backwards in time."""
        return Screw(self.u, self.v, -self.angle, -self.g)


def relative_screw(a_t0: Any, a_t1: Any, b_t0: Any, b_t1: Any) -> tuple[Screw, Any]:
    """Return the motion of b in a's frame [SCREW eq. 1, 4.1], and b's pose there at t = 0."""
    start = _seen_from(_rigid(a_t0), _rigid(b_t0))
    end = _seen_from(_rigid(a_t1), _rigid(b_t1))
    rows = _columns(tuple(_apply(end[0], c) for c in start[0]))  # end start^T, by columns of start^T = rows of start
    shift = _sub(end[1], _apply(rows, start[1]))
    off = (rows[2][1] - rows[1][2], rows[0][2] - rows[2][0], rows[1][0] - rows[0][1])
    sine = mpmath.sqrt(_dot(off, off)) / 2
    cosine = (rows[0][0] + rows[1][1] + rows[2][2] - 1) / 2
    angle = mpmath.atan2(sine, cosine)
    if angle < mpf(10) ** -14:
        length = mpf(mpmath.sqrt(_dot(shift, shift)))
        v = (mpf(0), mpf(0), mpf(1)) if length == 0 else tuple(c / length for c in shift)
        return Screw((mpf(0),) * 3, v, mpf(0), length), start
    v = tuple(c / (2 * sine) for c in off)
    g = _dot(v, shift)
    flat = _axpy(shift, -g, v)
    half = _cross(v, flat)
    tangent = 2 * mpmath.tan(angle / 2)
    u = tuple(flat[i] / 2 + half[i] / tangent for i in range(3))
    return Screw(u, v, angle, g), start


# --- coefficients, in doubles for all pairs or in 50 digits for one -------------------------------------------------


def _turn_terms(v: Any, q: Any, y: Any, dot: Any, cross: Any) -> tuple[Any, Any, Any]:
    """Return the constant, the cosine's and the sine's coefficient of q . R y."""
    fixed = dot(q, v) * dot(v, y)
    return fixed, dot(q, y) - fixed, dot(q, cross(v, y))


def _vertex_terms(screw: Any, p: Any, c0: Any, n: Any, dot: Any, cross: Any) -> list[Any]:
    """Return k0 to k5 of n . (p(t) - c0) for a point p that moves."""
    u, v, _, g = screw
    fixed, cosine, sine = _turn_terms(v, n, p - u if isinstance(p, np.ndarray) else _sub(p, u), dot, cross)
    offset = dot(n, u - c0 if isinstance(c0, np.ndarray) else _sub(u, c0))
    return [fixed + offset, g * dot(n, v), cosine, sine, 0 * fixed, 0 * fixed]


def _edge_terms(screw: Any, a0: Any, da: Any, b0: Any, db: Any, dot: Any, cross: Any) -> list[Any]:
    """Return k0 to k5 of da . (db(t) x (b0(t) - a0)), with b0(t) = u + g t v + R (b0 - u): expanded in R db and R (db x
    (b0 - u))."""
    u, v, _, g = screw
    arrays = isinstance(a0, np.ndarray)
    m = cross(u - a0 if arrays else _sub(u, a0), da)
    moment = cross(db, b0 - u if arrays else _sub(b0, u))
    one = _turn_terms(v, m, db, dot, cross)
    two = _turn_terms(v, da, moment, dot, cross)
    slide = _turn_terms(v, cross(v, da), db, dot, cross)
    return [one[0] + two[0], g * slide[0], one[1] + two[1], one[2] + two[2], g * slide[1], g * slide[2]]


def _inner(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a * b).sum(axis=-1)


@dataclass(frozen=True)
class _Family:
    """All pairs of one kind, in doubles: coefficients, and balls around the two features, one of which moves."""

    terms: np.ndarray
    scale: np.ndarray
    rest: tuple[np.ndarray, np.ndarray]
    moving: tuple[np.ndarray, np.ndarray]
    corners: tuple[np.ndarray, np.ndarray]
    """(n, 3 or 2, 3) of the feature at rest, (n, 1 or 2, 3) of the one that moves, at t = 0."""
    index: np.ndarray
    back: bool


def _apart(rest: np.ndarray, moved: np.ndarray, reach: np.ndarray) -> np.ndarray:
    """Say of hulls of few points whether one of some directions shows them farther apart than `reach`.

    Directions: across the sides of a triangle within its plane, or from one edge to the other where they are nearest.
    """
    if rest.shape[1] == 3:
        n = np.cross(rest[:, 1] - rest[:, 0], rest[:, 2] - rest[:, 0])
        across = [np.cross(rest[:, (k + 1) % 3] - rest[:, k], n) for k in range(3)]
    else:
        p, u = rest[:, 0], rest[:, 1] - rest[:, 0]
        q, v = moved[:, 0], moved[:, 1] - moved[:, 0]
        w = q - p
        uu, uv, vv, uw, vw = _inner(u, u), _inner(u, v), _inner(v, v), _inner(u, w), _inner(v, w)
        s = np.clip((uw * vv - uv * vw) / np.maximum(uu * vv - uv * uv, 1e-300), 0.0, 1.0)
        t = np.clip((s * uv - vw) / np.maximum(vv, 1e-300), 0.0, 1.0)
        s = np.clip((t * uv + uw) / np.maximum(uu, 1e-300), 0.0, 1.0)
        across = [q + t[:, None] * v - p - s[:, None] * u]
    out = np.zeros(len(rest), bool)
    for n in across:
        n = n / np.maximum(np.linalg.norm(n, axis=1), 1e-300)[:, None]
        gap = np.einsum("nki,ni->nk", moved, n).min(axis=1) - np.einsum("nki,ni->nk", rest, n).max(axis=1)
        out |= gap > reach
    return out


def _survivors(family: _Family, screw: Any) -> list[tuple[int, float, float]]:
    """Return (pair, lo, hi) of all that the filter leaves."""
    u, v, angle, g = screw
    if family.back:
        angle, g = -angle, -g
    theta = abs(angle)
    k = family.terms
    swing = np.hypot(k[:, 2], k[:, 3])
    ride = np.hypot(k[:, 4], k[:, 5])
    bend = theta * theta * (swing + ride) + 2.0 * theta * ride
    center, radius = family.moving
    r = center - u
    along = r @ v
    across = r - along[:, None] * v
    side = np.cross(v, across)
    # No point of the moving ball is faster than this.
    speed = theta * (np.linalg.norm(across, axis=1) + radius) + abs(g)
    near = family.rest[1] + radius + SLACK * (1.0 + np.abs(center).max() + np.abs(family.rest[0]).max())
    which = np.arange(len(k))
    lo = np.zeros(len(k))
    width = 1.0
    for cuts in (CUTS, FINE):
        width /= cuts
        h = 0.5 * width
        next_which, next_lo = [], []
        for i in range(cuts):
            t = lo + (i + 0.5) * width
            c, s = np.cos(angle * t), np.sin(angle * t)
            q = k[which]
            f = q[:, 0] + q[:, 1] * t + q[:, 2] * c + q[:, 3] * s + t * (q[:, 4] * c + q[:, 5] * s)
            slope = q[:, 1] + angle * (q[:, 3] * c - q[:, 2] * s) + q[:, 4] * c + q[:, 5] * s
            slope += t * angle * (q[:, 5] * c - q[:, 4] * s)
            keep = np.abs(f) <= np.abs(slope) * h + 0.5 * bend[which] * h * h + SLACK * family.scale[which]
            place = u + v * (along[which] + g * t)[:, None] + c[:, None] * across[which] + s[:, None] * side[which]
            gap = np.linalg.norm(place - family.rest[0][which], axis=1)
            keep &= gap <= near[which] + speed[which] * h
            next_which.append(which[keep])
            next_lo.append((lo + i * width)[keep])
        which, lo = np.concatenate(next_which), np.concatenate(next_lo)
    t = lo + h
    c, s = np.cos(angle * t)[:, None, None], np.sin(angle * t)[:, None, None]
    r = family.corners[1][which] - u
    along = r @ v
    across = r - along[..., None] * v
    moved = u + v * (along + g * t[:, None])[..., None] + c * across + s * np.cross(v, across)
    slack = near[which] - family.rest[1][which] - radius[which]
    keep = ~_apart(family.corners[0][which], moved, speed[which] * h + slack)
    which, lo = which[keep], lo[keep]
    return [(int(p), float(x), float(x + width)) for p, x in zip(which, lo)]


def _roots(terms: Sequence[mpf], angle: mpf, lo: float, hi: float) -> list[mpf]:
    """Return the roots of f in [lo, hi); what may be at 0 or at 1, or nowhere, raises."""
    k0, k1, k2, k3, k4, k5 = terms
    theta = abs(angle)
    swing, ride = mpmath.hypot(k2, k3), mpmath.hypot(k4, k5)
    bend = theta * theta * (swing + ride) + 2 * theta * ride
    scale = abs(k0) + abs(k1) + swing + ride

    def value(t: Any) -> tuple[Any, Any]:
        c, s = mpmath.cos(angle * t), mpmath.sin(angle * t)
        f = k0 + k1 * t + k2 * c + k3 * s + t * (k4 * c + k5 * s)
        slope = k1 + angle * (k3 * c - k2 * s) + k4 * c + k5 * s + t * angle * (k5 * c - k4 * s)
        return f, slope

    found = []
    waiting = [(mpf(lo), mpf(hi))]
    while waiting:
        a, b = waiting.pop()
        middle, h = (a + b) / 2, (b - a) / 2
        f, slope = value(middle)
        if abs(f) > abs(slope) * h + bend * h * h / 2:
            continue
        if abs(slope) <= bend * h:
            if h < mpf(10) ** -22 or scale == 0 or abs(f) + abs(slope) * h + bend * h * h < TINY * scale:
                raise Degenerate
            waiting += [(middle, b), (a, middle)]
            continue
        fa, fb = value(a)[0], value(b)[0]
        at_a, at_b = abs(fa) < TINY * scale, abs(fb) < TINY * scale
        if (at_a and a == 0) or (at_b and b == 1):
            raise Degenerate  # before the start or after it, after the end or before it
        if at_a or at_b:
            # A root at a cut belongs to what begins there.
            found += [a] if at_a else []
            continue
        if (fa > 0) == (fb > 0):
            continue
        t = middle
        for _ in range(200):
            f, slope = value(t)
            if (f > 0) == (slope > 0):
                b = t
            else:
                a = t
            following = t - f / slope
            if abs(following - t) < mpf(10) ** -42:
                break
            if not a < following < b:
                following = (a + b) / 2
            t = following
        found.append(t)
    return found


def _certain(x: Any, scale: Any) -> bool:
    """Is x positive? Raise if it is too small to tell."""
    if abs(x) <= TINY * scale:
        raise Degenerate
    return x > 0


def _in_triangle(p: Any, a: Any, b: Any, c: Any) -> bool:
    n = _cross(_sub(b, a), _sub(c, a))
    scale = _dot(n, n)
    return all(
        _certain(_dot(_cross(n, _sub(f, e)), _sub(p, e)), scale) for e, f in ((a, b), (b, c), (c, a))
    )  # fmt: skip


def _edges_cross(a0: Any, da: Any, b0: Any, db: Any) -> bool:
    n = _cross(da, db)
    w = _sub(b0, a0)
    square = _dot(n, n)
    s, t = _dot(_cross(w, db), n), _dot(_cross(w, da), n)
    return all(_certain(x, square) for x in (s, square - s, t, square - t))


# --- properness, from its definition --------------------------------------------------------------------------------


def _unit(x: Any) -> np.ndarray:
    x = np.array([float(c) for c in x])
    return x / np.linalg.norm(x)


def _vertex_properness(surface: Surface, vertex: int, n: np.ndarray, turn: Any) -> float:
    ends = surface.edges[(surface.edges == vertex).any(axis=1)]
    spokes = surface.vertices[np.where(ends[:, 0] == vertex, ends[:, 1], ends[:, 0])] - surface.vertices[vertex]
    return min(float(_unit(turn(e)) @ n) for e in spokes)


def _into(surface: Surface, edge: Any, turn: Any) -> list[np.ndarray]:
    """Return the unit vectors from an edge into the flat faces at it."""
    out = []
    for triangle in surface.triangles:
        if edge[0] in triangle and edge[1] in triangle:
            third = next(v for v in triangle if v not in edge)
            along = _unit(surface.vertices[edge[1]] - surface.vertices[edge[0]])
            e = surface.vertices[third] - surface.vertices[edge[0]]
            out.append(np.asarray(turn(_unit(e - (e @ along) * along)), float))
    return out


def _edge_properness(a: Surface, b: Surface, edge_a: Any, edge_b: Any, n: np.ndarray, turn: Any) -> tuple[float, float]:
    """Return the properness, and the sign that makes n point from a to b."""
    on_a, on_b = _into(a, edge_a, lambda e: e), _into(b, edge_b, turn)
    return max(
        (min([-s * float(n @ d) for d in on_a] + [s * float(n @ d) for d in on_b] + [1.0]), s) for s in (1.0, -1.0)
    )


def _meets_outside(surface: Surface, feature: tuple[int, ...], towards: np.ndarray, turn: Any) -> bool:
    """Is `towards`, away from a corner or edge, outside of a closed surface? By normals weighted by their angles."""
    if not surface.closed:
        return True
    total = np.zeros(3)
    for triangle in surface.triangles:
        if set(feature) <= set(triangle.tolist()):
            p, q, r = surface.vertices[np.roll(triangle, -list(triangle).index(feature[0]))]
            angle = np.arccos(np.clip(_unit(q - p) @ _unit(r - p), -1.0, 1.0)) if len(feature) == 1 else 1.0
            total += angle * _unit(np.cross(q - p, r - p))
    return float(np.asarray(turn(total), float) @ towards) > 0.0


# --- the whole ------------------------------------------------------------------------------------------------------


def all_contacts(a: Surface, b: Surface, a_t0: Any, a_t1: Any, b_t0: Any, b_t1: Any) -> list[Hit]:
    """Return every contact of the two surfaces between the poses, by time."""
    with mpmath.workdps(DIGITS):
        return sorted(_all_contacts(a, b, a_t0, a_t1, b_t0, b_t1), key=lambda hit: hit.time)


def _all_contacts(a: Surface, b: Surface, a_t0: Any, a_t1: Any, b_t0: Any, b_t1: Any) -> list[Hit]:
    screw, (rows, shift) = relative_screw(a_t0, a_t1, b_t0, b_t1)
    on_a = [_vector(x) for x in a.vertices]
    on_b = [_axpy(_apply(rows, _vector(x)), 1, shift) for x in b.vertices]
    xa, xb = (np.array([[float(c) for c in p] for p in points]) for points in (on_a, on_b))
    rough = (
        np.array([float(c) for c in screw.u]),
        np.array([float(c) for c in screw.v]),
        float(screw.angle),
        float(screw.g),
    )
    found: list[Hit] = []
    seen: set[Any] = set()

    def turn(t: mpf) -> Any:
        origin = _vector((0, 0, 0))
        return lambda e: tuple(float(c) for c in _sub(screw.at(_apply(rows, _vector(e)), t), screw.at(origin, t)))

    for kind in (VERTEX_FACE, FACE_VERTEX):
        back = kind == VERTEX_FACE
        solid, other = (b, a) if back else (a, b)
        points, corners = (on_a, on_b) if back else (on_b, on_a)
        move = screw.back() if back else screw
        family = _vertex_family(xa if back else xb, xb if back else xa, solid.triangles, rough, back=back)
        for pair, lo, hi in _survivors(family, rough):
            vertex, f = (int(i) for i in family.index[pair])
            c = [corners[i] for i in solid.triangles[f]]
            n = _cross(_sub(c[1], c[0]), _sub(c[2], c[0]))
            terms = _vertex_terms((move.u, move.v, move.angle, move.g), points[vertex], c[0], n, _dot, _cross)
            for t in _roots(terms, move.angle, lo, hi):
                if not _in_triangle(move.at(points[vertex], t), *c):
                    continue
                pair_of = (vertex, int(solid.group[f]))
                feature_a, feature_b = pair_of if back else pair_of[::-1]
                key = (kind, feature_a, feature_b)
                if (key, mpmath.nstr(t, 25)) in seen:
                    continue
                seen.add((key, mpmath.nstr(t, 25)))
                normal = _unit(_sub(screw.at(_axpy(c[0], 1, n), t), screw.at(c[0], t)) if back else n)
                flips = (1.0,) if solid.closed else (1.0, -1.0)
                spun = turn(t) if not back else (lambda e: e)
                properness, s = max((_vertex_properness(other, vertex, s * normal, spun), s) for s in flips)
                facing = _meets_outside(other, (vertex,), -s * normal, spun)
                found.append(Hit(kind, feature_a, feature_b, t, properness, facing))
    family = _edge_family(xa, xb, a.edges, b.edges, rough)
    for pair, lo, hi in _survivors(family, rough):
        i, k = (int(x) for x in family.index[pair])
        a0, a1 = (on_a[v] for v in a.edges[i])
        b0, b1 = (on_b[v] for v in b.edges[k])
        da, db = _sub(a1, a0), _sub(b1, b0)
        terms = _edge_terms((screw.u, screw.v, screw.angle, screw.g), a0, da, b0, db, _dot, _cross)
        for t in _roots(terms, screw.angle, lo, hi):
            tail, head = screw.at(b0, t), screw.at(b1, t)
            if not _edges_cross(a0, da, tail, _sub(head, tail)):
                continue
            edge_a, edge_b = (tuple(sorted(int(v) for v in e)) for e in (a.edges[i], b.edges[k]))
            n = _unit(_cross(da, _sub(head, tail)))
            properness, s = _edge_properness(a, b, edge_a, edge_b, n, turn(t))
            facing = _meets_outside(a, edge_a, s * n, lambda e: e) and _meets_outside(b, edge_b, -s * n, turn(t))
            found.append(Hit(EDGE_EDGE, edge_a, edge_b, t, properness, facing))
    return found


def _vertex_family(
    points: np.ndarray, corners: np.ndarray, triangles: np.ndarray, screw: Any, *, back: bool
) -> _Family:
    u, v, angle, g = screw
    index = np.stack(np.meshgrid(np.arange(len(points)), np.arange(len(triangles)), indexing="ij"), axis=-1)
    index = index.reshape(-1, 2)
    c = corners[triangles]
    n = np.cross(c[:, 1] - c[:, 0], c[:, 2] - c[:, 0])
    p, c0, normal = points[index[:, 0]], c[index[:, 1], 0], n[index[:, 1]]
    move = (u, v, -angle if back else angle, -g if back else g)
    terms = np.stack(_vertex_terms(move, p, c0, normal, _inner, np.cross), axis=1)
    reach = np.linalg.norm(p - u, axis=1) + np.linalg.norm(c0 - u, axis=1) + abs(g)
    middle = c.mean(axis=1)
    radius = np.linalg.norm(c - middle[:, None], axis=2).max(axis=1)
    rest = middle[index[:, 1]], radius[index[:, 1]]
    scale = np.linalg.norm(normal, axis=1) * reach
    return _Family(terms, scale, rest, (p, np.zeros(len(p))), (c[index[:, 1]], p[:, None]), index, back)


def _edge_family(xa: np.ndarray, xb: np.ndarray, edges_a: np.ndarray, edges_b: np.ndarray, screw: Any) -> _Family:
    u, _, _, g = screw
    index = np.stack(np.meshgrid(np.arange(len(edges_a)), np.arange(len(edges_b)), indexing="ij"), axis=-1)
    index = index.reshape(-1, 2)
    a, b = xa[edges_a[index[:, 0]]], xb[edges_b[index[:, 1]]]
    da, db = a[:, 1] - a[:, 0], b[:, 1] - b[:, 0]
    terms = np.stack(_edge_terms(screw, a[:, 0], da, b[:, 0], db, _inner, np.cross), axis=1)
    length_a, length_b = np.linalg.norm(da, axis=1), np.linalg.norm(db, axis=1)
    reach = np.linalg.norm(a[:, 0] - u, axis=1) + np.linalg.norm(b[:, 0] - u, axis=1) + abs(g)
    return _Family(
        terms, length_a * length_b * reach, (a.mean(axis=1), 0.5 * length_a), (b.mean(axis=1), 0.5 * length_b), (a, b),
        index, False,
    )  # fmt: skip

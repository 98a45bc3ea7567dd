"""All times at which two features touch on a relative screw motion: isolated by proof, polished to the last digits.

A vertex against a face, or an edge against an edge, can touch only where four points lie in one plane:

    vertex and face   f = n . (p - c0),           n the face's cross product, p(t) the vertex in the face's frame
    two edges         f = da . (db x w),          w from a's tail to b's, db(t) and w(t) in a's frame

In a's frame the screw is a stationary flow, p' = omega x (p - c) + w0, so that at any t, with no expansion in sines,

    vertex and face   f' = n . p',                |f''| <= |n| theta |p'|         (|p'| is constant along an orbit)
    two edges         f' = da . (db' x w + db x w'),   db' = omega x db,   w' = b's flow,
                      |f''| <= |da| |db| theta (theta |w| + 3 |w'|)               (differentiate once more, take norms)

and Taylor's formula about the middle of an interval of half-width h gives (1) |f| > (|f'| + F2 h / 2) h: no root in it;
(2) |f'| > F2 h: f is monotone, so there is one root at most, which Newton's method, kept in brackets, finds. What is
neither is cut in half, unless the features are proven apart.

Rounding. `noise` bounds how far any computed place of a point of b is from its true one, in metres; the errors of f and
f' follow from it (see `measure`), and so every sign that is used is certain. A root is proven to exist where the true f
changes sign across its bracket and the inside test leaves no doubt for the whole bracket. What rounding cannot decide
is reported as well, unproven: nothing that touches is left out.

Degenerate cases end. A root at which f only touches zero cannot be told from a near miss: it is cut down until f is
rounding everywhere in it (widths of about the root of the rounding), and reported with that bracket. Where f is
rounding for a longer time (a vertex that slides in a face's plane), the stretch during which the features may touch is
reported: its ends to 2 FLAT_LEAST where the inside test says when they are passed, coarser where it is never sure.
"""

import math
from typing import NamedTuple

import numpy as np

from tocsin import vec
from tocsin.compiler.jit import kernel
from tocsin.contacts.timed import EDGE_EDGE, FACE_VERTEX
from tocsin.geometry.triangles import closest_on_triangle, segments
from tocsin.motion.joints import UP
from tocsin.motion.screw import Twist, screw_velocity, turned_coefficients

NODES, LEAVES, FEATURES, OVERFLOW, STEPS, COUNTS = range(6)
"""Counts of a search: pairs of nodes, of triangles, of features; feature pairs with more touches than were kept; steps,
which the cap counts: pairs of nodes, and intervals of time in which features are looked at; how many counts there are.
"""

UNIT = 2.0**-53

LOST = 1024.0 * UNIT
"""Rounding of a relative pose, relative to the lengths that enter it: see `place_noise`."""

FLAT_LEAST = 2.0**-22
"""Half-width at which a stretch in which f is rounding is no longer cut."""

FLAT_CUTS = 256
"""Looks at such stretches of one pair of features: where nothing is certain anywhere (parallel edges that slide along
each other) the ends of the stretch are not worth more; two ends to full precision take 50."""

LEAST = 2.0**-46
"""Half-width at which nothing is cut any more."""

ROUNDS = 64
"""Most Newton or bisection steps of one root; a bracket of doubles is used up after 60 halvings."""


@kernel
def place_noise(twist, base, reach_a, reach_b):
    """Return how far a computed place of a point of b in a's frame, or of a in b's, is off, at any t in [0, 1].

    Claim: at most 1024 units of |p0| + |w| + reach_a + reach_b, p0 being b's origin at t = 0. Proof, in units: the
    relative pose comes from two quaternions and two positions by fewer than 40 roundings of terms below those lengths;
    omega is off by 8 relative (angle of at most pi, atan2, one product), w by 60 (E loses at most 48 to cancellation,
    |omega x (omega x d)| E <= |d|), so that the flow of a point at distance r from b's origin is off by 70 (|w| + pi r)
    and its place at t <= 1, along an orbit, by no more than e^0 of that, as rotations keep errors as long as they are;
    sine and cosine coefficients are good to 8, and the products with them add 24. The sum is below 360 + 70 pi < 1024.
    """
    return LOST * (vec.norm(base[1]) + vec.norm(twist.w) + reach_a + reach_b) * UP


@kernel
def turned(omega, sine, square, x):
    """Return x turned: x + sine omega x x + square omega x (omega x x)."""
    y = vec.cross(omega, x)
    z = vec.cross(omega, y)
    return vec.axpy(vec.axpy(x, sine, y), square, z)


@kernel
def pose_at(twist, base, t):
    """Return (R, T) of b in a's frame at time t; `base` is that at t = 0."""
    omega = twist.omega
    b, c = turned_coefficients(abs(twist.angle * t))
    sine = t * (1.0 - twist.angle * twist.angle * t * t * c)
    square = t * t * b
    c0 = turned(omega, sine, square, vec.column(base[0], 0))
    c1 = turned(omega, sine, square, vec.column(base[0], 1))
    c2 = turned(omega, sine, square, vec.column(base[0], 2))
    xi = screw_velocity(twist, base[1])
    across = vec.cross(omega, xi)
    again = vec.cross(omega, across)
    place = vec.axpy(vec.axpy(vec.axpy(base[1], t, xi), square, across), t * t * t * c, again)
    return vec.transpose((c0, c1, c2)), place


@kernel
def moving_vertex(kind, x, twist, pose):
    """Return (p, v): a vertex and its velocity, in the frame of the other side's face."""
    rotation, place = pose
    if kind == FACE_VERTEX:
        p = vec.add(vec.matvec(rotation, x), place)
        return p, screw_velocity(twist, p)
    v = vec.tmatvec(rotation, screw_velocity(twist, x))
    return vec.tmatvec(rotation, vec.sub(x, place)), (-v[0], -v[1], -v[2])


@kernel
def measure(kind, q, twist, pose, h, noise):
    """Return (f, slope, error, slope_error, bend): f and f' at the pose, how far they may be off, and a bound of |f''|.

    `q`: a vertex and three corners, or tail and head of both edges, each in its own frame; `bend` holds within h.

    Errors. Let s be the product of the two edge lengths in f. Vertex and face: n is off by 8 units of s, p by the noise
    and |p - c0| <= 2 noise / LOST, so f is off by less than 2 s noise. Edges: db is off by LOST |db|, w by the noise:
    s (noise + 2 LOST |w|) < 8 s noise. Velocities are off by at most 4 (1 + theta) noise, and f' by the same factors.
    """
    theta = twist.angle
    slow = 4.0 * (1.0 + theta) * noise
    if kind != EDGE_EDGE:
        p, v = moving_vertex(kind, q[0], twist, pose)
        d = vec.sub(q[2], q[1])
        e = vec.sub(q[3], q[1])
        n = vec.cross(d, e)
        size = vec.norm(d) * vec.norm(e)
        f = vec.dot(n, vec.sub(p, q[1]))
        return f, vec.dot(n, v), 2.0 * size * noise, 2.0 * size * slow, size * theta * (vec.norm(v) + slow) * UP
    da = vec.sub(q[1], q[0])
    db = vec.matvec(pose[0], vec.sub(q[3], q[2]))
    b0 = vec.add(vec.matvec(pose[0], q[2]), pose[1])
    w = vec.sub(b0, q[0])
    v = screw_velocity(twist, b0)
    size = vec.norm(da) * vec.norm(db)
    slope = vec.dot(da, vec.add(vec.cross(vec.cross(twist.omega, db), w), vec.cross(db, v)))
    speed = vec.norm(v) + slow
    bend = size * theta * (theta * (vec.norm(w) + noise + speed * h) + 3.0 * speed) * UP
    return vec.dot(da, vec.cross(db, w)), slope, 8.0 * size * noise, 16.0 * size * slow, bend


@kernel
def decided(least, most, error):
    """Return 1 if two numbers, off by `error` at most, are certainly positive, -1 if one is certainly not, else 0."""
    if least > error and most > error:
        return 1
    return -1 if least < -error or most < -error else 0


@kernel
def in_triangle(p, c0, c1, c2, way):
    """Return 1 if a point in a triangle's plane, known to within `way`, is inside, -1 if not, 0 if unsure.

    It is where (n x e_i) . (p - c_i) > 0 for the three sides e_i, each off by at most |n| |e_i| way.
    """
    d = vec.sub(c1, c0)
    e = vec.sub(c2, c1)
    g = vec.sub(c0, c2)
    n = vec.cross(d, e)
    size = vec.norm(d) * vec.norm(e) * way
    first = vec.dot(vec.cross(n, d), vec.sub(p, c0))
    second = vec.dot(vec.cross(n, e), vec.sub(p, c1))
    third = vec.dot(vec.cross(n, g), vec.sub(p, c2))
    one = decided(first, first, size * vec.norm(d))
    two = decided(second, second, size * vec.norm(e))
    three = decided(third, third, size * vec.norm(g))
    return min(one, min(two, three))


@kernel
def in_both(a0, da, b0, db, way, r):
    """Return 1 if two lines in one plane cross within both edges, -1 if not, 0 if unsure.

    s da - t db = w at the crossing, so s = (w x db) . N / N.N and t = (w x da) . N / N.N with N = da x db; both must be
    in [0, 1]. w is known to within `way`, db to within r |db|, so N to within |da| |db| r.
    """
    w = vec.sub(b0, a0)
    n = vec.cross(da, db)
    length_a = vec.norm(da)
    length_b = vec.norm(db)
    size = length_a * length_b
    way = way + 3.0 * vec.norm(w) * r
    square = vec.dot(n, n)
    s = vec.dot(vec.cross(w, db), n)
    t = vec.dot(vec.cross(w, da), n)
    blur = 3.0 * size * size * r
    on_a = decided(s, square - s, (size * length_b * way + blur) * UP)
    on_b = decided(t, square - t, (size * length_a * way + blur) * UP)
    return min(on_a, on_b)


@kernel
def inside(kind, q, twist, pose, shift, late, bow, noise):
    """Return 1 if features that are in one plane at a certain time touch then, -1 if they cannot, 0 if unsure.

    The time is `shift` after the pose's, give or take `late`; places are carried there along straight lines, from which
    orbits depart by at most `bow` times theta |p'|, and directions by `bow` times theta^2.
    """
    theta = twist.angle
    if kind != EDGE_EDGE:
        p, v = moving_vertex(kind, q[0], twist, pose)
        way = (2.0 * noise + vec.norm(v) * (late + theta * bow)) * UP
        return in_triangle(vec.axpy(p, shift, v), q[1], q[2], q[3], way)
    db = vec.matvec(pose[0], vec.sub(q[3], q[2]))
    b0 = vec.add(vec.matvec(pose[0], q[2]), pose[1])
    v = screw_velocity(twist, b0)
    way = 2.0 * noise + vec.norm(v) * (late + theta * bow)
    r = LOST + theta * (late + theta * bow)
    db = vec.axpy(db, shift, vec.cross(twist.omega, db))
    return in_both(q[0], vec.sub(q[1], q[0]), vec.axpy(b0, shift, v), db, way, r)


@kernel
def apart(kind, q, twist, pose, h, noise):
    """Are the two features certainly apart at all times within h of the pose's?

    Along the direction n of their closest points: the gap between them, less the noise, against how far they come
    together, |n . p'| h + theta |p'| h^2 / 2 for each point that moves.
    """
    theta = twist.angle
    if kind != EDGE_EDGE:
        p, v = moving_vertex(kind, q[0], twist, pose)
        n = vec.sub(p, closest_on_triangle(p, q[1], q[2], q[3]))
        length = vec.norm(n)
        top = max(vec.dot(n, q[1]), max(vec.dot(n, q[2]), vec.dot(n, q[3])))
        gap = vec.dot(n, p) - top
        way = abs(vec.dot(n, v)) * h + length * vec.norm(v) * (0.5 * theta * h * h + 2.0**-40 * h)
        return gap > (way + 2.0 * length * noise) * UP
    b0 = vec.add(vec.matvec(pose[0], q[2]), pose[1])
    b1 = vec.add(vec.matvec(pose[0], q[3]), pose[1])
    x, y = segments(q[0], vec.sub(q[1], q[0]), b0, vec.sub(b1, b0))
    n = vec.sub(y, x)
    length = vec.norm(n)
    v0 = screw_velocity(twist, b0)
    v1 = screw_velocity(twist, b1)
    gap = min(vec.dot(n, b0), vec.dot(n, b1)) - max(vec.dot(n, q[0]), vec.dot(n, q[1]))
    way = max(abs(vec.dot(n, v0)), abs(vec.dot(n, v1))) * h
    way += length * max(vec.norm(v0), vec.norm(v1)) * (0.5 * theta * h * h + 2.0**-40 * h)
    return gap > (way + 2.0 * length * noise) * UP


@kernel
def same_sign(kind, q, twist, base, lo, hi, noise):
    """Has f certainly the same sign at both ends of an interval?"""
    f, _, error, _, _ = measure(kind, q, twist, pose_at(twist, base, lo), 0.0, noise)
    g, _, other, _, _ = measure(kind, q, twist, pose_at(twist, base, hi), 0.0, noise)
    return (f > error and g > other) or (f < -error and g < -other)


@kernel
def polished(kind, q, twist, base, lo, hi, steep, noise):
    """Return (time, radius, proven, where): the root in [lo, hi], where |f'| >= `steep` > 0; see `isolate`.

    A true root in [lo, hi] is within `radius` of `time`. With s = |f'(time)| less its error, |f'| >= s / 2 within
    s / (2 F2); if 2 (|f| + error) / s is no more than that, f changes sign within it of `time`: the root exists, and is
    the only one in the two stretches together, which overlap. Otherwise (|f| + error) / steep.
    `where`: -1 if they do not touch there, else 0 or 1 as `inside` says; proven needs 1.
    """
    a = lo
    b = hi
    t = 0.5 * (lo + hi)
    f = 0.0
    slope = 0.0
    error = 0.0
    slope_error = 0.0
    bend = 0.0
    pose = base
    for _ in range(ROUNDS):
        pose = pose_at(twist, base, t)
        f, slope, error, slope_error, bend = measure(kind, q, twist, pose, 0.5 * (hi - lo), noise)
        if f == 0.0:
            break
        if (f > 0.0) == (slope > 0.0):
            b = t
        else:
            a = t
        following = t - f / slope
        if abs(following - t) <= 2.0**-54:
            break
        if not (a < following < b):
            following = 0.5 * (a + b)
            if following in (a, b):
                break
        t = following
    if abs(f) > error and same_sign(kind, q, twist, base, lo, hi, noise):
        return t, 0.0, False, -1
    s = abs(slope) - slope_error
    radius = math.inf
    exists = False
    if s > 0.0:
        radius = 2.0 * (abs(f) + error) / s * UP
        exists = radius * bend <= 0.5 * s
    if not exists:
        radius = (abs(f) + error) / steep * UP
    where = -1
    if t + radius >= lo and t - radius <= hi:
        where = inside(kind, q, twist, pose, 0.0, radius, 0.0, noise)
        # Parallel edges are in one plane wherever they are, and lines that do not cross say nothing about s and t.
        if where == 0 and apart(kind, q, twist, pose, radius, noise):
            where = -1
    proven = exists and where == 1 and t - radius >= 0.0 and t + radius <= 1.0
    return t, radius, proven, where


@kernel
def add_row(found, n, time, lo, hi, proven):
    """Append a touch, or join it with the last one where their brackets meet; return the new count, -1 if full."""
    if n > 0 and found[n - 1, 2] >= lo:
        # A root seen from both sides of a cut, or the next piece of a stretch: the bracket holds both.
        known = found[n - 1, 3] > 0.0
        if not known:
            found[n - 1, 0] = time if proven else min(found[n - 1, 0], time)
        found[n - 1, 1] = min(found[n - 1, 1], lo)
        found[n - 1, 2] = max(found[n - 1, 2], hi)
        found[n - 1, 3] = 1.0 if proven or known else 0.0
        return n
    if n == found.shape[0]:
        return -1
    found[n, 0] = time
    found[n, 1] = lo
    found[n, 2] = hi
    found[n, 3] = 1.0 if proven else 0.0
    return n + 1


class Orbit(NamedTuple):
    """How b moves as a sees it."""

    twist: Twist
    base: tuple
    """The pose at t = 0."""
    noise: float
    """How far off a computed place may be, metres: see `place_noise`."""


class Span(NamedTuple):
    """A stretch of time."""

    lo: float
    hi: float
    pose: tuple
    """Of the middle."""


class Roots(NamedTuple):
    """The workspace of `isolate`."""

    stack: np.ndarray
    found: np.ndarray
    """(n, 4) time, lo, hi, proven."""


@kernel
def isolate(kind, q, orbit, span, roots, counts):
    """Write all times of a span at which two features touch to rows of `roots.found`; return how many, and if all fit.

    A row is (time, lo, hi, proven): what touches and is in no other row is in [lo, hi];
    if proven, something does. `time` is the root, or lo where it is not one root. Intervals that are looked at are
    added to counts[STEPS].
    """
    twist, base, noise = orbit
    stack, found = roots
    begin, end, pose = span
    stack[0, 0] = begin
    stack[0, 1] = end
    top = 1
    n = 0
    cuts = 0
    while top > 0:
        top -= 1
        counts[STEPS] += 1
        lo = stack[top, 0]
        hi = stack[top, 1]
        middle = 0.5 * (lo + hi)
        h = 0.5 * (hi - lo) * UP + UNIT
        if hi - lo < end - begin:
            pose = pose_at(twist, base, middle)
        f, slope, error, slope_error, bend = measure(kind, q, twist, pose, h, noise)
        sweep = (abs(slope) + slope_error + 0.5 * bend * h) * h
        if abs(f) > (error + sweep) * UP:
            continue
        steep = abs(slope) - slope_error - bend * h * UP
        if steep > 0.0:
            # Where the root is, roughly: f + f' s is within F2 h^2 / 2 of f there. Most pairs are settled by this.
            late = (0.5 * bend * h * h + error + slope_error * h) / steep
            if inside(kind, q, twist, pose, -f / slope, late, 0.5 * h * h, noise) < 0:
                continue
            time, radius, proven, where = polished(kind, q, twist, base, lo, hi, steep, noise)
            if where < 0:
                continue
            n = add_row(found, n, min(max(time, 0.0), 1.0), max(time - radius, 0.0), min(time + radius, 1.0), proven)
            if n < 0:
                return 0, False
            continue
        if apart(kind, q, twist, pose, h, noise):
            continue
        flat = abs(f) + sweep <= 8.0 * error
        last = h < LEAST
        if flat:
            where = inside(kind, q, twist, pose, 0.0, h, 0.0, noise)
            if where < 0:
                continue
            cuts += 1
            last = last or where > 0 or h < FLAT_LEAST or cuts > FLAT_CUTS
        if last:
            n = add_row(found, n, lo, lo, hi, False)
            if n < 0:
                return 0, False
            continue
        # The earlier half on top: rows come in the order of time.
        stack[top, 0] = middle
        stack[top, 1] = hi
        stack[top + 1, 0] = lo
        stack[top + 1, 1] = middle
        top += 2
    return n, True


@kernel
def make_roots():
    """Return the workspace of `isolate`: a stack as deep as doubles can be halved, and room for many roots."""
    return Roots(np.zeros((128, 2)), np.zeros((256, 4)))

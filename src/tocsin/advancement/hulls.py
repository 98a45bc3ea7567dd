"""How long the convex hulls of two nodes stay apart: the step that is taken where boxes overlap and surfaces do not.

Boxes of a curved surface overlap long before it touches, all around the place where it will; the hulls of the same
nodes do not. `between` finds a direction between two hulls from their corners alone (GJK over
`geometry.support_patches`, started from the last direction), and `approach.hulls_advance` goes as far along it as can
be proven:

Claim (the chord). Let n be fixed in the common ancestor's frame, |n| <= 1, g0 and g1 the gaps between the two shapes
along n at times t and t + h, and A a bound of the acceleration of any point of one against any of the other. Then at
t + s h, s in [0, 1], the gap is at least (1 - s) g0 + s g1 - A h^2 s (1 - s) / 2. Proof: for two points x, y the
function f = n.(y - x) has |f''| <= A, and a function differs from its chord by at most max|f''| h^2 s (1 - s) / 2; f
is at least g0 and g1 at the ends, and the gap is the least f over all pairs of points.

So a step needs the gap at its other end, which is computed there first anyway, and loses to the motion's curvature a
quarter of what a step loses that knows only the speed at its start. Where the hulls
come within reach of touching, the triangles right at the closest points are advanced at once: if they touch, that is an
upper bound of the time of contact, and where both surfaces bulge towards each other the hulls are apart until then:
the pair is settled without being opened. Nothing rests on these being the right triangles.
"""

import math
from typing import NamedTuple

import numpy as np

from tocsin import vec
from tocsin.advancement.box_step import boxes_of
from tocsin.compiler.jit import kernel
from tocsin.geometry.simplex import segment_weights, tetrahedron_weights, triangle_weights
from tocsin.geometry.support_patches import LOWEST, corner_at, farthest_of_two, singles_noise
from tocsin.geometry.triangles import closest_on_triangle
from tocsin.motion.joints import UP
from tocsin.simd.lanes import bits, select

ROUNDS = 24
"""GJK ends earlier: when its direction is good enough, or nothing gets better."""

GOOD_ENOUGH = 0.7
"""A direction along which the gap is this part of the distance is not improved any more (measured on tori)."""

NEAR_ENOUGH = 0.003
"""Hulls closer than this part of the extent of their closest features, or than twice the tolerance, are opened."""

BRIDGE = 4.0
"""Closest features of hulls that are so many times as long as a triangle are bridges, and no surface."""

NEAR_BRIDGE = 0.03
"""As NEAR_ENOUGH, of bridges: the hulls will overlap before the surfaces touch."""

WITHIN_REACH = 0.1
"""Closer than this part of the same extent, the triangles at the closest points are looked at."""

SMALL = 4
"""Patches of a node whose triangles may be looked at sooner than that."""

EARLY = 64
"""Steps of a pair during which they are: tori touch within so many, and a bolt that turns in its nut would have
triangles looked at in vain thousands of times."""


class Hulls(NamedTuple):
    """Two nodes that are advanced by their hulls: their corners, how they move, and what counts as apart."""

    a: int
    b: int
    patches: tuple[np.ndarray, np.ndarray, np.ndarray]
    """The scene's, as `geometry.support_patches` takes them."""
    center_a: tuple[float, float, float]
    """Of a's root, from which corners are told; likewise b's."""
    center_b: tuple[float, float, float]
    speed: float
    """No two of their points approach each other faster, along any direction, metres per unit of time."""
    acceleration: float
    clear: float
    """A gap that is larger is one beyond the margin: metres, with all that rounding may take."""


@kernel
def hulls_of(world, pair, a, b):
    """Return the record of nodes a and b of a pair, before either is placed."""
    root_a = world.nodes[world.geoms[pair["a"]]["root"]]
    root_b = world.nodes[world.geoms[pair["b"]]["root"]]
    reach_a = np.float64(world.nodes[a]["reach"])
    reach_b = np.float64(world.nodes[b]["reach"])
    speed = (pair["speed"] + pair["turn_a"] * reach_a + pair["turn_b"] * reach_b) * UP
    acceleration = (pair["accel"] + pair["accel_per_reach_a"] * reach_a + pair["accel_per_reach_b"] * reach_b) * UP
    # A point is placed in two parts, the root's centre and a corner from there, together up to three times as long.
    clear = pair["margin"] + 4.0 * pair["noise"] + singles_noise(root_a, root_b)
    patches = world.spans, world.corners, world.cells
    return Hulls(a, b, patches, node_center(root_a), node_center(root_b), speed, acceleration, clear)


@kernel
def first_direction(nodes, hulls, placed, view, n):
    """Return the direction, in a's frame, from which a search between two hulls starts: n, if it is known.

    Else the one between the centres of their boxes.
    """
    if n[0] != 0.0 or n[1] != 0.0 or n[2] != 0.0:
        return vec.tmatvec(placed[0], n)
    centre = vec.add(view[1], vec.matvec(view[0], vec.sub(node_center(nodes[hulls.b]), hulls.center_b)))
    return vec.sub(centre, vec.sub(node_center(nodes[hulls.a]), hulls.center_a))


@kernel
def centred(states, center_a, center_b):
    """Return (ra, rb, d, va, wa, vb, wb): orientations, from a's to b's root centre, velocities of the centres.

    `states` as from `relative.both_states`: all in the frame of the common ancestor.
    """
    ra, pa, wa, va, rb, pb, wb, vb = states[:8]
    ca = vec.matvec(ra, center_a)
    cb = vec.matvec(rb, center_b)
    d = vec.add(vec.sub(pb, pa), vec.sub(cb, ca))
    return ra, rb, d, vec.add(va, vec.cross(wa, ca)), wa, vec.add(vb, vec.cross(wb, cb)), wb


@kernel
def as_a_sees(placed):
    """Return (R, d): orientation of b and the place of its root's centre in a's frame, from the centre of a's root."""
    return vec.tmatmul(placed[0], placed[1]), vec.tmatvec(placed[0], placed[2])


@kernel
def gap_along(hulls, view, n):
    """Return (gap, corner_a, corner_b) of the corners of two hulls, along the direction n, which is in a's frame.

    The gap is a lower bound of the distance of the hulls up to the noise of the pair and of single precision. Corners
    are those that reach farthest, in their own frames from their roots' centres.
    """
    back = vec.tmatvec(view[0], n)
    patches = hulls.patches
    on_a, on_b = farthest_of_two(patches, hulls.a, n, hulls.b, (-back[0], -back[1], -back[2]))
    reach_a, group_a, at_a = on_a
    reach_b, group_b, at_b = on_b
    gap = vec.dot(n, view[1]) - (reach_a + reach_b)
    return gap, corner_at(patches[1], group_a, at_a), corner_at(patches[1], group_b, at_b)


@kernel
def place_vertex(simplex, k, view):
    """Write the difference of a pair of corners, which are kept in their own frames in columns 3:6 and 6:9."""
    y = vec.add(vec.matvec(view[0], (simplex[k, 6], simplex[k, 7], simplex[k, 8])), view[1])
    for i in range(3):
        simplex[k, i] = y[i] - simplex[k, 3 + i]


@kernel
def closest_of(simplex, size):
    """Drop the vertices that do not support the closest point; return (size, inside, v, x).

    v = y - x is closest to the origin, x the point of a's hull that it comes from.
    """
    p0 = vec.load3(simplex, 0)
    weights = (1.0, 0.0, 0.0, 0.0)
    inside = False
    if size == 2:
        w0, w1 = segment_weights(p0, vec.load3(simplex, 1))
        weights = (w0, w1, 0.0, 0.0)
    elif size == 3:
        w0, w1, w2 = triangle_weights(p0, vec.load3(simplex, 1), vec.load3(simplex, 2))
        weights = (w0, w1, w2, 0.0)
    elif size == 4:
        inside, weights = tetrahedron_weights(p0, vec.load3(simplex, 1), vec.load3(simplex, 2), vec.load3(simplex, 3))
    v = (0.0, 0.0, 0.0)
    x = (0.0, 0.0, 0.0)
    kept = 0
    for k in range(size):
        w = weights[k]
        if w > 0.0:
            v = vec.axpy(v, w, vec.load3(simplex, k))
            x = vec.axpy(x, w, (simplex[k, 3], simplex[k, 4], simplex[k, 5]))
            if kept < k:
                for i in range(9):
                    simplex[kept, i] = simplex[k, i]
            kept += 1
    return kept, inside, v, x


@kernel
def is_known(simplex, size, x, y):
    """Is this pair of corners in the simplex already?"""
    for k in range(size):
        same = True
        for i in range(3):
            same = same and simplex[k, 3 + i] == x[i] and simplex[k, 6 + i] == y[i]
        if same:
            return True
    return False


@kernel
def extent_of(simplex, size):
    """Return the largest distance from the simplex's first pair of corners to another, on either side."""
    most = 0.0
    for k in range(1, size):
        on_a = 0.0
        on_b = 0.0
        for i in range(3):
            on_a += (simplex[k, 3 + i] - simplex[0, 3 + i]) ** 2
            on_b += (simplex[k, 6 + i] - simplex[0, 6 + i]) ** 2
        most = max(most, max(on_a, on_b))
    return math.sqrt(most)


@kernel
def between(hulls, view, n, size, enough, hopeless, simplex):
    """Return (lower, upper, n, x, v, size) of two hulls: a gap along n, a distance between points x and x + v of them.

    Starts from `size` vertices that are in the simplex from an earlier moment, else from the direction n. Ends when
    the gap exceeds `enough`, or is GOOD_ENOUGH a part of what is left beyond `clear`, or when nothing gets better, or
    the distance is at most `hopeless` of the extent of the closest features; then `lower` may be negative. Directions
    and points are in a's frame, from its root's centre.
    """
    floor = hulls.clear
    lower = -math.inf
    upper = math.inf
    best = n
    x = (0.0, 0.0, 0.0)
    v = n
    if size > 0:
        for k in range(size):
            place_vertex(simplex, k, view)
        size, _, v, x = closest_of(simplex, size)
        upper = vec.norm(v)
    for _ in range(ROUNDS):
        length = vec.norm(v)
        if not length > 0.0:
            break
        n = (v[0] / length, v[1] / length, v[2] / length)
        gap, corner_a, corner_b = gap_along(hulls, view, n)
        if gap > lower:
            lower = gap
            best = n
        if lower > enough or (lower > floor and lower - floor >= GOOD_ENOUGH * (upper - floor)):
            break
        if size == 4 or is_known(simplex, size, corner_a, corner_b):
            break
        for i in range(3):
            simplex[size, 3 + i] = corner_a[i]
            simplex[size, 6 + i] = corner_b[i]
        place_vertex(simplex, size, view)
        size, inside, new_v, new_x = closest_of(simplex, size + 1)
        length = vec.norm(new_v)
        if not length < upper:
            break
        upper = length
        v = new_v
        x = new_x
        if inside or upper <= floor + hopeless * extent_of(simplex, size):
            break
    return lower, upper, best, x, v, size


@kernel
def safe_part(g0, g1, bend):
    """Return s in [0, 1] such that g0 + s (g1 - g0) - bend s (1 - s) > 0 on all of [0, s]; g0 > 0, and bend >= 0.

    bend s^2 + b s + g0 with b = g1 - g0 - bend: a parabola that opens upward. With g1 > 0 it is positive up to 1
    where it has no root, or its lowest point is not inside; else up to its smaller root, in the form that does not
    cancel. g0, g1 and bend are first moved by 2^-40 of themselves to the unsafe side, which is more than what the
    roundings below change the parabola by, at a double root too: there its value is off by 2^-50 of g0.
    """
    g0 = g0 * (1.0 - 2.0**-40)
    g1 = g1 - 2.0**-40 * (abs(g1) + g0)
    bend = bend * (1.0 + 2.0**-40)
    b = g1 - g0 - bend
    square = b * b - 4.0 * bend * g0
    if g1 > 0.0 and (square < 0.0 or b >= 0.0 or -b > 2.0 * bend):
        return 1.0
    return min(2.0 * g0 / (math.sqrt(max(square, 0.0)) - b), 1.0) * (1.0 - 2.0**-40)


@kernel
def nearest_leaf(world, node, p, limit, stack):
    """Return the leaf below a node whose triangle is nearest to a point of its frame, within a limit; -1 for none."""
    if world.nodes[node]["count"] > 0:
        return node
    best = limit * limit
    leaf = -1
    stack[0, 0] = -1 - world.nodes[node]["count"]
    top = 1
    while top > 0:
        top -= 1
        q = stack[top, 0]
        center, axes, half = boxes_of(world.quads, q)
        e = (p[0] - center[0], p[1] - center[1], p[2] - center[2])
        x = abs(vec.dot(e, axes[0])) - half[0]
        y = abs(vec.dot(e, axes[1])) - half[1]
        z = abs(vec.dot(e, axes[2])) - half[2]
        x = select(x > 0.0, x, 0.0)
        y = select(y > 0.0, y, 0.0)
        z = select(z > 0.0, z, 0.0)
        near = bits(x * x + y * y + z * z < best)
        while near != 0:
            kid = world.kids[q, LOWEST[near]]
            near &= near - 1
            if kid < 0:
                continue
            if kid & 1 == 0:
                stack[top, 0] = -1 - world.nodes[kid >> 1]["count"]
                top += 1
                continue
            f = world.nodes[kid >> 1]["first"]
            on_it = closest_on_triangle(
                p,
                vec.load3(world.points, world.faces[f, 0]),
                vec.load3(world.points, world.faces[f, 1]),
                vec.load3(world.points, world.faces[f, 2]),
            )
            e = vec.sub(on_it, p)
            square = vec.dot(e, e)
            if square < best:
                best = square
                leaf = kid >> 1
    return leaf


@kernel
def stride(gap, n, placed, x, y, acceleration, speed):
    """Return a step worth trying: until the closest points meet along n at their speeds of now, and a bit farther.

    All in the frame of the common ancestor, points from the centre of a's root.
    """
    leaving = vec.add(placed[3], vec.cross(placed[4], x))
    coming = vec.add(placed[5], vec.cross(placed[6], vec.sub(y, placed[2])))
    closing = vec.dot(n, vec.sub(leaving, coming))
    h = math.sqrt(10.0 * gap / acceleration) if acceleration > 0.0 else math.inf
    if closing > 0.0:
        h = min(h, 1.25 * gap / closing)
    return max(h, gap / (speed * UP)) if speed > 0.0 else h


@kernel
def node_center(node):
    """Return the centre of a node's box."""
    return (np.float64(node["center"][0]), np.float64(node["center"][1]), np.float64(node["center"][2]))

"""Convex sets by their support points, and the distance between two of them (GJK), warm-started.

A convex set is a stretch of the point table, in its link's frame, and two radii:

    count points, disk 0        their convex hull (a point, a segment, a triangle, a box, a polytope ...)
    2 points, disk > 0          a cylinder: a disk of that radius, across the axis, swept along the segment; the unit
                                axis is the row after the points
    radius > 0                  all of it inflated by a ball: a sphere, a capsule, a hull with slack

The axis is kept because the points do not tell it: both are rounded, and far from the link's origin that turns the line
through the ends of a thin cylinder by any angle. The rounded ends, with disks across the true axis, are off by no more
than their own rounding.

What GJK finds is never believed: its direction is a certificate, since the gap between the two support points along
*any* direction is a lower bound of the distance, and its points are a witness, an upper bound. Where it stops early or
goes wrong, the two are farther apart, nothing else.
"""

import math

from tocsin import vec
from tocsin.compiler.jit import kernel
from tocsin.geometry.projection import by_turns
from tocsin.geometry.simplex import segment_weights, tetrahedron_weights, triangle_weights
from tocsin.simd.points import farthest_point

MAX_ROUNDS = 48


@kernel
def across(axis):
    """Return two unit vectors across an axis and each other, orthogonal to a few units of rounding."""
    if abs(axis[0]) <= abs(axis[1]) and abs(axis[0]) <= abs(axis[2]):
        u = (0.0, axis[2], -axis[1])
    elif abs(axis[1]) <= abs(axis[2]):
        u = (-axis[2], 0.0, axis[0])
    else:
        u = (axis[1], -axis[0], 0.0)
    v = vec.cross(axis, u)
    return vec.scale(u, 1.0 / vec.norm(u)), vec.scale(v, 1.0 / vec.norm(v))


@kernel
def support(points, first, count, disk, n):
    """Return the point of a convex set (without its radius) farthest along n, by looking at all of them."""
    k = farthest_point(points, first, count, n)
    p = (points[k, 0], points[k, 1], points[k, 2])
    if disk > 0.0:
        # Across the axis by a frame of its own: n minus its part along the axis would be all rounding near the axis.
        u, v = across(vec.load3(points, first + count))
        x = vec.dot(n, u)
        y = vec.dot(n, v)
        length = math.sqrt(x * x + y * y)
        if length > 0.0:
            p = vec.axpy(vec.axpy(p, disk * x / length, u), disk * y / length, v)
    return p


@kernel
def support_value(points, first, count, disk, n):
    """Return the largest n.p over a convex set (without its radius)."""
    return vec.dot(n, support(points, first, count, disk, n))


@kernel
def put(simplex, k, a, b):
    """Store a pair of support points and their difference as vertex k."""
    for i in range(3):
        simplex[k, i] = b[i] - a[i]
        simplex[k, 3 + i] = a[i]
        simplex[k, 6 + i] = b[i]


@kernel
def reduce_simplex(simplex, size):
    """Return (size, inside, v, x, y): drop the useless vertices; the closest point v = y - x, x in A and y in B."""
    p0 = vec.load3(simplex, 0)
    w0, w1, w2, w3 = 1.0, 0.0, 0.0, 0.0
    inside = False
    if size == 2:
        w0, w1 = segment_weights(p0, vec.load3(simplex, 1))
    elif size == 3:
        w0, w1, w2 = triangle_weights(p0, vec.load3(simplex, 1), vec.load3(simplex, 2))
    elif size == 4:
        inside, w = tetrahedron_weights(p0, vec.load3(simplex, 1), vec.load3(simplex, 2), vec.load3(simplex, 3))
        w0, w1, w2, w3 = w
    x0 = x1 = x2 = y0 = y1 = y2 = 0.0
    kept = 0
    for k in range(size):
        w = w0
        if k == 1:
            w = w1
        elif k == 2:
            w = w2
        elif k == 3:
            w = w3
        if w > 0.0:
            x0 += w * simplex[k, 3]
            x1 += w * simplex[k, 4]
            x2 += w * simplex[k, 5]
            y0 += w * simplex[k, 6]
            y1 += w * simplex[k, 7]
            y2 += w * simplex[k, 8]
            if kept < k:
                for i in range(9):
                    simplex[kept, i] = simplex[k, i]
            kept += 1
    x = (x0, x1, x2)
    y = (y0, y1, y2)
    return kept, inside, vec.sub(y, x), x, y


@kernel
def known(simplex, size, w):
    """Is w a vertex of the simplex already?"""
    for k in range(size):
        if simplex[k, 0] == w[0] and simplex[k, 1] == w[1] and simplex[k, 2] == w[2]:
            return True
    return False


@kernel
def feature_direction(simplex, size, v):
    """Return a unit direction near v that is at right angles to the edges of the simplex, where these say one.

    Across a triangle: its normal. Along an edge: v without its part along the edge, taken away twice. Edges are long
    where v is short, so the direction keeps its digits. It is only a proposal: the caller measures the gap along it.
    """
    e = (simplex[1, 0] - simplex[0, 0], simplex[1, 1] - simplex[0, 1], simplex[1, 2] - simplex[0, 2])
    if size > 2:
        f = (simplex[2, 0] - simplex[0, 0], simplex[2, 1] - simplex[0, 1], simplex[2, 2] - simplex[0, 2])
        n = vec.cross(e, f)
        if vec.dot(n, n) > 1e-16 * vec.dot(e, e) * vec.dot(f, f):
            length = vec.norm(n) if vec.dot(n, v) >= 0.0 else -vec.norm(n)
            return (n[0] / length, n[1] / length, n[2] / length)
        if vec.dot(f, f) > vec.dot(e, e):
            e = f
    square = vec.dot(e, e)
    if square > 0.0:
        v = vec.axpy(v, -vec.dot(v, e) / square, e)
        v = vec.axpy(v, -vec.dot(v, e) / square, e)
    length = vec.norm(v)
    if not length > 0.0:
        return (1.0, 0.0, 0.0)
    return (v[0] / length, v[1] / length, v[2] / length)


@kernel
def gap_of_sets(points_a, a, points_b, b, pose, direction):
    """Return how far b begins beyond the end of a along a unit direction, radii included: at most their distance."""
    first_a, count_a, radius_a, disk_a = a
    first_b, count_b, radius_b, disk_b = b
    rotation, place = pose
    pa = support(points_a, first_a, count_a, disk_a, direction)
    back = vec.tmatvec(rotation, direction)
    pb = support(points_b, first_b, count_b, disk_b, (-back[0], -back[1], -back[2]))
    pb = vec.add(vec.matvec(rotation, pb), place)
    return vec.dot(direction, vec.sub(pb, pa)) - (radius_a + radius_b)


@kernel
def convex_distance(points_a, a, points_b, b, pose, n, simplex, goal):
    """Return (lower, upper, n, x, y) for two convex sets a, b = (first, count, radius, disk), b placed by `pose` in a.

    `lower` <= distance along the unit direction n (from a to b), `upper` >= distance between the witness points x
    and y, both up to the rounding that the caller's noise covers, in a's frame, radii included. `n` in: a first guess,
    any vector. With `goal` (floor, near, accept) it ends when upper <= near (a contact, for the caller), when
    lower - floor is positive and at least accept * (upper - floor), or when nothing improves any more; `simplex` is a
    (4, 9) workspace.
    """
    floor, near, _ = goal
    radii = a[2] + b[2]
    size, lower, upper, n, x, y = gjk(points_a, a, points_b, b, pose, n, simplex, goal)
    if (a[3] > 0.0 or b[3] > 0.0) and near < upper < math.inf and not lower - floor >= 0.5 * (upper - floor):
        length, p, q = by_turns(points_a, a, points_b, b, pose, x, y, near + radii)
        d = max(length - radii, 0.0)
        if d < upper:
            upper, x, y = d, p, q
            if upper > near:
                direction = vec.scale(vec.sub(y, x), 1.0 / length)
                gap = gap_of_sets(points_a, a, points_b, b, pose, direction)
                if gap > lower:
                    lower, n = gap, direction
    if size > 1 and 0.0 < upper < math.inf and upper > near and not lower - floor >= 0.5 * (upper - floor):
        # Close to touching, the difference of the closest points has lost its digits; their features have not.
        direction = feature_direction(simplex, size, vec.sub(y, x))
        gap = gap_of_sets(points_a, a, points_b, b, pose, direction)
        if gap > lower:
            lower, n = gap, direction
    if upper < math.inf and radii > 0.0:
        x, y = on_surfaces(x, y, a[2], b[2])
    return lower, upper, n, x, y


@kernel
def gjk(points_a, a, points_b, b, pose, n, simplex, goal):
    """Return (size, lower, upper, n, x, y): `convex_distance` by GJK alone, x and y points of the cores, without radii,
    and how many vertices the simplex has."""
    first_a, count_a, radius_a, disk_a = a
    first_b, count_b, radius_b, disk_b = b
    rotation, place = pose
    floor, near, accept = goal
    radii = radius_a + radius_b
    size = 0
    lower = -math.inf
    upper = math.inf
    best_n = n
    best_x = (0.0, 0.0, 0.0)
    best_y = (0.0, 0.0, 0.0)
    v = n
    if n[0] == 0.0 and n[1] == 0.0 and n[2] == 0.0:
        v = (1.0, 0.0, 0.0)
    for _ in range(MAX_ROUNDS):
        length = vec.norm(v)
        if not length > 0.0:
            break
        direction = (v[0] / length, v[1] / length, v[2] / length)
        pa = support(points_a, first_a, count_a, disk_a, direction)
        back = vec.tmatvec(rotation, direction)
        pb = support(points_b, first_b, count_b, disk_b, (-back[0], -back[1], -back[2]))
        pb = vec.add(vec.matvec(rotation, pb), place)
        w = vec.sub(pb, pa)
        gap = vec.dot(direction, w) - radii
        if gap > lower:
            lower = gap
            best_n = direction
        if lower > floor and lower - floor >= accept * (upper - floor):
            break
        if known(simplex, size, w):
            break
        put(simplex, size, pa, pb)
        size, inside, closest, x, y = reduce_simplex(simplex, size + 1)
        d = max(vec.norm(closest) - radii, 0.0)
        if not d < upper:
            break
        upper = d
        best_x = x
        best_y = y
        if inside or upper <= near:
            break
        v = closest
    return size, lower, upper, best_n, best_x, best_y


@kernel
def on_surfaces(x, y, radius_a, radius_b):
    """Return witness points of two cores, moved to the surfaces inflated by their radii."""
    gap = vec.sub(y, x)
    length = vec.norm(gap)
    if not length > 0.0:
        return x, y
    of_a = min(radius_a, length)
    of_b = min(radius_b, length - of_a)
    return vec.axpy(x, of_a / length, gap), vec.axpy(y, -of_b / length, gap)

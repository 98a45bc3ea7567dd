"""The point of a simple convex set that is closest to a given point, in closed form; and two sets by turns.

GJK walks a round rim by chords, and close to touching it stops where rounding hides the next one: some 1e-6 of a
cylinder's size away from the closest points. The closest point of a cylinder to one given point has no such trouble.
"""

import math

from tocsin import vec
from tocsin.compiler.jit import kernel
from tocsin.geometry.simplex import blend3, segment_weights, triangle_weights

MAX_TURNS = 8


@kernel
def closest_of(points, core, p, otherwise):
    """Return the point closest to p of a convex set (first, count, radius, disk) without its radius.

    A cylinder, a point, a segment or a triangle; of any other set `otherwise` is returned. What is returned is in the
    set up to a few units of rounding of its coordinates.
    """
    first, count, _, disk = core
    q = vec.load3(points, first)
    if disk > 0.0:
        axis = vec.load3(points, first + count)
        up = vec.sub(vec.load3(points, first + 1), q)
        d = vec.sub(p, q)
        along = vec.dot(d, axis)
        tall = vec.dot(up, axis)
        s = min(max(along / tall, 0.0), 1.0) if tall > 0.0 else 0.0
        out = vec.axpy(d, -along, axis)
        out = vec.axpy(out, -vec.dot(out, axis), axis)  # again: the first leaves its rounding
        length = vec.norm(out)
        if length > disk:
            out = vec.scale(out, disk / length)
        return vec.add(vec.axpy(q, s, up), out)
    if count == 1:
        return q
    if count == 2:
        a = vec.sub(q, p)
        b = vec.sub(vec.load3(points, first + 1), p)
        s, t = segment_weights(a, b)
        return blend3((s, t, 0.0), q, vec.load3(points, first + 1), q)
    if count == 3:
        b = vec.load3(points, first + 1)
        c = vec.load3(points, first + 2)
        return blend3(triangle_weights(vec.sub(q, p), vec.sub(b, p), vec.sub(c, p)), q, b, c)
    return otherwise


@kernel
def by_turns(points_a, a, points_b, b, pose, x, y, near):
    """Return (length, x, y): points x of a and y of b (in a's frame) brought closer by projecting them by turns.

    Each projection takes the closest point of one set to the point held in the other, so the length never grows (up
    to rounding; a pair that is not shorter is not taken). It ends at a length of `near` or less.
    """
    rotation, place = pose
    length = math.inf
    new_x, new_y = x, y
    for _ in range(MAX_TURNS):
        new_x = closest_of(points_a, a, new_y, new_x)
        seen = vec.tmatvec(rotation, vec.sub(new_x, place))
        held = vec.tmatvec(rotation, vec.sub(new_y, place))
        new_y = vec.add(vec.matvec(rotation, closest_of(points_b, b, seen, held)), place)
        new = vec.norm(vec.sub(new_y, new_x))
        if not new < length:
            break
        length, x, y = new, new_x, new_y
        if length <= near:
            break
    return length, x, y

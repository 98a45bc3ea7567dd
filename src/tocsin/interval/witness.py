"""Contact validity: at one moment, do features touch, and are two triangles apart [ARTICULATE 5.2.3]?

A contact is believed when two points, one of each shape, are closer than margin + tolerance, the error of their places
included: then it is there, whatever the equations said. Being apart is believed when a direction says so.
"""

import math

from tocsin import vec
from tocsin.compiler.jit import kernel
from tocsin.geometry.triangles import closest_on_triangle, segments
from tocsin.interval.equations import least_of, most_of
from tocsin.motion.joints import UP

APART, TOUCHING, UNDECIDED = range(3)


@kernel
def vertex_gap(p, a, b, c):
    """Return the vector from the point of triangle abc closest to p, to p."""
    return vec.sub(p, closest_on_triangle(p, a, b, c))


@kernel
def edge_gap(a, b, c, d):
    """Return the vector from the point of segment ab closest to cd, to that of cd."""
    x, y = segments(a, vec.sub(b, a), c, vec.sub(d, c))
    return vec.sub(y, x)


@kernel
def through(p, q, a, b, c):
    """Return the distance from triangle abc of the point where segment pq crosses its plane; inf where it does not."""
    n = vec.cross(vec.sub(b, a), vec.sub(c, a))
    hp = vec.dot(n, vec.sub(p, a))
    hq = vec.dot(n, vec.sub(q, a))
    if hp * hq > 0.0 or hp == hq:
        return math.inf
    x = vec.axpy(p, hp / (hp - hq), vec.sub(q, p))
    return vec.norm(vertex_gap(x, a, b, c))


@kernel
def separates(n, a0, a1, a2, b0, b1, b2, need):
    """Is triangle b farther than `need` from triangle a along n? Sound for any vector n."""
    return least_of(n, b0, b1, b2) - most_of(n, a0, a1, a2) > need * vec.norm(n) * UP


@kernel
def triangles_at(a, b, need, near):
    """Return APART, TOUCHING or UNDECIDED for two triangles (tuples of corners, in one frame) at one moment.

    APART: farther than `need`, proven by a direction. TOUCHING: two points within `near`. Directions tried: between the
    closest points of all fifteen pairs of features, whose shortest is that of the triangles if they are disjoint, and
    the normals of planes and pairs of edges. Points tried: those, and where an edge passes through a face.
    """
    a0, a1, a2 = a
    b0, b1, b2 = b
    least = math.inf
    best = (0.0, 0.0, 0.0)
    for k in range(3):
        n = vertex_gap(b[k], a0, a1, a2)
        d = vec.norm(n)
        if d < least:
            least = d
            best = n
        n = vertex_gap(a[k], b0, b1, b2)
        d = vec.norm(n)
        if d < least:
            least = d
            best = (-n[0], -n[1], -n[2])
        for j in range(3):
            n = edge_gap(a[k], a[(k + 1) % 3], b[j], b[(j + 1) % 3])
            d = vec.norm(n)
            if d < least:
                least = d
                best = n
    if separates(best, a0, a1, a2, b0, b1, b2, need):
        return APART
    if least <= near:
        return TOUCHING
    for k in range(3):
        i = (k + 1) % 3
        if through(a[k], a[i], b0, b1, b2) <= near or through(b[k], b[i], a0, a1, a2) <= near:
            return TOUCHING
    for k in range(-1, 3):
        for j in range(-1, 3):
            u = vec.sub(a[(k + 1) % 3], a[k % 3]) if k >= 0 else vec.sub(a1, a0)
            v = vec.sub(b[(j + 1) % 3], b[j % 3]) if j >= 0 else vec.sub(b1, b0)
            if k < 0:
                u, v = u, vec.sub(a2, a0)
            elif j < 0:
                u, v = v, vec.sub(b2, b0)
            n = vec.cross(u, v)
            back = (-n[0], -n[1], -n[2])
            if separates(n, a0, a1, a2, b0, b1, b2, need) or separates(back, a0, a1, a2, b0, b1, b2, need):
                return APART
    return UNDECIDED

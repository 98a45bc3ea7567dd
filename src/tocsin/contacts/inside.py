"""One closed mesh wholly inside another, for shapes that are asked to be solid.

Only needed at the start: what is apart and outside cannot get inside without touching. The winding number of a closed
mesh about a point is the sum of the solid angles of its triangles over 4 pi, a whole number; inside is where it is not
0. Of several shells that is the union of their insides less cavities, since shells that would cancel where they overlap
are refused (`geometry.shells`). The point is a corner of the other shape, farther from the surface than the tolerance
(or there is contact already), so the sum is far from one half and rounding cannot decide.
"""

import math

from tocsin import vec
from tocsin.advancement.relative import relative_state
from tocsin.compiler.jit import kernel
from tocsin.model.tables import CONVEX


@kernel
def solid_angle(a, b, c):
    """Return the signed solid angle of triangle abc seen from the origin (van Oosterom and Strackee)."""
    la = vec.norm(a)
    lb = vec.norm(b)
    lc = vec.norm(c)
    volume = vec.dot(a, vec.cross(b, c))
    return 2.0 * math.atan2(volume, la * lb * lc + vec.dot(a, b) * lc + vec.dot(b, c) * la + vec.dot(c, a) * lb)


@kernel
def is_inside(points, faces, begin, end, p):
    """Is p inside the closed mesh of faces[begin:end]?"""
    total = 0.0
    for f in range(begin, end):
        total += solid_angle(
            vec.sub(vec.load3(points, faces[f, 0]), p),
            vec.sub(vec.load3(points, faces[f, 1]), p),
            vec.sub(vec.load3(points, faces[f, 2]), p),
        )
    return abs(total) > 2.0 * math.pi


@kernel
def contains(world, outer, inner, pose):
    """Is any component of the shape `inner`, placed by `pose` in the frame of the solid mesh `outer`, inside it?"""
    if outer["kind"] == CONVEX or outer["solid"] == 0:
        return False
    for k in range(inner["sample"], inner["sample"] + inner["samples"]):
        p = vec.add(pose[1], vec.matvec(pose[0], vec.load3(world.points, k)))
        if is_inside(world.points, world.faces, outer["face"], outer["face"] + outer["faces"], p):
            return True
    return False


@kernel
def one_inside_other(world, pair, sweeps, joints, t):
    """Is one shape of the pair inside the other, a solid mesh, at time t?"""
    a = world.geoms[pair["a"]]
    b = world.geoms[pair["b"]]
    solid_a = a["solid"] != 0 and a["kind"] != CONVEX
    solid_b = b["solid"] != 0 and b["kind"] != CONVEX
    if not (solid_a or solid_b):
        return False
    (rotation, place), _ = relative_state(pair, sweeps, joints, world.links, t)
    if contains(world, a, b, (rotation, place)):
        return True
    back = vec.tmatvec(rotation, place)
    return contains(world, b, a, (vec.transpose(rotation), (-back[0], -back[1], -back[2])))

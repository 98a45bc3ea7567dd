"""Properness: how well two surfaces face each other where they touch [SCREW 5, eq. 6, eq. 7].

At a contact with normal n, from a to b, go from the point in any direction across n: with the angle phi from a's
surface up to b's, the properness is the least sin(phi). Not negative: the surfaces do not cut through each other near
the point, as at a true first contact. Negative: they do.

- a vertex against a face: the least e . n over the unit vectors e along the vertex's edges, n the face's normal
  towards the vertex;
- an edge against an edge: with the unit vector d from an edge into each face at it, the least of -n . d over a's faces
  and n . d over b's [SCREW eq. 7]; times the sine of the angle between the edges it is [SCREW eq. 6].

[SCREW eq. 7] is by face normals, (n x e_A) . n_A,1 and so on, for two faces and a left and a right. As a walker along e
outside of A has the face with normal m on the left at d = m x e, (n x e) . m = -n . (m x e) = -n . d, and the same for
the other three terms: the formula by d is [SCREW eq. 7], needs no outside, no left and right, and takes any number of
faces: one at an open edge, more at a non-manifold one, none at a wire. Nothing in it depends on the time, the frame or
which body is called a (n turns around with the order).
"""

import math

from tocsin import vec
from tocsin.compiler.jit import kernel


@kernel
def vertex_properness(spokes, first, count, n):
    """Return the least e . n over the edges e of a vertex; 1 where it has none."""
    least = 1.0
    for k in range(first, first + count):
        least = min(least, spokes[k, 0] * n[0] + spokes[k, 1] * n[1] + spokes[k, 2] * n[2])
    return least


@kernel
def edge_side(sides, first, count, n):
    """Return the least n . d over the faces at an edge; 1 where it has none."""
    least = 1.0
    for k in range(first, first + count):
        d = sides[k]["into"]
        least = min(least, d[0] * n[0] + d[1] * n[1] + d[2] * n[2])
    return least


@kernel
def edge_normal(sides_a, edge_a, sides_b, edge_b, n_a, n_b):
    """Return (properness, sign): [SCREW eq. 7] for the normal, in a's frame and in b's, or for its opposite if that is
    more.

    The sign makes n point from a to b.
    """
    out = min(
        edge_side(sides_a, edge_a["side"], edge_a["sides"], (-n_a[0], -n_a[1], -n_a[2])),
        edge_side(sides_b, edge_b["side"], edge_b["sides"], n_b),
    )
    back = min(
        edge_side(sides_a, edge_a["side"], edge_a["sides"], n_a),
        edge_side(sides_b, edge_b["side"], edge_b["sides"], (-n_b[0], -n_b[1], -n_b[2])),
    )
    if back > out:
        return back, -1.0
    return out, 1.0


@kernel
def face_normal(spokes, corner, n, closed):
    """Return (properness, sign) of a vertex against a face with normal n, in the vertex's frame.

    A face of a closed surface has its outside; one of an open surface counts from the side on which the vertex's
    edges are.
    """
    out = vertex_properness(spokes, corner["spoke"], corner["spokes"], n)
    if closed:
        return out, 1.0
    back = vertex_properness(spokes, corner["spoke"], corner["spokes"], (-n[0], -n[1], -n[2]))
    if back > out:
        return back, -1.0
    return out, 1.0


@kernel
def sine_between(u, v):
    """Return the sine of the angle between two directions of any length: [SCREW eq. 6] over [SCREW eq. 7]."""
    lengths = math.sqrt(vec.dot(u, u) * vec.dot(v, v))
    if lengths == 0.0:
        return 0.0
    return vec.norm(vec.cross(u, v)) / lengths

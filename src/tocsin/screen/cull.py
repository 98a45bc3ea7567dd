"""Which faces of two large bodies can meet during a screw motion: balls, and the hierarchies of both.

In the frame of the axis a ball around (r, phi, y) flows to (r, phi + theta t, y + g t). Two points at (r_a, phi_a, y_a)
and (r_b, phi_b, y_b) are at the squared distance

    (r_a - r_b)^2 + 4 r_a r_b sin^2((phi_b - phi_a) / 2) + (y_b - y_a)^2,

so balls whose radii add up to R can touch at t only if |r_a - r_b| <= R, |y_b + g t - y_a| <= R and
2 sqrt(r_a r_b) |sin((phi_b + theta t - phi_a) / 2)| <= R: two stretches of t, which must overlap within [0, 1].
"""

import math

import numpy as np

from tocsin import vec
from tocsin.compiler.jit import kernel
from tocsin.geometry.tree import MAX_DEPTH
from tocsin.screen.placing import Chosen

MOST_TESTS = 2**20
"""Pairs of balls that are looked at: some 50 ms. Where all of a soup is in one place there are as many as pairs of
triangles, and none of them is settled."""

ROUND = 1e-6
"""Radii are grown by this part: hierarchies are in single precision, and nothing here is rounded outward."""


@kernel
def balls_meet(frame, a, b, radius):
    """Can a ball at b, flowing during [0, 1], come within `radius` of the point a? Never False if it does.

    The frame moves, and a translation never goes against its own axis (`screen_frame`): the pitch is positive where the
    angle is 0. Proof: the conditions on the top of this file are necessary, and R is `radius`; of the three terms of
    the squared distance |r_a - r_b| is the same at all times, which leaves R^2 - (r_a - r_b)^2 for each of the others.
    """
    radius *= 1.0 + ROUND
    if frame.angle == 0.0:
        dx = b[0] - a[0]
        dz = b[2] - a[2]
        across = dx * dx + dz * dz
        if across > radius * radius:
            return False
        reach = math.sqrt(radius * radius - across)
        y = b[1] - a[1]
        return y <= reach and y + frame.pitch >= -reach
    r_a = math.sqrt(a[0] * a[0] + a[2] * a[2])
    r_b = math.sqrt(b[0] * b[0] + b[2] * b[2])
    apart = r_a - r_b
    if abs(apart) > radius:
        return False
    left = math.sqrt(radius * radius - apart * apart)
    y = b[1] - a[1]
    g = frame.pitch
    lo = 0.0
    hi = 1.0
    if g != 0.0:
        lo = (-left - y) / g
        hi = (left - y) / g
        if lo > hi:
            lo, hi = hi, lo
        lo = max(lo, 0.0)
        hi = min(hi, 1.0)
    elif abs(y) > left:
        return False
    if lo > hi:
        return False
    chord = 2.0 * math.sqrt(r_a * r_b)
    if left >= chord:
        return True
    half = 2.0 * math.asin(left / chord) * (1.0 + ROUND)
    delta = math.atan2(b[0], b[2]) - math.atan2(a[0], a[2])
    # delta + theta t passes within `half` of a whole turn for some t in [lo, hi]?
    low = delta + frame.angle * lo - half
    high = delta + frame.angle * hi + half
    return math.floor(high / (2.0 * math.pi)) >= math.ceil(low / (2.0 * math.pi))


@kernel
def ball_of(nodes, k, rotation, place):
    """Return the centre, in the frame of the axis, of the ball around a node."""
    center = nodes[k]["center"]
    return vec.add(vec.matvec(rotation, (float(center[0]), float(center[1]), float(center[2]))), place)


@kernel
def mark(nodes, k, stack, surfaces, surface, wanted):
    """Mark the faces of all triangles below a node."""
    stack[0] = k
    top = 1
    while top > 0:
        top -= 1
        node = nodes[stack[top]]
        if node["count"] > 0:
            for j in range(node["count"]):
                f = surfaces.numbers[surface["owner"] + node["first"] + j - surface["mesh_face"]]
                if f >= 0:
                    wanted[f - surface["face"]] = True
        else:
            stack[top] = node["first"]
            stack[top + 1] = node["first"] + 1
            top += 2


@kernel
def listed(surfaces, surface, wanted):
    """Return the marked faces with their edges, the faces around these, and the corners of all those faces.

    The latter are there because an edge asks all its faces, and a face all its corners, which way it faces.
    """
    numbers = surfaces.numbers
    edge_wanted = np.zeros(surface["edges"], dtype=np.bool_)
    corner_wanted = np.zeros(surface["corners"], dtype=np.bool_)
    corner_asked = np.zeros(surface["corners"], dtype=np.bool_)
    face_wanted = wanted.copy()
    edges = np.empty(surface["edges"], dtype=np.int32)
    corners = np.empty(surface["corners"], dtype=np.int32)
    faces = np.empty(surface["faces"], dtype=np.int32)
    n_edges = 0
    n_corners = 0
    n_faces = 0
    for f in range(wanted.shape[0]):
        if not wanted[f]:
            continue
        for k in range(numbers[surface["ring"] + f], numbers[surface["ring"] + f + 1]):
            e = numbers[k]
            if edge_wanted[e - surface["edge"]]:
                continue
            edge_wanted[e - surface["edge"]] = True
            edges[n_edges] = e - surface["edge"]
            n_edges += 1
        for k in range(numbers[surface["rim"] + f], numbers[surface["rim"] + f + 1]):
            if corner_asked[numbers[k]]:
                continue
            corner_asked[numbers[k]] = True
            corner = surfaces.corners[surface["corner"] + numbers[k]]
            for j in range(corner["face"], corner["face"] + corner["faces"]):
                face_wanted[numbers[j] - surface["face"]] = True
    for f in range(wanted.shape[0]):
        if not face_wanted[f]:
            continue
        faces[n_faces] = f
        n_faces += 1
        for k in range(numbers[surface["rim"] + f], numbers[surface["rim"] + f + 1]):
            c = numbers[k]
            if not corner_wanted[c]:
                corner_wanted[c] = True
                corners[n_corners] = c
                n_corners += 1
    return Chosen(corners[:n_corners], edges[:n_edges], faces[:n_faces])


@kernel
def choose(surfaces, nodes, surface_a, surface_b, frame, pose_a, pose_b, small):
    """Return what of two bodies, placed in the frame of the axis, can meet.

    Both hierarchies are gone down together until nodes are `small`. Everything that can meet is chosen, and more: whole
    nodes. After MOST_TESTS nothing more is opened.
    """
    wanted_a = np.zeros(surface_a["faces"], dtype=np.bool_)
    wanted_b = np.zeros(surface_b["faces"], dtype=np.bool_)
    done_a = np.zeros(nodes.shape[0], dtype=np.bool_)
    done_b = np.zeros(nodes.shape[0], dtype=np.bool_)  # two: the bodies may share one hierarchy
    stack = np.empty(4 * MAX_DEPTH, dtype=np.int32)
    pending = np.empty((8 * MAX_DEPTH, 2), dtype=np.int32)
    pending[0, 0] = surface_a["root"]
    pending[0, 1] = surface_b["root"]
    top = 1
    left = MOST_TESTS
    while top > 0:
        top -= 1
        left -= 1
        a = pending[top, 0]
        b = pending[top, 1]
        radius_a = float(nodes[a]["radius"])
        radius_b = float(nodes[b]["radius"])
        ball_a = ball_of(nodes, a, pose_a[0], pose_a[1])
        ball_b = ball_of(nodes, b, pose_b[0], pose_b[1])
        if not balls_meet(frame, ball_a, ball_b, radius_a + radius_b):
            continue
        end_a = nodes[a]["count"] > 0 or radius_a <= small or left < 0
        end_b = nodes[b]["count"] > 0 or radius_b <= small or left < 0
        if end_a and end_b:
            if not done_a[a]:
                done_a[a] = True
                mark(nodes, a, stack, surfaces, surface_a, wanted_a)
            if not done_b[b]:
                done_b[b] = True
                mark(nodes, b, stack, surfaces, surface_b, wanted_b)
        elif end_b or (not end_a and radius_a >= radius_b):
            pending[top, 0] = nodes[a]["first"]
            pending[top, 1] = b
            pending[top + 1, 0] = nodes[a]["first"] + 1
            pending[top + 1, 1] = b
            top += 2
        else:
            pending[top, 0] = a
            pending[top, 1] = nodes[b]["first"]
            pending[top + 1, 0] = a
            pending[top + 1, 1] = nodes[b]["first"] + 1
            top += 2
    return listed(surfaces, surface_a, wanted_a), listed(surfaces, surface_b, wanted_b)

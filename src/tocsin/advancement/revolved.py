"""The convex body that a shape sweeps in a whole turn of its own joint, so that a chart need not cover that joint.

Two links with three joints between them have a space of three angles, too large for a grid. But the last links of an
arm, its flange and wrist, are nearly round about their own joint. So the last angle is left out: the shape is replaced
by a body that contains it at every value of that angle, and the chart covers the other two (`surveying`).

Claim. Let a revolute joint turn about the axis u through the origin of its link's frame, C a convex set that contains
the shape, in that frame. For a point p let h = u.p and r its distance from the axis. With s(a) the largest
h sin a + r cos a over C, all points of the shape, at all values of the joint, are in

    B = { h sin a + r cos a <= s(a) for the angles a = -90, ..., 90 degrees that are looked at },

and B is in the hull of regular SIDES-gons around the axis at the corners (h, r) of that region, with their corners at
r / cos(pi / SIDES). Proof: turning keeps h and r. For cos a >= 0 the function h sin a + r cos a is convex, so its
largest value over C is at a corner of C, plus the radius of the ball by which C is inflated (its gradient has length
one). B is convex and a body of revolution; its section at h is the disk up to the least of the lines, which is in the
polygon around that disk, and between two corners of the region everything is linear in h.
"""

import math

import numpy as np

from tocsin.geometry.primitives import ConvexHull
from tocsin.geometry.shape import Shape, make_shape
from tocsin.model.tables import CONVEX, World
from tocsin.motion.links import FIXED

SIDES = 24
"""Corners of a turn: these stand out by less than a hundredth of the radius."""

ANGLES = np.radians([-90.0, -60.0, -30.0, 0.0, 30.0, 60.0, 90.0])
"""Of the tangents of the region of (h, r)."""

ROUNDING = 2.0**-40
"""Of the shape's size, by which the body is larger: all that is computed here is off by less than 2^-44 of it."""


def turned_body(points: np.ndarray, grow: float, axis: np.ndarray) -> Shape:
    """Return the body for the convex set of these points, inflated by `grow`, and an axis through the origin."""
    u = axis / np.linalg.norm(axis)
    h = points @ u
    r = np.linalg.norm(points - h[:, None] * u, axis=1)
    size = float(np.linalg.norm(points, axis=1).max()) + grow
    sine, cosine = np.sin(ANGLES), np.cos(ANGLES)
    cosine[[0, -1]] = 0.0
    far = (sine[:, None] * h + cosine[:, None] * r).max(axis=1) + grow + ROUNDING * size
    # Where the line of one angle meets that of the next.
    turn = sine[1:] * cosine[:-1] - sine[:-1] * cosine[1:]
    at = (far[1:] * cosine[:-1] - far[:-1] * cosine[1:]) / turn
    out = np.maximum((far[:-1] * sine[1:] - far[1:] * sine[:-1]) / turn, 0.0) / math.cos(math.pi / SIDES)
    out = (out + ROUNDING * size) * (1.0 + ROUNDING)
    side = np.cross(u, np.eye(3)[np.abs(u).argmin()])
    side /= np.linalg.norm(side)
    around = 2.0 * math.pi * np.arange(SIDES) / SIDES
    circle = np.cos(around)[:, None] * side + np.sin(around)[:, None] * np.cross(u, side)
    corners = at[:, None, None] * u + out[:, None, None] * circle
    return make_shape(ConvexHull(corners.reshape(-1, 3)))


def placed_proxy(world: World, geom: int, link: int) -> np.ndarray:
    """Return the points of a shape's convex set in the frame of a link above it, with fixed joints between the two."""
    row = world.geoms[geom]
    points = world.points[int(row["proxy"]) : int(row["proxy"]) + int(row["proxy_count"])]
    at = int(row["link"])
    while at != link:
        joint = world.links[at]
        points = points @ joint["rotation"].T + joint["translation"]
        at = int(joint["parent"])
    return points


def with_turned(world: World, geom: int, link: int) -> World:
    """Return tables in which the link's joint stands, and the shape is the body that it sweeps by turning there."""
    row = world.geoms[geom]
    body = turned_body(
        placed_proxy(world, geom, link),
        float(row["proxy_radius"]) + float(row["proxy_disk"]),
        world.links[link]["axis"],
    )
    geoms = world.geoms.copy()
    new = geoms[geom]
    new["link"], new["kind"], new["root"] = link, CONVEX, len(world.nodes)
    new["proxy"], new["proxy_count"] = len(world.points), len(body.proxy)
    new["proxy_radius"], new["proxy_disk"], new["reach"] = body.radius, body.disk, body.reach
    new["hull_count"], new["hull_radius"], new["tight"] = len(body.proxy), body.radius, 1
    links = world.links.copy()
    links[link]["kind"] = FIXED
    return world._replace(
        nodes=np.concatenate([world.nodes, body.nodes]), points=np.concatenate([world.points, body.proxy]),
        geoms=geoms, links=links,
    )  # fmt: skip

"""The volume that a line-swept sphere sweeps, as convex pieces that contain it [ARTICULATE 4.2.1, 4.2.2].

A shape is inside its line-swept sphere (`geometry.lss`): all points within r of a segment p q. Carried by the motion
(R, T) of its link, the segment draws the ruled surface ([ARTICULATE eq. 8], b the path of p, delta = R (q - p))

    x(t, s) = (1 - s) P(t) + s Q(t),    P = T + R p,  Q = T + R q,

and the sphere sweeps the offset of that surface by r; where s is 0 or 1 this is the pipe around the path of an end
[ARTICULATE eq. 9, eq. 10]. [ARTICULATE 4.2.2.1] draws triangles on the offset itself, which needs the surface's normals
and a regular surface, and can miss what comes closer than its tessellation error [ARTICULATE 7.1]. Here the ruled
surface is tessellated, and what tessellation leaves out is added to the radius: no normals, nothing is missed.

Claim. Cut time at t_0 < ... < t_n. During [t_k, t_k+1] every point of the shape is within

    r + e_k,    e_k = (t_k+1 - t_k)^2 / 8 max(sup |P''|, sup |Q''|),

of the tetrahedron P(t_k) Q(t_k) P(t_k+1) Q(t_k+1). Proof. For fixed s, x(., s) has the second derivative (1 - s) P'' +
s Q'', no longer than the maximum of both. With L its chord over [t_k, t_k+1] and n a unit vector, n . (x - L) vanishes
at both ends, so it is at most (t_k+1 - t_k)^2 / 8 sup |n . x''| (error of linear interpolation); take n along x - L.
The chord at any time is a convex combination of the four corners. A point of the shape is within r of some x(t, s).
([ARTICULATE eq. 11] for f = x: the second derivative in s is 0, and since quads are kept whole, as the convex sets that
they span, instead of being cut into triangles, its mixed term is not needed either.)

Derivatives come from the Taylor matrix of the link (`bounds.taylor`): P and Q are cubics in time, plus a remainder, so
their second derivatives are linear and longest at the ends. What the cubics leave out, the noise of the joint records,
and all roundings are added to the radius as well: see `write_pieces`.
"""

import math

import numpy as np

from tocsin import vec
from tocsin.bounds.motion_bound import UNIT
from tocsin.bounds.rounding import GUARD, UNDERFLOW
from tocsin.bounds.taylor import time_frame
from tocsin.compiler.jit import kernel
from tocsin.geometry.lss import fit_lss
from tocsin.model.tables import World

MOST = 32
"""Pieces that one stretch of time may be cut into: bits of a mask."""

ERROR = 0.05
"""Tessellation error aimed at, as a part of the radius: 0.05 to 0.2 take the same time, and less keeps fewer pairs."""

SPHERE = np.dtype([("p", "f8", 3), ("q", "f8", 3), ("radius", "f8"), ("reach", "f8")], align=True)
"""A line-swept sphere in its link's frame; no point of its segment is farther than `reach` from the frame's origin."""

PIECE = np.dtype(
    [
        ("begin", "f8"),  # the stretch of time, rounded outward
        ("end", "f8"),
        ("radius", "f8"),  # around the tetrahedron; margins and the noise of the other side are not in it
        ("corner", "f8", (4, 3)),  # P and Q at its begin, P and Q at its end, in the world
        ("lo", "f8", 3),  # box around all of it
        ("hi", "f8", 3),
    ],
    align=True,
)


def fit_spheres(world: World, is_active: np.ndarray) -> np.ndarray:
    """Return a table of SPHERE: for every shape of an active model a line-swept sphere that contains it.

    Fitted to the points of the convex proxy, whose hull, inflated by its radii, contains the shape: a convex set that
    contains points contains their hull, and a disk or a ball around each point reaches no farther than its radius.
    """
    table = np.zeros(len(world.geoms), SPHERE)
    known: dict[int, np.ndarray] = {}
    for g, geom in enumerate(world.geoms):
        if not is_active[geom["model"]]:
            continue
        first = int(geom["proxy"])
        if first not in known:
            p, q, radius = fit_lss(world.points[first : first + geom["proxy_count"]])
            row = np.zeros((), SPHERE)
            row["p"], row["q"] = p, q
            row["radius"] = (radius + geom["proxy_radius"] + geom["proxy_disk"]) * GUARD
            row["reach"] = max(math.hypot(*p), math.hypot(*q)) * GUARD
            known[first] = row
        table[g] = known[first]
    return table


@kernel
def end_path(m, p, i):
    """Return (c0, c1, c2, c3, size): coordinate i of a point p carried by the Taylor matrix m, and its absolute sum."""
    x = m[i, 0]
    y = m[i, 1]
    z = m[i, 2]
    t = m[i, 3]
    size = 0.0
    for k in range(4):
        size += abs(x[k] * p[0]) + abs(y[k] * p[1]) + abs(z[k] * p[2]) + abs(t[k])
    return (
        x[0] * p[0] + y[0] * p[1] + z[0] * p[2] + t[0],
        x[1] * p[0] + y[1] * p[1] + z[1] * p[2] + t[1],
        x[2] * p[0] + y[2] * p[1] + z[2] * p[2] + t[2],
        x[3] * p[0] + y[3] * p[1] + z[3] * p[2] + t[3],
        size,
    )


@kernel
def bend_at(x, y, z, s):
    """Return the length of the second derivative, by s, of three cubics."""
    return vec.norm((2.0 * x[2] + 6.0 * s * x[3], 2.0 * y[2] + 6.0 * s * y[3], 2.0 * z[2] + 6.0 * s * z[3]))


@kernel
def value_at(c, s):
    """Return the value of a cubic."""
    return c[0] + s * (c[1] + s * (c[2] + s * c[3]))


@kernel
def write_pieces(pieces, m, sphere, noise, t0, t1):
    """Write the pieces of a sphere carried by the Taylor matrix m of [t0, t1]; return how many.

    `noise`: how far, in metres, the joint records place a point of the segment off.

    Claim: for every t in [t0, t1] there is a piece whose [begin, end] holds t and whose tetrahedron every point of the
    shape is within `radius` of, at t. Proof: by the claim above for the cubics in s, exact ones of the computed
    coefficients, with these additions to r + e_k. The true path of a point of the segment differs from m's by at most
    `noise`; m's from the cubics by sqrt(sum_i (r_i3 + r_i0 reach)^2). In each coordinate, with u the unit roundoff, the
    exact cubics differ from those of the rounded coefficients by 5 u `size`, a corner from its rounded place by 7 u
    `size` (Horner), and a second derivative, whose terms may cancel, from its rounded value by 4 u (2 |c2| + 6 |c3|)
    <= 24 u `size`, which is 12 u `size` in e_k, as (s_k+1 - s_k)^2 <= 4. Together less than 32 u times the sum of
    sizes; the remaining roundings are those of sums and products of non-negative terms: GUARD. t = mid + s half is
    mapped back with two roundings of numbers below 2, so `begin` and `end`, moved by 2^-50, are outside of the stretch.
    """
    p = (sphere["p"][0], sphere["p"][1], sphere["p"][2])
    q = (sphere["q"][0], sphere["q"][1], sphere["q"][2])
    px = end_path(m, p, 0)
    py = end_path(m, p, 1)
    pz = end_path(m, p, 2)
    qx = end_path(m, q, 0)
    qy = end_path(m, q, 1)
    qz = end_path(m, q, 2)
    size = max(px[4], qx[4]) + max(py[4], qy[4]) + max(pz[4], qz[4])
    reach = sphere["reach"]
    rest = vec.norm((m[0, 3, 4] + m[0, 0, 4] * reach, m[1, 3, 4] + m[1, 0, 4] * reach, m[2, 3, 4] + m[2, 0, 4] * reach))
    radius = sphere["radius"] + noise + rest + 32.0 * UNIT * size
    bend = max(
        max(bend_at(px, py, pz, -1.0), bend_at(px, py, pz, 1.0)),
        max(bend_at(qx, qy, qz, -1.0), bend_at(qx, qy, qz, 1.0)),
    )
    n = MOST
    if bend <= 2.0 * MOST * MOST * ERROR * radius:
        n = max(1, math.ceil(math.sqrt(bend / (2.0 * ERROR * radius)))) if bend > 0.0 else 1
    mid, half = time_frame(t0, t1)
    before = -1.0
    bend_before = max(bend_at(px, py, pz, -1.0), bend_at(qx, qy, qz, -1.0))
    for k in range(n):
        piece = pieces[k]
        after = 1.0 if k == n - 1 else -1.0 + 2.0 * (k + 1) / n
        bend_after = max(bend_at(px, py, pz, after), bend_at(qx, qy, qz, after))
        width = after - before
        piece["begin"] = max(t0, mid + before * half - 2.0**-50)
        piece["end"] = min(t1, mid + after * half + 2.0**-50)
        piece["radius"] = (radius + 0.125 * width * width * max(bend_before, bend_after)) * GUARD + UNDERFLOW
        corner = piece["corner"]
        corner[0, 0], corner[0, 1], corner[0, 2] = value_at(px, before), value_at(py, before), value_at(pz, before)
        corner[1, 0], corner[1, 1], corner[1, 2] = value_at(qx, before), value_at(qy, before), value_at(qz, before)
        corner[2, 0], corner[2, 1], corner[2, 2] = value_at(px, after), value_at(py, after), value_at(pz, after)
        corner[3, 0], corner[3, 1], corner[3, 2] = value_at(qx, after), value_at(qy, after), value_at(qz, after)
        thick = piece["radius"]
        for c in range(3):
            lo = min(min(corner[0, c], corner[1, c]), min(corner[2, c], corner[3, c]))
            hi = max(max(corner[0, c], corner[1, c]), max(corner[2, c], corner[3, c]))
            piece["lo"][c] = lo - thick - 4.0 * UNIT * (abs(lo) + thick)
            piece["hi"][c] = hi + thick + 4.0 * UNIT * (abs(hi) + thick)
        before = after
        bend_before = bend_after
    return n

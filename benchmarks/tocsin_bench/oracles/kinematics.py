"""Where every link is at time t, from the definitions alone: once in 50 digits, once vectorised in float64.

The definitions. A tree of links; link 0 is the root. The pose of a link in its parent is `origin o J(t)`, where, with
the unit axis n and values that run linearly from q0 to q1,

    revolute, continuous   J = Rot(n, q)
    prismatic              J = Trans(q n)
    planar                 J = Trans(x, y, 0) Rot(z, angle)                 (only the axis z here)
    ball                   J = exp(t log(R1 R0^T)) R0, the shorter arc      (quaternion x y z w, of any length and sign)
    floating               J = Trans(p0 + t (p1 - p0)) ball
    fixed                  J = 1

and a mimic joint has the value `multiplier * master + offset`. A rigid body, or a free root, moves like `floating`. A
matrix that is a rotation only up to rounding stands for the rotation of its quaternion: that moves a point at
distance r from the frame's origin by a few 1e-16 r, and every user of this file allows for it.

`*_mp` functions return rotations as three rows of three and vectors as lists, of 50-digit numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import mpmath
import numpy as np

mp = mpmath.mp.clone()
mp.dps = 50

WIDTH = {"fixed": 0, "revolute": 1, "continuous": 1, "prismatic": 1, "planar": 3, "ball": 4, "floating": 7}


@dataclass(frozen=True)
class Joint:
    """How one link hangs on its parent. `mimic` is (link that the master joint moves, multiplier, offset)."""

    kind: str = "fixed"
    parent: int = -1
    origin: np.ndarray = field(default_factory=lambda: np.eye(4))
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    mimic: tuple[int, float, float] | None = None


@dataclass(frozen=True)
class Tree:
    """A tree of links, parents before children; `joints[0]` is a placeholder for the root."""

    joints: tuple[Joint, ...]

    def width(self, link: int) -> int:
        """Return how many configuration values belong to the joint above `link`."""
        joint = self.joints[link]
        return 0 if joint.mimic or link == 0 else WIDTH[joint.kind]

    def start(self, link: int) -> int:
        """Return where the joint's values start in the configuration vector."""
        return sum(self.width(k) for k in range(link))

    @property
    def n_config(self) -> int:
        """Return the length of the configuration vector."""
        return self.start(len(self.joints))

    def values(self, q, link: int) -> list:
        """Return the values of the joint above `link`, a mimic's computed from its master."""
        joint = self.joints[link]
        if joint.mimic:
            master, multiplier, offset = joint.mimic
            return [self.values(q, master)[0] * float(multiplier) + float(offset)]
        start = self.start(link)
        return list(q[start : start + self.width(link)])


# --- 50 digits --------------------------------------------------------------------------------------------------------


def matmul_mp(a, b):
    """Return the product of two 3x3 matrices."""
    return [[a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j] for j in range(3)] for i in range(3)]


def apply_mp(pose, point):
    """Return a point of a frame in the world."""
    rotation, shift = pose
    return [r[0] * point[0] + r[1] * point[1] + r[2] * point[2] + s for r, s in zip(rotation, shift)]


def unapply_mp(pose, point):
    """Return the point in the frame's own coordinates."""
    rotation, shift = pose
    d = [point[k] - shift[k] for k in range(3)]
    return [rotation[0][k] * d[0] + rotation[1][k] * d[1] + rotation[2][k] * d[2] for k in range(3)]


def compose_mp(a, b):
    """Return the frame b, given in a, in the world."""
    return matmul_mp(a[0], b[0]), apply_mp(a, b[1])


def exp_mp(w):
    """Return the rotation by |w| about w (Rodrigues)."""
    angle = mp.sqrt(w[0] ** 2 + w[1] ** 2 + w[2] ** 2)
    one, zero = mp.mpf(1), mp.mpf(0)
    if angle == 0:
        return [[one, zero, zero], [zero, one, zero], [zero, zero, one]]
    x, y, z = (c / angle for c in w)
    s, v = mp.sin(angle), 2 * mp.sin(angle / 2) ** 2
    return [
        [1 - v * (y * y + z * z), v * x * y - s * z, v * x * z + s * y],
        [v * x * y + s * z, 1 - v * (x * x + z * z), v * y * z - s * x],
        [v * x * z - s * y, v * y * z + s * x, 1 - v * (x * x + y * y)],
    ]


def quaternion_to_mp(q):
    """Return the rotation of a quaternion x y z w of any length."""
    x, y, z, w = (mp.mpf(float(c)) if not isinstance(c, mp.mpf) else c for c in q)
    s = 2 / (x * x + y * y + z * z + w * w)
    return [
        [1 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)],
        [s * (x * y + z * w), 1 - s * (x * x + z * z), s * (y * z - x * w)],
        [s * (x * z - y * w), s * (y * z + x * w), 1 - s * (x * x + y * y)],
    ]


def quaternion_of_mp(m):
    """Return the quaternion x y z w (any length) of a rotation matrix, by the formula of its largest component."""
    a, b, c = m[0][0], m[1][1], m[2][2]
    trace = [a - b - c, b - a - c, c - a - b, a + b + c]
    k = max(range(4), key=lambda i: trace[i])
    if k == 3:
        return [m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1], 1 + trace[3]]
    i, j, l = k, (k + 1) % 3, (k + 2) % 3
    q = [mp.mpf(0)] * 4
    q[i] = 1 + trace[k]
    q[j] = m[j][i] + m[i][j]
    q[l] = m[l][i] + m[i][l]
    q[3] = m[l][j] - m[j][l]
    return q


def log_mp(rotation):
    """Return the rotation vector of the shorter arc."""
    x, y, z, w = quaternion_of_mp(rotation)
    if w < 0:
        x, y, z, w = -x, -y, -z, -w
    s = mp.sqrt(x * x + y * y + z * z)
    if s == 0:
        return [mp.mpf(0)] * 3
    factor = 2 * mp.atan2(s, w) / s
    return [x * factor, y * factor, z * factor]


def matrix_mp(matrix):
    """Return the rotation that a float matrix stands for, and its translation."""
    rows = [[mp.mpf(float(matrix[i][j])) for j in range(3)] for i in range(3)]
    return quaternion_to_mp(quaternion_of_mp(rows)), [mp.mpf(float(matrix[i][3])) for i in range(3)]


def arc_mp(r0, r1, t):
    """Return exp(t log(R1 R0^T)) R0."""
    transposed = [list(row) for row in zip(*r0)]
    return matmul_mp(exp_mp([t * c for c in log_mp(matmul_mp(r1, transposed))]), r0)


def linear_mp(a, b, t):
    """Return the values at t on the straight line from a to b."""
    return [mp.mpf(float(x)) + t * (mp.mpf(float(y)) - mp.mpf(float(x))) for x, y in zip(a, b)]


def body_pose_mp(pose_t0, pose_t1, t):
    """Return the pose at t of a rigid body that moves from one 4x4 matrix to another."""
    t = mp.mpf(t)
    r0, p0 = matrix_mp(pose_t0)
    r1, p1 = matrix_mp(pose_t1)
    return arc_mp(r0, r1, t), [a + t * (b - a) for a, b in zip(p0, p1)]


def joint_mp(joint: Joint, a, b, t):
    """Return J(t) for joint values that run from a to b."""
    identity, origin = exp_mp([mp.mpf(0)] * 3), [mp.mpf(0)] * 3
    axis = [mp.mpf(float(c)) for c in joint.axis]
    length = mp.sqrt(sum(c * c for c in axis))
    if joint.kind == "fixed":
        return identity, origin
    if joint.kind == "ball":
        return arc_mp(quaternion_to_mp(a), quaternion_to_mp(b), t), origin
    if joint.kind == "floating":
        return arc_mp(quaternion_to_mp(a[3:]), quaternion_to_mp(b[3:]), t), linear_mp(a[:3], b[:3], t)
    values = [x + t * (y - x) for x, y in zip(a, b)]
    if joint.kind == "prismatic":
        return identity, [values[0] * c / length for c in axis]
    if joint.kind == "planar":
        return exp_mp([0, 0, values[2]]), [values[0], values[1], mp.mpf(0)]
    return exp_mp([values[0] * c / length for c in axis]), origin


def poses_mp(tree: Tree, q0, q1, t, base=None, links=None):
    """Return {link: pose at t} in 50 digits, for `links` (all by default) and their ancestors."""
    t = mp.mpf(t)
    wanted = set(range(len(tree.joints)) if links is None else links) | {0}
    for link in reversed(range(1, len(tree.joints))):
        if link in wanted:
            wanted.add(tree.joints[link].parent)
    base = (np.eye(4), np.eye(4)) if base is None else base
    exact0, exact1 = [mp.mpf(float(x)) for x in q0], [mp.mpf(float(x)) for x in q1]
    poses = {0: body_pose_mp(base[0], base[1], t)}
    for link in sorted(wanted - {0}):
        joint = tree.joints[link]
        local = joint_mp(joint, tree.values(exact0, link), tree.values(exact1, link), t)
        poses[link] = compose_mp(compose_mp(poses[joint.parent], matrix_mp(joint.origin)), local)
    return poses


# --- float64, many times at once ------------------------------------------------------------------------------------


def exp(w):
    """Return the rotations (..., 3, 3) of rotation vectors (..., 3)."""
    w = np.asarray(w, float)
    angle = np.sqrt((w * w).sum(-1))
    n = w / np.where(angle == 0, 1.0, angle)[..., None]
    s, v = np.sin(angle)[..., None, None], 2 * np.sin(angle / 2)[..., None, None] ** 2
    k = np.zeros((*w.shape[:-1], 3, 3))
    k[..., 0, 1], k[..., 0, 2], k[..., 1, 2] = -n[..., 2], n[..., 1], -n[..., 0]
    k[..., 1, 0], k[..., 2, 0], k[..., 2, 1] = n[..., 2], -n[..., 1], n[..., 0]
    return np.eye(3) + s * k + v * (k @ k)


def quaternion_to(q):
    """Return the rotation of a quaternion x y z w of any length."""
    x, y, z, w = np.asarray(q, float) / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def quaternion_of(m):
    """Return the unit quaternion x y z w of a rotation matrix, as the eigenvector of Bar-Itzhack's symmetric matrix."""
    (a, b, c), (d, e, f), (g, h, i) = m
    k = np.array(
        [
            [a - e - i, d + b, g + c, h - f],
            [d + b, e - a - i, h + f, c - g],
            [g + c, h + f, i - a - e, d - b],
            [h - f, c - g, d - b, a + e + i],
        ]
    )
    return np.linalg.eigh(k / 3)[1][:, 3]


def log(rotation):
    """Return the rotation vector of the shorter arc."""
    q = quaternion_of(rotation)
    q = -q if q[3] < 0 else q
    s = np.linalg.norm(q[:3])
    return q[:3] * (2 * np.arctan2(s, q[3]) / s if s > 0 else 2.0)


def arc(r0, r1, times):
    """Return exp(t log(R1 R0^T)) R0 for an array of times."""
    return exp(np.asarray(times, float)[:, None] * log(r1 @ r0.T)) @ r0


def frame(rotation, shift):
    """Return 4x4 matrices from rotations (..., 3, 3) and translations (..., 3)."""
    shift = np.asarray(shift, float)
    out = np.zeros((*shift.shape[:-1], 4, 4))
    out[..., :3, :3], out[..., :3, 3], out[..., 3, 3] = rotation, shift, 1.0
    return out


def body_poses(pose_t0, pose_t1, times):
    """Return the poses (n, 4, 4) of a rigid body at the given times."""
    t = np.asarray(times, float)[:, None]
    p0, p1 = np.asarray(pose_t0, float)[:3, 3], np.asarray(pose_t1, float)[:3, 3]
    return frame(arc(np.asarray(pose_t0)[:3, :3], np.asarray(pose_t1)[:3, :3], times), (1 - t) * p0 + t * p1)


def joint_poses(joint: Joint, a, b, times):
    """Return J (n, 4, 4) at the given times for joint values that run from a to b."""
    t = np.asarray(times, float)[:, None]
    a, b = np.asarray(a, float), np.asarray(b, float)
    zero = np.zeros((len(t), 3))
    n = np.asarray(joint.axis, float) / np.linalg.norm(joint.axis)
    if joint.kind == "fixed":
        return frame(np.eye(3), zero)
    if joint.kind == "ball":
        return frame(arc(quaternion_to(a), quaternion_to(b), times), zero)
    values = (1 - t) * a + t * b
    if joint.kind == "floating":
        return frame(arc(quaternion_to(a[3:]), quaternion_to(b[3:]), times), values[:, :3])
    if joint.kind == "prismatic":
        return frame(np.eye(3), values * n)
    if joint.kind == "planar":
        return frame(exp(values[:, 2:] * np.array([0, 0, 1.0])), values * np.array([1.0, 1.0, 0.0]))
    return frame(exp(values * n), zero)


def poses(tree: Tree, q0, q1, times, base=None):
    """Return the poses (n_times, n_links, 4, 4) of all links."""
    base = (np.eye(4), np.eye(4)) if base is None else base
    out = np.zeros((len(times), len(tree.joints), 4, 4))
    out[:, 0] = body_poses(base[0], base[1], times)
    for link, joint in enumerate(tree.joints):
        if link:
            local = joint_poses(joint, tree.values(q0, link), tree.values(q1, link), times)
            out[:, link] = out[:, joint.parent] @ (np.asarray(joint.origin, float) @ local)
    return out

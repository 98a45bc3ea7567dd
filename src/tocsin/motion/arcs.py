"""Which way an orientation turns from one row to the next: decided once, when a motion is made, and written into it.

Two arcs lead from one orientation to another, and a quaternion and its negative are the same orientation. So signs are
free to tell which arc is meant. In the rows of a motion

    q follows p by the rotation q p^-1 as it stands: about its vector part, by 2 atan2(|vector part|, w),

and `decide_arcs` chooses the signs: w >= 0, the shorter arc, whichever signs were given; where w is exactly 0, half a
turn, the first non-zero component of the vector part is positive. Where rounding leaves the sign of w open it is taken
from rationals, so that it is that of the given numbers.

Nothing decides again (`joints.relative_turn` flips nothing), so all work on the same arc:

    reversed     p q^-1 is the conjugate of q p^-1: the same angle, the opposite axis.
    cut          at s of the way the row is r = exp(s a) p (`poses.between`), so r p^-1 = exp(s a) and
                 q r^-1 = exp((1 - s) a) lie on the arc, with their signs.
    related      seen from a body at a(t), another at b(t) has a(t)^-1 b(t): continuous in t, so that from its place at
                 0 to that at 1, as they stand, is the turn that both make together; more than half a turn if w < 0.

Rounding can make w negative by a few units: an angle that is as much above half a turn, about the same axis.

Motions of two rows are checked and decided in one compiled call (`settle_ends`, `write_ends`): from Python a call takes
as long as all that is done in it. What is wrong, or left open, is left to the caller, who looks at one thing after the
other and says it in a sentence.
"""

from fractions import Fraction

from tocsin._types import Indices, Matrix4, Numeric, Quaternion, Row, Rows
from tocsin.compiler.jit import kernel, question
from tocsin.row_checks import check_row, write_pose

PLACE = 3
"""Entries of a pose row before its quaternion."""

OPEN = 2.0**-50
"""Of the sum of the magnitudes of four products: twice what rounding can do to their sum."""


@kernel
def follows(p: Row, q: Row, k: int) -> int:
    """Choose the sign of the quaternion at entry k of q, after that of p; return 1 where rounding leaves it open."""
    w = 0.0
    size = 0.0
    for c in range(k, k + 4):
        w += p[c] * q[c]
        size += abs(p[c] * q[c])
    if abs(w) <= OPEN * size + 1e-300:
        return 1
    if w < 0.0:
        for c in range(k, k + 4):
            q[c] = -q[c]
    return 0


@kernel
def decide_arcs(rows: Rows, quaternions: Indices, first: int) -> int:
    """Choose the signs of the quaternions of rows, each after that of the row before, from number `first` on.

    Numbers count the quaternions row by row. Returns the first one that rounding leaves open, or -1.
    """
    n = quaternions.shape[0]
    for i in range(first, (rows.shape[0] - 1) * n):
        if follows(rows[i // n], rows[i // n + 1], int(quaternions[i % n])) != 0:
            return i
    return -1


def decided(rows: Rows, quaternions: Indices) -> Rows:
    """Return rows whose signs say along which arcs they are followed; the given array, written to."""
    i = decide_arcs(rows, quaternions, 0)
    while i >= 0:
        row, k = i // len(quaternions), int(quaternions[i % len(quaternions)])
        if turns_back(rows[row, k : k + 4], rows[row + 1, k : k + 4]):
            rows[row + 1, k : k + 4] *= -1.0
        i = decide_arcs(rows, quaternions, i + 1)
    return rows


def turns_back(p: Quaternion, q: Quaternion) -> bool:
    """Is q to be negated to follow p by the shorter arc? In exact arithmetic."""
    px, py, pz, pw = map(Fraction, p.tolist())
    qx, qy, qz, qw = map(Fraction, q.tolist())
    turn = (
        px * qx + py * qy + pz * qz + pw * qw,
        qx * pw - qw * px + qz * py - qy * pz,
        qy * pw - qw * py + qx * pz - qz * px,
        qz * pw - qw * pz + qy * px - qx * py,
    )
    return next((c for c in turn if c != 0), Fraction(0)) < 0


@kernel
def write_both(pose_t0: Matrix4, pose_t1: Matrix4, rows: Rows) -> bool:
    """Write two 4x4 matrices as pose rows, their arc decided; return whether all went well."""
    if write_pose(pose_t0, rows[0]) != 0 or write_pose(pose_t1, rows[1]) != 0:
        return False
    return follows(rows[0], rows[1], PLACE) == 0


@question
def write_ends(pose_t0: Matrix4, pose_t1: Matrix4, rows: Rows) -> bool:
    """Return what `write_both` does, called from Python."""
    return write_both(pose_t0, pose_t1, rows)


@kernel
def settle_ends(rows: Rows, quaternions: Indices, most: Row) -> bool:
    """Check two configuration rows (`check_row`) and decide their arcs; return whether all went well."""
    if check_row(rows[0], quaternions, most) != 0 or check_row(rows[1], quaternions, most) != 0:
        return False
    return decide_arcs(rows, quaternions, 0) < 0


@kernel
def write_all_ends(poses_t0: Numeric, poses_t1: Numeric, rows: Numeric, plain: Numeric) -> None:
    """Write (n, 4, 4) matrices as (n, 2, 7) pose rows, arcs decided, and into `plain` of which all went well."""
    for i in range(rows.shape[0]):
        plain[i] = write_both(poses_t0[i], poses_t1[i], rows[i])

"""Both ends of a motion in one call: from Python a call takes as long as all that is done here.

A motion that is asked about once costs its making too. What is wrong, or left open, is left to the caller, who looks at
one thing after the other and says it in a sentence.
"""

from tocsin._types import Indices, Matrix4, Row, Rows
from tocsin.compiler.jit import kernel
from tocsin.motion.arcs import decide_arcs
from tocsin.rows import check_row, write_pose


@kernel
def write_ends(pose_t0: Matrix4, pose_t1: Matrix4, quaternions: Indices, rows: Rows) -> bool:
    """Write two 4x4 matrices as pose rows, their arc decided; return whether all went well."""
    if write_pose(pose_t0, rows[0]) != 0 or write_pose(pose_t1, rows[1]) != 0:
        return False
    return decide_arcs(rows, quaternions, 0) < 0


@kernel
def settle_ends(rows: Rows, quaternions: Indices, most: Row) -> bool:
    """Check two configuration rows (`check_row`) and decide their arcs; return whether all went well."""
    if check_row(rows[0], quaternions, most) != 0 or check_row(rows[1], quaternions, most) != 0:
        return False
    return decide_arcs(rows, quaternions, 0) < 0

"""Both ends of many motions in one call, see `ends`."""

from tocsin._types import Indices, Numeric
from tocsin.compiler.jit import kernel
from tocsin.motion.ends import write_ends


@kernel
def write_all_ends(poses_t0: Numeric, poses_t1: Numeric, quaternions: Indices, rows: Numeric, plain: Numeric) -> None:
    """Write (n, 4, 4) matrices as (n, 2, 7) pose rows, arcs decided, and into `plain` of which all went well."""
    for i in range(rows.shape[0]):
        plain[i] = write_ends(poses_t0[i], poses_t1[i], quaternions, rows[i])

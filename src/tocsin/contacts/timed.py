"""One contact of a motion as a record: what the collision screen and the exact search both write, and a scene puts into
words."""

import numpy as np

from tocsin.compiler.jit import kernel

VERTEX_FACE, FACE_VERTEX, EDGE_EDGE = range(3)

TIMED_KINDS = ("vertex-face", "face-vertex", "edge-edge")

TIMED = np.dtype(
    [
        ("time", "f8"),
        ("lo", "f8"),  # the contact is in [lo, hi]; both are `time` where that is not known
        ("hi", "f8"),
        ("point", "f8", 3),  # in the world, at that time
        ("normal", "f8", 3),  # from a to b
        ("properness", "f8"),  # [SCREW eq. 7]
        ("true_properness", "f8"),  # [SCREW eq. 6]
        ("closing_speed", "f8"),
        ("screw_error", "f8"),
        ("kind", "i4"),
        ("geom_a", "i4"),  # shapes of the scene's tables
        ("geom_b", "i4"),
        ("a", "i4", 3),  # vertex numbers, -1 where there are fewer
        ("b", "i4", 3),
        ("proven", "i4"),  # 1: it is certain that they touch
    ],
    align=True,
)


@kernel
def with_room(rows, used, need):
    """Return a table with room for `need` rows, the first `used` of them as they are: the same one, or a larger
    copy."""
    if need <= rows.shape[0]:
        return rows
    out = np.zeros(2 * need + 16, dtype=rows.dtype)
    for k in range(used):
        out[k] = rows[k]
    return out


@kernel
def ascending(values, order):
    """Write the numbers 0, 1, ... in the order of ascending values, equal ones as they come: Shell's sort.

    Short and quick to compile; Numba's own sorts take seconds each. There may be more room than values.
    """
    n = values.shape[0]
    for i in range(n):
        order[i] = i
    gap = 1
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            k = order[i]
            j = i
            while j >= gap and (
                values[order[j - gap]] > values[k] or (values[order[j - gap]] == values[k] and order[j - gap] > k)
            ):
                order[j] = order[j - gap]
                j -= gap
            order[j] = k
        gap //= 3

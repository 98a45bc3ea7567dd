"""Which rows are equal: welding by exact position and finding duplicates, by sorting.

Rows are compared bit by bit, never by distance, so a group is what a file writer meant as one corner. -0.0 and 0.0 are
the same position.
"""

import numpy as np

from tocsin._types import Indices, LongFaces, LongIndices, Vectors

_MULTIPLIERS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], dtype=np.uint64)


def group_rows(rows: LongFaces) -> tuple[Indices, LongIndices]:
    """Group equal rows of an (n, 3) array of 64-bit integers.

    Returns `(labels, first)`: `labels` (n,) int32 numbers the groups in the order of their first row, `first` (k,)
    is the index of that row. O(n log n): rows are sorted by a 64-bit hash (one key instead of three: 3 million rows in
    0.6 s against 1.9 s); should two different rows ever share a hash, all three keys are sorted instead.
    """
    n = len(rows)
    if n == 0:
        return np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int64)
    bits = rows.view(np.uint64)
    key = np.zeros(n, dtype=np.uint64)
    for j in range(3):
        key = (key ^ bits[:, j]) * _MULTIPLIERS[j]
        key ^= key >> np.uint64(29)
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    same_key = ordered[1:] == ordered[:-1]
    same_row = (rows[order[1:]] == rows[order[:-1]]).all(axis=1)
    if np.any(same_key & ~same_row):
        order = np.lexsort((rows[:, 2], rows[:, 1], rows[:, 0]))
        same_row = (rows[order[1:]] == rows[order[:-1]]).all(axis=1)
    starts = np.concatenate(([True], ~same_row))
    group = np.cumsum(starts) - 1
    first_of_group = order[starts]  # both sorts are stable, so this is the smallest index of its group
    rank = np.empty(len(first_of_group), dtype=np.int64)
    by_first = np.argsort(first_of_group)
    rank[by_first] = np.arange(len(first_of_group))
    labels = np.empty(n, dtype=np.int32)
    labels[order] = rank[group]
    return labels, first_of_group[by_first]


def weld(points: Vectors) -> tuple[Indices, LongIndices]:
    """Group equal positions of an (n, 3) float64 array; returns `(labels, first)` like `group_rows`."""
    return group_rows((np.ascontiguousarray(points, dtype=np.float64) + 0.0).view(np.int64))

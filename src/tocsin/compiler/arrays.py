"""Copies of rows and orders of numbers, for kernels.

Numba has both, but compiles seconds of other things with them for each kernel that uses them: the text of an error
about shapes with `a[:n] = b[:n]`, four ways to sort with `np.argsort`.
"""

import numpy as np

from tocsin.compiler.jit import kernel

RUN = 8
"""Length of the runs that are sorted by insertion, before they are merged."""


@kernel
def copy_row(out, i, rows, j):
    """Write row j of an (n, columns) table into row i of another one."""
    for k in range(rows.shape[1]):
        out[i, k] = rows[j, k]


@kernel
def copy_rows(out, rows, n):
    """Write the first n rows of an (n, columns) table into another one."""
    for i in range(n):
        copy_row(out, i, rows, i)


@kernel
def stable_order(keys):
    """Return the indices by which numbers, none of them NaN, are in order; equal ones stay as they are."""
    n = keys.shape[0]
    order = np.arange(n)
    merged = np.zeros(n, np.int64)
    for first in range(0, n, RUN):
        for i in range(first + 1, min(first + RUN, n)):
            k = i
            while k > first and keys[order[k - 1]] > keys[i]:
                order[k] = order[k - 1]
                k -= 1
            order[k] = i
    width = RUN
    while width < n:
        for first in range(0, n, 2 * width):
            i = first
            middle = min(first + width, n)
            j = middle
            end = min(first + 2 * width, n)
            for k in range(first, end):
                if j == end or (i < middle and keys[order[i]] <= keys[order[j]]):
                    merged[k] = order[i]
                    i += 1
                else:
                    merged[k] = order[j]
                    j += 1
        order, merged = merged, order
        width *= 2
    return order

"""Kernels that become a part of their caller.

A call copies the description of each table that it takes, and the compiler does not always see that a function is short
or has one caller only. On small bodies such calls took a third of the time.
"""

from typing import Any

import numba

from tocsin._jit import PURE_PYTHON, F


def inlined(function: F) -> F:
    """Compile `function` into its callers; these keep it on disk."""
    compiled: Any = numba.njit(nogil=True, error_model="numpy", forceinline=True)(function)
    return function if PURE_PYTHON else compiled

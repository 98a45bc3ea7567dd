"""Kernels that are made part of their callers, whatever their size.

A call hands every array on as ten words through memory, twice where one function calls another: 15 ns, as long as a
small test takes. The compiler makes only short functions part of their callers by itself.
"""

from typing import Any

import numba

from tocsin._jit import PURE_PYTHON, F, _LazyCache


def inlined(function: F) -> F:
    """Compile `function` as `_jit.kernel` does, into each of its callers."""
    compiled: Any = numba.njit(nogil=True, error_model="numpy", forceinline=True)(function)
    if not PURE_PYTHON:
        compiled._cache = _LazyCache(compiled.py_func)
    return compiled

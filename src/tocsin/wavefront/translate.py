"""Kernels as functions of a CUDA device: the same source, compiled for another processor.

A kernel names others by its module's globals. `to_device` makes a copy of the plain function whose globals name device
functions instead, and so on down. Functions in `REPLACED` have a form of their own there: what is a matter of vector
lanes on a CPU is plain on a GPU, where each thread is a lane.
"""

import math
import types
from collections.abc import Callable
from typing import Any, TypeAlias

from numba import cuda as _cuda

from tocsin.simd import lanes, points
from tocsin.wavefront import stages

cuda: Any = _cuda

Function: TypeAlias = Callable[..., object]
"""A kernel, or what stands for one."""

SIMULATED: bool = bool(cuda.config.ENABLE_CUDASIM) if hasattr(cuda, "config") else False

_made: dict[int, Function] = {}


def _select(chosen, a, b):
    return a if chosen else b


def _root(x):
    return math.sqrt(x)


def _farthest_point(table, first, count, n):
    best, k = -math.inf, first
    for i in range(first, first + count):
        s = table[i, 0] * n[0] + table[i, 1] * n[1] + table[i, 2] * n[2]
        if s > best:
            best, k = s, i
    return k


def _reserve(counters, k, n):
    return cuda.atomic.add(counters, k, n)


REPLACED: dict[int, Function] = {
    id(lanes.select): _select,
    id(lanes.root): _root,
    id(points.farthest_point): _farthest_point,
    id(stages.reserve): _reserve,
}


def to_device(kernel: Function) -> Function:
    """Return a kernel as a device function."""
    if id(kernel) in _made:
        return _made[id(kernel)]
    plain = REPLACED.get(id(kernel)) or getattr(kernel, "py_func", kernel)
    names = _names(plain.__code__)
    seen = {name: _seen(value, names) for name, value in plain.__globals__.items() if name in names}
    seen["__builtins__"] = plain.__globals__["__builtins__"]
    copy = types.FunctionType(plain.__code__, seen, plain.__name__, plain.__defaults__)
    copy.__module__ = plain.__module__
    plainly = SIMULATED and id(kernel) not in REPLACED  # the simulator steps through Python, and only `cuda` is its own
    _made[id(kernel)] = made = copy if plainly else cuda.jit(device=True)(copy)
    return made


def _seen(value: Any, names: set[str]) -> object:
    """Return what a global is on the device."""
    if id(value) in REPLACED or _is_kernel(value):
        return to_device(value)
    if isinstance(value, types.ModuleType) and value.__name__.startswith("tocsin."):
        module = types.ModuleType(value.__name__)
        for name in names:
            if hasattr(value, name):
                setattr(module, name, _seen(getattr(value, name), names))
        return module
    return value


def _is_kernel(value: object) -> bool:
    if isinstance(value, types.FunctionType):  # under NUMBA_DISABLE_JIT=1
        return value.__module__.startswith("tocsin.")
    return hasattr(type(value), "_numba_type_") or hasattr(value, "py_func")


def _names(code: types.CodeType) -> set[str]:
    """Return the names that a function's code uses, functions within it included."""
    names = set(code.co_names)
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            names |= _names(part)
    return names

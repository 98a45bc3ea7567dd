"""Arrays keyed by their content: preprocessing that took noticeable time is kept between runs, see `store`.

A key holds all that the arrays depend on: what they were made from, the text of the modules that made them, and the
machine, because libraries of linear algebra round differently on different processors. So whether something comes from
the disk or is made anew, it has the same bits. Nothing is ever unpickled.
"""

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from tocsin._types import Numeric
from tocsin.compiler import disk_cache
from tocsin.compiler.store import Store

ARRAYS = Store("arrays", 4 * 2**30)
"""A mesh of a million triangles takes 0.3 GB."""

ALIGNED = 64
"""Arrays start at multiples of so many bytes."""

Layout = Mapping[str, tuple[Any, tuple[int | None, ...]]]
"""By name, the type of an array and its shape; None: any length."""

_bypassed = False


@contextmanager
def bypassed() -> Iterator[None]:
    """Keep and find nothing meanwhile; kernels are still found."""
    global _bypassed
    was, _bypassed = _bypassed, True
    try:
        yield
    finally:
        _bypassed = was


@cache
def _maker(file: str) -> str:
    """Return a name for all that makes arrays of what it is given: a module and all that it uses; "" if not known."""
    state = disk_cache.state(Path(file))
    return "" if state is None else f"{state} {disk_cache.machine()} scipy {metadata.version('scipy')}"


def content_key(file: str, *parts: Numeric | str | bytes | int | float) -> str:
    """Return a hexadecimal key of what the module of a file makes of arrays (type, shape and bytes) and plain values.

    It opens with a dash if the module was edited since it was loaded: nothing is kept under such a key.
    """
    maker = _maker(file)
    digest = hashlib.blake2b(maker.encode(), digest_size=20)
    for part in parts:
        if isinstance(part, np.ndarray):
            head, body = f"array {part.dtype.str} {part.shape}", _bytes(part)
        elif isinstance(part, bytes):
            head, body = "bytes", part
        else:
            head, body = type(part).__name__, repr(part).encode()
        digest.update(f"|{head} {len(body)}|".encode())
        digest.update(body)
    return digest.hexdigest() if maker else f"-{digest.hexdigest()}"


def derived_key(key: str, what: str) -> str:
    """Return a key of something else that is made of the same things, by the same modules."""
    return ("-" if key.startswith("-") else "") + hashlib.blake2b(f"{what} {key}".encode(), digest_size=20).hexdigest()


def _bytes(array: Numeric) -> memoryview:
    """Return an array's bytes without a copy of them, if they lie in order."""
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data


def load(key: str, layout: Layout) -> dict[str, Numeric] | None:
    """Return the arrays that were stored under a key, or None when there are none, or others than expected."""
    body = None if _bypassed or key.startswith("-") else ARRAYS.load(key)
    if body is None:
        return None
    try:
        size = int.from_bytes(body[:ALIGNED], "little")
        written = json.loads(bytes(body[ALIGNED : ALIGNED + size]))
        start, arrays = _padded(ALIGNED + size), {}
        for name, (kind, shape) in written.items():
            dtype = np.dtype(layout[name][0])
            if kind != str(dtype):
                return None
            count = math.prod(shape)
            arrays[name] = np.frombuffer(body, dtype, count, start).reshape(shape)
            start += _padded(count * dtype.itemsize)
    except Exception:  # whole, but written by another version of these lines
        return None
    return arrays if _fit(arrays, layout) else None


def _fit(arrays: Mapping[str, Numeric], layout: Layout) -> bool:
    """Are these the arrays that are expected, and all their numbers finite?"""
    if arrays.keys() != layout.keys():
        return False
    for name, (_, shape) in layout.items():
        array = arrays[name]
        if array.ndim != len(shape):
            return False
        if any(n is not None and n != found for n, found in zip(shape, array.shape)):
            return False
        parts = [array] if array.dtype.names is None else [array[field] for field in array.dtype.names]
        if not all(np.isfinite(part).all() for part in parts if part.dtype.kind == "f"):
            return False
    return True


def store(key: str, arrays: Mapping[str, Numeric]) -> bool:
    """Keep arrays under a key, replacing what was there; returns whether that worked."""
    for name, array in arrays.items():
        if np.asarray(array).dtype.hasobject:
            raise ValueError(f"the cache keeps plain arrays only; {name!r} holds Python objects.")
    if _bypassed or key.startswith("-") or ARRAYS.place(make=True) is None:
        return False
    given = {name: np.asarray(array) for name, array in arrays.items()}
    head = json.dumps({name: (str(array.dtype), array.shape) for name, array in given.items()}).encode()
    parts: list[bytes | memoryview] = [len(head).to_bytes(ALIGNED, "little"), head, _padding(len(head))]
    for array in given.values():
        parts += [_bytes(array), _padding(array.nbytes)]
    return ARRAYS.save(key, *parts)


def _padded(size: int) -> int:
    """Return how many bytes so many take, such that what follows starts where numbers may."""
    return -(-size // ALIGNED) * ALIGNED


def _padding(size: int) -> bytes:
    return bytes(_padded(size) - size)

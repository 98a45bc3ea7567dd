"""What is told while kernels are compiled and large meshes are prepared: how much of it is done.

A question is one compiled function, and what it calls is known from its text before anything is compiled: the kernels
that its names stand for, and theirs. On a terminal that is a line that moves; elsewhere a sentence, once.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import CodeType
from typing import Any

from tocsin.compiler.store import say

Listener = Callable[[str, int, int], object]
"""Is told the question's name, how many of its kernels are done, and how many it has."""

Tell = Callable[[int, int], object]
"""Is told how many pieces of some work are done, and how many there are."""

LARGE = 100_000
"""Triangles from which it is told how far a mesh is: a second."""

HUGE = 1_000_000
"""Triangles from which that is said where there is no terminal: ten seconds."""

OFTEN = 0.1
"""Seconds between two drawings of the line."""

FEW = 10
"""Kernels after which the time that is left is told: it is the mean of those so far for each that is left."""


def called(function: object) -> set[object]:
    """Return a kernel's function, and those of all kernels that it can call, directly or through others."""
    seen = {function}
    waiting = [function]
    while waiting:
        for value in _named(waiting.pop()):
            other = getattr(value, "py_func", None)
            if other is not None and other not in seen:
                seen.add(other)
                waiting.append(other)
    return seen


def _named(function: Any) -> Iterator[Any]:
    """Yield what the names in a function stand for, as far as that is known before it is called."""
    codes: list[CodeType] = [function.__code__]
    while codes:
        code = codes.pop()
        yield from (function.__globals__.get(name) for name in code.co_names)
        codes += [value for value in code.co_consts if isinstance(value, CodeType)]
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # empty as yet
            yield cell.cell_contents


class Line:
    """A line on a terminal that is drawn again and again; nothing elsewhere."""

    def __init__(self) -> None:
        self._drawn = 0.0
        self._width = 0

    def draw(self, line: str) -> None:
        """Draw a line in place of the one before, not too often; an empty one at once."""
        now = time.perf_counter()
        if not _terminal() or (line and now - self._drawn < OFTEN):
            return
        self._drawn = now
        with suppress(OSError, ValueError, AttributeError):  # a closed or missing stream
            print(f"\r{line:<{self._width}}", end="\r" if not line else "", file=sys.stderr, flush=True)
        self._width = len(line)


class Several:
    """Meshes that are prepared at once, by several threads: what of all their triangles is done."""

    def __init__(self, what: str, sizes: Sequence[int]) -> None:
        self._what = f"preparing {len(sizes)} meshes of {sum(sizes):,} triangles: {what}"
        self._total = sum(sizes)
        self._whole = 0
        self._parts: dict[int, float] = {}
        self._line = Line()

    def part(self, triangles: float) -> None:
        """Say how many triangles are done of the mesh that this thread works on."""
        self._parts[threading.get_ident()] = triangles
        share = (self._whole + sum(list(self._parts.values()))) / self._total
        self._line.draw(f"tocsin: {self._what}, {100 * share:.0f} %")

    def whole(self, triangles: int) -> None:
        """Say that the mesh that this thread works on is done."""
        self._whole += triangles
        self.part(0.0)

    def end(self) -> None:
        """Leave no line behind."""
        self._line.draw("")


_several: Several | None = None


@contextmanager
def several(what: str, sizes: Sequence[int]) -> Iterator[Callable[[int], object]]:
    """Yield what is told of the triangles of each mesh that is done, while several are made at once."""
    global _several
    if len(sizes) < 2 or sum(sizes) < LARGE or _several is not None:
        yield lambda triangles: None
        return
    if sum(sizes) >= HUGE and not _terminal():
        say(f"preparing {len(sizes)} meshes of {sum(sizes):,} triangles: {what}. That is kept for the next time")
    _several = Several(what, sizes)
    try:
        yield _several.whole
    finally:
        _several.end()
        _several = None


@contextmanager
def preparing(what: str, triangles: int) -> Iterator[Tell | None]:
    """Yield what is told how far something of a mesh is, while it is made; None for a small mesh."""
    outer = _several
    if outer is not None:
        yield lambda done, total: outer.part(triangles * done / total)
        return
    if triangles >= HUGE and not _terminal():
        say(f"preparing a mesh of {triangles:,} triangles: {what}. That is kept for the next time")
    if triangles < LARGE:
        yield None
        return
    line = Line()
    try:
        yield lambda done, total: line.draw(
            f"tocsin: preparing a mesh of {triangles:,} triangles: {what}, {100 * done // total} %"
        )
    finally:
        line.draw("")


class Compiling:
    """One question that is being compiled; others that it waits for are a part of it."""

    def __init__(self) -> None:
        self.listener: Listener | None = None
        self._question: Any = None
        self._needed: set[object] = set()
        self._done: set[object] = set()
        self._started = 0.0
        self._line = Line()
        self._said = False

    def begin(self, question: Any, *, kept: bool) -> None:
        """Say that a question is compiled now, and whether it is kept; what it needs itself is a part of it."""
        if self._question is not None and question in self._needed:
            return
        self._question, self._needed, self._done = question, called(question), set()
        self._started = time.perf_counter()
        if self.listener is None and not _terminal() and not self._said:
            self._said = True
            needed = f"{question.__name__} needs {len(self._needed)}"
            say(f"compiling kernels ({needed}), {'once per machine' if kept else 'and keeping none'}")

    def tell(self, kernel: object) -> None:
        """Say that a kernel is at hand, compiled or from disk."""
        if self._question is not None and kernel in self._needed:
            self._done.add(kernel)
            self._show()

    def end(self, question: object) -> None:
        """Say that the question is compiled."""
        if question is self._question:
            self._done = set(self._needed)
            self._show(last=True)
            self._question = None

    def _show(self, *, last: bool = False) -> None:
        name, done, total = self._question.__name__, len(self._done), len(self._needed)
        if self.listener is not None:
            self.listener(name, done, total)
            return
        spent = time.perf_counter() - self._started
        left = f", about {spent / done * (total - done):.0f} s left" if done >= FEW else ""
        self._line.draw("" if last else f"tocsin: compiling {name}: {done} of {total} kernels, {spent:.0f} s{left}")


def _terminal() -> bool:
    with suppress(OSError, ValueError, AttributeError):
        return sys.stderr.isatty()
    return False


COMPILING = Compiling()
"""Of this process: the compiler takes one question at a time."""


@contextmanager
def told_to(listener: Listener) -> Iterator[None]:
    """Have somebody else told instead of drawing a line, while this lasts."""
    was, COMPILING.listener = COMPILING.listener, listener
    try:
        yield
    finally:
        COMPILING.listener = was

"""Processes that compile beside the one in which a question is asked: parts of what it needs, before it comes to them.

A question is one compiled function, and Numba compiles what it calls one after the other. Which parts of it can be
compiled without the rest is known where its kernels are (`queries.ahead`); a few processes compile those while the
caller begins with the first. They share what they compile through the cache folder, and nothing is compiled twice
(`claims`). What is compiled is the same whoever does it, so no answer hangs on helpers: where they cannot be started,
or die, the caller compiles all of it.

None is started by a process that was itself started to work for another, or while helpers of anybody are at work: each
holds the lock `LOCK` until it ends. A helper ends when its caller does, however that ends, or when the caller gives up.
`TOCSIN_HELPERS=off` asks for none.
"""

import atexit
import gc
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import TypeVar

from tocsin.compiler.claims import CLAIMED, locked, opened

F = TypeVar("F", bound=FunctionType)

MOST = 3
"""More find nothing to do: half of a question is compiled one after the other."""

LOCK = "helpers"

OFTEN = 0.2
"""Seconds between two looks whether the caller lives."""

PROGRAM = """
import json, sys
said = json.loads(sys.argv[1])
sys.path[:] = said.pop("path")
from tocsin.compiler.helpers import work
work(**said)
"""
"""What a helper runs: the caller's modules, and nothing that lies about where it happens to be."""

_parts: dict[CodeType, str] = {}
"""By the functions that ask questions: the module that compiles parts of what they need."""

_asked: set[str] = set()
_started: list[subprocess.Popen[bytes]] = []


def helped_by(module: str) -> Callable[[F], F]:
    """Say that a module's `compile_parts` compiles parts of what a function needs, where its kernels are missing."""

    def marked(function: F) -> F:
        _parts[function.__code__] = module
        return function

    return marked


def call(made_for: str) -> None:
    """Start helpers if a question with parts is being asked, for kernels that are made for this; once a question."""
    module = next((_parts[frame.f_code] for frame in _frames() if frame.f_code in _parts), None)
    if module is None or module in _asked:
        return
    _asked.add(module)
    python, count = _interpreter(), min(MOST, _cores() - 1)
    lock = opened(CLAIMED, LOCK) if python is not None and count > 0 and _may_start() else None
    if python is None or lock is None:
        return
    try:
        if locked(lock):
            for k in range(count):
                _start(python, {"module": module, "which": k, "made_for": made_for}, lock)
    finally:
        os.close(lock)  # helpers have it open


def end() -> None:
    """End all helpers of this process."""
    for helper in _started:
        with suppress(OSError):
            helper.kill()
        helper.wait()
    _started.clear()


def _frames() -> Iterator[FrameType]:
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        yield frame
        frame = frame.f_back


def _may_start() -> bool:
    """Is this a process that works for its user, who has not said otherwise?"""
    import multiprocessing

    said = os.environ.get("TOCSIN_HELPERS", "").lower() == "off"
    return not said and multiprocessing.parent_process() is None and not multiprocessing.current_process().daemon


def _interpreter() -> str | None:
    """Return the program that runs Python; None where this is a program with Python inside."""
    python = Path(sys.executable or "")
    odd = getattr(sys, "frozen", False) or not python.name.lower().startswith("python") or not python.is_file()
    return None if odd else str(python)


def _cores() -> int:
    # By no import that is seen: what this module imports is in the name of every kernel (`disk_cache.reached`).
    return import_module("tocsin.compiler.threads").cores()


def _start(python: str, said: dict[str, object], lock: int) -> None:
    if not _started:
        atexit.register(end)
    words = json.dumps(said | {"path": sys.path, "parent": os.getpid()})
    environment = os.environ | {"TOCSIN_HELPERS": "off"}
    with suppress(OSError, ValueError):
        helper = subprocess.Popen(
            [python, "-P", "-c", PROGRAM, words], env=environment, pass_fds=(lock,), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        _started.append(helper)


def work(module: str, which: int, made_for: str, parent: int) -> None:
    """Compile parts of a question in a process of its own, as the helper of this number."""

    def follow() -> None:
        while os.getppid() == parent:
            time.sleep(OFTEN)
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()
    only_compile()
    import_module(module).compile_parts(which, made_for)


RARELY = 100_000, 50, 1000
"""When a process that only compiles looks for garbage: a seventh of its time went there. Half of that, for 5 % more
memory."""


def only_compile() -> None:
    """Say that this process does nothing but compile."""
    gc.freeze()
    gc.set_threshold(*RARELY)

"""A contestant in a process of its own, for libraries that cannot be loaded next to others; it measures itself.

Messages are pickled both ways: the name of a method of the worker's service and its arguments, and what it returned or
the words of what went wrong. The worker's standard output is sent to its standard error, so that what a library prints
does not end up among the messages.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import weakref
from collections.abc import Mapping
from typing import Any, BinaryIO

from tocsin.bench.data import Missing


class Worker:
    """Starts `python -m MODULE`, whose main function calls `serve`, with additions to the environment."""

    def __init__(self, module: str, environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **environment, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        )
        self._end = weakref.finalize(self, _end, self._process)

    def call(self, method: str, *arguments: Any) -> Any:
        """Have the worker call a method of its service."""
        to, back = self._process.stdin, self._process.stdout
        assert to is not None
        assert back is not None
        try:
            pickle.dump((method, arguments), to)
            to.flush()
            good, answer = pickle.load(back)
        except (EOFError, OSError):
            raise Missing(f"the process has ended with {self._process.wait()}") from None
        if not good:
            raise Missing(answer)
        return answer


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


def serve(service: Any) -> None:
    """Answer messages until there are no more; then leave at once, since some libraries cannot end in peace."""
    back: BinaryIO = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while True:
        try:
            method, arguments = pickle.load(sys.stdin.buffer)
        except EOFError:
            os._exit(0)
        try:
            answer = True, getattr(service, method)(*arguments)
        except Missing as missing:
            answer = False, str(missing)
        except Exception as error:
            answer = False, f"{type(error).__name__}: {error}"
        pickle.dump(answer, back)
        back.flush()

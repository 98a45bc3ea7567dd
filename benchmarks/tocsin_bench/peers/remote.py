"""A contestant in a process of its own, which measures itself and can be ended.

Two kinds: `Worker` starts a module, for libraries that cannot be loaded next to others; `apart` asks a contestant in a
copy of this process, with everything that was prepared in it. No answer within `LIMIT`, or a crash, ends the process,
not the race: `Ended` says why, and `report.rounds` goes on with what was answered before.

A worker's messages are pickled both ways: the name of a method of its service and its arguments, and what it returned
or the words of what went wrong. Its standard output is sent to its standard error, so that what a library prints does
not end up among the messages.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import select
import signal
import subprocess
import sys
import warnings
import weakref
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO

from tocsin_bench.data import Ended, Missing
from tocsin_bench.report import Runner

LIMIT = 60.0
"""Seconds, by the clock on the wall, that a peer has for the questions that it is given at once: one, or as many as
should take `report.PATIENCE`."""


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

    def call(self, method: str, *arguments: Any, limit: float | None = None) -> Any:
        """Have the worker call a method of its service; if it takes longer than `limit` seconds, end it."""
        to, back = self._process.stdin, self._process.stdout
        assert to is not None
        assert back is not None
        try:
            pickle.dump((method, arguments), to)
            to.flush()
            if limit is not None and not select.select([back], [], [], limit)[0]:
                self._end()
                raise _too_slow(limit)
            good, answer = pickle.load(back)
        except (EOFError, OSError):
            raise Ended(f"the process has ended with {self._process.wait()}") from None
        if not good:
            raise Ended(answer)
        return answer


def _too_slow(limit: float) -> Ended:
    return Ended(f"no answer within {limit:g} s, and ended there")


def _end(process: Any) -> None:
    process.kill()
    (process.wait if isinstance(process, subprocess.Popen) else process.join)()


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
            answer = False, _words(error)
        pickle.dump(answer, back)
        back.flush()


def _words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def apart(run: Runner, limit: float = LIMIT) -> Runner:
    """The same contestant, asked in a copy of this process that is made when it is first asked.

    `Ended` is raised where it gives no answer within `limit` seconds or crashes; if it is asked again after that, it is
    in a new copy. Where a process cannot be copied (Windows), the contestant stays in this one, without a limit.
    """
    if not hasattr(os, "fork"):
        return run
    copies: list[_Copy] = []

    def ask(questions: Sequence[int]) -> Any:
        if not copies:
            copies.append(_Copy(run))
        try:
            return copies[0].ask(questions, limit)
        except Ended:
            copies.clear()
            raise

    return ask


class _Copy:
    """A copy of this process that answers for one contestant."""

    def __init__(self, run: Runner) -> None:
        context = multiprocessing.get_context("fork")
        self._line, other = context.Pipe()
        self._process = context.Process(target=_answer, args=(run, other), daemon=True)
        with warnings.catch_warnings():
            # Python warns of threads that a copy does not have: here the one that draws the progress bar.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._process.start()
        other.close()
        self._end = weakref.finalize(self, _end, self._process)

    def ask(self, questions: Sequence[int], limit: float) -> Any:
        try:
            self._line.send(questions)
            if not self._line.poll(limit):
                self._end()
                raise _too_slow(limit)
            good, answer = self._line.recv()
        except (EOFError, OSError):
            self._process.join()
            raise Ended(f"the process has ended with {self._process.exitcode}") from None
        if not good:
            raise Ended(answer)
        return answer


def _answer(run: Runner, line: Any) -> None:
    """What the copy does until nobody asks any more; what was prepared is no garbage, so nobody looks through it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever asks is told, and ends this
    gc.freeze()
    while True:
        try:
            questions = line.recv()
        except EOFError:
            return
        try:
            answer = True, run(questions)
        except Exception as error:
            answer = False, _words(error)
        line.send(answer)

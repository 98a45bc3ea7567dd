"""Where the command `tocsin` starts: outside of the package, whose imports take a second that Ctrl-C may fall into.

An interrupt during that second, or while the interpreter takes itself down, ends the process with 130 at once: there is
nothing to keep, and no traceback to show. In between it is a `KeyboardInterrupt`, as everywhere; but an answer that is
being printed is printed to its end, and is the only one: whoever asked for JSON gets one object, whenever Ctrl-C comes.
Python only reports a `KeyboardInterrupt` that is raised in a callback of its own, of a weak reference for instance, and
goes on; here it ends the process too.

Before the first line of this file Python itself starts, for a hundredth of a second: what it says then is its own.
"""

import _signal as signal  # pyright: ignore[reportMissingImports]  # all that `signal` adds is names, and an import of 5 ms that Ctrl-C may fall into
import os
import sys

INTERRUPTED = 130
"""Exit code."""

answered = False
"""Has the one JSON object been printed?"""

_waiting = False
"""Has an interrupt come while it was being printed?"""


def leave_when_interrupted() -> None:
    """End the process with 130 at an interrupt, unless whoever started it wants interrupts ignored."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)


def interrupt_as_usual() -> None:
    """Make an interrupt a `KeyboardInterrupt` again."""
    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def print_whole(text: str) -> None:
    """Print the answer to its end: an interrupt waits for that, a second one does not."""
    global answered, _waiting
    as_usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    _waiting = False
    if as_usual:
        signal.signal(signal.SIGINT, _wait)
    try:
        answered = True
        print(text, flush=True)
    finally:
        if as_usual:
            signal.signal(signal.SIGINT, signal.default_int_handler)
    if _waiting:
        raise KeyboardInterrupt


def _wait(*_: object) -> None:
    global _waiting
    if _waiting:
        _leave()
    _waiting = True


def _leave(*_: object) -> None:
    if "--json" in sys.argv and not answered:
        os.write(1, b'{"error": "interrupted"}\n')
    os.write(2, b"interrupted\n")
    os._exit(INTERRUPTED)


def _reported(what: "sys.UnraisableHookArgs") -> None:
    """Tell of an exception that goes nowhere, and leave at an interrupt."""
    if issubclass(what.exc_type, KeyboardInterrupt):
        _leave()
    sys.__unraisablehook__(what)


def main() -> None:
    """Run the command line."""
    leave_when_interrupted()
    sys.unraisablehook = _reported
    from tocsin.cli import main as run

    try:
        try:
            run()
        finally:
            leave_when_interrupted()
    except KeyboardInterrupt:
        _leave()

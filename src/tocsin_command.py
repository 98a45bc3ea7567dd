"""Where the command `tocsin` starts: outside of the package, whose imports take a second that Ctrl-C may fall into.

An interrupt during that second, or while the interpreter takes itself down, ends the process with 130 at once: there is
nothing to keep, and no traceback to show. In between it is a `KeyboardInterrupt`, as everywhere.
"""

import os
import signal
import sys


def leave_when_interrupted() -> None:
    """End the process with 130 at an interrupt, unless whoever started it wants interrupts ignored."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)


def interrupt_as_usual() -> None:
    """Make an interrupt a `KeyboardInterrupt` again."""
    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _leave(*_: object) -> None:
    if "--json" in sys.argv:
        os.write(1, b'{"error": "interrupted"}\n')
    os.write(2, b"interrupted\n")
    os._exit(130)


def main() -> None:
    """Run the command line."""
    leave_when_interrupted()
    from tocsin.cli import main as run

    try:
        run()
    finally:
        leave_when_interrupted()

"""Which of several processes compiles a kernel that all of them need: the first one, and the others wait for it.

Processes that compile beside each other share what they compile through the cache folder, but two that come to the same
kernel at the same time would both compile it, and whatever comes after it too, in step. So whoever compiles a kernel
holds a lock of its name. No two can wait for each other: a process waits for a kernel only while it compiles callers of
it, and kernels do not call each other in circles. A lock ends with its process.
"""

import os
import time
from pathlib import Path

PATIENCE = 300.0
"""Seconds after which a kernel is compiled although somebody else seems to: he has failed, and lives on."""

OFTEN = 0.02
"""Seconds between two looks."""


class Claims:
    """The kernels that this process compiles, in a folder that is shared with others; without one, no claims."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self._held: dict[str, int] = {}

    def take(self, name: str) -> None:
        """Return when no other process compiles what is called so: then this one may, until `give`."""
        if self.folder is None or name in self._held:
            return
        try:
            import fcntl

            number = os.open(self.folder / name, os.O_RDWR | os.O_CREAT, 0o600)
        except (ImportError, OSError):  # not on this system, or a folder that is gone: it is compiled twice
            return
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                time.sleep(OFTEN)
            except OSError:  # a file system without locks: it is compiled twice
                break
        self._held[name] = number

    def give(self, name: str) -> None:
        """Let others look for what is called so."""
        number = self._held.pop(name, None)
        if number is not None:
            os.close(number)

"""Which of several processes compiles a kernel that all of them need: the first one, and the others wait for it.

Processes that compile beside each other share what they compile through the cache folder, but two that come to the same
kernel at the same time would both compile it, and whatever comes after it too, in step. So whoever compiles a kernel
holds a lock of its name. No two can wait for each other: a process waits for a kernel only while it compiles callers of
it, and kernels do not call each other in circles. A lock ends with its process, and with what its process could not
compile. Its file goes with it: who finds neither the file nor the kernel compiles it once more, and does no harm.
"""

import os
import sys
import time
from contextlib import suppress

from tocsin.compiler.store import Store

PATIENCE = 300.0
"""Seconds in which nobody has begun or ended a kernel, after which it is compiled although somebody else seems to: he
has failed, and lives on. Then all that is left is. The largest kernels take ten of a processor's own."""

OFTEN = 0.02
"""Seconds between two looks."""

CLAIMED = Store("claims")
"""Where the locks are, beside what is kept."""


class Claims:
    """The kernels that this process compiles; where no file can be locked, there are no claims."""

    def __init__(self, store: Store = CLAIMED) -> None:
        self._store = store
        self._held: dict[str, int] = {}
        self._alone = False

    def take(self, name: str) -> None:
        """Return when no other process compiles what is called so: then this one may, until `give`."""
        number = None if self._alone or name in self._held else opened(self._store, name)
        if number is None:
            return
        try:
            held = self._wait(number)
        except BaseException:  # Ctrl-C
            os.close(number)
            raise
        if held:
            self._held[name] = number
        else:
            self._alone = True
            os.close(number)

    def _wait(self, number: int) -> bool:
        """Wait for a lock; False if somebody seems to have died with it, or nothing can be locked here."""
        end, seen = 0.0, -1
        while (held := locked(number)) is False:
            now = self._changed()
            if now != seen:
                end, seen = time.monotonic() + PATIENCE, now
            elif time.monotonic() >= end:
                break
            time.sleep(OFTEN)
        return bool(held)

    def _changed(self) -> int:
        """Return when a claim was last taken or given by anybody: files come and go then."""
        place = self._store.place()
        try:
            return 0 if place is None else os.stat(place).st_mtime_ns
        except OSError:
            return 0

    def give(self, name: str) -> None:
        """Let others look for what is called so."""
        number = self._held.pop(name, None)
        if number is None:
            return
        place = self._store.place()
        with suppress(OSError):
            if place is not None:
                os.unlink(place / name)
        unlock(number)

    def give_all(self) -> None:
        """Let others compile what this process could not."""
        for name in list(self._held):
            self.give(name)


def opened(store: Store, name: str) -> int | None:
    """Return an open file of this name that can be locked; None where there is none."""
    if sys.platform == "win32" or (place := store.place(make=True)) is None:
        return None
    try:
        return os.open(place / name, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:  # a folder that may only be read
        return None


def locked(number: int) -> bool | None:
    """Lock an open file, if nobody else has; None if it cannot be locked."""
    import fcntl

    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return None
    return True


def unlock(number: int) -> None:
    """Close a locked file. Said, as a process that was forked meanwhile has it open too."""
    import fcntl

    with suppress(OSError):
        fcntl.flock(number, fcntl.LOCK_UN)
    os.close(number)

"""What is kept between runs: files of bytes, each with a digest over all of it. Meshes, charts and kernels lie here.

The folder is `TOCSIN_CACHE`, or the user's cache folder; `TOCSIN_CACHE=off` means no disk at all. It may be missing,
full, read-only, damaged, shared between processes that are killed as they write: then something is made again, and
nothing else happens. No exception leaves this module, and no byte that was not written here.

Damage is found by the digest, which covers the name too, so that no file passes for another. A digest says nothing of
who wrote: whoever may write the folder can write it as well, and a kernel is code. So files and folders count only if
they belong to this user or to the administrator and nobody else may write them; our folders have mode 0700.

A file is written beside its place and moved there in one step: a reader sees a whole one or none, and of two writers
the last one wins. Each kind has a limit; beyond it, what was used least recently goes first. Nothing is ever removed
whose name and place are not of our making.
"""

import hashlib
import os
import re
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from io import FileIO
from pathlib import Path

import numpy as np

from tocsin.compiler.pages import usual_pages

HEAD = b"tocsin store 1\n"
"""Opens every file: raise the number when the layout changes."""

DIGEST = 32
"""Bytes of it."""

LIMIT = 2**30
"""Bytes of one kind."""

LINE = 64
"""Bytes of a line of the processor's cache."""

DAY = 86400.0
HOUR = 3600.0

ENTRY = re.compile(r"(?:\w+-[0-9a-f]{20}-)?[0-9a-f]{40}\.tocsin")
TEMPORARY = re.compile(ENTRY.pattern + r"\.\w+\.tmp")

Bytes = bytes | memoryview

_said: set[str] = set()


def folder() -> Path | None:
    """Return the folder for what is kept between runs, or None: TOCSIN_CACHE, or the user's cache folder."""
    chosen = os.environ.get("TOCSIN_CACHE", "")
    if chosen.lower() == "off":
        return None
    try:
        if chosen:
            return Path(chosen).expanduser()
        if sys.platform == "win32":
            base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
        elif sys.platform == "darwin":
            base = Path.home() / "Library" / "Caches"
        else:
            base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    except RuntimeError:  # no home folder
        return None
    return base / "tocsin"


def say(sentence: str) -> None:
    """Say something on standard error, once."""
    if sentence not in _said:
        _said.add(sentence)
        with suppress(OSError, ValueError, AttributeError):  # a closed or missing stream
            print(f"tocsin: {sentence}", file=sys.stderr, flush=True)


def trusted(status: os.stat_result) -> bool:
    """Can only this user and the administrator have written this? (Elsewhere than on POSIX, that is not asked.)"""
    if not hasattr(os, "geteuid"):
        return True
    return status.st_uid in (0, os.geteuid()) and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def refusal(place: Path) -> str | None:
    """Return why a folder that exists cannot be used, in a sentence; None if it can, or is not there."""
    try:
        status = os.stat(place)
    except OSError:
        return None
    if not stat.S_ISDIR(status.st_mode):
        return f"the cache '{place}' is not a folder: nothing is kept. Choose another by TOCSIN_CACHE."
    if trusted(status):
        return None
    why = "may be written by others" if status.st_mode & 0o022 else "belongs to another user"
    return (
        f"the cache folder '{place}' {why}, who could put code there: it is not used, and nothing is kept. "
        "Make it your own with mode 700, choose another by TOCSIN_CACHE, or TOCSIN_CACHE=off."
    )


def _digest(kind: str, name: str, *parts: Bytes) -> bytes:
    digest = hashlib.blake2b(f"{kind}/{name}\n".encode(), digest_size=DIGEST)
    for part in parts:
        digest.update(part)
    return digest.digest()


def whole(kind: str, name: str, data: memoryview) -> memoryview | None:
    """Return what a file of a store holds, if it is as it was written under this name; None if it is not."""
    start = len(HEAD) + DIGEST
    if data[: len(HEAD)] != HEAD or data[len(HEAD) : start] != _digest(kind, name, data[start:]):
        return None
    return data[start:]


class Store:
    """The files of one kind, in a folder of their own."""

    def __init__(self, kind: str, limit: int = LIMIT, root: Path | None = None) -> None:
        self.kind = kind
        self.limit = limit
        self._root = root
        self._size: int | None = None
        """What the folder held when it was last looked at, and what was written since."""

    def place(self, *, make: bool = False) -> Path | None:
        """Return the folder, or None if there is none that may be used."""
        root = folder() if self._root is None else self._root
        if root is None:
            return None
        own = root / self.kind
        try:
            if make:
                _make(own)
            for each in (root, own):
                sentence = refusal(each)
                if sentence is not None:
                    say(sentence)
                    return None
        except (OSError, ValueError):  # ValueError: a name with a null character
            return None
        return own

    def load(self, key: str) -> memoryview | None:
        """Return what was kept under a key, whole and as it was, or None."""
        place = self.place()
        return None if place is None else self._read(place / f"{key}.tocsin")

    def save(self, key: str, *parts: Bytes) -> bool:
        """Keep bytes, given in parts, under a key, in place of what was there; return whether that worked."""
        size = sum(map(len, parts))
        place = self.place(make=True) if size <= self.limit // 4 else None
        if place is None:
            return False
        file = place / f"{key}.tocsin"
        try:
            number, temporary = tempfile.mkstemp(dir=place, prefix=f"{file.name}.", suffix=".tmp")
            try:
                with open(number, "wb") as out:
                    out.write(HEAD + _digest(self.kind, file.name, *parts))
                    for part in parts:
                        out.write(part)
                os.replace(temporary, file)
            except BaseException:
                with suppress(OSError):
                    os.unlink(temporary)
                raise
        except (OSError, MemoryError):  # read-only, full, too large a file, too many open
            return False
        self._make_room(size)
        return True

    def names(self) -> list[str]:
        """Return the names of all files of this kind."""
        return [entry.name for entry in self._ours() if ENTRY.fullmatch(entry.name)]

    def size(self) -> int:
        """Return how many bytes they take."""
        return sum(status.st_size for _, status in self._files())

    def damaged(self) -> list[str]:
        """Return the names of the files that are not as they were written; they are made again when they are needed."""
        place = self.place()
        return [] if place is None else [name for name in self.names() if self._read(place / name) is None]

    def clear(self) -> int:
        """Remove all files of this kind; return how many there were."""
        return sum(_removed(entry.path) and bool(ENTRY.fullmatch(entry.name)) for entry in self._ours())

    def _read(self, file: Path) -> memoryview | None:
        try:
            with open(file, "rb", buffering=0, opener=_plain_file) as opened:
                status = os.fstat(opened.fileno())
                if not (stat.S_ISREG(status.st_mode) and trusted(status) and status.st_size <= self.limit):
                    return None
                data = _read_all(opened, status.st_size)
            body = whole(self.kind, file.name, data)
            if body is not None and time.time() - status.st_mtime > DAY:
                with suppress(OSError):
                    os.utime(file)
        except (OSError, ValueError, MemoryError):
            return None
        return body

    def _ours(self) -> Iterator[os.DirEntry[str]]:
        """Pass on the files that have names of ours."""
        place = self.place()
        try:
            found = [] if place is None else list(os.scandir(place))
        except OSError:
            return
        for entry in found:
            ours = ENTRY.fullmatch(entry.name) or TEMPORARY.fullmatch(entry.name)
            if ours and entry.is_file(follow_symlinks=False):
                yield entry

    def _files(self) -> list[tuple[os.DirEntry[str], os.stat_result]]:
        found = []
        for entry in self._ours():
            with suppress(OSError):  # removed meanwhile
                found.append((entry, entry.stat(follow_symlinks=False)))
        return found

    def _make_room(self, written: int) -> None:
        """Keep below the limit. The folder is looked at once in a process, and then when it may be full."""
        if self._size is not None and self._size + written <= self.limit:
            self._size += written
            return
        files = sorted(self._files(), key=lambda file: file[1].st_mtime)
        size = sum(status.st_size for _, status in files)
        full = size > self.limit
        for entry, status in files:
            left = TEMPORARY.fullmatch(entry.name) and time.time() - status.st_mtime > HOUR  # of one that was killed
            if (left or (full and size > 0.75 * self.limit)) and _removed(entry.path):
                size -= status.st_size
        self._size = size


def _make(place: Path) -> None:
    """Make a folder, and those above it, for this user alone, whatever the process's mask is."""
    if not place.is_dir():
        if place.parent != place:
            _make(place.parent)
        place.mkdir(mode=0o700, exist_ok=True)


def _read_all(opened: FileIO, size: int) -> memoryview:
    """Return all bytes of a file, such that what is after the digest starts where any number may."""
    with usual_pages():
        memory = np.empty(size + 2 * LINE, np.uint8)
    start = -(memory.ctypes.data + len(HEAD) + DIGEST) % LINE
    data = memory.data[start : start + size]
    read = 0
    while read < size and (more := opened.readinto(data[read:])):
        read += more
    return data[:read]


def _plain_file(path: str, flags: int) -> int:
    """Open without following a link, and without waiting for somebody who writes into a pipe."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


def _removed(path: str) -> bool:
    try:
        os.unlink(path)
    except OSError:
        return False
    return True

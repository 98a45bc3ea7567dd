"""Kernels that came with the package: machine code for levels of processors, made when a wheel was built.

A wheel holds `compiled/<level>.kernels`, one file for each level of x86-64 that it was built for: files of a `Store`,
one after the other, behind a list of their names and places. The names are those that `disk_cache` gives: a text that
was edited, another Numba or another Python do not find their kernels here, and compile. Each body is checked by its
digest, name included, before a byte of it is used; what is damaged is compiled.

Nobody asks here who owns the files, as `store` does: whoever may write them may write the modules beside them as well.
What is computed is the same to the bit on every level: nothing is contracted or reordered on any (`jit`).
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from tocsin.compiler.store import Store, whole

BASE = frozenset(
    ("cx16", "sahf", "popcnt", "sse3", "ssse3", "sse4.1", "sse4.2", "avx", "avx2", "bmi", "bmi2", "f16c", "fma",
     "lzcnt", "movbe", "xsave")
)  # fmt: skip

LEVELS: dict[str, frozenset[str]] = {
    "x86-64-v4": BASE | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
    "x86-64-v3": BASE,
}
"""What a processor must have, by LLVM's words for it, the best level first; the levels of the x86-64 psABI."""

HEAD = b"tocsin kernels 1\n"

LENGTH = 8
"""Bytes that say how long the list of names is."""


def levels(features: Mapping[str, bool]) -> tuple[str, ...]:
    """Return the levels whose code a processor with these features can run, the best first."""
    had = {name for name, present in features.items() if present}
    return tuple(level for level, needed in LEVELS.items() if needed <= had)


class Archive:
    """Files of a store, behind each other in one file that is only ever read."""

    def __init__(self, file: Path, kind: str) -> None:
        self.file = file
        self.kind = kind
        self._places: dict[str, tuple[int, int]] | None = None

    @property
    def places(self) -> dict[str, tuple[int, int]]:
        """Where what begins, and its size; nothing if there is no such file, or it is none of ours."""
        if self._places is None:
            self._places = self._list()
        return self._places

    def load(self, key: str) -> memoryview | None:
        """Return what was kept under a key, whole and as it was, or None."""
        name = f"{key}.tocsin"
        if name not in self.places:
            return None
        start, size = self.places[name]
        try:
            with open(self.file, "rb", buffering=0) as opened:
                opened.seek(start)
                data = opened.read(size)
        except (OSError, ValueError, MemoryError):
            return None
        return whole(self.kind, name, memoryview(data))

    def damaged(self) -> list[str]:
        """Return the names of what is not as it was written."""
        return [name for name in self.places if self.load(name.removesuffix(".tocsin")) is None]

    def _list(self) -> dict[str, tuple[int, int]]:
        try:
            with open(self.file, "rb") as opened:
                if opened.read(len(HEAD)) != HEAD:
                    return {}
                length = int.from_bytes(opened.read(LENGTH), "little")
                listed: list[tuple[str, int]] = json.loads(opened.read(min(length, self.file.stat().st_size)))
            found: dict[str, tuple[int, int]] = {}
            start = len(HEAD) + LENGTH + length
            for name, size in listed:
                found[name] = start, size
                start += size
        except (OSError, ValueError, TypeError, MemoryError):
            return {}
        return found


def pack(store: Store, file: Path, keys: Iterable[str]) -> int:
    """Write an archive of what a store has under these keys; return its size in bytes."""
    place = store.place()
    if place is None:
        raise FileNotFoundError(f"the store of {store.kind} has no folder")
    bodies = {f"{key}.tocsin": (place / f"{key}.tocsin").read_bytes() for key in sorted(keys)}
    listed = json.dumps([(name, len(body)) for name, body in bodies.items()]).encode()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"".join([HEAD, len(listed).to_bytes(LENGTH, "little"), listed, *bodies.values()]))
    return file.stat().st_size

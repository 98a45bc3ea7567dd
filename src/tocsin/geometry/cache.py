"""A folder of arrays keyed by their content: preprocessing that took noticeable time is kept between runs.

The folder is `TOCSIN_CACHE`, or the user's cache folder; `TOCSIN_CACHE=off` turns it off. The cache may be missing,
full, unwritable, damaged or shared between processes: a query then takes longer, and nothing else happens. Files are
written beside their place and moved there in one step, so a reader sees a whole file or none. Nothing is ever
unpickled.
"""

import hashlib
import os
import tempfile
import zipfile
import zlib
from pathlib import Path

import numpy as np

from tocsin._compiled import cache_folder as folder

FORMAT = 1
"""Part of every key: raise it when the meaning of what is stored changes."""

_UNREADABLE = (OSError, ValueError, KeyError, EOFError, NotImplementedError, zipfile.BadZipFile, zlib.error)


def content_key(*parts: np.ndarray | str | bytes | int | float) -> str:
    """Return a hexadecimal key of arrays (type, shape and bytes) and plain values, in their order."""
    digest = hashlib.blake2b(f"tocsin {FORMAT}".encode(), digest_size=20)
    for part in parts:
        if isinstance(part, np.ndarray):
            head, body = f"array {part.dtype.str} {part.shape}", np.ascontiguousarray(part).tobytes()
        elif isinstance(part, bytes):
            head, body = "bytes", part
        else:
            head, body = type(part).__name__, repr(part).encode()
        digest.update(f"|{head} {len(body)}|".encode())
        digest.update(body)
    return digest.hexdigest()


def load(key: str) -> dict[str, np.ndarray] | None:
    """Return what was stored under a key, or None when there is nothing that can be read."""
    place = folder()
    if place is None:
        return None
    try:
        with np.load(place / f"{key}.npz", allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except _UNREADABLE:
        return None


def store(key: str, arrays: dict[str, np.ndarray]) -> bool:
    """Keep arrays under a key, replacing what was there; returns whether that worked."""
    for name, array in arrays.items():
        if np.asarray(array).dtype.hasobject:
            raise ValueError(f"the cache keeps plain arrays only; {name!r} holds Python objects.")
    place = folder()
    if place is None:
        return False
    temporary = None
    try:
        place.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=place, prefix=f"{key}.", suffix=".tmp", delete=False) as file:
            temporary = file.name
            with zipfile.ZipFile(file, "w") as archive:
                for name, array in arrays.items():
                    with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                        np.lib.format.write_array(entry, np.asarray(array), allow_pickle=False)
        os.replace(temporary, place / f"{key}.npz")
    except OSError:
        if temporary is not None:
            _remove(Path(temporary))
        return False
    return True


def clear() -> int:
    """Remove everything that was stored; returns how many entries there were."""
    place = folder()
    if place is None or not place.is_dir():
        return 0
    for leftover in place.glob("*.tmp"):
        _remove(leftover)
    return sum(_remove(entry) for entry in list(place.glob("*.npz")))


def _remove(file: Path) -> bool:
    """Remove a file if it can be."""
    try:
        file.unlink()
    except OSError:
        return False
    return True

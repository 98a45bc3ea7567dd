"""Where pages and pictures are written: paths are checked before anything is computed, and what fails is said."""

from __future__ import annotations

import os
from pathlib import Path

from tocsin._cast import said
from tocsin._types import PathLike
from tocsin.errors import TocsinError


def target(path: PathLike, suffix: str, what: str) -> Path:
    """Return a path to write to; `what` names it in the sentence."""
    try:
        file = Path(os.fspath(path))
    except TypeError:
        raise TocsinError(f"{what} needs a path to be written to; got {said(path)}.") from None
    if file.suffix.lower() != suffix:
        raise TocsinError(f"the name of {what} must end in {suffix}; got {str(file)!r}.")
    if file.is_dir():
        raise TocsinError(f"cannot write {what} to {str(file)!r}: it is a folder.")
    return file


def write(file: Path, data: bytes, what: str) -> Path:
    """Write a file, and the folders above it if they are missing."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    except OSError as error:
        raise TocsinError(f"cannot write {what} to {str(file)!r}: {(error.strerror or str(error)).lower()}.") from None
    return file

"""Where pages and pictures are written: paths are checked before anything is computed."""

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

"""The door for what is no number: paths and what is written there, sequences, functions, names, and models.

Numbers, arrays and poses are checked in `_cast`. Annotations promise all of this, and nobody enforces them: what is
given instead raises a foreign error lines later, in words that say nothing to a user, or is taken for something else,
as a text is for a sequence of its letters and a "no" for true.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar, cast

import numpy as np

from tocsin import _cast
from tocsin._types import PathLike
from tocsin.errors import TocsinError

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., object])


def path(value: PathLike, what: str) -> Path:
    """Return a path; `what` names whose it is in the sentence."""
    if not _cast.instance(value, (str, os.PathLike)):
        raise TocsinError(f"{what}: a path is text or a pathlib.Path; got {_cast.said(value)}.")
    try:
        return Path(value)
    except TypeError:  # a path in bytes
        raise TocsinError(f"{what}: a path is text or a pathlib.Path; got {_cast.said(value)}.") from None


def write(file: Path, data: bytes, what: str) -> Path:
    """Write a file, and the folders above it if they are missing; what fails is said."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    except (OSError, ValueError) as error:  # a zero byte in a name
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise TocsinError(f"cannot write {what} to {str(file)!r}: {reason}.") from None
    return file


def sequence(value: Iterable[T], what: str, wanted: str) -> list[T]:
    """Return the members of a sequence, `wanted` in the sentence; a text is not one of its letters, nor a mapping."""
    if not _cast.instance(value, (str, bytes, bytearray, dict)):
        try:
            return list(value)
        except TypeError:
            pass
    raise TocsinError(f"{what} must be {wanted}; got {_cast.said(value)}.")


def each(value: Iterable[T], kind: type[T], what: str, wanted: str) -> list[T]:
    """Return the members of a sequence, all of one kind."""
    found = sequence(value, what, wanted)
    for one in found:
        if not _cast.instance(one, kind):
            raise TocsinError(f"{what} must be {wanted}; one of them is {_cast.said(one)}.")
    return found


def function(value: F | None, what: str) -> F | None:
    """Return what can be called, or None."""
    if value is not None and not callable(value):
        raise TocsinError(f"{what} is a function of (done, total); got {_cast.said(value)}.")
    return value


def name(value: str | None, what: str, otherwise: str) -> str:
    """Return a name, or another one where none was given."""
    return otherwise if value is None else _cast.name(value, what)


def text(value: str, what: str) -> str:
    """Return a text, which may be empty."""
    if not _cast.instance(value, str):
        raise TocsinError(f"{what} must be text; got {_cast.said(value)}.")
    return value


def labels(value: object) -> list[str]:
    """Return the names that the entries of a row, or the columns of a table, have in another library's table or series.

    pandas and its like: as an array of numbers they lose their names, and joints in another order would be mistaken.
    None are text where rows are numbered, as they are without a word from the user.
    """
    if isinstance(value, (np.ndarray, list, tuple, str)):
        return []
    try:
        found: object = getattr(value, "columns", None)
        if found is None:
            found = getattr(value, "index", ())
        names = [] if callable(found) or not isinstance(found, Iterable) else list(cast("Iterable[object]", found))
    except Exception:  # whatever a stranger's object raises
        return []
    return [str(name) for name in names] if any(isinstance(name, (str, tuple)) for name in names) else []


def check_labels(value: object, what: str, wanted: Sequence[str]) -> None:
    """Refuse a table whose columns have other names than these, or the same in another order."""
    found = labels(value)
    if found and found != list(wanted):
        raise TocsinError(
            f"the columns of {what} are named {', '.join(map(repr, found))}, and should be, in this order: "
            f"{', '.join(map(repr, wanted))}."
        )


def moment(value: float) -> float:
    """Return a time of a motion, from 0 to 1."""
    t = _cast.plain(value)
    if t is None or not 0.0 <= t <= 1.0:
        raise TocsinError(f"times of a motion run from 0, its start, to 1, its end; got {_cast.said(value)}.")
    return t

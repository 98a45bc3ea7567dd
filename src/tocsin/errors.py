"""What can go wrong at the door, and what is only remarkable there, as sentences."""

import inspect
import warnings
from collections.abc import Iterable
from difflib import get_close_matches

LONGEST = 1800
"""Letters of a sentence."""


def _shortened(words: str) -> str:
    return words if len(words) <= LONGEST else f"{words[: LONGEST // 2]} ... {words[-LONGEST // 3 :]}"


class TocsinError(ValueError):
    """Something that was handed in cannot be used; the message says what was given, expected, and what to do."""

    def __init__(self, *words: object) -> None:
        """Keep the sentence; one that quotes a name of thousands of letters loses its middle."""
        super().__init__(*[_shortened(word) if isinstance(word, str) else word for word in words])


class UnknownNameError(TocsinError, KeyError):
    """A link, joint or model name that does not exist; the message lists the ones that do."""

    def __str__(self) -> str:
        """Return the sentence itself: KeyError would put it in quotes."""
        return str(self.args[0]) if self.args else ""


class MeshWarning(UserWarning):
    """A mesh is legal but probably not what was meant: empty, for example."""


class UnitWarning(UserWarning):
    """A number is legal but probably in other units than metres and radians."""


QUOTED = 200
"""Letters of what was given, in a sentence."""


def quoted(value: object) -> str:
    """Put what was given into a few words, on one line."""
    try:
        words = " ".join(repr(value).split())
    except Exception:  # of an object that cannot even say what it is
        words = f"something of type {type(value).__name__}"
    return words if len(words) <= QUOTED else f"{words[:QUOTED]}..."


LISTED = 40
"""At most so many valid names are listed; of more, the closest."""


def unknown_name(what: str, name: object, valid: Iterable[str], of: str = "") -> UnknownNameError:
    """Return the error for an unknown name, with the valid ones listed; `of` says whose names they are."""
    names = list(valid)
    said = f"no {what} {quoted(name)}{of}; {what}s are: "
    if len(names) > LISTED:
        closest = get_close_matches(name if isinstance(name, str) else quoted(name), names, 8, 0.0)
        said = f"no {what} {quoted(name)}{of}; of {len(names)} {what}s the closest are: "
        names = closest
    return UnknownNameError(said + (", ".join(map(repr, names)) or "(none)"))


def remark(sentence: str, kind: type[Warning] = UserWarning) -> None:
    """Warn at the line by which a user's program came into this package, however deep inside it was noticed."""
    frame, level = inspect.currentframe(), 1
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == __package__:
        frame, level = frame.f_back, level + 1
    warnings.warn(sentence, kind, stacklevel=level)

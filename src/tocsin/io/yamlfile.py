"""YAML and JSON files of strangers, as plain lists, mappings, numbers and text.

The size is looked at first. Then the structure is walked once without building anything: bottomless nesting is refused,
aliases by which a small file stands for an enormous one, and a name that stands twice in one mapping, of which loaders
keep the last. Only then does the safe loader, which knows no custom tags, build it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeAlias, TypeGuard

from tocsin import _cast
from tocsin._types import PathLike
from tocsin.errors import TocsinError
from tocsin.io.files import LARGEST_TEXT, read_text, refused

Structure: TypeAlias = dict[str, Any]
"""A mapping of a parsed file: what its values are, nobody knows before they are checked."""

LARGEST_YAML = 32 * 2**20
"""Bytes of a YAML file: it is read at a few megabytes a second, and even garbage takes a second."""

DEEPEST = 64
"""Lists and mappings inside each other."""

LONGEST_NUMBER = 1000
"""Characters of a number: whole ones have no end in YAML, and those of base 60 take time that is quadratic."""

HALF = re.compile(r"\\u[dD][89a-fA-F]")
"""How JSON writes half of a letter, such that two are one; no file, page or terminal takes a name with one alone."""

MOST_VALUES = 10_000_000
"""Values in a file, those behind aliases counted each time."""


def read_structure(path: PathLike, what: str) -> object:
    """Return the contents of a `.json` file, or of a YAML file with any other suffix; `what` names it in errors."""
    file = Path(path)
    is_json = file.suffix.lower() == ".json"
    text = read_text(path, what, limit=LARGEST_TEXT if is_json else LARGEST_YAML)
    try:
        return _from_json(text) if is_json else _from_yaml(text)
    except TocsinError as error:
        raise refused(file, what, str(error).rstrip(".")) from None


def check_yaml(path: PathLike, what: str) -> None:
    """Refuse a YAML file that stands for too much; nothing is built. Of a name that stands twice xacro takes the last,
    as robots' packages count on."""
    import yaml as module

    yaml: Any = module  # it has no types
    text = read_text(path, what, limit=LARGEST_YAML)
    try:
        _check_events(yaml, yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)), doubles=True)
    except (TocsinError, yaml.YAMLError) as error:
        raise refused(Path(path), what, " ".join(str(error).split())[:200].rstrip(".")) from None


def _from_json(text: str) -> object:
    def refuse(word: str) -> float:
        raise TocsinError(f"it has the value {word}")

    if sum(text.count(mark) for mark in "{[,") > MOST_VALUES:
        raise TocsinError(f"it has more than {MOST_VALUES} values")
    try:
        found: object = json.loads(text, parse_constant=refuse, object_pairs_hook=_once)
        if HALF.search(text):
            json.dumps(found, ensure_ascii=False).encode()
        return found
    except UnicodeEncodeError:
        raise TocsinError("it has half of a character (a lone surrogate)") from None
    except RecursionError:
        raise TocsinError("its lists and objects are nested too deep") from None
    except json.JSONDecodeError as error:
        raise TocsinError(f"it is not JSON: {error.msg} in line {error.lineno}, column {error.colno}") from None
    except ValueError as error:
        if isinstance(error, TocsinError):
            raise
        raise TocsinError("it has a whole number of thousands of digits") from None


def _once(pairs: list[tuple[str, object]]) -> Structure:
    """Return an object; of a name that stands twice the last value would be taken, and the first passed over."""
    made = dict(pairs)
    if len(made) < len(pairs):
        name, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise TocsinError(f"it has {name[:80]!r} twice in one object")
    return made


def _from_yaml(text: str) -> object:
    try:
        import yaml as module
    except ImportError:
        raise TocsinError("reading YAML files needs PyYAML: pip install pyyaml") from None
    yaml: Any = module
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        _check_events(yaml, yaml.parse(text, Loader=loader))
        documents = [document for document in yaml.load_all(text, Loader=loader) if document is not None]
    except yaml.MarkedYAMLError as error:
        where = f" in line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise TocsinError(f"it is not YAML that can be read: {error.problem or 'damaged'}{where}") from None
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        if isinstance(error, TocsinError):
            raise
        said = " ".join(str(error).split())[:120]
        raise TocsinError(f"it is not YAML that can be read: {said or type(error).__name__}") from None
    if len(documents) != 1:  # what a recorder prints ends with the separator of a document that does not come
        raise TocsinError(f"it has {len(documents)} YAML documents; one is expected")
    return documents[0]


def _check_events(yaml: Any, events: Iterable[Any], *, doubles: bool = False) -> None:
    """Refuse nesting beyond `DEEPEST`, more than `MOST_VALUES` values once every alias is written out, and names that
    stand twice in a mapping, unless `doubles` may."""
    sizes: dict[str, int] = {}
    stack: list[tuple[str | None, int]] = [(None, 0)]  # (anchor, values so far) of every collection that is open
    names: list[set[str] | None] = [None]  # of every one that is a mapping
    after: list[bool] = [False]  # has it a name, and its value is next?
    for event in events:
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in sizes:
                raise TocsinError(f"its alias *{event.anchor[:40]} refers to something that contains it")
            size = sizes[event.anchor]
        elif isinstance(event, yaml.ScalarEvent):
            size = 1
            if len(event.value) > LONGEST_NUMBER and event.implicit[0] and event.value[0] in "+-.0123456789":
                raise TocsinError(f"it has a number of {len(event.value)} characters")
            sizes[event.anchor or ""] = 1
            if (seen := names[-1]) is not None and not after[-1]:
                if event.value in seen and event.value != "<<":
                    raise TocsinError(f"it has {event.value[:80]!r} twice in one mapping")
                seen.add(event.value)
        elif isinstance(event, yaml.CollectionStartEvent):
            names.append(None if doubles or not isinstance(event, yaml.MappingStartEvent) else set())
            after.append(False)
            stack.append((event.anchor, 1))
            if len(stack) > DEEPEST:
                raise TocsinError(f"its lists and mappings are nested more than {DEEPEST} deep")
            continue
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, size = stack.pop()
            del names[-1], after[-1]
            sizes[anchor or ""] = size
        else:
            continue
        after[-1] = not after[-1]
        above, count = stack.pop()
        if count + size > MOST_VALUES:
            raise TocsinError(f"it expands to more than {MOST_VALUES} values")
        stack.append((above, count + size))


def is_mapping(value: object) -> TypeGuard[Structure]:
    """Is this a mapping, as far as parsed files have them?"""
    return isinstance(value, dict)


def is_listing(value: object) -> TypeGuard[list[Any]]:
    """Is this a list, as far as parsed files have them?"""
    return isinstance(value, list)


def mapping(value: object, what: str) -> Structure:
    """Return a mapping; nothing at all counts as an empty one."""
    if value is None:
        return {}
    if not is_mapping(value):
        raise TocsinError(f"{what} must be a mapping of names to values; got {_short(value)}.")
    return value


def listing(value: object, what: str) -> list[Any]:
    """Return a list; nothing at all counts as an empty one."""
    if value is None:
        return []
    if not is_listing(value):
        raise TocsinError(f"{what} must be a list; got {_short(value)}.")
    return value


def word(value: object, what: str) -> str:
    """Return a name: text that is not empty. YAML makes numbers of names like 12: these become text again."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _cast.MOST:
        value = str(value)
    if not isinstance(value, str) or not value:
        raise TocsinError(f"{what} must be a name; got {_short(value)}.")
    return value


def number(value: object, what: str) -> float:
    """Return a finite number. YAML makes text of numbers like 1e-3, which have no point: these become numbers again."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            raise TocsinError(f"{what} must be a number; got {_short(value)}.") from None
    return _cast.scalar(value, what)


def _short(value: object) -> str:
    if isinstance(value, int) and abs(value) > _cast.MOST:
        return "a whole number of more than 62 bits"
    kind = type(value).__name__
    return f"a {kind}" if isinstance(value, (dict, list)) else f"{kind} {value!r:.60}"

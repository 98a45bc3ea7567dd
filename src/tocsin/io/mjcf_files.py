"""The files of a MuJoCo model, looked at before MuJoCo opens them.

The main file and those it includes are parsed strictly: no document types, no entities, bounded size and depth. Files
that they name may lie in the folder of the main file or beside it (`meshdir="../meshes"` is usual), not elsewhere.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tocsin.errors import TocsinError
from tocsin.io.files import parse_xml
from tocsin.io.uris import Packages, Places

MOST_INCLUDES = 200
MOST_COPIES = 10_000
"""Bodies that replicate, composite and flexcomp may make, each."""

LARGEST_ASSET = 2**30

MOST_CELLS = 2**20
"""Points of a height field; pixels of a texture that is made up are 64 times as many."""

MOST_USER_VALUES = 10_000
"""Numbers that a model reserves for its users, an element."""

_FOLDERS = {"mesh": "meshdir", "hfield": "meshdir", "skin": "meshdir", "texture": "texturedir"}
_WHAT = "the MuJoCo model"


def check_files(file: Path, packages: Packages = ()) -> None:
    """Refuse a model that is not MJCF, explodes, or names files outside of the folders it may use."""
    root = parse_xml(file, _WHAT)
    if root.tag != "mujoco":
        hint = "; this is URDF: use from_urdf" if root.tag == "robot" else ""
        raise TocsinError(f"cannot load {str(file)!r}: its root is <{root.tag}>, not <mujoco>{hint}.")
    above = file.resolve().parent.parent
    beside = [above] if above != above.parent else []
    places = Places(file, packages=[*beside, *_folders_of(packages)])
    documents = [(file, root)]
    for document, tree in documents:  # grows as includes are found
        for include in tree.iter("include"):
            name = include.get("file") or ""
            target = places.resolve(name, f"<include> in {document.name!r}, line {_line(include)},")
            if any(target == known for known, _ in documents):
                raise TocsinError(f"cannot load {str(file)!r}: {name!r} is included twice (line {_line(include)}).")
            documents.append((target, parse_xml(target, f"{_WHAT}'s include")))
            if len(documents) > MOST_INCLUDES:
                raise TocsinError(f"cannot load {str(file)!r}: it includes more than {MOST_INCLUDES} files.")
    folders: dict[str, str] = {}
    for _, tree in documents:
        for compiler in tree.iter("compiler"):
            folders |= compiler.attrib
    for document, tree in documents:
        _check_copies(tree, document, 1)
        for element in tree.iter():
            _check_sizes(element, document)
            if element.tag not in ("include", "compiler") and element.get("file"):
                _check_asset(element, document, file, folders, places)


def _check_asset(element: Any, document: Path, main: Path, folders: dict[str, str], places: Places) -> None:
    """Refuse an asset that lies elsewhere, looked for from the main file and from the one that names it."""
    what = f"<{element.tag}> in {document.name!r}, line {_line(element)},"
    name = str(element.get("file"))
    if folders.get("strippath") == "true":
        name = Path(name).name
    folder = folders.get(_FOLDERS.get(str(element.tag), ""), folders.get("assetdir", ""))
    tried = [start / inner / name for start in (main.parent, document.parent) for inner in (folder, "")]
    there = [place for place in tried if place.exists()]
    refusals = []
    for place in there:
        try:
            if places.resolve(str(place), what).stat().st_size > LARGEST_ASSET:
                raise TocsinError(f"{what} names {name!r}, which has more than {LARGEST_ASSET} bytes.")
        except TocsinError as error:
            refusals.append(error)
    if refusals and len(refusals) == len(there):
        raise refusals[0]


def _check_sizes(element: Any, document: Path) -> None:
    """Refuse arrays that the file only claims and MuJoCo would allocate."""
    claims = [("nrow", "ncol", MOST_CELLS), ("width", "height", 64 * MOST_CELLS)]
    claims += [(key, "", MOST_USER_VALUES) for key in element.attrib if key.startswith("nuser_")]
    for one, two, most in claims:
        try:
            size = int(element.get(one, "0")) * int(element.get(two, "1"))
        except ValueError:
            continue  # MuJoCo says what is wrong with it
        if abs(size) > most:
            raise TocsinError(
                f"cannot load {str(document)!r}: <{element.tag}> in line {_line(element)} claims {size} values "
                f"({one}{' x ' + two if two else ''}); at most {most} are read."
            )


def _check_copies(element: Any, document: Path, above: int) -> None:
    """Refuse elements that multiply without bound, one inside another."""
    copies = above
    if element.tag in ("replicate", "composite", "flexcomp"):
        try:
            counts = [int(word) for word in (element.get("count") or "1").split()]
        except ValueError:
            counts = [1]  # MuJoCo says what is wrong with it
        copies *= math.prod(max(count, 1) for count in counts)
        if copies > MOST_COPIES:
            raise TocsinError(
                f"cannot load {str(document)!r}: <{element.tag}> in line {_line(element)} makes {copies} copies, more "
                f"than {MOST_COPIES}."
            )
    for child in element:
        _check_copies(child, document, copies)


def _folders_of(packages: Packages) -> list[Any]:
    """Return the folders of packages that are given as one, as several, or by name."""
    if isinstance(packages, (str, os.PathLike)):
        return [packages]
    return list(packages.values()) if isinstance(packages, Mapping) else list(packages)


def _line(element: Any) -> int:
    return element.line

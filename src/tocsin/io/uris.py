"""From what a description calls a file to a file that may be opened.

A URI is `package://name/rest`, `file:///place`, or a path, relative to the description's own folder. A package is
looked for, in this order, in the folders that the caller gives, in `ROS_PACKAGE_PATH`, in `AMENT_PREFIX_PATH`, inside
the description's own folder, and among the folders above it and beside those. Of several in a folder that the caller
gives, the one nearest to the description is meant.

A description comes from anywhere, so it may name only files inside its own folder, inside the package in which it
lies, and inside packages. A folder is a package if the caller says so or if it holds a `package.xml`: a name alone
makes none, or else `package://bob/...` would open the home of bob to whatever he downloads. Symbolic links are followed
before that is decided; what leads elsewhere is refused. Callers widen the set with `packages`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import cast
from urllib.parse import unquote

from tocsin._cast import said
from tocsin._types import PathLike
from tocsin.errors import TocsinError, remark
from tocsin.io.files import is_file_name, parse_xml
from tocsin.model.robot import Packages

SCHEMES = ("package://name/path", "file:///path", "a path relative to the file that names it")

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):/")
_PACKAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*")

DEEPEST = 4
"""Levels of folders below a given one in which packages are looked for."""

MOST_FOLDERS = 20_000
"""Folders that are looked at for one package, in all."""


class Places:
    """Where the files that a description names are looked for, and which of them may be opened.

    `document`: the description itself. `packages`: folders, each a package or holding packages, or a mapping from
    package names to folders.
    """

    def __init__(self, document: PathLike, packages: Packages = ()) -> None:
        self.document = Path(os.path.abspath(os.path.expanduser(os.fspath(document))))
        self._named, self._given = folders_of(packages)
        self._found: dict[str, Path] = {}
        self._remarked: set[str] = set()
        real = self.document.resolve()
        self._allowed = [self.document.parent.resolve(), real.parent]
        for above in (self.document, real):
            home = next((folder for folder in above.parents if (folder / "package.xml").is_file()), None)
            if home is not None:
                self._allowed.append(home.resolve())
        self._allowed += [folder.resolve() for folder in (*self._named.values(), *self._given)]

    def resolve(self, uri: str, what: str) -> Path:
        """Return the existing file that a URI means; `what` names the element that says so, for the sentences."""
        if not is_file_name(uri):
            raise TocsinError(f"{what} names no file: {uri[:80]!r} does not exist.")
        scheme = _SCHEME.match(uri)
        allowed = self._allowed
        if scheme is None:
            file = self.document.parent / uri
        elif scheme[1] == "package":
            name, _, rest = uri.removeprefix("package:").lstrip("/").partition("/")  # three slashes are common
            if not _PACKAGE.fullmatch(name) or not (rest or os.path.isfile(self.document.parent / name)):
                raise TocsinError(f"{what} names {uri!r}; a package URI is package://name/path.")
            if rest:
                folder = self.package(name, what)
                file = folder / rest.lstrip("/")
                allowed = [*allowed, folder.resolve()]
            else:
                file = self.document.parent / name
                if uri not in self._remarked:
                    self._remarked.add(uri)
                    remark(f"{what} names {uri!r}, which has no package in it: the file beside {self.document.name!r}.")
        elif scheme[1] == "file":
            place = uri.removeprefix("file:").removeprefix("//").removeprefix("localhost")
            if not place.startswith("/"):
                raise TocsinError(f"{what} names {uri!r}; a file URI is file:///path, with three slashes.")
            file = Path(place)
        else:
            raise TocsinError(f"{what} names {uri!r}; files are named by: {'; '.join(SCHEMES)}.")
        if "%" in uri and not os.path.isfile(file):
            file = Path(unquote(str(file)))
        real = Path(os.path.realpath(file))
        if not any(real.is_relative_to(folder) for folder in allowed):
            raise TocsinError(
                f"{what} names {uri!r}, which is {str(real)!r}: outside the folders that {self.document.name!r} may "
                f"use ({', '.join(repr(str(f)) for f in dict.fromkeys(allowed))}); to allow it, give "
                f"packages=[{str(self._holding(real))!r}]."
            )
        if not os.path.isfile(real):
            reason = "is a folder" if os.path.isdir(real) else "does not exist"
            raise TocsinError(f"{what} names {uri!r}: the file {str(real)!r} {reason}.")
        return real

    def _holding(self, real: Path) -> Path:
        """Return the folder to allow for a file: of a description in `urdf` that names `../meshes`, the one of both."""
        both = self.document.resolve().parents[1:3]
        return next((folder for folder in both if real.is_relative_to(folder) and folder.parent != folder), real.parent)

    def package(self, name: str, what: str) -> Path:
        """Return the folder of a package; `what` asks for it."""
        if name not in self._found:
            self._found[name] = self._search(name, what)
        return self._found[name]

    def _search(self, name: str, what: str) -> Path:
        if name in self._named:
            return self._named[name]
        above = list(dict.fromkeys([*self.document.parents, *self.document.resolve().parents]))
        own = self.document.parent
        near = [folder for folder in above if name in (folder.name, _declared_name(folder))]
        near += [folder / name for folder in above]
        for given in self._given:
            closest = (place for place in (own / name, *near) if _inside(place, [given.resolve()]))
            found = given if given.name == name else next(closest, None) or _below(given, name)
            if found is not None:
                return found
        ros, ament = _listed("ROS_PACKAGE_PATH"), _listed("AMENT_PREFIX_PATH")
        if own.name == name:
            return own
        if _inside(own / name, self._allowed):
            return own / name
        seen = [found for folder in ros if (found := _below(folder, name)) is not None]
        seen += [prefix / "share" / name for prefix in ament]
        seen += near
        for folder in seen:
            if (folder / "package.xml").is_file():
                return folder
        unmarked = next((folder for folder in seen if folder.is_dir()), None)
        hint = "" if unmarked is None else f" ({str(unmarked)!r} is not a package: it has no package.xml)"
        places = [("packages=", self._given), ("ROS_PACKAGE_PATH", ros), ("AMENT_PREFIX_PATH", ament)]
        looked = [f"{label} ({', '.join(str(f) for f in folders) or 'nothing given'})" for label, folders in places]
        raise TocsinError(
            f"{what} needs the package {name!r}, which is not in {', '.join(looked)}, nor in or beside any folder "
            f"above {str(self.document)!r}{hint}; give packages=[folder] or packages={{{name!r}: folder}}, "
            "on the command line --packages FOLDER."
        )


def _inside(folder: Path, allowed: list[Path]) -> bool:
    """Is this a folder inside those that may be used anyway, symbolic links followed?"""
    return folder.is_dir() and any(folder.resolve().is_relative_to(one) for one in allowed)


def folders_of(packages: Packages) -> tuple[dict[str, Path], list[Path]]:
    """Return packages by name and folders to look in; each must exist."""
    if isinstance(packages, (str, os.PathLike)):
        packages = [packages]
    named: dict[str, Path] = {}
    given: list[Path] = []
    try:
        if isinstance(packages, Mapping):
            by_name = cast(Mapping[str, PathLike], packages)
            named = {str(name): Path(os.path.expanduser(folder)) for name, folder in by_name.items()}
        else:
            given = [Path(os.path.expanduser(folder)) for folder in packages]
    except TypeError:
        got = said(cast(object, packages))
        raise TocsinError(f"packages are folders, or a mapping of names to folders; got {got}.") from None
    for folder in (*named.values(), *given):
        if not folder.is_dir():
            raise TocsinError(f"packages names {str(folder)!r}, which is not a folder.")
    return {n: Path(os.path.abspath(f)) for n, f in named.items()}, [Path(os.path.abspath(f)) for f in given]


def _listed(variable: str) -> list[Path]:
    """Return the folders that an environment variable lists."""
    return [Path(entry) for entry in os.environ.get(variable, "").split(os.pathsep) if entry]


def _below(folder: Path, name: str) -> Path | None:
    """Return the package of that name: the folder itself, or one below it, the nearest first; None if there is none."""
    if folder.name == name and folder.is_dir():
        return folder
    level, looked = [folder], 0
    for _ in range(DEEPEST):
        deeper: list[Path] = []
        for place in level:
            if _declared_name(place) == name:
                return place
            if (place / name).is_dir():
                return place / name
            if place is not folder and (place / "package.xml").is_file():
                continue  # packages do not hold packages
            try:
                deeper += sorted(f for f in place.iterdir() if f.is_dir() and not f.name.startswith("."))
            except OSError:
                continue
            looked += 1
            if looked > MOST_FOLDERS:
                return None
        level = deeper
    return None


def _declared_name(folder: Path) -> str | None:
    """Return the name in a folder's package.xml, or None when there is none that can be read."""
    if not (folder / "package.xml").is_file():
        return None
    try:
        return (parse_xml(folder / "package.xml", limit=2**20).findtext("name") or "").strip() or None
    except TocsinError:
        return None

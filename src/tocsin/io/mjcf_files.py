"""A MuJoCo model as one text with all its files in hand, so that MuJoCo itself opens none.

`gather` reads the main file, puts what it includes in its place, reads every mesh, height field and sub-model that is
named, and gives all of them names of its own: what MuJoCo gets are a text and bytes by these names. So there is one
reader of paths, `uris.Places`, and nothing that a stranger writes (a second <compiler assetdir>, a decoy beside the
model, a link, a sub-model with a mesh directory of its own) leads MuJoCo elsewhere. Files may lie in the folder of the
main file, in its package, and in the folders that the caller names.

What says nothing about places and shapes is left out (`_LEFT_OUT`): sizes that a file claims for its users, numbers of
its own, images, plug-ins. Lines in MuJoCo's own errors are put back to those of the files.
"""

from __future__ import annotations

import os
import re
import struct
from pathlib import Path
from xml.sax.saxutils import quoteattr

from tocsin.errors import TocsinError
from tocsin.io.files import DEEPEST, Element, parse_xml, read_bytes
from tocsin.io.mjcf_bounds import MOST_CELLS, Extent, check_claims, extent_of
from tocsin.io.uris import Packages, Places

INCLUDED = ("mujoco", "mujocoinclude")
"""Roots of files that others include."""

MOST_FILES = 1000
"""Files that one model may name: those it includes, its sub-models, its meshes."""

LARGEST_ASSET = 2**30

LARGEST_ASSETS = 2**31
"""Bytes of all files together."""

LONGEST_LINE = 2**16
"""Bytes of a line of an OBJ file: MuJoCo cuts a polygon in a time that is quadratic in its corners."""

_LEFT_OUT = ("size", "statistic", "visual", "custom", "extension", "sensor", "actuator", "skin", "plugin")
"""Elements that say nothing about where a shape is."""

_WHAT = "the MuJoCo model"


LEAST_MASS = {"boundmass": "1e-6", "boundinertia": "1e-9"}
"""Masses are nothing to us: one that is missing is no fault of a model."""


class Gathered:
    """A model as MuJoCo gets it: `text`, and `assets` by name."""

    def __init__(self, file: Path, packages: Packages = ()) -> None:
        self.file = file
        self.assets: dict[str, bytes] = {}
        self._lines: list[tuple[str, int]] = []
        self._read: dict[Path, str] = {}
        self._count = 0
        self._places = Places(file, packages)
        self.text = self._model(file, ())[0]

    def said(self, words: str) -> str:
        """Return MuJoCo's words in one line, with the lines of the files instead of those of the text."""

        def back(found: re.Match[str]) -> str:
            k = int(found[1]) - 1
            if not 0 <= k < len(self._lines):
                return found[0]
            name, line = self._lines[k]
            return f"line {line}" + (f" of {name!r}" if name != self.file.name else "")

        return re.sub(r"\bline (\d+)", back, " ".join(words.split())).rstrip(".")

    # ---- documents ---------------------------------------------------------------------------------------------------

    def _model(self, file: Path, above: tuple[Path, ...]) -> tuple[str, Extent, str]:
        """Return the text of a model, how much it grows to, and its name; `above`: the models that it is part of."""
        real = file.resolve()
        if real in above:
            raise self._refused(f"the sub-model {file.name!r} contains itself")
        root = self._document(file)
        self._include(root, file, file, {real}, 1)
        folder = _mesh_folder(root)
        models: dict[str, Extent] = {}
        assets = [child for child in root if child.tag == "asset"]
        for element in [child for section in assets for child in section if child.tag == "model"]:
            name, extent = self._sub_model(element, file, (*above, real))
            models[name] = extent
        check_claims(root, file)
        extent = extent_of(root, models, file)
        self._assets(root, file, folder)
        return self._written(root, file.name, main=not above), extent, root.get("model", "")

    def _document(self, file: Path, roots: tuple[str, ...] = ("mujoco",)) -> Element:
        """Return the root of a file that is MJCF: one of `roots`."""
        self._count += 1
        if self._count > MOST_FILES:
            raise self._refused(f"it names more than {MOST_FILES} files")
        root = parse_xml(file, _WHAT)
        if root.tag not in roots:
            hint = "; this is URDF: use from_urdf" if root.tag == "robot" else ""
            raise TocsinError(f"cannot load {str(file)!r}: its root is <{root.tag}>, not <mujoco>{hint}.")
        return root

    def _include(self, element: Element, document: Path, main: Path, seen: set[Path], depth: int) -> None:
        """Replace every <include> below an element by the contents of its file, as MuJoCo does."""
        if depth > DEEPEST:
            raise self._refused(f"with what it includes, elements are nested more than {DEEPEST} deep")
        for k in range(len(element) - 1, -1, -1):
            child = element[k]
            child.source, child.folder = document.name, os.path.relpath(document.parent, main.parent)
            if child.tag != "include":
                self._include(child, document, main, seen, depth + 1)
                continue
            what = f"<include> in {document.name!r}, line {child.line},"
            target = self._found((main.parent, document.parent), child.get("file") or "", what)
            if target in seen:
                raise self._refused(f"{child.get('file')!r} is included twice (line {child.line})")
            seen.add(target)
            root = self._document(target, INCLUDED)
            self._include(root, target, main, seen, depth + 1)
            element[k : k + 1] = list(root)

    def _sub_model(self, element: Element, file: Path, above: tuple[Path, ...]) -> tuple[str, Extent]:
        what = f"<model> in {file.name!r}, line {element.line},"
        target = self._found((file.parent,), element.get("file") or "", what)
        text, extent, name = self._model(target, above)
        element.set("file", self._keep(text.encode(), ".xml"))
        return element.get("name") or name, extent

    def _found(self, folders: tuple[Path, ...], name: str, what: str) -> Path:
        """Return the file of that name, in the first of the folders that has it."""
        names = [os.path.join(os.path.abspath(folder), name) if "://" not in name else name for folder in folders]
        chosen = next((place for place in names if os.path.exists(place)), names[0])
        return self._places.resolve(chosen if name else "", what)

    # ---- assets ------------------------------------------------------------------------------------------------------

    def _assets(self, root: Element, file: Path, folder: tuple[str, bool]) -> None:
        """Leave out what says nothing about shapes; put names of our own in place of those of files."""
        meshdir, strip = folder
        for element in list(root.iter()):
            for child in list(element):
                if child.tag in _LEFT_OUT or (element.tag == "default" and child.tag == "texture"):
                    element.remove(child)
        if root.find("compiler") is None:
            root.insert(0, Element("compiler"))
        for compiler in root.iter("compiler"):
            for key in ("assetdir", "meshdir", "texturedir", "strippath"):
                compiler.attrib.pop(key, None)
            compiler.attrib |= LEAST_MASS
        for key in root.iter("key"):
            key.attrib = {name: key.attrib[name] for name in ("name", "qpos") if name in key.attrib}
        for section in [child for child in root if child.tag == "asset"]:
            for element in list(section):
                if element.tag == "texture":
                    self._blank(section, element)
                elif element.tag != "model" and element.get("file"):
                    name = os.path.basename(element.get("file", "")) if strip else element.get("file", "")
                    self._asset(element, file, meshdir, name)
        known = {id(element) for section in root if section.tag == "asset" for element in section}
        for element in root.iter():
            if element.get("file") and id(element) not in known:
                where = f"line {element.line} of {element.source!r}"
                raise self._refused(f"<{element.tag}> in {where} names a file; only assets do")

    def _blank(self, section: Element, element: Element) -> None:
        """Replace a texture by a pixel: nobody looks at images, and a small one may unpack to gigabytes."""
        name = element.get("name") or Path(element.get("file", "")).stem
        if name:
            element.attrib = {"name": name, "type": "2d", "builtin": "flat", "width": "1", "height": "1"}
        else:
            section.remove(element)

    def _asset(self, element: Element, file: Path, meshdir: str, name: str) -> None:
        """Read the file of a mesh or height field.

        MuJoCo looks from the main file, and then from the included one: with the folder of meshes if it was called by a
        relative path, without it if by an absolute one.
        """
        what = f"<{element.tag}> in {element.source!r}, line {element.line},"
        meshes = file.parent / meshdir
        target = self._found((meshes, file.parent / element.folder, meshes / element.folder), name, what)
        if not element.get("name"):
            element.set("name", target.stem if "://" in name else Path(name).stem)
        if target not in self._read:
            self._count += 1
            if self._count > MOST_FILES:
                raise self._refused(f"it names more than {MOST_FILES} files")
            data = read_bytes(target, f"{what} the file", limit=LARGEST_ASSET)
            _check_asset(data, element.tag, target, what)
            self._read[target] = self._keep(data, target.suffix)
            if sum(map(len, self.assets.values())) > LARGEST_ASSETS:
                raise self._refused(f"its files have more than {LARGEST_ASSETS} bytes together")
        element.set("file", self._read[target])

    def _keep(self, data: bytes, suffix: str) -> str:
        name = f"file-{len(self.assets)}{suffix}"
        self.assets[name] = data
        return name

    def _refused(self, reason: str) -> TocsinError:
        return TocsinError(f"cannot load {str(self.file)!r}: {reason}.")

    # ---- text --------------------------------------------------------------------------------------------------------

    def _written(self, root: Element, name: str, *, main: bool) -> str:
        """Return the text of a tree, a line for each tag; of the main model, remember where each came from."""
        out: list[str] = []
        origin: list[tuple[str, int]] = []

        def write(element: Element) -> None:
            attributes = "".join(f" {key}={quoteattr(value)}" for key, value in element.attrib.items())
            out.append(f"<{element.tag}{attributes}{'' if len(element) else '/'}>")
            origin.append((element.source or name, element.line))
            for child in element:
                write(child)
            if len(element):
                out.append(f"</{element.tag}>")
                origin.append(origin[-1])

        write(root)
        if main:
            self._lines = origin
        return "\n".join(out)


def _mesh_folder(root: Element) -> tuple[str, bool]:
    """Return the folder of meshes and whether paths in file names are dropped: the last <compiler> that says so."""
    folder, strip = "", False
    for compiler in root.iter("compiler"):
        folder = compiler.get("assetdir") or folder
        folder = compiler.get("meshdir") or folder
        strip = compiler.get("strippath", str(strip)).lower() == "true"
    return folder, strip


def _check_asset(data: bytes, tag: str, target: Path, what: str) -> None:
    """Refuse a file that unpacks to more than it is, or takes longer than its size says."""
    if tag == "hfield":
        claimed = (0, 0)
        if data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) >= 24:
            claimed = struct.unpack(">II", data[16:24])
        elif len(data) >= 8:
            claimed = struct.unpack("<ii", data[:8])
            if min(claimed) > 0 and 8 + 4 * claimed[0] * claimed[1] != len(data):
                raise TocsinError(f"{what} names {target.name!r}: {claimed} heights are not {len(data)} bytes.")
        if abs(claimed[0] * claimed[1]) > MOST_CELLS:
            raise TocsinError(
                f"{what} names {target.name!r}: it claims {claimed[0]} x {claimed[1]} heights; at most {MOST_CELLS} "
                "are read."
            )
    elif target.suffix.lower() == ".obj" and max(map(len, data.split(b"\n"))) > LONGEST_LINE:
        raise TocsinError(f"{what} names {target.name!r}: a line of it has more than {LONGEST_LINE} bytes.")

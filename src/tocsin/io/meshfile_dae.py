"""The geometry of a COLLADA (DAE) file.

A document type or entity is refused before any tree is built; so are nesting and instancing that grow without bound.
What is not geometry is cut away, the rest is read by trimesh with every broken reference an error.

`<unit meter="...">` is applied, as RViz and Gazebo do (pinocchio does not): coordinates come back in metres.
`<up_axis>` is not, as in all three: a robot description places a mesh by the axes of its own coordinates.
"""

from __future__ import annotations

import math
from importlib.util import find_spec
from typing import TYPE_CHECKING
from xml.parsers import expat

import numpy as np

from tocsin.errors import TocsinError
from tocsin.io.meshfile import LARGEST_COUNT, Part, check_corners, read_by_trimesh

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

DEEPEST = 200
"""Levels of elements, and of nodes that stand for other nodes."""

MOST_ELEMENTS = 1_000_000
"""Elements in one file: a polygon may be one."""

LONGEST_TAG = 1 << 20
"""Bytes of one tag with its attributes, or of one comment; numbers stand between tags."""

MOST_PLACED = 100_000
"""Nodes and geometries that a scene places, those that it places by reference counted as often as it does."""

_CHUNK = 1 << 16

_KEPT = ("asset", "library_geometries", "library_nodes", "library_visual_scenes", "scene")


def read_dae(data: bytes) -> list[Part]:
    """Return the parts of a COLLADA file, placed by its scene, in metres."""
    _check_xml(data)
    from xml.etree import ElementTree

    root = ElementTree.fromstring(data)
    if _word(root) != "COLLADA":
        raise TocsinError(f"it is not COLLADA: its root is <{_word(root)}>.")
    unit = _unit(root)
    for child in list(root):
        if _word(child) not in _KEPT:
            root.remove(child)
    for element in root.iter():
        for child in list(element):
            if _word(child) in ("bind_material", "extra", "instance_light", "instance_camera"):
                element.remove(child)
            elif _word(child) == "instance_controller":
                raise TocsinError("it has a skinned or morphed part (instance_controller); only plain parts are read.")
    _check_positions(root)
    _check_polygons(root)
    instances = _check_instances(root)
    if instances == 0 or not any(_word(element) == "instance_visual_scene" for element in root.iter()):
        raise TocsinError("it has no scene that places a geometry.")
    if find_spec("collada") is None:
        raise TocsinError("reading .dae files needs pycollada: pip install pycollada.")
    if not root.tag.startswith("{"):
        raise TocsinError("its root has no COLLADA namespace (xmlns).")
    ElementTree.register_namespace("", root.tag[1:].partition("}")[0])
    parts = read_by_trimesh(ElementTree.tostring(root), "dae", ignore_broken=False)
    scale = np.diag((unit, unit, unit, 1.0))
    return [Part(p.name, p.vertices, p.faces, p.transform if unit == 1.0 else scale @ p.transform) for p in parts]


def _check_xml(data: bytes) -> None:
    """Refuse document types, entities, bottomless nesting and endless tags before any tree is made of the text."""
    if data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] not in (b"<", b"\xff", b"\xfe"):
        raise TocsinError(f"the file is damaged or not XML: it starts with {data[:16]!r}.")
    depth = count = 0

    def refuse(*_: object) -> None:
        raise TocsinError("it has a document type (<!DOCTYPE>) or entities, which are refused.")

    def start(*_: object) -> None:
        nonlocal depth, count
        depth += 1
        count += 1
        if depth > DEEPEST:
            raise TocsinError(f"its elements are nested more than {DEEPEST} deep.")
        if count > MOST_ELEMENTS:
            raise TocsinError(f"it has more than {MOST_ELEMENTS} elements.")

    def end(*_: object) -> None:
        nonlocal depth
        depth -= 1

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    try:
        for begin in range(0, len(data), _CHUNK):
            parser.Parse(data[begin : begin + _CHUNK], False)
            # The index stays at the beginning of a tag until its end has been seen.
            if begin + _CHUNK - max(parser.CurrentByteIndex, 0) > LONGEST_TAG:
                raise TocsinError(f"it has a tag or comment longer than {LONGEST_TAG} bytes.")
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise TocsinError(f"the file is damaged or not XML ({error}).") from None


def _word(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _unit(root: Element) -> float:
    """Return how many metres one unit of the file is."""
    for asset in root:
        for child in asset if _word(asset) == "asset" else ():
            if _word(child) == "unit":
                given = child.get("meter", "1")
                try:
                    unit = float(given)
                except ValueError:
                    unit = math.nan
                if not (math.isfinite(unit) and unit > 0.0):
                    raise TocsinError(f"its unit must be a positive number of metres; it says meter={given!r}.")
                return unit
    return 1.0


def _check_positions(root: Element) -> None:
    """Refuse positions that are not finite: pycollada makes zeros of them. Normals may be what they like."""
    sources = {element.get("id"): element for element in root.iter() if _word(element) == "source"}
    for vertices in root.iter():
        for child in vertices if _word(vertices) == "vertices" else ():
            source = sources.get(child.get("source", "")[1:]) if child.get("semantic") == "POSITION" else None
            for array in source if source is not None else ():
                text = (array.text or "").lower() if _word(array) == "float_array" else ""
                if "nan" in text or "inf" in text:
                    raise TocsinError(f"vertices must be finite; some of source {child.get('source')!r} are not.")


def _check_polygons(root: Element) -> None:
    """Refuse polygons of more corners than any has, and those with holes: pycollada passes over them."""
    for element in root.iter():
        if _word(element) == "vcount":
            for word in (element.text or "").split():
                if len(word) > 4:
                    check_corners(int(word) if word.isdigit() and len(word) < 20 else LARGEST_COUNT, "a polygon of it")
        elif _word(element) == "ph":
            raise TocsinError("it has a polygon with holes (<ph>), which is not read; export it as triangles.")
        elif _word(element) == "polygons":
            for corners in element.iter():
                if _word(corners) in ("p", "h"):
                    check_corners(len(corners.text or "") // 32, "a polygon of it")


def _check_instances(root: Element) -> int:
    """Return how many geometries the scenes place, instanced nodes counted out; refuse cycles and explosions."""
    nodes = {element.get("id"): element for element in root.iter() if _word(element) == "node" and element.get("id")}
    sizes = {
        geometry.get("id"): sum(len(p.text or "") for p in geometry.iter() if _word(p) == "p")
        for geometry in root.iter()
        if _word(geometry) == "geometry"
    }
    known: dict[int, tuple[int, int, int]] = {}

    def total(element: Element, above: tuple[int, ...]) -> tuple[int, int, int]:
        """(geometries, characters of indices, nodes) under an element, itself among them: nodes may hold nothing."""
        if id(element) in above:
            raise TocsinError(f"its node {element.get('id')!r} contains itself.")
        if len(above) > DEEPEST:
            raise TocsinError(f"its nodes are nested more than {DEEPEST} deep.")
        if id(element) not in known:
            count = size = 0
            held = 1
            for child in element:
                target = child.get("url", "")[1:]
                if _word(child) == "node":
                    more = total(child, (*above, id(element)))
                elif _word(child) == "instance_geometry":
                    if target not in sizes:
                        raise TocsinError(f"it places a geometry {target!r} that is not there.")
                    more = (1, sizes[target], 0)
                elif _word(child) == "instance_node":
                    if target not in nodes:
                        raise TocsinError(f"it places a node {target!r} that is not there.")
                    more = total(nodes[target], (*above, id(element)))
                else:
                    continue
                count, size, held = count + more[0], size + more[1], held + more[2]
            known[id(element)] = (count, size, held)
        return known[id(element)]

    scenes = [element for element in root.iter() if _word(element) == "visual_scene"]
    totals = [total(scene, ()) for scene in scenes]
    count, size, held = (sum(column) for column in zip(*totals)) if totals else (0, 0, 0)
    if max(count, held) > MOST_PLACED or size > 8 * LARGEST_COUNT:
        raise TocsinError(f"its scene places {count} geometries and {held} nodes by reference: too many to hold.")
    return count

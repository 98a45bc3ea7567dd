"""The geometry of glTF 2.0: `.glb`, and `.gltf` with buffers inside it or beside it.

Every length, offset and count in the header is checked against the bytes that are there, and everything but positions,
triangles and nodes is cut away before trimesh reads it. Axes stay those of the file (glTF writers put y up).
"""

from __future__ import annotations

import base64
import binascii
import json
import os
import struct
from itertools import accumulate
from pathlib import Path
from typing import Any, TypeAlias, cast
from urllib.parse import unquote, urlsplit

from tocsin.errors import TocsinError
from tocsin.io.files import is_file_name
from tocsin.io.meshfile import LARGEST_COUNT, LARGEST_FILE, Part, merged, read_bounded, read_by_trimesh

Object: TypeAlias = dict[str, Any]
"""An object of the JSON: what its values are, nobody knows before they are checked."""

MOST_VALUES = 2_000_000
"""Values in the JSON: it may be mostly data, so its size says little; an empty object takes twenty times its text."""

_COMPONENTS = {5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4}
_FLOAT = 5126
_TRIANGLES, _STRIP, _FAN = 4, 5, 6
_NOTHING = {"componentType": _FLOAT, "type": "SCALAR", "count": 0}
_HARMLESS = ("KHR_materials_", "KHR_texture_", "EXT_texture_", "KHR_lights_", "KHR_xmp", "KHR_mesh_quantization")
"""Extensions by which no triangle moves."""


def read_glb(data: bytes, file: Path) -> list[Part]:
    """Return the parts of a binary glTF file."""
    if len(data) < 20 or data[:4] != b"glTF":
        raise TocsinError("the file is damaged or not a GLB: it does not start with 'glTF' and a header.")
    version, length = struct.unpack_from("<II", data, 4)
    if version != 2:
        raise TocsinError(f"it is glTF {version}; only glTF 2 is read.")
    if length > len(data):
        raise TocsinError(f"it claims {length} bytes, but has {len(data)}; the file is damaged.")
    chunks: list[tuple[bytes, bytes]] = []
    at = 12
    while at + 8 <= length:
        size, kind = struct.unpack_from("<I4s", data, at)
        if at + 8 + size > length:
            raise TocsinError(f"it claims a chunk of {size} bytes where {length - at - 8} are left; it is damaged.")
        chunks.append((kind, data[at + 8 : at + 8 + size]))
        at += 8 + size
    if not chunks or chunks[0][0] != b"JSON":
        raise TocsinError("the file is damaged or not a GLB: its first chunk is not JSON.")
    inside = next((chunk for kind, chunk in chunks[1:] if kind == b"BIN\0"), None)
    return _read(chunks[0][1], inside, file)


def read_gltf(data: bytes, file: Path) -> list[Part]:
    """Return the parts of a text glTF file."""
    return _read(data, None, file)


def _read(text: bytes, inside: bytes | None, file: Path) -> list[Part]:
    if sum(text.count(mark) for mark in (b"{", b"[", b",")) > MOST_VALUES:  # data inside is base64, without any
        raise TocsinError(f"its JSON has more than {MOST_VALUES} values.")
    try:
        found: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TocsinError(f"its JSON cannot be read ({str(error)[:100]}).") from None
    if not isinstance(found, dict):
        raise TocsinError("its JSON is not an object.")
    header = cast(Object, found)
    _check_extensions(header)
    buffers = [_buffer(entry, k, inside, file) for k, entry in enumerate(_list(header, "buffers"))]
    if sum(map(len, buffers)) > LARGEST_FILE:
        raise TocsinError(f"its buffers hold more than {LARGEST_FILE} bytes.")
    _check_views(header, buffers)
    meshes = [_triangles(header, k, mesh) for k, mesh in enumerate(_list(header, "meshes"))]
    nodes, scenes, names = _graph(header, meshes)
    if not names:
        return []
    primitives = [primitive for mesh in meshes for primitive in mesh["primitives"]]
    used = {k for p in primitives for k in (p["attributes"]["POSITION"], p.get("indices"))}
    kept: Object = {
        "asset": {"version": "2.0"},
        "buffers": [{"uri": f"buffer-{k}", "byteLength": len(buffer)} for k, buffer in enumerate(buffers)],
        "bufferViews": header["bufferViews"],
        # Nobody has checked the accessors that no triangle uses.
        "accessors": [a if k in used else _NOTHING for k, a in enumerate(header["accessors"])],
        "meshes": [{"name": f"mesh-{k}", "primitives": [primitive]} for k, primitive in enumerate(primitives)],
        "nodes": nodes,
        "scenes": scenes,
        "scene": 0,
    }
    files = {f"buffer-{k}": buffer for k, buffer in enumerate(buffers)}
    return _by_node(read_by_trimesh(json.dumps(kept).encode(), "gltf", files, skip_materials=True), names)


def _by_node(found: list[Part], names: dict[int, str]) -> list[Part]:
    """Return one part for each node, in the order of the file; `found` is called by node and primitive, "7/0"."""
    by_node: dict[int, list[Part]] = {}
    for part in sorted(found, key=lambda part: [int(word) for word in part.name.split("/")]):
        by_node.setdefault(int(part.name.partition("/")[0]), []).append(part)
    parts: list[Part] = []
    for k, pieces in by_node.items():
        vertices, faces = merged([Part("", piece.vertices, piece.faces) for piece in pieces])
        parts.append(Part(names[k], vertices, faces, pieces[0].transform))
    return parts


def _list(header: Object, key: str) -> list[Object]:
    found: object = header.get(key, [])
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in cast(list[object], found)):
        raise TocsinError(f"its {key!r} is not a list of objects.")
    return cast(list[Object], found)


def _whole(value: object, what: str, below: int | None = None) -> int:
    """Return an index or size: a whole number, not negative."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0 or (below is not None and value >= below):
        limit = "" if below is None else f" below {below}"
        raise TocsinError(f"{what} must be a whole number{limit}; it says {value!r:.60}.")
    return value


def _check_extensions(header: Object) -> None:
    required: list[object] = header.get("extensionsRequired") or []
    used: list[object] = header.get("extensionsUsed") or []
    lost = [name for name in required if not str(name).startswith(_HARMLESS)]
    lost += [name for name in used if name == "EXT_mesh_gpu_instancing"]
    if lost:
        raise TocsinError(f"it needs the extension {lost[0]!r}, which is not read; export it without.")


def _buffer(entry: Object, k: int, inside: bytes | None, file: Path) -> bytes:
    """Return the bytes of a buffer: inside the file, or in a file of the same folder."""
    uri = entry.get("uri")
    if uri is None:
        if k != 0 or inside is None:
            raise TocsinError(f"its buffer {k} has no data.")
        data = inside
    elif not isinstance(uri, str):
        raise TocsinError(f"the uri of its buffer {k} is not text.")
    elif uri.startswith("data:"):
        _, found, payload = uri.partition("base64,")
        try:
            data = base64.b64decode(payload, validate=True)
        except (binascii.Error, ValueError):
            found = ""
            data = b""
        if not found:
            raise TocsinError(f"its buffer {k} is not base64.")
    else:
        data = _beside(uri, file)
    size = _whole(entry.get("byteLength"), f"the byteLength of its buffer {k}")
    if size > len(data):
        raise TocsinError(f"its buffer {k} claims {size} bytes, but there are {len(data)}.")
    return data


def _beside(uri: str, file: Path) -> bytes:
    folder = file.resolve().parent
    name = unquote(uri)
    target = Path(os.path.realpath(folder / name)) if is_file_name(name) else folder
    if urlsplit(uri).scheme or Path(name).is_absolute() or "\\" in name or not target.is_relative_to(folder):
        raise TocsinError(f"its buffer {uri[:80]!r} is outside of the folder of the file, which is not allowed.")
    return read_bounded(target, LARGEST_FILE)


def _check_views(header: Object, buffers: list[bytes]) -> None:
    for k, view in enumerate(_list(header, "bufferViews")):
        what = f"of its bufferView {k}"
        buffer = buffers[_whole(view.get("buffer"), f"the buffer {what}", len(buffers))]
        start = _whole(view.get("byteOffset", 0), f"the byteOffset {what}")
        size = _whole(view.get("byteLength"), f"the byteLength {what}")
        if start + size > len(buffer):
            raise TocsinError(f"its bufferView {k} ends at byte {start + size} of a buffer of {len(buffer)}.")


def _check_accessor(header: Object, index: object, kind: str, what: str) -> Object:
    """Return an accessor after checking that all it describes is there."""
    accessors = _list(header, "accessors")
    accessor = accessors[_whole(index, f"the accessor of {what}", len(accessors))]
    if accessor.get("type") != kind or accessor.get("componentType") not in _COMPONENTS:
        raise TocsinError(f"the accessor of {what} must be {kind}; it says {accessor.get('type')!r:.20}.")
    if "sparse" in accessor or "bufferView" not in accessor:
        raise TocsinError(f"the accessor of {what} is sparse or has no data, which is not read.")
    views = _list(header, "bufferViews")
    view = views[_whole(accessor["bufferView"], f"the bufferView of {what}", len(views))]
    width = _COMPONENTS[accessor["componentType"]] * (3 if kind == "VEC3" else 1)
    stride = _whole(view.get("byteStride", width), f"the byteStride of {what}") or width
    count = _whole(accessor.get("count"), f"the count of {what}")
    start = _whole(accessor.get("byteOffset", 0), f"the byteOffset of {what}")
    needed = start + (count - 1) * stride + width if count else start
    if needed > view["byteLength"]:
        raise TocsinError(f"{what} claims {count} entries, {needed} bytes, of a view of {view['byteLength']}.")
    return accessor


def _triangles(header: Object, k: int, mesh: Object) -> Object:
    """Return a mesh with nothing but the positions and indices of its triangles, all checked."""
    what = f"mesh {k}"
    if any(mesh.get("weights") or ()):
        raise TocsinError(f"its {what} is morphed (weights), which is not read.")
    primitives: list[Object] = []
    for primitive in _list(mesh, "primitives"):
        mode = primitive.get("mode", _TRIANGLES)
        if mode == _FAN:
            raise TocsinError(f"its {what} has a triangle fan, which is not read.")
        if mode not in (_TRIANGLES, _STRIP):
            continue  # points and lines
        given: object = primitive.get("attributes")
        attributes = cast(Object, given) if isinstance(given, dict) else {}
        if "POSITION" not in attributes:
            raise TocsinError(f"its {what} has triangles without positions.")
        position = _check_accessor(header, attributes["POSITION"], "VEC3", f"the positions of its {what}")
        if position.get("normalized") and position["componentType"] != _FLOAT:
            raise TocsinError(f"the positions of its {what} are normalized integers, which are not read.")
        kept: Object = {"attributes": {"POSITION": attributes["POSITION"]}, "mode": mode}
        count = position["count"]
        if "indices" in primitive:
            count = _check_accessor(header, primitive["indices"], "SCALAR", f"the indices of its {what}")["count"]
            kept["indices"] = primitive["indices"]
        if mode == _TRIANGLES and count % 3:
            raise TocsinError(f"its {what} has {count} corners, which is not a multiple of three.")
        if count:
            primitives.append(kept)
    return {"primitives": primitives, "name": _title(mesh.get("name"))}


def _graph(header: Object, meshes: list[Object]) -> tuple[list[Object], list[Object], dict[int, str]]:
    """Return the nodes under the default scene, the scene, and the names of nodes with triangles.

    Every primitive gets a node of its own, called by number: names in files may be missing, or occur twice. Nodes that
    are not a tree are refused.
    """
    nodes, scenes = _list(header, "nodes"), _list(header, "scenes")
    if not scenes:
        if meshes:
            raise TocsinError("it has meshes but no scene that places them.")
        return [], [], {}
    scene = scenes[_whole(header.get("scene", 0), "its default scene", len(scenes))]
    firsts = [0, *accumulate(len(mesh["primitives"]) for mesh in meshes)]
    corners = [sum(_corners(header, p) for p in mesh["primitives"]) for mesh in meshes]
    seen: set[int] = set()
    kept: list[Object] = [{} for _ in nodes]
    names: dict[int, str] = {}
    listed: list[object] = scene.get("nodes") or []
    roots = [_whole(k, "a node of its scene", len(nodes)) for k in listed]
    pending = list(roots)
    total = 0
    while pending:
        k = pending.pop()
        if k in seen:
            raise TocsinError(f"its node {k} is placed twice; the nodes of a scene are a tree.")
        seen.add(k)
        node = nodes[k]
        if "skin" in node:
            raise TocsinError(f"its node {k} is skinned, which is not read.")
        below: list[object] = node.get("children") or []
        children = [_whole(child, f"a child of its node {k}", len(nodes)) for child in below]
        pending += children
        if "mesh" in node:
            m = _whole(node["mesh"], f"the mesh of its node {k}", len(meshes))
            total += corners[m]
            for i in range(len(meshes[m]["primitives"])):
                children.append(len(kept))
                kept.append({"name": f"{k}/{i}", "mesh": firsts[m] + i})
                names[k] = _title(node.get("name")) or meshes[m]["name"] or f"node-{k}"
        kept[k] = {"name": str(k), "children": children}
        kept[k] |= {key: node[key] for key in ("matrix", "translation", "rotation", "scale") if key in node}
    if total > 3 * LARGEST_COUNT:
        raise TocsinError(f"its scene places more than {LARGEST_COUNT} triangles.")
    return kept, [{"nodes": roots}], names


def _title(name: object) -> str:
    return name if isinstance(name, str) else ""


def _corners(header: Object, primitive: Object) -> int:
    return header["accessors"][primitive.get("indices", primitive["attributes"]["POSITION"])]["count"]

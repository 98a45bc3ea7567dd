"""Reading mesh files from strangers: what a file claims is checked against its size before anything believes it.

STL, OBJ, PLY, OFF, DAE, GLB and GLTF. A file is read into memory once, with a limit on its size; no other file is
opened but the buffers of a GLTF, and those only from its own folder. Materials and textures are never looked at.
What comes back is all the triangles of the file or an error: a reader that would drop some (a truncated file, a
compression it does not know, free-form surfaces) refuses, because a lost triangle is a contact that nobody reports.

Binary STL, OBJ and OFF are read here: importing trimesh takes longer than reading most robots, it counts relative OBJ
indices from the wrong end, and knows no OFF with polygons of several sizes. The other formats are checked here and read
by trimesh. Polygons become fans from their first corner, which cover the polygon also where it is not convex.
"""

from __future__ import annotations

import io
import logging
import os
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tocsin._types import LongFaces, Matrix4, Numeric, PathLike, Vectors
from tocsin.errors import TocsinError
from tocsin.geometry.affine import moved
from tocsin.geometry.mesh import MESH_FILE

LARGEST_FILE = 1 << 30
"""Bytes of a binary mesh file: 1 GiB is 21 million triangles in an STL."""

LARGEST_TEXT = 1 << 28
"""Bytes of a text mesh file: a parsed one takes several times its size in memory."""

LARGEST_OFF = 1 << 26
"""Bytes of an OFF file: its lines may be of any length, so they are read one by one, a million a second."""

LARGEST_COUNT = 1 << 26
"""Triangles of one file, copies of instanced parts included."""

MOST_CORNERS = 10_000
"""Corners of one polygon: cut into a fan it is slivers, in which a search finds no place to part them."""

STL_TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


@dataclass(frozen=True, eq=False)
class Part:
    """One named piece of a mesh file; parts of one file may share their array of vertices."""

    name: str
    vertices: Vectors
    """(n, 3) float64, in the part's own frame."""
    faces: LongFaces
    """(m, 3) int64."""
    transform: Matrix4 = field(default_factory=lambda: np.eye(4))
    """4x4 affine: the part's frame in the file's."""


def read_parts(path: PathLike) -> list[Part]:
    """Return the parts of a mesh file, triangles only; damaged or lying files raise a TocsinError."""
    file = Path(os.path.expanduser(path))
    data = read_bounded(file)
    try:
        with warnings.catch_warnings():
            # numpy only warns where it stops at a word that is no number, or makes an index of nan.
            warnings.filterwarnings("error", message=".*could not be read to its end.*")
            warnings.filterwarnings("error", message=".*invalid value encountered in cast.*")
            parts = READERS[file.suffix.lower()](data, file)
    except TocsinError as error:
        raise TocsinError(f"cannot load {str(file)!r}: {error}") from error.__cause__
    except MemoryError:
        raise TocsinError(f"cannot load {str(file)!r}: it asks for more memory than there is.") from None
    except ImportError as error:
        needed = f"reading it needs {error.name}: pip install {error.name}"
        raise TocsinError(f"cannot load {str(file)!r}: {needed}.") from None
    except Exception as error:  # whatever a reader trips over in a damaged file
        said = re.sub(r"\s+", " ", str(error)).strip()[:200] or type(error).__name__
        raise TocsinError(f"cannot load {str(file)!r}: the file is damaged or not a mesh ({said}).") from error
    for part in parts:
        if len(part.faces) and not 0 <= part.faces.min() <= part.faces.max() < len(part.vertices):
            wrong = part.faces.min() if part.faces.min() < 0 else part.faces.max()
            named = f"its part {part.name[:80]!r} has" if len(parts) > 1 else "it has"
            raise TocsinError(
                f"cannot load {str(file)!r}: {named} {len(part.vertices)} vertices, but a face names number {wrong}."
            )
    if sum(len(part.faces) for part in parts) > LARGEST_COUNT:
        raise TocsinError(f"cannot load {str(file)!r}: it has more than {LARGEST_COUNT} triangles.")
    return parts


def merged(parts: list[Part]) -> tuple[Vectors, LongFaces]:
    """Return `(vertices, faces)` of all parts in the file's frame; shared vertices stay shared."""
    blocks: list[Vectors] = []
    faces: list[LongFaces] = []
    offsets: dict[tuple[int, bytes], int] = {}
    count = 0
    for part in parts:
        key = (id(part.vertices), part.transform.tobytes())
        if key not in offsets:
            offsets[key] = count
            blocks.append(moved(part.vertices, part.transform))
            count += len(part.vertices)
        mirrored = np.linalg.det(part.transform[:3, :3]) < 0.0
        faces.append((part.faces[:, ::-1] if mirrored else part.faces) + offsets[key])
    if not blocks:
        return np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64)
    return np.vstack(blocks), np.vstack(faces)


def read_bounded(file: Path, largest: int | None = None) -> bytes:
    """Return the bytes of a mesh file; what is missing, empty, too large or of an unknown kind is refused."""
    if not file.is_file():
        what = "is a folder, not a mesh file" if file.is_dir() else "does not exist"
        what = what if file.is_dir() or not file.exists() else "is not a plain file"
        raise TocsinError(f"cannot load a mesh: {str(file)!r} {what}.")
    suffix = file.suffix.lower()
    if suffix not in READERS and largest is None:
        given = repr(suffix) if suffix else "a file without suffix"
        raise TocsinError(f"cannot load {str(file)!r}: no reader for {given}; meshes are: {', '.join(READERS)}.")
    limit = largest or {".stl": LARGEST_FILE, ".ply": LARGEST_FILE, ".glb": LARGEST_FILE, ".off": LARGEST_OFF}.get(
        suffix, LARGEST_TEXT
    )
    try:
        with file.open("rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            data = stream.read(size + 1) if size <= limit else b""
    except OSError as error:
        raise TocsinError(f"cannot load {str(file)!r}: {error.strerror or error}.") from None
    size = max(size, len(data))
    if size > limit:
        raise TocsinError(f"cannot load {str(file)!r}: it has {size} bytes, more than the {limit} that are read.")
    if not data:
        raise TocsinError(f"cannot load {str(file)!r}: the file is empty.")
    return data


def as_text(data: bytes, kind: str) -> str:
    """Return the text of a text format; bytes that no text has are refused, odd letters in comments are not."""
    if b"\0" in data:
        raise TocsinError(f"this is not {kind}: it has bytes that text does not have.")
    return data.decode("utf-8-sig", errors="replace")


def read_by_trimesh(data: bytes, kind: str, files: Mapping[str, bytes] | None = None, **options: bool) -> list[Part]:
    """Return the parts that a reader of trimesh finds in `data`; it sees no file but those handed in.

    The readers are called without the `Trimesh` objects that `trimesh.load` makes: these merge vertices that are less
    than 1e-8 apart and drop triangles with nan.
    """
    from trimesh.exchange import load  # 0.4 s of imports that plain STL and OBJ files do not need
    from trimesh.resolvers import Resolver

    mesh_loaders: dict[str, Callable[..., dict[str, Any]]] = vars(load)["mesh_loaders"]

    beside = dict(files or {})

    class Beside(Resolver):
        def __init__(self) -> None:
            pass

        def get(self, key: str) -> bytes:
            if key not in beside:
                raise FileNotFoundError(key)
            return beside[key]

        def write(self, name: str, data: bytes) -> None:
            raise PermissionError(name)

        def namespaced(self, namespace: str) -> Beside:
            return self

        def keys(self) -> list[str]:
            return list(beside)

    log = logging.getLogger("trimesh")
    level = log.level
    log.setLevel(logging.CRITICAL + 1)  # it prints the traces of errors that are answered here
    try:
        found: dict[str, Any] = mesh_loaders[kind](file_obj=io.BytesIO(data), resolver=Beside(), **options)
    finally:
        log.setLevel(level)
    shapes: dict[str, dict[str, Any]] = found.get("geometry", {kind: found})
    parts: list[Part] = []
    frames = {"world": np.eye(4)}
    edges: list[dict[str, Any]] = found.get("graph") or [{"frame_to": name, "geometry": name} for name in shapes]
    for edge in edges:
        above = frames[edge.get("frame_from", "world")]  # readers list a frame before those that hang on it
        frames[edge["frame_to"]] = above @ np.asarray(edge.get("matrix", np.eye(4)), dtype=np.float64)
        shape = shapes.get(edge.get("geometry", ""))
        if shape is not None and shape.get("faces") is not None:
            vertices = np.asarray(shape["vertices"], dtype=np.float64).reshape(-1, 3)
            parts.append(Part(str(edge["frame_to"]), vertices, _triangles(shape["faces"]), frames[edge["frame_to"]]))
    return parts


def _triangles(faces: object) -> LongFaces:
    """Return (m, 3) faces of triangles, quads or polygons."""
    from trimesh import geometry

    triangulate_quads: Callable[[Any], Numeric] = vars(geometry)["triangulate_quads"]
    found = np.asarray(faces)
    if found.ndim != 2 or found.shape[1] != 3:
        found = np.asarray(triangulate_quads(faces))
    return found.astype(np.int64).reshape(-1, 3)


def check_corners(count: int, what: str) -> None:
    """Refuse a polygon that is too large to be one."""
    if count > MOST_CORNERS:
        raise TocsinError(f"{what} has {count} corners; polygons of at most {MOST_CORNERS} are read.")


def triangle_count(parts: list[Part]) -> int:
    """Return how many triangles there are in all parts."""
    return sum(len(part.faces) for part in parts)


def expect(found: int, claimed: int, what: str) -> None:
    """Refuse a file of which a reader kept another number than the file has."""
    if found != claimed:
        raise TocsinError(f"it claims {claimed} {what}, but {found} can be read; the file is damaged.")


# ---- STL -----------------------------------------------------------------------------------------------------------


def _read_stl(data: bytes, file: Path) -> list[Part]:
    """Binary if the size fits the count in its header, else ASCII if it looks like it, else a lie."""
    count = int.from_bytes(data[80:84], "little") if len(data) >= 84 else -1
    if count >= 0 and len(data) == 84 + STL_TRIANGLE.itemsize * count:
        corners = np.frombuffer(data, STL_TRIANGLE, count, 84)["corners"].reshape(-1, 3).astype(np.float64)
        return [Part(file.stem, corners, np.arange(3 * count).reshape(-1, 3))]
    # Exporters start binary files with "solid" too, but no text holds a zero byte.
    if data[:512].lstrip()[:5].lower() == b"solid" and b"\0" not in data:
        return _read_ascii_stl(data, file)
    if count < 0:
        raise TocsinError(f"the file is damaged: a binary STL has at least 84 bytes, this one {len(data)}.")
    fits = (len(data) - 84) // STL_TRIANGLE.itemsize
    raise TocsinError(
        f"the file is damaged or not an STL: it claims {count} triangles, which take {84 + 50 * count} bytes, but has "
        f"{len(data)}, room for {fits}."
    )


def _read_ascii_stl(data: bytes, file: Path) -> list[Part]:
    text = as_text(data, "an ASCII STL")
    corners = _lines_of("vertex", text)
    if corners == 0 and re.search(r"^[ \t]*facet\b", text, re.MULTILINE | re.IGNORECASE):
        raise TocsinError("the file is damaged: it has facets, but none of their corners.")
    facets = _lines_of("facet", text)
    if facets == 0 and _lines_of("endsolid", text) == 0:
        raise TocsinError("the file is damaged or not an STL: it starts like text, but has no facets and no end.")
    expect(corners, 3 * facets, "corners")
    if facets == 0:
        return [Part(file.stem, np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64))]
    parts = read_by_trimesh(text.encode(), "stl")  # of other bytes it guesses the alphabet, by a package of its own
    expect(triangle_count(parts), facets, "facets")
    return parts if len(parts) > 1 else [Part(file.stem, parts[0].vertices, parts[0].faces)]


def _lines_of(keyword: str, text: str) -> int:
    """Return how many lines open with a keyword."""
    return sum(1 for _ in re.finditer(rf"^[ \t]*{keyword}\b", text, re.MULTILINE | re.IGNORECASE))


# ---- PLY -----------------------------------------------------------------------------------------------------------


_PLY_SIZES = {
    "char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "float": 4, "double": 8,
    "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "float32": 4, "float64": 8,
}  # fmt: skip


def _read_ply(data: bytes, file: Path) -> list[Part]:
    """Check that the elements which the header announces fit into the file, then let trimesh read it."""
    if data[:3].lower() != b"ply" or b"end_header" not in data[:LARGEST_PLY_HEADER]:
        raise TocsinError("the file is damaged or not a PLY: it has no PLY header.")
    head, _, body = data.partition(b"end_header")
    lines = [line.split() for line in head.decode("latin-1").splitlines()]
    text = any(line[:2] == ["format", "ascii"] for line in lines)
    counts: dict[str, int] = {}
    least = 0
    name, has_list, geometry = "", False, False
    for line in lines:
        if line[:1] == ["element"]:
            if len(line) != 3 or not line[2].isascii() or not line[2].isdigit():
                raise TocsinError(f"its header has a line that is not an element: {' '.join(line)[:80]!r}.")
            name = line[1]
            counts[name] = int(line[2])
            has_list = False
        elif line[:1] == ["property"]:
            listed = len(line) == 5 and line[1] == "list"
            if name not in counts or not (listed or len(line) == 3) or line[2 if listed else 1] not in _PLY_SIZES:
                raise TocsinError(f"its header has a line that is not a property: {' '.join(line)[:80]!r}.")
            # A text value takes two bytes with its separator, a binary one its type's; an empty list is a bare count.
            least += counts[name] * (2 if text else _PLY_SIZES[line[2 if listed else 1]])
            has_list = has_list or listed
            geometry = geometry or (listed and name == "face" and line[4] in ("vertex_index", "vertex_indices"))
    if least > len(body) + 1:
        claims = ", ".join(f"{count} {element}" for element, count in counts.items())
        raise TocsinError(f"it claims {claims} elements, at least {least} bytes, but only {len(body)} follow.")
    if counts.get("tristrips"):
        raise TocsinError("its triangles are in strips ('tristrips'), which are not read; save it with faces.")
    if counts.get("face") and not geometry:
        raise TocsinError("its faces have no list 'vertex_indices'.")
    if text and max(map(len, body.split(b"\n"))) > LONGEST_PLY_LINE:
        raise TocsinError(f"a line of it has more than {LONGEST_PLY_LINE} bytes: no polygon is that large.")
    if not counts.get("face") or not counts.get("vertex"):
        return [Part(file.stem, np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64))]
    try:
        parts = read_by_trimesh(data, "ply", skip_materials=True, fix_texture=False)
    except ValueError as error:
        if text or "length" not in str(error):
            raise
        raise TocsinError("it is cut off, or its polygons differ in size, which is read only in text PLY.") from error
    if len(parts) != 1:
        raise TocsinError("the file is damaged: it announces faces, but none can be read.")
    if triangle_count(parts) < counts["face"]:
        expect(triangle_count(parts), counts["face"], "faces")
    return [Part(file.stem, parts[0].vertices, parts[0].faces)]


LARGEST_PLY_HEADER = LONGEST_PLY_LINE = 1 << 16


# ---- OFF -----------------------------------------------------------------------------------------------------------


def _read_off(data: bytes, file: Path) -> list[Part]:
    """Read line by line: trimesh cannot read polygons of differing sizes."""
    text = re.sub(r"#.*", "", as_text(data, "an OFF file"))
    words = text[:4096].split(maxsplit=4)
    if not words or words[0] not in ("OFF", "COFF"):
        raise TocsinError("the file is damaged or not an OFF: it does not start with OFF or COFF.")
    if len(words) < 3 or not all(word.isascii() and word.isdigit() for word in words[1:3]):
        raise TocsinError("its second line must hold the numbers of vertices and faces.")
    lines = [line for line in text.split(words[0], 1)[1].splitlines() if line.strip()][1:]
    vertices, faces = int(words[1]), int(words[2])
    if vertices + faces > len(lines):
        raise TocsinError(f"it claims {vertices} vertices and {faces} faces, but only {len(lines)} lines follow.")
    points = [line.split()[:3] for line in lines[:vertices]]
    triangles: list[tuple[int, int, int]] = []
    for number, line in enumerate(lines[vertices : vertices + faces]):
        words = line.split()
        if not words[0].isdigit() or not 3 <= int(words[0]) < len(words):
            raise TocsinError(f"face {number} is not a count of at least 3 and that many corners: {line[:80]!r}.")
        check_corners(int(words[0]), f"face {number}")
        corners = [int(word) for word in words[1 : int(words[0]) + 1]]
        triangles += [(corners[0], corners[i], corners[i + 1]) for i in range(1, len(corners) - 1)]
    return [
        Part(
            file.stem,
            np.array(points, dtype=np.float64).reshape(-1, 3),
            np.array(triangles, dtype=np.int64).reshape(-1, 3),
        )
    ]


# ---- the other formats ---------------------------------------------------------------------------------------------


def _read_obj(data: bytes, file: Path) -> list[Part]:
    from tocsin.io.meshfile_obj import read_obj

    return read_obj(as_text(data, "an OBJ file"), file.stem)


def _read_dae(data: bytes, file: Path) -> list[Part]:
    from tocsin.io.meshfile_dae import read_dae

    return read_dae(data)


def _read_glb(data: bytes, file: Path) -> list[Part]:
    from tocsin.io.meshfile_gltf import read_glb

    return read_glb(data, file)


def _read_gltf(data: bytes, file: Path) -> list[Part]:
    from tocsin.io.meshfile_gltf import read_gltf

    return read_gltf(data, file)


READERS: dict[str, Callable[[bytes, Path], list[Part]]] = {
    ".stl": _read_stl,
    ".obj": _read_obj,
    ".ply": _read_ply,
    ".off": _read_off,
    ".dae": _read_dae,
    ".glb": _read_glb,
    ".gltf": _read_gltf,
}
"""What is read, by the file's suffix."""


MESH_FILE.provide(lambda file: merged(read_parts(file)))

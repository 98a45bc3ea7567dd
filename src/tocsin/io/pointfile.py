"""Point clouds: PCD, PLY and XYZ files as (n, 3) positions, and nothing else of them.

What a header claims is held against the size of the file before anything believes it. Points that are nan, which
sensors write where they saw nothing, are left out with a remark that counts them; any other number that is not finite
is refused. Colours, normals and the sensor's viewpoint are not looked at; a viewpoint that is not the identity gets a
remark.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from tocsin._types import FloatArray, PathLike, Vectors
from tocsin.errors import TocsinError, remark
from tocsin.io.files import existing_file, read_bytes, refused
from tocsin.model.body import POINTS_FILE

LARGEST_CLOUD = 1 << 30
"""Bytes of a file."""

LARGEST_HEADER = 1 << 16

MOST_COLUMNS = 1 << 16
"""Numbers of one point."""

BLOCK = 1 << 20
"""Bytes of text that are numbers at once."""

REMARKS = ("#", "//")

_WHAT = "the point cloud"

_PCD_TYPES = {"F": "f", "I": "i", "U": "u"}
_PCD_SIZES = {"f": (4, 8), "i": (1, 2, 4, 8), "u": (1, 2, 4, 8)}
_PLY_TYPES = {
    "char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4", "float": "f4",
    "double": "f8", "int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2", "int32": "i4", "uint32": "u4",
    "float32": "f4", "float64": "f8",
}  # fmt: skip


def read_points(path: PathLike) -> Vectors:
    """Return the (n, 3) positions in a `.pcd`, `.ply` or `.xyz` file."""
    file = existing_file(path, _WHAT)
    suffix = file.suffix.lower()
    if suffix not in READERS:
        given = repr(suffix) if suffix else "a file without suffix"
        raise refused(file, _WHAT, f"there is no reader for {given}; point clouds are: {', '.join(READERS)}")
    data = read_bytes(file, _WHAT, limit=LARGEST_CLOUD)
    try:
        points = READERS[suffix](data, file)
    except TocsinError as error:
        raise refused(file, _WHAT, str(error).rstrip(".")) from None
    unseen = np.isnan(points).all(axis=1)
    if unseen.any():
        remark(f"{file.name!r}: {int(unseen.sum())} of {len(points)} points are nan, nothing was seen there: left out.")
        points = points[~unseen]
    if not np.isfinite(points).all():
        row = int(np.argmin(np.isfinite(points).all(axis=1)))
        raise refused(file, _WHAT, f"point {row} is not finite: {points[row].tolist()}")
    return points


def _columns(table: dict[str, FloatArray]) -> Vectors:
    missing = [axis for axis in "xyz" if axis not in table]
    if missing:
        raise TocsinError(f"its points have no {missing[0]!r}; they have: {', '.join(table) or 'nothing'}")
    return np.column_stack([table[axis] for axis in "xyz"])


def _binary(data: bytes, kind: np.dtype[np.void], count: int) -> Vectors:
    """Return positions from records."""
    if count * kind.itemsize > len(data):
        raise TocsinError(f"it claims {count} points of {kind.itemsize} bytes, but only {len(data)} bytes follow")
    records = np.frombuffer(data, kind, count)
    fields = {name: records[name] for name in kind.names or ()}
    firsts = {name: field[:, 0] if field.ndim > 1 else field for name, field in fields.items()}
    return _columns({name: field.astype(np.float64) for name, field in firsts.items()})


def _text(data: bytes, names: list[str], count: int | None, between: bytes = b"") -> Vectors:
    """Return positions from lines of numbers, as many on each as there are names, `between` them spaces or these.

    Without a count, lines are taken to the end, but for remarks.
    """
    parts: list[Vectors] = []
    done = 0
    for block in _blocks(data):
        for mark in between:
            block = block.replace(bytes([mark]), b" ")
        lines = [line.split() for line in block.decode("utf-8", "replace").splitlines() if line.strip()]
        if count is None:
            lines = [line for line in lines if not line[0].startswith(REMARKS)]
        else:
            lines = lines[: count - done]
        parts.append(_numbers(lines, names, done))
        done += len(lines)
    if count is not None and done < count:
        raise TocsinError(f"it claims {count} points, but only {done} lines follow")
    return np.concatenate([*parts, np.zeros((0, 3))])


def _blocks(data: bytes) -> Iterator[bytes]:
    """Yield whole lines, about a megabyte at a time: as words in lists, numbers take thirty times as much."""
    at = 0
    while at < len(data):
        end = data.find(b"\n", at + BLOCK) + 1 or len(data)
        yield data[at:end]
        at = end


def _numbers(lines: list[list[str]], names: list[str], done: int) -> Vectors:
    """Return the positions on some lines; `done` came before them."""
    odd = next((k for k, line in enumerate(lines) if len(line) < len(names)), None)
    if odd is not None:
        raise TocsinError(f"point {done + odd} has {len(lines[odd])} numbers, where {len(names)} are expected")
    try:
        table = np.array([line[: len(names)] for line in lines], dtype=np.float64)
    except ValueError as error:
        raise TocsinError(f"it has a word that is not a number ({str(error)[:60]})") from None
    table = table.reshape(len(lines), len(names))
    return _columns({name: table[:, k] for k, name in enumerate(names)})


def _header(data: bytes, last: bytes) -> tuple[list[list[str]], bytes]:
    """Return the words of each line of a header, up to the line that begins with `last`, and what follows."""
    lines: list[list[str]] = []
    at = 0
    while at < min(len(data), LARGEST_HEADER):
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        words = data[at:end].decode("latin-1").split()
        at = end + 1
        if words and not words[0].startswith("#"):
            lines.append(words)
            if words[0].encode() == last:
                return lines, data[at:]
    raise TocsinError(f"it has no header that ends with {last.decode()!r}")


def _whole(word: str, what: str) -> int:
    if not (word.isascii() and word.isdigit() and len(word) <= 12):
        raise TocsinError(f"{what} must be a whole number; it says {word[:40]!r}")
    return int(word)


def _read_pcd(data: bytes, file: Path) -> Vectors:
    """PCD, as text or binary; what is compressed is refused."""
    lines, body = _header(data, b"DATA")
    head = {words[0].upper(): words[1:] for words in lines}
    names = head.get("FIELDS") or head.get("COLUMNS") or []
    sizes = [_whole(word, "a size") for word in head.get("SIZE", [])]
    counts = [_whole(word, "a count") for word in head.get("COUNT", ["1"] * len(names))]
    kinds = [_PCD_TYPES.get(word.upper(), "") for word in head.get("TYPE", [])]
    if not names or not len(names) == len(sizes) == len(counts) == len(kinds):
        raise TocsinError("its header needs as many entries in FIELDS, SIZE, TYPE and COUNT")
    wrong = [name for name, kind, size in zip(names, kinds, sizes) if size not in _PCD_SIZES.get(kind, ())]
    if wrong:
        raise TocsinError(f"its field {wrong[0][:40]!r} has a type or size that no PCD has")
    if not min(counts) or sum(counts) > MOST_COLUMNS:
        raise TocsinError(f"its points have fields of 1 to {MOST_COLUMNS} numbers in all; COUNT says otherwise")
    points = _whole((head.get("POINTS") or head.get("WIDTH") or ["?"])[0], "the number of POINTS")
    viewpoint = head.get("VIEWPOINT", ["0", "0", "0", "1", "0", "0", "0"])
    if [word.rstrip("0").rstrip(".") or "0" for word in viewpoint] != ["0", "0", "0", "1", "0", "0", "0"]:
        remark(f"{file.name!r} has the viewpoint {' '.join(viewpoint)}, which is not applied: place the body there.")
    how = " ".join(head["DATA"]).lower()
    if how == "ascii":
        spread = [name if count == 1 else f"{name}-{k}" for name, count in zip(names, counts) for k in range(count)]
        return _text(body, spread, points)
    if how == "binary":
        # Fields called "_" are padding, and there may be several.
        fields = [
            (name if name in ("x", "y", "z") and names.count(name) == 1 else f"{k}", f"<{kind}{size}", (count,))
            for k, (name, kind, size, count) in enumerate(zip(names, kinds, sizes, counts))
        ]
        return _binary(body, np.dtype(fields), points)
    raise TocsinError(f"its data is {how[:40]!r}; ascii and binary are read: convert it (pcl_convert_pcd_ascii_binary)")


def _read_ply(data: bytes, file: Path) -> Vectors:
    """The vertices of a PLY, which come first in it; faces are not looked at."""
    lines, body = _header(data, b"end_header")
    if lines[0][0].lower() != "ply":
        raise TocsinError("it is not a PLY: it does not start with 'ply'")
    formats = [words[1] for words in lines if words[0] == "format" and len(words) > 1]
    elements = [k for k, words in enumerate(lines) if words[0] == "element"]
    if not formats or not elements or lines[elements[0]][1:2] != ["vertex"] or len(lines[elements[0]]) != 3:
        raise TocsinError("its header needs a format, and vertices as its first element")
    end = elements[1] if len(elements) > 1 else len(lines)
    properties = [words for words in lines[elements[0] : end] if words[0] == "property"]
    odd = [words for words in properties if len(words) != 3 or words[1] not in _PLY_TYPES]
    if odd:
        raise TocsinError(f"its vertices have a property that is not a number: {' '.join(odd[0])[:60]!r}")
    count = _whole(lines[elements[0]][2], "the number of vertices")
    names = [words[2] for words in properties]
    if len(set(names)) < len(names):
        raise TocsinError("two properties of its vertices have one name")
    if formats[0] == "ascii":
        return _text(body, names, count)
    order = {"binary_little_endian": "<", "binary_big_endian": ">"}.get(formats[0])
    if order is None:
        raise TocsinError(
            f"its format is {formats[0][:40]!r}; ascii, binary_little_endian and binary_big_endian are read"
        )
    return _binary(body, np.dtype([(words[2], order + _PLY_TYPES[words[1]]) for words in properties]), count)


def _read_xyz(data: bytes, file: Path) -> Vectors:
    """Lines of numbers, of which the first three are a position."""
    return _text(data, ["x", "y", "z"], None, between=b",;")


READERS: dict[str, Callable[[bytes, Path], Vectors]] = {".pcd": _read_pcd, ".ply": _read_ply, ".xyz": _read_xyz}
"""What is read, by the file's suffix."""


POINTS_FILE.provide(read_points)

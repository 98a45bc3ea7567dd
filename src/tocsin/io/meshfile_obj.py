"""The geometry of an OBJ file: its vertices exactly as listed, its faces by object.

Only `v`, `f`, `o` and `g` are looked at: no material library is opened. Relative indices count back from the line that
uses them. Polygons are cut into fans from their first corner, which cover the polygon also where it is not convex.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from tocsin._types import LongFaces, LongIndices, Vectors
from tocsin.errors import TocsinError
from tocsin.io.meshfile import Part, check_corners

_FREE_FORM = ("bmat", "call", "cstype", "curv", "curv2", "deg", "surf")
"""Keywords of geometry that is not polygons, or not in this file: it would be lost."""


BLOCK = 1 << 22
"""Characters that are taken apart at a time: lines and words as Python objects take twenty times their size."""


def read_obj(text: str, name: str) -> list[Part]:
    """Return one part per object (`o`; per group `g` where there are no objects), all sharing the vertices."""
    text = _joined(text)
    if not re.search(r"^[ \t]*v[ \t]", text, re.MULTILINE):
        raise TocsinError("the file is damaged or not an OBJ: it has no vertices.")
    vertices: list[Vectors] = [np.zeros((0, 3))]
    faces: list[LongFaces] = [np.zeros((0, 3), dtype=np.int64)]
    source: list[LongIndices] = [np.zeros(0, dtype=np.int64)]
    names: dict[str, list[tuple[int, str]]] = {"o": [], "g": []}
    count = first = 0
    for block in _blocks(text):
        lines = [line.strip() for line in block.split("\n")]
        words = [line.split(None, 1)[0] if line else "" for line in lines]
        kinds = np.array([_KINDS.get(word, 0) for word in words], dtype=np.int8)
        for word in _FREE_FORM:
            if word in words:
                raise TocsinError(f"line {first + words.index(word) + 1} has {word!r}: only polygons are read.")
        vertices.append(_vertices(lines, np.flatnonzero(kinds == 1), first))
        where = np.flatnonzero(kinds == 2)
        triangles, line = _faces(lines, where, count + np.cumsum(kinds == 1)[where], first)
        faces.append(triangles)
        source.append(line)
        for keyword, found in names.items():
            found += [(first + k, lines[k][1:].strip()) for k, word in enumerate(words) if word == keyword]
        count += len(vertices[-1])
        first += len(lines)
    corners, line = np.vstack(faces), np.concatenate(source)
    wrong = ((corners < 0) | (corners >= count)).any(axis=1)
    if wrong.any():
        k = int(line[np.argmax(wrong)])
        said = text.split("\n", k + 1)[k].strip()[:80]
        raise TocsinError(f"line {k + 1} names a vertex that is not there ({count} are): {said!r}.")
    return _by_object(name, names["o"] or names["g"], np.vstack(vertices), corners, line)


def _joined(text: str) -> str:
    """Return the text with lines that end in a line feed, those that go on behind a backslash joined.

    Whether a comment does, readers do not agree: `# from C:\\meshes\\` would hide a vertex or a face.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\\\n" not in text:
        return text
    found = re.search(r"^[ \t]*#[^\n]*\\\n(?=[ \t]*[^\s#])", text, re.MULTILINE)
    if found:
        line = text.count("\n", 0, found.start()) + 1
        raise TocsinError(
            f"the comment in line {line} ends in a backslash: some readers take the next line for a part of it; "
            "remove the backslash."
        )
    return text.replace("\\\n", " ")


def _blocks(text: str) -> Iterator[str]:
    """Cut a text into pieces of about `BLOCK` characters, at ends of lines."""
    start = 0
    while start <= len(text):
        end = text.find("\n", start + BLOCK)
        end = len(text) if end < 0 else end
        yield text[start:end]
        start = end + 1


_KINDS = {"v": 1, "f": 2}


def _vertices(lines: list[str], where: LongIndices, first: int) -> Vectors:
    numbers: list[int] = where.tolist()
    rows = [lines[k].split()[1:4] for k in numbers]
    try:
        if rows and not all(len(row) == 3 for row in rows):
            raise ValueError
        return np.array(rows, dtype=np.float64).reshape(-1, 3)
    except ValueError:
        for k, row in zip(numbers, rows):
            try:
                ok = len([float(word) for word in row]) == 3
            except ValueError:
                ok = False
            if not ok:
                said = f"line {first + k + 1} is not a vertex of three numbers: {lines[k][:80]!r}."
                raise TocsinError(said) from None
        raise


def _faces(lines: list[str], where: LongIndices, before: LongIndices, first: int) -> tuple[LongFaces, LongIndices]:
    """Return (m, 3) faces and (m,) the line of each, in the order of the file; numbers are not yet known to exist."""
    without_textures = re.sub(r"/\S*", "", "\n".join([lines[int(k)] for k in where]))
    rows = [line.split()[1:] for line in without_textures.split("\n")] if len(where) else []
    sizes = np.array([len(row) for row in rows], dtype=np.int64)
    triangles, source = [np.zeros((0, 3), dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for size in np.unique(sizes):
        chosen = np.flatnonzero(sizes == size)
        if size < 3:
            k = where[chosen[0]]
            raise TocsinError(f"line {first + k + 1} is a face with fewer than three corners: {lines[k][:80]!r}.")
        check_corners(int(size), f"the face in line {first + where[chosen[0]] + 1}")
        try:
            corners = np.array([rows[i] for i in chosen], dtype=np.int64)
        except (ValueError, OverflowError):
            raise TocsinError(_first_bad(lines, where[chosen], [rows[i] for i in chosen], first)) from None
        corners = np.where(corners > 0, corners - 1, np.where(corners < 0, corners + before[chosen][:, None], -1))
        start = np.broadcast_to(corners[:, :1], (len(chosen), size - 2))
        triangles.append(np.stack((start, corners[:, 1:-1], corners[:, 2:]), axis=2).reshape(-1, 3))
        source.append(np.repeat(where[chosen], size - 2))
    line = np.concatenate(source)
    order = np.argsort(line, kind="stable")
    return np.vstack(triangles)[order], first + line[order]


def _first_bad(lines: list[str], where: LongIndices, rows: list[list[str]], first: int) -> str:
    numbers: list[int] = where.tolist()
    for k, row in zip(numbers, rows):
        if not all(re.fullmatch(r"[+-]?\d{1,18}", word, re.ASCII) for word in row):
            return f"line {first + k + 1} is not a face of vertex numbers: {lines[k][:80]!r}."
    return "a face is not made of vertex numbers."


def _by_object(
    name: str, names: list[tuple[int, str]], vertices: Vectors, faces: LongFaces, source: LongIndices
) -> list[Part]:
    """Cut the faces at the lines that name objects; an object that is named twice is one."""
    if not names:
        return [Part(name, vertices, faces)]
    starts = np.array([line for line, _ in names])
    piece = np.searchsorted(starts, source)  # grows with the lines
    label: dict[str, list[LongFaces]] = {}
    pieces, ends = np.unique(piece, return_index=True)
    numbers: list[int] = pieces.tolist()
    for i, found in zip(numbers, np.split(faces, ends[1:])):
        label.setdefault(names[i - 1][1] if i else name, []).append(found)
    parts = [Part(title or name, vertices, np.vstack(found)) for title, found in label.items()]
    return parts or [Part(name, vertices, faces)]

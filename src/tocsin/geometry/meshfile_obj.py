"""The geometry of an OBJ file: its vertices exactly as listed, its faces by object.

Only `v`, `f`, `o` and `g` are looked at: no material library is opened. Relative indices count back from the line that
uses them. Polygons are cut into fans from their first corner, which cover the polygon also where it is not convex.
"""

from __future__ import annotations

import re

import numpy as np

from tocsin.errors import TocsinError
from tocsin.geometry.meshfile import Part

_FREE_FORM = ("bmat", "call", "cstype", "curv", "curv2", "deg", "surf")
"""Keywords of geometry that is not polygons, or not in this file: it would be lost."""


def read_obj(text: str, name: str) -> list[Part]:
    """Return one part per object (`o`; per group `g` where there are no objects), all sharing the vertices."""
    if not re.search(r"^[ \t]*v[ \t]", text, re.MULTILINE):
        raise TocsinError("the file is damaged or not an OBJ: it has no vertices.")
    lines = text.replace("\\\r\n", " ").replace("\\\n", " ").split("\n")
    lines = [line.strip() for line in lines]
    words = [line.split(None, 1)[0] if line else "" for line in lines]
    kinds = np.array([_KINDS.get(word, 0) for word in words], dtype=np.int8)
    for word in _FREE_FORM:
        if word in words:
            raise TocsinError(f"line {words.index(word) + 1} has {word!r}: only polygons are read.")
    vertex_lines = np.flatnonzero(kinds == 1)
    face_lines = np.flatnonzero(kinds == 2)
    vertices = _vertices(lines, vertex_lines)
    before = np.cumsum(kinds == 1)[face_lines]
    faces, source = _faces(lines, face_lines, before, len(vertices))
    keyword = "o" if "o" in words else "g"
    names = [(k, lines[k][1:].strip()) for k, word in enumerate(words) if word == keyword]
    return _by_object(name, names, vertices, faces, source)


_KINDS = {"v": 1, "f": 2}


def _vertices(lines: list[str], where: np.ndarray) -> np.ndarray:
    rows = [lines[k].split()[1:4] for k in where]
    try:
        return np.array(rows, dtype=np.float64).reshape(-1, 3)
    except ValueError:
        for k, row in zip(where, rows):
            try:
                ok = len([float(word) for word in row]) == 3
            except ValueError:
                ok = False
            if not ok:
                raise TocsinError(f"line {k + 1} is not a vertex of three numbers: {lines[k][:80]!r}.") from None
        raise


def _faces(lines: list[str], where: np.ndarray, before: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return (m, 3) faces and (m,) the line of each, in the order of the file."""
    without_textures = re.sub(r"/\S*", "", "\n".join([lines[k] for k in where]))
    rows = [line.split()[1:] for line in without_textures.split("\n")] if len(where) else []
    sizes = np.array([len(row) for row in rows], dtype=np.int64)
    triangles, source, order = [], [], []
    for size in np.unique(sizes):
        chosen = np.flatnonzero(sizes == size)
        if size < 3:
            k = where[chosen[0]]
            raise TocsinError(f"line {k + 1} is a face with fewer than three corners: {lines[k][:80]!r}.")
        try:
            corners = np.array([rows[i] for i in chosen], dtype=np.int64)
        except (ValueError, OverflowError):
            raise TocsinError(_first_bad(lines, where[chosen], [rows[i] for i in chosen])) from None
        corners = np.where(corners > 0, corners - 1, np.where(corners < 0, corners + before[chosen][:, None], -1))
        wrong = ((corners < 0) | (corners >= count)).any(axis=1)
        if wrong.any():
            k = where[chosen[np.argmax(wrong)]]
            raise TocsinError(f"line {k + 1} names a vertex that is not there ({count} are): {lines[k][:80]!r}.")
        for i in range(1, size - 1):
            triangles.append(corners[:, [0, i, i + 1]])
            source.append(where[chosen])
            order.append(np.column_stack((where[chosen], np.full(len(chosen), i))))
    if not triangles:
        return np.zeros((0, 3), dtype=np.int64), np.zeros(0, dtype=np.int64)
    place = np.vstack(order)
    sort = np.lexsort((place[:, 1], place[:, 0]))
    return np.vstack(triangles)[sort], np.concatenate(source)[sort]


def _first_bad(lines: list[str], where: np.ndarray, rows: list[list[str]]) -> str:
    for k, row in zip(where, rows):
        if not all(re.fullmatch(r"[+-]?\d{1,18}", word, re.ASCII) for word in row):
            return f"line {k + 1} is not a face of vertex numbers: {lines[k][:80]!r}."
    return "a face is not made of vertex numbers."


def _by_object(
    name: str, names: list[tuple[int, str]], vertices: np.ndarray, faces: np.ndarray, source: np.ndarray
) -> list[Part]:
    """Cut the faces at the lines that name objects; an object that is named twice is one."""
    if not names:
        return [Part(name, vertices, faces)]
    starts = np.array([line for line, _ in names])
    piece = np.searchsorted(starts, source)
    label: dict[str, list[np.ndarray]] = {}
    for i in np.unique(piece):
        label.setdefault(names[i - 1][1] if i else name, []).append(faces[piece == i])
    parts = [Part(title or name, vertices, np.vstack(found)) for title, found in label.items()]
    return parts or [Part(name, vertices, faces)]

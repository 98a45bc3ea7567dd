"""Octomaps (`.bt` and `.ot`, OctoMap's binary and full trees): the occupied cells, as few boxes of the same union.

A header in text, then the tree, root first and child by child. Child i lies on the upper side of x, y and z where bits
0, 1 and 2 of i are set; a tree is 16 levels deep, its root about the origin.

.bt   two bytes for every inner node: two bits for each of its eight children, as a number 0 unknown, 1 free, 2
      occupied, 3 an inner node that follows.
.ot   every node: its log-odds in single precision, in a ColorOcTree three bytes of colour, and a byte with a bit for
      each child that follows. A node without children is occupied from even odds on, OctoMap's own threshold.

What is unknown is left out, as OctoMap's own collision checks do: an octomap says what was seen to be occupied.
"""

from __future__ import annotations

import math
import struct
from array import array
from functools import cache
from typing import Annotated, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tocsin import _cast
from tocsin._types import PathLike, Vectors
from tocsin.errors import TocsinError
from tocsin.io.files import existing_file, read_bytes, refused
from tocsin.io.yamlfile import Structure, listing, number
from tocsin.model.body import OCTOMAP_FILE

DEPTH = 16
"""Levels of a tree; its root is a cube of 2^16 cells."""

BINARY, FULL = b"# Octomap OcTree binary file", b"# Octomap OcTree file"
"""How files begin."""

VALUE = {"OcTree": 4, "ColorOcTree": 7}
"""By the kind of tree, what a node of a full one has, in bytes, before the byte of its children."""

MOST_NODES = 4_000_000
"""Nodes of a file, of a binary one inner nodes: some ten seconds."""

MOST_CUBES = 1 << 20
"""Occupied cubes of a file, or those of the resolution that is asked for: 200 MB while they are joined."""

LARGEST_HEADER = 1 << 12
_WHAT = "the octomap"

Cube: TypeAlias = int
"""The cell at its lowest corner, and its level: 0 for a cell, one more for a cube of twice the side.

As one number, because there may be millions: 16 bits each for x, y, z and the level, the lowest for x.
"""

Cells: TypeAlias = Annotated[NDArray[np.int64], "(n, 3)"]
"""Cells of a grid by their numbers along x, y and z; cubes of several have their level behind."""


def read_octomap(path: PathLike, resolution: float | None = None) -> tuple[Vectors, Vectors]:
    """Return (n, 3) centres and (n, 3) sizes of boxes, metres, whose union are the occupied cells.

    With a `resolution` (metres) coarser than the file's, cells are those of the coarsest level that is at least as
    fine: one is occupied if anything in it is, so the boxes contain all that was.
    """
    file = existing_file(path, _WHAT)
    data = read_bytes(file, _WHAT, limit=LARGEST_HEADER + (1 + max(VALUE.values())) * MOST_NODES)
    try:
        cell, value, tree = _header(data)
        return _boxes(cell, _occupied(value, tree, _level(cell, resolution)))
    except TocsinError as error:
        raise refused(file, _WHAT, str(error).rstrip(".")) from None


def boxes_of_message(found: Structure) -> tuple[Vectors, Vectors]:
    """Return the boxes of an `octomap_msgs/Octomap`, as `read_octomap` does: a tree without its header."""
    given = np.asarray(listing(found.get("data"), "the data of its octomap"))
    if given.dtype.kind not in "iu" or given.ndim != 1 or given.min() < -128 or given.max() > 255:
        raise TocsinError("the data of its octomap must be bytes, -128 to 127")
    cell = number(found.get("resolution"), "the resolution of its octomap")
    value = _value(cell, str(found.get("id") or ""), full=found.get("binary") is not True)
    tree = (given & 255).astype(np.uint8).tobytes()
    return _boxes(cell, _occupied(value, _bounded(tree, value), 0))


def _level(cell: float, resolution: float | None) -> int:
    """Return the coarsest level whose cubes are at most so large, 0 if there is none."""
    level = 0
    if resolution is not None:
        wanted = _cast.scalar(resolution, "resolution", above=0.0, most=_cast.LARGEST)
        while level < DEPTH and cell * 2.0 ** (level + 1) <= wanted * (1.0 + 1e-9):
            level += 1
    return level


def _boxes(cell: float, cubes: Cells) -> tuple[Vectors, Vectors]:
    """Return (n, 3) centres and (n, 3) sizes of few boxes with the union of cubes."""
    low, high = _merged(cubes)
    middle = float(1 << (DEPTH - 1))
    return cell * (0.5 * (low + high).astype(np.float64) - middle), cell * (high - low).astype(np.float64)


def _header(data: bytes) -> tuple[float, int, bytes]:
    """Return (side of a cell, bytes of a node's value or 0 of a binary tree, the tree)."""
    head, found, _ = data[:LARGEST_HEADER].partition(b"\ndata\n")
    if not data.startswith((BINARY, FULL)):
        raise TocsinError(f"it begins neither with {BINARY.decode()!r} nor with {FULL.decode()!r}")
    if not found:
        raise TocsinError("its header has no line 'data'")
    tree = data[len(head) + len(found) :]
    words = dict(
        line.split(None, 1)
        for line in head.decode("ascii", "replace").splitlines()
        if len(line.split(None, 1)) == 2 and not line.startswith("#")
    )
    try:
        cell, size = float(words["res"]), int(words["size"])
    except (KeyError, ValueError):
        raise TocsinError("its header needs the lines 'res' and 'size', with numbers") from None
    value = _value(cell, words.get("id", "").strip(), full=data.startswith(FULL))
    if size < 0:
        raise TocsinError(f"its header claims {size} nodes")
    if size and not tree:
        raise TocsinError(f"its header claims {size} nodes, and the file ends there")
    return cell, value, _bounded(tree, value) if size else b""


def _value(cell: float, kind: str, *, full: bool) -> int:
    """Return how many bytes the value of a node has, 0 in a binary tree; refuse kinds and sizes that are not read."""
    if kind not in VALUE:
        raise TocsinError(f"its trees are of kind {kind!r}; {' and '.join(VALUE)} are read")
    _cast.scalar(cell, "its resolution", above=0.0, most=1e6)
    return VALUE[kind] if full else 0


def _bounded(tree: bytes, value: int) -> bytes:
    """Return a tree that is not too large."""
    if len(tree) > (value + 1 if value else 2) * MOST_NODES:
        raise TocsinError(f"it has more than {MOST_NODES} {'' if value else 'inner '}nodes")
    return tree


def _occupied(value: int, tree: bytes, level: int) -> Cells:
    """Return (n, 4) x, y, z, level: occupied cubes, or those of this level around finer ones, each once."""
    found = array("Q")
    waiting: list[Cube] = [DEPTH << 48] if tree else []
    node = value + 1 if value else 2
    at = 0
    while waiting:
        cube = waiting.pop()
        if at + node > len(tree):
            raise TocsinError(f"the file ends within its tree, after {len(tree)} bytes of it")
        if value:
            inner = _numbers(tree[at + value], 1, 1)
            occupied = (cube,) if not inner and _is_occupied(tree, at) else ()
        else:
            bits = tree[at] | tree[at + 1] << 8
            inner = _numbers(bits, 2, 3)
            occupied = _children(cube, _numbers(bits, 2, 2))
        at += node
        if cube >> 48 == 0 and (inner or not value):
            raise TocsinError(f"its tree is deeper than {DEPTH} levels")
        if not level:
            found.extend(occupied)
        for one in occupied if level else ():
            around = _around(one, level)
            if not found or found[-1] != around:  # those in one coarse cube follow each other
                found.append(around)
        if len(found) > MOST_CUBES:
            raise TocsinError(f"it has more than {MOST_CUBES} occupied cubes; give resolution=, or a coarser one")
        waiting += _children(cube, inner)[::-1]
    if at != len(tree):
        raise TocsinError(f"its tree takes {at} bytes, and {len(tree)} follow the header")
    packed = np.array(found, np.uint64)
    return np.column_stack([packed >> np.uint64(16 * k) & np.uint64(0xFFFF) for k in range(4)]).astype(np.int64)


@cache
def _numbers(bits: int, width: int, kind: int) -> tuple[int, ...]:
    """Return which of eight children are of a kind, each a number of so many bits."""
    return tuple(i for i in range(8) if bits >> width * i & (1 << width) - 1 == kind)


def _children(cube: Cube, numbers: tuple[int, ...]) -> list[Cube]:
    """Return some of the eight halves of a cube."""
    return [cube + step for step in _steps(cube >> 48, numbers)]


@cache
def _steps(level: int, numbers: tuple[int, ...]) -> tuple[int, ...]:
    """Return what leads from a cube of this level to some of its eight halves."""
    half = 1 << level >> 1
    return tuple(half * ((i & 1) + ((i >> 1 & 1) << 16) + (i >> 2 << 32)) - (1 << 48) for i in numbers)


def _around(cube: Cube, level: int) -> Cube:
    """Return the cube of this level that contains another, or that one if it is larger."""
    if cube >> 48 >= level:
        return cube
    kept = 0xFFFF >> level << level
    return cube & (kept | kept << 16 | kept << 32) | level << 48


def _is_occupied(tree: bytes, at: int) -> bool:
    """Are the log-odds that begin here those of an occupied cell?"""
    (odds,) = struct.unpack_from("<f", tree, at)
    if math.isnan(odds):
        raise TocsinError(f"a node of its tree, at byte {at}, has no number for its log-odds")
    return odds >= 0.0


def _merged(cubes: Cells) -> tuple[Cells, Cells]:
    """Return (lower, upper) corners of boxes of the same union: rows of equal boxes are one, while there are any."""
    low = cubes[:, :3].copy()
    high = low + (1 << cubes[:, 3])[:, None]
    before = -1
    while before != len(low):
        before = len(low)
        for axis in (2, 1, 0):
            low, high = _joined(low, high, axis)
    return low, high


def _joined(low: Cells, high: Cells, axis: int) -> tuple[Cells, Cells]:
    """Join boxes that differ along one axis alone and touch there."""
    if not len(low):
        return low, high
    others = [k for k in range(3) if k != axis]
    order = np.lexsort((low[:, axis], *high[:, others].T, *low[:, others].T))
    low, high = low[order], high[order]
    same = (low[1:, others] == low[:-1, others]).all(axis=1) & (high[1:, others] == high[:-1, others]).all(axis=1)
    starts = np.concatenate([[True], ~(same & (low[1:, axis] == high[:-1, axis]))])
    first, last = np.flatnonzero(starts), np.flatnonzero(np.roll(starts, -1))
    return low[first], high[last]


OCTOMAP_FILE.provide(read_octomap)

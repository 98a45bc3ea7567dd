"""Edges in a Parquet file: each row is an edge, with columns `<joint>_t0` and `<joint>_t1`; other joints stay at rest.

A joint of several values has a column for each, `<joint>.0_t0` and so on.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tocsin._types import PathLike
from tocsin.errors import TocsinError, unknown_name
from tocsin.io.files import check_squeezed, existing_file, refused
from tocsin.model.robot import Robot
from tocsin.motion.links import BASE_WIDTH

WHAT = "the file of edges"
ENDS = ("_t0", "_t1")
BLOCK = 2**20


def arrow() -> ModuleType:
    """Return pyarrow with its reader of Parquet."""
    try:
        import pyarrow  # pyright: ignore[reportMissingTypeStubs]
        import pyarrow.parquet  # pyright: ignore[reportMissingTypeStubs, reportUnusedImport]
    except ImportError:
        raise TocsinError("files of edges and answers need pyarrow: pip install 'tocsin[parquet]'.") from None
    return pyarrow


def entry_names(robot: Robot) -> list[str]:
    """Return what each entry of a configuration is called in a file."""
    found: list[str] = []
    for joint in robot.joints:
        if joint.width and joint.mimic is None:
            found += [joint.name] if joint.width == 1 else [f"{joint.name}.{k}" for k in range(joint.width)]
    return found


class EdgeFile:
    """A file of edges, opened and looked over."""

    def __init__(self, path: PathLike, robot: Robot) -> None:
        self.path: Path = existing_file(path, WHAT)
        self.robot = robot
        parquet, types = arrow().parquet, arrow().types
        try:
            with parquet.ParquetFile(self.path) as table:
                self.count: int = table.metadata.num_rows
                names, kinds = table.schema_arrow.names, table.schema_arrow.types
                held = self.count * len(names)
        except Exception as error:  # whatever the reader trips over in a damaged file
            raise refused(self.path, WHAT, f"it is not Parquet ({' '.join(str(error).split())[:100]})") from None
        check_squeezed(held, self.path, WHAT)
        if len(set(names)) < len(names):
            raise refused(self.path, WHAT, "two of its columns have the same name")
        entries = entry_names(robot)
        expected = {f"{name}{end}": k for k, name in enumerate(entries) for end in ENDS}
        self.columns: list[int] = []
        """Entries of a configuration that the file has."""
        for name, kind in zip(names, kinds):
            if name not in expected:
                raise unknown_name("column", name, expected, f" in {str(self.path)!r} for joints of {robot.name!r}")
            if not (types.is_integer(kind) or types.is_floating(kind)):
                raise refused(self.path, WHAT, f"column {name!r} must hold numbers, not {kind}")
            if name.endswith(ENDS[0]):
                other = name.removesuffix(ENDS[0]) + ENDS[1]
                if other not in names:
                    raise refused(self.path, WHAT, f"it has column {name!r}, but not {other!r}")
                self.columns.append(expected[name])
        if not self.columns:
            raise refused(self.path, WHAT, f"it has no columns <joint>_t0 and <joint>_t1; joints are: {entries}")
        self.columns.sort()
        self._table: Any = None

    def digest(self) -> str:
        """Return a digest of the file's content."""
        sha = hashlib.sha256()
        with self.path.open("rb") as file:
            while block := file.read(BLOCK):
                sha.update(block)
        return sha.hexdigest()

    def rows(self, first: int, last: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return (Q0, Q1), whole configurations, of the edges from `first` to before `last`."""
        part = self._read().slice(first, last - first)
        names = entry_names(self.robot)
        ends: list[NDArray[np.float64]] = []
        for end in ENDS:
            rows = np.tile(self.robot.rest[BASE_WIDTH:], (last - first, 1))
            for k in self.columns:
                rows[:, k] = self._values(part, names[k] + end, first)
            ends.append(rows)
        return ends[0], ends[1]

    def _read(self) -> Any:
        if self._table is None:
            try:
                self._table = arrow().parquet.read_table(self.path, memory_map=True)
            except Exception as error:
                raise refused(self.path, WHAT, f"it cannot be read ({' '.join(str(error).split())[:100]})") from None
        return self._table

    def _values(self, part: Any, name: str, first: int) -> NDArray[np.float64]:
        column = part.column(name)
        if column.null_count:
            row = first + column.is_null().to_pylist().index(True)
            raise refused(self.path, WHAT, f"row {row}, column {name!r} is missing")
        return column.to_numpy().astype(np.float64)

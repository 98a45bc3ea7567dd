"""Trajectories of other programs: configurations in a row, by joint name, with or without times.

| suffix | |
|---|---|
| `.npy` | (k, n) numbers; the columns are named by `joints`, or are the robot's whole configuration |
| `.npz` | `positions` (k, n), `joint_names`, and `times` if there are any |
| `.csv` | the first line names the joints; a column `time` holds seconds |
| `.parquet` | the same, as columns |
| `.yaml`, `.json` | MoveIt's RobotTrajectory, or a DisplayTrajectory whose pieces follow each other |

Joints are matched by name, never by position. A joint of several values has a column for each: `base.x`, `base.qw` (see
`PARTS`). Numbers that are missing or not finite, rows of another length, names that occur twice and times that do not
increase are refused with the row and the column. So are velocities and accelerations, unless they are zero: they bend
the path between the points (see `messages.py`); and arrays of an archive that are not known.
"""

from __future__ import annotations

import csv
import io
import math
import zipfile
import zlib
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from tocsin import _cast
from tocsin._types import FloatArray, Matrix, Numeric, PathLike, Values
from tocsin.errors import TocsinError, unknown_name
from tocsin.io.files import existing_file, read_bytes, refused
from tocsin.io.messages import RATES, joint_trajectory, start_of, straight
from tocsin.io.yamlfile import read_structure
from tocsin.model.robot import Joint, Robot

PARTS = {
    "planar": ("x", "y", "angle"),
    "ball": ("qx", "qy", "qz", "qw"),
    "floating": ("x", "y", "z", "qx", "qy", "qz", "qw"),
}
"""Columns of joints with several values, after the joint's name and a dot."""

ARRAYS = ("positions", "joint_names", "times", *RATES)
"""What an archive may hold."""

INTERPOLATIONS = ("linear",)
"""What a caller may say of how a controller drives from point to point."""

SUFFIXES = (".npy", ".npz", ".csv", ".parquet", ".yaml", ".yml", ".json")

MOST_NUMBERS = 1 << 24
"""Values in a trajectory: 40 minutes of seven joints, a thousand times a second."""

LONGEST_LINE = 1 << 17
"""Characters in a line of a CSV file: thousands of columns."""

MOST_EMPTY_LINES = 100_000
"""Lines of a CSV file without anything in them."""

AGREE = 1e-6
"""How far (radians, metres) a recorded mimic joint may be from what it mimics; files carry few digits."""

_WHAT = "the trajectory"


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Configurations in a row; between two of them every joint moves at a constant rate.

    `times` say when; the path, and so what is proven of it, does not depend on them.
    """

    joint_names: tuple[str, ...]
    """One for each column; empty if the file names none."""
    positions: Matrix
    """(k, n), radians and metres."""
    times: Values | None = None
    """(k,) seconds, increasing; None if the file has none."""
    source: str = ""
    standing: tuple[tuple[str, float], ...] = ()
    """Joints, and where they stand as far as the columns do not move them."""

    def __post_init__(self) -> None:
        """Check that names, positions and times fit together."""
        where = f"the trajectory {self.source!r}"
        given = _cast.numbers(self.positions, f"the positions of {where}", "a table of numbers")
        positions = np.atleast_2d(given).copy()
        if positions.ndim != 2 or 0 in positions.shape:
            raise TocsinError(f"{where} must be a table of rows and columns; got shape {positions.shape}.")
        object.__setattr__(self, "joint_names", _cast.names(self.joint_names, f"the joint names of {where}"))
        if self.joint_names and len(self.joint_names) != positions.shape[1]:
            raise TocsinError(f"{where} has {positions.shape[1]} columns, but {len(self.joint_names)} joint names.")
        seen: set[str] = set()
        for name in self.joint_names:
            if name in seen:
                raise TocsinError(f"{where} has two columns for joint {name!r}.")
            seen.add(name)
        wrong = np.argwhere(~np.isfinite(positions))
        if len(wrong):
            row, column = int(wrong[0, 0]), int(wrong[0, 1])
            name = repr(self.joint_names[column]) if self.joint_names else str(column)
            raise TocsinError(f"{where}: row {row}, column {name} is not a finite number.")
        if self.times is not None:
            times = _cast.kept(self.times, f"the times of {where}", (len(positions),))
            stuck = np.flatnonzero(np.diff(times) <= 0.0)
            if len(stuck):
                k = int(stuck[0])
                raise TocsinError(
                    f"{where}: times must increase, but row {k} is at {times[k]:g} s and row {k + 1} at "
                    f"{times[k + 1]:g} s."
                )
            object.__setattr__(self, "times", times)
        positions.setflags(write=False)
        object.__setattr__(self, "positions", positions)

    def __repr__(self) -> str:
        rows, columns = self.positions.shape
        seconds = f", {self.times[-1] - self.times[0]:g} s" if self.times is not None else ""
        return f"<Trajectory {self.source!r}: {rows} configurations of {columns} values{seconds}>"

    def path(self, robot: Robot, *, group: str | None = None) -> Matrix:
        """Return (k, n_config): the robot's configurations; joints that are not named stay as the robot stands.

        A trajectory without names must have the robot's whole configuration as columns, or those of a `group`. Joints
        that mimic others may be named too; their values must agree with what they mimic.
        """
        names = self.joint_names or self._implied(robot, group)
        places = {name: k for k, name in enumerate(_columns(robot.joints))}
        followers = {joint.name: joint for joint in robot.joints if joint.mimic is not None}
        standing = {name: value for name, value in self.standing if name not in followers and name not in names}
        path = np.tile(robot.configuration(standing), (len(self.positions), 1))
        for k, name in enumerate(names):
            if name in places:
                path[:, places[name]] = self.positions[:, k]
            elif name not in followers:
                raise unknown_name("joint", name, places)
        for k, name in enumerate(names):
            if name in followers:
                self._check_follower(robot, followers[name].child, name, path, self.positions[:, k])
        return path

    def _implied(self, robot: Robot, group: str | None) -> tuple[str, ...]:
        """Return the columns of a trajectory without names."""
        if group is not None:
            if group not in robot.groups:
                raise unknown_name("group", group, robot.groups)
            by_name = {joint.name: joint for joint in robot.joints}
            names = _columns(by_name[name] for name in robot.groups[group])
        else:
            names = _columns(robot.joints)
        if len(names) != self.positions.shape[1]:
            raise TocsinError(
                f"the trajectory {self.source!r} names no joints and has {self.positions.shape[1]} columns, but "
                f"{robot.name!r} has {len(names)} values ({', '.join(names)}); give joints=[...] for its columns."
            )
        return names

    def _check_follower(self, robot: Robot, child: str, name: str, path: Matrix, given: Values) -> None:
        link = robot.links[robot.link_index(child)]
        expected = link["multiplier"] * path[:, link["config"] - (robot.width - robot.n_config)] + link["offset"]
        far = np.abs(expected - given) > AGREE
        if far.any():
            row = int(np.argmax(far))
            raise TocsinError(
                f"the trajectory {self.source!r}, row {row}: joint {name!r} mimics another and would be at "
                f"{expected[row]:g}, but is at {given[row]:g}."
            )


def _columns(joints: Iterable[Joint]) -> tuple[str, ...]:
    """Return the name of every value that joints have in a configuration."""
    names: list[str] = []
    for joint in joints:
        if joint.width == 1:
            names.append(joint.name)
        elif joint.width:
            names += [f"{joint.name}.{part}" for part in PARTS[joint.kind]]
    return tuple(names)


def load_trajectory(
    path: PathLike, *, joints: Iterable[str] | None = None, interpolation: str | None = None
) -> Trajectory:
    """Read a trajectory; `joints` names the columns of a file that does not name them itself.

    A file whose velocities or accelerations bend the path between its points is refused, as proofs are about straight
    lines of the joints; `interpolation="linear"` says that straight lines are what the controller drives all the same.
    """
    file = existing_file(path, _WHAT)
    given = _cast.names(joints, "joints") if joints is not None else ()
    linear = interpolation is not None and bool(_cast.choice(interpolation, "interpolation", INTERPOLATIONS))
    found = _read(file, given, linear)
    if given and found.joint_names != given:
        said = ", ".join(map(repr, found.joint_names))
        raise TocsinError(f"joints= is for files without names, but {str(file)!r} names its joints: {said}.")
    return found


def _read(file: Path, given: tuple[str, ...], linear: bool) -> Trajectory:
    """Read a file of any kind; those that name no joints have the given ones."""
    suffix, source = file.suffix.lower(), str(file)
    if suffix == ".npy":
        positions = _array(io.BytesIO(read_bytes(file, _WHAT, limit=8 * MOST_NUMBERS)), file)
        return Trajectory(given, _numbers(positions, file), source=source)
    if suffix == ".npz":
        arrays = _archive(file)
        if "positions" not in arrays:
            raise refused(file, _WHAT, f"it has no 'positions'; it has: {', '.join(map(repr, arrays)) or 'nothing'}")
        odd = [name for name in arrays if name not in ARRAYS]
        if odd:
            raise refused(file, _WHAT, f"it has {odd[0]!r}, which is not known; known are: {', '.join(ARRAYS)}")
        for rates in RATES if not linear else ():
            straight(_numbers(arrays[rates], file) if rates in arrays else 0.0, rates, f"the trajectory {source!r}")
        listed = arrays.get("joint_names", np.array(given)).ravel()
        if len(listed) > LONGEST_LINE:
            raise refused(file, _WHAT, f"it has {len(listed)} joint names; at most {LONGEST_LINE} are read")
        names = tuple(str(name) for name in listed.tolist())
        times = _numbers(arrays["times"], file) if "times" in arrays else None
        return Trajectory(names, _numbers(arrays["positions"], file), times, source)
    if suffix == ".csv":
        names, rows = _csv(file)
        return _table(names, rows, source)
    if suffix == ".parquet":
        names, rows = _parquet(file)
        return _table(names, rows, source)
    if suffix in (".yaml", ".yml", ".json"):
        try:
            message = read_structure(file, _WHAT)
            names, positions, times = joint_trajectory(message, linear=linear)
            standing = tuple(start_of(message).items())
        except TocsinError as error:
            if source in str(error):
                raise
            raise refused(file, _WHAT, str(error).rstrip(".")) from None
        return Trajectory(names, positions, times, source, standing)
    raise TocsinError(
        f"cannot read a trajectory from {source!r}: "
        f"{'files of kind ' + repr(suffix) if suffix else 'files without suffix'} are not known; "
        f"trajectories are: {', '.join(SUFFIXES)}."
    )


def _table(names: list[str], rows: Matrix, source: str) -> Trajectory:
    """Return the trajectory of named columns, one of which may be the time."""
    clocks = [k for k, name in enumerate(names) if name.lower() in ("time", "time_from_start")]
    if len(clocks) > 1:
        raise TocsinError(f"the trajectory {source!r} has two columns of times.")
    kept = [k for k in range(len(names)) if k not in clocks]
    times = rows[:, clocks[0]] if clocks else None
    return Trajectory(tuple(names[k] for k in kept), rows[:, kept], times, source)


def _numbers(array: Numeric, file: Path) -> FloatArray:
    if array.dtype.kind not in "fiu":
        raise refused(file, _WHAT, f"its array must hold numbers, not {array.dtype}")
    return array.astype(np.float64)


def _array(stream: IO[bytes], file: Path) -> Numeric:
    """Read one .npy array whose header is believed only if the bytes are there; objects are never unpickled."""
    try:
        version = np.lib.format.read_magic(stream)
        read = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}[version]
        shape, columns_first, dtype = read(stream)
    except KeyError:
        raise refused(file, _WHAT, "its array is of an unknown version of .npy") from None
    except Exception as error:  # whatever numpy trips over in a damaged header
        raise refused(file, _WHAT, f"it is not a .npy array ({' '.join(str(error).split())[:100]})") from None
    if dtype.hasobject:
        raise refused(file, _WHAT, "it holds Python objects, which are not read")
    if not dtype.itemsize or not all(0 < n <= MOST_NUMBERS for n in shape):
        raise refused(file, _WHAT, f"its array claims shape {shape} of {dtype}; each must be 1 to {MOST_NUMBERS}")
    data = stream.read()
    if math.prod(shape) * dtype.itemsize != len(data):
        raise refused(file, _WHAT, f"its array claims shape {shape} of {dtype}, but has {len(data)} bytes")
    return np.frombuffer(data, dtype).reshape(shape, order="F" if columns_first else "C")


def _archive(file: Path) -> dict[str, Numeric]:
    data = read_bytes(file, _WHAT, limit=8 * MOST_NUMBERS)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            if sum(member.file_size for member in members) > 8 * MOST_NUMBERS or len(members) > 1000:
                raise refused(file, _WHAT, f"its arrays unpack to more than {8 * MOST_NUMBERS} bytes")
            arrays: dict[str, Numeric] = {}
            for member in members:
                with archive.open(member) as stream:
                    arrays[member.filename.removesuffix(".npy")] = _array(stream, file)
            return arrays
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, zlib.error) as error:
        raise refused(file, _WHAT, f"it is not an .npz archive ({' '.join(str(error).split())[:100]})") from None


def _csv(file: Path) -> tuple[list[str], Matrix]:
    names: list[str] = []
    values = array("d")
    count, separator = 0, ","
    for line in _csv_lines(read_bytes(file, _WHAT), file):
        if not names:
            line = line.removeprefix("#")  # numpy writes headers as comments
            separator = next((mark for mark in ",;\t" if mark in line), ",")
            names = [name.strip() for name in _cells(line, separator, file)]
            if any(not name or _is_number(name) for name in names):
                break
            continue
        row = _cells(line, separator, file)
        if len(row) != len(names):
            raise refused(file, _WHAT, f"row {count} has {len(row)} values for {len(names)} columns")
        try:
            values.extend(map(float, row))
        except ValueError:
            c, value = next((c, value) for c, value in enumerate(row) if not _is_number(value))
            reason = f"row {count}, column {names[c]!r} is {value.strip()[:40]!r}, which is not a number"
            raise refused(file, _WHAT, reason) from None
        count += 1
        if count * len(names) > MOST_NUMBERS:
            raise refused(file, _WHAT, f"it has more than {MOST_NUMBERS} numbers")
    if not names or any(not name or _is_number(name) for name in names):
        raise refused(file, _WHAT, "its first line must name the joints, one a column")
    if not count:
        raise refused(file, _WHAT, "it has no rows below the line of names")
    return names, np.frombuffer(values).reshape(count, len(names))


def _csv_lines(data: bytes, file: Path) -> Iterator[str]:
    """Give the lines that are not empty, one at a time: as Python objects, all of them would fill the memory."""
    empty = number = 0
    stream = io.TextIOWrapper(io.BytesIO(data), "utf-8-sig")
    while True:
        number += 1
        try:
            line = stream.readline(LONGEST_LINE)
        except UnicodeDecodeError as error:
            raise refused(file, _WHAT, f"it is not UTF-8 text ({error.reason} near line {number})") from None
        if not line:
            return
        if len(line) == LONGEST_LINE or "\0" in line:
            what = "has a zero byte" if "\0" in line else f"is longer than {LONGEST_LINE} characters"
            raise refused(file, _WHAT, f"it is not CSV: line {number} {what}")
        if line.isspace():
            empty += 1
            if empty > MOST_EMPTY_LINES:
                raise refused(file, _WHAT, f"it has more than {MOST_EMPTY_LINES} empty lines")
        else:
            yield line.rstrip("\n")


def _cells(line: str, separator: str, file: Path) -> list[str]:
    """Return the cells of one line; quotes are taken off."""
    if '"' not in line:
        return line.split(separator)
    try:
        return next(csv.reader([line], delimiter=separator, strict=True))
    except csv.Error as error:
        raise refused(file, _WHAT, f"it is not CSV ({error})") from None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _parquet(file: Path) -> tuple[list[str], Matrix]:
    existing_file(file, _WHAT)
    try:
        import pyarrow.parquet  # pyright: ignore[reportMissingTypeStubs]
        import pyarrow.types  # pyright: ignore[reportMissingTypeStubs]
    except ImportError:
        raise TocsinError("reading .parquet files needs pyarrow: pip install 'tocsin[parquet]'.") from None
    parquet: Any = pyarrow.parquet  # they have no types
    types: Any = pyarrow.types
    try:
        with parquet.ParquetFile(file) as table:
            claimed = (table.metadata.num_rows, table.metadata.num_columns)
            if claimed[0] * claimed[1] > MOST_NUMBERS:
                raise refused(file, _WHAT, f"it claims {claimed[0]} rows of {claimed[1]} columns: too many to hold")
            for name, kind in zip(table.schema_arrow.names, table.schema_arrow.types):
                if not (types.is_integer(kind) or types.is_floating(kind)):  # text may unpack to anything
                    raise refused(file, _WHAT, f"column {name[:80]!r} must hold numbers, not {kind}")
            found = table.read()
    except TocsinError:
        raise
    except Exception as error:  # whatever the reader trips over in a damaged file
        raise refused(file, _WHAT, f"it is not Parquet ({' '.join(str(error).split())[:100]})") from None
    columns: list[Values] = []
    for name, column in zip(found.column_names, found.columns):
        if column.null_count:
            row = column.is_null().to_pylist().index(True)
            raise refused(file, _WHAT, f"row {row}, column {name!r} is missing")
        columns.append(column.to_numpy().astype(np.float64))
    if not columns or found.num_rows == 0:
        raise refused(file, _WHAT, "it has no rows")
    return list(found.column_names), np.column_stack(columns)

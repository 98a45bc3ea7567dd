"""Trajectories of other programs: configurations in a row, by joint name, with or without times.

| suffix | |
|---|---|
| `.npy` | (k, n) numbers; the columns are named by `joints`, or are the robot's whole configuration |
| `.npz` | `positions` (k, n), `joint_names`, and `times` if there are any |
| `.csv` | the first line names the joints; a column `time` holds seconds |
| `.parquet` | the same, as columns |
| `.yaml`, `.json` | MoveIt's RobotTrajectory, or a DisplayTrajectory whose pieces follow each other |

Joints are matched by name, never by position. A joint of several values has a column for each: `base.x`, `base.qw` (see
`model.following`). Numbers that are missing or not finite, rows of another length, names that occur twice and times
that do not increase are refused with the row and the column; and arrays of an archive that are not known.

Velocities and accelerations bend the path between the points: with velocities it is cubics, with accelerations too
quintics, as ros2_control's joint_trajectory_controller drives them (`model.trajectory`), unless the caller says that
the controller drives straight lines (`interpolation="linear"`). In tables they are columns `elbow.velocity` and
`elbow.acceleration`; in archives arrays. An archive may hold any piecewise polynomial: `times` and `coefficients`.
"""

from __future__ import annotations

import csv
import io
import math
import zipfile
import zlib
from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np

from tocsin import _cast
from tocsin._types import FloatArray, Matrix, Numeric, PathLike, Values
from tocsin.errors import TocsinError
from tocsin.io.files import check_squeezed, existing_file, read_bytes, refused
from tocsin.io.messages import RATES, joint_trajectory, start_of
from tocsin.io.yamlfile import read_structure
from tocsin.model.trajectory import Trajectory

ARRAYS = ("positions", "joint_names", "times", *RATES, "coefficients")
"""What an archive may hold."""

INTERPOLATIONS = ("linear", "spline")
"""What a caller may say of how a controller drives from point to point; "spline" is what points' rates say anyway."""

SUFFIX = {"velocities": ".velocity", "accelerations": ".acceleration"}
"""What columns of rates are called, after the joint's name."""

SUFFIXES = (".npy", ".npz", ".csv", ".parquet", ".yaml", ".yml", ".json")

PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""How `numpy.savez` and `numpy.savez_compressed` pack arrays."""

DAMAGED = (
    zipfile.BadZipFile,  # whatever of the lists, and of the sums over arrays, does not fit
    ValueError,  # a list that would begin before the file does, a name that is not UTF-8
    RuntimeError,  # a password is asked for, or, as NotImplementedError, another version of the format
    EOFError,  # it ends within an array
    zlib.error,  # what is packed is damaged
)
"""What `zipfile` raises in an archive that is not whole."""

MOST_NUMBERS = 1 << 24
"""Values in a trajectory: 40 minutes of seven joints, a thousand times a second."""

LONGEST_LINE = 1 << 17
"""Characters in a line of a CSV file: thousands of columns."""

MOST_EMPTY_LINES = 100_000
"""Lines of a CSV file without anything in them."""

_WHAT = "the trajectory"


def load_trajectory(
    path: PathLike, *, joints: Iterable[str] | None = None, interpolation: str | None = None
) -> Trajectory:
    """Read a trajectory; `joints` names the columns of a file that does not name them itself.

    Velocities and accelerations are used: between points that have them the path is cubics or quintics.
    `interpolation="linear"` says that the controller drives straight lines all the same.
    """
    file = existing_file(path, _WHAT)
    given = _cast.names(joints, "joints") if joints is not None else ()
    linear = interpolation is not None and _cast.choice(interpolation, "interpolation", INTERPOLATIONS) == "linear"
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
        return Trajectory(None, _numbers(positions, file), joint_names=given, source=source)
    if suffix == ".npz":
        arrays = _archive(file)
        if "positions" not in arrays and ("coefficients" not in arrays or "times" not in arrays):
            raise refused(file, _WHAT, f"it has no 'positions'; it has: {', '.join(map(repr, arrays)) or 'nothing'}")
        odd = [name for name in arrays if name not in ARRAYS]
        if odd:
            raise refused(file, _WHAT, f"it has {odd[0]!r}, which is not known; known are: {', '.join(ARRAYS)}")
        listed = arrays.get("joint_names", np.array(given, np.str_)).ravel()
        if len(listed) > LONGEST_LINE:
            raise refused(file, _WHAT, f"it has {len(listed)} joint names; at most {LONGEST_LINE} are read")
        names = _texts(listed, file)
        if "coefficients" in arrays:
            if linear or any(name in arrays for name in ("positions", *RATES)):
                raise refused(
                    file, _WHAT, "it holds coefficients of polynomials, which are neither points nor straight"
                )
            table = _numbers(arrays["coefficients"], file)
            return Trajectory.of_pieces(_numbers(arrays["times"], file), table, joint_names=names, source=source)
        times, velocities, accelerations = (
            _numbers(arrays[name], file) if name in arrays else None for name in ("times", *RATES)
        )
        rates = (None, None) if linear else (velocities, accelerations)
        return Trajectory(times, _numbers(arrays["positions"], file), *rates, joint_names=names, source=source)
    if suffix == ".csv":
        names, rows = _csv(file)
        return _table(names, rows, source, linear)
    if suffix == ".parquet":
        names, rows = _parquet(file)
        return _table(names, rows, source, linear)
    if suffix in (".yaml", ".yml", ".json"):
        try:
            message = read_structure(file, _WHAT)
            names, positions, times, *rates = joint_trajectory(message)
            standing = tuple(start_of(message).items())
        except TocsinError as error:
            if source in str(error):
                raise
            raise refused(file, _WHAT, str(error).rstrip(".")) from None
        if times is None and not linear and any(np.nan_to_num(rate).any() for rate in rates):
            raise refused(file, _WHAT, "its points have velocities or accelerations that are not zero, but no times")
        if linear or times is None:
            rates = [None, None]
        return Trajectory(times, positions, *rates, joint_names=names, source=source, standing=standing)
    raise TocsinError(
        f"cannot read a trajectory from {source!r}: "
        f"{'files of kind ' + repr(suffix) if suffix else 'files without suffix'} are not known; "
        f"trajectories are: {', '.join(SUFFIXES)}."
    )


def _table(names: list[str], rows: Matrix, source: str, linear: bool) -> Trajectory:
    """Return the trajectory of named columns, one of which may be the time, and some of which may be rates."""
    clocks = [k for k, name in enumerate(names) if name.lower() in ("time", "time_from_start")]
    if len(clocks) > 1:
        raise TocsinError(f"the trajectory {source!r} has two columns of times.")
    ends = tuple(SUFFIX.values())
    kept = [k for k in range(len(names)) if k not in clocks and not names[k].endswith(ends)]
    times = rows[:, clocks[0]] if clocks else None
    joints = tuple(names[k] for k in kept)
    rates: list[Matrix | None] = []
    for what, end in SUFFIX.items():
        found = {name.removesuffix(end): k for k, name in enumerate(names) if name.endswith(end)}
        odd = [name for name in found if name not in joints]
        missing = [name for name in joints if found and name not in found]
        if odd or missing:
            name = (odd or missing)[0]
            raise TocsinError(
                f"the trajectory {source!r} has {what} of some joints only: {name!r} has no column of its own."
            )
        rates.append(rows[:, [found[name] for name in joints]] if found and not linear else None)
    return Trajectory(times, rows[:, kept], *rates, joint_names=joints, source=source)


def _texts(array: Numeric, file: Path) -> tuple[str, ...]:
    """Return what an array of text says, if that is text: it may hold any numbers in place of letters."""
    if array.dtype.kind == "U":
        letters = np.frombuffer(np.ascontiguousarray(array).tobytes(), array.dtype.byteorder + "u4")
        if not ((letters > 0x10FFFF) | ((letters >= 0xD800) & (letters < 0xE000))).any():
            return tuple(array.tolist())
    raise refused(file, _WHAT, "its joint names are not text")


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
            check_squeezed(sum(member.file_size for member in members) // 8, file, _WHAT)
            if any(member.compress_type not in PACKED for member in members):
                raise refused(file, _WHAT, "its arrays are packed in a way that numpy does not")
            arrays: dict[str, Numeric] = {}
            for member in members:
                if member.filename.removesuffix(".npy") in arrays:
                    raise refused(file, _WHAT, f"it holds {member.filename[:80]!r} twice")
                with archive.open(member) as stream:
                    arrays[member.filename.removesuffix(".npy")] = _array(stream, file)
            return arrays
    except TocsinError:
        raise
    except DAMAGED as error:
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
            if "_" in line:  # which Python takes for a digit separator
                raise ValueError
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
    return "_" not in text


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
            check_squeezed(claimed[0] * claimed[1], file, _WHAT)
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

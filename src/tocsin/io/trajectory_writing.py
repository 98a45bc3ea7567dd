"""Trajectories written for other programs, and for ours: what `load_trajectory` reads again.

| suffix | |
|---|---|
| `.npz` | any piecewise polynomial, bit by bit: `times`, `coefficients`, `joint_names` |
| `.csv`, `.parquet` | a row for each knot: `time`, joints, and `.velocity` and `.acceleration` of each on a curve |
| `.json`, `.yaml` | MoveIt's RobotTrajectory, with the same |

A row says where a joint is, how fast, and with what acceleration; a controller drives the only cubic or quintic that
fits two of them. So straight lines, cubics whose rates do not jump, and quintics whose accelerations do not can be
written as rows. Everything else is refused with what to do: an archive, or straight lines (`resample`).
"""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np

from tocsin import _cast, _given
from tocsin.errors import TocsinError
from tocsin.model.trajectory import Trajectory, bernstein, derived

SUFFIXES = (".npz", ".csv", ".parquet", ".json", ".yaml", ".yml")

WHAT = "a trajectory"

MOST = 5
"""Degree of what rows can say."""

SAME = 2.0**-36
"""Of what a joint's terms add up to: how far the curve through the rows may be off, which is rounding."""


def save_trajectory(path: str | Path, trajectory: Trajectory) -> np.ndarray:
    """Write a trajectory; return (n,) how far what `load_trajectory` reads is off at most, by joint.

    An archive, `.npz`, holds every trajectory exactly. Of the others see `io.trajectory_writing`. A joint that the
    trajectory only says where it stands gets a column.

    >>> plan = Trajectory([0, 1], [[0.0], [0.5]], velocities=[[0], [0]], joint_names=["elbow"])
    >>> save_trajectory(getfixture("tmp_path") / "plan.csv", plan).tolist()
    [0.0]
    """
    file = _given.path(path, "cannot write a trajectory")
    suffix = file.suffix.lower()
    if not _cast.instance(trajectory, Trajectory):
        raise TocsinError(f"save_trajectory writes a Trajectory; got {type(trajectory).__name__}.")
    if suffix not in SUFFIXES:
        raise TocsinError(f"cannot write a trajectory to {str(file)!r}; files that can are: {', '.join(SUFFIXES)}.")
    standing = {name: value for name, value in trajectory.standing if name not in trajectory.joint_names}
    if standing and not trajectory.joint_names:
        raise TocsinError(
            f"this trajectory says where {next(iter(standing))!r} stands, and names no columns: give it joint_names=."
        )
    trajectory = trajectory.with_columns(trajectory.joint_names, standing)
    if suffix == ".npz":
        _save_archive(file, trajectory)
        return np.zeros(len(trajectory.gaps))
    if not trajectory.joint_names:
        raise TocsinError(
            f"rows of {suffix} files name their joints, and this trajectory does not: give it joint_names=, or write "
            ".npz."
        )
    rates, off = _rates(trajectory, file)
    if suffix == ".csv":
        _save_csv(file, trajectory, rates)
    elif suffix == ".parquet":
        _save_parquet(file, trajectory, rates)
    else:
        _save_message(file, trajectory, rates)
    return off


def _rates(trajectory: Trajectory, file: Path) -> tuple[list[np.ndarray], np.ndarray]:
    """Return what rows have beside positions, (k, n) each, and how far the curve through them is off at most."""
    order = 0 if trajectory.degree <= 1 else 1 if trajectory.degree <= 3 else 2
    lasts = np.diff(trajectory.knots)
    if trajectory.degree <= MOST:
        rates = [_at_knots(trajectory, k + 1) for k in range(order)]
        again = Trajectory(trajectory.knots, trajectory.positions, *rates)
        terms = max(again.coefficients.shape[1], trajectory.coefficients.shape[1])
        one, other = (_padded(t.coefficients, terms) for t in (again, trajectory))
        off = bernstein(one - other, lasts)
        if (off <= SAME * bernstein(np.abs(other), lasts)).all():
            return rates, off.max(axis=0)
    what = "rates or accelerations that jump" if trajectory.degree <= MOST else f"degree {trajectory.degree}"
    raise TocsinError(
        f"cannot write {str(file)!r}: rows say where joints are, how fast and with what acceleration, and this "
        f"trajectory has {what}; write .npz, which holds every one, or trajectory.resample(step)[0], straight lines."
    )


def _at_knots(trajectory: Trajectory, order: int) -> np.ndarray:
    """Return (k, n): a derivative at the knots, of the pieces that begin there, and of the last at its end."""
    curves = derived(trajectory.coefficients, order)
    return np.concatenate([curves[:, 0], trajectory(trajectory.knots[-1:], derivative=order)])


def _padded(coefficients: np.ndarray, terms: int) -> np.ndarray:
    return np.pad(coefficients, ((0, 0), (0, terms - coefficients.shape[1]), (0, 0)))


def _save_archive(file: Path, trajectory: Trajectory) -> None:
    arrays: dict[str, Any] = {"times": trajectory.knots, "coefficients": trajectory.coefficients}
    if not trajectory.stamped:
        arrays = {"positions": trajectory.positions}
    if trajectory.joint_names:
        arrays["joint_names"] = np.array(trajectory.joint_names)
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    _given.write(file, stream.getvalue(), WHAT)


def _columns(trajectory: Trajectory, rates: list[np.ndarray]) -> dict[str, np.ndarray]:
    """Return the columns of a table, by name."""
    found = {"time": trajectory.knots} if trajectory.stamped else {}
    for end, table in zip(("", ".velocity", ".acceleration"), (trajectory.positions, *rates)):
        found |= {name + end: table[:, k] for k, name in enumerate(trajectory.joint_names)}
    return found


def _save_csv(file: Path, trajectory: Trajectory, rates: list[np.ndarray]) -> None:
    columns = _columns(trajectory, rates)
    stream = io.StringIO(newline="")
    written = csv.writer(stream)
    written.writerow(columns)
    written.writerows(zip(*[column.tolist() for column in columns.values()]))  # as repr: every digit
    _given.write(file, stream.getvalue().encode(), WHAT)


def _save_parquet(file: Path, trajectory: Trajectory, rates: list[np.ndarray]) -> None:
    try:
        import pyarrow  # pyright: ignore[reportMissingTypeStubs]
        import pyarrow.parquet  # pyright: ignore[reportMissingTypeStubs, reportUnusedImport]
    except ImportError:
        raise TocsinError("writing .parquet files needs pyarrow: pip install 'tocsin[parquet]'.") from None
    arrow: Any = pyarrow  # it has no types
    stream = io.BytesIO()
    arrow.parquet.write_table(arrow.table(_columns(trajectory, rates)), stream)
    _given.write(file, stream.getvalue(), WHAT)


def _save_message(file: Path, trajectory: Trajectory, rates: list[np.ndarray]) -> None:
    points: list[dict[str, list[float] | float]] = []
    for k, row in enumerate(trajectory.positions.tolist()):
        point: dict[str, list[float] | float] = {"positions": row}
        point |= {name: rate[k].tolist() for name, rate in zip(("velocities", "accelerations"), rates)}
        if trajectory.stamped:
            point["time_from_start"] = float(trajectory.knots[k])
        points.append(point)
    message = {"joint_trajectory": {"joint_names": list(trajectory.joint_names), "points": points}}
    _given.write(file, (json.dumps(message, indent=1) + "\n").encode(), WHAT)  # JSON is YAML too

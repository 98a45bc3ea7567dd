"""What `tocsin bench run` leaves behind: a folder with pictures and `results.jsonl`.

The first line of that file says when, by which command, on which machine, with which versions and from which commit;
every further line is the record of one benchmark. Lines are written as benchmarks end, so that an interrupted run keeps
what it has; a last line that was cut off is left out by readers, with a warning. JSON knows
neither infinities nor NaN; they become null.
"""

from __future__ import annotations

import json
import re
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tocsin.errors import TocsinError
from tocsin_bench import report

FILE = "results.jsonl"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _.+-]*")
"""What a benchmark may be called."""


@dataclass(frozen=True)
class Run:
    """A run that was read back: where, about what, and the records by the name of their benchmark."""

    folder: Path
    about: dict[str, Any]
    records: dict[str, dict[str, Any]] = field(repr=False)

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.name


def start(root: Path) -> Path:
    """Make the folder of a new run, with the line that says where its numbers come from."""
    about = {"date": time.strftime("%Y-%m-%dT%H:%M:%S%z"), "command": report.command(), "machine": report.machine()}
    stamp = time.strftime("%Y%m%d-%H%M%S")
    commit = about["machine"]["commit"].replace("+", "-changed")
    folder = root / "-".join(part for part in (stamp, commit) if part)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / FILE).write_text(_line(about))
    except OSError as error:
        raise TocsinError(f"cannot write to {str(folder)!r}: {error.strerror}.") from None
    return folder


def add(folder: Path, record: Mapping[str, Any]) -> dict[str, Any]:
    """Append the record of one benchmark to a run, and return it as a reader will find it."""
    line = _line(record)
    with (folder / FILE).open("a") as file:
        file.write(line)
    return json.loads(line)


def _line(record: Mapping[str, Any]) -> str:
    """A record as one line of JSON; what JSON does not know becomes null."""
    text = json.dumps(record, default=report.plain)
    return json.dumps(json.loads(text, parse_constant=lambda _: None), allow_nan=False) + "\n"


def read(path: Path) -> Run:
    """Read a run: its folder, or its file."""
    file = path / FILE if path.is_dir() else path
    try:
        *whole, last = file.read_text().split("\n")  # what ends in a line break is written whole
        about, *records = [json.loads(line) for line in whole]
        by_name = {record["benchmark"]: record for record in records}
        if not about["machine"]["cpu"]:
            raise KeyError("cpu")
        if not all(NAME.fullmatch(name) for name in by_name):  # plots are called by them
            raise ValueError("name")
    except OSError as error:
        raise TocsinError(f"cannot read a run at {str(file)!r}: {error.strerror}.") from None
    except (ValueError, KeyError, TypeError):
        raise TocsinError(f"{str(file)!r} is not a file that `tocsin bench run` has written.") from None
    if last:
        warnings.warn(f"the last line of {str(file)!r} is cut off and left out.", stacklevel=2)
    return Run(file.parent, about, by_name)


def picture(run: Run, name: Any) -> Path | None:
    """The file of a picture, if it is an image in the run's own folder: a run may come from a stranger."""
    file = run.folder / str(name)
    if Path(str(name)).name != str(name) or file.suffix.lower() not in (".png", ".svg") or file.is_symlink():
        return None
    return file if file.is_file() else None


def latest(root: Path) -> Run:
    """The newest run under this folder."""
    found = sorted(root.glob(f"*/{FILE}"))
    if not found:
        raise TocsinError(f"there is no run in {str(root)!r}; make one with `tocsin bench run`, or name its folder.")
    return read(found[-1])

"""Where recorded data is found: `TOCSIN_DATA`, or `../shared/data` from the project's root. None of it is ours."""

import importlib.metadata
import os
from pathlib import Path


class Missing(Exception):
    """What a benchmark or a contestant needs is not here: a package, a file. The sentence says what."""


class Ended(Missing):
    """A contestant's process has not answered: too slow, crashed, or out of its depth. The sentence says which."""


def data_folder() -> Path:
    """Return the folder of recorded data: `TOCSIN_DATA`, or `../shared/data` from the project's root."""
    return Path(os.environ.get("TOCSIN_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")


def data_file(path: str) -> Path:
    """Return a file or folder of the recorded data; where it is not there, the benchmark is skipped with a sentence."""
    found = data_folder() / path
    if not found.exists():
        raise Missing(f"{path} is not in {str(data_folder())!r}; set TOCSIN_DATA to the folder of recorded data.")
    return found


def example_robot(path: str) -> Path:
    """Return a file of the package example-robot-data, under its folder `robots`."""
    try:
        package = importlib.metadata.distribution("example-robot-data")
    except importlib.metadata.PackageNotFoundError:
        raise Missing("needs example-robot-data: pip install './benchmarks[peers]'") from None
    return Path(str(package.locate_file("cmeel.prefix/share/example-robot-data/robots"))).resolve() / path

"""Where the tests find robots and scenes that nobody here wrote; a test that needs what is not there skips and says so.

`TOCSIN_DATA` names the folder of recorded data (default: `../shared/data` from the project's root). Robots also come
with the package `example-robot-data`, which is among the tests' own requirements.
"""

import importlib.metadata
import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

ROBOTS = (
    "atlas",
    "excavator_zx120",
    "fetch_mbm",
    "human36",
    "hyq",
    "iiwa14",
    "jvrc1",
    "panda_mbm",
    "pr2",
    "puma560",
    "solo12",
    "ur10",
)
"""The robots of the recorded data."""


def data_root() -> Path:
    """Return the folder in which recorded data is looked for; it may not be there."""
    return Path(os.environ.get("TOCSIN_DATA") or ROOT.parent / "shared" / "data")


def data_folder(*parts: str) -> Path:
    """Return a folder or file of the recorded data, or skip the test."""
    place = data_root().joinpath(*parts)
    if not place.exists():
        pytest.skip(f"needs {'/'.join(parts) or 'recorded data'} in the folder that TOCSIN_DATA names")
    return place


def robot_file(name: str) -> Path:
    """Return the URDF of one of `ROBOTS`, or skip the test."""
    return data_folder("robots", name, f"{name}.urdf")


def example_robots() -> Path:
    """Return the folder `robots` of the package example-robot-data, or skip the test."""
    try:
        package = importlib.metadata.distribution("example-robot-data")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("needs the package example-robot-data")
    return Path(str(package.locate_file("cmeel.prefix/share/example-robot-data/robots"))).resolve()

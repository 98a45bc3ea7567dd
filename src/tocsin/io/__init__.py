"""Files in: robots, meshes, scenes, problems and trajectories, each behind a door that trusts nothing it reads.

A reader either returns what the file says or raises one sentence that names the file and the element that is wrong.
Nothing is repaired in silence, nothing outside the folders that a description may use is opened, and sizes are looked
at before contents.

Readers are loaded when a file of their kind is first asked for: most programs read one kind, and some none.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tocsin._types import LongFaces, PathLike, Vectors
from tocsin.geometry.mesh import MESH_FILE
from tocsin.model.body import OCTOMAP_FILE, POINTS_FILE
from tocsin.model.robot import MJCF_FILE, SDF_FILE, URDF_FILE, Robot


def _read_mesh(file: Path) -> tuple[Vectors, LongFaces]:
    from tocsin.io.meshfile import merged, read_parts

    return merged(read_parts(file))


def _read_points(file: Path) -> Vectors:
    from tocsin.io.pointfile import read_points

    return read_points(file)


def _read_urdf(path: PathLike, **options: Any) -> Robot:
    from tocsin.io.urdf import load_urdf

    return load_urdf(path, **options)


def _read_mjcf(path: PathLike, **options: Any) -> Robot:
    from tocsin.io.mjcf import load_mjcf

    return load_mjcf(path, **options)


def _read_sdf(path: PathLike, **options: Any) -> Robot:
    from tocsin.io.sdf import load_sdf

    return load_sdf(path, **options)


def _read_octomap(path: Path, resolution: float | None) -> tuple[Vectors, Vectors]:
    from tocsin.io.octomap import read_octomap

    return read_octomap(path, resolution)


MESH_FILE.provide(_read_mesh)
POINTS_FILE.provide(_read_points)
URDF_FILE.provide(_read_urdf)
MJCF_FILE.provide(_read_mjcf)
SDF_FILE.provide(_read_sdf)
OCTOMAP_FILE.provide(_read_octomap)

"""What surrounds a robot, from a file or a folder: every body of it, named and placed.

| path | gives |
|---|---|
| `.stl`, `.ply`, `.off` | one body, named after the file |
| `.obj`, `.dae`, `.glb`, `.gltf` | a body for each named part, where the file's scene puts it |
| a folder | the bodies of all mesh files in it, not of folders below |
| `.scene`, `.yaml`, `.yml`, `.json` | the obstacles of a planning scene |
| `.urdf`, `.xacro`, `.sdf`, `.xml` | a standing robot |

Names are made distinct with -2, -3, ... where a file repeats them. Axes are never turned (glTF writers put y up).
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from tocsin import _cast, _given
from tocsin._types import Matrix4, PathLike, Values, Vector
from tocsin.errors import TocsinError
from tocsin.geometry.affine import moved
from tocsin.geometry.mesh import Mesh
from tocsin.io.meshfile import READERS, Part, read_parts
from tocsin.io.uris import Packages, folders_of
from tocsin.model.base import Model
from tocsin.model.body import Body
from tocsin.model.robot import Robot

SCENES = (".scene", ".yaml", ".yml", ".json")
ROBOTS = (".urdf", ".xacro", ".sdf", ".xml")

MOST_BODIES = 10_000
"""Bodies of one file or folder."""


def load_environment(
    path: PathLike, *, scale: ArrayLike | None = None, units: str | None = None, packages: Packages = (),
    robot: Robot | None = None,
) -> list[Model]:  # fmt: skip
    """Return the bodies (and robots) in a file or a folder; see the table above for what is read.

    `scale` is for meshes in other units: 0.001 for millimetres; or `units`: "mm". `packages`: where descriptions find
    what they name by `package://`, as in `Robot.from_urdf`. `robot`: in whose root, and what is fixed to it, a planning
    scene may place objects, and which carries what the scene has it carry: that is attached, and among the bodies.
    """
    place = _given.path(path, "an environment is a file or folder").expanduser()
    folders_of(packages)
    factors = _cast.scale(scale, units)
    if place.is_dir():
        return _folder(place, factors)
    if not place.exists():
        raise TocsinError(f"cannot load an environment from {str(place)!r}: it does not exist.")
    suffix = place.suffix.lower()
    if suffix in READERS:
        return list(_distinct(_bodies(place, factors)))
    if suffix in SCENES + ROBOTS and factors is not None:
        raise TocsinError(f"scale and units are for meshes; {str(place)!r} has its sizes in metres.")
    if suffix in SCENES:
        from tocsin.io.planning import environment_bodies, load_scene_file

        return list(environment_bodies(load_scene_file(place, packages=packages, robot=robot), str(place), robot))
    if suffix in ROBOTS:
        return [_standing(place, packages)]
    given = repr(suffix) if suffix else "a file without suffix"
    raise TocsinError(
        f"cannot load an environment from {str(place)!r}: no reader for {given}; environments are a folder of meshes "
        f"or: {', '.join((*READERS, *SCENES, *ROBOTS))}."
    )


def _standing(place: Path, packages: Packages) -> Model:
    if place.suffix.lower() == ".xml":
        from tocsin.io.files import parse_xml

        root = parse_xml(place, "the environment").tag
        if root == "mujoco":
            from tocsin.io.mjcf import load_mjcf

            return load_mjcf(place, packages=packages)
        if root != "robot":
            raise TocsinError(f"cannot load an environment from {str(place)!r}: its root is <{root}>, not <mujoco>.")
    if place.suffix.lower() == ".sdf":
        from tocsin.io.sdf import load_sdf

        return load_sdf(place, packages=packages)
    from tocsin.io.urdf import load_urdf

    return load_urdf(place, packages=packages)


def _folder(place: Path, scale: Values | None) -> list[Model]:
    files = sorted(file for file in place.iterdir() if file.suffix.lower() in READERS and file.is_file())
    away = next((file for file in files if not file.resolve().is_relative_to(place.resolve())), None)
    if away is not None:
        raise TocsinError(f"{str(away)!r} is a link to {str(away.resolve())!r}, outside of its folder; copy it there.")
    if not files:
        raise TocsinError(f"the folder {str(place)!r} has no meshes in it; meshes are: {', '.join(READERS)}.")
    if len(files) > MOST_BODIES:
        raise TocsinError(f"the folder {str(place)!r} has {len(files)} meshes, more than {MOST_BODIES}.")
    return list(_distinct([body for file in files for body in _bodies(file, scale)]))


def _bodies(file: Path, scale: Values | None) -> list[tuple[str, Mesh, Matrix4]]:
    """Return (name, mesh, pose) of every part of a mesh file that has triangles."""
    parts = [part for part in read_parts(file) if len(part.faces)]
    if not parts:
        raise TocsinError(f"cannot load {str(file)!r}: there are no triangles in it.")
    if len(parts) > MOST_BODIES:
        raise TocsinError(f"cannot load {str(file)!r}: it has {len(parts)} parts, more than {MOST_BODIES}.")
    factors = np.ones(3) if scale is None else np.broadcast_to(scale, 3)
    try:
        return [(file.stem if len(parts) == 1 else part.name, *_placed(part, factors, file)) for part in parts]
    except TocsinError as error:
        raise TocsinError(f"cannot load {str(file)!r}: {error}") from None


def _placed(part: Part, factors: Vector, file: Path) -> tuple[Mesh, Matrix4]:
    """Return a part's mesh in its own frame and its pose; a transform that is not rigid goes into the mesh."""
    used, faces = np.unique(part.faces, return_inverse=True)  # parts may share one array of vertices
    points, faces = part.vertices[used], faces.reshape(-1, 3)
    linear = part.transform[:3, :3]
    rigid = np.abs(linear @ linear.T - np.eye(3)).max() <= _cast.RIGID and np.linalg.det(linear) > 0.0
    uniform = np.ptp(factors) == 0.0 and factors[0] > 0.0
    name = f"{file.name}: {part.name}"
    if rigid and uniform:
        pose = np.eye(4)
        pose[:3, :3] = linear
        pose[:3, 3] = part.transform[:3, 3] * factors[0]
        return Mesh(points * factors[0], faces, name=name), pose
    transform = np.diag((*factors, 1.0)) @ part.transform
    if np.linalg.det(transform[:3, :3]) < 0.0:
        faces = faces[:, ::-1]
    return Mesh(moved(points, transform), faces, name=name), np.eye(4)


def _distinct(found: Iterable[tuple[str, Mesh, Matrix4]]) -> Iterable[Body]:
    """Make bodies with names that differ."""
    taken: set[str] = set()
    last: dict[str, int] = {}
    for given, mesh, pose in found:
        name, k = given, last.get(given, 1)
        while name in taken:
            k += 1
            name = f"{given}-{k}"
        taken.add(name)
        last[given] = k
        yield Body(mesh, pose, name=name)

"""A construction site of 0.39M triangles, an excavator of 19K and a tower crane of 1.3K [CATCH fig. 9, fig. 10].

Made in code, in metres. The site: rough ground, the shell of a building behind a scaffold of round tubes, stacks of
pipes, containers, barrels and trucks. The excavator drives (x, y, heading), swings, and has a boom, an arm and a
bucket; the crane swings its jib, runs its trolley and lowers its hook with a load.
"""

from __future__ import annotations

import itertools
import warnings
from functools import cache

import numpy as np
from scipy.spatial.transform import Rotation

import tocsin
from tocsin_bench.data import data_file
from tocsin_bench.scenes import shapes
from tocsin_bench.scenes.plant import tube
from tocsin_bench.scenes.shapes import Triangles

ALONG_Y = Rotation.from_euler("x", -90, degrees=True).as_matrix()
"""Turns z to y: axles."""


def moved(mesh: Triangles, shift: tuple[float, float, float], turn: np.ndarray | None = None) -> Triangles:
    """A mesh turned and shifted."""
    vertices = mesh[0] if turn is None else mesh[0] @ turn.T
    return vertices + shift, mesh[1]


def drum(radius: float, length: float, rings: int, segments: int) -> Triangles:
    """A closed cylinder along z from 0 to its length, of 2 x rings x segments triangles."""
    return shapes.lathe(np.array([(0.0, 0.0), (radius, 0.0), (radius, length), (0.0, length)]), rings, segments)


def pipe(start: tuple[float, float, float], end: tuple[float, float, float], radius: float, segments: int) -> Triangles:
    """A straight closed tube."""
    return tube(np.array([start, end], dtype=np.float64), radius, segments)


def _building() -> list[Triangles]:
    """Five floors on columns, 12 x 8 m."""
    parts = []
    for floor in range(5):
        parts.append(shapes.box((12.0, 8.0, 0.25), (9.0, 9.0, 0.2 + 3.0 * floor)))
        for x in np.linspace(3.5, 14.5, 5):
            for y in np.linspace(5.5, 12.5, 4):
                parts.append(moved(drum(0.2, 2.75, 11, 40), (x, y, 0.3 + 3.0 * floor)))
    return parts


def _scaffold() -> list[Triangles]:
    """Tubes and planks in front of the building, with couplers where tubes cross."""
    parts = []
    xs, levels = np.linspace(3.0, 15.0, 9), np.arange(1, 7) * 2.0
    for y in (3.4, 4.4):
        parts += [pipe((x, y, 0.0), (x, y, 13.0), 0.03, 24) for x in xs]
        parts += [pipe((2.7, y + 0.05, z), (15.3, y + 0.05, z), 0.03, 24) for z in levels]
        ball = shapes.icosphere(2, 0.055)
        parts += [moved(ball, (x, y + 0.03, z)) for x in xs for z in levels]
    parts += [pipe((x + 0.05, 3.3, z - 0.06), (x + 0.05, 4.5, z - 0.06), 0.03, 24) for x in xs for z in levels]
    parts += [shapes.box((12.4, 0.9, 0.04), (9.0, 3.9, z + 0.06)) for z in levels]
    return parts


def _pipes() -> list[Triangles]:
    """Two stacks of concrete pipes that lie open, thick-walled, and one that stands."""
    wall = np.array([(0.5, 0.0), (0.6, 0.0), (0.6, 4.0), (0.5, 4.0), (0.5, 0.0)])
    ring = _ring(wall, 20, 64)
    parts = []
    for x, y in ((-9.0, 6.0), (-9.0, 11.0)):
        for row in range(4):
            for k in range(5 - row):
                place = (x + 1.22 * k + 0.61 * row, y, 0.61 + 1.06 * row)
                parts.append(moved(ring, place, ALONG_Y))
    return [*parts, moved(ring, (-4.0, 4.0, 0.05))]


def _ring(profile: np.ndarray, rings: int, segments: int) -> Triangles:
    """Turn a closed polyline of (r, z) about z: a ring without poles."""
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(profile, axis=0), axis=1))])
    at = np.linspace(0.0, length[-1], rings, endpoint=False)
    r, z = np.interp(at, length, profile[:, 0]), np.interp(at, length, profile[:, 1])
    angle = np.arange(segments) * (2.0 * np.pi / segments)
    points = np.stack([r[:, None] * np.cos(angle), r[:, None] * np.sin(angle), np.tile(z[:, None], segments)], -1)
    i, j = np.meshgrid(np.arange(rings), np.arange(segments), indexing="ij")
    a, b = (i * segments + j).ravel(), (i * segments + (j + 1) % segments).ravel()
    c, d = (((i + 1) % rings) * segments + (j + 1) % segments).ravel(), (((i + 1) % rings) * segments + j).ravel()
    return points.reshape(-1, 3), np.concatenate([np.stack([a, c, b], -1), np.stack([a, d, c], -1)])


def _wheel(radius: float, width: float) -> Triangles:
    rim = np.array([(0.0, 0.0), (0.6 * radius, 0.0), (0.7 * radius, -0.02), (radius, 0.02), (radius, width - 0.02)]
                   + [(0.7 * radius, width + 0.02), (0.6 * radius, width), (0.0, width)])  # fmt: skip
    return moved(shapes.lathe(rim, 16, 48), (0.0, -0.5 * width, 0.0), ALONG_Y)


def truck(place: tuple[float, float], heading: float) -> Triangles:
    """A lorry with an open bed."""
    parts = [shapes.box((1.6, 2.2, 1.9), (2.6, 0.0, 1.7)), shapes.box((6.0, 1.0, 0.3), (0.0, 0.0, 0.8))]
    parts += [shapes.box((4.2, 0.08, 0.9), (-0.7, y, 1.5)) for y in (-1.1, 1.1)]
    parts += [shapes.box((0.08, 2.2, 0.9), (x, 0.0, 1.5)) for x in (-2.8, 1.4)]
    parts.append(shapes.box((4.2, 2.2, 0.08), (-0.7, 0.0, 1.05)))
    parts += [moved(_wheel(0.48, 0.3), (x, y, 0.5)) for x in (-2.0, -0.8, 2.4) for y in (-0.95, 0.95)]
    turn = Rotation.from_euler("z", heading).as_matrix()
    return moved(shapes.join(*parts), (*place, 0.05), turn)


@cache
def site() -> dict[str, Triangles]:
    """Everything that stands on the site, by name: 0.39M triangles."""
    barrels = [
        moved(shapes.lathe(_BARREL, 14, 40), (x, y, 0.05))
        for x in np.arange(-14.0, -10.0, 0.7)
        for y in np.arange(-10.0, -6.0, 0.7)
    ]
    containers = [shapes.box((6.0, 2.4, 2.5), (x, y, 1.35)) for x, y in ((-12.0, 0.0), (10.0, -11.0), (10.0, -8.0))]
    ground, faces = shapes.terrain(8, size=44.0, height=0.03, roughness=0.6, seed=2)
    ground[:, 2] -= ground[:, 2].max()
    return {
        "ground": (ground, faces),
        "building": shapes.join(*_building()),
        "scaffold": shapes.join(*_scaffold()),
        "pipes": shapes.join(*_pipes()),
        "barrels": shapes.join(*barrels),
        "containers": shapes.join(*containers),
        "truck": truck((5.0, -4.5), 0.5),
        "lorry": truck((-5.0, -13.0), -0.2),
    }


_BARREL = np.array(
    [(0.0, 0.0), (0.27, 0.0), (0.29, 0.03), (0.27, 0.28), (0.29, 0.3), (0.27, 0.32), (0.27, 0.58), (0.29, 0.6)]
    + [(0.27, 0.62), (0.27, 0.87), (0.29, 0.89), (0.27, 0.9), (0.0, 0.88)]
)


def bodies() -> list[tocsin.Body]:
    """The site as bodies."""
    return [tocsin.Body(tocsin.Mesh(*mesh), name=name) for name, mesh in site().items()]


def _track(y: float) -> Triangles:
    angle = np.linspace(0.0, 2.0 * np.pi, 81)[:-1]
    path = np.stack([1.5 * np.cos(angle), np.full(80, y), 0.42 + 0.34 * np.sin(angle)], -1)
    links = [moved(shapes.box((0.1, 0.5, 0.05)), (x, yy, z)) for x, yy, z in path]
    wheels = [moved(_wheel(0.28, 0.4), (x, y, 0.42)) for x in (-1.05, -0.35, 0.35, 1.05)]
    return shapes.join(*links, *wheels)


@cache
def excavator_meshes() -> dict[str, Triangles]:
    """The excavator's links in their own frames: 19K triangles."""
    hull = [shapes.box((1.0, 1.4, 0.35), (0.0, 0.0, 0.55)), moved(drum(0.6, 0.14, 13, 64), (0.0, 0.0, 0.72))]
    under = shapes.join(_track(-0.95), _track(0.95), *hull)
    cabin = [shapes.box((2.4, 2.2, 0.5), (-0.5, 0.0, 0.3)), shapes.box((1.0, 2.2, 0.7), (-1.3, 0.0, 0.85))]
    cabin += [shapes.box((1.2, 0.8, 1.3), (0.2, 0.7, 1.2)), moved(drum(0.08, 0.6, 10, 48), (-1.2, -0.6, 1.2))]
    knuckle = moved(drum(0.14, 0.4, 8, 32), (0.0, -0.2, 0.0), ALONG_Y)
    boom = [shapes.box((2.1, 0.3, 0.36), (1.0, 0.0, 0.12)), shapes.box((2.0, 0.26, 0.3), (2.9, 0.0, 0.12)), knuckle]
    boom += [pipe((0.4, y, -0.2), (2.4, y, -0.02), 0.06, 32) for y in (-0.24, 0.24)]
    arm = [shapes.box((2.2, 0.22, 0.26), (1.0, 0.0, 0.0)), knuckle, pipe((0.1, 0.0, 0.26), (1.7, 0.0, 0.2), 0.06, 32)]
    angle = np.linspace(-2.6, 0.4, 14)
    plates = []
    for a, b in itertools.pairwise(angle):
        middle, slope = 0.5 * (a + b), Rotation.from_euler("y", -0.5 * (a + b)).as_matrix()
        place = (0.42 + 0.42 * np.cos(middle), 0.0, 0.42 * np.sin(middle))
        plates.append(moved(shapes.box((0.04, 0.9, 0.11)), place, slope))
    teeth = [shapes.box((0.06, 0.08, 0.2), (0.82, y, 0.24)) for y in np.linspace(-0.38, 0.38, 5)]
    bucket = shapes.join(*plates, *teeth, knuckle)
    return {
        "under": under, "cabin": shapes.join(*cabin), "boom": shapes.join(*boom), "arm": shapes.join(*arm),
        "bucket": bucket,
    }  # fmt: skip


def excavator() -> tocsin.Robot:
    """Seven joints: x, y, heading, swing, boom, arm, bucket."""
    mesh = {name: tocsin.Mesh(*part) for name, part in excavator_meshes().items()}
    b = tocsin.RobotBuilder("excavator")
    b.link("site_x")
    b.link("drive_x", None, parent="site_x", joint="prismatic", axis=(1, 0, 0), limits=(-16, 16))
    b.link("drive_y", None, parent="drive_x", joint="prismatic", axis=(0, 1, 0), limits=(-16, 16))
    b.link("under", mesh["under"], parent="drive_y", joint="revolute", axis=(0, 0, 1), limits=(-np.pi, np.pi))
    b.link("cabin", mesh["cabin"], parent="under", joint="revolute", axis=(0, 0, 1), origin=(0, 0, 0.9),
           limits=(-np.pi, np.pi))  # fmt: skip
    b.link("boom", mesh["boom"], parent="cabin", joint="revolute", axis=(0, -1, 0), origin=(0.8, 0, 0.5),
           limits=(-0.2, 1.2))  # fmt: skip
    b.link("arm", mesh["arm"], parent="boom", joint="revolute", axis=(0, -1, 0), origin=(4.0, 0, 0.12),
           limits=(-2.4, -0.4))  # fmt: skip
    b.link("bucket", mesh["bucket"], parent="arm", joint="revolute", axis=(0, -1, 0), origin=(2.1, 0, 0.0),
           limits=(-2.2, 0.3))  # fmt: skip
    return b.build()


def recorded_excavator() -> tocsin.Robot:
    """A recorded excavator (ZX120) where the made one loads its truck."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        file = data_file("robots/excavator_zx120/excavator_zx120.urdf")
        robot = tocsin.Robot.from_urdf(file, ignore_overlapping=True)
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_euler("z", 0.5).as_matrix()
    pose[:3, 3] = 0.2, -7.2, 0.25
    robot.place(pose)
    return robot


def crane() -> tocsin.Robot:
    """A tower crane of about 1,300 triangles: swing, trolley, hoist; bars are thin boxes, the load is a pallet."""
    mast = []
    for z in np.arange(0.0, 20.0, 2.0):
        mast += [shapes.box((0.1, 0.1, 2.0), (x, y, z + 1.0)) for x in (-0.6, 0.6) for y in (-0.6, 0.6)]
        mast += [shapes.box((1.2, 0.06, 0.06), (0.0, y, z + 1.9)) for y in (-0.6, 0.6)]
    jib = [shapes.box((24.0, 0.1, 0.1), (7.0, y, 0.3)) for y in (-0.5, 0.5)]
    jib += [shapes.box((24.0, 0.1, 0.1), (7.0, 0.0, 1.2)), shapes.box((2.0, 1.4, 1.4), (-5.0, 0.0, 0.6))]
    jib += [shapes.box((0.06, 1.0, 0.06), (x, 0.0, 0.3)) for x in np.arange(-4.0, 19.0, 1.0)]
    jib += [shapes.box((0.06, 0.06, 0.9), (x, 0.0, 0.75)) for x in np.arange(-4.0, 18.0, 1.7)]
    load = [drum(0.05, 0.6, 4, 8), moved(shapes.box((0.5, 0.5, 0.6)), (0.0, 0.0, -0.5))]
    b = tocsin.RobotBuilder("crane")
    b.link("mast", tocsin.Mesh(*shapes.join(*mast)))
    b.link("jib", tocsin.Mesh(*shapes.join(*jib)), parent="mast", joint="revolute", axis=(0, 0, 1), origin=(0, 0, 20.1),
           limits=(-np.pi, np.pi))  # fmt: skip
    b.link("trolley", tocsin.Mesh(*shapes.box((0.8, 0.7, 0.2), (0.0, 0.0, 0.1))), parent="jib", joint="prismatic",
           axis=(1, 0, 0), limits=(3.0, 18.0))  # fmt: skip
    b.link("hook", tocsin.Mesh(*shapes.join(*load)), parent="trolley", joint="prismatic", axis=(0, 0, -1),
           origin=(0, 0, -0.8), limits=(0.5, 19.0))  # fmt: skip
    robot = b.build()
    robot.place(np.array([(1.0, 0, 0, -2.5), (0, 1, 0, 0.0), (0, 0, 1, 0.0), (0, 0, 0, 1)]))
    return robot

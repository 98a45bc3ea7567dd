"""Collision Course [CATCH 8.1, fig. 11]: trains moved by a real dynamics engine, every frame checked.

Four trains of 10 wagons, 23K triangles each, run into each other and tangle; a train of 17 wagons, 42K triangles, falls
on a mountain of 29K. MuJoCo moves boxes in place of the wagons, a little narrower than these at their wheels, so that
the meshes do touch at times (chimneys and buffers stick out besides); wagons hang together by ball joints, and the
first has a free joint. Its states at 30 frames a second become configurations, and each step from one frame to the next
is one query, with the meshes, and all trains moving at once.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import tocsin
from tocsin.viewer import render
from tocsin_bench.data import data_file
from tocsin_bench.scenes import cases, shapes
from tocsin_bench.scenes.shapes import Triangles

LENGTH = 1.9
"""From coupling to coupling, metres; x is backwards along the train from the front coupling of a wagon."""
HALF = np.array([0.87, 0.42, 0.56])
MIDDLE = np.array([-0.95, 0.0, 0.035])
"""The box that MuJoCo moves, in a wagon's frame."""
FRAME = 1.0 / 30.0
STEPS = 20
"""Steps of MuJoCo in a frame."""

COLOURS = ((0.75, 0.3, 0.25), (0.3, 0.45, 0.7), (0.85, 0.65, 0.3), (0.4, 0.6, 0.4))


def wagon(rings: int = 8) -> Triangles:
    """A tank wagon of about 2,300 triangles: tank, frame, four wheels, two buffers and a chimney."""
    along = Rotation.from_euler("y", -90, degrees=True).as_matrix()
    across = Rotation.from_euler("x", 90, degrees=True).as_matrix()
    bulge = np.array([(0.0, 0.0), (0.3, 0.05), (0.4, 0.2), (0.4, 1.4), (0.3, 1.55), (0.0, 1.6)])
    tank = shapes.lathe(bulge, rings, 24)
    parts = [_placed(tank, along, (-0.15, 0.0, 0.12)), shapes.box((1.6, 0.5, 0.1), (-0.95, 0.0, -0.32))]
    rim = np.array([(0.0, 0.0), (0.17, 0.0), (0.17, 0.04), (0.2, 0.05), (0.2, 0.09), (0.0, 0.09)])
    for x in (-0.45, -1.45):
        for y in (-0.3, 0.39):
            parts.append(_placed(shapes.lathe(rim, 8, 24), across, (x, y, -0.32)))
    rod = np.array([(0.0, 0.0), (0.05, 0.0), (0.05, 0.12), (0.1, 0.13), (0.1, 0.15), (0.0, 0.15)])
    parts += [_placed(shapes.lathe(rod, 5, 12), along, (x, 0.0, -0.3)) for x in (0.0, -1.75)]
    chimney = np.array([(0.0, 0.0), (0.09, 0.0), (0.07, 0.2), (0.11, 0.26), (0.0, 0.26)])
    return shapes.join(*parts, _placed(shapes.lathe(chimney, 6, 12), np.eye(3), (-0.5, 0.0, 0.45)))


def _placed(mesh: Triangles, rotation: np.ndarray, shift: tuple[float, float, float]) -> Triangles:
    return mesh[0] @ rotation.T + shift, mesh[1]


def build(name: str, wagons: int, mesh: Triangles) -> tocsin.Robot:
    """A train: wagons joined by ball joints behind one with a free base."""
    shape = tocsin.Mesh(*mesh)
    builder = tocsin.RobotBuilder(name, base="free")
    builder.link("wagon0", shape)
    for k in range(1, wagons):
        builder.link(f"wagon{k}", shape, parent=f"wagon{k - 1}", joint="ball", origin=(-LENGTH, 0.0, 0.0))
    return builder.build()


@dataclass(frozen=True)
class Start:
    """Where a train stands at first: place, heading and pitch (degrees), and how fast it goes forward."""

    place: tuple[float, float, float]
    heading: float
    pitch: float = 0.0
    speed: float = 0.0


def _xml(starts: list[Start], wagons: int, ground: str, assets: str) -> str:
    bodies = []
    for k, start in enumerate(starts):
        turn = Rotation.from_euler("ZY", (start.heading, start.pitch), degrees=True).as_quat()
        box = f'<geom type="box" size="{_text(HALF)}" pos="{_text(MIDDLE)}" density="300" friction="0.4"/>'
        inner = ""
        for _ in range(wagons - 1):
            inner = f'<body pos="{-LENGTH} 0 0"><joint type="ball" damping="4"/>{box}{inner}</body>'
        quat = f"{turn[3]} {turn[0]} {turn[1]} {turn[2]}"
        bodies.append(f'<body name="t{k}" pos="{_text(start.place)}" quat="{quat}"><freejoint/>{box}{inner}</body>')
    return (
        f'<mujoco><option timestep="{FRAME / STEPS}" integrator="implicitfast"/><asset>{assets}</asset><worldbody>'
        f"{ground}{''.join(bodies)}</worldbody></mujoco>"
    )


def _text(values: Any) -> str:
    return " ".join(f"{float(value):.9g}" for value in values)


def simulate(
    starts: list[Start], wagons: int, n_frames: int, ground: str, assets: str = "", heights: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Have MuJoCo move the trains; bases (frame, train, 4, 4) and configurations (frame, train, 4 (wagons - 1))."""
    engine: Any = importlib.import_module("mujoco")  # its names are made when it is loaded
    model: Any = engine.MjModel.from_xml_string(_xml(starts, wagons, ground, assets))
    if heights is not None:
        model.hfield_data[:] = heights.ravel() / heights.max()
    data: Any = engine.MjData(model)
    for k, start in enumerate(starts):
        body = model.body(f"t{k}")
        forward = data.qpos[model.jnt_qposadr[body.jntadr[0]] :][3:7]
        heading = Rotation.from_quat(np.roll(forward, -1)).apply((1.0, 0.0, 0.0))
        data.qvel[model.jnt_dofadr[body.jntadr[0]] :][:3] = start.speed * heading
    width = 7 + 4 * (wagons - 1)
    bases = np.tile(np.eye(4), (n_frames + 1, len(starts), 1, 1))
    q = np.zeros((n_frames + 1, len(starts), width - 7))
    for frame in range(n_frames + 1):
        states = data.qpos.reshape(len(starts), width)
        for k, state in enumerate(states):
            bases[frame, k, :3, 3] = state[:3]
            bases[frame, k, :3, :3] = Rotation.from_quat(np.roll(state[3:7], -1)).as_matrix()
            turns = np.roll(state[7:].reshape(-1, 4), -1, axis=1)
            q[frame, k] = (turns / np.linalg.norm(turns, axis=1, keepdims=True)).ravel()
        engine.mj_step(model, data, STEPS)
    return bases, q


def _case(
    name: str, trains: list[tocsin.Robot], bodies: list[tocsin.Body], bases: np.ndarray, q: np.ndarray
) -> cases.Case:  # fmt: skip
    def remake(k: int) -> tuple[Any, ...]:
        return tuple(
            train.move(q[k, i], q[k + 1, i], base=(bases[k, i], bases[k + 1, i])) for i, train in enumerate(trains)
        )

    scene = tocsin.Scene(*trains, *bodies)
    total = sum(len(shape.faces) for model in scene.models for link in model.shapes for shape in link)
    return cases.Case(name, scene, [remake(k) for k in range(len(q) - 1)], total, remake)


def four(n_frames: int) -> tuple[cases.Case, Callable[[str], None]]:
    """Four trains of ten wagons run into each other on a plane, the plane itself left out of the questions."""
    starts = [
        Start((3.5 * np.cos(a), 3.5 * np.sin(a), 0.62 + 0.02 * k), 180.0 + np.degrees(a) + 9.0, speed=16.0)
        for k, a in enumerate(np.radians((10.0, 95.0, 185.0, 280.0)))
    ]
    ground = '<geom type="plane" size="60 60 1" friction="0.1"/>'
    bases, q = simulate(starts, 10, n_frames, ground)
    trains = [build(f"train{k}", 10, wagon()) for k in range(4)]
    case = _case("four trains", trains, [], bases, q)

    def draw(path: str) -> None:
        render_scene = render.RenderScene()
        render_scene.add_board(2.0, 40, (0.78, 0.78, 0.76), (0.7, 0.7, 0.68))
        frame = min(n_frames, 40)
        for k, train in enumerate(trains):
            _add_train(render_scene, train, q[frame, k], bases[frame, k], COLOURS[k])
        render.render(render_scene, path, eye=(10.0, -13.0, 12.0), at=(0.0, 0.5, 0.0), zoom=2.1)

    return case, draw


def mountain(n: int = 121, size: float = 50.0) -> Triangles:
    """A mountain of 28,800 triangles: fractal ground raised towards its middle."""
    vertices, _ = shapes.terrain(7, size=size, height=1.5, roughness=0.6, seed=4)
    grid = vertices.reshape(129, 129, 3)[:n, :n].copy()
    grid[..., :2] -= 0.5 * (grid[0, 0, :2] + grid[-1, -1, :2])
    far = np.linalg.norm(grid[..., :2], axis=-1)
    grid[..., 2] += 12.0 * np.exp(-((far / 12.0) ** 2))
    grid[..., 2] -= grid[..., 2].min()
    return _sheet(grid)


def _sheet(grid: np.ndarray) -> Triangles:
    """Triangles over a grid of points (n, m, 3)."""
    n, m = grid.shape[:2]
    i, j = np.meshgrid(np.arange(n - 1), np.arange(m - 1), indexing="ij")
    a, b, c, d = (x.ravel() for x in (i * m + j, (i + 1) * m + j, (i + 1) * m + j + 1, i * m + j + 1))
    return grid.reshape(-1, 3), np.concatenate([np.stack([a, b, c], -1), np.stack([a, c, d], -1)])


def recorded_terrain() -> Triangles:
    """A recorded fractal terrain of 32,768 triangles, scaled to the mountain's size."""
    import trimesh

    (file,) = sorted(data_file("klampt-examples").rglob("*.off"))[:1]
    mesh: Any = trimesh.load(file, force="mesh", process=False)
    vertices = np.asarray(mesh.vertices, dtype=np.float64)
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    scale = 50.0 / (high - low)[:2].max()
    return (vertices - (*(0.5 * (low + high))[:2], low[2])) * scale, np.asarray(mesh.faces, dtype=np.int64)


def falling(ground: Callable[[], Triangles], n_frames: int) -> tuple[cases.Case, Callable[[str], None]]:
    """A train of 17 wagons drops nose down on the middle of a ground that stands."""
    vertices, faces = ground()
    top = vertices[np.linalg.norm(vertices[:, :2], axis=1) < 6.0, 2].max()
    assets, heights = _height_field(vertices)
    geom = '<geom type="hfield" hfield="ground" friction="0.5"/>'
    starts = [Start((2.0, 0.4, top + 3.0), 15.0, 55.0, 4.0)]
    bases, q = simulate(starts, 17, n_frames, geom, assets, heights)
    train = build("train", 17, wagon(11))
    body = tocsin.Body(tocsin.Mesh(vertices, faces), name="ground")
    case = _case("falling train", [train], [body], bases, q)

    def draw(path: str) -> None:
        render_scene = render.RenderScene()
        render_scene.add((vertices, faces), (0.5, 0.52, 0.45))
        for frame, colour in ((0, COLOURS[2]), (min(n_frames, 60), COLOURS[1]), (min(n_frames, 170), COLOURS[0])):
            _add_train(render_scene, train, q[frame, 0], bases[frame, 0], colour)
        render.render(render_scene, path, eye=(24.0, -34.0, 24.0), at=(-2.0, 0.0, 11.0), zoom=1.7)

    return case, draw


def _height_field(vertices: np.ndarray) -> tuple[str, np.ndarray]:
    """The ground, whose points lie on a square grid in x and y, as MuJoCo's height field, and its heights."""
    n = math.isqrt(len(vertices))
    # Rows go along x, from the lowest y on.
    z = vertices[np.lexsort((vertices[:, 0].round(6), vertices[:, 1].round(6)))][:, 2].reshape(n, n)
    half = 0.5 * (vertices[:, :2].max(axis=0) - vertices[:, :2].min(axis=0))
    size = f"{half[0]:.6f} {half[1]:.6f} {z.max():.6f} 1"
    return f'<hfield name="ground" nrow="{n}" ncol="{n}" size="{size}"/>', z


def _add_train(
    render_scene: render.RenderScene, train: tocsin.Robot, q: np.ndarray, base: np.ndarray,
    colour: tuple[float, float, float]
) -> None:  # fmt: skip
    source = train.shapes[0][0].mesh()
    for k, pose in enumerate(train.link_poses(q, base=base)):
        shade = 0.72 if k == 0 else 1.0
        red, green, blue = (shade * c for c in colour)
        render_scene.add((source.vertices, source.faces), (red, green, blue), pose)

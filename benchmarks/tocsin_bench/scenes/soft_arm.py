"""A cloth over a moving robot arm: one question across a deformable and an articulated model.

The cloth lies over the arm like a towel, a little above it, and follows it from frame to frame; over the last frames
the arm lifts faster than the cloth, and touches it. The arm is made in code; where the recorded data is at hand, a
Panda from its URDF takes its place.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

import tocsin
from tocsin_bench.scenes import shapes, soft_shapes
from tocsin_bench.scenes.shapes import Triangles


@dataclass(frozen=True)
class Draped:
    """A robot with its configurations, and a cloth with its vertices, frame by frame."""

    name: str
    robot: tocsin.Robot
    q: np.ndarray
    faces: np.ndarray
    cloth: np.ndarray
    """(frames, n, 3)."""


def triangles(robot: tocsin.Robot, q: np.ndarray) -> list[Triangles]:
    """What the links carry, in the world, as meshes; primitives as fine ones."""
    out = []
    for pose, carried in zip(robot.link_poses(q), robot.shapes):
        for shape in carried:
            mesh = shape.mesh()
            vertices = mesh.vertices @ shape.placement[:3, :3].T + shape.placement[:3, 3]
            out.append((vertices @ pose[:3, :3].T + pose[:3, 3], mesh.faces))
    return out


def drape(parts: list[Triangles], cells: int, middle: np.ndarray, half: float, gap: float, slope: float) -> Triangles:
    """A square cloth that lies over meshes, `gap` above them, falling off with `slope`.

    Its height over a point is the upper envelope of cones: of every point of the meshes (sampled finer than a cell),
    lifted, less the slope times the distance, and a little waved where it hangs.
    """
    vertices, faces = soft_shapes.sheet(2 * cells * cells)
    cell = 2.0 * half / cells
    top = np.full((cells + 1, cells + 1), -np.inf)
    for corners, own in parts:
        soup = corners[own]
        longest = np.linalg.norm(soup - np.roll(soup, 1, axis=1), axis=2).max(initial=0.0)
        n = int(np.ceil(2.0 * longest / cell)) + 2
        u, v = (part.ravel() for part in np.meshgrid(np.linspace(0, 1, n), np.linspace(0, 1, n), indexing="ij"))
        keep = u + v <= 1.0 + 1e-12
        weights = np.stack([1.0 - u - v, u, v], -1)[keep]
        points = np.einsum("wk,nkc->nwc", weights, soup).reshape(-1, 3)
        at = np.round((points[:, :2] - middle + half) / cell).astype(int)
        inside = ((at >= 0) & (at <= cells)).all(axis=1)
        np.maximum.at(top, (at[inside, 0], at[inside, 1]), points[inside, 2] + gap + 1.5 * slope * cell)
    highest = top.max()
    steps = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
    for _ in range(2 * cells):
        padded = np.pad(top, 1, constant_values=-np.inf)
        near = [padded[1 + i : cells + 2 + i, 1 + j : cells + 2 + j] - slope * cell * np.hypot(i, j) for i, j in steps]
        spread = np.maximum.reduce(near)
        if np.array_equal(spread, top):
            break
        top = spread
    placed = vertices * half + (*middle, 0.0)
    placed[:, 2] = top.reshape(-1)
    drop = np.clip((highest - placed[:, 2]) / (slope * half), 0.0, 1.0)
    wave = np.sin(9.0 * vertices[:, 0] + 1.0) + np.sin(11.0 * vertices[:, 1])
    placed[:, 2] += 0.05 * half * drop * (1.0 + 0.5 * wave)
    return placed, faces


def made(n_frames: int = 25, cells: int = 60) -> Draped:
    """An arm of four links made in code."""
    builder = tocsin.RobotBuilder("arm")
    limbs = (
        ("shoulder", shapes.limb(0.35, 0.07, rings=24, segments=24, bumps=0.05), (0.0, 0.0, 1.0), (0.0, 0.0, 0.0)),
        ("upper", shapes.limb(0.40, 0.055, rings=26, segments=24, bumps=0.08), (0.0, 1.0, 0.0), (0.0, 0.0, 0.48)),
        ("fore", shapes.limb(0.38, 0.045, rings=26, segments=24, bumps=0.08), (0.0, 1.0, 0.0), (0.0, 0.0, 0.51)),
        ("hand", shapes.limb(0.10, 0.05, rings=16, segments=24, bumps=0.12), (0.0, 0.0, 1.0), (0.0, 0.0, 0.49)),
    )
    parent = None
    for name, mesh, axis, origin in limbs:
        joint = {} if parent is None else {"parent": parent, "joint": "revolute", "axis": axis, "origin": origin}
        builder.link(name, tocsin.Mesh(*mesh), **joint)
        parent = name
    start, change = np.array([0.55, 1.0, 0.0]), np.array([-0.25, -0.30, 0.5])
    return _draped("arm and cloth", builder.build(), start, change, n_frames, cells)


def recorded(folder: Path, n_frames: int = 25, cells: int = 60) -> Draped:
    """A Panda from the recorded data."""
    robot = tocsin.Robot.from_urdf(folder / "panda_mbm.urdf", srdf=folder / "panda.srdf")
    q = np.zeros(robot.n_config)
    q[:7] = 0.0, 0.2, 0.0, -1.9, 0.0, 2.1, 0.8
    change = np.zeros(robot.n_config)
    change[:7] = 0.35, -0.25, 0.0, 0.30, 0.0, 0.0, 0.2
    return _draped("Panda and cloth", robot, q, change, n_frames, cells)


def _draped(name: str, robot: tocsin.Robot, q0: np.ndarray, change: np.ndarray, n_frames: int, cells: int) -> Draped:
    """The arm moves by `change`; for three quarters of the frames the cloth is laid over it anew, then stays."""
    t = np.linspace(0.0, 1.0, n_frames)
    q = q0 + t[:, None] * change
    cloth, faces = [], np.zeros((0, 3), np.int64)
    for k in range(n_frames):
        if t[k] <= 0.75:
            parts = triangles(robot, q[k])
            outermost = parts[-2][0] if len(parts) > 1 else parts[-1][0]
            vertices, faces = drape(parts, cells, outermost[:, :2].mean(axis=0) * 0.9, 0.24, 0.006, 2.2)
            cloth.append(vertices)
        else:
            cloth.append(cloth[-1] - (0.0, 0.0, 0.002))
    return Draped(name, robot, q, faces, np.stack(cloth))

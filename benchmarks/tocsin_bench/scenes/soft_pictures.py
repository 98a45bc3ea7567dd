"""Pictures of the deforming scenes, side by side."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from tocsin.viewer import render
from tocsin_bench.scenes import soft_arm, soft_scenes

ORANGE, RED, BLUE, WHITE, STEEL = (
    (0.93, 0.50, 0.13), (0.72, 0.20, 0.22), (0.35, 0.48, 0.70), (0.88, 0.88, 0.90), (0.62, 0.67, 0.74),
)  # fmt: skip
COLOURS = {
    "bar": ORANGE, "heart": ORANGE, "cloth": RED, "ball": BLUE, "left lung": (0.47, 0.10, 0.12),
    "right lung": (0.47, 0.10, 0.12), "liver": (0.87, 0.56, 0.56), "spine": (0.93, 0.91, 0.86),
}  # fmt: skip

View = tuple[tuple[float, float, float], tuple[float, float, float], float]
"""Eye, what it looks at, and how near that is drawn."""


def panel(
    render_scene: render.RenderScene, view: View, ghosts: tuple[render.RenderScene, ...] = (), ground: float = -math.inf
) -> np.ndarray:
    """One picture; `ground` is the height of a floor."""
    eye, at, zoom = view
    back = np.array(eye) - np.array(at)
    right = np.cross((0.0, 0.0, 1.0), back)
    frame = np.stack([right, np.cross(back, right), back])
    camera = render.Camera(np.array(eye), frame / np.linalg.norm(frame, axis=1)[:, None], 1.0 / zoom)
    away = float(np.linalg.norm(back))
    look = render.Look(ground=ground, cell=away / 16.0, middle=(at[0], at[1]), reach=1.1 * away)
    return render.paint(render_scene, camera, (640, 760), look=look, ghosts=ghosts)


def draw_cloth(path: str) -> None:
    """The cloth over its ball at its first and its last frame, and the balls."""
    film = soft_scenes.cloth(60_000, np.array([0.0, 1.0]))
    panels = []
    for frame in range(2):
        render_scene = render.RenderScene()
        for part in film.parts:
            render_scene.add((part.frames[frame], part.faces), COLOURS[part.name])
        panels.append(panel(render_scene, ((1.5, -2.6, 0.55), (0.0, 0.0, -0.28), 3.2), ground=-1.2))
    render_scene = render.RenderScene()
    rng = np.random.default_rng(4)
    for part in soft_scenes.balls(60_000, n_frames=2).parts:
        shade = rng.uniform(0.0, 1.0)
        colour = tuple(float((1 - shade) * a + shade * b) for a, b in zip(RED, BLUE))
        render_scene.add((part.frames[0], part.faces), (colour[0], colour[1], colour[2]))
    panels.append(panel(render_scene, ((9.5, -8.5, 5.5), (2.0, 2.0, 1.6), 3.1), ground=-0.6))
    render.write_png(Path(path), np.concatenate(panels, axis=1))


Y_UP = np.array([(1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)])
"""Turns what was recorded with y up."""


def draw_steps(
    ends: list[tuple[np.ndarray, np.ndarray]], faces: np.ndarray, path: str
) -> None:  # fmt: skip
    """A recorded mesh, its parts in colours of their own, at the start of its first step and at the end of its last."""
    parts = _parts(faces, len(ends[0][0]))
    rng = np.random.default_rng(4)
    order = np.argsort([-len(part) for part in parts])
    shades = [0.0, 1.0, *rng.uniform(0.0, 1.0, max(0, len(parts) - 2))]
    turned = ends[0][0] @ Y_UP.T
    low, high = turned.min(axis=0), turned.max(axis=0)
    middle, size = 0.5 * (low + high), float(np.linalg.norm(high - low))
    panels = []
    for vertices in (ends[0][0], ends[-1][1]):
        render_scene = render.RenderScene()
        for k, part in enumerate(order):
            colour = tuple(float((1.0 - shades[k]) * a + shades[k] * b) for a, b in zip(RED, BLUE))
            used, numbers = np.unique(parts[part], return_inverse=True)
            mesh = vertices[used] @ Y_UP.T, numbers.reshape(-1, 3)
            render_scene.add(mesh, (colour[0], colour[1], colour[2]))
        eye = middle + size * np.array([0.6, -1.2, 0.45])
        panels.append(panel(render_scene, (tuple(eye), tuple(middle), 3.3), ground=float(low[2])))
    render.write_png(Path(path), np.concatenate(panels, axis=1))


def _parts(faces: np.ndarray, n_vertices: int) -> list[np.ndarray]:
    """The faces of each connected part."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    links = np.concatenate([faces[:, :2], faces[:, 1:]])
    graph = coo_matrix((np.ones(len(links)), (links[:, 0], links[:, 1])), shape=(n_vertices, n_vertices))
    number = connected_components(graph, directed=False)[1][faces[:, 0]]
    return [faces[number == k] for k in np.unique(number)]


def draw_planning(path: str) -> None:
    """The bar at six moments, the heart at three, and the towel over the arm at the step that touches."""
    render.write_png(Path(path), np.concatenate([_bar(), _organs(), _arm()], axis=1))


def _bar() -> np.ndarray:
    film, render_scene = soft_scenes.bar(), render.RenderScene()
    robot = film.parts[0]
    for frame in (0, 12, 24, 35, 47, 60):
        render_scene.add((robot.frames[frame], robot.faces), ORANGE)
    for part in film.parts[1:]:
        render_scene.add((part.frames[30], part.faces), WHITE)
    return panel(render_scene, ((1.3, -5.2, 1.7), (-0.02, 0.0, 0.60), 3.1), ground=-0.60)


def _organs() -> np.ndarray:
    film, render_scene, ghosts = soft_scenes.organs(), render.RenderScene(), []
    heart = film.parts[0]
    for part in film.parts:
        render_scene.add((part.frames[24 if part is heart else 0], part.faces), COLOURS[part.name])
    for frame in (0, 40):
        ghost = render.RenderScene()
        ghost.add((heart.frames[frame], heart.faces), ORANGE)
        ghosts.append(ghost)
    return panel(render_scene, ((0.42, -0.95, 0.30), (0.0, -0.05, -0.045), 3.9), tuple(ghosts))


def _arm() -> np.ndarray:
    draped, render_scene = soft_arm.made(), render.RenderScene()
    frame = round(0.8 * (len(draped.q) - 1))
    for mesh in soft_arm.triangles(draped.robot, draped.q[frame]):
        render_scene.add(mesh, STEEL)
    render_scene.add((draped.cloth[frame], draped.faces), ORANGE)
    return panel(render_scene, ((1.7, -1.7, 1.35), (0.26, 0.0, 0.52), 2.7), ground=-0.08)

"""Deforming scenes made in code: the vertices of every frame, and who is who among them.

`cloth` and `balls` stand in for the UNC recordings where these are not at hand and have many frames; `bar` and `organs`
are the planning scenes of [LOCAL fig. 7, table II] with its numbers of triangles. Everything is a function of its
arguments: no simulation, no random state but a seed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tocsin_bench.scenes import soft_shapes


@dataclass(frozen=True)
class Part:
    """One thing of a scene: its faces, and its vertices (frames, n, 3)."""

    name: str
    faces: np.ndarray
    frames: np.ndarray


@dataclass(frozen=True)
class Film:
    """Parts that deform together over the same frames."""

    name: str
    parts: tuple[Part, ...]

    @property
    def steps(self) -> int:
        """How many pairs of frames there are."""
        return len(self.parts[0].frames) - 1

    @property
    def n_triangles(self) -> int:
        """Of all parts."""
        return sum(len(part.faces) for part in self.parts)

    def joined(self) -> Part:
        """All parts as one mesh, which is then asked against itself."""
        starts = np.cumsum([0] + [part.frames.shape[1] for part in self.parts])
        faces = np.concatenate([part.faces + start for part, start in zip(self.parts, starts)])
        return Part(self.name, faces, np.concatenate([part.frames for part in self.parts], axis=1))


def edges_of(faces: np.ndarray) -> np.ndarray:
    """Each edge of the faces once, (n, 2), the lower vertex first."""
    both = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    return np.unique(np.sort(both, axis=1), axis=0)


def cloth(n_triangles: int = 92_000, times: np.ndarray | None = None) -> Film:
    """A cloth over a ball that turns: it hangs in folds, which close until their sides touch, and the ball swells.

    In polar coordinates about z, at arc length r from the middle: on the ball up to its equator, then straight down.
    Folds grow with the distance from the top; the fraction `pinch` moves their sides sideways, towards each other, so
    that a fold becomes the loop of an omega. From t = 0.75 on something touches: first the cloth itself, then the ball.
    `times`: of the frames, in [0, 1]; by default 21 of them.
    """
    times = np.linspace(0.0, 1.0, 21) if times is None else times
    vertices, faces = soft_shapes.sheet(round(0.85 * n_triangles))
    x, y = vertices[:, 0], vertices[:, 1]
    r, theta = np.hypot(x, y) * 1.25, np.arctan2(y, x)
    radius, n_folds = 0.5, 9
    polar = np.minimum(r / radius, 0.5 * np.pi)
    hang = np.maximum(r - 0.5 * np.pi * radius, 0.0)
    loose = (np.clip((r - 0.35) / 0.9, 0.0, 1.0)) ** 1.5
    frames = []
    for t in times:
        phase = n_folds * theta + 0.25 * np.sin(2.0 * theta) + 0.35 * t * loose
        out = radius * np.sin(polar) + 0.012 + 0.15 * loose * (1.0 + np.cos(phase)) + 0.02 * loose * np.sin(3.0 * phase)
        pinch = (0.36 + 0.26 * t) * loose
        around = theta + 0.5 * t - pinch * np.sin(2.0 * phase) / n_folds
        down = radius * np.cos(polar) - hang * (0.93 + 0.03 * np.cos(phase))
        lift = 0.012 * np.cos(polar)
        frames.append(np.stack([out * np.cos(around), out * np.sin(around), down + lift], -1))
    ball, ball_faces = soft_shapes.ball(*_rings(n_triangles - len(faces)))
    balls = [radius * (1.0 + 0.022 * t**2) * _turned(ball, 0.5 * t) for t in times]
    return Film("cloth", (Part("cloth", faces, np.stack(frames)), Part("ball", ball_faces, np.stack(balls))))


def _rings(n_triangles: int) -> tuple[int, int]:
    rings = max(4, round(np.sqrt(n_triangles / 4.0)))
    return rings, max(6, round(n_triangles / (2.0 * rings)))


def _turned(points: np.ndarray, angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return points @ np.array([(c, s, 0.0), (-s, c, 0.0), (0.0, 0.0, 1.0)])


def balls(n_triangles: int = 146_000, n_balls: int = 90, n_frames: int = 21, seed: int = 1) -> Film:
    """Balls that fly about between three walls, wobbling like drops; they bounce off the walls, not off each other."""
    rng = np.random.default_rng(seed)
    ball, faces = soft_shapes.ball(*_rings(n_triangles // n_balls))
    cells = int(np.ceil(n_balls ** (1 / 3)))
    grid = np.stack(np.meshgrid(*3 * [np.arange(cells)], indexing="ij"), -1).reshape(-1, 3)[:n_balls]
    start = grid + rng.uniform(-0.08, 0.08, grid.shape)
    velocity = rng.normal(size=start.shape) * 0.55
    waves = rng.normal(size=(n_balls, 3)) * 2.0
    parts = []
    for k in range(n_balls):
        frames = []
        for t in np.linspace(0.0, 1.0, n_frames):
            place = start[k] + velocity[k] * t
            place = np.abs(place + 0.5) - 0.5  # off the near walls; the far ones are open
            wobble = 1.0 + 0.08 * np.sin(ball @ waves[k] + 6.0 * t)
            frames.append(place + 0.33 * wobble[:, None] * _turned(ball, 2.0 * t + k))
        parts.append(Part(f"ball{k}", faces, np.stack(frames)))
    return Film("balls", tuple(parts))


def bar(n_frames: int = 61, clear: bool = True) -> Film:
    """A bar that falls to the ground between three soft balls, bending around them: 636 triangles [LOCAL table II].

    With `clear` the way is free; otherwise the balls stand nearer, and the bar touches.
    """
    mesh, bar_faces = soft_shapes.bar(13)
    ball, ball_faces = soft_shapes.ball(8, 11)
    places = np.array([(-0.74, 0.0, 0.95), (0.72, 0.0, 0.55), (-0.72, 0.0, 0.05)])
    near = 0.0 if clear else 0.14
    t = np.linspace(0.0, 1.0, n_frames)
    # Way points: height, tilt, bend and sideways shift of the bar, which stands up to pass between the balls.
    knots = np.array([0.0, 0.22, 0.42, 0.62, 0.82, 1.0])
    height = np.interp(t, knots, [1.75, 1.35, 0.95, 0.50, 0.05, -0.42])
    tilt = _smooth(t, knots, [0.0, 0.75, 1.30, 1.75, 1.15, 0.15])
    bend = _smooth(t, knots, [-0.3, 0.5, 0.9, -0.7, -0.6, 0.2])
    swing = _smooth(t, knots, [0.0, 0.2, 0.35, -0.3, 0.15, 0.0])
    shift = _smooth(t, knots, [0.0, 0.10, 0.06, -0.02, -0.04, 0.10])
    robot = []
    for k in range(n_frames):
        c, s = np.cos(tilt[k]), np.sin(tilt[k])
        shape = soft_shapes.bend(mesh, 1.0, 0.035, bend[k], swing[k])
        out = np.stack([c * shape[:, 0] - s * shape[:, 2], shape[:, 1], s * shape[:, 0] + c * shape[:, 2]], -1)
        robot.append(out + (shift[k], 0.0, height[k]))
    parts = [Part("bar", bar_faces, np.stack(robot))]
    for number, place in enumerate(places):
        frames = []
        for k in range(n_frames):
            squash = 1.0 + 0.10 * np.sin(2.0 * np.pi * (1.5 * t[k] + number / 3.0))
            size = 0.36 * np.array([1.0 / np.sqrt(squash), 1.0 / np.sqrt(squash), squash])
            inward = np.array([-np.sign(place[0]) * near, 0.0, 0.0])
            frames.append(place + inward + size * ball + 0.02 * np.sin(3.0 * ball[:, [1, 2, 0]] + 5.0 * t[k]))
        parts.append(Part(f"sphere{number}", ball_faces, np.stack(frames)))
    return Film("bar and spheres", tuple(parts))


def _smooth(t: np.ndarray, knots: np.ndarray, values: list[float]) -> np.ndarray:
    from scipy.interpolate import PchipInterpolator

    return PchipInterpolator(knots, values)(t)


def organs(n_frames: int = 41, clear: bool = True) -> Film:
    """A beating heart is taken out between breathing lungs, past the liver and the spine: 14,000 triangles.

    With `clear` it is taken out to the front; otherwise it turns on the way, and its tip meets a lung.
    """
    t = np.linspace(0.0, 1.0, n_frames)
    ball, faces = soft_shapes.ball(30, 50)
    breath, beat = np.sin(2.0 * np.pi * 1.5 * t), np.sin(2.0 * np.pi * 5.0 * t)
    forward, aside = 0.20 * t**1.6, (0.0 if clear else 0.06) * np.sin(np.pi * t)
    robot, parts = [], []
    for k in range(n_frames):
        shape = soft_shapes.heart(ball, beat[k])
        turn = 0.4 * t[k] if clear else 1.3 * np.sin(np.pi * t[k])
        c, s = np.cos(turn), np.sin(turn)
        shape = np.stack([c * shape[:, 0] - s * shape[:, 2], shape[:, 1], s * shape[:, 0] + c * shape[:, 2]], -1)
        robot.append(shape + (0.005 + aside[k], -0.035 - forward[k], -0.02 + 0.06 * t[k]))
    parts.append(Part("heart", faces, np.stack(robot)))
    for side, name in ((1.0, "left lung"), (-1.0, "right lung")):
        shape = soft_shapes.lung(side)(ball)
        frames = [
            shape * (1.0 + 0.025 * b, 1.0 + 0.02 * b, 1.0 + 0.035 * b) + (side * (0.088 + 0.002 * b), 0.01, 0.0)
            for b in breath
        ]
        parts.append(Part(name, faces, np.stack(frames)))
    shape = soft_shapes.liver(ball)
    parts.append(Part("liver", faces, np.stack([_liver(shape, b) for b in breath])))
    disc, disc_faces = soft_shapes.ball(10, 10)
    heights = np.linspace(-0.20, 0.17, 10)
    joints = [disc_faces + k * len(disc) for k in range(10)]
    frames = []
    for b in breath:
        bones = []
        for z in heights:
            curve = 0.075 + 0.018 * np.cos(9.0 * z + 0.4) + 0.002 * b * np.cos(6.0 * z)
            bones.append(soft_shapes.vertebra(disc) * (1.0, 1.0, 1.0 - 0.03 * b) + (0.0, curve, z))
        frames.append(np.concatenate(bones))
    parts.append(Part("spine", np.concatenate(joints), np.stack(frames)))
    return Film("human organs", tuple(parts))


def _liver(shape: np.ndarray, breath: float) -> np.ndarray:
    return shape * (1.0, 1.0, 1.0 - 0.04 * breath) + (-0.035, -0.015, -0.205 - 0.006 * breath)

"""Crowds: many bodies that all move at once, step after step, about the places of a lattice."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import tocsin
from tocsin_bench.scenes import shapes
from tocsin_bench.scenes.cases import Case

KINDS = ("boxes", "meshes", "mixed")

SIZE = 0.3
"""Of a box, metres; places are a metre apart."""

TRIANGLES = 1000
"""Of a mesh."""

DRIFT, RUSH = 0.1, 0.45
"""How far along each axis a body may be from its place at the end of a step: nobody meets, or some do."""


def shapes_of(kind: str, n: int) -> list[Any]:
    """The shapes of n bodies."""
    vertices, faces = shapes.torus(TRIANGLES)
    mesh = tocsin.Mesh(vertices * (0.5 * SIZE / np.abs(vertices).max()), faces)
    box = tocsin.Box((SIZE, SIZE, SIZE))
    several = [box, mesh, tocsin.Capsule(0.3 * SIZE, 0.5 * SIZE), tocsin.Sphere(0.5 * SIZE)]
    choice = {"boxes": [box], "meshes": [mesh], "mixed": several}[kind]
    return [choice[k % len(choice)] for k in range(n)]


def poses(n: int, steps: int, reach: float, seed: int = 1) -> np.ndarray:
    """(steps + 1, n, 4, 4): where all bodies are at the ends of the steps; each turns by at most 0.35 rad a step."""
    rng = np.random.default_rng(seed)
    side = int(np.ceil(n ** (1.0 / 3.0)))
    places = np.stack(np.meshgrid(*[np.arange(side)] * 3), axis=-1).reshape(-1, 3)[:n].astype(float)
    found = np.tile(np.eye(4), (steps + 1, n, 1, 1))
    turn = Rotation.random(n, rng=rng)
    for k in range(steps + 1):
        found[k, :, :3, 3] = places + rng.uniform(-reach, reach, (n, 3)) * (1.0 if k else DRIFT / reach)
        found[k, :, :3, :3] = turn.as_matrix()
        turn = Rotation.from_rotvec(rng.uniform(-0.2, 0.2, (n, 3))) * turn
    return found


def crowd(kind: str, n: int, steps: int, *, contact: bool = False, seed: int = 1) -> Case:
    """So many bodies and steps; where there is contact, each step starts anew from where nobody meets."""
    bodies = [tocsin.Body(shape, name=f"body-{k}") for k, shape in enumerate(shapes_of(kind, n))]
    frames = poses(n, steps, RUSH if contact else DRIFT, seed)

    def remake(k: int) -> tuple[Any, ...]:
        start = frames[0] if contact else frames[k]
        return tocsin.Body.move_all(bodies, start, frames[k + 1])

    triangles = sum(len(shape.faces) for body in bodies for shape in body.shapes[0] if shape.is_mesh)
    return Case(f"{kind}, {n}", tocsin.Scene(*bodies), [remake(k) for k in range(steps)], triangles, remake)

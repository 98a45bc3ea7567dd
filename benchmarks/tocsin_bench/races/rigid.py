"""Two meshes on random rigid motions, against what a user would pick instead: FCL, Coal, rapier.

Trees are built before the clock starts; all sides get their motions ready-made, and all answer with a time; tocsin's
touching features, which are found when `contacts` is read, are a row of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from tocsin.viewer.picture import save_picture
from tocsin_bench.data import data_file
from tocsin_bench.peers.coal_rigid import CoalPair
from tocsin_bench.peers.fcl_rigid import WITHOUT_ANSWERS, FclPair
from tocsin_bench.peers.rapier_rigid import RapierPair
from tocsin_bench.peers.rigid_pair import Pair
from tocsin_bench.race import Benchmark, Race, available, ours
from tocsin_bench.scenes import cases, shapes
from tocsin_bench.scenes.shapes import Triangles

QUESTION = "when do the two first touch?"


def torus() -> tuple[Triangles, Triangles]:
    """Two tori of 10,000 triangles."""
    mesh = shapes.torus(10_000)
    return mesh, mesh


def bunnies() -> tuple[Triangles, Triangles]:
    """Two Stanford bunnies of 84,818 triangles."""
    mesh = _centred("genesis-meshes/bunny.obj")
    return mesh, mesh


def dragons() -> tuple[Triangles, Triangles]:
    """Two Stanford dragons of 19,332 triangles."""
    mesh = _centred("genesis-meshes/dragon/dragon.obj")
    return mesh, mesh


def _centred(path: str) -> Triangles:
    vertices, faces = _loaded(path)
    return vertices - 0.5 * (vertices.min(axis=0) + vertices.max(axis=0)), faces


def _loaded(path: str) -> Triangles:
    import trimesh

    mesh: Any = trimesh.load(data_file(path), force="mesh", process=False)
    return np.asarray(mesh.vertices, dtype=np.float64), np.asarray(mesh.faces, dtype=np.int64)


def _flying(
    meshes: Callable[[], tuple[Triangles, Triangles]], still: bool, count: int, repeats: int, seed: int
) -> Race:  # fmt: skip
    mesh_a, mesh_b = meshes()
    radius = max(float(np.linalg.norm(vertices, axis=1).max()) for vertices, _ in (mesh_a, mesh_b))
    motions = cases.random_motions(count, seed, radius)
    if still:
        motions[:, 1, 1] = motions[:, 1, 0]
    return _race(mesh_a, mesh_b, motions, repeats)


def _screwing(count: int, repeats: int, seed: int) -> Race:
    """The bolt in its nut, turned by up to a quarter and shifted along its axis a little off its thread."""
    screw, nut = (_loaded(f"rigid-ipc/meshes/screw-and-nut/{name}-big.obj") for name in ("screw", "nut"))
    rng = np.random.default_rng(seed)
    motions = np.tile(np.eye(4), (count, 2, 2, 1, 1))
    for k in range(count):
        angle = rng.uniform(-0.5, 0.5) * np.pi
        motions[k, 0, 1, :3, :3] = Rotation.from_rotvec((0.0, angle, 0.0)).as_matrix()
        motions[k, 0, 1, 1, 3] = PITCH * angle / (2.0 * np.pi) + rng.normal() * 0.01 * PITCH
    return _race(screw, nut, motions, repeats)


PITCH = 1.45
"""Of the thread, in the units of the file: the bolt turns farthest by it before it touches."""


def _race(mesh_a: Triangles, mesh_b: Triangles, motions: np.ndarray, repeats: int) -> Race:
    case = cases.pair("pair", mesh_a, mesh_b, motions)
    pair = Pair(mesh_a, mesh_b, motions)
    contestants, skipped = ours(case), {}
    confirm = None
    fcl = available("python-fcl", skipped, partial(FclPair, pair))
    if fcl is not None:
        contestants += fcl.contestants(100)
        skipped |= WITHOUT_ANSWERS
        confirm = fcl.overlaps_after
    coal = available("coal", skipped, partial(CoalPair, pair))
    if coal is not None:
        contestants += [coal.contestant(100), coal.contestant(1000)]
    if pair.b_stands:
        rapier = available("rapier3d", skipped, partial(RapierPair, pair))
        contestants += [] if rapier is None else [rapier.contestant()]
    else:
        skipped["rapier"] = "its cast holds one of the two still; see tori-cast"
    return Race(
        contestants=contestants,
        n_questions=len(motions),
        repeats=repeats,
        truth="tocsin first_contact",
        confirm=confirm,
        facts={"triangles": case.n_triangles},
        skipped=skipped,
        picture=partial(_draw, case),
    )


def _draw(case: cases.Case, path: str) -> None:
    """The first motion that ends in contact, or the first."""
    touching = (question for question in case.questions if not case.scene.is_free(*question))
    save_picture(path, case.scene, *next(touching, case.questions[0]), size=(1280, 800))


BENCHMARKS = (
    Benchmark(
        "tori", "Two tori of 10,000 triangles, both moving and turning.", QUESTION, "rigid",
        partial(_flying, torus, False),
    ),
    Benchmark(
        "tori-cast", "The same tori, one of which stands still.", QUESTION, "rigid",
        partial(_flying, torus, True), questions=60, repeats=3,
    ),
    Benchmark(
        "bunny", "Two Stanford bunnies of 85K triangles, one of which stands.", QUESTION, "rigid",
        partial(_flying, bunnies, True), questions=60, repeats=3,
    ),
    Benchmark(
        "dragon", "Two Stanford dragons of 19K triangles, one of which stands.", QUESTION, "rigid",
        partial(_flying, dragons, True), questions=60, repeats=3,
    ),
    Benchmark(
        "bolt", "A bolt turns in its nut, a little off its thread: in close fit all along.", QUESTION, "rigid",
        _screwing, questions=60, repeats=3,
    ),
)  # fmt: skip

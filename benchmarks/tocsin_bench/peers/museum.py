"""The peers' answers to the exhibits of the museum, each peer in a process of its own (`remote.apart`).

Each is given the motion as it takes one: FCL two poses of each mesh; Coal samples of the true motion; ipctk the
vertices at both ends, which it moves on straight lines; rapier the true angular velocity; a cast hull, as planners use
it, the hull of both poses of each mesh, which says no time.
"""

from __future__ import annotations

import importlib.util
import io
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tocsin_bench.data import Ended
from tocsin_bench.museum import BAD_ROBOTS, EXHIBITS, Exhibit
from tocsin_bench.peers import ipc
from tocsin_bench.peers.remote import apart

SAMPLES = 100


def _fcl(solver: str) -> Callable[[Exhibit], float]:
    def ask(exhibit: Exhibit) -> float:
        import fcl  # pyright: ignore[reportMissingImports]

        def transform(pose: np.ndarray) -> Any:
            return fcl.Transform(pose[:3, :3], pose[:3, 3])

        objects, ends = [], []
        for (vertices, faces), moves in ((exhibit.a, exhibit.moves_a), (exhibit.b, exhibit.moves_b)):
            model = fcl.BVHModel()
            model.beginModel(len(vertices), len(faces))
            model.addSubModel(vertices, faces)
            model.endModel()
            objects.append(fcl.CollisionObject(model, transform(moves.pose(0.0))))
            ends.append(transform(moves.pose(1.0)))
        request = fcl.ContinuousCollisionRequest(
            num_max_iterations=1000 if solver != "CCDC_NAIVE" else SAMPLES,
            ccd_motion_type=fcl.CCDMotionType.CCDM_LINEAR,
            ccd_solver_type=getattr(fcl.CCDSolverType, solver),
        )
        result = fcl.ContinuousCollisionResult()
        fcl.continuousCollide(objects[0], ends[0], objects[1], ends[1], request, result)
        return result.time_of_contact if result.is_collide else math.inf

    return ask


def _coal(exhibit: Exhibit) -> float:
    import coal  # pyright: ignore[reportMissingImports]

    from tocsin_bench.peers.coal_rigid import tree

    trees = tree(exhibit.a), tree(exhibit.b)  # the functor keeps no reference to them
    test = coal.ComputeCollision(*trees)
    request, result = coal.CollisionRequest(), coal.CollisionResult()
    for t in np.linspace(0.0, 1.0, SAMPLES):
        placed = [coal.Transform3s(p[:3, :3], p[:3, 3]) for p in (exhibit.moves_a.pose(t), exhibit.moves_b.pose(t))]
        result.clear()
        if test(*placed, request, result):
            return float(t)
    return math.inf


def _ipctk(exhibit: Exhibit) -> float:
    faces = np.concatenate([exhibit.a[1], exhibit.b[1] + len(exhibit.a[0])])
    sides = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    ends = [np.concatenate(_vertices(exhibit, t)) for t in (0.0, 1.0)]
    mesh = ipc.Mesh(ends[0], np.unique(sides, axis=0), faces)
    method = ipc.narrow("inclusion", exact=True)
    start, end = ends
    return math.inf if mesh.is_free(start, end, method) else mesh.first_time(start, end, method)


def _vertices(exhibit: Exhibit, t: float) -> list[np.ndarray]:
    sides = ((exhibit.a[0], exhibit.moves_a.pose(t)), (exhibit.b[0], exhibit.moves_b.pose(t)))
    return [vertices @ pose[:3, :3].T + pose[:3, 3] for vertices, pose in sides]


def _rapier(exhibit: Exhibit) -> float:
    import rapier3d  # pyright: ignore[reportMissingImports]

    if exhibit.moves_b.degrees:
        raise ValueError("one of the two must stand")
    world = rapier3d.PhysicsWorld()
    vertices, faces = exhibit.b
    world.add_collider(rapier3d.Collider.trimesh(vertices.astype(np.float32), faces.astype(np.uint32)))
    world.update_query_pipeline()
    moves = exhibit.moves_a
    axis = rapier3d.Rotation3.from_axis_angle(rapier3d.Vec3(0.0, 0.0, 1.0), 0.0)
    start = np.array(moves.start) - np.array(exhibit.moves_b.start)
    travel = np.array(moves.travel) - np.array(exhibit.moves_b.travel)
    place = rapier3d.Isometry3(rapier3d.Vec3(*start.tolist()), axis)
    turn = (0.0, 0.0, math.radians(moves.degrees))
    motion = rapier3d.NonlinearRigidMotion(place, (0.0, 0.0, 0.0), tuple(travel.tolist()), turn)
    shape = rapier3d.SharedShape.trimesh(exhibit.a[0].astype(np.float32), exhibit.a[1].astype(np.uint32))
    options = rapier3d.ShapeCastOptions()
    hit = world.query_pipeline.cast_shape_nonlinear(motion, shape, options, 0.0, 1.0)
    return math.inf if hit is None else hit[1].time_of_impact


def _cast_hull(exhibit: Exhibit) -> bool:
    """Return whether the hulls of both poses overlap: a linear program looks for a point of both."""
    from scipy.optimize import linprog

    a, b = (np.concatenate(both) for both in zip(_vertices(exhibit, 0.0), _vertices(exhibit, 1.0)))
    n, m = len(a), len(b)
    equations = np.zeros((5, n + m))
    equations[:3] = np.concatenate([a, -b]).T
    equations[3, :n] = equations[4, n:] = 1.0
    return linprog(np.zeros(n + m), A_eq=equations, b_eq=[0, 0, 0, 1, 1], bounds=(0, None)).status == 0


PEERS: dict[str, tuple[str, Callable[[Exhibit], Any]]] = {
    "fcl, advancement": ("fcl", _fcl("CCDC_CONSERVATIVE_ADVANCEMENT")),
    f"fcl, {SAMPLES} samples": ("fcl", _fcl("CCDC_NAIVE")),
    f"coal, {SAMPLES} samples": ("coal", _coal),
    "ipctk, linear vertices": ("ipctk", _ipctk),
    "rapier": ("rapier3d", _rapier),
    "cast hull": ("scipy", _cast_hull),
}
"""What is asked -> (what must be installed, how)."""


def answers(limit: float) -> tuple[dict[str, list[str]], list[str]]:
    """Return the words of every peer about every exhibit, and which peers are not installed."""
    found: dict[str, list[str]] = {}
    missing = []
    for name, (module, ask) in PEERS.items():
        if importlib.util.find_spec(module) is None:
            missing.append(module)
            continue
        found[name] = _asked(ask, limit)
    return found, missing


def _asked(ask: Callable[[Exhibit], Any], limit: float) -> list[str]:
    def run(questions: Sequence[int]) -> Any:
        return [ask(EXHIBITS[k]) for k in questions]

    there, words = apart(run, limit), []
    for k, exhibit in enumerate(EXHIBITS):
        try:
            answer: Any = there([k])[0]
        except Ended as ended:
            words.append("no answer" if "no answer" in str(ended) else str(ended).removeprefix("ValueError: "))
            continue
        if isinstance(answer, bool):
            right = answer == math.isfinite(exhibit.truth)
            words.append(("hit" if answer else "free") if right else "false alarm" if answer else "missed")
        else:
            words.append(exhibit.verdict(answer))
    return words


def loaded(limit: float) -> list[str]:
    """Return what yourdfpy does with each bad robot, in a word."""
    if importlib.util.find_spec("yourdfpy") is None:
        return ["not installed"] * len(BAD_ROBOTS)

    def run(questions: Sequence[int]) -> Any:
        import yourdfpy

        texts = [*BAD_ROBOTS.values()]
        return [str(yourdfpy.URDF.load(io.BytesIO(texts[k].encode()), load_meshes=False)) for k in questions]

    there, words = apart(run, limit), []
    for k in range(len(BAD_ROBOTS)):
        try:
            there([k])
        except Ended as ended:
            words.append(f"refused: {ended}")
        else:
            words.append("loaded")
    return words

"""The doors of the public API: every call that takes numbers, indices, words or switches, with honest ones for each.

A door builds something of what it is given and returns a question about it, so that what was given can be changed in
between. Answers are compared bit by bit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import tocsin
from tocsin.planning import plan
from tocsin.results import FirstContact

Ask = Callable[[], Any]

CORNERS = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
SIDES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
SHEET = np.array([[0.0, 0, 1], [1, 0, 1], [0, 1, 1], [1, 1, 1]])
HALVES = np.array([[0, 1, 2], [1, 3, 2]])
TURN = np.array([[0.0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])


@dataclass(frozen=True)
class Door:
    """One call, and what can be handed in."""

    name: str
    build: Callable[..., Ask]
    floats: dict[str, np.ndarray] | None = None
    indices: dict[str, np.ndarray] | None = None
    numbers: dict[str, float] | None = None
    words: dict[str, Any] | None = None
    """Names and choices, switches and counts."""

    @property
    def given(self) -> dict[str, Any]:
        """All of it."""
        return {**(self.floats or {}), **(self.indices or {}), **(self.numbers or {}), **(self.words or {})}


def shifted(*at: float) -> np.ndarray:
    """Return a pose without a turn."""
    pose = np.eye(4)
    pose[:3, 3] = at
    return pose


def wall() -> tocsin.Body:
    """Return what things run into."""
    return tocsin.Body(tocsin.Box((0.5, 8, 8)), (3, 0, 0), name="wall")


def brick() -> tocsin.Body:
    """Return a body of a mesh."""
    return tocsin.Body((CORNERS, SIDES), name="brick")


def arm(**joint: Any) -> tocsin.Robot:
    """Return a robot of two joints on a free base, the first of which may be given."""
    joint = {"axis": (0.0, 0, 1), "origin": (0.0, 0, 0.5), "joint": "revolute"} | joint
    builder = tocsin.RobotBuilder("arm", base="free").link("root", tocsin.Box((0.2, 0.2, 0.2)))
    builder.link("one", tocsin.Capsule(0.1, 1.0), parent="root", joint_name="a", **joint)
    builder.link("two", tocsin.Box((2, 0.1, 0.1)), parent="one", joint="prismatic", axis=(1, 0, 0), joint_name="b")
    robot = builder.build()
    robot.groups["both"] = ("a", "b")
    return robot


def cloth() -> tocsin.Deformable:
    """Return a sheet."""
    return tocsin.Deformable(SHEET, HALVES, name="cloth")


def asked(model: Any, motion: Any, *others: Any, **options: Any) -> Ask:
    """Return the question for the first contact of a model's motion, in a scene made at once."""
    scene = tocsin.Scene(model, *(others or (wall(),)))
    return lambda: scene.first_contact(*([motion] if motion is not None else []), **options)


def moved(model: Any) -> Ask:
    """Return the question for a body's way into the wall."""
    return asked(model, model.move(shifted(0, 0.1, 0), shifted(4, 0.2, 0.1)))


def _deformable(vertices: Any, faces: Any, edges: Any, points: Any, weld: Any, name: Any) -> Ask:
    soft = tocsin.Deformable(vertices, faces, edges=edges, points=points, weld=weld, name=name)
    return asked(soft, soft.move(SHEET, SHEET + (4.0, 0, 0)))


def _stood(vertices: Any) -> Ask:
    soft = cloth()
    soft.stand_at(vertices)
    return asked(soft, None)


def _placed(pose: Any) -> Ask:
    body = brick()
    body.place(pose)
    return asked(body, None)


def _posed(make: Callable[[tocsin.Body], Any]) -> Ask:
    body = brick()
    return asked(body, make(body))


def _armed(make: Callable[[tocsin.Robot], Any]) -> Ask:
    robot = arm()
    return asked(robot, make(robot))


def _stands(q: Any, base: Any) -> Ask:
    robot = arm()
    robot.stand_at(q, base=base)
    return asked(robot, None)


def _value(value: Any) -> Ask:
    return lambda: value


def _margins(pair: Any, margin: Any) -> Ask:
    body = brick()
    scene = tocsin.Scene(body, wall())
    scene.margins["brick", pair] = margin
    motion = body.move((0, 0, 0), (4, 0, 0))
    return lambda: scene.first_contact(motion)


def _ignored(a: Any, b: Any) -> Ask:
    body = brick()
    scene = tocsin.Scene(body, wall())
    scene.ignore(a, b)
    return lambda: scene.first_contact(body.move((0, 0, 0), (4, 0, 0)))


def _question(margin: Any, tolerance: Any, max_steps: Any, method: Any) -> Ask:
    body = brick()
    how = {"margin": margin, "tolerance": tolerance, "max_steps": max_steps, "method": method}
    return asked(body, body.move((0, 0, 0), (4, 0, 0)), **how)


def _listed(resolution: Any, time_resolution: Any, properness: Any, exact: Any, every: Any) -> Ask:
    body, other = brick(), tocsin.Body(tocsin.Box((0.5, 8, 8)), (3, 0, 0), name="wall")
    scene = tocsin.Scene(body, other)
    how = {"resolution": resolution, "time_resolution": time_resolution, "properness": properness, "exact": exact}
    return lambda: scene.contacts(body.move((0, 0, 0), (4, 0.5, 0.2)), every=every, **how)


def _intervals(margin: Any, tolerance: Any, max_steps: Any) -> Ask:
    body = brick()
    scene = tocsin.Scene(body, wall())
    how = {"margin": margin, "tolerance": tolerance, "max_steps": max_steps}
    return lambda: scene.contact_intervals(body.move((0, 0, 0), (6, 0, 0)), **how)


def _edges(Q0: Any, Q1: Any, margin: Any, tolerance: Any, max_steps: Any, threads: Any, deadline: Any) -> Ask:
    robot = arm()
    how = {"margin": margin, "tolerance": tolerance, "max_steps": max_steps, "threads": threads, "deadline": deadline}
    hits = tocsin.Scene(robot, wall()).first_contacts(robot, Q0, Q1, **how)
    return lambda: (hits.time, hits.codes)


def _poses(T0: Any, T1: Any) -> Ask:
    body = brick()
    hits = tocsin.Scene(body, wall()).first_contacts(body, T0, T1)
    return lambda: hits.time


def _several(A0: Any, A1: Any, B0: Any, B1: Any) -> Ask:
    robot, body = arm(), brick()
    return _value(tocsin.Scene(robot, body, wall()).measure_edges([robot, body], [A0, B0], [A1, B1]))


def _planned(start: Any, goal: Any, margin: Any, seconds: Any, seed: Any) -> Ask:
    robot = arm()
    found = plan(tocsin.Scene(robot, wall()), robot, start, goal, margin=margin, seconds=seconds, seed=seed)
    return _value((found.found, found.path))


def _audited(trajectory: Any, times: Any, margin: Any, resolution: Any) -> Ask:
    robot = arm()
    found = tocsin.audit(
        tocsin.Scene(robot, wall()), robot, trajectory, times=times, margin=margin, resolution=resolution
    )
    return _value((found.status, [(s.enter.position, s.exit.position, s.time_step) for s in found.stretches]))


def _built(axis: Any, origin: Any, limits: Any, joint: Any, name: Any) -> Ask:
    robot = arm(axis=axis, origin=origin, limits=limits, joint=joint)
    robot.link_index(name)
    return asked(robot, robot.move([0, 0], [1, 1]))


def _mimicked(multiplier: Any, offset: Any, other: Any) -> Ask:
    robot = arm(mimic=(other, multiplier, offset))
    return asked(robot, robot.move([0.0], [2.0]))


def _scene(backend: Any, threads: Any, charts: Any) -> Ask:
    body = brick()
    scene = tocsin.Scene(body, wall(), backend=backend, threads=threads, charts=charts)
    return lambda: scene.first_contact(body.move((0, 0, 0), (4, 0, 0)))


Q0, Q1 = np.array([0.0, 0.5]), np.array([2.0, 1.5])
FACE = np.array([[[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]])
EDGE = np.array([[[0.0, 0, 0], [1, 0, 0]]])
LIFT = np.array([0.0, 0, 1])

DOORS = (
    Door("Mesh", lambda **k: moved(tocsin.Body(tocsin.Mesh(**k))), {"vertices": CORNERS}, {"faces": SIDES}),
    Door("Body of arrays", lambda v, f, solid, name: moved(tocsin.Body((v, f), solid=solid, name=name)),
         {"v": CORNERS}, {"f": SIDES}, words={"solid": True, "name": "it"}),
    Door("ConvexHull", lambda points: moved(tocsin.Body(tocsin.ConvexHull(points))), {"points": CORNERS}),
    Door("Box", lambda size: moved(tocsin.Body(tocsin.Box(size))), {"size": np.array([1.0, 2, 1])}),
    Door("Sphere", lambda radius: moved(tocsin.Body(tocsin.Sphere(radius))), numbers={"radius": 1.0}),
    Door("Capsule", lambda **k: moved(tocsin.Body(tocsin.Capsule(**k))), numbers={"radius": 1.0, "length": 2.0}),
    Door("Cylinder", lambda **k: moved(tocsin.Body(tocsin.Cylinder(**k))), numbers={"radius": 1.0, "length": 2.0}),
    Door("tessellate", lambda n: _value(tocsin.Sphere(1.0).tessellate(n).vertices), words={"n": 8}),
    Door("a placement", lambda at: moved(tocsin.Body((tocsin.Box((1, 1, 1)), at))), {"at": TURN}),
    Door("Mesh.scaled", lambda factor: _value(tocsin.Mesh(CORNERS, SIDES).scaled(factor).vertices),
         {"factor": np.array([1.0, 2, -1])}),
    Door("Mesh.transformed", lambda by: _value(tocsin.Mesh(CORNERS, SIDES).transformed(by).vertices), {"by": TURN}),
    Door("Body.pose", lambda pose: asked(tocsin.Body(tocsin.Box((1, 1, 1)), pose), None), {"pose": TURN}),
    Door("Body.place", _placed, {"pose": shifted(2, 0, 0)}),
    Door("Body.move", lambda a, b, kind: _posed(lambda m: m.move(a, b, kind=kind)),
         {"a": TURN, "b": shifted(4, 0, 0)}, words={"kind": "interpolating"}),
    Door("Body.move on a screw", lambda a, b: _posed(lambda m: m.move(a, b, kind="screw")),
         {"a": TURN, "b": shifted(4, 0, 0)}),
    Door("Body.follow", lambda poses: _posed(lambda m: m.follow(poses)),
         {"poses": np.stack([TURN, shifted(1, 0, 0), shifted(4, 0, 0)])}),
    Door("Body.at", lambda pose: _posed(lambda m: m.at(pose)), {"pose": shifted(2.5, 0, 0)}),
    Door("Motion", lambda rows: _posed(lambda m: tocsin.Motion(m, rows)),
         {"rows": np.array([[0.0, 0, 0, 0, 0, 0, 1], [4, 0, 0, 0, 0, 1, 0]])}),
    Door("Deformable", _deformable, {"vertices": SHEET},
         {"faces": HALVES, "edges": np.array([[0, 3]]), "points": np.array([2])},
         words={"weld": False, "name": "cloth"}),
    Door("Deformable.move", lambda a, b: asked(soft := cloth(), soft.move(a, b)),
         {"a": SHEET, "b": SHEET + (4.0, 0, 0)}),
    Door("Deformable.follow", lambda frames: asked(soft := cloth(), soft.follow(frames)),
         {"frames": np.stack([SHEET, SHEET + (1.0, 0, 0), SHEET + (4.0, 0, 0)])}),
    Door("Deformable.at", lambda places: asked(soft := cloth(), soft.at(places)), {"places": SHEET + (2.0, 0, 0)}),
    Door("Deformable.stand_at", _stood, {"vertices": SHEET + (2.0, 0, 0)}),
    Door("Robot.move", lambda a, b, group: _armed(lambda r: r.move(a, b, group=group)), {"a": Q0, "b": Q1},
         words={"group": "both"}),
    Door("Robot.move of its base", lambda a, b: _armed(lambda r: r.move(Q0, Q1, base=(a, b))),
         {"a": TURN, "b": shifted(2, 0, 0)}),
    Door("Robot.move by names", lambda a: _armed(lambda r: r.move(Q0, {"a": a})), numbers={"a": 3.0}),
    Door("Robot.follow", lambda path: _armed(lambda r: r.follow(path)), {"path": np.stack([Q0, Q1, Q0])}),
    Door("Robot.at", lambda q: _armed(lambda r: r.at(q)), {"q": Q1}),
    Door("Robot.stand_at", _stands, {"q": Q1, "base": TURN}),
    Door("Robot.configuration", lambda q, like: _value(arm().configuration(q, like=like)), {"q": Q1, "like": Q0}),
    Door("Robot.within_limits", lambda q: _value(arm(limits=(0.0, 1.0)).within_limits(q)), {"q": Q1}),
    Door("Robot.ignore", lambda a, b: _value(arm().ignore(a, b)), words={"a": "root", "b": "two"}),
    Door("RobotBuilder.link", _built,
         {"axis": np.array([0.0, 1, 1]), "origin": TURN, "limits": np.array([-1.0, 2])},
         words={"joint": "revolute", "name": "one"}),
    Door("RobotBuilder.link, mimic", _mimicked, numbers={"multiplier": 2.0, "offset": 1.0}, words={"other": "b"}),
    Door("vertex_face_times", lambda v0, v1, f0, f1, m, t: _value(
        tocsin.vertex_face_times(v0, v1, f0, f1, margin=m, tolerance=t)),
        {"v0": np.array([[0.0, 0, 1]]), "v1": np.array([[0.0, 0, -1]]), "f0": FACE, "f1": FACE},
        numbers={"m": 0.25, "t": 1e-3}),
    Door("edge_edge_times", lambda **k: _value(tocsin.edge_edge_times(**k)),
         {"a_t0": EDGE + LIFT, "a_t1": EDGE - LIFT, "b_t0": EDGE, "b_t1": EDGE}),
    Door("Scene", _scene, words={"backend": "triangles", "threads": 1, "charts": True}),
    Door("Scene.margins", _margins, numbers={"margin": 0.5}, words={"pair": "wall"}),
    Door("Scene.ignore", _ignored, words={"a": "brick", "b": "wall"}),
    Door("Scene.first_contact", _question, numbers={"margin": 0.25, "tolerance": 1e-3},
         words={"max_steps": 10_000, "method": "advancement"}),
    Door("Scene.contacts", _listed, numbers={"time_resolution": 0.01, "properness": -0.5},
         words={"resolution": "low", "exact": False, "every": "contact"}),
    Door("Scene.contact_intervals", _intervals, numbers={"margin": 0.25, "tolerance": 1e-3},
         words={"max_steps": 10_000}),
    Door("Scene.first_contacts", _edges, {"Q0": np.stack([Q0, Q1, Q0]), "Q1": np.stack([Q1, Q0, Q0])},
         numbers={"margin": 0.25, "tolerance": 1e-3, "deadline": 1000.0}, words={"max_steps": 10_000, "threads": 1}),
    Door("Scene.first_contacts, bodies", _poses,
         {"T0": np.stack([np.eye(4), TURN]), "T1": np.stack([shifted(4, 0, 0), shifted(0, 9, 0)])}),
    Door("Scene.measure_edges, several", _several,
         {"A0": np.stack([Q0, Q1]), "A1": np.stack([Q1, Q0]), "B0": np.array([[0.0, 20, 0], [0, 20, 1]]),
          "B1": np.array([[4.0, 20, 0], [0, 25, 1]])}),
    Door("planning.plan", _planned, {"start": Q0, "goal": Q1}, numbers={"margin": 0.125, "seconds": 5.0},
         words={"seed": 3}),
    Door("audit", _audited, {"trajectory": np.stack([Q0, Q1, Q0]), "times": np.array([0.0, 1, 3])},
         numbers={"margin": 0.125, "resolution": 1e-2}),
    Door("Trajectory", lambda positions, times, velocities: (lambda plan: lambda: (plan.path(arm()), plan(0.5)))(
        tocsin.Trajectory(times, positions, velocities)),
        {"positions": np.stack([Q0, Q1]), "times": np.array([0.0, 2.0]), "velocities": np.stack([Q1, Q0])}),
    Door("group", lambda within: _value(tocsin.group([], within=within)), numbers={"within": 0.5}),
)  # fmt: skip


def bits(answer: Any) -> Any:
    """Return an answer as what can be compared bit by bit."""
    if isinstance(answer, FirstContact):
        touching = [(c.link_a, c.link_b, c.kind, c.features, bits(c.point_a)) for c in answer.contacts]
        return answer.status, bits(answer.time), touching
    if isinstance(answer, tocsin.TimedContacts):
        return [(c.kind, c.features, bits(c.time)) for c in answer]
    if isinstance(answer, tocsin.ContactIntervals):
        return answer.status, [(bits(i.enter), bits(i.exit)) for i in answer.intervals]
    if isinstance(answer, np.ndarray):
        return answer.shape, answer.dtype.str, answer.tobytes()
    if isinstance(answer, (tuple, list)):
        return [bits(one) for one in answer]
    return answer.hex() if isinstance(answer, float) else answer

"""Programs from files: steps of a YAML or JSON file, and MoveIt's scenes with the trajectories that go with them.

    program: pick and place
    steps:
    - {follow: panda, trajectory: approach.yaml}             # a file beside this one, any that load_trajectory reads
    - {attach: cup, robot: panda, link: panda_hand, touching: [panda_leftfinger, panda_rightfinger]}
    - {move: panda, to: {panda_joint2: 0.4}, seconds: 2, error: 0.002}
    - {detach: cup, robot: panda}
    - {wait: panda, seconds: 0.5}
    - {follow: cart, poses: [[0, 0, 0], [1, 0, 0]], times: [0, 4], at: 1.0}

Names are those of the scene's models. A step begins when its model's last step has ended, or `at` a second. `follow`
takes a `trajectory` (a file, or a mapping with joint_names, knots and coefficients, or a JointTrajectory message); or a
`path` of configurations, `poses` ([x, y, z], x y z and a quaternion x y z w, or 4x4) or `frames` of vertices, with
`times`. What a step says and is not known is refused.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from tocsin import _cast, _given
from tocsin._cast import clock
from tocsin._types import PathLike
from tocsin.errors import TocsinError, unknown_name
from tocsin.io.files import existing_file, is_file_name
from tocsin.io.messages import joint_trajectory, start_of
from tocsin.io.planning import load_scene_file
from tocsin.io.trajectories import INTERPOLATIONS, MOST_NUMBERS, load_trajectory
from tocsin.io.uris import Packages
from tocsin.io.yamlfile import Structure, is_listing, is_mapping, listing, mapping, number, read_structure, word
from tocsin.model.base import Model
from tocsin.model.body import Body
from tocsin.model.program import Program, is_same_moment
from tocsin.model.robot import Robot
from tocsin.model.trajectory import Trajectory
from tocsin.poses import pose
from tocsin.scene import Scene

KINDS = {
    "follow": ("trajectory", "path", "poses", "frames", "times", "at", "error", "group", "interpolation"),
    "move": ("to", "seconds", "at", "group", "error"),
    "wait": ("seconds", "at"),
    "attach": ("robot", "link", "pose", "touching", "at"),
    "detach": ("robot", "at"),
}
"""The kinds of steps, and what each may say."""

FOLLOWED = {
    "trajectory": ("interpolation", "group", "error"),
    "path": ("times", "group", "error"),
    "poses": ("times", "error"),
    "frames": ("times",),
}
"""What 'follow' takes, and what may be said beside it and `at`."""

PIECES = ("joint_names", "knots", "coefficients")
"""What a trajectory of polynomials says in a step."""

MOST_STEPS = 10_000
"""Steps of a file: two seconds. What all of them follow is half as much as one trajectory may be."""


def is_program(path: PathLike) -> bool:
    """Is this the file of a program, and not of a trajectory?"""
    file = Path(path)
    if file.suffix.lower() not in (".json", ".yaml", ".yml") or not file.is_file():
        return False
    found = read_structure(file, "the trajectory")
    return is_mapping(found) and "steps" in found


def load_program(path: PathLike, scene: Scene, *, program: Program | None = None) -> Program:
    """Read a program about the models of a scene; with `program`, its steps are added to that one."""
    file = existing_file(path, "the program")
    found = mapping(read_structure(file, "the program"), f"the program {str(file)!r}")
    odd = [str(key) for key in found if key not in ("program", "steps")]
    if odd or "steps" not in found:
        what = f"it has {odd[0]!r}, which is not known" if odd else "it has no 'steps'"
        raise TocsinError(f"cannot use the program {str(file)!r}: {what}; a program has: program, steps.")
    if not _cast.instance(scene, Scene):
        raise TocsinError(f"a program is about the models of a Scene; got {_cast.said(scene)}.")
    if program is not None and not _cast.instance(program, Program):
        raise TocsinError(f"steps are added to a Program; got {_cast.said(program)}.")
    made = Program(word(found.get("program", file.stem), "the name of the program")) if program is None else program
    models = dict(zip(scene.names, scene.models))
    steps = listing(found["steps"], "steps")
    if len(steps) > MOST_STEPS:
        raise TocsinError(f"cannot use the program {str(file)!r}: it has more than {MOST_STEPS} steps.")
    left = MOST_NUMBERS // 2
    for k, entry in enumerate(steps):
        try:
            _step(made, models, mapping(entry, f"step {k}"), file.parent)
            told = made.steps[-1]
            left -= np.size(told.get("trajectory", {}).get("coefficients", told.get("path", 0.0)))
            if left < 0:
                raise TocsinError(f"with its trajectory the program has more than {MOST_NUMBERS // 2} numbers.")
        except TocsinError as error:
            raise TocsinError(f"cannot use the program {str(file)!r}, step {k}: {error}") from None
    return made


def _step(program: Program, models: dict[str, Model], step: Structure, folder: Path) -> None:
    """Add one step."""
    kinds = [kind for kind in KINDS if kind in step]
    if len(kinds) != 1:
        raise TocsinError(f"a step is one of {', '.join(KINDS)}; it has: {', '.join(map(str, step)) or 'nothing'}.")
    kind = kinds[0]
    odd = [str(key) for key in step if key != kind and key not in KINDS[kind]]
    if odd:
        raise TocsinError(f"{odd[0]!r} is not known of {kind!r}, which takes: {', '.join(KINDS[kind])}.")
    model = _model(models, step[kind], kind)
    at = None if step.get("at") is None else number(step["at"], "at")
    if kind in ("attach", "detach"):
        robot = _model(models, step.get("robot"), "robot")
        if not isinstance(robot, Robot) or not isinstance(model, Body):
            raise TocsinError(f"a robot carries a body; got {robot.name!r} and {model.name!r}.")
        if kind == "detach":
            program.detach(robot, model, at=at)
            return
        place = None if step.get("pose") is None else _pose(step["pose"])
        touching = [word(t, "a link in touching") for t in listing(step.get("touching"), "touching")]
        program.attach(robot, model, word(step.get("link"), "link"), at=at, pose=place, touching=touching)
    elif kind == "wait":
        ended = program.time_of(model)
        if at is not None and not is_same_moment(at, ended):
            if at < ended:
                raise TocsinError(
                    f"{model.name!r} is told to wait at {clock(at)} s, and its last step ends at {clock(ended)} s."
                )
            program.wait(model, at - ended)
        program.wait(model, number(step.get("seconds"), "seconds"))
    elif kind == "move":
        goal = step.get("to")
        if isinstance(model, Body):
            goal = _pose(goal)
        lasts = number(step.get("seconds"), "seconds")
        program.move(model, goal, seconds=lasts, at=at, group=step.get("group"), error=_error(step))
    else:
        _follow(program, model, step, at, folder)


def _follow(program: Program, model: Model, step: Structure, at: float | None, folder: Path) -> None:
    given = [key for key in FOLLOWED if step.get(key) is not None]
    if len(given) != 1:
        raise TocsinError(f"'follow' takes a trajectory, path, poses or frames; got {' and '.join(given) or 'none'}.")
    what = given[0]
    for key in ("interpolation", "times", "group", "error"):
        if step.get(key) is not None and key not in FOLLOWED[what]:
            raise TocsinError(f"{key!r} is not taken beside {what!r}; what is: at, {', '.join(FOLLOWED[what])}.")
    path: Any = step[what]
    if what == "trajectory":
        path = _trajectory(path, folder, step.get("interpolation"))
    elif what == "poses":
        path = [_pose(p) for p in listing(path, "poses")]
    times = None
    if what != "trajectory":
        times = [number(t, "a time") for t in listing(step.get("times"), "times")]
    program.follow(model, path, at=at, times=times, error=_error(step), group=step.get("group"))


def _trajectory(given: object, folder: Path, interpolation: object) -> Trajectory:
    """Return a trajectory that a step names, or holds."""
    how = None if interpolation is None else _cast.choice(interpolation, "interpolation", INTERPOLATIONS)
    if isinstance(given, str):
        if not is_file_name(given):
            raise TocsinError(f"its trajectory {given[:80]!r} cannot be the name of a file.")
        file = folder / given
        if not Path(os.path.realpath(file)).is_relative_to(os.path.realpath(folder)):
            raise TocsinError(f"its trajectory {given!r} lies outside of its folder; copy it there.")
        return load_trajectory(file, interpolation=how)
    found = mapping(given, "trajectory")
    if "coefficients" in found:
        odd = ["interpolation"] if how else [str(key) for key in found if key not in PIECES]
        if odd:
            raise TocsinError(f"{odd[0]!r} is not taken beside coefficients; what is: {', '.join(PIECES)}.")
        names = [word(n, "a joint name") for n in listing(found.get("joint_names"), "joint_names")]
        return Trajectory.of_pieces(
            _numbers(found.get("knots"), "knots"), _numbers(found["coefficients"], "coefficients"), joint_names=names,
            source="a step",
        )  # fmt: skip
    names, positions, times, velocities, accelerations = joint_trajectory(found)
    rates = [None if how == "linear" or np.isnan(r).all() else r for r in (velocities, accelerations)]
    standing = tuple(start_of(found).items())
    return Trajectory(times, positions, *rates, joint_names=names, source="a step", standing=standing)


def _numbers(given: object, what: str) -> np.ndarray:
    return _cast.numbers(listing(given, what), what, "numbers")


def _model(models: dict[str, Model], name: object, what: str) -> Model:
    if not isinstance(name, str) or name not in models:
        raise unknown_name("model", name, models, f" to {what}" if what in KINDS else "")
    return models[name]


def _pose(given: object) -> Any:
    """Return a pose: three numbers, seven, or 4x4."""
    if is_listing(given) and len(given) == 7:
        row = [number(x, "an entry of a pose") for x in given]
        return pose(row[:3], quaternion_xyzw=row[3:])
    return _cast.placement(_numbers(given, "a pose"), "a pose")


def _error(step: Structure) -> Any:
    error = step.get("error")
    if error is None or is_mapping(error):
        return None if error is None else {str(k): number(v, f"the error of {k!r}") for k, v in error.items()}
    return number(error, "error")


def load_moveit_program(
    robot: Robot, scene: PathLike, *trajectories: PathLike, packages: Packages = (), name: str = "program"
) -> tuple[Scene, Program]:
    """Return the scene of a MoveIt planning scene, and the program of its RobotTrajectory files, one after another.

    Joints stand where the scene's robot_state says; what it has the robot carry is attached to it, and pairs that its
    allowed collision matrix lets touch are ignored.
    """
    from tocsin.io.planning import Problem

    if not _cast.instance(robot, Robot):
        raise TocsinError(f"trajectories are those of a Robot; got {_cast.said(robot)}.")
    place = _given.path(scene, "cannot read a planning scene")
    found = load_scene_file(place, packages=packages, robot=robot)
    followers = {joint.name for joint in robot.joints if joint.mimic is not None}
    state = {joint: value for joint, value in found.state.items() if joint not in followers}
    if state:
        robot.stand_at(state)
    if found.base is not None:
        robot.place(found.base)
    problem = Problem(found.bodies, "", {}, (), found.attached, found.allowed, found.base, str(scene))
    made = Program(name)
    for file in trajectories:
        made.follow(robot, load_trajectory(file))
    return problem.scene(robot), made

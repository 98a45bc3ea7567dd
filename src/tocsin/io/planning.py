"""Planning scenes and planning problems: MoveIt's text `.scene`, and the MotionBenchMaker pair of YAML files.

A scene gives obstacles as bodies, objects that links carry, and pairs that may touch. A request adds a group, a start
and goals, by joint name. Of the YAML, both the compact form (lists) and that of ROS messages (x: ..., y: ...) are read.

Objects are placed in frames: the world, fixed frames that the file places, and, where the robot is known, its root and
what is fixed to it. MoveIt's planning frame is the root of many robots.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tocsin import _cast, _given
from tocsin._types import Configuration, Matrix4, PathLike
from tocsin.errors import TocsinError, UnknownNameError, remark, unknown_name
from tocsin.geometry.primitives import Box
from tocsin.geometry.shape import Placed
from tocsin.io.collision_objects import check_count, object_body, pose_of, refuse_doubles, shapes_of
from tocsin.io.files import read_text
from tocsin.io.octomap import boxes_of_message
from tocsin.io.scenetext import parse_scene_text
from tocsin.io.uris import Packages, Places
from tocsin.io.yamlfile import Structure, is_listing, is_mapping, listing, mapping, number, read_structure, word
from tocsin.model.body import MOST_BALLS, Body
from tocsin.model.robot import Robot
from tocsin.motion.links import FIXED
from tocsin.motion.poses import base_matrix, link_poses
from tocsin.scene import Scene

LARGEST_SCENE = 64 * 2**20
"""Bytes of a `.scene` file."""

OCTOMAP = "<octomap>"
"""MoveIt's name for the octomap of a scene, which its collision matrix may have."""


@dataclass(frozen=True, eq=False)
class Attached:
    """An object that a link of the robot carries."""

    name: str
    link: str
    shapes: tuple[Placed, ...]
    """(shape, 4x4 placement in the link's frame)."""
    touch_links: tuple[str, ...] = ()
    """Links that may touch it."""


@dataclass(frozen=True, eq=False)
class PlanningScene:
    """What a scene file says."""

    name: str
    bodies: tuple[Body, ...]
    attached: tuple[Attached, ...] = ()
    allowed: tuple[tuple[str, str], ...] = ()
    """Pairs of links or objects that may touch: the entries of the allowed collision matrix."""
    state: dict[str, float] = field(default_factory=dict[str, float])
    """Joint values of the robot, by name."""
    base: Matrix4 | None = None
    """4x4: where the robot's root stands, if the file says so."""


@dataclass(frozen=True, eq=False)
class Problem:
    """A planning problem: from `start` to `goal` among `bodies`."""

    bodies: tuple[Body, ...]
    group: str
    start: dict[str, float]
    """Joint values by name; may name joints that a robot does not have (wheels, fingers)."""
    goals: tuple[dict[str, float], ...]
    """Alternatives, the values of the group's joints by name."""
    attached: tuple[Attached, ...] = ()
    allowed: tuple[tuple[str, str], ...] = ()
    base: Matrix4 | None = None
    source: str = ""

    @property
    def goal(self) -> dict[str, float]:
        """The first of the goals."""
        return self.goals[0]

    def configurations(self, robot: Robot) -> tuple[Configuration, Configuration]:
        """Return (start, goal), whole configurations of the robot: joints by name, those not named as they stand.

        Start values of joints that the robot does not have are left out; a goal for such a joint is an error.
        """
        for name in self.goal:
            if name not in robot.joint_names:
                raise unknown_name("joint", name, robot.joint_names)
        start = {name: value for name, value in self.start.items() if name in robot.joint_names}
        return robot.configuration(start), robot.configuration(start | self.goal)

    @cached_property
    def held(self) -> tuple[Body, ...]:
        """What the robot carries, as bodies."""
        return tuple(Body(list(a.shapes), name=a.name) for a in self.attached)

    def carry(self, robot: Robot) -> tuple[Body, ...]:
        """Attach to the robot what the file has it carry; return those bodies."""
        for body, said in zip(self.held, self.attached):
            if body.carrier is not robot:
                _attach(robot, body, said)
        return self.held

    def scene(self, robot: Robot) -> Scene:
        """Return the scene of the robot and the bodies, without the pairs that the file allows to touch.

        What the file has the robot carry is attached to it (`Robot.attach`), unless it carries that already.
        """
        if not _stands_at(robot, self.base):
            raise TocsinError(
                f"the problem {self.source!r} has the root of {robot.name!r} elsewhere; call place(problem.base) first."
            )
        held = self.carry(robot)
        scene = Scene(robot, *self.bodies, *held)
        names = {body.name: body.name for body in (*self.bodies, *held)}
        single = len(robot.link_names) == 1
        links = robot.link_names[: len(robot.link_names) - len(held)]
        names |= {link: robot.name if single else f"{robot.name}/{link}" for link in links}
        for a, b in self.allowed:
            if a in names and b in names:
                scene.ignore(names[a], names[b])
        return scene


def _attach(robot: Robot, body: Body, said: Attached) -> None:
    # Files name links of hands that a robot may be without; what is not there touches nothing.
    touching = [link for link in said.touch_links if link in robot.link_names]
    robot.attach(body, said.link, pose=(0.0, 0.0, 0.0), touching=touching)


def _stands_at(robot: Robot, base: Matrix4 | None) -> bool:
    return base is None or np.allclose(base_matrix(robot.rest), base, atol=_cast.RIGID)


def load_problem(
    scene: PathLike, request: PathLike, *, packages: Packages = (), robot: Robot | None = None
) -> Problem:
    """Read a planning problem from its scene file (YAML or `.scene`) and its request file (YAML or JSON).

    `robot`: in whose fixed links objects may be placed.
    """
    world = load_scene_file(_given.path(scene, "cannot read a planning scene"), packages=packages, robot=robot)
    source = str(request)
    found = mapping(read_structure(request, "the planning request"), f"the planning request {source!r}")
    found = mapping(found.get("motion_plan_request", found), f"the motion_plan_request of {source!r}")
    try:
        state, base = robot_state(mapping(found.get("start_state"), "start_state"), "start_state")
        goals = tuple(
            _goal(mapping(goal, f"goal_constraints[{k}]"), f"goal_constraints[{k}]")
            for k, goal in enumerate(listing(found.get("goal_constraints"), "goal_constraints"))
        )
        if not goals:
            raise TocsinError("it has no goal_constraints.")
        group = word(found.get("group_name"), "group_name")
    except TocsinError as error:
        raise TocsinError(f"cannot use the planning request {source!r}: {error}") from None
    return Problem(
        bodies=world.bodies,
        group=group,
        start=world.state | state,
        goals=goals,
        attached=world.attached,
        allowed=world.allowed,
        base=base if base is not None else world.base,
        source=source,
    )


def load_scene_file(path: PathLike, *, packages: Packages = (), robot: Robot | None = None) -> PlanningScene:
    """Read a planning scene: MoveIt's text format if the file is called `.scene`, else YAML or JSON.

    `robot`: in whose fixed links objects may be placed, where the file says that it stands, or else where it does.
    """
    source = str(path)
    if source.lower().endswith(".scene"):
        text = read_text(path, "the scene", limit=LARGEST_SCENE)
        try:
            name, bodies = parse_scene_text(text)
            return PlanningScene(name, tuple(bodies))
        except TocsinError as error:
            raise TocsinError(f"cannot use the scene {source!r}: {error}") from None
    found = mapping(read_structure(path, "the scene"), f"the scene {source!r}")
    found = mapping(found.get("planning_scene", found), f"the planning_scene of {source!r}")
    if not {"world", "robot_state", "fixed_frame_transforms", "collision_objects"} & set(found):
        raise TocsinError(
            f"cannot use the scene {source!r}: it has neither 'world' nor 'collision_objects'; it has: "
            f"{', '.join(repr(str(key)) for key in list(found)[:10]) or 'nothing'}."
        )
    try:
        return _scene(found, Places(path, packages), robot)
    except TocsinError as error:
        raise TocsinError(f"cannot use the scene {source!r}: {error}") from None


def _scene(found: Structure, places: Places, robot: Robot | None) -> PlanningScene:
    world = mapping(found.get("world", found), "world")
    state, base = robot_state(mapping(found.get("robot_state"), "robot_state"), "robot_state")
    frames = {"": np.eye(4)} | ({} if robot is None else _own_frames(robot, base))
    _place_frames(listing(found.get("fixed_frame_transforms"), "fixed_frame_transforms"), frames)
    frames.setdefault("world", np.eye(4))
    objects = listing(world.get("collision_objects"), "collision_objects")
    check_count(len(objects))
    bodies: list[Body] = []
    for k, entry in enumerate(objects):
        entry = mapping(entry, f"collision_objects[{k}]")
        name = word(entry.get("id"), f"the id of collision_objects[{k}]")
        frame = str(mapping(entry.get("header"), f"the header of {name!r}").get("frame_id") or "")
        if frame not in frames:
            raise _unplaced(f"object {name!r}", frame, frames, robot)
        pose, shapes = shapes_of(entry, name, places)
        if shapes:
            bodies.append(object_body(name, frames[frame] @ pose, shapes))
        else:
            remark(f"object {name!r} has no shapes: it is left out.")
    bodies += _octomap(mapping(world.get("octomap"), "octomap"), frames, robot)
    refuse_doubles([body.name for body in bodies])
    _remark_padding(found)
    return PlanningScene(
        name=str(found.get("name") or ""),
        bodies=tuple(bodies),
        attached=_attached(mapping(found.get("robot_state"), "robot_state"), places),
        allowed=_allowed(mapping(found.get("allowed_collision_matrix"), "allowed_collision_matrix")),
        state=state,
        base=base,
    )


def _place_frames(entries: Sequence[object], frames: dict[str, Matrix4]) -> None:
    """Add the fixed frames of a file to those that are known, in whatever order it has them; what none of them places
    is the world."""
    waiting: dict[str, tuple[str, Matrix4]] = {}
    for k, given in enumerate(entries):
        what = f"fixed_frame_transforms[{k}]"
        entry = mapping(given, what)
        child, above = str(entry.get("child_frame_id", "")), mapping(entry.get("header"), what).get("frame_id", "")
        if child in waiting:
            raise TocsinError(f"fixed_frame_transforms has frame {child!r} twice.")
        place = pose_of(mapping(entry.get("transform"), what), what, "translation", "rotation")
        waiting[child] = str(above), place
    for child in list(waiting):
        path = {child: None} if child in waiting else {}
        while path:
            last = next(reversed(path))
            above, place = waiting[last]
            if above in waiting and above != last:  # MoveIt places its planning frame in itself
                if above in path:
                    raise TocsinError(f"fixed_frame_transforms has frame {above!r} placed in itself, by others.")
                path[above] = None
            else:
                frames[last] = frames.setdefault(above, np.eye(4)) @ place
                del waiting[last], path[last]


def _remark_padding(found: Structure) -> None:
    """Say which links a scene has larger than they are: margins do that here."""
    for key, name, usual in (("link_padding", "padding", 0.0), ("link_scale", "scale", 1.0)):
        for k, entry in enumerate(listing(found.get(key), key)):
            size = number(mapping(entry, f"{key}[{k}]").get(name, usual), f"{key}[{k}]")
            if size != usual:
                link = mapping(entry, f"{key}[{k}]").get("link_name", "")
                remark(f"the scene has a {name} of {size:g} for link {link!r}, which is not used; a margin keeps away.")


def _own_frames(robot: Robot, base: Matrix4 | None) -> dict[str, Matrix4]:
    """Return where a robot's root is, and what is fixed to it: at `base`, or where the robot stands."""
    poses = link_poses(robot.links.copy(), robot.rest.copy())
    moved = np.eye(4) if base is None else base @ np.linalg.inv(base_matrix(robot.rest))
    found: dict[str, Matrix4] = {}
    for i, name in enumerate(robot.link_names[: len(robot.link_names) - len(robot.carried)]):
        parent = int(robot.links[i]["parent"])
        if parent < 0 or (int(robot.links[i]["kind"]) == FIXED and robot.link_names[parent] in found):
            found[name] = moved @ poses[i]
    return found


def _unplaced(what: str, frame: str, frames: Iterable[str], robot: Robot | None) -> UnknownNameError:
    said = f"{what} is placed in frame {frame!r}, and the file places: {', '.join(map(repr, sorted(frames)))}."
    if robot is None:
        said += " If that is a link of the robot, give the robot itself: load_environment(..., robot=robot)."
    return UnknownNameError(said)


def _octomap(held: Structure, frames: dict[str, Matrix4], robot: Robot | None) -> list[Body]:
    """Return the body of an `octomap_msgs/OctomapWithPose`, called as MoveIt calls it; none if nothing is occupied."""
    tree = mapping(held.get("octomap"), "octomap.octomap")
    if not tree.get("data"):
        return []
    frame = str(mapping(held.get("header"), "the header of octomap").get("frame_id") or "")
    if frame not in frames:
        raise _unplaced("the octomap", frame, frames, robot)
    pose = frames[frame] @ (pose_of(held["origin"], "the origin of octomap") if "origin" in held else np.eye(4))
    centres, sizes = boxes_of_message(tree)
    if len(centres) > MOST_BALLS:
        raise TocsinError(
            f"its octomap has {len(centres)} boxes; at most {MOST_BALLS} are taken: save it as a file, and read that "
            "by Body.from_octomap with a coarser resolution."
        )
    shapes = [(Box(size), centre) for centre, size in zip(centres, sizes.tolist())]
    return [Body(shapes, pose, name=OCTOMAP)] if shapes else []


def robot_state(found: Structure, what: str) -> tuple[dict[str, float], Matrix4 | None]:
    """Return joint values by name, and where the robot's root is, if the state says so."""
    joints = mapping(found.get("joint_state"), f"{what}.joint_state")
    names = [word(name, f"a joint of {what}") for name in listing(joints.get("name"), f"{what}.joint_state.name")]
    values = listing(joints.get("position"), f"{what}.joint_state.position")
    if len(names) != len(values):
        raise TocsinError(f"{what} has {len(names)} joint names, but {len(values)} positions.")
    if len(set(names)) < len(names):
        raise TocsinError(f"{what} names joint {Counter(names).most_common(1)[0][0]!r} twice.")
    state = {name: number(value, f"{what}: joint {name!r}") for name, value in zip(names, values)}
    free = mapping(found.get("multi_dof_joint_state"), f"{what}.multi_dof_joint_state")
    transforms = listing(free.get("transforms"), f"{what}.multi_dof_joint_state.transforms")
    if len(transforms) > 1:
        raise TocsinError(
            f"{what} moves {len(transforms)} joints of several degrees of freedom; one, the root's, is read."
        )
    return state, pose_of(transforms[0], f"a transform of {what}", "translation", "rotation") if transforms else None


def _attached(state: Structure, places: Places) -> tuple[Attached, ...]:
    found: list[Attached] = []
    for k, entry in enumerate(listing(state.get("attached_collision_objects"), "attached_collision_objects")):
        what = f"attached_collision_objects[{k}]"
        entry = mapping(entry, what)
        body = mapping(entry.get("object"), f"the object of {what}")
        name = word(body.get("id"), f"the id of {what}")
        link = word(entry.get("link_name"), f"the link_name of {what}")
        frame = mapping(body.get("header"), f"the header of {name!r}").get("frame_id") or link
        if frame != link:
            raise TocsinError(
                f"object {name!r} hangs on link {link!r} but is placed in frame {frame!r}; give it there."
            )
        pose, shapes = shapes_of(body, name, places)
        touch = tuple(word(t, f"a touch link of {name!r}") for t in listing(entry.get("touch_links"), "touch_links"))
        found.append(Attached(name, link, tuple((shape, pose @ place) for shape, place in shapes), touch))
    return tuple(found)


def _allowed(found: Structure) -> tuple[tuple[str, str], ...]:
    names = [word(name, "an entry name") for name in listing(found.get("entry_names"), "entry_names")]
    rows = [
        row.get("enabled") if is_mapping(row) else row for row in listing(found.get("entry_values"), "entry_values")
    ]
    if len(rows) != len(names) or any(not is_listing(row) or len(row) != len(names) for row in rows):
        raise TocsinError(f"the allowed collision matrix must be {len(names)} rows of {len(names)} values.")
    return tuple((names[i], names[k]) for i, row in enumerate(rows) for k in range(i) if row and row[k] is True)


def _goal(found: Structure, what: str) -> dict[str, float]:
    others = [k for k in ("position_constraints", "orientation_constraints", "visibility_constraints") if found.get(k)]
    if others:
        raise TocsinError(f"{what} has {others[0]}; only goals by joint values are read.")
    goal: dict[str, float] = {}
    for k, entry in enumerate(listing(found.get("joint_constraints"), f"{what}.joint_constraints")):
        entry = mapping(entry, f"{what}.joint_constraints[{k}]")
        name = word(entry.get("joint_name"), f"the joint_name of {what}.joint_constraints[{k}]")
        if name in goal:
            raise TocsinError(f"{what} names joint {name!r} twice.")
        goal[name] = number(entry.get("position"), f"{what}: joint {name!r}")
    if not goal:
        raise TocsinError(f"{what} has no joint_constraints.")
    return goal


def environment_bodies(scene: PlanningScene, source: str, robot: Robot | None = None) -> list[Body]:
    """Return the obstacles of a scene, and what the robot carries, attached to it; without a robot that is left out.

    Where the scene has the robot otherwise than it stands is remarked on.
    """
    if robot is not None:
        if not _stands_at(robot, scene.base):
            remark(f"the scene {source!r} has the root of {robot.name!r} elsewhere than it stands; place() it there.")
        held = [Body(list(said.shapes), name=said.name) for said in scene.attached]
        for body, said in zip(held, scene.attached):
            _attach(robot, body, said)
        return [*scene.bodies, *held]
    if scene.attached:
        names = ", ".join(repr(a.name) for a in scene.attached)
        remark(f"the scene {source!r} has a robot carry {names}: not part of the environment.")
    return list(scene.bodies)

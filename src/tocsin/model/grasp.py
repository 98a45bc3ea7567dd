"""What robots carry: a body that hangs on a link, and moves rigidly with it until it is let go.

A carried body is one more link of its robot, behind all others, on a fixed joint that is the grasp: engines know how to
follow it, and bound it against other links in the frame that they share. The body itself, still in its scene, has no
shapes while it is carried, so nothing counts twice. Rules about the body's name are about that link too
(`queries.rules`). Configurations and motions of the robot stay what they are: a fixed joint has no values.

In a program a body may lie in the hand otherwise than it should, by what those were off who brought it there
(`queries.play`). Then the joint is planar: its three values, behind those of the robot, are zero and have a tube.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from tocsin import _cast
from tocsin._types import Matrix4, PoseLike
from tocsin.errors import TocsinError
from tocsin.geometry.shape import Shape
from tocsin.model.base import Model
from tocsin.model.body import Body
from tocsin.motion.links import FIXED, LINK, PLANAR, WIDTH
from tocsin.motion.poses import base_matrix, link_poses

if TYPE_CHECKING:
    from tocsin.model.robot import Robot

AnyModel = TypeVar("AnyModel", bound=Model)


@dataclass(frozen=True, eq=False)
class Carried:
    """A body in the hand of a robot."""

    body: Body
    link: str
    pose: Matrix4
    """4x4: the body's frame in the link's."""
    touching: tuple[str, ...]
    """Links that may touch it, beside the one it hangs on."""
    shapes: tuple[tuple[Shape, ...], ...]
    """The body's own, which it gets back."""


def linked(robot: Robot, touching: Iterable[str]) -> tuple[str, ...]:
    """Return the links that may touch what is carried; one name alone is one link."""
    names = (touching,) if isinstance(touching, str) else _cast.names(touching, "touching")
    return tuple(robot.link_names[robot.link_index(name)] for name in names)


def attach(robot: Robot, body: Body, link: str, pose: PoseLike | None, touching: Iterable[str]) -> None:
    """Hang a body on a link; see `Robot.attach`."""
    if not _cast.instance(body, Body):
        raise TocsinError(f"a robot carries bodies; got {_cast.said(body)}.")
    if body.carrier is not None:
        raise TocsinError(f"{body.name!r} is carried by {body.carrier.name!r} already; detach it there first.")
    parent = robot.link_index(link)
    if body.name in robot.link_names:
        raise TocsinError(f"{robot.name!r} has a link named {body.name!r}: give the body another name=.")
    names = linked(robot, touching)
    if pose is None:
        hand: Matrix4 = link_poses(robot.kernel_links, robot.rest)[parent]
        pose = np.linalg.inv(hand) @ base_matrix(body.rest)
    place = _cast.placement(pose, f"the pose of {body.name!r} on link {link!r}")
    row = np.zeros(1, LINK)
    row["parent"], row["kind"], row["depth"] = parent, FIXED, robot.links[parent]["depth"] + 1
    row["multiplier"], row["axis"] = 1.0, (0.0, 0.0, 1.0)
    row["rotation"], row["translation"] = place[:3, :3], place[:3, 3]
    number = len(robot.link_names)
    held = {(robot.link_index(name), number) for name in (link, *names)}
    carried = Carried(body, link, place, names, body.shapes)
    robot.__dict__["carried"] = (*robot.carried, carried)
    robot.lay_out(
        (*robot.link_names, body.name),
        np.concatenate([robot.links, row]),
        (*robot.shapes, *body.shapes),
        robot.ignored | held,
    )
    body.__dict__["carrier"] = robot
    body.lay_out(body.link_names, body.links, ((),), body.ignored)


def loosen(robot: Robot) -> None:
    """Give the body that was attached last a joint that may be off: planar, of three values behind all others."""
    row = robot.links[-1:].copy()
    row["kind"], row["config"], row["across"] = PLANAR, robot.width, np.eye(3)[:2]
    robot.n_config += WIDTH[PLANAR]
    robot.rest = _cast.frozen(np.append(robot.rest, np.zeros(WIDTH[PLANAR])))
    robot.__dict__.pop("most", None)
    robot.lay_out(robot.link_names, np.concatenate([robot.links[:-1], row]), robot.shapes, robot.ignored)


def detach(robot: Robot, name: Body | str) -> None:
    """Let go of a body, which stays where it is; see `Robot.detach`."""
    held = grasp_of(robot, name)
    body = held.body
    pose = carried_pose(robot, body, robot.rest)
    number = robot.link_index(body.name)
    keep = [i for i in range(len(robot.link_names)) if i != number]
    robot.__dict__["carried"] = tuple(other for other in robot.carried if other is not held)
    robot.lay_out(
        tuple(robot.link_names[i] for i in keep),
        robot.links[keep],
        tuple(robot.shapes[i] for i in keep),
        frozenset((a - (a > number), b - (b > number)) for a, b in robot.ignored if number not in (a, b)),
    )
    body.__dict__["carrier"] = None
    body.lay_out(body.link_names, body.links, held.shapes, body.ignored)
    body.place(pose)


def bare(model: Model) -> Model:
    """Return a copy of a model that carries nothing and is carried by nobody."""
    made = twin(model)
    own = len(model.link_names) - len(model.carried)
    shapes = model.shapes[:own]
    if isinstance(model, Body) and model.carrier is not None:
        shapes = grasp_of(model.carrier, model).shapes
    made.__dict__.update(carried=(), carrier=None)
    ignored = frozenset((a, b) for a, b in model.ignored if max(a, b) < own)
    made.lay_out(model.link_names[:own], model.links[:own], shapes, ignored)
    return made


def copies(models: Sequence[Model]) -> list[Model]:
    """Return copies of models, of which those that carry others carry the copies of these."""
    if not any(model.carried for model in models):
        return [twin(model) for model in models]
    made = {id(model): bare(model) for model in models}
    for model in models:
        for held in model.carried:
            robot, body = made[id(model)], made[id(held.body)]
            attach(robot, body, held.link, held.pose, held.touching)  # type: ignore[arg-type]
    return list(made.values())


def twin(model: AnyModel) -> AnyModel:
    """Return a copy that shares what is never written: a scene of 10,000 bodies is copied in milliseconds."""
    made = object.__new__(type(model))
    made.__dict__.update(model.__dict__)
    return made


def grasp_of(robot: Robot, body: Body | str) -> Carried:
    """Return how a robot carries a body, itself or its name; one that it does not carry is refused."""
    for held in robot.carried:
        if held.body is body or (isinstance(body, str) and held.body.name == body):
            return held
    name = repr(body.name) if isinstance(body, Body) else _cast.said(body)
    names = ", ".join(repr(held.body.name) for held in robot.carried) or "nothing"
    raise TocsinError(f"{robot.name!r} does not carry {name}; it carries: {names}.")


def carried_pose(robot: Robot, body: Body, row: np.ndarray) -> Matrix4:
    """Return the 4x4 pose in the world of a body that a robot carries, at a configuration row."""
    return link_poses(robot.kernel_links, row)[robot.link_index(body.name)]

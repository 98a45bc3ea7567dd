"""From what was typed to a robot, a scene and a configuration."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

import numpy as np

from tocsin import _cast
from tocsin._types import ConfigurationLike
from tocsin.cli import output
from tocsin.cli.options import Around, Ends, Following, Reading
from tocsin.errors import TocsinError, unknown_name
from tocsin.model.base import Model, Motion
from tocsin.model.robot import DEGREES, Robot
from tocsin.model.timed import SplineMotion
from tocsin.motion.links import BASE_WIDTH
from tocsin.scene import Scene

ROBOT_FILES = (".urdf", ".xacro", ".sdf", ".xml")
CONFIGURATION_FILES = (".json", ".yaml", ".yml")
SEPARATOR = re.compile(r"[\s,;]+")
AS_IT_IS = Following()
"""A trajectory that names its joints, driven as its file says."""


def load_robot(path: Path, reading: Reading) -> Robot:
    """Read a robot by its file's suffix; an .xml file is MuJoCo's unless its outermost element is <robot>."""
    suffix = path.suffix.lower()
    packages = tuple(reading.packages or ())
    if suffix not in ROBOT_FILES:
        raise TocsinError(
            f"a robot is read from a {', '.join(ROBOT_FILES[:-1])} or (MuJoCo) {ROBOT_FILES[-1]} file; "
            f"got {str(path)!r}."
        )
    if suffix == ".xml" and _outermost(path) == "mujoco":
        if reading.srdf is not None or reading.ignore_overlapping or reading.geometry != "collision":
            raise TocsinError(
                f"{str(path)!r} is a MuJoCo file, which says by itself what is checked: --srdf, --geometry and "
                "--ignore-overlapping are for URDF files; --ignore A,B works for all."
            )
        return Robot.from_mjcf(path, packages=packages)
    if suffix == ".sdf":
        if reading.srdf is not None or reading.ignore_overlapping:
            raise TocsinError("--srdf and --ignore-overlapping are for URDF files; --ignore A,B works for all.")
        return Robot.from_sdf(path, packages=packages, geometry=reading.geometry)
    return Robot.from_urdf(
        path,
        srdf=reading.srdf,
        packages=packages,
        geometry=reading.geometry,
        ignore_overlapping=reading.ignore_overlapping,
    )


def expect_suffixes(*files: tuple[Path | None, str]) -> None:
    """Refuse the name of a file to write that does not end as what is written to it."""
    for path, suffix in files:
        if path is not None and path.suffix.lower() != suffix:
            raise TocsinError(f"the name of this file must end in {suffix}; got {str(path)!r}.")


def _outermost(path: Path) -> str:
    from tocsin.io.files import parse_xml

    return parse_xml(path, "the robot").tag


def load_scene(robot: Robot, around: Around, reading: Reading, *, others: Sequence[Robot] = ()) -> Scene:
    """Put a robot among what the files hold, and leave out the pairs that are not to be checked.

    A margin is meant for what is around: links of one robot are often closer to each other by design. They get
    `self_margin`: by default 0, or the margin where there is nothing else.
    """
    arms = [robot, *others]
    models: list[Model] = [*arms]
    if around.scene:
        from tocsin.io.environment import load_environment

        for path in around.scene:
            packages = tuple(reading.packages or ())
            models += load_environment(path, scale=around.scale, packages=packages, robot=robot)
    scene = Scene(*models)
    margin = _cast.margin(around.margin)
    usual = 0.0 if around.scene or others else margin
    self_margin = usual if around.self_margin is None else _cast.margin(around.self_margin, "self-margin")
    for name, arm in zip(scene.names, arms):
        if self_margin != margin and len(arm.link_names) > 1:
            scene.margins[name, name] = self_margin
    for pair in around.ignore or ():
        names = [name.strip() for name in pair.split(",")]
        if len(names) != 2:
            raise TocsinError(f"--ignore takes two names with a comma in between, hand,table; got {pair!r}.")
        scene.ignore(*names)
    return scene


def self_margin_of(scene: Scene, margin: float) -> float:
    """Return the margin between links of the robot, which is the scene's first model."""
    return scene.margins.get((scene.names[0], scene.names[0]), margin)


def kept(scene: Scene, margin: float) -> str:
    """Say what is proven of a robot that is free in its scene, and no more."""
    own = self_margin_of(scene, margin)
    if margin == own:
        return f"keeps more than {output.metres(margin)} from everything" if margin > 0.0 else "touches nothing"
    around = f"keeps more than {output.metres(margin)} from what is around it" if margin > 0.0 else "touches nothing"
    itself = f"its links more than {output.metres(own)} from each other" if own > 0.0 else "does not touch itself"
    return f"{around} and {itself}"


def configuration(
    robot: Robot, text: str, option: str, group: str | None = None, like: np.ndarray | None = None
) -> np.ndarray:
    """Return the configuration that a text means: a named state, a file, joint=value pairs, or numbers.

    Joints that it does not name have the values of `like`, or those at which the robot stands.
    """
    text = text.strip()
    if text in robot.states:
        return robot.configuration(robot.states[text], like=like)
    words = [word for word in SEPARATOR.split(text.strip("[]() ")) if word]
    try:
        if Path(text).suffix.lower() in CONFIGURATION_FILES:
            return robot.configuration(_from_file(Path(text), option), group=group, like=like)
        if words and all("=" in word for word in words):
            given = [word.split("=", 1) for word in words]
            values = {name: float(value) for name, value in given}
            if len(values) < len(given):
                raise TocsinError(f"{option} names a joint twice: {text!r}.")
            return robot.configuration(values, group=group, like=like)
        return robot.configuration(np.array([float(word) for word in words]), group=group, like=like)
    except TocsinError as error:
        raise TocsinError(f"{option}: {error}") from error
    except ValueError:
        states = ", ".join(repr(name) for name in robot.states) or "(none)"
        raise TocsinError(
            f"{option} takes numbers (0,0.5,-1.2), joint=value pairs, a .json or .yaml file, or a named state; "
            f"got {text!r}. States are: {states}."
        ) from None


def ends(robot: Robot, given: Ends) -> tuple[np.ndarray, np.ndarray]:
    """Return the configurations at which a motion starts and ends; what --to does not name stays as it is."""
    q0 = configuration(robot, given.start, "--from", given.group)
    return q0, configuration(robot, given.end, "--to", given.group, q0)


def _from_file(path: Path, option: str) -> ConfigurationLike:
    """Return the mapping (or list) of joint values in a JSON or YAML file."""
    from tocsin.io.yamlfile import read_structure

    values = read_structure(path, f"the file of {option}")
    if isinstance(values, Mapping):
        values = cast(Mapping[object, object], values)
        odd = [name for name in values if not isinstance(name, str)]
        if odd:
            raise TocsinError(f"joint names in {str(path)!r} must be words; got {odd[0]!r}.")
    elif not isinstance(values, list):
        raise TocsinError(f"{str(path)!r} must hold joint names with values, or a list of values.")
    return cast(ConfigurationLike, values)


def outside_limits(robot: Robot, path: np.ndarray, between: np.ndarray | None = None) -> list[str]:
    """Return a sentence for each joint whose value is outside its limits, at one configuration or on a path of them.

    `between`: configurations that are passed between those of the path, where curves go farthest.
    """
    rows = np.atleast_2d(path)
    inner = np.zeros((0, rows.shape[1])) if between is None else between
    found: list[str] = []
    for joint in robot.joints:
        if joint.limits is None:
            continue
        link = robot.links[robot.link_index(joint.child)]
        values, more = (link["multiplier"] * q[:, link["config"] - BASE_WIDTH] + link["offset"] for q in (rows, inner))
        low, high = joint.limits
        beyond, passed = (v[(v < low) | (v > high)] for v in (values, more))
        if len(beyond) + len(passed) == 0:
            continue
        both = np.concatenate([beyond, passed])
        worst = both[np.argmax(np.maximum(low - both, both - high))]
        at = [f"at {len(beyond):,} of {len(rows):,} waypoints"] * bool(len(beyond)) + ["between"] * bool(len(passed))
        often = "" if len(rows) == 1 else f" {' and '.join(at)}{' waypoints' * (not len(beyond))}, up to {worst:.6g}"
        place = f"is at {worst:.6g}, outside of" if len(rows) == 1 else "leaves"
        degrees = " (degrees?)" if joint.kind == "revolute" and abs(worst) > DEGREES else ""
        found.append(f"joint {joint.name!r} {place} its limits {low:.6g} to {high:.6g}{often}{degrees}")
    return found


def beyond_limits(robot: Robot, motions: Sequence[Motion]) -> list[str]:
    """Return the same of motions one after another; on curves also where a joint turns around between waypoints."""
    turns = [m.row_of(k, x) for m in motions if isinstance(m, SplineMotion) for k, x in m.turns()]
    rows = np.vstack([m.rows for m in motions])
    return outside_limits(robot, rows[:, BASE_WIDTH:], np.reshape(turns, (-1, robot.width))[:, BASE_WIDTH:])


def load_trajectory(robot: Robot, path: Path, following: Following = AS_IT_IS) -> Motion:
    """Return the motion of a trajectory's file; columns without names are the robot's joints, or the group's."""
    from tocsin.io.trajectories import load_trajectory as load

    if following.group is not None and following.group not in robot.groups:
        raise unknown_name("group", following.group, robot.groups)
    return robot.follow(load(path, interpolation=following.interpolation), group=following.group)

"""SRDF files: which links need not be checked against each other, groups of joints, and named configurations.

An SRDF is written for one robot and used with its variants: with another gripper, without the sensors. Names that the
robot does not have are therefore common, and are not errors. A pair of links of which one is missing cannot touch, so
leaving it out weakens nothing. A group that names something missing is left out as a whole, since half a group would
take configurations of another width; a state keeps the joints that are there. One `StaleNameWarning` lists all that
was left out. Virtual joints, and the `root_joint` that some files name without declaring it, tie the robot to the
world: tocsin's own base does that, and they are left out in silence.

What is malformed (no names, values that are not numbers, subgroups in a circle) is an error as everywhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from xml.etree import ElementTree

import numpy as np

from tocsin import _given
from tocsin._types import JointValue, PathLike
from tocsin.errors import TocsinError, remark
from tocsin.io.elements import attribute, children, named, numbers
from tocsin.io.files import Element, parse_xml
from tocsin.model.joint import Joint
from tocsin.model.robot import Robot

ROOT_JOINT = "root_joint"

MOST_MEMBERS = 20_000
"""Joints, links, chains and groups inside groups, in one file."""

LISTED = 12
"""Names that a warning lists before it only counts them."""


class StaleNameWarning(UserWarning):
    """A file names links or joints that the robot does not have; they are left out."""


@dataclass(frozen=True)
class Group:
    """What a group is made of, as written: names of joints and links, (base, tip) chains, names of other groups."""

    joints: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    chains: tuple[tuple[str, str], ...] = ()
    subgroups: tuple[str, ...] = ()


@dataclass(frozen=True)
class State:
    """A named configuration: joint name -> its values, one for a revolute or prismatic joint."""

    name: str
    group: str
    """Whose configuration it is; some files leave it out."""
    values: dict[str, tuple[float, ...]]


@dataclass(frozen=True)
class Srdf:
    """What an SRDF file says, as written: nothing is compared with a robot before `apply`."""

    source: str
    name: str = ""
    groups: dict[str, Group] = field(default_factory=dict[str, Group])
    states: tuple[State, ...] = ()
    disabled: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    """Pairs of links that are not checked against each other, names in order, and the reason that is given."""
    enabled: frozenset[tuple[str, str]] = frozenset()
    """Pairs that are checked although one of their links is in `disabled_links`."""
    disabled_links: tuple[str, ...] = ()
    """Links that are checked against no other link of the robot (`disable_default_collisions`)."""
    passive_joints: tuple[str, ...] = ()
    """Joints that nothing drives; they have values like any other."""
    virtual_joints: tuple[str, ...] = ()
    """Joints between the robot and the world."""

    def apply(self, robot: Robot) -> None:
        """Give a robot the groups, states and ignored pairs of this file; warn about names that it does not have."""
        stale: list[str] = []
        place = {link: i for i, link in enumerate(robot.link_names)}
        pairs = [(place[a], place[b]) for a, b in self._pairs(robot, stale)]
        robot.ignored |= {(min(pair), max(pair)) for pair in pairs}
        robot.changed()
        worlds = {ROOT_JOINT, *self.virtual_joints} - {joint.name for joint in robot.joints}
        known: dict[str, _Members] = {}
        tree = _Tree(robot, worlds)
        for name in self.groups:
            joints, missing = self._members(name, tree, known)
            if missing:
                stale.append(f"group {name!r}, which needs {', '.join(map(repr, missing))}")
            else:
                robot.groups[name] = joints
        _add_states(self.states, robot, worlds, stale)
        if stale:
            listed = "; ".join(stale[:LISTED]) + (f"; and {len(stale) - LISTED} more" if len(stale) > LISTED else "")
            remark(f"{self.source!r} names what {robot.name!r} does not have; left out: {listed}.", StaleNameWarning)

    def _pairs(self, robot: Robot, stale: list[str]) -> set[tuple[str, str]]:
        """Return the pairs of the robot's links that are not to be checked."""
        links = set(robot.link_names)
        lost = {link for pair in self.disabled for link in pair if link not in links}
        lost |= {link for link in self.disabled_links if link not in links}
        stale += [f"link {link!r}" for link in sorted(lost)]
        disabled = links & set(self.disabled_links)
        pairs = {_pair(a, b) for a in disabled for b in links if a != b} - self.enabled
        return pairs | {pair for pair in self.disabled if links.issuperset(pair)}

    def _members(self, name: str, tree: _Tree, known: dict[str, _Members]) -> _Members:
        """Return a group's joints that have values, each once, in the order in which it comes to them; what is missing.

        Groups that are `known` are not worked out again.
        """
        if name in known:
            return known[name]
        group = self.groups.get(name)
        if group is None:
            return (), (name,)
        found: dict[str, None] = {}
        missing: dict[str, None] = {}
        for joint in group.joints:
            if joint not in tree.worlds:
                (found if joint in tree.joints else missing)[joint] = None
        for link in group.links:
            if link not in tree.links:
                missing[link] = None
            elif link in tree.above:
                found[tree.above[link].name] = None
        for base, tip in dict.fromkeys(group.chains):
            lost = [link for link in (base, tip) if link not in tree.links]
            missing.update(dict.fromkeys(lost))
            if not lost:
                found.update(dict.fromkeys(_chain(base, tip, tree.above)))
        for subgroup in dict.fromkeys(group.subgroups):
            joints, lacking = self._members(subgroup, tree, known)
            found.update(dict.fromkeys(joints))
            missing.update(dict.fromkeys(lacking))
        known[name] = tuple(joint for joint in found if tree.joints[joint].width), tuple(missing)
        return known[name]


class _Tree:
    """A robot as groups see it: joints by name, the joint above each link, and joints to the world, left out."""

    def __init__(self, robot: Robot, worlds: set[str]) -> None:
        self.worlds = worlds
        self.links = set(robot.link_names)
        self.joints = {joint.name: joint for joint in robot.joints}
        self.above = {joint.child: joint for joint in robot.joints}


_Members = tuple[tuple[str, ...], tuple[str, ...]]
"""Joints of a group, and names that it needs and the robot does not have."""


def read_srdf(path: PathLike) -> Srdf:
    """Read an SRDF file. End effectors, and elements of other programs, are not read."""
    root = parse_xml(path, "the SRDF")
    source = str(path)
    if root.tag != "robot":
        raise TocsinError(f"{source!r} is not an SRDF: its outermost element is <{root.tag}>, not <robot>.")
    _check_kind(root, source)
    groups = _groups(root, source)
    disabled = {_linked(e, source): e.get("reason", "") for e in children(root, "disable_collisions")}
    return Srdf(
        source,
        root.get("name", "").strip(),
        groups,
        tuple(_state(element, source) for element in children(root, "group_state")),
        disabled,
        frozenset(_linked(e, source) for e in children(root, "enable_collisions")),
        tuple(attribute(e, "link", f"{source!r}") for e in children(root, "disable_default_collisions")),
        tuple(attribute(e, "name", f"{source!r}") for e in children(root, "passive_joint")),
        tuple(named(children(root, "virtual_joint"), f"{source!r}")),
    )


SPOKEN = (
    "group", "group_state", "disable_collisions", "enable_collisions", "disable_default_collisions", "passive_joint",
    "virtual_joint", "end_effector",
)  # fmt: skip
"""Elements that only an SRDF has."""


def _check_kind(root: Element, source: str) -> None:
    """Refuse another kind of file about a robot, from which nothing would be read."""
    tags = {child.tag for child in root}
    if any(tag.startswith("xacro:") for tag in tags):
        raise TocsinError(f"{source!r} is a xacro file; expand it first: xacro {source} > robot.srdf.")
    if tags & {"link", "joint"} and not tags & set(SPOKEN):
        raise TocsinError(
            f"{source!r} is not an SRDF: it holds links and joints, as a URDF does, and no groups or disabled pairs."
        )


def _pair(a: str, b: str) -> tuple[str, str]:
    return (a, b) if a <= b else (b, a)


def _linked(element: Element, source: str) -> tuple[str, str]:
    """Return the two links of an element, names in order."""
    a, b = (attribute(element, key, f"{source!r}") for key in ("link1", "link2"))
    if a == b:
        raise TocsinError(f"{source!r}: a <{element.tag}> (line {element.line}) pairs link {a!r} with itself.")
    return _pair(a, b)


def _groups(root: Element, source: str) -> dict[str, Group]:
    """Return the groups; one may be written in several parts; those that contain each other are refused."""
    groups: dict[str, Group] = {}
    written = children(root, "group")
    members = sum(len(element) for element in written)
    if members > MOST_MEMBERS:
        raise TocsinError(f"{source!r}: its groups have {members} members; at most {MOST_MEMBERS} are expected.")
    for element in written:
        name = attribute(element, "name", f"{source!r}")
        what = f"group {name!r}"
        before = groups.get(name, Group())
        groups[name] = Group(
            before.joints + tuple(attribute(e, "name", what) for e in children(element, "joint")),
            before.links + tuple(attribute(e, "name", what) for e in children(element, "link")),
            before.chains
            + tuple(
                (attribute(e, "base_link", what), attribute(e, "tip_link", what)) for e in children(element, "chain")
            ),
            before.subgroups + tuple(attribute(e, "name", what) for e in children(element, "group")),
        )
    settled: set[str] = set()
    for name in groups:
        _check_subgroups(name, groups, (), settled, source)
    return groups


def _check_subgroups(
    name: str, groups: Mapping[str, Group], above: tuple[str, ...], settled: set[str], source: str
) -> None:
    if name in above:
        raise TocsinError(f"{source!r}: groups contain each other: {' -> '.join([*above, name])}.")
    if len(above) > 100:
        raise TocsinError(f"{source!r}: groups are nested more than 100 deep: {above[0]!r}, ..., {name!r}.")
    if name in groups and name not in settled:
        for subgroup in groups[name].subgroups:
            _check_subgroups(subgroup, groups, (*above, name), settled, source)
        settled.add(name)


def _state(element: Element, source: str) -> State:
    name = attribute(element, "name", f"{source!r}")
    what = f"state {name!r}"
    values: dict[str, tuple[float, ...]] = {}
    for joint in children(element, "joint"):
        label = f"{what}, joint {attribute(joint, 'name', what)!r}"
        values[attribute(joint, "name", what)] = tuple(numbers(joint, "value", tuple(range(1, 8)), label).tolist())
    return State(name, element.get("group", "").strip(), values)


def _chain(base: str, tip: str, above: Mapping[str, Joint]) -> list[str]:
    """Return the joints between two links, from base to tip; over the fork where neither hangs on the other."""
    paths: list[list[str]] = []
    for link in (base, tip):
        path = [link]
        while path[-1] in above:
            path.append(above[path[-1]].parent)
        paths.append(path)
    up, down = paths
    below = set(down)
    fork = next(link for link in up if link in below)
    rising = [above[link].name for link in up[: up.index(fork)]]
    return rising + [above[link].name for link in reversed(down[: down.index(fork)])]


def _add_states(states: tuple[State, ...], robot: Robot, worlds: set[str], stale: list[str]) -> None:
    """Give the robot its named configurations; a name that several groups use is written 'group/name'."""
    joints = {joint.name: joint for joint in robot.joints}
    names = Counter(state.name for state in states)
    for state in states:
        values: dict[str, JointValue] = {}
        for name, given in state.values.items():
            joint = joints.get(name)
            if joint is None:
                if name not in worlds:
                    stale.append(f"joint {name!r} of state {state.name!r}")
            elif joint.width and len(given) != joint.width:
                raise TocsinError(
                    f"state {state.name!r}: joint {name!r} is {joint.kind} and has {joint.width} "
                    f"value{'s' if joint.width > 1 else ''}; got {len(given)}."
                )
            elif joint.width:
                values[name] = given[0] if joint.width == 1 else given
        robot.states[state.name if names[state.name] == 1 else f"{state.group}/{state.name}"] = values


def write_srdf(path: PathLike, robot: Robot, disabled: Mapping[tuple[str, str], str] | None = None) -> None:
    """Write a robot's groups, states and ignored pairs as an SRDF file.

    `disabled` adds pairs, with their reasons, for example `find_overlaps(robot).disabled(never=True)`. Pairs of the
    robot's own get the reason "Adjacent" where one link hangs on the other, and "User" otherwise.
    """
    root = ElementTree.Element("robot", name=robot.name)
    everything = next((name for name, joints in robot.groups.items() if set(robot.joint_names) <= set(joints)), "all")
    holders = {name: _holder(values, robot, everything) for name, values in robot.states.items()}
    groups = dict(robot.groups)
    if everything in holders.values():
        groups.setdefault(everything, robot.joint_names)
    for name, joints in groups.items():
        group = ElementTree.SubElement(root, "group", name=name)
        for joint in joints:
            ElementTree.SubElement(group, "joint", name=joint)
    for name, values in robot.states.items():
        state = ElementTree.SubElement(root, "group_state", name=name.rpartition("/")[2], group=holders[name])
        for joint, value in values.items():
            given = np.atleast_1d(value).tolist()
            ElementTree.SubElement(state, "joint", name=joint, value=" ".join(repr(float(v)) for v in given))
    joined = {_pair(joint.parent, joint.child) for joint in robot.joints}
    reasons: dict[tuple[str, str], str] = {}
    for i, k in robot.ignored:
        pair = _pair(robot.link_names[i], robot.link_names[k])
        reasons[pair] = "Adjacent" if pair in joined else "User"
    for (a, b), reason in (disabled or {}).items():
        for link in (a, b):
            robot.link_index(link)
        reasons[_pair(a, b)] = reason
    for (a, b), reason in sorted(reasons.items()):
        ElementTree.SubElement(root, "disable_collisions", link1=a, link2=b, reason=reason)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"
    _given.write(_given.path(path, "cannot write the SRDF"), text, "the SRDF")


def _holder(values: Mapping[str, object], robot: Robot, everything: str) -> str:
    """Return the smallest group that has all joints of a state, or the name of the group of all joints."""
    fitting = [name for name, joints in robot.groups.items() if set(values) <= set(joints)]
    return min(fitting, key=lambda name: len(robot.groups[name]), default=everything)

"""What links hang on: a joint, its checks, and the tree that joints make of links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tocsin import _cast, _given
from tocsin._types import LinkTable, Matrix4, Vector, Vectors
from tocsin.errors import TocsinError, unknown_name
from tocsin.motion.links import FLOATING, JOINT_KINDS, LINK, WIDTH


@dataclass(frozen=True)
class Joint:
    """How a link hangs on its parent. Angles in radians, lengths in metres."""

    name: str
    kind: str
    parent: str
    child: str
    origin: Matrix4
    """4x4: the joint's frame in the parent link's."""
    axis: Vector
    limits: tuple[float, float] | None = None
    mimic: tuple[str, float, float] | None = None
    """(joint, multiplier, offset): value = multiplier * value of that joint + offset."""

    @property
    def width(self) -> int:
        """Entries in the configuration vector."""
        return 0 if self.mimic is not None else WIDTH[JOINT_KINDS[self.kind]]


def _checked(joint: Joint) -> None:
    """Refuse a joint that says other things than names, a kind, limits and what it follows."""
    what = f"joint {_cast.name(joint.name, 'the name of a joint')!r}"
    _cast.choice(joint.kind, f"the kind of {what}", JOINT_KINDS)
    _cast.name(joint.parent, f"the parent of {what}")
    _cast.name(joint.child, f"the child of {what}")
    if joint.limits is not None:
        ends = _cast.numbers(joint.limits, f"the limits of {what}", "two numbers, lower and upper")
        if ends.shape != (2,) or not ends[0] <= ends[1]:
            raise TocsinError(f"the limits of {what} are two numbers, lower and upper; got {_cast.said(joint.limits)}.")
    if joint.mimic is not None:
        wanted = "three things: a joint, a multiplier and an offset"
        follows = _given.sequence(joint.mimic, f"what {what} follows", wanted)
        if len(follows) != 3:
            raise TocsinError(f"what {what} follows is {wanted}; got {_cast.said(joint.mimic)}.")
        _cast.name(follows[0], f"the joint that {what} follows")
        _cast.scalar(follows[1], f"the multiplier of {what}")
        _cast.scalar(follows[2], f"the offset of {what}")


def kept(joint: Joint) -> Joint:
    """Return a joint whose frame and axis nobody can write, its frame that of the nearest rotation."""
    _checked(joint)
    origin = _cast.placement(joint.origin, f"the origin of joint {joint.name!r}")
    return replace(joint, origin=origin, axis=_cast.kept(joint.axis, f"the axis of joint {joint.name!r}", (3,)))


def across(axis: Vector) -> Vectors:
    """Return the two directions of a planar joint: x and y for the default axis z, any right-handed pair otherwise."""
    if np.array_equal(axis, (0.0, 0.0, 1.0)):
        return np.eye(3)[:2]
    helper = np.eye(3)[int(np.argmin(np.abs(axis)))]
    ex = np.cross(helper, axis)
    ex /= np.linalg.norm(ex)
    return np.stack([ex, np.cross(axis, ex)])


def driven(joint: Joint, by_name: Mapping[str, Joint]) -> tuple[str, float, float]:
    """Follow a mimic joint to the joint that is really driven; return it with the total multiplier and offset."""
    seen = [joint.name]
    multiplier, offset = 1.0, 0.0
    current = joint
    while current.mimic is not None:
        other, m, o = current.mimic
        if other not in by_name:
            raise unknown_name("joint", other, by_name)
        if other in seen:
            raise TocsinError(f"joint {joint.name!r} mimics itself: {' -> '.join([*seen, other])}.")
        multiplier, offset = multiplier * m, multiplier * o + offset
        seen.append(other)
        current = by_name[other]
    if WIDTH[JOINT_KINDS[current.kind]] != 1:
        raise TocsinError(
            f"joint {joint.name!r} mimics {current.name!r}, which is {current.kind}: only revolute, continuous and "
            "prismatic joints can be mimicked."
        )
    if not max(abs(multiplier), abs(offset)) <= _cast.LARGEST:
        raise TocsinError(
            f"joint {joint.name!r} follows {current.name!r} by a multiplier of {multiplier:g} and an offset of "
            f"{offset:g}; they must be at most {_cast.LARGEST:g}."
        )
    return current.name, multiplier, offset


def link_table(order: Sequence[str], joint_of: Mapping[str, Joint], config: Mapping[str, int]) -> LinkTable:
    """Return the table of links, parents first; `config`: where the values of each joint begin in a configuration row.

    The root, which has no joint, floats: its base is the first part of a row.
    """
    by_name = {joint.name: joint for joint in joint_of.values()}
    index = {link: i for i, link in enumerate(order)}
    table = np.zeros(len(order), LINK)
    for i, link in enumerate(order):
        row = table[i]
        joint = joint_of.get(link)
        row["multiplier"] = 1.0
        if joint is None:
            row["parent"], row["kind"], row["depth"] = -1, FLOATING, 1
            row["axis"], row["rotation"] = (0.0, 0.0, 1.0), np.eye(3)
            continue
        parent = index[joint.parent]
        row["parent"], row["depth"] = parent, table[parent]["depth"] + 1
        row["kind"] = JOINT_KINDS[joint.kind]
        row["config"] = config[joint.name]
        row["axis"] = joint.axis
        row["across"] = across(joint.axis)
        row["rotation"] = joint.origin[:3, :3]
        row["translation"] = joint.origin[:3, 3]
        if joint.mimic is not None:
            master, row["multiplier"], row["offset"] = driven(joint, by_name)
            row["config"] = config[master]
    return table


def sorted_tree(name: str, links: Sequence[str], joints: Sequence[Joint]) -> tuple[list[str], dict[str, Joint]]:
    """Return the links, parents first, and the joint of each; refuse what is not one tree."""
    if not links:
        raise TocsinError(f"robot {name!r} has no links.")
    for what, names in (("link", links), ("joint", [j.name for j in joints])):
        twice = sorted(n for n, count in Counter(names).items() if count > 1)
        if twice:
            raise TocsinError(f"robot {name!r} has two {what}s named {twice[0]!r}; names must differ.")
    joint_of: dict[str, Joint] = {}
    known = set(links)
    for joint in joints:
        for link in (joint.parent, joint.child):
            if link not in known:
                raise unknown_name("link", link, links)
        if joint.child in joint_of:
            raise TocsinError(
                f"link {joint.child!r} has two parents, {joint_of[joint.child].parent!r} and {joint.parent!r}; "
                "a robot is a tree."
            )
        joint_of[joint.child] = joint
    roots = [link for link in links if link not in joint_of]
    if not roots:
        raise TocsinError(f"robot {name!r} has no root: its links form a cycle.")
    if len(roots) > 1:
        raise TocsinError(f"robot {name!r} has {len(roots)} roots: {', '.join(map(repr, roots))}; a robot is one tree.")
    children: dict[str, list[str]] = {link: [] for link in links}
    for link in links:
        if link in joint_of:
            children[joint_of[link].parent].append(link)
    order: list[str] = []
    pending = [roots[0]]
    while pending:
        link = pending.pop()
        order.append(link)
        pending.extend(reversed(children[link]))
    if len(order) < len(links):
        lost = sorted(known.difference(order))
        raise TocsinError(f"robot {name!r} has a cycle through: {', '.join(map(repr, lost))}.")
    return order, joint_of

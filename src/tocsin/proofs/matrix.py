"""Which links of a robot can touch each other at all: proven, pair by pair, for all joint values within the limits.

    never       apart by more than the margin everywhere, proven by boxes of joint values (`proofs.boxes`)
    always      within the margin at all values
    sometimes   within the margin at the values that are given
    adjacent    joined by a joint: not asked about
    undecided   neither: the survey took too long, or a joint between them has no limits to survey

Nothing is by samples alone: these only find witnesses.
"""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from tocsin import _cast
from tocsin.compiler.jit import kernel
from tocsin.model.robot import Robot
from tocsin.model.world import assemble
from tocsin.motion.chain import common_ancestor
from tocsin.motion.joints import JOINT
from tocsin.motion.links import FIXED, PRISMATIC, REVOLUTE
from tocsin.proofs import boxes
from tocsin.proofs.prove import joined_parts
from tocsin.results import LinkPair, LinkPairs

SAMPLES = 4096
WAITING = 512


@kernel
def touching(tables, links, joints, ends, margin, entries, row, values, half, work):
    """Return (how many, the first): at which rows of joint values two shapes are within the margin."""
    stop = common_ancestor(links, ends[0], ends[1])
    count = 0
    first = -1
    for i in range(values.shape[0]):
        for k in range(entries.shape[0]):
            row[entries[k]] = values[i, k]
        boxes.set_at(links, joints, ends[0], stop, row)
        boxes.set_at(links, joints, ends[1], stop, row)
        if boxes.box_apart(tables, links, joints, ends, margin, half, work) == boxes.TOUCHING:
            count += 1
            if first < 0:
                first = i
    return count, first


def _comes_around(link: Any) -> bool:
    """Is a link where it was when the entry that moves it has gone a whole turn? Else one turn is not all there is."""
    return int(link["kind"]) == REVOLUTE and float(link["multiplier"]).is_integer()


class Survey:
    """A robot laid out for questions about pairs of its links."""

    def __init__(self, robot: Robot, margin: float) -> None:
        self.robot, self.margin = robot, margin
        self.world = assemble([robot], {})
        parts, points, roots = joined_parts(robot.shapes)
        self.tables, self.roots = (parts, points), roots
        self.shapes: dict[int, list[int]] = {}
        for k, link in enumerate(self.world.geoms["link"].tolist()):
            self.shapes.setdefault(link, []).append(k)
        self.limits = {j.name: j.limits for j in robot.joints}

    def pairs(self) -> list[tuple[int, int]]:
        """Return all pairs of links that have shapes."""
        links = sorted(self.shapes)
        return [(a, b) for i, a in enumerate(links) for b in links[i + 1 :]]

    def adjacent(self, a: int, b: int) -> bool:
        """Are two links joined, by one joint or by several with nothing but frames between?"""
        for child, other in ((a, b), (b, a)):
            above = int(self.world.links[child]["parent"])
            while above >= 0 and above != other and above not in self.shapes:
                above = int(self.world.links[above]["parent"])
            if above == other:
                return True
        return False

    def entries(self, a: int, b: int) -> tuple[np.ndarray, np.ndarray, np.ndarray] | str:
        """Return the entries of the configuration that matter to a pair, their least and greatest values; or why
        not."""
        links = self.world.links
        stop = common_ancestor(links, a, b)
        found: dict[int, tuple[float, float]] = {}
        between: list[int] = []
        for i in (a, b):
            while i != stop:
                kind = int(links[i]["kind"])
                if kind in (REVOLUTE, PRISMATIC):
                    found[int(links[i]["config"])] = (-math.pi, math.pi)
                    between.append(i)
                elif kind != FIXED:
                    return f"the joint of {self.robot.link_names[i]!r} is neither revolute nor prismatic"
                i = int(links[i]["parent"])
        for joint in self.robot.joints:
            if joint.width == 1:
                at = int(links[self.robot.link_index(joint.child)]["config"])
                if at in found and joint.limits is not None:
                    found[at] = float(joint.limits[0]), float(joint.limits[1])
                elif at in found and not all(_comes_around(links[i]) for i in between if links[i]["config"] == at):
                    return f"joint {joint.name!r} has no limits"
        order = np.array(sorted(found), np.int64)
        ends = np.array([found[int(k)] for k in order]).reshape(-1, 2)
        return order, np.ascontiguousarray(ends[:, 0]), np.ascontiguousarray(ends[:, 1])

    def work(self) -> Any:
        """Return arrays to work in, of a thread."""
        depth = int(self.world.links["depth"].max()) + 2
        rows = np.zeros((depth, boxes.JOINT_ROW)), np.zeros((depth, boxes.JOINT_ROW))
        return (
            *rows,
            np.zeros((WAITING, 2), np.int64),
            np.zeros((WAITING, 3)),
            np.zeros((4, 9)),
            np.zeros(self.robot.width),
        )

    def look(self, a: int, b: int, most: int) -> LinkPair:
        """Return what is true of two links."""
        names = self.robot.link_names[a], self.robot.link_names[b]
        if self.adjacent(a, b):
            return LinkPair(*names, "adjacent")
        found = self.entries(a, b)
        if isinstance(found, str):
            return LinkPair(*names, "undecided", reason=found)
        entries, low, high = found
        links, joints, work = self.world.links, np.zeros(len(self.world.links), JOINT), self.work()
        row, half = self.robot.rest.copy(), np.zeros(self.robot.width)
        rng = np.random.default_rng(a * 1000 + b)
        values = rng.uniform(low, high, (SAMPLES if len(entries) else 1, len(entries)))
        looked, open_pair = 0, False
        for s in self.shapes[a]:
            for t in self.shapes[b]:
                ends = a, b, int(self.roots[s]), int(self.roots[t])
                count, first = touching(self.tables, links, joints, ends, self.margin, entries, row, values, half, work)
                if count:
                    row[entries] = values[first]
                    verdict = "always" if not len(entries) else "sometimes"
                    share = f"{count} of {len(values)} samples" if len(entries) else "no joint between them"
                    return LinkPair(*names, verdict, row[7:].copy(), looked, share)
                outcome, n = boxes.survey(
                    self.tables, links, joints, ends, self.margin, entries, row, low, high,
                    np.zeros((WAITING, 2 * len(entries))), work, most,
                )  # fmt: skip
                looked += n
                if outcome == boxes.TOUCHING:
                    return LinkPair(*names, "sometimes", row[7:].copy(), looked, "found by the survey")
                open_pair = open_pair or outcome != boxes.APART
        if open_pair:
            return LinkPair(*names, "undecided", None, looked, f"more than {most} boxes")
        return LinkPair(*names, "never", None, looked)


def prove_pairs(robot: Robot, *, margin: float, most: int, threads: int | None, told: Any = None) -> LinkPairs:
    """Answer `Robot.prove_pairs`; `told` is called with every pair as it is done."""
    survey = Survey(robot, _cast.margin(margin))
    _cast.count(most, "most")

    def look(pair: tuple[int, int]) -> LinkPair:
        found = survey.look(*pair, most)
        if told is not None:
            told(found)
        return found

    workers = os.cpu_count() or 1 if threads is None else _cast.count(threads, "threads")
    with ThreadPoolExecutor(workers) as pool:
        return LinkPairs(survey.margin, tuple(pool.map(look, survey.pairs())))

"""Making charts (`broad_phase.charts`): which pairs of shapes get one, when, and how its cells are proven.

A chart takes a tenth of a second to make and then saves some ten microseconds in every question. So it is made once a
pair has cost enough steps, at most one per question, and is kept on disk and for other scenes with the same links.

Of three joints between two shapes, the one on which a shape itself hangs is left out: the shape is taken at all of
its angles at once (`revolved`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tocsin.advancement.cells import proven_apart
from tocsin.advancement.revolved import with_turned
from tocsin.advancement.workspace import make_workspace
from tocsin.broad_phase.charts import SLACK, may_have_chart
from tocsin.broad_phase.pairs import PAIR
from tocsin.broad_phase.spatial import pair_margin
from tocsin.broad_phase.sweep import SWEEP
from tocsin.compiler.jit import kernel
from tocsin.geometry import cache
from tocsin.model.charts import CELLS, CHART, PER_RADIAN, WORD
from tocsin.model.robot import Robot
from tocsin.model.tables import World
from tocsin.motion.chain import common_ancestor
from tocsin.motion.joints import JOINT, joint_motion
from tocsin.motion.links import FIXED

if TYPE_CHECKING:
    from tocsin.model.base import Model

LARGEST_CELL = 8
"""Where proofs start, in cells; what fails is quartered."""

LOOK = 64
"""Steps after which a scene looks for the first time at which of its pairs cost them; then twice as many, and so on."""

EARNED = 4096
"""Steps that questions about a pair have taken before its chart is made."""

MOST_TESTS = 2**22
"""Tests after which a chart is left as it is, about a second: most take a tenth of that."""

MOST_KEPT = 4096
"""Charts in memory, 2 KB each."""

_kept: dict[str, np.ndarray] = {}
_spent: dict[str, int] = {}

Limits = Mapping[int, tuple[float, float]]
"""Of revolute joints, by link, in radians: what is outside is not surveyed, and left to the advancement."""


@kernel
def still_joints(links, joints, start, stop):
    """Write the records of the joints that do not move, from a link up to its ancestor."""
    ends = np.zeros(4)
    i = start
    while i != stop:
        if links[i]["kind"] == FIXED:
            joint_motion(joints[i], links[i], ends, 0, 2, 0.0, 1.0)
        i = links[i]["parent"]


@kernel
def survey(world, chain, workspace, pair, turning, clear, region, bits):
    """Set the bits of the cells that are proven apart, in the region: first and last of the whole numbers along x, y.

    `chain` and `turning` as for `proven_apart`. A cell is proven with four times the slack of lines around it, so a
    line that is within the slack of a cell, and rounding, is inside of what was proven. What is left after
    MOST_TESTS stays unset.
    """
    ends = np.zeros(4)
    stack = np.zeros((64, 3), np.int32)
    left = MOST_TESTS
    for i in range(region[0], region[1] + 1, LARGEST_CELL):
        for k in range(region[2], region[3] + 1, LARGEST_CELL):
            stack[0, 0] = i
            stack[0, 1] = k
            stack[0, 2] = LARGEST_CELL
            top = 1
            while top > 0:
                top -= 1
                x = stack[top, 0]
                y = stack[top, 1]
                size = stack[top, 2]
                if x > region[1] or y > region[3] or left <= 0:
                    continue
                half = 0.5 * size
                ends[0] = (x + half) / PER_RADIAN
                ends[1] = (y + half) / PER_RADIAN
                ends[2] = ends[0] + (half + 4.0 * SLACK) / PER_RADIAN
                ends[3] = ends[1] + (half + 4.0 * SLACK) / PER_RADIAN
                apart, tests = proven_apart(world, chain, workspace, pair, turning, ends, clear)
                left -= tests
                if apart:
                    for row in range(x, x + size):
                        for column in range(y, y + size):
                            place = column % CELLS
                            bits[row % CELLS, place // WORD] |= np.uint64(1) << np.uint64(place % WORD)
                elif size > 1:
                    for part in range(2 if turning[1] < 0 else 4):
                        stack[top, 0] = x + (size // 2 if part & 1 else 0)
                        stack[top, 1] = y + (size // 2 if part & 2 else 0)
                        stack[top, 2] = size // 2
                        top += 1


class Site:
    """A pair of shapes that may get a chart: the joints between them, and a key of all that the chart depends on."""

    def __init__(
        self, world: World, a: int, b: int, moving: list[int], stop: int, clear: float, limits: Limits,
        turned: tuple[int, int] | None,
    ) -> None:  # fmt: skip
        self.world, self.a, self.b, self.stop, self.clear, self.turned = world, a, b, stop, clear, turned
        self.joint_x, self.joint_y = moving[0], moving[1] if len(moving) > 1 else -1
        self.region = [*_cells(limits.get(moving[0])), *(_cells(limits.get(moving[1])) if len(moving) > 1 else (0, 0))]
        self.key = self._key()

    def _key(self) -> str:
        world = self.world
        parts: list[np.ndarray | float | str | int] = ["chart", CELLS, self.clear, *self.region]
        if self.turned is not None:
            parts += ["turned", int(self.turned[0] == self.b)]
        for g in (self.a, self.b):
            geom = world.geoms[g]
            first = int(geom["proxy"]) - int(geom["points"])
            end = int(geom["proxy"]) + int(geom["proxy_count"]) + int(geom["proxy_disk"] > 0.0)  # and its axis
            faces = world.faces[int(geom["face"]) : int(geom["face"]) + int(geom["faces"])]
            parts += [int(geom["kind"]), float(geom["proxy_radius"]), float(geom["proxy_disk"])]
            parts += [world.points[first:end], faces - np.int32(first)]
            for i in _way(world.links, int(geom["link"]), self.stop):
                link = world.links[i]
                parts += [int(link["kind"]), link["rotation"], link["translation"], link["axis"]]
        return cache.content_key(__file__, *parts)

    def bits(self) -> np.ndarray:
        """Survey the chart."""
        world = self.world if self.turned is None else with_turned(self.world, *self.turned)
        links = world.links.copy()
        for k, i in enumerate((self.joint_x, self.joint_y)):
            if i >= 0:
                links[i]["multiplier"], links[i]["offset"], links[i]["config"] = 1.0, 0.0, k
        joints = np.zeros(len(links), JOINT)
        for g in (self.a, self.b):
            still_joints(links, joints, int(world.geoms[g]["link"]), self.stop)
        pair = np.zeros(1, PAIR)
        pair["a"], pair["b"] = self.a, self.b
        out = np.zeros((CELLS, CELLS // WORD), np.uint64)
        chain, turning = (links, joints, np.zeros(len(links), SWEEP)), (self.joint_x, self.joint_y)
        region = np.array(self.region, np.int64)
        survey(world, chain, make_workspace(), pair[0], turning, self.clear, region, out)
        return out


def turning_limits(models: Sequence[Model]) -> Limits:
    """Return the limits of a scene's revolute joints; joints that follow others have none of their own."""
    found = {}
    first = 0
    for model in models:
        if isinstance(model, Robot):
            for joint in model.joints:
                if joint.kind == "revolute" and joint.limits is not None and joint.mimic is None:
                    found[first + model.link_index(joint.child)] = joint.limits
        first += len(model.links)
    return found


def _cells(limits: tuple[float, float] | None) -> tuple[int, int]:
    """Return the first and the last cell of a joint's range, a whole turn at most."""
    if limits is None or limits[1] - limits[0] >= 2.0 * math.pi - 2.0 / PER_RADIAN:
        return 0, CELLS - 1
    return math.floor(limits[0] * PER_RADIAN) - 1, math.floor(limits[1] * PER_RADIAN) + 1


def _way(links: np.ndarray, link: int, stop: int) -> list[int]:
    """Return the links from one up to its ancestor, which is left out."""
    way = []
    while link != stop:
        way.append(link)
        link = int(links[link]["parent"])
    return way


def _moving(links: np.ndarray, link: int, stop: int) -> list[int]:
    """Return the links from one up to its ancestor whose joints move."""
    return [i for i in _way(links, link, stop) if links[i]["kind"] != FIXED]


def site(world: World, a: int, b: int, margin: float, tolerance: float, relative: float, limits: Limits) -> Site | None:
    """Return the site of two shapes, or None if they get no chart, see `may_have_chart`.

    Of three joints the last is right at one of the shapes. The clearance is the margin and twice the tolerance, as
    `pairs.prepare` has them.
    """
    geom_a, geom_b = world.geoms[a], world.geoms[b]
    margin = pair_margin(world, geom_a["link"], geom_b["link"], margin)
    if geom_a["model"] != geom_b["model"] or margin == -math.inf:
        return None
    stop = int(common_ancestor(world.links, geom_a["link"], geom_b["link"]))
    if not may_have_chart(world, a, b, stop):
        return None
    ways = {g: _moving(world.links, int(world.geoms[g]["link"]), stop) for g in (b, a)}
    moving = ways[a] + ways[b]
    turned = None
    if len(moving) == 3:
        turned = next((g, way[0]) for g, way in ways.items() if way)
        moving.remove(turned[1])
    if tolerance < 0.0:
        sizes = sorted((float(geom_a["diagonal"]), float(geom_b["diagonal"])))
        tolerance = relative * (sizes[0] or sizes[1])
    return Site(world, a, b, moving, stop, margin + 2.0 * tolerance, limits, turned)


class Surveyor:
    """What a scene keeps about its charts, for one margin and tolerance."""

    def __init__(self, margin: float, tolerance: float, relative: float, limits: Limits) -> None:
        self._asked = margin, tolerance, relative, limits
        self._sites: dict[tuple[int, int], Site | None] = {}
        self._done: dict[tuple[int, int], tuple[Site, np.ndarray]] = {}

    def charted(self, world: World, pairs: np.ndarray, steps: int) -> World | None:
        """Return the tables with the charts that pairs have earned by so many more steps; None if there is no new one.

        `pairs`: records, of which those that the advancement has taken up count. A pair that is settled again and again
        by a first bound of its hulls costs more than a look at its chart; in the self-collision of four arms these are
        most. A chart that is known already need not be earned.
        """
        new = False
        made = False
        rows = pairs[pairs["steps"] > 0]
        for a, b in {(int(row["a"]), int(row["b"])) for row in rows} - self._done.keys():
            if a >= b or b >= len(world.geoms):
                continue
            if (a, b) not in self._sites:
                self._sites[a, b] = site(world, a, b, *self._asked)
            place = self._sites[a, b]
            if place is None:
                continue
            bits = _known(place.key)
            if bits is None:
                _spent[place.key] = _spent.get(place.key, 0) + steps
                if made or _spent[place.key] < EARNED:
                    continue
                made = True
                bits = _made(place)
            self._done[a, b] = place, bits
            new = True
        return self._with_charts(world) if new else None

    def charted_now(self, world: World, a: int, b: int) -> World:
        """Return the tables with the chart of two shapes, which may have one, whatever it takes."""
        place = site(world, a, b, *self._asked)
        assert place is not None
        bits = _known(place.key)
        if bits is None:
            bits = _made(place)
        self._done[a, b] = place, bits
        return self._with_charts(world)

    def _with_charts(self, world: World) -> World:
        charts = np.zeros(len(self._done), CHART)
        geoms = world.geoms.copy()
        geoms["charts"] = 0
        for row, ((a, b), (place, bits)) in zip(charts, sorted(self._done.items(), key=lambda item: item[0])):
            row["b"], row["joint_x"], row["joint_y"] = b, place.joint_x, place.joint_y
            row["clear"], row["bits"] = place.clear, bits
            geoms[a]["charts"] += 1
        geoms["chart"] = np.cumsum(geoms["charts"]) - geoms["charts"]
        return world._replace(geoms=geoms, charts=charts)


def _made(place: Site) -> np.ndarray:
    """Make a chart, and keep it."""
    bits = place.bits()
    cache.store(place.key, {"bits": bits})
    _keep(place.key, bits)
    return bits


def _keep(key: str, bits: np.ndarray) -> None:
    if len(_kept) >= MOST_KEPT:
        _kept.clear()
    _kept[key] = bits


def _known(key: str) -> np.ndarray | None:
    """Return a chart's bits if it was made before, here or, as the cache has it, elsewhere."""
    if key not in _kept and key not in _spent:
        found = cache.load(key, {"bits": (np.uint64, (CELLS, CELLS // WORD))})
        if found is not None:
            _keep(key, found["bits"])
    return _kept.get(key)

"""A planner: two trees that grow towards each other, batch by batch, with every edge proven free.

RRT-Connect (Kuffner and LaValle, 2000), with one change that certified edges suggest: of a blocked edge it is asked how
far it is proven free (`Scene.measure_edges`), and the tree grows a little less than that. So one question replaces the
small steps of the original. A path is shortened by batches of shortcuts. At the end all of its edges are asked once
more, with the very numbers that are returned, so that the returned path itself is proven.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tocsin import _cast
from tocsin._types import ConfigurationLike
from tocsin.errors import TocsinError
from tocsin.model.robot import Robot
from tocsin.planning.edge_asker import EdgeAsker
from tocsin.scene import Scene

BATCH = 4
"""Configurations drawn at a time."""

RANGE = 0.25
"""Of the diagonal of the joints' limits: how far a tree grows at most at a time."""

KEPT = 0.9
"""Of the part of a blocked edge that is proven free: where a tree goes on from is not close to what blocks it."""

LEAST = 0.01
"""Of the range: what is shorter is not worth a node."""

ROUNDS, SHORTCUTS = 10, 4
"""Batches of shortcuts, and shortcuts in a batch."""

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Plan:
    """What a planner found."""

    path: Array = field(repr=False)
    """(n, n_config): whole configurations, from the start to the goal, to be gone through in straight lines; without
    rows if none was found."""
    found: bool
    edges: int
    """Edges that were asked about."""
    nodes: int
    """Of both trees."""
    seconds: float
    """That it took."""
    robot: Robot = field(repr=False)

    @property
    def length(self) -> float:
        """The length of the path in the norm of all joints."""
        return float(np.linalg.norm(np.diff(self.path, axis=0), axis=1).sum())

    def times(self, speed: float = 1.0) -> Array:
        """Return (n,) seconds at the rows, if the joint that moves most goes at this speed, rad or m a second."""
        speed = _cast.scalar(speed, "speed", above=0.0)
        steps = np.abs(np.diff(self.path, axis=0)).max(axis=1, initial=0.0)
        return np.concatenate([[0.0], np.cumsum(np.maximum(steps / speed, 1e-6))])


def plan(
    scene: Scene, robot: Robot, start: ConfigurationLike, goal: ConfigurationLike, *, group: str | None = None,
    margin: float = 0.0, seconds: float = 10.0, seed: int = 0,
) -> Plan:  # fmt: skip
    """Find a way from `start` to `goal`, on which everything is proven to keep the margin; see `Plan`.

    Configurations are what `robot.move` takes, of the joints of `group` or of all; those outside of it stay where they
    are at the start. The same seed finds the same path, whatever the number of threads, unless it runs out of
    `seconds`, which are counted from when the first edges are answered.
    """
    began = time.perf_counter()
    seconds = _cast.scalar(seconds, "seconds", above=0.0)
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TocsinError(f"seed must be a whole number of at least 0; got {_cast.said(seed)}.")
    asker = EdgeAsker(scene, robot, group, margin)
    q0 = whole(asker, start, None)
    q1 = whole(asker, goal, q0)
    others = np.delete(np.arange(robot.n_config), asker.columns)
    if (q0[others] != q1[others]).any():
        moved = robot.entry_name(int(others[np.flatnonzero(q0[others] != q1[others])[0]]))
        raise TocsinError(f"joint {moved} is not in group {group!r}, but differs between start and goal.")
    for name, q in (("start", q0), ("goal", q1)):
        hit = scene.first_contact(robot.at(q), margin=margin)
        if hit.collides:
            pairs = ", ".join(f"{c.link_a!r} and {c.link_b!r}" for c in hit.contacts[:1])
            raise TocsinError(f"the {name} is not free: {pairs or 'not decided'}.")
    search = Search(asker, q0, q1, seed, seconds)
    path = search.path()
    rows = np.zeros((0, robot.n_config))
    if path is not None:
        rows = np.tile(q0, (len(path), 1))
        rows[:, asker.columns] = path
    nodes = sum(tree.count for tree in search.trees)
    return Plan(_cast.frozen(rows), path is not None, search.asked, nodes, time.perf_counter() - began, robot)


def whole(asker: EdgeAsker, given: ConfigurationLike, like: Array | None) -> Array:
    """Return the configuration that is meant: of the group's joints, or of all of them, or by name."""
    robot = asker.robot
    try:
        every = isinstance(given, (str, Mapping)) or _cast.real(given).shape == (robot.n_config,)
    except TypeError:  # which is refused there
        every = True
    return robot.configuration(given, group=None if every else asker.group, like=like)


class Tree:
    """Configurations, each with the one that it was reached from."""

    def __init__(self, root: Array) -> None:
        self.q: Array = np.zeros((64, len(root)))
        self.parents: NDArray[np.int64] = np.zeros(64, np.int64)
        self.q[0], self.parents[0] = root, -1
        self.count = 1

    def nearest(self, targets: Array) -> NDArray[np.int64]:
        """Return (k,): the number of the node that is nearest to each of (k, n) configurations."""
        apart = self.q[: self.count, None] - targets[None]
        return np.einsum("ijk,ijk->ij", apart, apart).argmin(axis=0)

    def add(self, q: Array, parent: int) -> int:
        """Add a node; return its number."""
        if self.count == len(self.q):
            self.q = np.concatenate([self.q, np.zeros_like(self.q)])
            self.parents = np.concatenate([self.parents, np.zeros_like(self.parents)])
        self.q[self.count], self.parents[self.count] = q, parent
        self.count += 1
        return self.count - 1

    def way(self, node: int) -> Array:
        """Return the rows from the root to a node."""
        rows: list[Array] = []
        while node >= 0:
            rows.append(self.q[node])
            node = int(self.parents[node])
        return np.array(rows[::-1])

    def drop(self, node: int) -> None:
        """Let nothing grow from a node, nor from what comes after it."""
        gone = {node}
        for k in range(node, self.count):
            if k in gone or int(self.parents[k]) in gone:
                gone.add(k)
                self.q[k] = np.inf


class Search:
    """The search for one path."""

    def __init__(self, asker: EdgeAsker, q0: Array, q1: Array, seed: int, seconds: float) -> None:
        self.asker, self.seconds, self.until = asker, seconds, 0.0
        self.ends = q0[asker.columns], q1[asker.columns]
        self.trees = Tree(self.ends[0]), Tree(self.ends[1])
        limits = np.stack([*asker.limits().T, *self.ends])
        self.low, self.high = limits.min(axis=0), limits.max(axis=0)
        self.range = RANGE * float(np.linalg.norm(self.high - self.low))
        self.random = np.random.default_rng(seed)
        self.asked = 0
        self.q0 = q0

    def rows(self, values: Array) -> Array:
        """Return whole configurations of values of the group."""
        rows = np.tile(self.q0, (len(values), 1))
        rows[:, self.asker.columns] = values
        return rows

    def measured(self, starts: Array, ends: Array) -> Array:
        """Return how much of each edge is proven free."""
        self.asked += len(starts)
        asker = self.asker
        return asker.scene.measure_edges(asker.robot, self.rows(starts), self.rows(ends), margin=asker.margin)

    def proven(self, starts: Array, ends: Array) -> NDArray[np.bool_]:
        """Return which edges are proven free."""
        self.asked += len(starts)
        asker = self.asker
        return asker.scene.check_edges(asker.robot, self.rows(starts), self.rows(ends), margin=asker.margin)

    def path(self) -> Array | None:
        """Return the path, of which every edge is proven free; None if there was no time to find one."""
        straight = self.ends[0][None], self.ends[1][None]
        if (self.ends[0] == self.ends[1]).all() or self.proven(*straight)[0]:
            return np.stack(self.ends)
        for tree, edge in zip(self.trees, (straight, straight[::-1])):
            self.extend(tree, 0, edge[1][0], float(self.measured(*edge)[0]))
        turn = 0
        self.until = time.perf_counter() + self.seconds  # from here on: a first question lays out tables, and compiles
        while time.perf_counter() < self.until:
            joined = self.grow(*self.trees[:: 1 if turn == 0 else -1])
            turn = 1 - turn
            if joined is None:
                continue
            nodes = joined if turn == 1 else joined[::-1]
            way = self.joined(*nodes)
            if way is not None:
                return self.shortened(way)
        return None

    def grow(self, tree: Tree, other: Tree) -> tuple[int, int] | None:
        """Grow one tree towards what is drawn, and the other towards that; return two nodes at one place, if any."""
        drawn = self.random.uniform(self.low, self.high, (BATCH, len(self.low)))
        new = self.grown(tree, drawn, self.range)
        if not new:
            return None
        reached = tree.q[new]
        near = other.nearest(reached)
        parts = self.measured(other.q[near], reached)
        for k in np.flatnonzero(parts == 1.0):
            return new[k], int(near[k])
        for k, part in enumerate(parts.tolist()):
            self.extend(other, int(near[k]), reached[k], part)
        return None

    def grown(self, tree: Tree, targets: Array, most: float) -> list[int]:
        """Grow a tree towards targets, by so much at most; return the new nodes."""
        near = tree.nearest(targets)
        starts = tree.q[near]
        ways = targets - starts
        lengths = np.linalg.norm(ways, axis=1, keepdims=True)
        ends = starts + ways * np.minimum(1.0, most / np.maximum(lengths, 1e-300))
        parts = self.measured(starts, ends)
        found = [self.extend(tree, int(n), end, part) for n, end, part in zip(near, ends, parts.tolist())]
        return [node for node in found if node >= 0]

    def extend(self, tree: Tree, node: int, target: Array, part: float) -> int:
        """Add what is proven free of the edge from a node to a target; return the new node, or -1 if it is little."""
        share = 1.0 if part == 1.0 else KEPT * part
        way = share * (target - tree.q[node])
        if np.linalg.norm(way) < LEAST * self.range:
            return -1
        return tree.add(target if share == 1.0 else tree.q[node] + way, node)

    def joined(self, first: int, second: int) -> Array | None:
        """Return the way through a node of each tree, proven once more; None, after dropping an edge that is not."""
        ways = [tree.way(node) for tree, node in zip(self.trees, (first, second))]
        way = np.concatenate([ways[0], ways[1][::-1]])
        free = self.proven(way[:-1], way[1:])
        if free.all():
            return way
        for tree, node, part in zip(self.trees, (first, second), (ways[0], ways[1])):
            chain = [node]
            while tree.parents[chain[-1]] >= 0:
                chain.append(int(tree.parents[chain[-1]]))
            edges = self.proven(part[:-1], part[1:])
            for k in np.flatnonzero(~edges)[:1]:
                tree.drop(chain[::-1][int(k) + 1])
        return None

    def shortened(self, way: Array) -> Array:
        """Return a shorter way, proven as a whole."""
        way = self.pruned(way)
        best = way
        for _ in range(ROUNDS):
            if len(way) < 3 or time.perf_counter() >= self.until:
                break
            way = self.shortcut(way)
        way = self.pruned(way)
        if way is not best and not self.proven(way[:-1], way[1:]).all():
            return best
        return way

    def pruned(self, way: Array) -> Array:
        """Return a way from the start to the goal by the fewest of its points, each the farthest that is seen."""
        kept, at = [0], 0
        while at < len(way) - 1:
            beyond = np.arange(at + 2, len(way))
            free = self.proven(np.tile(way[at], (len(beyond), 1)), way[beyond]) if len(beyond) else np.zeros(0, bool)
            at = int(beyond[free].max()) if free.any() else at + 1
            kept.append(at)
        return way[kept]

    def shortcut(self, way: Array) -> Array:
        """Return a way in which the best of a few random shortcuts is taken, if any is proven free."""
        steps = np.linalg.norm(np.diff(way, axis=0), axis=1)
        places = np.concatenate([[0.0], np.cumsum(steps)])
        drawn = np.sort(self.random.uniform(0.0, places[-1], (SHORTCUTS, 2)), axis=1)
        pieces = np.clip(np.searchsorted(places, drawn, side="right") - 1, 0, len(steps) - 1)
        shares = (drawn - places[pieces]) / np.maximum(steps[pieces], 1e-300)
        points = way[pieces] + shares[..., None] * (way[pieces + 1] - way[pieces])
        saved = drawn[:, 1] - drawn[:, 0] - np.linalg.norm(points[:, 1] - points[:, 0], axis=1)
        useful = np.flatnonzero((pieces[:, 0] < pieces[:, 1]) & (saved > 1e-3 * places[-1]))
        if not len(useful):
            return way
        free = self.proven(points[useful, 0], points[useful, 1])
        if not free.any():
            return way
        k = useful[free][np.argmax(saved[useful[free]])]
        first, last = pieces[k]
        return np.concatenate([way[: first + 1], points[k], way[last + 1 :]])

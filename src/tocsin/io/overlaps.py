"""Which links of a robot touch each other always, sometimes or never, found by sampling configurations.

Meshes of neighbouring links often overlap by design, and a robot that always touches itself is never free. Like
MoveIt's setup assistant, `find_overlaps` draws configurations within the joint limits and counts for every pair of
links in how many they touch. What it finds is used with care:

- always: in every sample. Checking such a pair can only ever answer "contact", so `apply` ignores these.
- standing: at the configuration at which the robot stands, though not always. Reported; they are still checked.
- never: in no sample. **That is not a proof**: a thousand samples of a seven-joint arm can miss a contact. They are
  still checked, unless `never=True` asks for what MoveIt does; a proof of freedom then does not cover them.

Links joined by a joint are ignored by every robot already. "Touch" means what it means to a query: a distance of at
most the default tolerance. The counts are kept in the cache folder, under a key of all that they depend on.
"""

# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# Kernels, and what calls them, have the types that Numba finds.
from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from tocsin import _cast
from tocsin._types import Records, Rows
from tocsin.advancement.box_step import box_gap
from tocsin.advancement.leaves import leaf_distance
from tocsin.advancement.relative import relative_state
from tocsin.advancement.workspace import Workspace
from tocsin.broad_phase.moving import set_motion
from tocsin.compiler.jit import kernel
from tocsin.contacts.inside import one_inside_other
from tocsin.errors import TocsinError
from tocsin.geometry import cache
from tocsin.geometry.descent import open_larger
from tocsin.io.srdf import write_srdf
from tocsin.limits import RELATIVE_TOLERANCE
from tocsin.model.grasp import bare
from tocsin.model.robot import Robot, adjacent_pairs
from tocsin.model.tables import World
from tocsin.motion.knots import WHOLE
from tocsin.motion.links import BASE_WIDTH
from tocsin.queries.buffers import buffers_at
from tocsin.queries.kernels.candidates import cull
from tocsin.scene import Scene

SAMPLES = 10_000

CHUNK = 250
"""Configurations in one compiled call, between two strokes of the progress bar."""

TRAVEL = 1.0
"""Metres to either side that are sampled of a slide without limits."""

LOOKS = (20, 500)
"""Samples after which pairs that were seen apart are left out, where only those that always touch are asked for."""

Pair = tuple[str, str]


@dataclass(frozen=True)
class Overlaps:
    """Pairs of links that carry shapes, by how often they touch; each pair is in exactly one list but `standing`."""

    samples: int
    """Configurations that were drawn; the one at which the robot stands was looked at besides."""
    adjacent: tuple[Pair, ...]
    """Joined by joints with nothing but frames between: the robot ignores these by itself, and they are not sampled."""
    always: tuple[Pair, ...]
    sometimes: tuple[Pair, ...]
    never: tuple[Pair, ...]
    standing: tuple[Pair, ...]
    """Those of `sometimes` that touch where the robot stands."""
    counts: dict[Pair, int]
    """In how many samples a pair touches, for all pairs that were sampled."""

    def disabled(self, *, never: bool = False) -> dict[Pair, str]:
        """Return the pairs that need not be checked, with reasons in MoveIt's words; on `never` see the module."""
        reasons = dict.fromkeys(self.adjacent, "Adjacent") | dict.fromkeys(self.always, "Always")
        return reasons | (dict.fromkeys(self.never, "Never") if never else {})

    def apply(self, robot: Robot, *, never: bool = False) -> tuple[Pair, ...]:
        """Let the robot ignore pairs that always touch, and with `never=True` those that never did; return them all."""
        pairs = (*self.always, *(self.never if never else ()))
        robot.ignore_pairs(pairs)
        return pairs

    def write_srdf(self, path: str | os.PathLike[str], robot: Robot, *, never: bool = False) -> None:
        """Write an SRDF file with the robot's groups, states and ignored pairs, and those of `disabled(never=...)`."""
        write_srdf(path, robot, self.disabled(never=never))


def find_overlaps(robot: Robot, *, samples: int = SAMPLES, seed: int = 0, progress: bool | None = None) -> Overlaps:
    """Draw configurations within the robot's joint limits and count which pairs of links touch.

    The same robot, samples and seed give the same counts, from the cache folder if they are there. `progress`: show a
    bar on standard error; by default only on a terminal.
    """
    _cast.count(samples, "samples")
    if not _cast.instance(seed, int) or seed < 0:
        raise TocsinError(f"seed must be a whole number of at least 0; got {seed!r}.")
    alone = _alone(robot)
    rows = _drawn(alone, samples, seed)
    key = _key(alone, rows)
    square = len(alone.links), len(alone.links)
    kept = cache.load(key, {"counts": (np.int64, square), "standing": (np.int64, square)})
    if kept is not None:
        return _sorted_out(alone, samples, kept["counts"], kept["standing"])
    counts, standing = (np.zeros(square, np.int64) for _ in range(2))
    _count(Scene(alone), alone, alone.rest[None, :], standing, lambda n: None)
    with _bar(f"{robot.name}: links that touch", samples, progress) as advance:
        _count(Scene(alone), alone, rows, counts, advance)
    cache.store(key, {"counts": counts, "standing": standing})
    return _sorted_out(alone, samples, counts, standing)


def find_always(robot: Robot, *, samples: int = SAMPLES) -> tuple[tuple[Pair, ...], tuple[Pair, ...]]:
    """Return `find_overlaps(robot).always`, and the other pairs that touch where the robot stands.

    A pair that was seen apart is not looked at again, so that this takes a small part of the time.
    """
    alone = _alone(robot)
    names, n, own = alone.link_names, len(alone.links), alone.ignored
    rows = np.concatenate([alone.rest[None, :], _drawn(alone, samples, 0)])
    pairs = {(i, k) for i in range(n) for k in range(i + 1, n)} - own
    left = standing = pairs
    done = 0
    for end in (1, *LOOKS, len(rows)):
        part = rows[done:end]
        if not left or not len(part):
            continue
        alone.ignored = own | (pairs - left)
        counts = np.zeros((n, n), np.int64)
        _count(Scene(alone), alone, part, counts, lambda _: None)
        left = {pair for pair in left if counts[pair] == len(part)}
        standing = left if done == 0 else standing
        done = end
    always, others = ([(names[i], names[k]) for i, k in sorted(found)] for found in (left, standing - left))
    return tuple(always), tuple(others)


def _alone(robot: Robot) -> Robot:
    """Return the robot without what it carries, with no rules of its own but those of its tree."""
    alone = cast(Robot, bare(robot))
    alone.ignored = adjacent_pairs(alone)
    return alone


def _sorted_out(robot: Robot, samples: int, counts: np.ndarray, standing: np.ndarray) -> Overlaps:
    """Put the pairs into their lists."""
    names = robot.link_names
    carrying = [i for i, shapes in enumerate(robot.shapes) if any(not shape.is_empty for shape in shapes)]
    found: dict[str, list[Pair]] = {"adjacent": [], "always": [], "sometimes": [], "never": [], "standing": []}
    listed: dict[Pair, int] = {}
    for n, i in enumerate(carrying):
        for k in carrying[n + 1 :]:
            pair = names[i], names[k]
            if (i, k) in robot.ignored:
                found["adjacent"].append(pair)
                continue
            listed[pair] = int(counts[i, k])
            touches = counts[i, k] + standing[i, k]
            kind = "never" if touches == 0 else "always" if touches == samples + 1 else "sometimes"
            found[kind].append(pair)
            if kind == "sometimes" and standing[i, k]:
                found["standing"].append(pair)
    return Overlaps(samples, counts=listed, **{kind: tuple(pairs) for kind, pairs in found.items()})


def _key(robot: Robot, rows: np.ndarray) -> str:
    """Return the key of all that the counts depend on."""
    parts: list[np.ndarray | str | float] = ["overlaps", robot.links, rows, robot.rest, RELATIVE_TOLERANCE]
    for shapes in robot.shapes:
        parts.append(len(shapes))
        for shape in shapes:
            parts += [shape.points, shape.faces, shape.proxy, shape.radius, shape.disk, shape.axis, shape.solid]
    return cache.content_key(__file__, *parts)


def _drawn(robot: Robot, samples: int, seed: int) -> np.ndarray:
    """Return (samples, width) configuration rows, uniform within the limits, the base where it stands."""
    rng = np.random.default_rng(seed)
    rows = np.tile(robot.rest, (samples, 1))
    k = BASE_WIDTH
    for joint in robot.joints:
        if joint.width == 1:
            bound = TRAVEL if joint.kind == "prismatic" else math.pi
            lower, upper = joint.limits or (-bound, bound)
            if joint.kind != "prismatic" and upper - lower > 2.0 * math.pi:
                lower, upper = -math.pi, math.pi  # all there is
            rows[:, k] = rng.uniform(lower, upper, samples)
        elif joint.width == 3:
            rows[:, k : k + 3] = rng.uniform((-TRAVEL, -TRAVEL, -math.pi), (TRAVEL, TRAVEL, math.pi), (samples, 3))
        elif joint.width:
            if joint.width == 7:
                rows[:, k : k + 3] = rng.uniform(-TRAVEL, TRAVEL, (samples, 3))
            turns = rng.normal(size=(samples, 4))
            rows[:, k + joint.width - 4 : k + joint.width] = turns / np.linalg.norm(turns, axis=1, keepdims=True)
        k += joint.width
    return rows


def _count(scene: Scene, robot: Robot, rows: np.ndarray, counts: np.ndarray, advance: Callable[[int], None]) -> None:
    """Add to `counts`, (links, links) with the smaller index first, in how many rows each pair touches."""
    context = scene.context
    prepared, _, _ = context.prepared(context.tables(), (robot.at(robot.rest[BASE_WIDTH:]),))
    touched = np.zeros(counts.shape, np.bool_)
    for begin in range(0, len(rows), CHUNK):
        chunk = np.ascontiguousarray(rows[begin : begin + CHUNK])
        count_touching(prepared.table, chunk, counts, touched)
        advance(len(chunk))


@contextmanager
def _bar(title: str, total: int, wanted: bool | None) -> Generator[Callable[[int], None]]:
    """Show a progress bar on standard error while the block runs; yield the function that advances it."""
    if not (sys.stderr.isatty() if wanted is None else wanted):
        yield lambda n: None
        return
    try:
        from rich.console import Console
        from rich.progress import Progress
    except ImportError:
        yield lambda n: None
        return
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=total)
        yield lambda n: bar.advance(task, n)


# ---- kernels -------------------------------------------------------------------------------------------------------


@kernel
def touches(
    world: World, pair: np.void, sweeps: Records, joints: Records, workspace: Workspace, t: float
) -> bool:  # fmt: skip
    """Are the two shapes of a prepared pair within its margin and tolerance at time t? Stops at the first witness."""
    geom_a = world.geoms[pair["a"]]
    geom_b = world.geoms[pair["b"]]
    near = pair["margin"] + pair["tolerance"]
    pose, _ = relative_state(pair, sweeps, joints, world.links, t)
    stack = workspace.stack
    stack[0, 0] = geom_a["root"]
    stack[0, 1] = geom_b["root"]
    top = 1
    while top > 0:
        top -= 1
        node_a = world.nodes[stack[top, 0]]
        node_b = world.nodes[stack[top, 1]]
        gap, _ = box_gap(node_a, node_b, pose)
        if gap > near:
            continue
        leaf_a = node_a["count"] > 0
        leaf_b = node_b["count"] > 0
        if leaf_a and leaf_b:
            d, _, _, _ = leaf_distance(world, geom_a, geom_b, node_a, node_b, pose, workspace)
            if d <= near:
                return True
            continue
        top = open_larger(stack, top, node_a, node_b)
    return one_inside_other(world, pair, sweeps, joints, t)


@kernel
def mark_touching(
    world: World, sweeps: Records, joints: Records, workspace: Workspace, pairs: Records, n: int,
    touched: np.ndarray,
) -> None:  # fmt: skip
    """Set `touched` for the pairs of links of which any two shapes touch."""
    touched[:] = False
    for p in range(n):
        pair = pairs[p]
        a = min(pair["link_a"], pair["link_b"])
        b = max(pair["link_a"], pair["link_b"])
        if not touched[a, b]:
            touched[a, b] = touches(world, pair, sweeps, joints, workspace, 0.0)


@kernel
def count_touching(table: Any, rows: Rows, counts: np.ndarray, touched: np.ndarray) -> None:
    """Add to counts[a, b] in how many of the rows, configurations of the one active model, links a < b touch."""
    buffers = buffers_at(table)
    world, workspace = buffers.world, buffers.workspace
    grow = 0.0
    for g in range(world.geoms.shape[0]):
        grow = max(grow, RELATIVE_TOLERANCE * world.geoms[g]["diagonal"])
    for row in range(rows.shape[0]):
        set_motion(buffers, rows[row], WHOLE)
        pairs, n = cull(buffers, workspace.pairs, 0.0, 0.0, 0.0, grow, -1.0)
        mark_touching(world, buffers.sweeps, buffers.joints, workspace, pairs, n, touched)
        for a in range(touched.shape[0]):
            for b in range(a + 1, touched.shape[0]):
                if touched[a, b]:
                    counts[a, b] += 1

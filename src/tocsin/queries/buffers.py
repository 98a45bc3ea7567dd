"""All that the kernels of a question work on, and how it gets from Python into one compiled call.

A `QueryBuffers` belongs to one thread and one set of moving models: the scene's tables, working memory, and what
stands, laid out once. Questions that follow one another pass nothing but the table of its addresses, and their own
numbers.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tocsin.advancement.heap import ITEM
from tocsin.advancement.workspace import SEARCH, Workspace, make_workspace
from tocsin.broad_phase.aabb_tree import build_static, clear_leaves, leaf_slots
from tocsin.broad_phase.model_tree import ModelTree, make_model_tree
from tocsin.broad_phase.moving import FIRST, MODEL, OFFSET, PIECES, SLOTS
from tocsin.broad_phase.pairs import PAIR
from tocsin.broad_phase.sweep import SWEEP, Chains, geom_box, link_bounds, link_middle
from tocsin.compiler.addresses import Layout, table_of
from tocsin.compiler.jit import inlined, kernel
from tocsin.geometry.tree import NODE
from tocsin.model.charts import CHART
from tocsin.model.tables import GEOM, SELF, World
from tocsin.model.tables import MODEL as MODEL_RECORD
from tocsin.motion.joints import JOINT, joint_motion
from tocsin.motion.links import LINK

if TYPE_CHECKING:
    from tocsin.model.base import Model, Motion

F4, F8, I4, I8 = np.dtype("f4"), np.dtype("f8"), np.dtype("i4"), np.dtype("i8")

COUNTS, CLOCKS = 16, 8
"""Room for what engines count, and for the ticks of their parts."""


class QueryBuffers(NamedTuple):
    """The arrays of a question."""

    world: World
    workspace: Workspace
    joints: np.ndarray
    """What is from here to `boxes` is written by every question, link by link and shape by shape."""
    sweeps: np.ndarray
    taylor: np.ndarray
    boxes: np.ndarray
    active: np.ndarray
    """The models that move, see `broad_phase.moving.MODEL` and its neighbours."""
    tree: ModelTree
    """Over these, if there are many."""
    counts: np.ndarray
    """What the last question has counted, and the ticks that its parts took."""
    clock: np.ndarray
    static_boxes: np.ndarray
    """The tree of all shapes that stand."""
    static_child: np.ndarray
    static_geom: np.ndarray


class Prepared(NamedTuple):
    """Query buffers, and what Python remembers about them."""

    buffers: QueryBuffers
    table: Any
    """The addresses of its arrays."""
    pairs_total: int
    largest_margin: float
    """Of any pair's own: swept boxes are grown by it."""
    tally: np.ndarray
    """Its counts and clocks, in one array."""
    kept: dict[Any, Any]
    """What other engines keep beside it."""


WORLD = Layout(
    World,
    nodes=(NODE, 1),
    quads=(F4, 3),
    kids=(I4, 2),
    points=(F8, 2),
    faces=(I4, 2),
    geoms=(GEOM, 1),
    links=(LINK, 1),
    models=(MODEL_RECORD, 1),
    rule_start=(I4, 1),
    rule_link=(I4, 1),
    rule_margin=(F8, 1),
    hull_first=(I4, 1),
    hull_count=(I4, 1),
    hull_radius=(F8, 1),
    spans=(I4, 2),
    corners=(F4, 3),
    cells=(I4, 2),
    selves=(SELF, 1),
    charts=(CHART, 1),
)

WORKSPACE = Layout(
    Workspace,
    heap=(ITEM, 1),
    stack=(I4, 2),
    spare=(I4, 2),
    warm_starts=(F8, 2),
    simplex=(F8, 2),
    corners_a=(F8, 2),
    corners_b=(F8, 2),
    pairs=(PAIR, 1),
    taylor=(F8, 3),
    search=(SEARCH, 1),
)

TREE = Layout(
    ModelTree, boxes=(F8, 2), child=(I4, 1), last=(I4, 1), leaves=(F8, 2), found=(I4, 1), memory=(I8, 1)
)  # fmt: skip

BUFFERS = Layout(
    QueryBuffers,
    world=WORLD,
    workspace=WORKSPACE,
    joints=(JOINT, 1),
    sweeps=(SWEEP, 1),
    taylor=(F8, 4),
    boxes=(F8, 2),
    active=(I4, 2),
    tree=TREE,
    counts=(I8, 1),
    clock=(I8, 1),
    static_boxes=(F8, 2),
    static_child=(I4, 1),
    static_geom=(I4, 1),
)

_OWN = BUFFERS.rows("workspace", "joints", "sweeps", "taylor", "boxes", "active", "tree", "counts", "clock")
"""What questions write."""

_read = BUFFERS.reader()


def addresses(buffers: QueryBuffers) -> Any:
    """Return the table from which `buffers_at` makes the same buffers again."""
    return table_of(BUFFERS.checked(buffers))


@inlined
def buffers_at(table):
    """Return the buffers whose addresses are in a table; whoever made them keeps them alive.

    A kernel is handed the table and reads it here, rather than the buffers: in its own code it is known that they have
    no owners, and no reference to any of them is counted. Where it is not known, counting took 40 % of culling.
    """
    return _read(table)


@kernel
def rest(world, joints, sweeps, taylor, configs, is_active):
    """Write the joints, bounds and poses of all standing links; return the tree of standing shapes and their list."""
    count = 0
    for g in range(world.geoms.shape[0]):
        if not is_active[world.geoms[g]["model"]]:
            count += 1
    geoms = np.zeros(count, dtype=np.int32)
    leaf_boxes = np.zeros((count, 6))
    chains = Chains(sweeps, taylor, np.zeros((3, 4, 5)), joints, world.links)
    n = 0
    for m in range(world.models.shape[0]):
        if is_active[m]:
            continue
        model = world.models[m]
        for i in range(model["link"], model["link"] + model["links"]):
            joint_motion(joints[i], world.links[i], configs, model["config"], model["config"], 0.0, 1.0)
            link_bounds(sweeps, joints, world.links, i)
            link_middle(sweeps, joints, world.links, i, 0.5, 0.0)
        for g in range(model["geom"], model["geom"] + model["geoms"]):
            geoms[n] = g
            geom_box(leaf_boxes, n, chains, world.points, world.geoms[g], 0.0, 1.0, 0.0)
            n += 1
    boxes, child = build_static(leaf_boxes)
    return boxes, child, geoms


@kernel
def lay_trees(boxes, active, world):
    """Make the unused leaves of every active model's dynamic tree empty."""
    for k in range(active.shape[0]):
        clear_leaves(boxes, active[k, FIRST], active[k, SLOTS], world.models[active[k, MODEL]]["geoms"])


def prepare(models: Sequence[Model], key: tuple[int, ...], world: World, largest_margin: float) -> Prepared:
    """Lay out the buffers for a query in which the models `key` move, all of them if none is named, and place those
    that stand."""
    given = key or tuple(range(len(models)))
    active = np.zeros((len(given), 5), np.int32)
    first = 0
    offset = 0
    for k, m in enumerate(given):
        slots = leaf_slots(world.models[m]["geoms"])
        active[k] = (m, 0, offset, first, slots)
        first += 2 * slots
        offset += models[m].width if not key else 0
    joints = np.zeros(len(world.links), JOINT)
    sweeps = np.zeros(len(world.links), SWEEP)
    taylor = np.zeros((len(world.links), 3, 4, 5))
    boxes = np.zeros((first, 6))
    lay_trees(boxes, active, world)
    is_active = np.zeros(len(models), np.bool_)
    is_active[list(given)] = True
    standing = np.concatenate([m.rest for m in models])
    standing_tree = rest(world, joints, sweeps, taylor, standing, is_active)
    tally = np.zeros(COUNTS + CLOCKS, np.int64)
    buffers = QueryBuffers(
        world, make_workspace(), joints, sweeps, taylor, boxes, active, make_model_tree(len(active)), tally[:COUNTS],
        tally[COUNTS:], *standing_tree,
    )  # fmt: skip
    return Prepared(buffers, addresses(buffers), _count_pairs(world, is_active), largest_margin, tally, {})


def again(prepared: Prepared, motions: Sequence[Motion]) -> tuple[QueryBuffers, Any]:
    """Return (buffers, table) set for these motions, which no later question writes: other threads may be asking.

    Each thread that looks at answers keeps one such copy of these buffers: making it takes 0.15 ms.
    """
    reader = "reader", threading.get_ident()
    kept = prepared.kept.get(reader)
    if kept is None:
        buffers = prepared.buffers
        copy = buffers._replace(
            workspace=make_workspace(64, 64),
            joints=buffers.joints.copy(),
            sweeps=buffers.sweeps.copy(),
            taylor=buffers.taylor.copy(),
            boxes=buffers.boxes.copy(),
            active=buffers.active.copy(),
            tree=make_model_tree(len(buffers.active)),
            counts=np.zeros_like(buffers.counts),
            clock=np.zeros_like(buffers.clock),
        )
        kept = prepared.kept[reader] = copy, table_of(BUFFERS.arrays(copy), prepared.table, _OWN)
    buffers, table = kept
    buffers.active[:] = with_motions(prepared.buffers.active, motions)
    buffers.counts[:] = 0
    buffers.clock[:] = 0
    return buffers, table


def with_motions(active: np.ndarray, motions: Sequence[Motion]) -> np.ndarray:
    """Return the table of active models, filled in for these motions; with none all models stand, as it was laid."""
    table = active.copy()
    offset = 0
    for k, motion in enumerate(motions):
        table[k, PIECES] = motion.pieces
        table[k, OFFSET] = offset
        offset += motion.configs.size
    return table


def _count_pairs(world: World, is_active: np.ndarray) -> int:
    """Count the pairs of shapes that a query looks at, before any culling."""
    link = world.geoms["link"]
    active = is_active[world.geoms["model"]]
    per_link = np.bincount(link, minlength=len(world.links)).astype(np.int64)
    moving = np.bincount(link[active], minlength=len(world.links)).astype(np.int64)
    n, m = int(per_link.sum()), int(moving.sum())
    total = m * (m - 1) // 2 + m * (n - m) - int((moving * (moving - 1) // 2).sum())
    for i in range(len(world.links)):
        for k in range(world.rule_start[i], world.rule_start[i + 1]):
            o = world.rule_link[k]
            if o > i and world.rule_margin[k] == -math.inf and (moving[i] or moving[o]):
                total -= int(per_link[i] * per_link[o])
    return total

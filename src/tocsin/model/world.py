"""A whole scene as a handful of flat tables, the form in which kernels read it.

A mesh or primitive that several links carry, placed alike, is stored once. All indices are global: a node's children,
a leaf's triangle, a triangle's corners.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tocsin._types import Faces, Indices, IntArray, LinkTable, NodeTable, Numeric, Records, SingleArray, Values, Vectors
from tocsin.compiler.jit import borrowed, inlined
from tocsin.compiler.progress import several
from tocsin.compiler.threads import on_cores
from tocsin.geometry.bvh4 import make_bvh4
from tocsin.geometry.shape import Shape
from tocsin.geometry.support_patches import SupportPatches, no_patches
from tocsin.geometry.support_patches import joined as joined_patches
from tocsin.model.base import Model
from tocsin.model.charts import NO_CHARTS

MESH, CONVEX = 0, 1

PATCHED_FROM = 2000
"""Triangles from which the hulls of a mesh's nodes are worth a search (a mannequin's limbs of 1,300 are not)."""

GEOM = np.dtype(
    [
        ("link", "i4"),
        ("model", "i4"),
        ("kind", "i4"),  # MESH: a tree of triangles; CONVEX: the proxy is the shape itself
        ("root", "i4"),  # root node of its tree
        ("proxy", "i4"),  # first point of its convex proxy, which contains the shape; a cylinder's axis is behind it
        ("proxy_count", "i4"),
        ("points", "i4"),  # how many points of the table, right before the proxy, are its own
        ("solid", "i4"),
        ("face", "i4"),  # its triangles
        ("faces", "i4"),
        ("sample", "i4"),  # one point of each of its components
        ("samples", "i4"),
        ("chart", "i4"),  # its charts: those of its pairs with shapes of greater number
        ("charts", "i4"),
        ("hull_count", "i4"),  # corners of its convex hull, the proxy's first; where that is all there is, its own
        ("tight", "i4"),  # is that the hull itself, and no larger? Nothing rests on it
        ("proxy_radius", "f8"),
        ("proxy_disk", "f8"),
        ("hull_radius", "f8"),
        ("diagonal", "f8"),
        ("reach", "f8"),
        ("center", "f8", 3),  # a tight oriented box, for swept boxes
        ("axes", "f8", (3, 3)),
        ("half", "f8", 3),
    ],
    align=True,
)

MODEL = np.dtype(
    [
        ("link", "i4"),  # first link and how many
        ("links", "i4"),
        ("geom", "i4"),  # first shape and how many
        ("geoms", "i4"),
        ("config", "i4"),  # where its standing configuration starts
        ("width", "i4"),  # entries of its configuration, base included
        ("self", "i4"),  # its pairs of shapes that may touch each other: where they are listed, and how many
        ("selves", "i4"),  # -1: too many for a list
    ],
    align=True,
)


SELF = np.dtype([("a", "i4"), ("b", "i4"), ("margin", "f8")], align=True)
"""Two shapes of one model, by their numbers in it, a < b; their own margin, or NaN."""

Number = TypeVar("Number", bound=np.generic)

MOST_SELVES = 4096
"""Of one model: with more, its tree is faster than the list."""


class World(NamedTuple):
    """The tables of a scene."""

    nodes: NodeTable
    quads: SingleArray
    """Of all hierarchies, with `kids`: see `geometry.bvh4`."""
    kids: IntArray
    points: Vectors
    faces: Faces
    geoms: Records
    """GEOM each."""
    links: LinkTable
    models: Records
    """MODEL each."""
    rule_start: Indices
    """Rules between links, row by row as in a sparse matrix: row i is rule_start[i]:rule_start[i + 1]."""
    rule_link: Indices
    """The other link, ascending within a row."""
    rule_margin: Values
    """The pair's own margin, metres; -inf: the pair is ignored."""
    hull_first: Indices
    """Back end "hulls": for every node the stretch of the point table that, inflated by hull_radius, contains it."""
    hull_count: Indices
    """0: the node has no hull. The whole table is empty where the back end does without."""
    hull_radius: Values
    spans: IntArray
    """Back end "triangles": of large meshes the corners below every node, with `corners` and `cells`: see
    `geometry.support_patches`."""
    corners: SingleArray
    cells: IntArray
    selves: Records
    """Pairs of shapes of one model, see `SELF`."""
    charts: Numeric
    """See `broad_phase.charts`; none until they are worth their making."""


@inlined
def borrowed_world(world):
    """Return the tables without their owners, for the duration of a call."""
    return World(
        borrowed(world.nodes),
        borrowed(world.quads),
        borrowed(world.kids),
        borrowed(world.points),
        borrowed(world.faces),
        borrowed(world.geoms),
        borrowed(world.links),
        borrowed(world.models),
        borrowed(world.rule_start),
        borrowed(world.rule_link),
        borrowed(world.rule_margin),
        borrowed(world.hull_first),
        borrowed(world.hull_count),
        borrowed(world.hull_radius),
        borrowed(world.spans),
        borrowed(world.corners),
        borrowed(world.cells),
        borrowed(world.selves),
        borrowed(world.charts),
    )


def assemble(models: Sequence[Model], rules: dict[tuple[int, int], float], *, hulls: bool = False) -> World:
    """Lay out the tables of a scene; `rules` maps a pair of global link indices to a margin, -inf to ignore it.

    `hulls`: use the trees over convex pieces, with the hulls of their nodes, instead of those over triangles.
    """
    trees: list[NodeTable] = []
    first_faces: list[int] = []
    points: list[Vectors] = []
    faces: list[Faces] = []
    node_hulls: list[tuple[Indices, Indices, Values]] = []
    placed: dict[tuple[int, bytes], tuple[int, int, int]] = {}
    geoms = np.zeros(sum(not s.is_empty for model in models for shapes in model.shapes for s in shapes), GEOM)
    links: list[LinkTable] = []
    table = np.zeros(len(models), MODEL)
    patches: list[SupportPatches] = []
    if not hulls:
        _make_patches(models)
    n_geoms = n_nodes = n_points = n_faces = n_links = n_config = 0
    for m, model in enumerate(models):
        entry = table[m]
        entry["link"], entry["links"] = n_links, len(model.links)
        entry["geom"] = n_geoms
        entry["config"], entry["width"] = n_config, model.width
        n_config += model.width
        own = model.links.copy()
        own["model"] = m
        own["parent"] = np.where(own["parent"] < 0, -1, own["parent"] + n_links)
        links.append(own)
        for i, shapes in enumerate(model.shapes):
            for shape in shapes:
                if shape.is_empty:
                    continue
                which = shape.identity
                if which not in placed:
                    placed[which] = (n_nodes, n_points + len(shape.points), n_faces)
                    tree = shape.hull_tree if hulls and shape.is_mesh else None
                    trees.append(shape.nodes if tree is None else tree.nodes)
                    first_faces.append(n_faces)
                    points += [shape.points, shape.proxy, shape.axis, shape.others, shape.samples]
                    own_points = sum(len(p) for p in points[-5:])
                    if tree is not None:
                        points.append(tree.hull_points)
                        first = tree.hull_first + np.int32(n_points + own_points)
                        node_hulls.append((first, tree.hull_count, tree.hull_radius))
                        own_points += len(tree.hull_points)
                    elif hulls:
                        none = np.zeros(len(shape.nodes), np.int32)
                        node_hulls.append((none, none, np.zeros(len(shape.nodes))))
                    else:
                        patches.append(shape.patches if _is_patched(shape) else no_patches(len(shape.nodes)))
                    faces.append(shape.faces + np.int32(n_points))
                    n_nodes += len(trees[-1])
                    n_points += own_points
                    n_faces += len(shape.faces)
                root, proxy, face = placed[which]
                geom = geoms[n_geoms]
                n_geoms += 1
                geom["link"], geom["model"] = n_links + i, m
                geom["kind"] = MESH if shape.is_mesh else CONVEX
                geom["root"], geom["proxy"], geom["proxy_count"] = root, proxy, len(shape.proxy)
                geom["points"] = len(shape.points)
                geom["solid"] = int(shape.solid)
                geom["face"], geom["faces"] = face, len(shape.faces)
                geom["sample"] = proxy + len(shape.proxy) + len(shape.axis) + len(shape.others)
                geom["samples"] = len(shape.samples)
                geom["proxy_radius"], geom["proxy_disk"] = shape.radius, shape.disk
                geom["hull_count"] = len(shape.proxy) + len(shape.others)
                geom["hull_radius"] = shape.slack if shape.is_mesh else shape.radius
                geom["tight"] = int(shape.tight or not shape.is_mesh)
                geom["diagonal"], geom["reach"] = shape.diagonal, shape.reach
                geom["center"], geom["axes"], geom["half"] = shape.center, shape.axes, shape.half
        entry["geoms"] = n_geoms - entry["geom"]
        n_links += len(model.links)
    start, other, margin = _rows(n_links, rules)
    selves = [_selves(entry, geoms["link"], rules) for entry in table]
    table["self"] = np.cumsum([0, *map(len, selves)])[:-1]
    return World(
        *make_bvh4(trees, first_faces),
        _joined(points, np.zeros((0, 3))),
        _joined(faces, np.zeros((0, 3), np.int32)),
        geoms,
        np.concatenate(links),
        table,
        start,
        other,
        margin,
        _joined([h[0] for h in node_hulls], np.zeros(0, np.int32)),
        _joined([h[1] for h in node_hulls], np.zeros(0, np.int32)),
        _joined([h[2] for h in node_hulls], np.zeros(0)),
        *joined_patches(patches),
        _joined(selves, np.zeros(0, SELF)),
        NO_CHARTS,
    )


def _is_patched(shape: Shape) -> bool:
    """Has this shape support patches? Small meshes and convex solids have none."""
    return shape.is_mesh and len(shape.faces) >= PATCHED_FROM


def _make_patches(models: Sequence[Model]) -> None:
    """Make the patches that shapes do not have yet, those of several at once on all cores."""
    found = {s.identity: s for model in models for shapes in model.shapes for s in shapes if _is_patched(s)}
    missing = sorted((s for s in found.values() if "patches" not in vars(s)), key=lambda s: -len(s.faces))
    with several("support tables", [len(shape.faces) for shape in missing]) as done:

        def make(shape: Shape) -> None:
            # Not by the property itself: before Python 3.12 that makes one at a time.
            vars(shape)["patches"] = shape.found_patches()
            done(len(shape.faces))

        on_cores(make, missing)


def _joined(parts: list[NDArray[Number]], empty: NDArray[Number]) -> NDArray[Number]:
    return np.concatenate(parts) if parts else empty


def _selves(model: np.void, link: Indices, rules: dict[tuple[int, int], float]) -> Records:
    """Return the pairs of a model's shapes that no rule forbids, and say in its record how many; none if too many."""
    link = link[model["geom"] : model["geom"] + model["geoms"]]
    if len(link) ** 2 > 4 * MOST_SELVES:
        model["selves"] = -1
        return np.zeros(0, SELF)
    own = {(i, k): m for (i, k), m in rules.items() if model["link"] <= i and k < model["link"] + model["links"]}
    pairs = [
        (i, k, margin)
        for i, k in _halves_first(0, len(link))
        for on in [(int(link[i]), int(link[k]))]
        if on[0] != on[1] and (margin := own.get((min(on), max(on)), math.nan)) != -math.inf
    ]
    model["selves"] = len(pairs) if len(pairs) <= MOST_SELVES else -1
    return np.array(pairs if len(pairs) <= MOST_SELVES else [], SELF)


def _halves_first(begin: int, end: int) -> list[tuple[int, int]]:
    """Return all pairs of a range, those between its halves first: where two touch, it is seldom neighbours."""
    if end - begin < 2:
        return []
    middle = begin + (1 << (end - begin - 1).bit_length() - 1)
    across = [(i, k) for i in range(middle - 1, begin - 1, -1) for k in range(end - 1, middle - 1, -1)]
    return across + _halves_first(middle, end) + _halves_first(begin, middle)


def _rows(n: int, rules: dict[tuple[int, int], float]) -> tuple[Indices, Indices, Values]:
    """Return the rules in both directions as the rows of a sparse matrix."""
    both = sorted({(i, k, m) for (a, b), m in rules.items() for i, k in ((a, b), (b, a))})
    start = np.zeros(n + 1, np.int32)
    for i, _, _ in both:
        start[i + 1] += 1
    return (
        np.cumsum(start).astype(np.int32),
        np.array([k for _, k, _ in both], np.int32),
        np.array([m for _, _, m in both], np.float64),
    )

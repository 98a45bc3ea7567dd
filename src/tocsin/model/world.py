"""The tables of a scene (`tables`), laid out from its models.

A mesh or primitive that several links carry, placed alike, is stored once.
"""

import math
from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tocsin._types import Faces, Indices, LinkTable, NodeTable, Records, Values, Vectors
from tocsin.compiler.progress import several
from tocsin.compiler.threads import on_cores
from tocsin.geometry.bvh4 import make_bvh4
from tocsin.geometry.shape import Shape
from tocsin.geometry.support_patches import SupportPatches, no_patches
from tocsin.geometry.support_patches import joined as joined_patches
from tocsin.model.base import Model
from tocsin.model.charts import NO_CHARTS
from tocsin.model.tables import CONVEX, GEOM, MESH, MODEL, PATCHED_FROM, SELF, World

Number = TypeVar("Number", bound=np.generic)

MOST_SELVES = 4096
"""Of one model: with more, its tree is faster than the list."""


class _Layout:
    """The tables of shapes while they are laid out: what is placed already, and what lies behind what."""

    def __init__(self, *, hulls: bool) -> None:
        self.hulls: bool = hulls
        self.trees: list[NodeTable] = []
        self.first_faces: list[int] = []
        self.points: list[Vectors] = []
        self.faces: list[Faces] = []
        self.node_hulls: list[tuple[Indices, Indices, Values]] = []
        self.patches: list[SupportPatches] = []
        self.placed: dict[tuple[int, bytes], tuple[int, int, int]] = {}
        self.n_nodes = self.n_points = self.n_faces = 0

    def place_of(self, shape: Shape) -> tuple[int, int, int]:
        """Return where the root, the proxy and the faces of a shape are; the same for shapes that are one."""
        which = shape.identity
        if which not in self.placed:
            self.placed[which] = self.n_nodes, self.n_points + len(shape.points), self.n_faces
            self._add(shape)
        return self.placed[which]

    def _add(self, shape: Shape) -> None:
        tree = shape.hull_tree if self.hulls and shape.is_mesh else None
        self.trees.append(shape.nodes if tree is None else tree.nodes)
        self.first_faces.append(self.n_faces)
        own = [shape.points, shape.proxy, shape.axis, shape.others, shape.samples]
        assert not (len(shape.axis) and len(shape.others)), "the hull's corners must follow the proxy's (`hull_of`)"
        if tree is not None:
            first = tree.hull_first + np.int32(self.n_points + sum(map(len, own)))
            self.node_hulls.append((first, tree.hull_count, tree.hull_radius))
            own.append(tree.hull_points)
        elif self.hulls:
            none = np.zeros(len(shape.nodes), np.int32)
            self.node_hulls.append((none, none, np.zeros(len(shape.nodes))))
        else:
            self.patches.append(shape.patches if _is_patched(shape) else no_patches(len(shape.nodes)))
        self.points += own
        self.faces.append(shape.faces + np.int32(self.n_points))
        self.n_nodes += len(self.trees[-1])
        self.n_points += sum(map(len, own))
        self.n_faces += len(shape.faces)


def assemble(models: Sequence[Model], rules: dict[tuple[int, int], float], *, hulls: bool = False) -> World:
    """Lay out the tables of a scene; `rules` maps a pair of global link indices to a margin, -inf to ignore it.

    `hulls`: use the trees over convex pieces, with the hulls of their nodes, instead of those over triangles.
    """
    laid = _Layout(hulls=hulls)
    if not hulls:
        _make_patches(models)
    geoms = np.zeros(sum(not s.is_empty for model in models for shapes in model.shapes for s in shapes), GEOM)
    links: list[LinkTable] = []
    table = np.zeros(len(models), MODEL)
    n_geoms = n_links = n_config = 0
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
                if not shape.is_empty:
                    geoms[n_geoms]["link"], geoms[n_geoms]["model"] = n_links + i, m
                    _describe(geoms[n_geoms], shape, laid.place_of(shape))
                    n_geoms += 1
        entry["geoms"] = n_geoms - entry["geom"]
        n_links += len(model.links)
    start, other, margin = _rows(n_links, rules)
    selves = [_selves(entry, geoms["link"], rules) for entry in table]
    table["self"] = np.cumsum([0, *map(len, selves)])[:-1]
    return World(
        *make_bvh4(laid.trees, laid.first_faces),
        _joined(laid.points, np.zeros((0, 3))),
        _joined(laid.faces, np.zeros((0, 3), np.int32)),
        geoms,
        np.concatenate(links),
        table,
        start,
        other,
        margin,
        _joined([h[0] for h in laid.node_hulls], np.zeros(0, np.int32)),
        _joined([h[1] for h in laid.node_hulls], np.zeros(0, np.int32)),
        _joined([h[2] for h in laid.node_hulls], np.zeros(0)),
        *joined_patches(laid.patches),
        _joined(selves, np.zeros(0, SELF)),
        NO_CHARTS,
    )


def _describe(geom: np.void, shape: Shape, place: tuple[int, int, int]) -> None:
    """Write what the record of a shape says, but for its link and model."""
    root, proxy, face = place
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

"""A whole scene as a handful of flat tables: their records, and the tuple of arrays in which kernels read them.

All indices are global: a node's children, a leaf's triangle, a triangle's corners. `world.assemble` lays them out.
"""

from typing import NamedTuple

import numpy as np

from tocsin._types import Faces, Indices, IntArray, LinkTable, NodeTable, Numeric, Records, SingleArray, Values, Vectors

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

"""What is known about a scene before any edge is: its tables, and the pairs of shapes that a moving model may touch."""

import math
from typing import NamedTuple, Protocol

import numpy as np

from tocsin._types import Boxes, Indices, Records
from tocsin.bounds.motion_bound import UNIT
from tocsin.broad_phase.charts import LARGEST, chart_of
from tocsin.broad_phase.spatial import pair_margin
from tocsin.geometry.tree import NODE
from tocsin.model.charts import CHART
from tocsin.model.tables import GEOM, MESH, World
from tocsin.motion.chain import common_ancestor
from tocsin.motion.links import BALL, FLOATING, LINK

COUPLE = np.dtype(
    [
        ("a", "i4"),  # shapes; a moves
        ("b", "i4"),
        ("link_a", "i4"),  # number of its link in the model
        ("link_b", "i4"),  # likewise; of what stands, in the scene
        ("stop", "i4"),  # lowest common ancestor, -1 for the world
        ("stands", "i4"),  # does b stand?
        ("solid", "i4"),  # is one of them a solid mesh, in which the other could be?
        ("chart", "i4"),  # its chart, -1 for none
        ("margin", "f8"),
        ("tolerance", "f8"),  # as given, or the default without its floor
        ("floor", "f8"),  # how many times the noise the tolerance has to be
    ],
    align=True,
)
"""Two shapes that may touch."""

STANDING = np.dtype([("rotation", "f8", (3, 3)), ("place", "f8", 3), ("length", "f8"), ("noise", "f8")], align=True)
"""Where a link stands, and how well that is known."""

FLOOR = 16.0
"""The default tolerance is at least so many times the noise (`pairs.prepare`)."""


class Field(NamedTuple):
    """The tables of a scene in which one model moves."""

    links: np.ndarray
    """LINK each, those of the model that moves, parents by their number in it."""
    quaternions: np.ndarray
    """Where quaternions begin in a row of its configurations."""
    nodes: np.ndarray
    points: np.ndarray
    faces: np.ndarray
    geoms: np.ndarray
    """GEOM each; those that move have their link by its number in the model."""
    standing: np.ndarray
    """STANDING each, by link of the scene."""
    still: np.ndarray
    """(shapes, 6): boxes of the shapes that stand."""
    moving: np.ndarray
    """The shapes that move."""
    place: np.ndarray
    """Of a shape among those, -1 where it stands."""
    couples: np.ndarray
    charts: np.ndarray
    stride: np.ndarray
    """(1,): metres that a slab may take a shape, by the bound of its speed."""


class HasStanding(Protocol):
    """Of a question's buffers, what they say of all that stands (`queries.buffers.QueryBuffers`)."""

    @property
    def sweeps(self) -> Records:
        """Link by link."""
        ...

    @property
    def static_boxes(self) -> Boxes:
        """The tree of all shapes that stand."""
        ...

    @property
    def static_child(self) -> Indices:
        """What is below each of them."""
        ...

    @property
    def static_geom(self) -> Indices:
        """The shapes, in the tree's order."""
        ...


def field_of(
    world: World, buffers: HasStanding, model: int, margin: float, tolerance: float, relative: float, stride: float
) -> Field:  # fmt: skip
    """Return the field of a scene whose model of this number moves; `buffers` as they were prepared for it."""
    record = world.models[model]
    first, count = int(record["link"]), int(record["links"])
    links = world.links[first : first + count].copy()
    links["parent"] = np.where(links["parent"] < 0, -1, links["parent"] - first)
    moving = np.arange(record["geom"], record["geom"] + record["geoms"], dtype=np.int32)
    place = np.full(len(world.geoms), -1, np.int32)
    place[moving] = np.arange(len(moving))
    standing = np.zeros(len(world.links), STANDING)
    for name in ("rotation", "place", "length", "noise"):
        standing[name] = buffers.sweeps[name]
    still = np.zeros((len(world.geoms), 6))
    for box, child in zip(buffers.static_boxes, buffers.static_child):
        if child < 0:
            still[buffers.static_geom[~child]] = box
    couples = [
        _couple(world, first, int(a), b, own, tolerance, relative)
        for a in moving
        for b in range(len(world.geoms))
        if b > a or place[b] < 0
        for own in [float(pair_margin(world, world.geoms[a]["link"], world.geoms[b]["link"], margin))]
        if own != -math.inf
    ]
    charts = _local_charts(world, first)
    geoms = world.geoms.copy()
    geoms["link"][moving] -= first
    sizes = world.geoms["diagonal"][moving]
    return Field(
        links,
        _quaternions(links),
        world.nodes,
        world.points,
        world.faces,
        geoms,
        standing,
        still,
        moving,
        place,
        np.array(couples, COUPLE),
        charts,
        np.array([stride * float(np.median(sizes)) if len(sizes) else 1.0]),
    )


def _couple(world: World, first: int, a: int, b: int, margin: float, tolerance: float, relative: float) -> tuple:
    """Return the COUPLE of two shapes."""
    geoms = world.geoms
    one, other = geoms[a], geoms[b]
    stands = one["model"] != other["model"]
    stop = -1 if stands else int(common_ancestor(world.links, one["link"], other["link"]))
    solid = any(g["kind"] == MESH and g["solid"] != 0 for g in (one, other))
    floor = 0.0
    if tolerance < 0.0:
        floor = FLOOR
        sizes = sorted((float(one["diagonal"]), float(other["diagonal"])))
        tolerance = relative * (sizes[0] or sizes[1])
    link_b = int(other["link"]) - (0 if stands else first)
    chart = -1 if stands else int(chart_of(world, a, b))
    if chart >= 0:
        noise = sum(_most_noise(world.links, geom, stop) for geom in (one, other))
        if not margin + max(tolerance, floor * noise) <= world.charts[chart]["clear"]:
            chart = -1
    above = stop if stop < 0 else stop - first
    return (a, b, int(one["link"]) - first, link_b, above, stands, solid, chart, margin, tolerance, floor)


def _most_noise(links: np.ndarray, geom: np.void, stop: int) -> float:
    """Return the most noise of a shape in the frame of link `stop`, whatever the values that a chart is asked for.

    As `chain_bound` adds it up: of at most three joints that turn, each by less than LARGEST at either end, and some
    that are fixed, whose lengths are those of their origins. Twice that has room for 64 units of the margin.
    """
    units, far, i = 128.0, float(geom["reach"]), int(geom["link"])
    while i != stop:
        units += 256.0 + 16.0 * 4.0 * LARGEST
        far += float(np.linalg.norm(links[i]["translation"]))
        i = int(links[i]["parent"])
    return 2.0 * units * UNIT * far


def _local_charts(world: World, first: int) -> np.ndarray:
    """Return the charts, their joints by number in the model; a chart whose joints are off too far settles nothing."""
    charts = world.charts.copy() if len(world.charts) else np.zeros(0, CHART)
    for chart in charts:
        for name in ("joint_x", "joint_y"):
            if chart[name] >= 0:
                if not abs(world.links[chart[name]]["offset"]) <= LARGEST:
                    chart["bits"] = 0
                chart[name] -= first
    return charts


def _quaternions(links: np.ndarray) -> np.ndarray:
    """Return where quaternions begin in a row of configurations."""
    starts = [int(i["config"]) + (3 if i["kind"] == FLOATING else 0) for i in links if i["kind"] in (BALL, FLOATING)]
    return np.array(starts, np.int64)


def blank() -> Field:
    """Return a field with nothing in it, whose arrays are of the types of all fields."""
    rows = {"links": LINK, "nodes": NODE, "geoms": GEOM, "standing": STANDING, "couples": COUPLE, "charts": CHART}
    kinds = {"quaternions": np.int64, "faces": np.int32, "moving": np.int32, "place": np.int32, **rows}
    columns = {"points": (3,), "faces": (3,), "still": (6,)}
    return Field(**{name: np.zeros((1, *columns.get(name, ())), kinds.get(name, np.float64)) for name in Field._fields})

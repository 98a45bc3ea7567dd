"""How far apart things are at many placements of one model: `Scene.distances`."""

# What kernels return has the types that Numba finds.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

from tocsin import _cast
from tocsin.queries.distance import distance_from, nearest_links
from tocsin.queries.edges import Asking, Points
from tocsin.queries.kernels.batch import NEAREST, Taken, measure_placements
from tocsin.queries.threads import UNASKED, BatchInterrupted, Watch, deal, shown
from tocsin.results import Distance


def distances(points: Points, asking: Asking) -> Distances:
    """Answer `Scene.distances`."""
    found = np.zeros(len(points), NEAREST)
    found["a"] = UNASKED
    context, standing = points.context, points.standing()
    world = context.tables()

    def work(dealt: NDArray[np.int64], left: int, watch: Watch) -> Taken:
        prepared, _, _ = context.prepared(world, standing)
        configs = points.configs(prepared)
        with watch.over(prepared.buffers.counts):
            return measure_placements(prepared.table, points.batch, dealt, left, configs, found)

    names = [context.name_of(world, g) for g in range(len(world.geoms))]
    try:
        with shown(asking.progress, f"{len(points):,} placements of {points.title}") as progress:
            deal(len(points), work, asking.threads or context.threads, progress)
    except KeyboardInterrupt as stopped:
        raise BatchInterrupted(Distances(found, names), found["a"] != UNASKED) from stopped
    upper, lower = found["distance"], found["lower"]
    for i in np.flatnonzero(((lower <= 0.0) & (upper > 0.0)) | ((lower < upper) & np.isinf(upper))).tolist():
        most, least, a, b, x, y = nearest_links(context, points.motions(i))
        found[i] = most, least, x, y, a, b
    return Distances(found, names)


class Distances(Sequence[Distance]):
    """The answer to `Scene.distances`: arrays over all placements; `[i]` is the `Distance` of one."""

    def __init__(self, found: np.ndarray, names: list[tuple[str, str]]) -> None:
        self._found = _cast.frozen(found)
        self._names = names

    def __len__(self) -> int:
        return len(self._found)

    def __repr__(self) -> str:
        return f"<distances of {len(self):,} placements>"

    @property
    def distance(self) -> NDArray[np.float64]:
        """(n,): metres; 0 where something touches, inf where there is nothing to compare."""
        return self._found["distance"]

    @property
    def lower(self) -> NDArray[np.float64]:
        """(n,): proven lower bounds of the true distances."""
        return self._found["lower"]

    @property
    def links(self) -> NDArray[np.object_]:
        """(n, 2): the names of the closest links; '' where there is nothing to compare."""
        names = np.array([*[link for _, link in self._names], ""], dtype=object)
        shapes = np.stack([self._found["a"], self._found["b"]], axis=1)
        return names[np.where(shapes < 0, len(self._names), shapes)]

    @property
    def points(self) -> NDArray[np.float64]:
        """(n, 2, 3): the closest points."""
        return np.stack([self._found["point_a"], self._found["point_b"]], axis=1)

    @overload
    def __getitem__(self, index: int) -> Distance: ...
    @overload
    def __getitem__(self, index: slice) -> list[Distance]: ...
    def __getitem__(self, index: int | slice) -> Distance | list[Distance]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        row = self._found[range(len(self))[index]]
        names = [self._names[row[side]] if row[side] >= 0 else ("", "") for side in ("a", "b")]
        x, y = row["point_a"].copy(), row["point_b"].copy()
        return distance_from(float(row["distance"]), float(row["lower"]), x, y, *names)

    def __iter__(self) -> Iterator[Distance]:
        return (self[i] for i in range(len(self)))

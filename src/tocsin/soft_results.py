"""What comes back from `Scene.contacts` about deformable models: arrays; records are made when you index them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import overload

import numpy as np

from tocsin._types import Flags, Indices, Pairs, Values, Vector
from tocsin.errors import TocsinError, unknown_name
from tocsin.results import MovedModel, ambiguous


@dataclass(frozen=True, eq=False)
class FeatureContact:
    """One touching pair of features of deformable models, at the time at which it first touches."""

    time: float
    link_a: str
    link_b: str
    kind: str
    """One of `FeatureContacts.kinds`, or 'surface' where a convex solid takes part."""
    features: tuple[tuple[int, ...], tuple[int, ...]]
    """Vertex numbers of the touching feature on each side: one for a vertex, two for an edge, three for a face."""
    point: Vector
    """In the middle between the closest points of both sides; in the world frame, at `time`."""
    normal: Vector
    """Unit vector from a towards b; zero where they touch without a gap."""
    distance: float
    """Between the two, metres."""
    model_a: str = ""
    model_b: str = ""
    proven: bool = True
    """False where rounding leaves open whether they touch; they are proven free until `time` all the same."""


COLUMNS = ("times", "kind", "features", "pair", "decided")
"""What is told of each pair in `FeatureContacts`."""


@dataclass(frozen=True, eq=False)
class FeatureContacts(Sequence[FeatureContact]):
    """Every pair of features of deformable models that touches during a motion, each with its own first time.

    A sequence of `FeatureContact`, the earliest first. The arrays are there at once; records are made by indexing.
    """

    times: Values
    """(n,): when each pair first touches, ascending; never late."""
    kind: Indices
    """(n,): which of `kinds`."""
    features: Pairs
    """(n, 2): a vertex, a face or an edge of each side, by its number: faces as given, edges as in
    `Deformable.edges`."""
    pair: Indices
    """(n,): which of `pairs`."""
    decided: Flags
    """(n,): False where rounding leaves open whether the pair touches; it is proven free until its time."""
    pairs: tuple[tuple[str, ...], ...]
    """The two links, or models, of each pair that was checked; the same twice for self-contact."""
    kinds: tuple[str, ...]
    say: Callable[[int, int, int, int, float], FeatureContact] = field(repr=False)
    """Puts (pair, kind, feature of a, feature of b, time) into words."""
    motions: tuple[MovedModel, ...] = field(default=(), repr=False)
    """The motions that were asked about."""
    margin: float = 0.0
    """The margin that was asked for, metres."""
    tolerance: float | None = None
    """The tolerance that was asked for, metres; None for the default."""
    complete: bool = True
    """False if the step cap ended the search: then there may be more than these, earlier ones too."""

    def __post_init__(self) -> None:
        """Freeze the columns: an answer stays what it was."""
        for name in COLUMNS:
            getattr(self, name).setflags(write=False)

    def __len__(self) -> int:
        return len(self.times)

    def __bool__(self) -> bool:
        """Are there any? None in a list that is not complete is no answer."""
        if not len(self.times) and not self.complete:
            raise ambiguous("an empty list of contacts that is not complete", "len(contacts), with a larger max_steps")
        return bool(len(self.times))

    def __repr__(self) -> str:
        return f"<{len(self)} touching feature pairs{'' if self.complete else ', not complete'}>"

    @overload
    def __getitem__(self, index: int) -> FeatureContact: ...
    @overload
    def __getitem__(self, index: slice) -> FeatureContacts: ...
    def __getitem__(self, index: int | slice) -> FeatureContact | FeatureContacts:
        if isinstance(index, slice):
            return self._some(index)
        a, b = self.features[index].tolist()
        said = self.say(int(self.pair[index]), int(self.kind[index]), a, b, float(self.times[index]))
        return replace(said, proven=bool(self.decided[index]))

    def _some(self, which: Flags | slice) -> FeatureContacts:
        return replace(self, **{name: getattr(self, name)[which] for name in COLUMNS})

    def between(self, a: str, b: str) -> FeatureContacts:
        """Return those of one pair of models or links; the same name twice for self-contact."""
        wanted = [k for k, pair in enumerate(self.pairs) if pair in ((a, b), (b, a))]
        if not wanted:
            said = ", ".join(f"{x!r} and {y!r}" for x, y in self.pairs)
            raise TocsinError(f"{a!r} and {b!r} were not checked against each other; checked were: {said}.")
        chosen = np.isin(self.pair, wanted)
        return self._some(chosen)

    @property
    def vertex_face(self) -> Pairs:
        """(n, 2): vertex and face of each vertex-face pair, the earliest first."""
        return self.features[self.kind == 0]

    @property
    def vertex_face_time(self) -> Values:
        """(n,): their times."""
        return self.times[self.kind == 0]

    @property
    def edge_edge(self) -> Pairs:
        """(n, 2): the edges of each edge-edge pair, the earliest first."""
        return self.features[self.kind == 2]

    @property
    def edge_edge_time(self) -> Values:
        """(n,): their times."""
        return self.times[self.kind == 2]


@dataclass(frozen=True, eq=False)
class TriangleTimes(Mapping[str, Values]):
    """When each triangle of the deformable models first touches: `found["cloth"]` is (faces,), inf where never."""

    by_model: dict[str, Values]
    motions: tuple[MovedModel, ...] = field(default=(), repr=False)
    """The motions that were asked about."""
    margin: float = 0.0
    """The margin that was asked for, metres."""
    tolerance: float | None = None
    """The tolerance that was asked for, metres; None for the default."""
    complete: bool = True
    """False if the step cap ended the search: then other triangles may touch too, and these earlier."""

    def __post_init__(self) -> None:
        """Freeze the times: an answer stays what it was."""
        for times in self.by_model.values():
            times.setflags(write=False)

    def __getitem__(self, model: str) -> Values:
        try:
            return self.by_model[model]
        except KeyError:
            raise unknown_name("deformable model", model, tuple(self.by_model)) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_model)

    def __len__(self) -> int:
        return len(self.by_model)

    def __bool__(self) -> bool:
        raise ambiguous("the times of triangles", "len(found.times), or the times of one model: found['cloth']")

    def __repr__(self) -> str:
        parts = [f"{int(np.isfinite(t).sum())} of {len(t)} of {name!r}" for name, t in self.by_model.items()]
        return f"<touching triangles: {', '.join(parts)}{'' if self.complete else '; not complete'}>"

    @cached_property
    def times(self) -> Values:
        """(n,): the first times of all triangles that touch, ascending."""
        every = np.concatenate([np.zeros(0), *self.by_model.values()])
        found = np.sort(every[np.isfinite(every)])
        found.setflags(write=False)
        return found

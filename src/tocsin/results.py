"""What comes back from a question: small frozen records, and one enum with a meaning for each way to end."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


class Status(enum.Enum):
    """How a query ended."""

    FREE = "free"
    """Proven: no contact at any time in [0, 1]."""
    CONTACT = "contact"
    """A contact: free until `time`, and within margin + tolerance at `time`."""
    INITIAL_CONTACT = "initial contact"
    """In contact at time 0 already."""
    CAPPED = "capped"
    """Not decided: the step cap, or the resolution of floating point, was reached. Free until `time`."""


@dataclass(frozen=True)
class Contact:
    """One pair of touching features at the time of contact. Points and normal are in the world frame, metres."""

    link_a: str
    link_b: str
    kind: str
    """'vertex-face', 'face-vertex' or 'edge-edge'; 'surface' where a convex solid takes part; 'edge-face' only where
    shapes overlap; 'inside' where one lies within a solid one."""
    features: tuple[tuple[int, ...], tuple[int, ...]]
    """The vertex indices of the touching feature on each side: one for a vertex, two for an edge, three for a face."""
    point_a: Vector
    point_b: Vector
    normal: Vector
    """Unit vector from a towards b; zero where the shapes overlap and no direction separates them."""
    distance: float
    """Between the two points, metres."""
    model_a: str = ""
    model_b: str = ""


@dataclass(frozen=True)
class Stats:
    """What a query cost: the counts of the paper's Table 2, and seconds per stage."""

    pairs_total: int = 0
    """Pairs of shapes that could have touched, before any culling."""
    pairs_spatial: int = 0
    """Left after spatial culling: their swept boxes overlap. Long turns are culled slab by slab: a pair counts once in
    each slab, here and in `pairs_total`."""
    pairs_temporal: int = 0
    """Left after temporal culling: pairs whose first lower bound, by their hulls and then their hierarchies, did not
    settle that they are free or too late."""
    steps: int = 0
    """Advancement steps: a pair of nodes taken up at a new time."""
    node_tests: int = 0
    """Box-against-box bounds."""
    hull_tests: int = 0
    """Convex-against-convex bounds."""
    leaf_tests: int = 0
    """Triangle-against-triangle distances."""
    slabs: int = 0
    """Time slabs that were culled one after the other."""
    seconds: dict[str, float] = field(default_factory=dict)
    """Stage -> seconds: motion, culling, advancement."""


@dataclass(frozen=True)
class FirstContact:
    """The answer to `Scene.first_contact`."""

    status: Status
    time: float
    """No later than the first contact; `math.inf` if proven free; where CAPPED, freedom is proven until here."""
    contacts: tuple[Contact, ...] = ()
    """Every pair of touching features at `time`, the closest first."""
    stats: Stats = field(default_factory=Stats)
    tolerance: float = 0.0
    """The tolerance of the pair that touched, metres."""
    motions: tuple[Any, ...] = field(default=(), repr=False)
    """The motions that were asked about."""

    @property
    def collides(self) -> bool:
        """True on contact; False only if freedom is proven. A CAPPED answer counts as a collision: not proven free."""
        return self.status is not Status.FREE

    @property
    def bracket(self) -> tuple[float, float]:
        """(proven free until, within margin + tolerance by); the second is inf if free or undecided."""
        if self.status is Status.FREE:
            return (1.0, math.inf)
        if self.status is Status.CAPPED:
            return (self.time, math.inf)
        return (self.time, self.time)


@dataclass(frozen=True)
class Distance:
    """The answer to `Scene.distance`: the closest pair of a standing scene."""

    distance: float
    """Metres; 0 if touching or overlapping, `math.inf` if there is nothing to compare."""
    lower: float
    """A proven lower bound of the true distance."""
    link_a: str = ""
    link_b: str = ""
    point_a: Vector = field(default_factory=lambda: np.zeros(3))
    point_b: Vector = field(default_factory=lambda: np.zeros(3))
    normal: Vector = field(default_factory=lambda: np.zeros(3))
    model_a: str = ""
    model_b: str = ""

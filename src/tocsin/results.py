"""What comes back from a question: small frozen records, and one enum with a meaning for each way to end."""

from __future__ import annotations

import enum
import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import cached_property
from numbers import Real
from typing import Any, ClassVar, Protocol, TypeVar, overload

import numpy as np

from tocsin._types import Records, Row, Values, Vector
from tocsin.errors import TocsinError, quoted, unknown_name
from tocsin.outcome import CONTACT, INITIAL_CONTACT


class Status(enum.Enum):
    """How a query ended: `FREE`, `CONTACT`, `INITIAL_CONTACT` or `CAPPED`; only `FREE` is a proof of no contact."""

    FREE = "free"
    """Proven: no contact at any time in [0, 1]."""
    CONTACT = "contact"
    """A contact: free until `time`, and within margin + tolerance at `time`."""
    INITIAL_CONTACT = "initial contact"
    """In contact at time 0 already."""
    CAPPED = "capped"
    """Not decided: the step cap, or the resolution of floating point, was reached. Free until `time`."""

    def __bool__(self) -> bool:
        raise ambiguous("a Status", "status is Status.FREE")


STATUSES = (Status.FREE, Status.CONTACT, Status.CAPPED, Status.INITIAL_CONTACT)
"""By the codes of `outcome`."""


def status_of(code: int, time: float) -> Status:
    """Return what the end of a search means: one code of `outcome`, and the time that it came to."""
    return STATUSES[INITIAL_CONTACT if code == CONTACT and time == 0.0 else code]


def ambiguous(what: str, instead: str) -> TocsinError:
    """Return the error of asking whether an answer is true: free and in contact, either could be meant."""
    return TocsinError(f"{what} is neither true nor false: it could mean free as well as in contact. Ask {instead}.")


class MovedModel(Protocol):
    """What an answer knows of a motion that was asked about: whose it is, and where that is at a time in [0, 1]."""

    @property
    def model(self) -> object:
        """What moves."""
        ...

    times: ClassVar[Values | None]
    """Of a motion on a clock: seconds at its knots."""
    seconds: ClassVar[bool]
    """Are these the clock's?"""

    def row_at(self, t: float) -> Row:
        """Return its configuration, base in front."""
        ...


class AskedScene(Protocol):
    """What an answer knows of the scene that was asked."""

    @property
    def models(self) -> Sequence[object]:
        """The models in it."""
        ...

    @property
    def names(self) -> Sequence[str]:
        """Their names."""
        ...

    def distance(self, *placements: Any) -> Distance:
        """Return the smallest distance where they stand."""
        ...

    def show(self, *motions: Any, hit: Any = None) -> Any:
        """Return a view of an answer."""
        ...


class ByValue:
    """A record that equals another of its kind if all its compared fields do, arrays included; hashed without them."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ByValue) or _compared(self) != _compared(other):
            return NotImplemented
        return all(_equal(getattr(self, name), getattr(other, name)) for name in _compared(self))

    def __hash__(self) -> int:
        values = (getattr(self, name) for name in _compared(self))
        return hash(tuple(value for value in values if isinstance(value, Hashable)))


def _compared(record: Any) -> tuple[str, ...]:
    return tuple(f.name for f in fields(record) if f.compare)


def _equal(a: Any, b: Any) -> bool:
    return np.array_equal(a, b, equal_nan=True) if type(a) is np.ndarray else a == b


@dataclass(frozen=True, eq=False)
class Contact(ByValue):
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
    """What a query cost: the counts of [CATCH table 2], and seconds per stage."""

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
    seconds: dict[str, float] = field(default_factory=dict[str, float])
    """Stage -> seconds: motion, culling, advancement."""


def seconds_at(times: Sequence[float] | Values, time: float) -> float:
    """Return the seconds of a clock at a fraction of it: the greatest float that is not later."""
    if math.isinf(time):
        return time
    first, last = Fraction(float(times[0])), Fraction(float(times[-1]))
    exact = first + Fraction(time) * (last - first)
    rounded = float(exact)
    return rounded if Fraction(rounded) <= exact else math.nextafter(rounded, -math.inf)


@dataclass(frozen=True, eq=False, repr=False)
class FirstContact(ByValue):
    """The answer to `Scene.first_contact`.

        hit = scene.first_contact(arm.move(q0, q1))
        if hit.collides:
            print(hit.status, hit.time, hit.contacts[0].link_a, hit.contacts[0].link_b, arm.at_contact(hit))

    Two answers are equal if status, time, contacts and tolerance are: the same question has the same answer.
    """

    status: Status
    time: float
    """No later than the first contact; `math.inf` if proven free; where CAPPED, freedom is proven until here."""
    contacts: tuple[Contact, ...] = ()
    """Every pair of touching features at `time`, the closest first; none if free or capped."""
    stats: Stats = field(default_factory=Stats, compare=False)
    """What the query cost."""
    tolerance: float = 0.0
    """The tolerance of the pair that touched, metres."""
    motions: tuple[MovedModel, ...] = field(default=(), repr=False, compare=False)
    """The motions that were asked about."""
    complete: bool = field(default=True, repr=False)
    """Are all contacts at `time` listed? False where so many features touch that the list was cut short."""

    def __bool__(self) -> bool:
        raise ambiguous("the answer of first_contact", "hit.collides, or scene.is_free(...)")

    def __repr__(self) -> str:
        """Say when things touch, and which links; finding the links may take as long as the answer did."""
        if self.status is Status.FREE:
            return f"<FirstContact: {self.status}>"
        if self.status is Status.CAPPED:
            return f"<FirstContact: {self.status}, proven free until {self.time:.6g}>"
        return f"<FirstContact: {self.status} at {self.time:.6g}, {said_pairs(self.contacts)}>"

    @property
    def collides(self) -> bool:
        """True on contact; False only if freedom is proven. A CAPPED answer counts as a collision: not proven free."""
        return self.status is not Status.FREE

    @property
    def seconds(self) -> float | None:
        """The clock's seconds at `time`, no later; inf if proven free, None where no motion has times."""
        for motion in self.motions:
            if motion.seconds and motion.times is not None:
                return seconds_at(motion.times, self.time)
        return None

    @property
    def bracket(self) -> tuple[float, float]:
        """(proven free until, within margin + tolerance by); the second is inf if free or undecided."""
        if self.status is Status.FREE:
            return (1.0, math.inf)
        if self.status is Status.CAPPED:
            return (self.time, math.inf)
        return (self.time, self.time)


PAIRS_SAID = 3
"""Pairs of links that are named before the others are only counted."""


def said_pairs(contacts: Iterable[Contact]) -> str:
    """Return which links touch, in words, the closest first."""
    pairs = list(dict.fromkeys((contact.link_a, contact.link_b) for contact in contacts))
    said = ", ".join(f"{a!r} and {b!r}" for a, b in pairs[:PAIRS_SAID])
    return said + (f", and {len(pairs) - PAIRS_SAID} more pairs" if len(pairs) > PAIRS_SAID else "")


class LazyContact(FirstContact):
    """A `FirstContact` that finds its contacts, and puts its statistics into words, when they are looked at.

    Made by filling in `__dict__`, which is the fastest way; made by the constructor, as `dataclasses.replace` and
    `pickle` do, it is a plain record of what it is given.
    """

    scene: AskedScene | None = None
    """The scene that was asked; None for a plain record."""
    margin: float = 0.0
    """The margin that was asked for, metres."""

    @cached_property
    def complete(self) -> bool:  # type: ignore[override]
        """Are these all contacts at `time`? False: `max_steps` ended the list, or there are more than are listed.

        At most 65,536 are listed, of deformable models 4,096.
        """
        _ = self.contacts  # which says it, unless there are none to find
        return self.__dict__.get("complete", True)

    def _repr_html_(self) -> str | None:
        return None if self.scene is None else self.scene.show(hit=self)._repr_html_()

    def __reduce__(self) -> tuple[type[FirstContact], tuple[object, ...]]:
        return FirstContact, tuple(getattr(self, field.name) for field in fields(FirstContact))


@dataclass(frozen=True)
class ContactInterval:
    """A stretch of time during which two links are in contact: one record of `ContactIntervals`."""

    link_a: str
    link_b: str
    enter: float
    """Never later than the contact it begins."""
    exit: float
    """Never earlier than the contact it ends."""
    tolerance: float
    """At every time of the interval the distance is at most the margin plus this, metres."""
    proven: bool = True
    """False where rounding leaves open whether the distance is within `tolerance`: a larger tolerance decides it."""
    model_a: str = ""
    model_b: str = ""

    @property
    def from_start(self) -> bool:
        """In contact at t = 0 already."""
        return self.enter == 0.0

    @property
    def to_end(self) -> bool:
        """In contact at t = 1 still."""
        return self.exit == 1.0


@dataclass(frozen=True)
class ContactIntervals:
    """The answer to `Scene.contact_intervals`: iterate over it, or read `intervals`."""

    status: Status
    """FREE: there are none. CAPPED: what comes after `until` has not been looked at."""
    intervals: tuple[ContactInterval, ...]
    """By time of entering; those of one pair of links are disjoint."""
    until: float
    """All intervals up to this time are listed: 1 unless CAPPED."""
    steps: int = 0
    """What the search cost, in steps."""
    motions: tuple[MovedModel, ...] = field(default=(), repr=False, compare=False)
    """The motions that were asked about."""
    names: tuple[str, ...] = field(default=(), repr=False)
    """Of all models and links of the scene."""

    def __iter__(self) -> Iterator[ContactInterval]:
        return iter(self.intervals)

    def __len__(self) -> int:
        return len(self.intervals)

    def __bool__(self) -> bool:
        """Are there intervals? None in an answer that was CAPPED is no answer."""
        if not self.intervals and self.status is not Status.FREE:
            raise ambiguous("an answer without intervals that was CAPPED", "its status, and until when it is complete")
        return bool(self.intervals)

    def between(self, a: str, b: str) -> tuple[ContactInterval, ...]:
        """Return the intervals of two links or models, in whichever order they are named."""
        for name in (a, b):
            if not isinstance(name, str) or (self.names and name not in self.names):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise unknown_name("name", name, self.names)
        return tuple(
            i
            for i in self.intervals
            if (a in (i.link_a, i.model_a) and b in (i.link_b, i.model_b))
            or (b in (i.link_a, i.model_a) and a in (i.link_b, i.model_b))
        )

    def at(self, time: float) -> tuple[ContactInterval, ...]:
        """Return the intervals that hold a time in [0, 1]."""
        if not isinstance(time, Real) or isinstance(time, (bool, np.timedelta64)) or not 0.0 <= time <= 1.0:
            raise TocsinError(f"times run from 0 to 1; got {quoted(time)}.")
        return tuple(i for i in self.intervals if i.enter <= time <= i.exit)


@dataclass(frozen=True, eq=False)
class TimedContact(ByValue):
    """One contact of a motion, from `Scene.contacts`. Point and normal are in the world frame, at `time`."""

    time: float
    link_a: str
    link_b: str
    kind: str
    """'vertex-face', 'face-vertex' or 'edge-edge'."""
    features: tuple[tuple[int, ...], tuple[int, ...]]
    """Vertex numbers of the touching feature on each side: one for a vertex, two for an edge, three for a face."""
    point: Vector
    normal: Vector
    """Unit vector from a towards b: a face's outward normal, or across both edges."""
    properness: float
    """How well the surfaces face each other [SCREW eq. 7]; not negative: as at a true first contact."""
    true_properness: float
    """The same by [SCREW eq. 6]: at an edge-edge contact less by the sine of the angle between the edges."""
    closing_speed: float
    """How fast the two come together along the normal, metres per unit of time."""
    model_a: str = ""
    model_b: str = ""
    screw_error: float = 0.0
    """An estimate of how far the screw motion is off the motion that was asked for [SCREW 4.3], metres; 0 if it is that
    motion."""
    bracket: tuple[float, float] = (0.0, 1.0)
    """The contact lies between these two times; (time, time) where no bounds are known."""
    proven: bool = False
    """Is it certain, rounding included? False for what the screen found, and where a touch is no more than rounding."""


@dataclass(frozen=True, eq=False)
class TimedContacts(Sequence[TimedContact]):
    """All contacts of a motion, the earliest first: a sequence of `TimedContact`, put into words when looked at."""

    rows: Records = field(repr=False)
    """One record a contact, see `tocsin.contacts.timed`."""
    names: Mapping[int, tuple[str, str]] = field(repr=False)
    """Shape -> (model, link)."""
    kinds: tuple[str, ...] = field(repr=False)
    complete: bool = False
    """Is the list proven to have all contacts (of that properness)? Only with `exact=True`, and if the search ended."""

    def __post_init__(self) -> None:
        """Freeze the records: an answer stays what it was."""
        self.rows.setflags(write=False)

    def __reduce__(self) -> tuple[type[TimedContacts], tuple[object, ...]]:
        return TimedContacts, (self.rows, dict(self.names), self.kinds, self.complete)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<{len(self)} contacts>" if len(self) else "<no contacts>"

    def __bool__(self) -> bool:
        """Are there contacts? None in a list that is not proven complete is no answer."""
        if not len(self.rows) and not self.complete:
            raise ambiguous("an empty list of contacts that is not complete", "len(contacts), or with exact=True")
        return bool(len(self.rows))

    @property
    def times(self) -> Values:
        """(n,): the times, ascending."""
        return self.rows["time"]

    @property
    def properness(self) -> Values:
        """(n,): how well the surfaces face each other [SCREW eq. 7]."""
        return self.rows["properness"]

    @overload
    def __getitem__(self, index: int) -> TimedContact: ...
    @overload
    def __getitem__(self, index: slice) -> TimedContacts: ...
    def __getitem__(self, index: int | slice) -> TimedContact | TimedContacts:
        if isinstance(index, slice):
            return TimedContacts(self.rows[index], self.names, self.kinds, self.complete and index == slice(None))
        row = self.rows[index]
        model_a, link_a = self.names[int(row["geom_a"])]
        model_b, link_b = self.names[int(row["geom_b"])]
        on_a, on_b = (tuple(i for i in row[side].tolist() if i >= 0) for side in ("a", "b"))
        return TimedContact(
            float(row["time"]),
            link_a,
            link_b,
            self.kinds[int(row["kind"])],
            (on_a, on_b),
            row["point"].copy(),
            row["normal"].copy(),
            float(row["properness"]),
            float(row["true_properness"]),
            float(row["closing_speed"]),
            model_a,
            model_b,
            float(row["screw_error"]),
            (float(row["lo"]), float(row["hi"])),
            bool(row["proven"]),
        )


class Timed(Protocol):
    """What has a time: `TimedContact`, `FeatureContact`."""

    @property
    def time(self) -> float:
        """When it is."""
        ...


C = TypeVar("C", bound=Timed)


def group(contacts: Iterable[C], *, within: float) -> list[tuple[C, ...]]:
    """Return contacts in groups that a simulator resolves at once: each no later than `within` after the first of its
    group."""
    try:
        given = sorted(contacts, key=lambda c: c.time)
    except (TypeError, AttributeError):
        raise TocsinError("group takes a list of contacts, as scene.contacts returns it; each has a time.") from None
    if not isinstance(within, Real) or isinstance(within, (bool, np.timedelta64)) or not 0.0 <= within < math.inf:
        raise TocsinError(f"within must be a finite time of at least 0; got {quoted(within)}.")
    groups: list[list[C]] = []
    for contact in given:
        if groups and contact.time - groups[-1][0].time <= within:
            groups[-1].append(contact)
        else:
            groups.append([contact])
    return [tuple(g) for g in groups]


@dataclass(frozen=True, eq=False)
class Distance(ByValue):
    """The answer to `Scene.distance`: the closest pair of a standing scene."""

    def __bool__(self) -> bool:
        raise ambiguous("the answer of distance", "near.distance > 0, or near.lower > 0 for a proof")

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


@dataclass(frozen=True, eq=False)
class LinkPair:
    """What is proven of two links, for all joint values within the limits."""

    link_a: str
    link_b: str
    verdict: str
    """'never', 'always', 'sometimes', 'adjacent' or 'undecided'."""
    witness: np.ndarray | None = None
    """Joint values at which they are within the margin."""
    boxes: int = 0
    """What the proof cost: pairs of parts, each over a box of joint values, that were looked at."""
    reason: str = ""
    closest: tuple[float, float] = (0.0, np.inf)
    """The smallest distance (metres) that the two can have is between these: the first is proven, the second occurs."""
    evidence: tuple[Any, ...] = field(default=(), repr=False)
    """Of *never*, (shape, shape, words) of each pair of their shapes; of a witness, (shape, shape, point, point)."""


@dataclass(frozen=True, eq=False)
class LinkPairs(Sequence[LinkPair]):
    """What is proven of every pair of links of a robot that have shapes; the answer to `Robot.prove_pairs`."""

    margin: float
    pairs: tuple[LinkPair, ...]

    def __len__(self) -> int:
        return len(self.pairs)

    @overload
    def __getitem__(self, index: int) -> LinkPair: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[LinkPair, ...]: ...

    def __getitem__(self, index: int | slice) -> LinkPair | tuple[LinkPair, ...]:
        return self.pairs[index]

    def __repr__(self) -> str:
        counts = Counter(pair.verdict for pair in self.pairs)
        return f"<LinkPairs at {self.margin:g} m: {', '.join(f'{n} {verdict}' for verdict, n in counts.items())}>"

    def of(self, verdict: str) -> tuple[tuple[str, str], ...]:
        """Return the names of the pairs of one verdict."""
        return tuple((pair.link_a, pair.link_b) for pair in self.pairs if pair.verdict == verdict)

    def disabled(self) -> dict[tuple[str, str], str]:
        """Return the pairs that need not be checked, with the reasons that SRDF files use."""
        reasons = {"never": "Never", "always": "Always", "adjacent": "Adjacent"}
        return {(p.link_a, p.link_b): reasons[p.verdict] for p in self.pairs if p.verdict in reasons}

"""The results of an audit: stretches that are not proven free, and bounds of the smallest clearance."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tocsin._cast import clock
from tocsin.results import Contact, Distance, Status, ambiguous


def first_of(many: int) -> str:
    """Say that what is told is the first of so many stretches."""
    return f", the first of {many} stretches" if many > 1 else ""


@dataclass(frozen=True)
class Moment:
    """A place on a trajectory."""

    waypoint: int
    """The number of the waypoint at or before it."""
    fraction: float
    """How much of the piece from that waypoint to the next has passed: at least 0, less than 1."""
    time: float | None
    """Seconds on the trajectory's own clock; None if it has no times."""
    configuration: np.ndarray
    """Joint values there, in the order of `robot.joint_names`."""

    @property
    def position(self) -> float:
        """Waypoint and fraction as one number: 3.25 is a quarter of the way from waypoint 3 to waypoint 4."""
        return self.waypoint + self.fraction


class Pair(NamedTuple):
    """Two links that touch."""

    model_a: str
    link_a: str
    model_b: str
    link_b: str

    def __str__(self) -> str:
        return f"{self.link_a} and {self.link_b}"

    @property
    def said(self) -> str:
        """Both by 'model/link', by one name where a model is one link."""
        sides = ((self.model_a, self.link_a), (self.model_b, self.link_b))
        return " and ".join(link if link == model else f"{model}/{link}" for model, link in sides)


@dataclass(frozen=True)
class Stretch:
    """A closed stretch of the trajectory that is not proven free: contact, or undecided, at both of its ends."""

    status: Status
    """CONTACT; INITIAL_CONTACT if the trajectory starts in it; CAPPED if it is undecided."""
    enter: Moment
    """Proven free just before."""
    exit: Moment
    """Proven free just after."""
    pairs: tuple[Pair, ...]
    """All links that touch during it, in the order of appearance."""
    time_step: float | None
    """Seconds it lasts: samples farther apart than this can step over it. None if the trajectory has no times."""
    joint_step: float
    """How far the joint that moves most goes during it (radians or metres): steps larger than this can miss it."""
    looks: tuple[Callable[[], tuple[Contact, ...]], ...] = field(default=(), repr=False, compare=False)
    """How `contacts` and `exit_contacts` are found."""

    @cached_property
    def contacts(self) -> tuple[Contact, ...]:
        """Touching features at `enter`, the closest first: found when first looked at, in the scene as it was."""
        return self.looks[0]() if self.looks else ()

    @cached_property
    def exit_contacts(self) -> tuple[Contact, ...]:
        """Touching features at `exit`, the closest first: found when first looked at, in the scene as it was."""
        return self.looks[1]() if self.looks else ()

    def __getstate__(self) -> Mapping[str, object]:
        _ = self.contacts, self.exit_contacts  # what is sent, or kept, is all of it
        return self.__dict__ | {"looks": ()}

    @property
    def is_contact(self) -> bool:
        """False if undecided."""
        return self.status is not Status.CAPPED


@dataclass(frozen=True)
class Clearance:
    """The smallest distance on the whole trajectory, whatever the margins: `lower` <= true <= `upper`, metres."""

    lower: float
    """Proven for every moment of the trajectory."""
    upper: float
    """Attained at `at`, between these links; `math.inf` if there is nothing to keep away from."""
    at: Moment
    nearest: Distance
    """Which links and points, at that moment."""

    def __bool__(self) -> bool:
        raise ambiguous("a Clearance", "clearance.lower > 0 for a proof")


@dataclass(frozen=True)
class Audit:
    """What is known about a trajectory. What lies outside of `stretches` is proven free."""

    stretches: tuple[Stretch, ...]
    margin: float
    resolution: float
    waypoints: int
    duration: float | None
    """Seconds; None if the trajectory has no times."""
    length: float
    """The way of the joint that moves most, summed over the pieces: radians or metres."""
    queries: int
    """Questions asked of the engine for the stretches."""
    seconds: float = field(compare=False)
    """That these took."""
    look: Callable[[], Clearance] = field(repr=False, compare=False)
    """How the clearance is found."""

    @cached_property
    def clearance(self) -> Clearance:
        """The smallest distance: found when first looked at, of the scene as it was when the audit was asked for."""
        return self.look()

    def __getstate__(self) -> Mapping[str, object]:
        _ = self.clearance  # what is sent, or kept, is all of it
        return {name: value for name, value in self.__dict__.items() if name != "look"}

    def __repr__(self) -> str:
        lasts = "" if self.duration is None else f" in {self.duration:g} s"
        said = f"{self.status}, {self.waypoints} waypoints{lasts}, margin {self.margin:g} m"
        for stretch in self.stretches[:1]:
            at = stretch.enter.position if stretch.enter.time is None else stretch.enter.time
            where = f"waypoint {at:.6g}" if stretch.enter.time is None else f"{clock(at)} s"
            pairs = "".join(f" between {pair}" for pair in stretch.pairs[:1])
            said += f"; from {where}{pairs}{first_of(len(self.stretches))}"
        return f"<Audit: {said}>"

    def __bool__(self) -> bool:
        raise ambiguous("an Audit", "audit.is_free")

    @property
    def is_free(self) -> bool:
        """True only if the whole trajectory is proven to keep the margin."""
        return not self.stretches

    @property
    def status(self) -> Status:
        """FREE, CONTACT, INITIAL_CONTACT, or CAPPED if it is undecided but nothing was found to touch."""
        found = [s.status for s in self.stretches if s.is_contact]
        if found:
            return found[0]
        return Status.CAPPED if self.stretches else Status.FREE

    @property
    def free_stretches(self) -> tuple[tuple[float, float], ...]:
        """The proven free parts between the stretches, as positions (waypoint + fraction); open where a stretch is."""
        ends = [0.0]
        for stretch in self.stretches:
            ends += [stretch.enter.position, stretch.exit.position]
        ends.append(float(self.waypoints - 1))
        return tuple((a, b) for a, b in zip(ends[::2], ends[1::2]) if a < b)

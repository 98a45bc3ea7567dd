"""A story retold on a clock: the same places at other moments, so that the same distances judge it (`stories`).

Every moving actor passes its stations at stamps of powers of two, which are exact; robots of which each joint has one
value also drive cubics and quintics that rest at every station, as a controller would. Such a curve runs monotonely
along the straight piece between two stations: at u of a piece, from 0 to 1, it is where the straight motion is at
3u^2 - 2u^3 or 10u^3 - 15u^4 + 6u^5. So D of the retold motion at second t is D of the story at `Clock.story_time`, and
what an answer claims until t, it claims until then. With `error=` an answer holds for all motions in a tube: what it
proves apart is apart on the nominal one too; that something touches may be true of another motion alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import cycle, islice
from typing import Any

import numpy as np

import tocsin
from tocsin.results import Status
from tocsin_bench.campaigns.stories_claims import LATE, Apart, Claims, Near
from tocsin_bench.campaigns.stories_scenes import Actor, Story, motion_of

LENGTHS = (1.0, 4.0, 0.5, 2.0)
"""Seconds of the pieces, in turn: powers of two, so that coefficients of lattice values are exact."""

EASED = {
    1: lambda u: u,
    3: lambda u: u * u * (3.0 - 2.0 * u),
    5: lambda u: u * u * u * (10.0 - u * (15.0 - 6.0 * u)),
}
"""How far along the straight piece a curve of each degree is."""


@dataclass(frozen=True)
class Clock:
    """When the stations are passed, and on curves of which degree."""

    stamps: np.ndarray
    degree: int

    def story_time(self, fraction: float) -> float:
        """Return the time of the story at which it is where the retold motion is at a fraction of its own."""
        seconds = min(fraction, 1.0) * float(self.stamps[-1])
        k = min(int(np.searchsorted(self.stamps, seconds, side="right")) - 1, len(self.stamps) - 2)
        u = (seconds - self.stamps[k]) / (self.stamps[k + 1] - self.stamps[k])
        return float((k + EASED[self.degree](u)) / (len(self.stamps) - 1))


def clocks(story: Story) -> list[Clock]:
    """Return how a story can be retold: with stamps if all have as many pieces; on curves if all are plain robots."""
    moving = [actor for actor in story.actors if len(actor.stations) > 1]
    if len(story.pieces) != 1 or any(actor.screw for actor in moving):
        return []
    (n,) = story.pieces
    stamps = np.concatenate([[0.0], np.cumsum(list(islice(cycle(LENGTHS), n)))])
    degrees = (1, 3, 5) if all(_plain(actor) for actor in moving) else (1,)
    return [Clock(stamps, degree) for degree in degrees]


def _plain(actor: Actor) -> bool:
    widths = [link.width for link in actor.links]
    return actor.kind == "robot" and not actor.free and max(widths) == 1


def retold(model: Any, actor: Actor, clock: Clock, error: float) -> Any:
    """Return the motion of a model through an actor's stations on a clock."""
    if len(actor.stations) == 1:
        return motion_of(model, actor)
    if actor.kind == "body":
        return model.follow(actor.stations, times=clock.stamps, error=error)
    if actor.kind == "cloth":
        return model.follow(actor.stations, times=clock.stamps)
    values = np.array([q for q, _ in actor.stations])
    if clock.degree == 1:
        bases = [base for _, base in actor.stations] if actor.free else None
        return model.follow(values, times=clock.stamps, base=bases, error=error)
    still = np.zeros_like(values)
    plan = tocsin.Trajectory(
        clock.stamps, values, velocities=still, accelerations=None if clock.degree == 3 else still
    )
    return model.follow(plan, error=error)


def ask_on_a_clock(tale: Any) -> None:
    """Ask both engines about the story on a clock, as it is and in a tube."""
    moving = [actor for actor in tale.story.actors if actor.moves]
    for clock in clocks(tale.story):
        for error in (0.0, 2.0**-10):
            motions = [retold(tale.told.models[actor.name], actor, clock, error) for actor in moving]
            who = f"clock {clock.degree}" + (" tube" if error else "")
            for method in ("advancement",) if tale.soft else ("advancement", "interval"):
                hit = tale.told.scene.first_contact(*motions, method=method, **tale.asked)
                _claim(tale.claims, f"{who}.{method}", hit, clock, error)
                if tale.told.scene.is_free(*motions, method=method, **tale.asked):
                    tale.claims.apart.append(Apart(f"{who}.is_free.{method}", 0.0, 1.0, tale.story.margin))


def _claim(claims: Claims, who: str, hit: Any, clock: Clock, error: float) -> None:
    """Add what an answer about the retold motion claims about the story."""
    free = hit.status is Status.FREE
    end = 1.0 if free else clock.story_time(hit.time)
    if end > LATE:  # at the very start a claim of nothing
        claims.apart.append(Apart(who, 0.0, 1.0 if free else end - LATE, claims.margin, closed=free))
    if hit.status in (Status.CONTACT, Status.INITIAL_CONTACT) and error == 0.0:
        claims.near.append(Near(who, end, claims.margin + hit.tolerance))
    if not free and hit.seconds is not None and not np.isclose(hit.seconds, hit.time * clock.stamps[-1], rtol=1e-12):
        claims.wrong.append((who, f"{hit.seconds!r} s at {hit.time!r} of {clock.stamps[-1]} s"))

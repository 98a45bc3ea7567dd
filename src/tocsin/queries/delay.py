"""`tocsin.delay`: how much later a motion has to begin so that the whole is proven free.

Delays are tried on a grid: 0, h, 2 h, ... . Each that is refused is refused by a contact that was found, or by a cap;
each that is accepted is accepted by an ordinary question. Between the last that was refused and the first that was
accepted the boundary is bisected. So the answer is proven free, a smaller delay by `resolution` is not, and no multiple
of `step` below it is. Free delays shorter than a step between two of those may be missed: the smaller `step` the fewer.
"""

# What some of NumPy's functions return has no type.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tocsin import _cast
from tocsin.errors import TocsinError
from tocsin.limits import MAX_STEPS
from tocsin.model.base import Motion
from tocsin.model.timed import stamped
from tocsin.queries.context import Context
from tocsin.queries.engines.advancement import ENGINE
from tocsin.queries.first_contact import first_contact, is_free
from tocsin.results import FirstContact, Status, ambiguous

TRIES = 256
"""Steps of the grid, by default: of the longest delay that can help."""

FINER = 1024
"""The resolution, by default: this part of a step."""


@dataclass(frozen=True, eq=False, repr=False)
class Delay:
    """How much later a motion has to begin."""

    seconds: float
    """The least delay found for which everything is proven free; inf if none is."""
    motions: tuple[Motion, ...]
    """All motions, the delayed one with its new times; as they were given if no delay helps."""
    conflict: FirstContact | None
    """The first contact with the delay `before`, smaller by at most `resolution`; None if no delay is needed. Where no
    delay helps: that with the longest."""
    before: float | None
    """The delay with which `conflict` happens."""
    step: float
    """Every multiple of this below `seconds` was tried, and could not be proven free."""
    resolution: float
    queries: int

    def __repr__(self) -> str:
        found = f"{self.seconds:.6g} s" if math.isfinite(self.seconds) else "none is free"
        return f"<Delay: {found}" + (">" if self.conflict is None else f"; with {self.before:.6g} s {self.conflict}>")

    def __bool__(self) -> bool:
        raise ambiguous("a Delay", "delay.seconds < math.inf, or delay.seconds == 0")


def delay(
    scene: object, *motions: Motion, margin: float = 0.0, tolerance: float | None = None, step: float | None = None,
    resolution: float | None = None, max_steps: int = MAX_STEPS,
) -> Delay:  # fmt: skip
    """Return the least delay, in seconds, of the last of these motions for which the whole is proven free.

    All motions have times. Before it begins the last one's model stands at its start; delays up to the end of all
    others are tried: what collides then, collides always. `step` (seconds): the delays that are tried, by default 256
    of them; `resolution`: how finely the boundary between the last that was refused and the first that was accepted is
    looked for. `margin`, `tolerance`, `max_steps` as in `Scene.first_contact`.
    """
    context = getattr(scene, "context", None)
    if not isinstance(context, Context):
        raise TocsinError(f"delay takes a Scene and motions; got {type(scene).__name__}.")
    context.check_motions(motions)
    if len(motions) < 2 or any(m.times is None or not m.seconds for m in motions):
        raise TocsinError("delay takes two motions or more, all with times: a.follow(...), b.follow(...).")
    others, last = motions[:-1], motions[-1]
    longest = max(float(m.times[-1]) for m in others) - float(last.times[0])  # pyright: ignore[reportOptionalSubscript]
    longest = max(longest, 0.0)
    stride = _cast.scalar(step, "step", above=0.0) if step is not None else max(longest / TRIES, 1e-9)
    fine = _cast.scalar(resolution, "resolution", above=0.0) if resolution is not None else stride / FINER
    if longest / stride > 1 << 20:
        raise TocsinError(f"delays up to {longest:g} s in steps of {stride:g} s are more than a million.")
    return _Search(context, others, last, _cast.margin(margin), tolerance, max_steps).run(longest, stride, fine)


class _Search:
    def __init__(
        self, context: Context, others: tuple[Motion, ...], last: Motion, margin: float, tolerance: float | None,
        max_steps: int,
    ) -> None:  # fmt: skip
        self.context, self.others, self.last = context, others, last
        self.asked = margin, tolerance, max_steps, ENGINE
        self.queries = 0

    def motions(self, seconds: float) -> tuple[Motion, ...]:
        """Return all motions, the last so much later."""
        if seconds == 0.0:
            return (*self.others, self.last)
        times = np.asarray(self.last.times) + seconds
        if np.any(np.diff(times) <= 0.0):
            raise TocsinError(f"the times of {self.last.model.name!r} are too close to each other to be moved.")
        return (*self.others, stamped(self.last, times, self.last.error))

    def is_free(self, seconds: float) -> bool:
        """Is it proven free with this delay?"""
        self.queries += 1
        return is_free(self.context, self.motions(seconds), *self.asked)

    def run(self, longest: float, stride: float, fine: float) -> Delay:
        """Try the delays of the grid, then bisect."""
        grid = np.arange(0.0, longest, stride).tolist()
        free = next((d for d in [*grid, longest] if self.is_free(d)), None)
        if free is None:
            return self._found(math.inf, longest, stride, fine)
        if free == 0.0:
            return self._found(0.0, None, stride, fine)
        lo = max(d for d in grid if d < free)
        while free - lo > fine:
            middle = 0.5 * (lo + free)
            if not lo < middle < free:
                break
            if self.is_free(middle):
                free = middle
            else:
                lo = middle
        return self._found(free, lo, stride, fine)

    def _found(self, seconds: float, before: float | None, stride: float, fine: float) -> Delay:
        """Put what was found into a record; the answer is asked about once more, as anybody would."""
        conflict = None
        if before is not None:
            self.queries += 1
            conflict = first_contact(self.context, self.motions(before), *self.asked)
        moved = self.motions(0.0 if math.isinf(seconds) else seconds)
        if math.isfinite(seconds) and first_contact(self.context, moved, *self.asked).status is not Status.FREE:
            raise TocsinError("two questions about one motion contradict each other; please report this.")
        return Delay(seconds, moved, conflict, before, stride, fine, self.queries + 1)

"""When anything first touches: `Scene.first_contact` and `Scene.is_free`, of links and of deformable models."""

from __future__ import annotations

import math
from functools import lru_cache
from time import perf_counter

import numpy as np

from tocsin import _cast
from tocsin.advancement.work import STEPS
from tocsin.compiler.helpers import helped_by
from tocsin.errors import TocsinError
from tocsin.limits import MAX_STEPS
from tocsin.model.base import Motion, is_timed
from tocsin.model.deformable import Deforming
from tocsin.model.robot import TOUCHING_PAIRS
from tocsin.model.timed import on_clock
from tocsin.motion.clocks import Timeline
from tocsin.motion.knots import ONE_STRETCH, WHOLE, exact_time, last_before, stretches_after, stretches_of
from tocsin.options import BACKENDS, METHODS
from tocsin.outcome import CAPPED, FREE, UNCHARTED
from tocsin.queries.answer import RESUMED, Answer, Kept, answer_of
from tocsin.queries.context import Context, Ready, context_of
from tocsin.queries.deadlines import ticks_at
from tocsin.queries.engines import Engine, Outcome
from tocsin.queries.engines.advancement import ENGINE as ADVANCEMENT
from tocsin.queries.engines.advancement import Limited
from tocsin.results import AskedScene, FirstContact, Status, status_of

Motions = tuple[Motion, ...]
Solved = tuple[Outcome, Ready, np.ndarray, float, float, float, Timeline | None]
"""What was found, what it was found with, stretches; margin and tolerance as kernels take them; seconds; a clock."""


def engine_of(method: str, deadline: float | None = None) -> Engine:
    """Return the engine of a name; with a deadline, in seconds from now."""
    if deadline is not None:
        if _cast.choice(method, "method", METHODS) != "advancement":
            raise TocsinError(f"deadline= is for method='advancement'; got method={_cast.said(method)}.")
        return Limited(ticks_at(deadline))
    if method.__class__ is str and method == "advancement":
        return ADVANCEMENT
    _cast.choice(method, "method", METHODS)
    from tocsin.queries.engines.interval import ENGINE

    return ENGINE


def is_free(
    context: Context, motions: Motions, margin: float, tolerance: float | None, max_steps: int, engine: Engine
) -> bool:  # fmt: skip
    """Answer `Scene.is_free`."""
    if context.soft:
        hit = first_contact(context, motions, margin, tolerance, max_steps, engine, anything=True)
        return hit.status is Status.FREE
    return _solve(context, motions, margin, tolerance, max_steps, engine, True)[0][0] == FREE


def first_contact(
    context: Context, motions: Motions, margin: float, tolerance: float | None, max_steps: int, engine: Engine, *,
    scene: AskedScene | None = None, anything: bool = False,
) -> FirstContact:  # fmt: skip
    """Answer `Scene.first_contact` of a scene that answers remember: links first, then deformable models.

    The latter up to the links' first contact. With `anything`, whichever contact is found first.
    """
    if not context.soft:
        return _of_links(context, motions, margin, tolerance, max_steps, engine, scene, anything)
    if engine.until:
        context.links_only("deadline=", "cap the work by max_steps= instead")
    from tocsin.deform.answer import SoftAnswer
    from tocsin.queries.deformables import question

    max_steps = _cast.count(max_steps, "max_steps")
    motions = context.on_clock(motions)
    rules = context.rules.of_links()
    asked = question(context, motions, rules, margin, tolerance, context.threads, max_steps)
    rigid = tuple(m for m in motions if not isinstance(m, Deforming))
    found = None
    if rigid or not motions:
        found = _of_links(context, rigid, margin, tolerance, max_steps, engine, scene, anything)
        found.__dict__["motions"] = motions
        if found.collides and (anything or found.time == 0.0):
            return found
    started = perf_counter()
    status, time, pairing, hit = asked.first(math.inf if found is None else found.time, anything=anything)
    elapsed = perf_counter() - started
    if found is not None and found.time <= time:
        return found
    return SoftAnswer.of(status_of(status, time), time, scene, motions, asked, pairing, hit, elapsed)


def outcome_of(
    context: Context, motions: Motions, margin: float, tolerance: float | None, max_steps: int, engine: Engine,
    anything: bool,
) -> Outcome:  # fmt: skip
    """Return what an engine says of links, as it is."""
    return _solve(context, motions, margin, tolerance, max_steps, engine, anything)[0]


def _of_links(
    context: Context, motions: Motions, margin: float, tolerance: float | None, max_steps: int, engine: Engine,
    scene: AskedScene | None, anything: bool,
) -> Answer:  # fmt: skip
    """Return the first contact of links."""
    solved = _solve(context, motions, margin, tolerance, max_steps, engine, anything)
    found, (laid_out, _, prepared, configs, _), stretches, margin, tolerance, elapsed, timeline = solved
    status, time, _, _, _, used, which = found
    stretch = WHOLE
    if timeline is not None:
        motions = timeline.motions
    if stretches is not ONE_STRETCH and status != FREE:
        stretch = tuple(stretches[which].tolist())
        time = last_before(exact_time(stretch, time))
        if status == CAPPED:
            time = max(time, engine.after)  # a stretch is cut a little before
    asked: Kept = (
        context, laid_out, engine, motions, prepared, configs, tolerance, max_steps, found, stretch,
        prepared.tally.tobytes(), elapsed,
    )  # fmt: skip
    return answer_of(status_of(status, time), time, used, scene, margin, asked)


@helped_by("tocsin.queries.ahead")
def _solve(
    context: Context, motions: Motions, margin: float, tolerance: float | None, max_steps: int, engine: Engine,
    anything: bool,
) -> Solved:  # fmt: skip
    """Ask an engine about links; again whenever it cannot go on without a chart, until it is made."""
    if margin.__class__ is not float or not 0.0 <= margin < _cast.WIDE:
        margin = _cast.margin(margin)
    tolerance = -1.0 if tolerance is None else _cast.tolerance(tolerance)
    if max_steps is not MAX_STEPS:
        _cast.count(max_steps, "max_steps")
    ready = context.ready(motions, margin, tolerance)
    laid_out, world, prepared, configs, pieces = ready
    timeline = None
    if motions[0].times is None if len(motions) == 1 else not is_timed(motions):
        stretches = ONE_STRETCH if pieces <= 1 else _stretches(tuple([m.pieces for m in motions]))
        if engine.after > 0.0:
            stretches = stretches_after(stretches, engine.after)
    else:
        timeline = on_clock(motions, engine.after)
        configs, stretches = timeline.configs, timeline.stretches[timeline.before(engine.after) :]
        ready = laid_out, world, prepared, configs, pieces
    started = perf_counter()
    found = engine.solve(prepared, configs, stretches, margin, tolerance, max_steps, anything)
    elapsed = perf_counter() - started
    if engine.charted:
        charts = laid_out.charts
        while found[0] == UNCHARTED:
            world = charts.with_chart(world, found[3], found[4], margin, tolerance)
            prepared, again, _ = laid_out.prepared(world, motions)
            configs = again if timeline is None else configs
            ready = laid_out, world, prepared, configs, pieces
            found = engine.solve(prepared, configs, stretches, margin, tolerance, max_steps, anything)
        steps = prepared.tally.item(STEPS)
        if steps and charts.wanted and not engine.until:
            charts.count(steps, world, prepared.buffers.workspace.pairs, margin, tolerance)
    return found, ready, stretches, margin, tolerance, elapsed, timeline


@lru_cache(maxsize=16)
def _stretches(pieces: tuple[int, ...]) -> np.ndarray:
    """Return the stretches of motions of so many pieces, which nobody writes: of 10,000 they take 0.4 ms to list."""
    return stretches_of(pieces)


def resumed(answer: Answer, deadline: float | None) -> Answer:
    """Ask on, from the time until which a capped answer has proven that all is free."""
    asked = answer.asked
    if asked is None or not asked.engine.charted:
        raise TocsinError("only an answer of scene.first_contact by method='advancement', as it came, can be resumed.")
    # Bodies on screws hang on carriers in a twin of the scene, which is made anew where the scene's rules have changed.
    laid_out = asked.context.carrying(asked.motions)
    if laid_out is not asked.laid_out or laid_out.tables().nodes is not asked.prepared.buffers.world.nodes:
        raise TocsinError("a model or a rule of the scene has changed since this was asked; ask again from the start.")
    engine = Limited(0 if deadline is None else ticks_at(deadline), answer.time)
    tolerance = None if asked.tolerance < 0.0 else asked.tolerance
    return _of_links(
        asked.context, asked.motions, answer.margin, tolerance, asked.max_steps, engine, answer.scene, False
    )  # fmt: skip


RESUMED.provide(resumed)


def touching_pairs(placement: Motion) -> tuple[tuple[str, str], ...]:
    """Return the pairs of links of one model, alone in the world with what it carries, that touch or overlap."""
    models = placement.model, *(held.body for held in placement.model.carried)
    context = context_of(models, BACKENDS[0], None, True)
    hit = first_contact(context, (placement,), 0.0, None, MAX_STEPS, ADVANCEMENT)
    return tuple(sorted({(contact.link_a, contact.link_b) for contact in hit.contacts}))


TOUCHING_PAIRS.provide(touching_pairs)

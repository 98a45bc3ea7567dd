"""Pairs with deformable models in a program, taken one by one: how far apart each stays over time.

`contact_intervals` does not support deformable models. So their proofs come from `first_contact` on parts of the clock,
one pair at a time, with all other pairs ignored.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

import numpy as np

from tocsin._cast import Tried
from tocsin.model.base import Motion
from tocsin.model.deformable import Deformable, Deforming
from tocsin.queries.audit.records import Pair
from tocsin.queries.context import Context
from tocsin.queries.engines.advancement import ENGINE
from tocsin.queries.first_contact import first_contact
from tocsin.queries.phases import Phase, part_of
from tocsin.queries.rules import Rules
from tocsin.results import AskedScene, Status

if TYPE_CHECKING:
    from tocsin.queries.audit.program import Auditor

TRIES = 3
"""Margins that are asked about in one part of the clock, the largest first."""


def named(context: Context) -> AskedScene:
    """Return a context as the scene from which answers read names."""
    return cast(AskedScene, context)


def names_of(context: Context) -> list[tuple[str, str, str]]:
    """Return (name in rules, model, link) of all links of a scene."""
    found: list[tuple[str, str, str]] = []
    for name, model in zip(context.names, context.models):
        if len(model.link_names) == 1:
            found.append((name, name, name))
        else:
            found += [(f"{name}/{link}", name, link) for link in model.link_names]
    return found


def _named_as(context: Context, pair: Pair) -> tuple[str, str]:
    by_link = {(model, link): name for name, model, link in names_of(context)}
    a, b = sorted((by_link[pair.model_a, pair.link_a], by_link[pair.model_b, pair.link_b]))
    return a, b


def without(context: Context, pair: Pair) -> Context:
    """Return the scene in which a pair is not checked."""
    twin = context.copy()
    twin.rules.ignore_all([_named_as(context, pair)])
    return twin


def alone(context: Context, pair: Pair) -> Context:
    """Return the scene in which nothing but a pair is checked."""
    kept = _named_as(context, pair)
    names = sorted(name for name, _, _ in names_of(context))
    twin = context.copy()
    twin.rules.ignore_all((a, b) for i, a in enumerate(names) for b in names[i:] if (a, b) != kept)
    return twin


def rigid_part(phase: Phase) -> tuple[Context, tuple[Motion, ...]]:
    """Return a phase without its deformable models."""
    whole = phase.context
    keep = [k for k, model in enumerate(whole.models) if not isinstance(model, Deformable)]
    models, own = [whole.models[k] for k in keep], {whole.names[k] for k in keep}
    rules = Rules([whole.names[k] for k in keep], models)
    rules.ignore_all((a, b) for a, b in whole.rules.ignored if {a, b} <= own | set(rules.links))
    made = Context(models, rules, hulls=whole.hulls, threads=whole.threads, charts=whole.charts.wanted)
    made.places = {key: keep.index(k) for key, k in whole.places.items() if k in keep}
    return made, tuple(m for m in phase.motions if not isinstance(m, Deforming))


def soft_pairs(auditor: Auditor) -> Iterator[Pair]:
    """Yield the pairs of a deformable model and another that are checked; not those of a model with itself, whose
    neighbouring features are always near each other."""
    context = auditor.plain[0].context
    numbers = {name: k for k, (name, _, _) in enumerate(names_of(context))}
    ignored = {pair for pair, margin in context.rules.of_links().items() if margin == -math.inf}
    soft = {name for name, model in zip(context.names, context.models) if isinstance(model, Deformable)}
    listed = names_of(context)
    for i, (a, model_a, link_a) in enumerate(listed):
        for b, model_b, link_b in listed[i + 1 :]:
            if {model_a, model_b} & soft and (min(numbers[a], numbers[b]), max(numbers[a], numbers[b])) not in ignored:
                yield Pair(model_a, link_a, model_b, link_b)


def proven_steps(
    auditor: Auditor, pair: Pair, times: np.ndarray, upper: np.ndarray, levels: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return (edges, lower): between two edges the largest of the levels that was proven to be kept; 0 for none."""
    ends = [t for phase in auditor.plain for t in (phase.begin, phase.end)]
    edges = np.unique([*times.tolist(), *ends])
    lower = np.zeros(len(edges) - 1)
    near = np.interp(edges, times, np.where(np.isfinite(upper), upper, levels[-1]))
    for phase in auditor.plain:
        if not auditor.between(pair).is_asked(phase):
            continue
        context = alone(phase.context, pair)
        for k in np.flatnonzero((edges[:-1] >= phase.begin) & (edges[1:] <= phase.end)).tolist():
            part = part_of(auditor.program, phase, float(edges[k]), float(edges[k + 1]))
            for level in levels[levels < min(near[k], near[k + 1])][: -TRIES - 1 : -1].tolist():
                hit = first_contact(context, part, Tried(level), 0.05 * level, auditor.max_steps, ENGINE, anything=True)
                if hit.status is Status.FREE:
                    lower[k] = level
                    break
    return edges, lower

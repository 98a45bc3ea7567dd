"""During which times links are in contact: `Scene.contact_intervals`."""

# What kernels return has the types that Numba finds.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
from __future__ import annotations

import numpy as np

from tocsin import _cast
from tocsin.advancement.work import STEPS
from tocsin.compiler.helpers import helped_by
from tocsin.model.base import Motion, is_timed
from tocsin.model.timed import on_clock
from tocsin.motion.knots import stretches_of
from tocsin.outcome import CAPPED, CONTACT, FREE
from tocsin.queries.context import Context
from tocsin.queries.kernels.contact_intervals import intervals
from tocsin.results import ContactInterval, ContactIntervals, status_of


@helped_by("tocsin.queries.ahead")
def contact_intervals(
    context: Context, motions: tuple[Motion, ...], margin: float, tolerance: float | None, max_steps: int
) -> ContactIntervals:
    """Answer `Scene.contact_intervals`."""
    margin = _cast.margin(margin)
    tolerance = -1.0 if tolerance is None else _cast.tolerance(tolerance)
    _cast.count(max_steps, "max_steps")
    context.links_only("contact_intervals", "contacts(...) lists when its features touch")
    motions = context.on_clock(motions)
    context = context.carrying(motions)
    world = context.tables()
    prepared, configs, _ = context.prepared(world, motions)
    if is_timed(motions):
        timeline = on_clock(motions)
        configs, stretches = timeline.configs, timeline.stretches
    else:
        stretches = stretches_of(m.pieces for m in motions)
    rows, until = intervals(
        prepared.table, configs, stretches, margin, max(margin, prepared.largest_margin), tolerance, max_steps
    )
    steps = int(prepared.buffers.counts[STEPS])
    rows = rows[np.argsort(rows["enter"], kind="stable")]
    names = {int(i): context.name_of_link(world, int(i)) for i in np.unique([rows["link_a"], rows["link_b"]])}
    columns = [rows[name].tolist() for name in ("link_a", "link_b", "enter", "exit", "tolerance", "proven")]
    found: list[ContactInterval] = []
    for a, b, enter, exit_, used, proven in zip(*columns):
        (model_a, link_a), (model_b, link_b) = names[a], names[b]
        found.append(ContactInterval(link_a, link_b, enter, exit_, used, bool(proven), model_a, model_b))
    code = CAPPED if until < 1.0 else CONTACT if found else FREE
    status = status_of(code, found[0].enter if found else until)
    every = (*context.names, *[link for m in context.models if len(m.link_names) > 1 for link in m.link_names])
    return ContactIntervals(status, tuple(found), until, steps, motions, every)

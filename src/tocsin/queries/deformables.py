"""What a scene with deformable models is asked: who moves, under which rules."""

from __future__ import annotations

from tocsin import _cast
from tocsin.deform.pairing import Kept, Pairing
from tocsin.deform.question import Question
from tocsin.deform.run import UNLIMITED
from tocsin.model import grasp
from tocsin.model.base import Motion
from tocsin.model.deformable import Deformable
from tocsin.queries.context import Context


def question(
    context: Context, motions: tuple[Motion, ...], rules: dict[tuple[int, int], float], margin: float,
    tolerance: float | None, threads: int | None, max_steps: int = UNLIMITED,
) -> Question:  # fmt: skip
    """Return a question about the deformable models of a scene and all that they may touch."""
    world = context.tables()  # which looks at who carries what
    context.check_motions(motions)
    margin = _cast.margin(margin)
    tolerance = None if tolerance is None else _cast.tolerance(tolerance)
    places = [context.places[id(m.model)] for m in motions]
    if len(set(places)) < len(places):
        raise context.moved_twice(places)
    carrying = context.carrying(motions)
    if tolerance is None:  # measured of the models themselves, once, and not of each copy
        for model in carrying.models:
            _ = isinstance(model, Deformable) and model.mean_edge
    # As they are now: answers place them, and name their links, when they are looked at.
    models = [grasp.twin(model) for model in carrying.models]
    kept: Kept = context.kept("pairings", world, dict[tuple[object, ...], Pairing]) if carrying is context else {}
    return Question(models, dict(zip(places, motions)), rules, margin, tolerance, threads, max_steps, kept)


def standing(context: Context, placements: tuple[Motion, ...]) -> Question:
    """Return a question about models that stand, for which margins do not count; on one thread."""
    ignored = {pair: margin for pair, margin in context.rules.of_links().items() if margin < 0.0}
    return question(context, placements, ignored, 0.0, None, 1)

"""What a scene with deformable models is asked: who moves, under which rules; and the answer beside that of links."""

from __future__ import annotations

import math
import time as clock_module
from typing import Any

from tocsin import _cast
from tocsin.deform import answer
from tocsin.deform.advance import UNDECIDED
from tocsin.deform.question import Question
from tocsin.deform.run import UNLIMITED
from tocsin.errors import TocsinError
from tocsin.model.base import Motion
from tocsin.model.deformable import Deformable, Deforming
from tocsin.options import METHODS
from tocsin.results import FirstContact, Status
from tocsin.soft_results import FeatureContacts, TriangleTimes


def question(
    scene: Any, motions: tuple[Motion, ...], rules: Any, margin: Any, tolerance: Any, threads: int | None,
    max_steps: int = UNLIMITED,
) -> Question:  # fmt: skip
    """Return a question about the deformable models of a scene and all that they may touch."""
    scene.check_motions(motions)
    margin = _cast.margin(margin)
    tolerance = None if tolerance is None else _cast.tolerance(tolerance)
    places = [scene._index[id(m.model)] for m in motions]
    if len(set(places)) < len(places):
        raise scene.moved_twice(places)
    models = scene._carrying(motions).models
    return Question(models, dict(zip(places, motions)), rules, margin, tolerance, threads, max_steps)


def standing(scene: Any, placements: tuple[Motion, ...]) -> Question:
    """Return a question about models that stand, for which margins do not count; on one thread."""
    ignored = {pair: margin for pair, margin in scene._rules.of_links().items() if margin < 0.0}
    return question(scene, placements, ignored, 0.0, None, 1)


def first_contact(
    scene: Any, motions: tuple[Motion, ...], margin: Any, tolerance: Any, max_steps: int, method: str,
    any_contact: bool, stages: tuple[int | str, ...],
) -> FirstContact:  # fmt: skip
    """Ask about links first, then about deformable models, up to the links' first contact."""
    _cast.choice(method, "method", METHODS)
    max_steps = _cast.count(max_steps, "max_steps")
    asked = question(scene, motions, scene._rules.of_links(), margin, tolerance, scene.threads, max_steps)
    rigid = tuple(m for m in motions if not isinstance(m, Deforming))
    found = None
    if rigid or not motions:
        found = scene._ask_links(rigid, margin, tolerance, max_steps, method, any_contact, stages)
        found.__dict__["motions"] = motions
        if found.collides and (any_contact or found.time == 0.0):
            return found
    started = clock_module.perf_counter()
    state, time, pairing, hit = asked.first(math.inf if found is None else found.time, anything=any_contact)
    elapsed = clock_module.perf_counter() - started
    if found is not None and found.time <= time:
        return found
    if state == 0:
        outcome = Status.FREE
    elif state == UNDECIDED:
        outcome = Status.CAPPED
    else:
        outcome = Status.CONTACT if time > 0.0 else Status.INITIAL_CONTACT
    return answer.SoftAnswer.of(outcome, time, scene, motions, asked, pairing, hit, elapsed)


def contacts(
    scene: Any, motions: tuple[Motion, ...], every: str, margin: Any, tolerance: Any, max_steps: int
) -> FeatureContacts | TriangleTimes:
    """Return every contact of deformable models: by "pair" or by "triangle"."""
    if not any(isinstance(model, Deformable) for model in scene.models):
        raise TocsinError(f"every={every!r} is about deformable models, and none is in this scene; leave it out.")
    max_steps = _cast.count(max_steps, "max_steps")
    asked = question(scene, motions, scene._rules.of_links(), margin, tolerance, scene.threads, max_steps)
    say = answer.all_contacts if every == "pair" else answer.triangle_times
    return say(asked, scene.names, motions)

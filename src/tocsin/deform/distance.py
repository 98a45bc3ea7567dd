"""How far deformable models are from everything else, and from themselves, at one moment.

A question with a margin m has two answers that prove something: free, then everything is farther apart than m; or a
pair of features within m, whose closest points are a witness. So the smallest distance is searched for from below: the
margin is doubled until a witness turns up, and then the next question is just below the distance of the last witness,
until the answer is free. Witnesses come in any order, so each question halves, on average, how many pairs are closer;
where they do not shrink fast enough the middle between both bounds is asked for instead. A question that is ended by
its cap proves nothing: where everything is equally near, the second such ends the search, with bounds farther apart.
"""

from __future__ import annotations

import math

import numpy as np

from tocsin.deform.answer import Words
from tocsin.deform.question import Question
from tocsin.limits import MAX_STEPS
from tocsin.model.deformable import Deformable
from tocsin.results import Contact

START = 0.125
"""The first margin, in mean edges."""

CLOSE, CLOSER = 1e-9, 2.0**-42
"""How far below a witness the next question is, of its distance and of the lengths that enter it; then WIDER times as
much, if rounding hides the difference."""

WIDER = 16.0

MOST_STEPS, STEPS_EACH = MAX_STEPS, 16
"""Of a question: seconds, and more for each vertex, since in a regular cloth all neighbours are equally near."""

SLOW, PATIENCE = 0.8, 3
"""So many witnesses in a row that are not closer than this, of the one before, are too many."""


def nearest(question: Question, names: tuple[str, ...], limit: float) -> tuple[float, float, Contact | None]:
    """Return (lower, upper, witness) of the smallest distance of standing models; no witness if none is below `limit`.

    Lower is proven; upper is the distance of two points, one on either side. The question should ask for one thread:
    then the same witness is found every time.
    """
    softs = [m for m in question.models if isinstance(m, Deformable)]
    if not question.pairings:
        return math.inf, math.inf, None
    words = Words(question, names)
    size = max(float(np.abs(m.vertices).max(initial=0.0)) for m in softs)
    question.max_steps = MOST_STEPS + STEPS_EACH * sum(len(m.vertices) for m in softs)
    lower, margin, step = 0.0, 0.0, START * min(m.mean_edge for m in softs)
    while True:
        upper, witness = _within(question, words, margin, CLOSER * (size + margin))
        if witness is not None:
            break
        if upper > margin:  # proven; else the cap ended the search, and some pair is found within more
            lower = margin
        if margin >= limit:
            return min(lower, limit), limit, None
        margin, step = min(margin + step, limit), 2.0 * step
    gap, slow, capped = max(CLOSE * upper, CLOSER * (size + upper)), 0, False
    while upper - gap > lower:
        margin = 0.5 * (lower + upper) if slow >= PATIENCE or capped else upper - gap
        distance, found = _within(question, words, margin, 0.25 * gap)
        if found is None:
            if distance > margin:
                lower = margin
            elif capped:
                break
            else:
                capped = True
        elif distance >= upper - gap:  # rounding hides the difference
            gap *= WIDER
        else:
            slow = slow + 1 if distance > SLOW * upper else 0
            upper, witness = distance, found
            gap = max(CLOSE * upper, CLOSER * (size + upper))
    return min(lower, upper), upper, witness


def _within(question: Question, words: Words, margin: float, tolerance: float) -> tuple[float, Contact | None]:
    """Return a pair within margin and tolerance, behind the distance of its points.

    (inf, None) if all are farther, proven; (0, None) if the cap ended the search.
    """
    question.pairings = [pairing._replace(margin=margin, tolerance=tolerance) for pairing in question.pairings]
    state, _, p, hit = question.first(anything=True)
    if state == 0:
        return math.inf, None
    if hit["kind"] < 0:
        return 0.0, None
    contact = words.contact(p, hit, 0.0)
    return contact.distance, contact

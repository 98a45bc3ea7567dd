"""Which links of a robot can touch: at all joint values within their limits, by boxes of these."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np

from tocsin_checker.cells import Boxes
from tocsin_checker.check import Check, words_of
from tocsin_checker.models import MIMICS
from tocsin_checker.proof import Refused, need

TURN = 3.1416
"""A joint without limits is looked at from minus this, in radians, to this; one with limits that are farther apart
from the lower one on as far: more than a turn."""

Box = tuple[tuple[float, float], ...]
"""From where to where each entry of a configuration goes."""


def halves(box: Box, words: Any) -> list[Box]:
    """Return the halves of a box along the entry that is the next word."""
    k = int(next(words))
    low, high = box[k]
    middle = 0.5 * (low + high)
    return [(*box[:k], half, *box[k + 1 :]) for half in ((low, middle), (middle, high))]


def matrix(check: Check) -> None:
    """Check what is said of the links of one robot at all joint values within their limits."""
    (model,) = check.models
    need(not model.curved and not any(model.off), "a matrix is of a robot that stands.")
    limits, told = _limits(model), Counter()

    def in_words(box: Box) -> str:
        return "in " + ", ".join(f"{k}: {low:.6g} to {high:.6g}" for k, (low, high) in enumerate(box) if k in limits)

    def cells(boxes: list[Box]) -> Boxes:
        low, high = np.array(boxes).transpose(2, 0, 1)
        return Boxes(check, low, high)

    whole = tuple(limits.get(k, (0.0, 0.0)) for k in range(len(model.off)))
    for said in check.proof["links"]:
        pair, verdict = [str(name) for name in said["links"]], said["verdict"]
        of = [[s for s in range(len(check.shapes)) if check.names[s][0] == name] for name in pair]
        wanted = {(min(both), max(both)) for both in itertools.product(*of)}
        asked = len(set(pair)) == 2 and wanted and all(check.margins[both] < np.inf for both in wanted)
        need(bool(asked), f"{' and '.join(pair)} are no two links that have shapes and are asked about.")
        if verdict == "never":
            _surveyed(check, limits, *next(iter(wanted)))
            for a, b, text in said["trees"]:
                wanted.remove((a, b))
                with words_of(text, " and ".join(pair)) as words:
                    check.apart(check.tree(words, whole, a, b, halves), cells, check.margins, in_words)
            need(not wanted, f"{' and '.join(pair)}: not all of their shapes are said to be apart.")
        elif verdict == "sometimes":
            model.pieces = [[[float(v), float(v)] for v in said["witness"]]]
            check.together([model.joints(Fraction(0), Fraction(1))], said, "at a witness")
            need(tuple(map(int, said["shapes"])) in wanted, f"the witness is not of {' and '.join(pair)}.")
        else:
            raise Refused(f"a pair of links is 'never' or 'sometimes' in contact, not {verdict!r}.")
        told[verdict] += 1
    check.verdict.about.append(", ".join(f"{n} pairs of links {verdict}" for verdict, n in sorted(told.items())))


def _surveyed(check: Check, limits: dict[int, tuple[float, float]], a: int, b: int) -> None:
    """Refuse a pair with a joint between its links that boxes do not cover."""
    frame = check.frame(a, b)
    for model, link in (check.shapes[s][:2] for s in (a, b)):
        for own in (check.models[model].links[i] for i in check.chain(model, link, frame)):
            known = own.kind == "fixed" or (own.kind in MIMICS and own.entry in limits)
            need(known, f"the joint above {own.name} is neither revolute nor prismatic, or has no limits.")


def _limits(model: Any) -> dict[int, tuple[float, float]]:
    """Return from where to where each entry of a configuration goes: its joint's limits, at most more than a turn.

    A turn is all there is if whatever follows the entry comes around in one.
    """
    ends: dict[int, tuple[float, float]] = {}
    for entry in {link.entry for link in model.links if link.kind in MIMICS}:
        driven = [link for link in model.links if link.kind in MIMICS and link.entry == entry]
        limits = [link.limits for link in driven if link.limits is not None]
        around = all(link.kind != "prismatic" and float(link.mimic[0]).is_integer() for link in driven)
        if limits:
            low, high = limits[0]
            ends[entry] = low, min(high, low + 2.0 * TURN) if around else high
        elif around:
            ends[entry] = -TURN, TURN
    return ends

"""One story: every question about one motion, asked of scenes of round numbers, and no two answers that contradict.

Stories (`stories_drawn`) are tiny scenes of exact quarter, half and whole turns, zeros, touching, coinciding and
contained shapes, every joint kind, bodies, screws, paths, cloths and margins; three in ten mixed with random numbers.
One in ten is a cloth that folds onto itself (`stories_folds`).
Asked of each:

    first_contact and is_free, of both engines and on both back ends     contact_intervals      audit
    contacts: the screen, exact, by pair and by triangle                 safe_step              distance
    with a cap of two steps, and with a wider margin
    the motion reversed, cut in two, seen from a frame turned by 90 degrees, its models in another order,
    a body retold as a robot's link and as a cloth; all of it on a clock, on cubics and quintics, and in a tube
    (`stories_clock`)

What must hold, and why the promises (README, "What is promised") imply it:

- Every answer claims something about the distance D(t) (`stories_claims`: promises 1 to 3), whichever question, engine,
  back end, order or frame it was: D does not depend on them, the arc being decided when the motion is made (5). The
  reverse is the motion at 1 - t and a cut one its two parts; their configurations are rounded, which moves points by
  less than the slack. `stories_truth` measures D, by kinematics and geometry of its own, at 17 times, at every time
  that an answer names, and between them. A claim that it refutes is a contradiction.
- `safe_step` is min(time, 1), bit by bit, by its definition.
- Asked again after all other questions, in another thread, of a pickled scene, of one built anew and of one with
  charts, `first_contact` is the same bit by bit (4); scaled by 2^k, its times are (the table there).
- A list that says it is complete holds the first contact of what was apart at t = 0 (6). Lists by pair and by triangle
  hold what touches at the start too, which `first_contact` calls INITIAL_CONTACT.

A difference within the tolerance is none: a yes where another says no, with D between m and m + tolerance, is counted
as `band`. `replay("stories:1:23")` tells one story again by its name; what follows says who was contradicted.

    python -m tocsin_bench stories --count 100000 --seed 1 --jobs 2
"""

from __future__ import annotations

import argparse
import functools
import itertools
import sys
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Any

import numpy as np

import tocsin
from tocsin_bench import report
from tocsin_bench.campaigns import stories_tellers as tellers
from tocsin_bench.campaigns.stories_claims import Claims
from tocsin_bench.campaigns.stories_drawn import random_story
from tocsin_bench.campaigns.stories_scenes import told
from tocsin_bench.campaigns.stories_tellers import Tale
from tocsin_bench.campaigns.stories_truth import Truth

DESCRIPTION = "One story: every question about one motion of round numbers, and no two answers that contradict."

GRID = np.arange(17) / 16.0
"""Where D is always measured: dyadic, so that the lattice stays one."""

CHUNK = 50
"""Stories that a process takes at once."""


def tell(seed: int, index: int) -> tuple[Tale, list[tuple[str, str]]]:
    """Tell one story to everybody, and return it with (who, a sentence) of each contradiction."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tocsin.MeshWarning)
        warnings.simplefilter("ignore", tocsin.UnitWarning)
        return _tell(seed, index)


def _tell(seed: int, index: int) -> tuple[Tale, list[tuple[str, str]]]:
    story = random_story(seed, index)
    each = told(story)
    asked = {"margin": story.margin, "tolerance": story.tolerance}
    first = each.scene.first_contact(*each.motions, **asked)
    tale = Tale(f"stories:{seed}:{index}", story, each, Claims(story.margin), first)
    tale.claims.hit("first_contact", first)
    asking = [*tellers.ALL, *([] if tale.soft else tellers.OF_LINKS), functools.partial(tellers.ask_again, index=index)]
    for ask in asking:
        try:
            ask(tale)
        except Exception as error:
            name = getattr(ask, "__name__", "ask_again")
            tale.claims.wrong.append((name, f"{type(error).__name__}: {error}"))
    truth = Truth(story, each)
    named = sorted(tale.claims.times())
    between = [(a + b) / 2 for a, b in itertools.pairwise(named) if b - a > 1e-9]
    times = np.unique(np.concatenate([GRID, named, between]))
    pairs, triangles = truth.measure(times.tolist())
    found = tale.claims.contradictions(times, pairs, triangles, truth.slack)
    unique = dict(reversed([(who, said) for who, said in found]))
    return tale, [(who, unique[who]) for who in dict.fromkeys(who for who, _ in found)]


def replay(name: str) -> tuple[Tale, list[tuple[str, str]]]:
    """Tell one story again by its name, `stories:seed:index`; what follows, `:who`, is not needed."""
    _, seed, index = name.split(":")[:3]
    return tell(int(seed), int(index))


@dataclass
class Tally:
    """What a campaign has seen."""

    count: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    """`band`: answers that differ within the tolerance. `order`: other bits with the models in another order."""
    capped: int = 0
    contradictions: list[tuple[str, str]] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Add what another process has seen."""
        self.count += other.count
        self.capped += other.capped
        self.statuses += other.statuses
        self.notes += other.notes
        self.contradictions += other.contradictions


def some(seed: int, indices: range) -> Tally:
    """Tell some stories."""
    tally = Tally()
    for index in indices:
        tale, found = tell(seed, index)
        tally.count += 1
        tally.statuses[tale.first.status.value] += 1
        tally.notes += tale.notes
        tally.capped += tale.claims.capped
        tally.contradictions += [(f"{tale.name}:{who}", said) for who, said in found]
    return tally


def campaign(count: int, seed: int, jobs: int = 1, tick: Any = None) -> Tally:
    """Tell `count` stories by as many processes as `jobs`; `tick` is called now and then."""
    tally = Tally()
    chunks = [range(k, min(k + CHUNK, count)) for k in range(0, count, CHUNK)]
    teller = functools.partial(some, seed)
    if jobs <= 1:
        found: Any = map(teller, chunks)
        return _gather(tally, found, tick)
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        return _gather(tally, pool.map(teller, chunks), tick)


def _gather(tally: Tally, found: Any, tick: Any) -> Tally:
    for part in found:
        tally.add(part)
        if tick is not None:
            tick(tally)
    return tally


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this campaign."""
    parser.add_argument("--count", type=int, default=100_000, help="stories (default 100,000)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the stories (default 1)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default 1)")


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Tell the stories, print contradictions by the names that replay them, and leave with an error if there are."""
    from rich.progress import TimeRemainingColumn

    with report.bar(TimeRemainingColumn()) as progress:
        task = progress.add_task("0 contradictions", total=args.count)

        def tick(tally: Tally) -> None:
            text = f"{len(tally.contradictions)} contradictions"
            progress.update(task, completed=tally.count, description=text)

        tally = campaign(args.count, args.seed, args.jobs, tick)
    for name, said in tally.contradictions[:100]:
        report.console.print(f"{name}: {said}", highlight=False)
    report.table(
        f"{tally.count:,} stories of round numbers",
        ["free", "contact", "at the start", "capped", "in the band", "other order, other bits", "contradictions"],
        [[tally.statuses["free"], tally.statuses["contact"], tally.statuses["initial contact"], tally.capped,
          tally.notes["band"], tally.notes["order"], len(tally.contradictions)]],
    )  # fmt: skip
    if tally.contradictions:
        sys.exit(f"{len(tally.contradictions)} answers contradict another, or what is measured")
    return {"count": tally.count, **tally.statuses, **tally.notes, "capped": tally.capped, "contradictions": 0}

"""A benchmark as a race: one scene, one list of questions, and contestants that answer the same questions in one run.

Contestants take turns (`report.rounds`), so that ratios within a run do not depend on what else the machine does. An
answer is turned into a time of contact outside the clock: infinite if the contestant calls the motion free, NaN if it
says that there is a contact but not when. Answers are judged against those of the contestant named `truth`, which must
be one that proves: a peer has *missed* a contact if it calls free a motion on which `confirm`, independent of all
contestants, finds an overlap after the true time; without an overlap the shapes only *grazed*, within the tolerance. A
peer is *late* if its time is later than the true one by `LATE`, and an *alarm* is a contact on a motion that is proven
free.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from tocsin.results import FirstContact
from tocsin_bench import report
from tocsin_bench.data import Missing
from tocsin_bench.scenes.cases import Case

COUNTS = ("pairs_total", "pairs_spatial", "pairs_temporal", "steps", "node_tests", "hull_tests", "leaf_tests")
"""The counts of an answer that do not depend on the machine (`hit.stats`)."""

LATE = 1e-4
"""By so much of the motion a time may be later than ours without being late: ours is early by its tolerance."""
FEWEST_PAIRS = 5
"""With fewer pairs there is nothing to cull."""

GROUPS = {
    "robots": "Robots: a planner's edges",
    "rigid": "Rigid bodies",
    "deformable": "Deformable meshes",
    "papers": "Scenes of the papers",
    "engine": "The engine itself",
    "campaign": "Campaigns: do the promises hold?",
}
"""What kinds of benchmarks there are, in the order of reports."""


def time_of(answer: Any) -> float:
    """The time in an answer: of a `FirstContact`, of True for free, or a number as it is."""
    if isinstance(answer, FirstContact):
        return answer.time if answer.collides else math.inf
    if isinstance(answer, bool | np.bool_):
        return math.inf if answer else math.nan
    return float(answer)


@dataclass(frozen=True)
class Contestant:
    """Who answers: a name, a way through the questions, and what its answers are worth."""

    name: str
    run: report.Runner
    ours: bool = False
    proves: bool = False
    """Does it say something about the whole motion, and not of samples of it?"""
    against: str = ""
    """Of a peer: which of ours answers the same question, and is compared with it."""
    note: str = ""
    """What a reader should know about it."""


@dataclass(frozen=True)
class Paper:
    """What a paper reports for the same kind of scene, on the machine of its time; seconds, and pairs of links.

    The figures are those of the first contestant; `others` has some for other contestants, by name and statistic.
    """

    source: str
    """Which of its tables (`results.papers`)."""
    mean: float = math.nan
    free: float = math.nan
    contact: float = math.nan
    worst: float = math.nan
    pairs: tuple[float, float, float] | None = None
    """Before culling, after spatial and after temporal culling."""
    others: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class Race:
    """Everything prepared that can be prepared before the clock starts."""

    contestants: Sequence[Contestant]
    n_questions: int
    repeats: int
    truth: str
    confirm: Callable[[int, float], bool] | None = None
    """Do the shapes overlap on this motion, at some moment after this time?"""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What the scene is made of: triangles, links."""
    skipped: Mapping[str, str] = field(default_factory=dict)
    """Contestant -> why it does not take part."""
    paper: Paper | None = None
    picture: Callable[[str], None] | None = None
    """Draws the scene into a PNG file."""


@dataclass(frozen=True)
class Benchmark:
    """An entry of `tocsin bench`: `make` prepares its race, given how many questions, how many repeats and a seed."""

    name: str
    description: str
    question: str
    group: str
    make: Callable[[int, int, int], Race]
    questions: int = 200
    repeats: int = 5

    def run(self, questions: int | None, repeats: int | None, seed: int, folder: Path | None) -> dict[str, Any]:
        """Prepare and run the race, and return its record; a picture of the scene goes into the folder."""
        race = self.make(questions or self.questions, repeats or self.repeats, seed)
        record = self.record(race)
        if race.picture is not None and folder is not None:
            record["pictures"] = [f"{self.name}.png"]
            race.picture(str(folder / record["pictures"][0]))
        return record

    def record(self, race: Race) -> dict[str, Any]:
        """Run a race that was prepared."""
        about = {"benchmark": self.name, "description": self.description, "question": self.question}
        return {**about, "group": self.group, **run(race, self.name)}


_only: ContextVar[Collection[str] | None] = ContextVar("only", default=None)


@contextmanager
def only(peers: Collection[str]) -> Iterator[None]:
    """Meanwhile races are run by ours and by these contestants alone; other peers are not even prepared."""
    token = _only.set(peers)
    try:
        yield
    finally:
        _only.reset(token)


def available(name: str, skipped: dict[str, str], make: Callable[[], Any]) -> Any:
    """What a peer's maker returns; None, with a note in `skipped`, where its package is not installed or not wanted."""
    wanted = _only.get()
    if wanted is not None and not any(re.split(r"\W", peer)[0] in name for peer in wanted):
        skipped[name] = "left out of this run"
        return None
    try:
        return make()
    except ModuleNotFoundError as missing:
        skipped[name] = f"not installed (no module {missing.name}): pip install './benchmarks[peers]'"
    except Missing as missing:
        skipped[name] = str(missing)
    return None


def ours(case: Case, *names: str) -> list[Contestant]:
    """Our own contestants on a case, by name; all of them prove what they say."""
    ask: dict[str, Callable[[int], Any]] = {
        "tocsin first_contact": lambda k: case.scene.first_contact(*case.questions[k]),
        "tocsin is_free": lambda k: case.scene.is_free(*case.questions[k]),
        "tocsin first_contact, contacts read": lambda k: _read(case.scene.first_contact(*case.questions[k])),
        "tocsin move + first_contact": lambda k: case.scene.first_contact(*case.remake(k)),
    }
    return [Contestant(name, report.asking(ask[name]), ours=True, proves=True) for name in names or ask]


def _read(hit: FirstContact) -> FirstContact:
    """The answer, its touching features found."""
    _ = hit.contacts
    return hit


def run(race: Race, label: str) -> dict[str, Any]:
    """Let the contestants take turns, judge them, and return a record of plain numbers."""
    wanted = _only.get()
    contestants = [c for c in race.contestants if c.ours or wanted is None or c.name in wanted]
    runners = {c.name: c.run for c in contestants}
    peers = [c.name for c in contestants if not c.ours]
    done = report.rounds(runners, race.n_questions, race.repeats, label=label, patience=report.PATIENCE, peers=peers)
    true_times = np.array([time_of(answer) for answer in done[race.truth].answers])
    if race.confirm is not None:  # a thousand samples each, and several may have missed the same
        race = replace(race, confirm=lru_cache(maxsize=None)(race.confirm))
    record: dict[str, Any] = {
        "questions": race.n_questions,
        "repeats": race.repeats,
        "facts": dict(race.facts),
        "truth": race.truth,
        "collides": np.isfinite(true_times) | np.isnan(true_times),
        "skipped": dict(race.skipped),
        "contestants": [_judged(race, c, done[c.name], true_times) for c in contestants],
    }
    hits = [answer for answer in done[race.truth].answers if isinstance(answer, FirstContact)]
    if hits:
        record["statuses"] = dict(Counter(hit.status.value for hit in hits))
        record["counts"] = {key: [getattr(hit.stats, key) for hit in hits] for key in COUNTS}
    if race.paper is not None:
        record["paper"] = vars(race.paper)
    return record


def _judged(race: Race, who: Contestant, turns: report.Turns, true_times: np.ndarray) -> dict[str, Any]:
    """One contestant's seconds and what its answers are worth."""
    times = np.array([time_of(answer) for answer in turns.answers])
    true = true_times[: len(times)]
    touches, said_free = ~np.isinf(true), np.isinf(times)
    unseen = np.flatnonzero(touches & said_free)
    confirm = race.confirm
    missed = [int(k) for k in unseen if confirm is None or confirm(int(k), float(true[k]))]
    both = np.flatnonzero(np.isfinite(true) & np.isfinite(times))
    late = times[both] - true[both]
    note = "; ".join(text for text in (who.note, turns.ended) if text)
    record = {"name": who.name, "ours": who.ours, "proves": who.proves, "against": who.against, "note": note}
    # In a record: nothing for free, -1 for a contact at a time that is not said.
    record |= {"seconds": turns.seconds, "times": np.where(np.isnan(times), -1.0, times)}
    if who.name != race.truth:
        record |= {
            "missed": len(missed),
            "grazed": len(unseen) - len(missed),
            "alarms": int(np.sum(~touches & ~said_free)),
            "late": int(np.sum(late > LATE)),
            "lateness": float(late.max(initial=0.0)),
            "timed": len(both),
        }
    return record


def spread(seconds: Any, collides: Any) -> dict[str, float]:
    """Mean, median, 99th percentile and worst of a contestant's seconds, and the means of free and of contact."""
    taken = np.asarray(seconds, dtype=np.float64)
    touch = np.asarray(collides, dtype=bool)[: len(taken)]
    if not len(taken):
        return dict.fromkeys(("mean", "median", "p99", "worst", "free", "contact"), math.nan)
    return {
        "mean": float(taken.mean()),
        "median": float(np.median(taken)),
        "p99": float(np.percentile(taken, 99.0)),
        "worst": float(taken.max()),
        "free": report.mean(taken[~touch]),
        "contact": report.mean(taken[touch]),
    }


def ratios(record: Mapping[str, Any], peer: Mapping[str, Any]) -> dict[str, float]:
    """How many times as long a peer takes as the one of ours that answers the same question, on the same questions."""
    rival = next((c for c in record["contestants"] if c["name"] == peer["against"]), None)
    if rival is None:
        return {}
    n = min(len(peer["seconds"]), len(rival["seconds"]))
    theirs, own = (spread(c["seconds"][:n], record["collides"]) for c in (peer, rival))
    return {key: theirs[key] / own[key] for key in theirs if math.isfinite(theirs[key]) and own[key] > 0.0}


def culling(record: Mapping[str, Any]) -> dict[str, float] | None:
    """Pairs of links before and after each cull, mean over the questions, with the rates of [CATCH table 2]."""
    if "counts" not in record:
        return None
    before, spatial, temporal = (float(np.mean(record["counts"][key])) for key in COUNTS[:3])
    if before < FEWEST_PAIRS or record["group"] == "deformable":  # its pairs are of features and of boxes
        return None
    return culling_rates(before, spatial, temporal)


def culling_rates(before: float, spatial: float, temporal: float) -> dict[str, float]:
    """The columns of [CATCH table 2] from its three counts."""
    return {
        "before": before,
        "spatial": spatial,
        "spatial_rate": 1.0 - spatial / before,
        "temporal": temporal,
        "temporal_rate": 1.0 - temporal / spatial if spatial else 0.0,
    }

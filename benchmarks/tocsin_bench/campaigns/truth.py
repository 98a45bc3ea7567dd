"""Single pairs against truths that others computed: nothing missed, nothing late, nothing beyond the tolerance.

Every vertex-face and edge-edge pair of `sample-queries` (hand-made to be nasty) and every pair that
`scalable-ccd-derived` lists is asked of `tocsin.vertex_face_times` and `tocsin.edge_edge_times`, and pairs that it does
not list too. The recorded truth says which collide; `oracles.feature_pairs`, integers only, confirms it and gives the
first time to 40 digits, which is compared with the recorded digits where there are some. Counted are

- missed: it collides, and the answer is free;
- late: the answer's time is after the true one, compared as fractions;
- false: it does not collide, and the answer is a time. A pair that comes within the tolerance may be answered so;
- beyond: the exact distance at the answer's time is more than the tolerance. Such a time is still one until which
  freedom is proven; the pair is beyond what double precision decides.

The three recorded meshes are then asked as wholes, `Scene.contacts(every="pair")`, and the sets compared with the
recorded truth, in which unlisted pairs are free.

Tight-Inclusion (through ipctk, tolerance 1e-6, no conservative rescaling) answers the same pairs in the same run.
Single calls are timed from Python, pair by pair: the least of several, since the machine may be busy.

    python -m tocsin_bench truth
"""

from __future__ import annotations

import argparse
import math
import sys
import time
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from rich.progress import track

import tocsin
from tocsin_bench import report
from tocsin_bench.data import Missing, data_folder
from tocsin_bench.oracles import feature_gaps as gaps
from tocsin_bench.oracles import feature_pairs as pairs
from tocsin_bench.peers import ipc
from tocsin_bench.scenes import recorded_pairs
from tocsin_bench.scenes.recorded_pairs import Group

DESCRIPTION = "Vertex-face and edge-edge pairs against recorded truths: missed, late, false; Tight-Inclusion beside."

TOLERANCES: dict[str, float | None] = {"default": None, "1e-6": 1e-6, "1e-12": 1e-12}
"""Metres, as users would give them; the default is 1e-4 of the pair's smaller side."""



def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this benchmark."""
    parser.add_argument("--count", type=int, default=None, help="pairs of each group (default: all)")
    parser.add_argument(
        "--unlisted", type=int, default=5000, help="unlisted pairs of each kind and scene (default 5000)"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of what is drawn (default 1)")
    parser.add_argument("--no-ipctk", action="store_true", help="leave Tight-Inclusion out, which takes minutes")


@dataclass
class Tally:
    """What was counted over all pairs of one contestant."""

    pairs: int = 0
    missed: int = 0
    late: int = 0
    false: int = 0
    beyond: int = 0
    early: list[float] = field(default_factory=list)
    """True time less answered time, of all that collide."""
    seconds: list[float] = field(default_factory=list)
    """Of single calls."""

    def add(self, group: Group, times: np.ndarray, truth: list[Any], tolerance: np.ndarray | None) -> None:
        """Count one group; `truth` holds brackets of first times, or None."""
        self.pairs += len(group)
        for k, (given, exact) in enumerate(zip(times.tolist(), truth)):
            if exact is None:
                self.false += math.isfinite(given)
            elif not math.isfinite(given):
                self.missed += 1
            else:
                self.late += Fraction(given) > exact.hi
                self.early.append(float(exact.lo - Fraction(given)))
            if tolerance is not None and math.isfinite(given):
                squared = gaps.exact_squared_distance(group.kind, group.t0[k], group.t1[k], given)
                self.beyond += squared > Fraction(float(tolerance[k])) ** 2


def exact_times(group: Group) -> list[Any]:
    """The exact first time of each pair or None, confirmed by the recorded truth and the recorded digits."""
    out = []
    for k, (t0, t1) in enumerate(zip(group.t0.tolist(), group.t1.tolist())):
        found = pairs.first_contact(group.kind, t0, t1)
        if (found is not None) != group.truth[k]:
            raise RuntimeError(f"query {k} of {group.name} ({group.kind}): the judge contradicts the recorded truth")
        digits = group.digits.get(k)
        if digits is not None and (found is None or abs(Fraction(digits) - found.lo) > Fraction(1, 10**38)):
            raise RuntimeError(f"query {k} of {group.name} ({group.kind}): the judge contradicts the recorded time")
        out.append(found)
    return out


def ask(group: Group, tolerance: float | None) -> np.ndarray:
    """The library's times of all pairs of a group."""
    if group.kind == "vertex-face":
        ends = group.t0[:, 0], group.t1[:, 0], group.t0[:, 1:], group.t1[:, 1:]
        return tocsin.vertex_face_times(*ends, tolerance=tolerance)
    ends = group.t0[:, :2], group.t1[:, :2], group.t0[:, 2:], group.t1[:, 2:]
    return tocsin.edge_edge_times(*ends, tolerance=tolerance)


def default_tolerance(group: Group) -> np.ndarray:
    """The documented default, computed here: 1e-4 of the diagonal of the box of the smaller side, a vertex left out."""
    sides = (group.t0[:, 1:],) if group.kind == "vertex-face" else (group.t0[:, :2], group.t0[:, 2:])
    spans = np.stack([np.linalg.norm(np.ptp(side, axis=1), axis=1) for side in sides])
    spans[spans == 0.0] = np.inf
    least = spans.min(axis=0)
    return 1e-4 * np.where(np.isfinite(least), least, 1.0) * (1.0 + 1e-12)


def single_calls(group: Group) -> list[float]:
    """Return seconds of each pair asked alone at the default tolerance: the least of 3; of the slowest 20, of 33."""
    least = np.full(len(group), np.inf)
    rows = [group.part(np.array([k])) for k in range(len(group))]
    for _ in range(3):
        for k, row in enumerate(rows):
            least[k] = min(least[k], _seconds(row))
    for k in np.argsort(least)[-20:]:
        least[k] = min(least[k], *(_seconds(rows[k]) for _ in range(30)))
    return least.tolist()


def _seconds(row: Group) -> float:
    start = time.perf_counter()
    ask(row, None)
    return time.perf_counter() - start


def tight_inclusion(group: Group) -> tuple[np.ndarray, list[float]]:
    """Tight-Inclusion's times, inf where free, and the seconds of each call."""
    answer = ipc.ask_pair(ipc.narrow("inclusion", exact=True), group.kind)
    times, seconds = np.full(len(group), np.inf), []
    for k, (t0, t1) in enumerate(zip(group.t0, group.t1)):
        start = time.perf_counter()
        collides, when = answer(*t0, *t1)
        seconds.append(time.perf_counter() - start)
        if collides:
            times[k] = when
    return times, seconds


@dataclass(frozen=True)
class Whole:
    """A recorded mesh asked as a whole: how its touching pairs compare with the recorded ones."""

    name: str
    recorded: int
    missed: int
    more: int
    first: float
    """The first time of all pairs."""


def whole(mesh: recorded_pairs.Recorded, tolerance: float = 1e-12) -> Whole:
    """Compare the set of touching pairs of a whole mesh with the recorded truth."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tocsin.MeshWarning)  # some of its vertices coincide
        soft = tocsin.Deformable(mesh.vertices_t0, mesh.faces, name=mesh.name)
    found: Any = tocsin.Scene(soft).contacts(soft.move(mesh.vertices_t0, mesh.vertices_t1), tolerance=tolerance)
    ends = np.sort(mesh.edges, axis=1)
    expected, seen = set(), set()
    for group, pairs_of in zip(mesh.groups, mesh.listed.values()):
        rows = pairs_of[group.truth]
        if group.kind == "vertex-face":
            expected |= {(int(v), int(f)) for v, f in rows}
        else:
            expected |= {_two_edges(ends[a], ends[b]) for a, b in rows}
    seen |= {(int(v), int(f)) for v, f in found.vertex_face}
    seen |= {_two_edges(soft.edges[a], soft.edges[b]) for a, b in found.edge_edge}
    meets = np.isin(found.kind, [found.kinds.index(kind) for kind in ("vertex-face", "face-vertex", "edge-edge")])
    first = float(found.times[meets].min(initial=math.inf))  # what crosses at the start is not among what is recorded
    return Whole(mesh.name, len(expected), len(expected - seen), len(seen - expected), first)


def _two_edges(a: np.ndarray, b: np.ndarray) -> tuple[tuple[int, ...], tuple[int, ...]]:
    low, high = sorted((tuple(map(int, a)), tuple(map(int, b))))
    return low, high


def groups(args: argparse.Namespace) -> Iterator[tuple[str, Group]]:
    """All groups with the name of the set they belong to."""
    data = data_folder()
    rng = np.random.default_rng(args.seed)

    def part(group: Group) -> Group:
        if args.count is None or len(group) <= args.count:
            return group
        return group.part(np.sort(rng.permutation(len(group))[: args.count]))

    for group in recorded_pairs.sample_queries(data / "sample-queries"):
        yield "sample-queries", part(group)
    for name in recorded_pairs.DERIVED:
        recorded = recorded_pairs.derived(data / "scalable-ccd-derived", name)
        for group in recorded.groups:
            yield name, part(group)
        if args.unlisted:
            for group in recorded_pairs.unlisted(recorded, args.unlisted, args.seed):
                yield f"{name}, unlisted", group


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Ask everything, print the tables, and end with a status other than 0 if a promise was broken."""
    data = data_folder()
    for part in ("sample-queries", "scalable-ccd-derived"):
        if not (data / part).exists():
            raise Missing(f"{part} is not in {str(data)!r}; set TOCSIN_DATA to the folder of recorded data.")
    with_peer = not args.no_ipctk and ipc.available()
    contestants = [f"tocsin, {name}" for name in TOLERANCES] + ["Tight-Inclusion"] * with_peer
    tallies: dict[str, dict[str, Tally]] = {}
    for where, group in _progress(groups(args)):
        truth = exact_times(group)
        kept = tallies.setdefault(where, {name: Tally() for name in contestants})
        for name, tolerance in TOLERANCES.items():
            ask(group.part(np.arange(min(1, len(group)))), tolerance)
            allowed = default_tolerance(group) if tolerance is None else np.full(len(group), tolerance)
            kept[f"tocsin, {name}"].add(group, ask(group, tolerance), truth, allowed)
        kept["tocsin, default"].seconds += single_calls(group)
        if with_peer:
            times, seconds = tight_inclusion(group)
            kept["Tight-Inclusion"].add(group, times, truth, None)
            kept["Tight-Inclusion"].seconds += seconds
    total = {name: _sum(kept[name] for kept in tallies.values()) for name in contestants}
    for where, kept in [*tallies.items(), ("all", total)]:
        _print(where, kept)
    wholes = [whole(recorded_pairs.derived(data / "scalable-ccd-derived", name)) for name in recorded_pairs.DERIVED]
    report.table(
        "Whole meshes: every touching pair, tolerance 1e-12",
        ["", "recorded", "missed", "more than recorded", "first time"],
        [[w.name, f"{w.recorded:,}", w.missed, w.more, f"{w.first:.16g}"] for w in wholes],
    )
    broken = sum(w.missed for w in wholes) + sum(
        total[f"tocsin, {name}"].missed + total[f"tocsin, {name}"].late for name in TOLERANCES
    )
    if broken:
        sys.exit(f"{broken} answers broke a promise")
    judged = {where: {name: vars(tally) for name, tally in kept.items()} for where, kept in tallies.items()}
    return {**judged, "whole": [vars(w) for w in wholes]}


def _progress(items: Iterable[tuple[str, Group]]) -> Iterable[tuple[str, Group]]:
    return track(
        items, description="judging", console=report.console, transient=True, disable=not report.console.is_terminal
    )


def _sum(tallies: Iterable[Tally]) -> Tally:
    out = Tally()
    for tally in tallies:
        for name in ("pairs", "missed", "late", "false", "beyond"):
            setattr(out, name, getattr(out, name) + getattr(tally, name))
        out.early += tally.early
        out.seconds += tally.seconds
    return out


def _print(where: str, kept: dict[str, Tally]) -> None:
    rows = []
    for name, tally in kept.items():
        early = np.array(tally.early) if tally.early else np.array([math.nan])
        seconds = np.array(tally.seconds) if tally.seconds else np.array([math.nan])
        rows.append(
            [
                name, tally.missed, tally.late, tally.false, tally.beyond if "tocsin" in name else "-",
                *(f"{x:.1e}" for x in (np.median(early), np.quantile(early, 0.99), early.max())),
                report.us(float(np.median(seconds))), report.us(float(seconds.max())),
            ]
        )  # fmt: skip
    first = next(iter(kept.values()))
    report.table(
        f"{where}: {first.pairs:,} pairs, {len(first.early) + first.missed:,} collide",
        ["", "missed", "late", "false", "beyond", "early: median", "99 %", "most", "a call, µs", "worst, µs"],
        rows,
    )

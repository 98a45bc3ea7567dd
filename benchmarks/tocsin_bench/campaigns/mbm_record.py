"""What the campaign on MotionBenchMaker's problems keeps of an edge, and the tables that sum it up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tocsin.results import Status
from tocsin_bench import report


@dataclass
class Record:
    """One edge: what was asked, what was answered, and what FCL says."""

    problem: str
    edge: int
    """0: from start to goal; the others are short."""
    place: str
    status: str
    time: float | None
    tolerance: float
    links: tuple[str, str] | None
    q_t0: list[float]
    q_t1: list[float]
    first_contact_seconds: float
    is_free_seconds: float
    fcl_distance: float | None = None
    """Between `links` at `time`, metres."""
    settled_by_shift: bool = False
    """Is that distance beyond the tolerance, while the links touch when one is shifted by the tolerance?"""
    fcl_samples: int = 0
    """Evenly spaced configurations that FCL has decided."""
    fcl_calls: int = 0
    seen_by_samples: bool | None = None
    """Of a contact: does FCL see an overlap at one of the evenly spaced samples?"""
    seen_by_coarse: bool | None = None
    """And at one of those 0.05 rad apart?"""
    contradictions: list[str] = field(default_factory=list)


def tables(records: list[Record], robots: Sequence[str], samples: int, seconds: float) -> dict[str, dict[str, Any]]:
    """Print what was found, by robot, and return it."""
    columns = {name: [r for r in records if r.problem.startswith(f"{name}/")] for name in robots}
    columns["all"] = records
    summary = {name: _summary(chosen) for name, chosen in columns.items()}
    words = {
        "problems": "problems",
        "edges": "edges",
        "free": "free",
        "contact": "contact",
        "initial contact": "initial contact",
        "capped": "capped",
        "contradictions": "answers contradicted",
        "fcl samples": "samples decided by FCL",
        "fcl calls": "distances that took",
        "largest ratio": "largest distance at contact / tolerance",
        "settled by shift": "  settled by a shift instead (cylinders)",
        "unseen by coarse": "contacts unseen by samples 0.05 rad apart",
        "unseen by samples": f"contacts unseen by {samples:,} samples",
    }
    rows = [
        [text, *(f"{s[key]:,}" if isinstance(s[key], int) else f"{s[key]:.3f}" for s in summary.values())]
        for key, text in words.items()
    ]
    report.table("Answers", ["", *summary], rows, f"{seconds:.0f} s in all")
    timings = [
        [f"{question}, {edge}", *(report.us(x) for x in _spread_of(chosen))]
        for question in ("is_free", "first_contact")
        for edge, chosen in _timing_rows(records, f"{question}_seconds").items()
    ]
    report.table("Microseconds a question", ["", "mean", "median", "95 %", "largest"], timings)
    return summary


def _summary(records: list[Record]) -> dict[str, Any]:
    status = [record.status for record in records]
    ratios = [r.fcl_distance / r.tolerance for r in records if r.fcl_distance is not None and not r.settled_by_shift]
    found: dict[str, Any] = {"problems": len({r.problem for r in records}), "edges": len(records)}
    found |= {kind.value: status.count(kind.value) for kind in Status}
    found |= {
        "contradictions": sum(bool(r.contradictions) for r in records),
        "fcl samples": sum(r.fcl_samples for r in records),
        "fcl calls": sum(r.fcl_calls for r in records),
        "largest ratio": max(ratios, default=math.nan),
        "settled by shift": sum(r.settled_by_shift for r in records),
        "unseen by coarse": sum(r.seen_by_coarse is False for r in records),
        "unseen by samples": sum(r.seen_by_samples is False for r in records),
        "seconds": {
            f"{question} {edge}": _spread_of(chosen)
            for question in ("is_free", "first_contact")
            for edge, chosen in _timing_rows(records, f"{question}_seconds").items()
        },
    }
    return found


def _timing_rows(records: list[Record], key: str) -> dict[str, list[float]]:
    """Return seconds by what was asked and answered."""
    rows = {"straight edges": [getattr(r, key) for r in records if r.edge == 0]}
    rows["short edges"] = [getattr(r, key) for r in records if r.edge > 0]
    for kind in (Status.FREE, Status.CONTACT, Status.INITIAL_CONTACT):
        rows[kind.value] = [getattr(r, key) for r in records if r.status == kind.value]
    rows["all"] = [getattr(r, key) for r in records]
    return rows


def _spread_of(seconds: list[float]) -> list[float]:
    """Return mean, median, 95 % and largest."""
    if not seconds:
        return [math.nan] * 4
    return [float(np.mean(seconds)), *np.percentile(seconds, (50.0, 95.0, 100.0)).tolist()]

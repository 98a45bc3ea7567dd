"""Deforming meshes against themselves, first contact, as races against the IPC toolkit on one thread [LOCAL table I].

The UNC recordings where the recorded data is at hand, and a cloth and flying balls of the same sizes made in code. The
contestants are those of `python -m tocsin_bench cloth`, which measures more: all contact times, threads, scaling. ipctk
stops short of the contact on purpose, so its time is not later than the true one.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from tocsin_bench import report
from tocsin_bench.data import Missing
from tocsin_bench.measures import cloth
from tocsin_bench.peers import ipc
from tocsin_bench.peers.remote import apart
from tocsin_bench.race import Benchmark, Contestant, Paper, Race, available
from tocsin_bench.scenes import soft_pictures

QUESTION = "when does the mesh first touch itself?"
TOLERANCE = 1e-9

SCENES = {
    "cloth-ball": ("cloth-ball", "UNC's recorded cloth on a ball: 92K triangles, two frames.", 1),
    "n-body": ("n-body-simulation", "UNC's recorded flying balls: 146K triangles, two frames.", 1),
    "cloth-made": ("cloth", "A cloth of 92K triangles falls over a ball that turns, made in code.", 8),
    "balls-made": ("balls", "Flying balls of 146K triangles, made in code.", 8),
}
OURS = {
    "tocsin first_contact": "tocsin: first",
    "tocsin first_contact, hierarchy new": "tocsin: first, new",
    "tocsin is_free": "tocsin: is free?",
    "tocsin contacts": "tocsin: all",
}
NOTES = {"tocsin contacts": "every touching pair of features with its time"}
PEERS = {"ipctk additive": "ipctk: first, additive", "ipctk Tight-Inclusion": "ipctk: first, Tight-Inclusion"}


def _race(name: str, count: int, repeats: int, seed: int) -> Race:
    source, _, _ = SCENES[name]
    steps = cloth.NAMES[source](count)
    if steps is None:
        raise Missing("scalable-ccd-derived is not in the folder of recorded data; set TOCSIN_DATA.")
    asks = cloth.ours(steps, 1, TOLERANCE)
    every = asks["tocsin: all"]
    asks["tocsin: all"] = lambda k: float(every(k).times.min(initial=math.inf))
    contestants = [
        Contestant(label, report.asking(asks[key]), ours=True, proves=True, note=NOTES.get(label, ""))
        for label, key in OURS.items()
    ]
    skipped = {}
    contestants += available("ipctk", skipped, partial(_peers, steps)) or []
    paper = None
    if source in cloth.PAPER:
        first, whole = cloth.PAPER[source]
        paper = Paper("2010, Table I", first, others={"tocsin contacts": {"mean": whole}})
    return Race(
        contestants=contestants,
        n_questions=len(steps.ends),
        repeats=repeats,
        truth="tocsin first_contact",
        facts={"triangles": len(steps.faces)},
        skipped=skipped,
        paper=paper,
        picture=soft_pictures.draw_cloth if name.endswith("-made") else partial(_draw, steps),
    )


def _draw(steps: cloth.Steps, path: str) -> None:
    soft_pictures.draw_steps(steps.ends, steps.faces, path)


def _peers(steps: cloth.Steps) -> list[Contestant]:
    if not ipc.available():
        raise Missing("not installed: pip install './benchmarks[peers]'")
    ipc.threads(1)
    asks = cloth.theirs(steps)
    return [
        Contestant(label, apart(report.asking(partial(_time, asks[key]))), proves=True, against="tocsin first_contact")
        for label, key in PEERS.items()
    ]


def _time(ask: Any, k: int) -> float:
    """ipctk's free part of a step as a time; all of it is free."""
    step = ask(k)
    return math.inf if step >= 1.0 else step


BENCHMARKS = tuple(
    Benchmark(name, description, QUESTION, "deformable", partial(_race, name), questions=count, repeats=2)
    for name, (_, description, count) in SCENES.items()
)

"""Collision Course [CATCH 8.1, fig. 11]: trains that tangle and that fall, every frame checked."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tocsin_bench.race import Benchmark, Paper, Race
from tocsin_bench.races import frames
from tocsin_bench.scenes.trains import falling, four, mountain, recorded_terrain

FOUR = Paper("2007, Table 1", 0.535, 0.454, 2.6, 4.3, (179574, 34.5, 3.3))
FALLING = Paper("2007, Table 1", 0.274, 0.259, 0.294, 1.3, (137, 18.2, 11.3))


def _race(make: Callable[[int], Any], paper: Paper, n_frames: int, repeats: int, seed: int) -> Race:
    case, draw = make(n_frames)
    return frames.animated(case, repeats, paper, draw)


BENCHMARKS = (
    Benchmark(
        "trains", "Four trains (10 links, 23K triangles each) run into each other, moved by MuJoCo.", frames.QUESTION,
        "papers", partial(_race, four, FOUR), questions=90, repeats=3,
    ),
    Benchmark(
        "falling", "A train (17 links, 42K triangles) falls on a mountain (29K triangles), moved by MuJoCo.",
        frames.QUESTION, "papers", partial(_race, partial(falling, mountain), FALLING), questions=160, repeats=3,
    ),
    Benchmark(
        "falling-real", "The same train falls on a recorded terrain (33K triangles).", frames.QUESTION, "papers",
        partial(_race, partial(falling, recorded_terrain), FALLING), questions=160, repeats=3,
    ),
)  # fmt: skip

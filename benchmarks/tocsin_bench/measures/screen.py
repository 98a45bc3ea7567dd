"""The run times of [SCREW 9.1] beside ours, and the pictures of [SCREW fig. 13, fig. 14]."""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

from tocsin.compiler.jit import kernel
from tocsin.queries.all_contacts import LEAST, RESOLUTIONS, cast_of, moved, pairs_of, pixel_of, scratch_of
from tocsin.screen.collision_screen import all_contacts
from tocsin_bench import report
from tocsin_bench.results import papers
from tocsin_bench.scenes.screen_scenes import EXAMPLES, PAPER, Example

DESCRIPTION = (
    "All contacts of the screw paper's cubes, cars and tori at three resolutions, beside its run times (section 9.1)."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this benchmark."""
    parser.add_argument(
        "--repeats", type=int, default=15, help="rounds, of which the least and the median count (default 15)"
    )
    parser.add_argument(
        "--screen", metavar="PATH", help="draw the collision screen of the tori, as in fig. 14, into this PNG file"
    )
    parser.add_argument(
        "--tori", metavar="PATH", help="draw the tori at their contacts, as in fig. 13, into this PNG file"
    )


@kernel
def repeated(shapes, pairs, poses, pixel, step, least, scratch, times):
    """Ask the same question several times; return how many contacts there were."""
    n = 0
    for _ in range(times):
        n += all_contacts(shapes, pairs, poses, pixel, step, least, scratch)[0].shape[0]
    return n


def timed(example: Example, resolution: str, repeats: int) -> tuple[float, float, float, int]:
    """Return the least and the median microseconds of the engine, those of a whole call, and how many contacts there
    are.

    The engine by itself is what the times of [SCREW 9.1] are of: asked again and again within compiled code.
    """
    scene, motion = example
    cast = cast_of(scene.context)
    key, poses, _ = moved(scene.context, cast, (motion,))
    pixel, step = pixel_of(resolution)
    question = (cast.shapes, pairs_of(cast, key, poses), poses, pixel, step, LEAST, scratch_of(cast))
    found = len(scene.contacts(motion, resolution=resolution))
    repeated(*question, 1)
    start = time.thread_time()
    repeated(*question, 20)
    times = max(1, int(20 * 0.02 / max(time.thread_time() - start, 1e-5)))
    engine, whole = [], []
    for _ in range(repeats):
        start = time.thread_time()
        repeated(*question, times)
        engine.append((time.thread_time() - start) / times)
        start = time.thread_time()
        for _ in range(times):
            scene.contacts(motion, resolution=resolution)
        whole.append((time.thread_time() - start) / times)
    return 1e6 * min(engine), 1e6 * float(np.median(engine)), 1e6 * float(np.median(whole)), found


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Measure the table and draw the pictures that are asked for."""
    rows, record, cells = [], {}, []
    for name, make in EXAMPLES.items():
        example = make()
        for resolution, paper in zip(RESOLUTIONS, PAPER[name]):
            least, median, whole, found = timed(example, resolution, args.repeats)
            rows.append(
                [
                    f"{name}, {resolution}",
                    f"{paper:.0f}",
                    f"{least:.1f}",
                    f"{median:.1f}",
                    f"{paper / median:.1f}",
                    f"{whole:.1f}",
                    str(found),
                ]
            )
            cells.append(papers.cell("screw paper, 9.1", name, resolution, 1e-6 * paper, 1e-6 * median, judged=True))
            record[f"{name} {resolution}"] = {
                "paper": paper,
                "least": least,
                "median": median,
                "whole": whole,
                "contacts": found,
            }
    report.table(
        "All contacts of a pair, µs",
        ["", "paper, 2.4 GHz Pentium IV", "engine, least", "engine, median", "times faster", "whole call", "contacts"],
        rows,
    )  # fmt: skip
    report.console.print(
        "engine: one question after the other in compiled code, as the paper's; whole call: scene.contacts from "
        "Python. Each contact is polished to full precision.",
        highlight=False,
    )
    from tocsin_bench.scenes import screen_pictures

    for path, draw in ((args.screen, screen_pictures.draw_screen), (args.tori, screen_pictures.draw_tori)):
        if path:
            draw(path)
            report.console.print(f"wrote {path}", highlight=False)
    return {**record, "cells": cells}

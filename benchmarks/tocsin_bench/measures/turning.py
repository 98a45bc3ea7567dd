"""Lists beside a body that turns: every contact of a cloth and hills that turn below it, against its first contact.

A cloth of 2,450 triangles over hills of as many, which turn by one radian, or three: far above them, within a
centimetre, a millimetre or a tenth of it all the time, falling onto them, and through them from the start. Where
nothing touches a list has no more to find than the first contact, and should cost what that does. Processor seconds,
medians; tolerances are the default ones.

    python -m tocsin_bench turning
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

import tocsin
from tocsin_bench import report
from tocsin_bench.scenes import soft_shapes

DESCRIPTION = "A cloth above hills that turn: first contact and every contact, from far away to through each other."

TRIANGLES, HEIGHT = 2_450, 0.05
"""Of either side; metres from the middle to the top of a hill."""

CASES = (
    ("far above, 1 rad", 1.0, 0.2, 0.2),
    ("1 cm above, 1 rad", 1.0, 0.01, 0.01),
    ("1 mm above, 1 rad", 1.0, 0.001, 0.001),
    ("0.1 mm above, 1 rad", 1.0, 0.0001, 0.0001),
    ("1 mm above, 3 rad", 3.0, 0.001, 0.001),
    ("falls onto them, 1 rad", 1.0, 0.15, -0.01),
    ("1 cm into them, 1 rad", 1.0, -0.01, -0.01),
    ("1 cm into them, 3 rad", 3.0, -0.01, -0.01),
)
"""Name, how far the hills turn, and how far above their tops the cloth is at both ends."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this benchmark."""
    parser.add_argument("--repeats", type=int, default=5, help="rounds; times are medians over them (default 5)")


def scenes() -> Iterator[tuple[str, tocsin.Scene, tuple[Any, ...]]]:
    """Yield the name, the scene and the motions of every case."""
    flat, faces = soft_shapes.sheet(TRIANGLES)
    hills = flat.copy()
    hills[:, 2] = HEIGHT * np.sin(5.0 * flat[:, 0]) * np.cos(4.0 * flat[:, 1])
    for name, angle, start, end in CASES:
        body = tocsin.Body((hills, faces), name="hills")
        ends = [flat + [0.0, 0.0, HEIGHT + above] for above in (start, end)]
        cloth = tocsin.Deformable(ends[0], faces=faces, name="cloth")
        goal = np.eye(4)
        goal[:2, :2] = [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]
        yield name, tocsin.Scene(body, cloth, threads=1), (body.move(np.eye(4), goal), cloth.move(*ends))


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Ask all cases, and print how many times the first contact a list takes."""
    rows, results = [], {}
    for name, scene, motions in scenes():

        def first(_: int, scene: Any = scene, motions: Any = motions) -> Any:
            return scene.first_contact(*motions)

        def every(_: int, scene: Any = scene, motions: Any = motions) -> Any:
            return scene.contacts(*motions, every="pair")

        taken = report.take_turns({"first": first, "all": every}, 1, args.repeats, label=name)
        hit, found = first(0), every(0)
        one, many = (float(taken[key][0]) for key in ("first", "all"))
        told = hit.status.value + (f" at {hit.time:.3f}" if hit.time < math.inf else "")
        count = f"{len(found):,}" + ("" if found.complete else " or more")
        rows.append([name, told, report.ms(one), report.ms(many), f"{many / one:.1f}", count])
        results[name] = {"seconds": {"first": one, "all": many}, "contacts": len(found), "complete": found.complete}
    report.table(
        f"A cloth of {TRIANGLES:,} triangles above turning hills of as many, one thread, processor ms",
        ["", "", "first", "all", "times", "contacts"],
        rows,
        "times: how many times as long as the first contact the list takes",
    )
    return results

"""How late is an answer that has a deadline? Long questions, ended in their midst, and then resumed to their end.

A made arm swings to and fro between two free configurations, thousands of times; two rings of 100,000 triangles each
come close until they touch; and 20,000 edges of the arm are asked as a batch, on one thread. Lateness is by the clock
on the wall, so it wants a machine with nothing else to do.
Every answer is compared with that of the question without a deadline: no time may be later than the contact.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import tocsin
from tocsin import Status
from tocsin_bench import report
from tocsin_bench.scenes import shapes
from tocsin_bench.scenes.made_arm import made_cell

DESCRIPTION = "How late, in microseconds, an answer comes that has a deadline; and whether it goes on to the same end."

DEADLINES = (1e-4, 1e-3, 1e-2)

Question = Callable[..., Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this benchmark."""
    parser.add_argument("--count", type=int, default=200, help="questions of each kind and deadline (default 200)")
    parser.add_argument("--triangles", type=int, default=3000, help="of a link of the arm (default 3,000)")


def questions(triangles: int) -> dict[str, Question]:
    """Long questions: of options, each."""
    scene, robot = made_cell(triangles)
    rng = np.random.default_rng(5)
    drawn = rng.uniform(-2.0, 2.0, (20_000, robot.n_config))
    near = drawn + 0.05 * rng.normal(size=drawn.shape)
    k = int(np.flatnonzero(scene.check_edges(robot, drawn[:500], near[:500]))[0])
    swing = robot.follow(np.tile([drawn[k], near[k]], (5000, 1)))
    mesh = tocsin.Mesh(*shapes.torus(100_000))
    a, b = tocsin.Body(mesh, name="a"), tocsin.Body(mesh, name="b")
    rings = tocsin.Scene(a, b)
    turned, end = np.eye(4), np.eye(4)
    turned[:3, :3] = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]
    end[:3, :3] = turned[:3, :3]
    turned[0, 3], end[0, 3] = 1.0, 1.31
    close = a.move(turned, end)
    return {
        "an arm swings": lambda **options: scene.first_contact(swing, **options),
        "two rings": lambda **options: rings.first_contact(close, tolerance=1e-9, **options),
        "a batch": lambda **options: scene.first_contacts(robot, drawn, near, threads=1, **options),
    }


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Ask, with every deadline; exit with an error where an answer contradicts the one without."""
    rows, results, wrong = [], {}, 0
    for name, ask in questions(args.triangles).items():
        ask()
        began = time.perf_counter()
        whole = ask()
        lasts = time.perf_counter() - began
        for deadline in DEADLINES:
            late, capped = [], 0
            for _ in range(args.count):
                began = time.perf_counter()
                hit = ask(deadline=deadline)
                late.append(time.perf_counter() - began - deadline)
                capped += is_capped(hit)
                wrong += int(np.sum(hit.time > whole.time))
            while is_capped(hit):
                hit = hit.resume(deadline=max(10 * deadline, 0.1))
            wrong += int(np.sum(hit.status != whole.status))
            least, middle, high, most = np.quantile(late, (0.0, 0.5, 0.95, 1.0)).tolist()
            cells = [f"{1e6 * value:,.0f}" for value in (least, middle, high, most)]
            rows.append([name, report.ms(lasts), report.ms(deadline), f"{capped} of {args.count}", *cells])
            results[f"{name}, {deadline:g} s"] = {"median": middle, "95 %": high, "most": most, "capped": capped}
    report.table(
        "How late answers come, µs (less than 0: done before)",
        ["question", "whole, ms", "deadline, ms", "capped", "least", "median", "95 %", "most"],
        rows,
    )
    if wrong:
        raise SystemExit(f"{wrong} answers with a deadline contradict those without.")
    return results


def is_capped(hit: Any) -> bool:
    """Was the answer, or one of a batch, ended by its deadline?"""
    return bool(np.any(hit.status == Status.CAPPED))

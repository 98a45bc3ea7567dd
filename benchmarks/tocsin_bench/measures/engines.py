"""Both engines on the walking mannequin, self-contact off, in one run: the comparison of [CATCH fig. 12].

There the method by Taylor models and advancement, which is our default, is held against its predecessor by interval
arithmetic [ARTICULATE 5] and found 15 times faster over all frames and 17 times over those with contact. Here the
predecessor is the engine `method="interval"`, which has its own improvements: Taylor matrices instead of plain interval
ones, mean-value forms, a swept-volume stage that needs no graphics card. Its third stage is therefore also run with
plain interval matrices [ARTICULATE 4.1], and subdivision alone [ARTICULATE 5.2.3]. All answer the same questions with
the same tolerance, and times of contact are compared frame by frame.
"""

import argparse
from typing import Any

import numpy as np

from tocsin_bench import report
from tocsin_bench.measures.arm import SETS, ask
from tocsin_bench.scenes import cases

DESCRIPTION = "The default engine against the interval engine on the walking mannequin: the 2007 paper's Figure 12."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this benchmark."""
    parser.add_argument("--frames", type=int, default=900, help="how many steps, at 30 a second (default 900)")
    parser.add_argument("--repeats", type=int, default=5, help="rounds; the time of a step is their median (default 5)")


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Time both engines on every step and print the means, the ratio and the greatest difference of their times."""
    case = cases.walk(args.frames)
    scene = case.scene
    scene.ignore("mannequin", "mannequin")
    moves = [question[0] for question in case.questions]
    ask_one = {
        "advancement (default)": lambda k: scene.first_contact(moves[k]),
        "interval, stages 1+2+3": lambda k: ask(scene, moves[k], SETS["1+2+3"]),
        "interval, stages 1+3": lambda k: ask(scene, moves[k], SETS["1+3"]),
        "interval, 1+3, plain matrices": lambda k: ask(scene, moves[k], (1, 3, "plain")),
    }
    seconds = report.take_turns(ask_one, len(moves), args.repeats, label="engines")
    first = [scene.first_contact(move) for move in moves]
    second = [ask(scene, move, SETS["1+2+3"]) for move in moves]
    collides = np.array([hit.collides for hit in first])
    during = np.array([hit.status.name == "CONTACT" for hit in first])
    differ = sum(a.status is not b.status for a, b in zip(first, second))
    apart = max([abs(a.time - b.time) for a, b in zip(first, second) if a.collides and b.collides], default=0.0)
    rows = []
    groups = {"all": np.ones_like(collides), "free": ~collides, "contact": collides, "contact after t = 0": during}
    means = {name: [report.mean(taken[which]) for which in groups.values()] for name, taken in seconds.items()}
    default = means["advancement (default)"]
    for name, found in means.items():
        times = [f"{report.us(x)} ({x / d:.1f})" for x, d in zip(found, default)]
        rows.append([name, *times])
    rows.append(["paper: interval over advancement", "(15)", "", "(17)", ""])
    report.table(
        f"Figure 12: µs of processor time a step, mean (times the default engine's), {len(moves)} steps",
        ["engine", *(f"{name} ({int(which.sum())})" for name, which in groups.items())],
        rows,
        f"status differs in {differ} steps; times of contact differ by at most {apart:.2g}",
    )
    return {"seconds": seconds, "collides": collides, "differ": differ, "apart": apart}

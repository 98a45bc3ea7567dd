"""Both engines on long chains: a snake among posts, at several margins.

Taylor matrices and swept volumes know how the turns of many joints cancel; sums of their rates do not, and where the
advancement went by these it was the slower engine from 50 links on. That there is one default stands on this table.
"""

import argparse
from typing import Any

import numpy as np

from tocsin_bench import report
from tocsin_bench.scenes import cases

DESCRIPTION = "Both engines on a snake of 10 to 200 links among posts: is the second one faster at some length?"

LINKS = (10, 20, 50, 100, 200)
MARGINS = (0.0, 0.01, 0.02, 0.03)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this benchmark."""
    parser.add_argument("--count", type=int, default=20, help="steps of each snake (default 20)")
    parser.add_argument("--repeats", type=int, default=3, help="rounds; the time of a step is their median (default 3)")


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Time both engines on every length and margin."""
    rows, results = [], {}
    for links in LINKS:
        case = cases.snake(links, count=args.count)
        for margin in MARGINS:
            asked = {
                method: lambda k, method=method, margin=margin, case=case: case.scene.first_contact(
                    *case.questions[k], margin=margin, method=method
                )
                for method in ("advancement", "interval")
            }
            seconds = report.take_turns(asked, args.count, args.repeats, label=f"{links} links, {margin:g} m")
            hits = [[ask(k) for k in range(args.count)] for ask in asked.values()]
            differ = sum(a.status is not b.status for a, b in zip(*hits))
            contacts = sum(hit.collides for hit in hits[0])
            first, second = (report.mean(taken) for taken in seconds.values())
            cells = [report.us(first), report.us(second), f"{second / first:.2f}", contacts, differ]
            rows.append([links, f"{1e3 * margin:g}", *cells])
            results[f"{links} links, margin {margin:g}"] = {"seconds": seconds, "contacts": contacts, "differ": differ}
    report.table(
        f"Snake among posts, mean µs of first_contact over {args.count} steps",
        ["links", "margin, mm", "advancement", "interval", "ratio", "collide", "status differs"],
        rows,
        'the default is the advancement engine, at every length',
    )
    ratios = [np.mean(r["seconds"]["interval"]) / np.mean(r["seconds"]["advancement"]) for r in results.values()]
    return {"ratios": ratios, **results}

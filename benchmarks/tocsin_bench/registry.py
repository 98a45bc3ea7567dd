"""The benchmarks by name: races (`race.Benchmark`), and commands of `python -m tocsin_bench` with tables of their own.

A race is declared next to its scene, in the `BENCHMARKS` of its module. A command becomes an entry by one line in
`COMMANDS`: its tables are kept in the record, and so are `seconds` by contestant and `cells` of a paper's tables, where
its result has some.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tocsin.errors import unknown_name
from tocsin_bench import guard, report
from tocsin_bench.data import Missing
from tocsin_bench.race import GROUPS, Benchmark
from tocsin_bench.races import deforming, frames, planning, rigid, robots, trains
from tocsin_bench.results import targets

MODULES = (robots, rigid, deforming, frames, planning, trains)
"""Where races are declared."""


class Contradicted(Exception):
    """A campaign has found a broken promise; the sentence says how many."""


Curve = Mapping[str, Any]
"""A plot of a record: title, xlabel, ylabel, x, and lines by label."""


@dataclass(frozen=True)
class Command:
    """A command of `python -m tocsin_bench`, with the arguments that `tocsin bench run` gives it."""

    name: str
    question: str
    group: str
    line: str = ""
    """Its arguments; without them, its own defaults."""
    command: str = ""
    """The command's name, where the benchmark has another."""
    curves: Callable[[Any], list[Curve]] | None = None
    """What to plot of its result."""
    pictures: tuple[tuple[str, str, str], ...] = ()
    """Its options that draw a picture, what to give them, and the file that comes of it."""

    @property
    def description(self) -> str:
        """What it says about itself."""
        return self._parser.description or ""

    @property
    def _parser(self) -> argparse.ArgumentParser:
        return _parsers()[self.command or self.name]

    def run(self, questions: int | None, repeats: int | None, seed: int, folder: Path | None) -> dict[str, Any]:
        """Run it, and return a record with its tables; where it has options like these, they are set."""
        args = self._parser.parse_args(self.line.split())
        wanted = {"count": questions, "frames": questions, "repeats": repeats, "seed": seed}
        for key, value in wanted.items():
            if value is not None and hasattr(args, key):
                setattr(args, key, value)
        if folder is not None:
            for option, given, _ in self.pictures:
                setattr(args, option, str(folder / given))
        about = {"benchmark": self.name, "description": self.description, "question": self.question}
        with report.keeping_tables() as tables:
            try:
                result = args.run(args)
            except SystemExit as left:
                raise Contradicted(str(left.code)) from None
        record = {**about, "group": self.group, "tables": tables, "printed": True}
        drawn = [file for _, _, file in self.pictures if folder is not None and (folder / file).exists()]
        if drawn:
            record["pictures"] = drawn
        kept = result if isinstance(result, Mapping) else {}
        if isinstance(kept.get("seconds"), Mapping):
            record["distributions"] = kept["seconds"]
        if kept.get("cells"):
            record["cells"] = kept["cells"]
        if self.curves is not None:
            record["curves"] = self.curves(result)
        return record


def _parsers() -> Mapping[str, Any]:
    from tocsin_bench.__main__ import commands

    return commands()


def _scaling(result: Mapping[str, Any]) -> list[Curve]:
    triangles, links = result["triangles"], result["links"]
    slopes = triangles["slopes"]
    return [
        {
            "title": "Two tori, random rigid motions", "xlabel": "triangles of each torus", "x": triangles["n"],
            "lines": {f"{key}, slope {slopes[key]:.2f}": triangles[key] for key in ("contact", "all", "free")},
        },
        {
            "title": "A snake between posts, self-contact on", "xlabel": "links", "x": links["n"],
            "lines": {f"query, slope {links['slope']:.2f}": links["all"]},
        },
    ]  # fmt: skip


COMMANDS = (
    Command("scaling", "how does the time grow with triangles and with links?", "engine", curves=_scaling),
    Command("bodies", "what do thousands of bodies cost that move at once?", "rigid"),
    Command("batch", "what do batches of edges save, and what do threads add?", "engine"),
    Command("example-robots", "is the whole edge free, of robots that nobody tuned for?", "robots", "--count 60"),
    Command(
        "plans",
        "how many plans that are said to be valid collide?",
        "campaign",
        "--count 70",
        pictures=(("picture", "plans.png", "plans.png"),),
    ),
    Command("cluster", "do Ray's workers answer as threads do, with one killed?", "campaign", "--count 100000"),
    Command("deadlines", "how late is an answer that has a deadline?", "engine"),
    Command("overhead", "what is left when there is nothing to do?", "engine"),
    Command("large", "what does the first question about a large mesh cost?", "engine"),
    Command("backends", "a tree of boxes, or a tree of hulls?", "engine"),
    Command(
        "arm",
        "what does each stage of the interval engine cost and leave?",
        "papers",
        pictures=(("picture", "arm", "arm-pipes.png"), ("picture", "arm", "arm-room.png")),
    ),
    Command(
        "arm-real",
        "the same with a recorded Puma 560: what does each stage cost?",
        "papers",
        "--puma",
        "arm",
        pictures=(("picture", "puma", "puma-pipes.png"), ("picture", "puma", "puma-room.png")),
    ),
    Command(
        "screen",
        "all contacts of the screw paper's cubes, cars and tori: how fast, at which resolution?",
        "papers",
        pictures=(("tori", "screw-tori.png", "screw-tori.png"), ("screen", "screen.png", "screen.png")),
    ),
    Command("ablation-taylor", "what are Taylor models worth, against interval arithmetic?", "engine"),
    Command("ablation-temporal", "what is temporal culling worth?", "engine"),
    Command("ablation-hulls", "what are hulls first worth?", "engine"),
    Command("ablation-bound", "what is our motion bound worth, against equation 10?", "engine"),
    Command("swept", "what do swept volumes leave, against boxes?", "engine"),
    Command("agreement", "do the two engines contradict each other?", "campaign", "--count 2000"),
    Command("stories", "do two answers about one motion contradict each other?", "campaign", "--count 1000"),
    Command("museum", "who is wrong on inputs that are known to be hard?", "campaign"),
    Command("enclosures", "does exact motion leave an enclosure of the interval engine?", "campaign", "--count 100000"),
    Command("exact", "is the list of all contacts that of brute force?", "campaign", "--count 100"),
    Command("first-of-all", "is the first of all contacts the first contact?", "campaign", "--count 2000"),
    Command("intervals", "does python-fcl see a contact outside of all intervals?", "campaign", "--count 2"),
    Command("properness", "is a contact proper where it is said to be?", "campaign"),
    Command("bounds", "do the bounds hold, and how tight are they?", "campaign", "--count 200000"),
    Command("planted", "is every planted contact found, in time?", "campaign", "--rigid 5000 --articulated 1000"),
    Command("splines", "is every contact that is planted on a spline found, in time?", "campaign", "--count 1000"),
    Command("curves", "do the bounds of joints on curves hold?", "campaign", "--count 500"),
    Command("tubes", "does a motion inside a tube that is proven free touch?", "campaign", "--count 200"),
    Command("executed", "what does the controller drive, and does a judge agree?", "campaign"),
    Command("curved", "what do curves cost, a long plan, and four arms?", "engine"),
    Command("mbm", "does python-fcl contradict an answer?", "campaign", "--problems 70"),
    Command("truth", "do recorded exact truths contradict an answer?", "campaign"),
    Command("brute", "do all pairs in exact arithmetic contradict an answer?", "campaign", "--count 50"),
    Command("partners", "do samples of true rotations contradict an answer?", "campaign", "--count 30"),
    Command("slowest", "how long can a single vertex-face or edge-edge query take?", "deformable"),
    Command("cloth", "how long do first contact and all times take, beside ipctk?", "deformable"),
    Command(
        "organs",
        "is a step of a deforming plan free, and if not, when is contact?",
        "papers",
        pictures=(("picture", "organs.png", "organs.png"),),
    ),
    Command("turning", "how long does a list take beside a body that turns?", "deformable"),
    Command("caches", "is every damaged cache noticed, and nothing else?", "campaign", "--count 500 --kills 100"),
    Command("mutate", "is every damaged file read or refused in a sentence?", "campaign", "--count 500"),
    Command(
        "proofs",
        "is every proof accepted, and every changed one refused?",
        "campaign",
        "--edges 200 --bodies 100 --chains 10 --changed 500",
    ),
    Command("forged", "is a lie ever accepted by the checker of proofs?", "campaign", "--count 500"),
    Command("doors", "is all that users hand in answered or refused in a sentence?", "campaign", "--count 500"),
)


def races() -> list[Benchmark]:
    """Every race."""
    return [entry for module in MODULES for entry in module.BENCHMARKS]


def entries() -> dict[str, Benchmark | Command]:
    """Every benchmark by name."""
    return {entry.name: entry for entry in [*races(), *COMMANDS]}


SUITES = {
    "quick": guard.DESCRIPTION,
    "targets": "The table of what is to be reached: all that it needs, with few repeats, in some ten minutes.",
    "all": "Every race, one after the other; campaigns are run by their names.",
}
"""Names that stand for several."""


def grouped() -> dict[str, list[Benchmark | Command]]:
    """The benchmarks by the titles of their groups."""
    groups = {title: [e for e in entries().values() if e.group == group] for group, title in GROUPS.items()}
    return {title: found for title, found in groups.items() if found}


def chosen(names: list[str]) -> list[Benchmark | Command]:
    """The benchmarks that these names stand for, each once, in order."""
    known = entries()
    found: dict[str, Benchmark | Command] = {}
    for name in names:
        if name == "targets":
            found |= {each: known[each] for each in targets.COUNTS}
        elif name == "all":
            found |= {each: entry for each, entry in known.items() if entry.group != "campaign"}
        elif name in known:
            found[name] = known[name]
        else:
            raise unknown_name("benchmark", name, [*SUITES, *known])
    return [*found.values()]


def attempt(
    entry: Benchmark | Command, questions: int | None, repeats: int | None, seed: int, folder: Path | None
) -> dict[str, Any]:  # fmt: skip
    """The record of a benchmark, its pictures in `folder` if there is one; where something is missing, it says what.

    What goes wrong otherwise is kept too, as broken: a long run goes on with the next.
    """
    broken = False
    try:
        return entry.run(questions, repeats, seed, folder)
    except Missing as missing:
        why = str(missing)
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.split(".")[0] in ("tocsin", "tocsin_bench"):
            raise
        why = f"needs {missing.name}: pip install './benchmarks[peers]'"
    except Contradicted as found:
        why, broken = str(found), True
    except Exception as error:
        report.console.print_exception()
        why, broken = f"{type(error).__name__}: {error}", True
    return {
        "benchmark": entry.name, "description": entry.description, "question": entry.question,
        "group": entry.group, "failed": why, "broken": broken,
    }  # fmt: skip

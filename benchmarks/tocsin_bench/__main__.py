"""`python -m tocsin_bench NAME [options]`: measurements, each by one command; `--help` says what each measures."""

import argparse
import functools
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import numba

from tocsin.errors import TocsinError

try:
    from tocsin_bench import registry, report
    from tocsin_bench.results import tables
except ModuleNotFoundError as missing:
    if missing.name is None or missing.name.split(".")[0] in ("tocsin", "tocsin_bench"):
        raise
    sys.exit(f"tocsin_bench needs {missing.name}; install it with: pip install './benchmarks[peers]'")
from tocsin_bench.data import Missing
from tocsin_bench.race import Benchmark

COMMANDS = {
    "scaling": ("Scaling", "measures.scaling"),
    "batch": ("Batches of edges", "measures.batch"),
    "bodies": ("Many moving bodies", "measures.bodies"),
    "example-robots": ("Robots nobody tuned for", "measures.example_robots"),
    "plans": ("Plans that people trust", "measures.plans"),
    "cluster": ("A file of edges", "measures.cluster"),
    "gpu": ("Edges on a GPU", "measures.gpu"),
    "overhead": ("Overhead", "measures.overhead"),
    "large": ("Large meshes", "measures.large"),
    "deadlines": ("Deadlines", "measures.deadlines"),
    "backends": ("Distance back ends", "measures.backends"),
    "arm": ("An arm among pipes and in a machine room", "measures.arm"),
    "engines": ("Two engines on one walk", "measures.engines"),
    "chains": ("Two engines on long chains", "measures.chains"),
    "swept": ("Swept volumes against an environment", "measures.swept"),
    "screen": ("The collision screen", "measures.screen"),
    "slowest": ("The slowest pairs", "measures.slow_pairs"),
    "cloth": ("Deforming meshes", "measures.cloth"),
    "layers": ("Layers of a hierarchy", "measures.layers"),
    "organs": ("Deformable planning scenes", "measures.organs"),
    "turning": ("Lists beside a body that turns", "measures.turning"),
    "mbm": ("MotionBenchMaker", "campaigns.mbm"),
    "planted": ("Planted contacts", "campaigns.planted"),
    "splines": ("Contacts planted on splines", "campaigns.splines"),
    "stories": ("Every question about one motion", "campaigns.stories"),
    "agreement": ("Agreement of two engines", "campaigns.agreement"),
    "bounds": ("Taylor models, intervals, motion bounds", "campaigns.bounds"),
    "curves": ("Bounds of joints on curves", "campaigns.curves"),
    "tubes": ("Motions inside tubes", "campaigns.tubes"),
    "grasps": ("Programs with grasps", "campaigns.grasps"),
    "executed": ("As it is driven", "measures.executed"),
    "curved": ("What curves cost", "measures.curved"),
    "enclosures": ("Enclosures of the interval engine", "campaigns.enclosures"),
    "properness": ("Properness", "campaigns.properness"),
    "exact": ("All contacts against brute force", "campaigns.exact"),
    "first-of-all": ("The first of all contacts", "campaigns.first_of_all"),
    "intervals": ("Contact intervals against sampling", "campaigns.intervals"),
    "truth": ("Recorded truths", "campaigns.truth"),
    "brute": ("All pairs by exact arithmetic", "campaigns.brute"),
    "partners": ("Turning partners", "campaigns.partners"),
    "pairs": ("The self-collision matrix", "campaigns.pairs"),
    "proofs": ("Proofs and their checker", "campaigns.proofs"),
    "witnesses": ("The self-collision matrix of robots", "campaigns.witnesses"),
    "forged": ("Attacks on the checker", "campaigns.forged"),
    "answers": ("Recorded answers", "campaigns.answers"),
    "doors": ("What users hand in", "campaigns.doors"),
    "caches": ("Damaged caches", "campaigns.caches"),
    "mutate": ("Damaged files", "campaigns.mutate"),
    "memory": ("Memory", "campaigns.memory"),
    "sabotage": ("Sabotage", "campaigns.sabotage"),
    "museum": ("The museum of bugs", "museum"),
}
"""Title and module by name; each module has a DESCRIPTION, `add_arguments(parser)` and `run(args)`."""


def _add_ablations(add: Callable[..., argparse.ArgumentParser]) -> None:
    """Add the engine with one idea taken out."""
    from tocsin_bench.measures import ablations

    for name, (description, run) in ablations.COMMANDS.items():
        ablations.add_arguments(add(name, description, _opened("What an idea is worth", run)))


def _opened(title: str, run: Callable[[argparse.Namespace], Any]) -> Callable[[argparse.Namespace], Any]:
    """`run` after the opening lines with this title."""

    def opened(args: argparse.Namespace) -> Any:
        report.opening(title)
        return run(args)

    return opened


def _race_arguments(parser: argparse.ArgumentParser, race: Benchmark) -> None:
    parser.add_argument(
        "--count", "--frames", type=int, default=race.questions, help=f"questions (default {race.questions})"
    )
    parser.add_argument("--repeats", type=int, default=race.repeats, help=f"rounds (default {race.repeats})")
    parser.add_argument("--seed", type=int, default=1, help="seed of what is random (default 1)")
    parser.add_argument("--picture", metavar="PATH", help="also draw the scene into this PNG file")


def _race(race: Benchmark, args: argparse.Namespace) -> dict[str, Any]:
    report.opening(race.description)
    prepared = race.make(args.count, args.repeats, args.seed)
    if args.picture and prepared.picture is not None:
        prepared.picture(args.picture)
        report.console.print(f"wrote {args.picture}", highlight=False)
    record = race.record(prepared)
    for table in tables.of(record):
        table.show()
    return record


def _parser(only: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of all commands, or of one: then what the others import need not be there."""
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument(
        "--json", metavar="PATH", help="write the machine, the versions and the raw numbers to this file"
    )
    parser = argparse.ArgumentParser(
        prog="python -m tocsin_bench", description="Measure tocsin; everything by one thread."
    )
    commands = parser.add_subparsers(dest="name", metavar="NAME", required=True)
    parser.set_defaults(commands=commands.choices)

    def add(name: str, description: str, run: Callable[[argparse.Namespace], Any]) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=description, description=description, parents=[shared])
        command.set_defaults(run=run)
        return command

    for race in registry.races():
        command = add(race.name, f"{race.description} A race: {race.question}", functools.partial(_race, race))
        _race_arguments(command, race)
    for name in COMMANDS if only is None else [only]:
        title, place = COMMANDS[name]
        module = import_module(f"tocsin_bench.{place}")
        module.add_arguments(add(name, module.DESCRIPTION, _opened(title, module.run)))
    _add_ablations(add)
    quick = "All of them with few questions each, in a few minutes: to see that they run, not to quote."
    add("all-quick", quick, lambda args: _all_quick(parser))
    return parser


def commands() -> Mapping[str, argparse.ArgumentParser]:
    """The parser of every command by its name."""
    return _parser().get_default("commands")


QUICK = (
    "tori --count 40 --repeats 2", "walk --frames 120 --repeats 2", "exercise --frames 120 --repeats 2",
    "scaling --count 10 --repeats 1 --max-triangles 100000 --max-links 50", "overhead --count 2000 --processes 2",
    "backends --count 40 --repeats 1", "bounds --count 5000", "planted --rigid 500 --articulated 100",
    "splines --count 50", "curves --count 50", "tubes --count 20",
    "screen --repeats 3", "properness --count 200", "exact --count 5", "first-of-all --count 100",
    "intervals --count 1 --samples 40",
    "arm --count 6 --repeats 1", "engines --frames 60 --repeats 1", "swept --count 5", "enclosures --count 5000",
    "stories --count 100", "pairs --count 50", "answers --count 20", "museum",
)  # fmt: skip


def _all_quick(parser: argparse.ArgumentParser) -> dict[str, Any]:
    results = {}
    for line in QUICK:
        report.console.print(f"\npython -m tocsin_bench {line}", highlight=False)
        args = parser.parse_args(line.split())
        results[args.name] = args.run(args)
    return results


def main() -> None:
    """Run the benchmark that the command line names."""
    named = sys.argv[1] if len(sys.argv) > 1 else None
    parser = _parser(named if named in COMMANDS else None)
    args = parser.parse_args()
    numba.set_num_threads(1)
    try:
        found = args.run(args)
    except (Missing, TocsinError) as sentence:
        report.console.print(str(sentence), highlight=False)
        sys.exit(2)
    report.save(args.json, {args.name: found})


if __name__ == "__main__":
    main()

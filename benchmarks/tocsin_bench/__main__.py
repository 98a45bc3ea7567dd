"""`python -m tocsin_bench NAME [options]`: measurements, each by one command; `--help` says what each measures."""

import argparse
import functools
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numba

try:
    from tocsin_bench import all_contacts, registry, report
    from tocsin_bench.campaigns import (
        answers,
        caches,
        curves,
        doors,
        mbm,
        memory,
        mutate,
        pairs,
        proofs,
        properness,
        sabotage,
        truth,
        tubes,
    )
    from tocsin_bench.measures import backends, batch, overhead, scaling, screen
    from tocsin_bench.results import tables
except ModuleNotFoundError as missing:
    if missing.name is None or missing.name.split(".")[0] in ("tocsin", "tocsin_bench"):
        raise
    sys.exit(f"tocsin_bench needs {missing.name}; install it with: pip install './benchmarks[peers]'")
from tocsin.errors import TocsinError
from tocsin.options import METHODS
from tocsin_bench.data import Missing
from tocsin_bench.race import Benchmark


def _bounds(args: argparse.Namespace) -> Any:
    from tocsin_bench.campaigns import bounds

    return bounds.main(args.count, args.seed, args.plot)


def _planted(args: argparse.Namespace) -> dict[str, int]:
    from tocsin_bench.campaigns import planted

    broken = planted.main(args.rigid, args.articulated, args.seed, args.method)
    if broken:
        sys.exit(f"{broken} promises were broken")
    return {"rigid": args.rigid, "articulated": args.articulated, "broken": broken}


def _splines(args: argparse.Namespace) -> dict[str, int]:
    from tocsin_bench.campaigns import splines

    broken = splines.main(args.count, args.seed)
    if broken:
        sys.exit(f"{broken} promises were broken")
    return {"count": args.count, "broken": broken}


def _agreement(args: argparse.Namespace) -> dict[str, Any]:
    from tocsin_bench.campaigns import agreement

    return agreement.main(args.count, args.seed)


def _stories(args: argparse.Namespace) -> dict[str, Any]:
    from tocsin_bench.campaigns import stories

    return stories.run(args)


def _museum(args: argparse.Namespace) -> dict[str, Any]:
    from tocsin_bench import museum

    return museum.run(args)


def _add_interval_engine(add: Callable[..., argparse.ArgumentParser]) -> None:
    """Add the commands of the interval engine."""
    from tocsin_bench.campaigns import enclosures
    from tocsin_bench.measures import arm, chains, engines, swept

    arm.add_arguments(add("arm", arm.DESCRIPTION, _opened("An arm among pipes and in a machine room", arm.run)))
    engines.add_arguments(add("engines", engines.DESCRIPTION, _opened("Two engines on one walk", engines.run)))
    title = "Enclosures of the interval engine"
    enclosures.add_arguments(add("enclosures", enclosures.DESCRIPTION, _opened(title, enclosures.run)))
    chains.add_arguments(add("chains", chains.DESCRIPTION, _opened("Two engines on long chains", chains.run)))
    agreement = add(
        "agreement",
        "Do both engines agree: random rigid and articulated questions, no contradiction beyond the tolerances.",
        _opened("Agreement of two engines", _agreement),
    )
    agreement.add_argument("--count", type=int, default=100_000, help="questions (default 100,000)")
    agreement.add_argument("--seed", type=int, default=1, help="seed of the questions (default 1)")
    swept.add_arguments(add("swept", swept.DESCRIPTION, _opened("Swept volumes against an environment", swept.run)))


def _add_deformable(add: Callable[..., argparse.ArgumentParser]) -> None:
    """Add the commands about deformable models."""
    from tocsin_bench.campaigns import brute, partners
    from tocsin_bench.measures import cloth, layers, organs, slow_pairs

    brute.add_arguments(add("brute", brute.DESCRIPTION, _opened("All pairs by exact arithmetic", brute.run)))
    partners.add_arguments(add("partners", partners.DESCRIPTION, _opened("Turning partners", partners.run)))
    slow_pairs.add_arguments(add("slowest", slow_pairs.DESCRIPTION, _opened("The slowest pairs", slow_pairs.run)))
    cloth.add_arguments(add("cloth", cloth.DESCRIPTION, _opened("Deforming meshes", cloth.run)))
    layers.add_arguments(add("layers", layers.DESCRIPTION, _opened("Layers of a hierarchy", layers.run)))
    organs.add_arguments(add("organs", organs.DESCRIPTION, _opened("Deformable planning scenes", organs.run)))


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


def _parser() -> argparse.ArgumentParser:
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
    scaling.add_arguments(add("scaling", scaling.DESCRIPTION, _opened("Scaling", scaling.run)))
    batch.add_arguments(add("batch", batch.DESCRIPTION, _opened("Batches of edges", batch.run)))
    overhead.add_arguments(add("overhead", overhead.DESCRIPTION, _opened("Overhead", overhead.run)))
    backends.add_arguments(add("backends", backends.DESCRIPTION, _opened("Distance back ends", backends.run)))
    mbm.add_arguments(add("mbm", mbm.DESCRIPTION, _opened("MotionBenchMaker", mbm.run)))
    screen.add_arguments(add("screen", screen.DESCRIPTION, _opened("The collision screen", screen.run)))
    properness.add_arguments(add("properness", properness.DESCRIPTION, _opened("Properness", properness.run)))
    truth.add_arguments(add("truth", truth.DESCRIPTION, _opened("Recorded truths", truth.run)))
    caches.add_arguments(add("caches", caches.DESCRIPTION, _opened("Damaged caches", caches.run)))
    mutate.add_arguments(add("mutate", mutate.DESCRIPTION, _opened("Damaged files", mutate.run)))
    doors.add_arguments(add("doors", doors.DESCRIPTION, _opened("What users hand in", doors.run)))
    pairs.add_arguments(add("pairs", pairs.DESCRIPTION, _opened("The self-collision matrix", pairs.run)))
    proofs.add_arguments(add("proofs", proofs.DESCRIPTION, _opened("Proofs and their checker", proofs.run)))

    bounds = add(
        "bounds",
        "Do the bounds hold, and how tight are they: Taylor models and motion bounds against the truth.",
        _bounds,
    )
    bounds.add_argument("--count", type=int, default=1_000_000, help="samples (default a million)")
    bounds.add_argument("--seed", type=int, default=1, help="seed of the samples (default 1)")
    bounds.add_argument("--plot", metavar="PATH", help="draw tightness over the number of links into this PNG file")
    curves.add_arguments(add("curves", curves.DESCRIPTION, _opened("Bounds of joints on curves", curves.run)))
    tubes.add_arguments(add("tubes", tubes.DESCRIPTION, _opened("Motions inside tubes", tubes.run)))
    _add_interval_engine(add)
    all_contacts.add_commands(add, _opened)
    _add_deformable(add)
    _add_ablations(add)
    sabotage.add_arguments(add("sabotage", sabotage.DESCRIPTION, _opened("Sabotage", sabotage.run)))
    answers.add_arguments(add("answers", answers.DESCRIPTION, _opened("Recorded answers", answers.run)))
    memory.add_arguments(add("memory", memory.DESCRIPTION, _opened("Memory", memory.run)))
    planted = add("planted", "No miss, never late: contacts planted by construction, found again.", _planted)
    planted.add_argument("--rigid", type=int, default=100_000, help="rigid motions (default 100,000)")
    planted.add_argument("--articulated", type=int, default=20_000, help="articulated motions (default 20,000)")
    planted.add_argument("--seed", type=int, default=1, help="seed of the motions (default 1)")
    planted.add_argument("--method", default="advancement", choices=METHODS, help="the engine to ask")

    splines = add(
        "splines", "No miss, never late: contacts planted on splines of several robots, by the clock.", _splines
    )
    splines.add_argument("--count", type=int, default=100_000, help="motions (default 100,000)")
    splines.add_argument("--seed", type=int, default=1, help="seed of the motions (default 1)")

    stories = add(
        "stories",
        "One story: every question about one motion of round numbers, and no two answers that contradict.",
        _opened("Every question about one motion", _stories),
    )
    stories.add_argument("--count", type=int, default=100_000, help="stories (default 100,000)")
    stories.add_argument("--seed", type=int, default=1, help="seed of the stories (default 1)")
    stories.add_argument("--jobs", type=int, default=1, help="processes (default 1)")

    museum = add(
        "museum",
        "Inputs on which libraries of this field are wrong, asked of both engines and of the peers that are installed.",
        _opened("The museum of bugs", _museum),
    )
    museum.add_argument("--limit", type=float, default=20.0, help="seconds that a peer has for an answer (default 20)")

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
    parser = _parser()
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

"""No engine reads what is not its own: the same questions under an allocator that forgives nothing, the same bits.

Memory that was let go still holds what was there, until the allocator gives it to somebody else: a use after that is
right nearly always, and wrong or fatal once. So every engine answers the seeded questions of the other campaigns in
processes of their own:

    plain       as always;
    hardened    every block is filled with rubbish when it is made and when it is let go, and blocks of more than 8 kB
                are given back to the system at once, where whoever reads them falls;
    bounds      kernels compiled so that they check every index (with --bounds: that compiles everything once more).

All must end, and print one digest over every bit of every answer.

    python -m tocsin_bench memory --count 100000 --engine interval --jobs 16

With several jobs an engine's questions are dealt to as many processes, each with a seed of its own (the first is the
one that is given), and a few questions come first, so that kernels are compiled once and not by all at the same time.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, is_dataclass
from itertools import islice, product
from pathlib import Path
from typing import Any

import numpy as np

import tocsin
from tocsin.errors import TocsinError, unknown_name
from tocsin.motion.links import BASE_WIDTH
from tocsin_bench import report

DESCRIPTION = "Every engine's seeded questions under an allocator that gives memory back at once: the same bits."

HARDENED = {
    "MALLOC_MMAP_THRESHOLD_": "8192",
    "MALLOC_TRIM_THRESHOLD_": "8192",
    "MALLOC_PERTURB_": "165",
    "PYTHONMALLOC": "malloc",
}
"""For glibc; other libraries of C ignore it, and the run is a plain one."""

BOUNDS = {"NUMBA_BOUNDSCHECK": "1"}

SOUPS = 32
"""One in so many numbers is a soup of some hundred elements, the others are stories without cylinders, which have
thousands of sides: seven milliseconds of a processor each, made and asked; an audit takes eleven."""

FIRST = 60
"""Questions of each engine that come first, where there are several jobs."""

Answer = tuple[str, Callable[[], Any]]
"""A question's name, and what asks it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this campaign."""
    parser.add_argument("--count", type=int, default=200, help="questions of each engine (default 200)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the questions (default 1)")
    parser.add_argument("--engine", action="append", help=f"one of {', '.join(ENGINES)}; again for more (default all)")
    parser.add_argument("--bounds", action="store_true", help="also with every index checked")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time (default 1)")


def _asked_of_links(seed: int) -> Iterator[Any]:
    from tocsin_bench.campaigns import agreement

    return agreement.questions(seed)


def _first(method: str) -> Callable[[int], Iterator[Answer]]:
    def questions(seed: int) -> Iterator[Answer]:
        for question in _asked_of_links(seed):

            def ask(question: Any = question) -> Any:
                hit = question.ask(method)
                return hit.status.value, hit.time, hit.bracket, hit.tolerance, hit.contacts

            yield question.name, ask

    return questions


def _distance(seed: int) -> Iterator[Answer]:
    for question in _asked_of_links(seed):
        yield question.name, lambda question=question: [question.distance(t) for t in (0.0, 0.37, 1.0)]


def _contact_intervals(seed: int) -> Iterator[Answer]:
    for question in _asked_of_links(seed):

        def ask(question: Any = question) -> Any:
            found = question.scene.contact_intervals(*question.motions, margin=question.margin)
            return found.until, list(found)

        yield question.name, ask


def _audit(seed: int) -> Iterator[Answer]:
    for question in _asked_of_links(seed):
        if question.name.startswith("arm"):
            robot, path = question.motions[0].model, question.motions[0].rows[:, BASE_WIDTH:]

            def ask(question: Any = question, robot: Any = robot, path: Any = path) -> Any:
                found = tocsin.audit(question.scene, robot, path, margin=question.margin)
                return [(part, part.contacts, part.exit_contacts) for part in found.stretches]

            yield question.name, ask


def _all_contacts(**options: Any) -> Callable[[int], Iterator[Answer]]:
    def questions(seed: int) -> Iterator[Answer]:
        from tocsin_bench.campaigns import exact

        for pair in exact.random_pairs(sys.maxsize, seed):

            def ask(pair: Any = pair) -> Any:
                scene, motions = exact.scene_of(pair)
                found: Any = scene.contacts(*motions, **options)
                return found.rows, found.complete

            yield pair.name, ask

    return questions


def _deform(seed: int) -> Iterator[Answer]:
    """Soups, cloths, strands and points, drawn once each; and cloths beside bodies or folded, as in stories."""
    from tocsin_bench.campaigns import brute, stories_drawn, stories_scenes

    for number in range(sys.maxsize):

        def soup(number: int = number) -> Any:
            soft = brute.drawn_at(number, np.random.default_rng([seed, 4, number]))
            pairs, through, triangles, hit, free = brute.ask(soft, brute.RELATIVE * soft.size)
            return sorted(pairs.items()), sorted(through), triangles, hit.status.value, hit.time, free

        def tale(story: Any) -> Any:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", tocsin.MeshWarning)
                told = stories_scenes.told(story)
            asked = {"margin": story.margin, "tolerance": story.tolerance}
            hit = told.scene.first_contact(*told.motions, **asked)
            found = told.scene.contacts(*told.motions, every="pair", **asked)
            return hit.status.value, hit.time, hit.contacts, found.times, found.features, found.complete

        if number % SOUPS == 0:
            yield f"soup:{seed}:{number}", soup
            continue
        story = stories_drawn.random_story(seed, number)
        round_ones = any(p.kind == "cylinder" for a in story.actors for x in a.links for p in x.parts)
        if any(actor.kind == "cloth" for actor in story.actors) and not round_ones:
            yield f"stories:{seed}:{number}", lambda story=story: tale(story)


ENGINES: dict[str, Callable[[int], Iterator[Answer]]] = {
    "advancement": _first("advancement"),
    "interval": _first("interval"),
    "deform": _deform,
    "screen": _all_contacts(resolution="high"),
    "exact": _all_contacts(exact=True),
    "intervals": _contact_intervals,
    "distance": _distance,
    "audit": _audit,
}
"""What is asked of each: questions of the campaigns that know the answers, without end."""


def bits(answer: Any) -> bytes:
    """Return every bit of an answer."""
    if isinstance(answer, np.ndarray):
        if answer.dtype.names:
            return b"".join(bits(np.ascontiguousarray(answer[name])) for name in answer.dtype.names)
        return repr((answer.dtype.str, answer.shape)).encode() + np.ascontiguousarray(answer).tobytes()
    if isinstance(answer, float):
        return float(answer).hex().encode()
    if isinstance(answer, tuple | list):
        return b"(" + b",".join(map(bits, answer)) + b")"
    if is_dataclass(answer):
        return bits([getattr(answer, field.name) for field in fields(answer) if field.compare])
    if callable(answer):
        raise TypeError(f"{answer!r} is no part of an answer: it is something else in every process.")
    return repr(answer).encode()


def digest(engine: str, count: int, seed: int, told: Callable[[str], Any] = lambda name: None) -> str:
    """Return a digest over the answers to an engine's first questions; `told` hears the name of each before it."""
    total = hashlib.blake2b(digest_size=8)
    for name, ask in islice(ENGINES[engine](seed), count):
        told(name)
        total.update(name.encode())
        try:
            total.update(bits(ask()))
        except TocsinError as refused:
            total.update(str(refused).encode())
    return total.hexdigest()


def in_a_process(engines: Sequence[str], count: int, seed: int, settings: dict[str, str]) -> str:
    """Return the digests that another process comes to, or how it ended and at which question."""
    with tempfile.TemporaryDirectory() as folder:
        last = Path(folder) / "question"
        command = [sys.executable, "-X", "faulthandler", "-m", "tocsin_bench.campaigns.memory", str(last), str(count)]
        path = os.pathsep.join(filter(None, sys.path))
        environment = {**os.environ, "PYTHONPATH": path, **settings}
        ended = subprocess.run([*command, str(seed), *engines], env=environment, capture_output=True, text=True)
        if ended.returncode == 0:
            return ended.stdout.strip()
        where = last.read_text().strip() if last.exists() else "the start"
        why = (ended.stderr.strip().splitlines() or ["without a word"])[0 if ended.returncode < 0 else -1]
        return f"ended with {ended.returncode} at {where}: {why}"


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Run, print and return the digests; exit with an error if two differ."""
    chosen = args.engine or list(ENGINES)
    for engine in chosen:
        if engine not in ENGINES:
            raise unknown_name("engine", engine, ENGINES)
    ways = {"plain": {}, "hardened": HARDENED, **({"bounds": BOUNDS} if args.bounds else {})}
    seeds = range(args.seed, args.seed + args.jobs)
    each = -(-args.count // args.jobs)
    out: dict[str, Any] = {}
    with ThreadPoolExecutor(args.jobs) as pool:

        def ask(engine: str, way: str, seed: int, count: int = each) -> str:
            return in_a_process([engine], count, seed, ways[way])

        if args.jobs > 1:
            few = min(each, FIRST)
            list(pool.map(lambda one: ask(one[0], one[1], args.seed, few), product(chosen, ways)))
        asked = {(e, w): [pool.submit(ask, e, w, seed) for seed in seeds] for e in chosen for w in ways}
        for engine in chosen:
            found = {way: " ".join(part.result() for part in asked[engine, way]) for way in ways}
            same = len(set(found.values())) == 1 and "ended" not in found["plain"]
            said = found["plain"] if same else "; ".join(f"{way} {text}" for way, text in found.items())
            report.console.print(f"{engine}: {each * args.jobs} questions, {', '.join(ways)}: {said}", highlight=False)
            out[engine] = {**found, "same": same}
    different = [engine for engine in chosen if not out[engine]["same"]]
    if different:
        raise SystemExit(f"{', '.join(different)}: answers differ, or there is none")
    return out


def main() -> None:
    """Print the digests of engines' answers: `memory FILE COUNT SEED ENGINE...`, the file for a question's name."""
    last, count, seed, *engines = sys.argv[1:]
    file = os.open(last, os.O_CREAT | os.O_WRONLY)
    for engine in engines:
        print(digest(engine, int(count), int(seed), lambda name: os.pwrite(file, name.ljust(60).encode(), 0)))


if __name__ == "__main__":
    main()

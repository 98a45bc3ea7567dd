"""Checks that can fail: each of `sabotages.toml` is applied to a copy of the package; which test notices?

A sabotage is *caught* by the first test that fails, or by not ending. One that survives has found a hole in the tests,
or a term that is not needed. The tests asked are those of the folder that the change is in and the seeded campaigns
that `make test` runs, the quick ones first. Each copy is compiled by itself; kernels that the change cannot reach are
shared, because compiled code is kept under the text of all that it can reach. A copy without any change goes first: if
a test fails on that, nothing that it says about the others counts.

Most changes are caught by the test that caught them before. `--known docs/sabotage.md` asks that test first, and only
where it passes all the others: minutes on 16 processors instead of half an hour.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NamedTuple

import tocsin
from tocsin.compiler.disk_cache import KERNELS
from tocsin_bench import report

DESCRIPTION = "Do the tests notice: single changes that make an engine wrong, and which test catches each."

PROMISE = (
    "tests/promise/test_table.py", "tests/promise/test_dips.py", "tests/promise/test_sampled.py",
    "tests/promise/test_planted.py", "benchmarks/tests/campaigns",
)  # fmt: skip

ASKED: Mapping[str, tuple[str, ...]] = {
    "bounds": ("tests/bounds", "tests/broad_phase", "tests/interval/test_enclosures.py", *PROMISE),
    "culling": ("tests/broad_phase", "tests/bounds", "tests/test_scene.py", *PROMISE),
    "charts": (
        "tests/broad_phase/test_charts.py", "tests/advancement/test_surveying.py", "tests/advancement/test_revolved.py",
        "tests/promise",
    ),
    "advancement": (
        "tests/advancement", "tests/geometry/test_bvh4.py", "tests/contacts", "tests/queries/test_contact_intervals.py",
        "tests/geometry", "tests/promise", "benchmarks/tests/campaigns",
    ),
    "interval": ("tests/interval", "benchmarks/tests/campaigns/test_agreement.py", *PROMISE),
    "deform": ("tests/deform", "tests/promise/test_deformable.py", "benchmarks/tests/campaigns"),
    "screen": ("tests/screen", "tests/motion/test_screw.py", "tests/promise", "benchmarks/tests/campaigns"),
    "audit": ("tests/queries/audit", "benchmarks/tests/campaigns"),
    "curves": (
        "tests/motion", "tests/bounds", "tests/model", "benchmarks/tests/campaigns/test_curves.py",
        "benchmarks/tests/campaigns/test_splines.py", "benchmarks/tests/campaigns/test_tubes.py", *PROMISE,
    ),
    "wavefront": ("tests/wavefront", "tests/queries"),
}  # fmt: skip
"""The tests asked about a change, by its area, in order."""

NONE_ASKED = 5
"""What pytest ends with where no test has the mark."""

LIMIT = 1500.0
"""Seconds after which a copy has been caught by not ending."""


class Sabotage(NamedTuple):
    """One change: in `file`, the text `old`, which occurs there once, becomes `new`."""

    area: str
    name: str
    file: str
    old: str
    new: str


def unchanged(area: str) -> Sabotage:
    """Return the change of an area that changes nothing."""
    return Sabotage(area, f"nothing is changed ({area})", "__init__.py", "__version__", "__version__")


def sabotages() -> list[Sabotage]:
    """Return all that are listed."""
    listed = tomllib.loads(Path(__file__).with_name("sabotages.toml").read_text(encoding="utf-8"))
    return [Sabotage(area, **row) for area, rows in listed.items() for row in rows]


class Verdict(NamedTuple):
    """What became of one sabotage."""

    sabotage: Sabotage
    caught_by: str
    """The first test that failed; empty if all passed."""
    seconds: float


def changed(text: str, sabotage: Sabotage) -> str:
    """Return a file's text with the change, whose old text has to occur in it once."""
    if sabotage.old != sabotage.new and text.count(sabotage.old) != 1:
        raise ValueError(
            f"'{sabotage.name}': {sabotage.file} has its text {text.count(sabotage.old)} times, not once; "
            "the list in sabotages.toml has to follow the code."
        )
    return text.replace(sabotage.old, sabotage.new)


def known_tests(page: Path, checkout: Path) -> dict[str, str]:
    """Return which test caught a change the last time, by the change's name, from a page with the table of that run."""
    row = r"^\| (.+?) \| `[^`]+` \| `([^`]+)`, `([^`]+)` \|$"
    rows = re.findall(row, page.read_text(encoding="utf-8"), re.MULTILINE)
    return {
        name: f"{folder}/{file}::{test}"
        for name, file, test in rows
        for folder in ("tests", "benchmarks/tests")
        if (checkout / folder / file).exists()
    }


def ask(sabotage: Sabotage, checkout: Path, folder: Path, asked: Iterable[str] = ()) -> Verdict:
    """Return which test catches a sabotage: those `asked`, or else all of its area, with a copy of the package."""
    start = time.perf_counter()
    place = Path(tempfile.mkdtemp(dir=folder))
    try:
        package = place / "src" / "tocsin"
        shutil.copytree(checkout / "src" / "tocsin", package, ignore=shutil.ignore_patterns("__pycache__"))
        file = package / sabotage.file
        file.write_text(changed(file.read_text(encoding="utf-8"), sabotage), encoding="utf-8")
        caught = _first_failure(place, checkout, asked or ASKED[sabotage.area])
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return Verdict(sabotage, caught, time.perf_counter() - start)


def _first_failure(place: Path, checkout: Path, asked: Iterable[str]) -> str:
    """Return the first test that fails on the package in a folder: as plain Python first, which needs no compiling."""
    asked = [name for name in dict.fromkeys(asked) if (checkout / name.partition("::")[0]).exists()]
    return _failure(place, checkout, asked, "pure", "1") or _failure(place, checkout, asked, "not slow", "0")


def _failure(place: Path, checkout: Path, asked: list[str], marked: str, disable_jit: str) -> str:
    """Run the tests with a mark; return the first that fails, in words if none has a name."""
    path = os.pathsep.join([str(place / "src"), str(checkout / "benchmarks")])
    environment = {
        **os.environ, "PYTHONPATH": path, "TOCSIN_CACHE": str(place.parent / "cache"),
        "NUMBA_DISABLE_JIT": disable_jit,
    }  # fmt: skip
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-m", marked, "-p", "no:cacheprovider", "--tb=line", *asked]
    try:
        run = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return "it does not end"
    if run.returncode in (0, NONE_ASKED):
        return ""
    named = re.search(r"^(?:FAILED|ERROR) (\S+::\S+)", run.stdout, re.MULTILINE)
    if named:
        return named.group(1)
    if run.returncode < 0:
        return f"signal {-run.returncode}"
    raise RuntimeError(f"pytest ended with {run.returncode}: {run.stdout[-2000:]}{run.stderr[-2000:]}")


def campaign(sabotages: Iterable[Sabotage], checkout: Path, jobs: int, known: Mapping[str, str]) -> list[Verdict]:
    """Ask about all of them, so many at a time; each is printed as it is known. `known`: which test to ask first."""
    sabotages = list(sabotages)
    with tempfile.TemporaryDirectory() as place, ThreadPoolExecutor(jobs) as pool:
        folder = Path(place)
        (folder / "cache").mkdir(mode=0o700)
        compiled = KERNELS.place()
        if compiled is not None and compiled.is_dir():  # what is compiled here already need not be again
            shutil.copytree(compiled, folder / "cache" / compiled.name)

        def control(area: str) -> Verdict:
            first = [known[s.name] for s in sabotages if s.area == area and s.name in known]
            return ask(unchanged(area), checkout, folder, first)

        def verdict(one: Sabotage) -> Verdict:
            first = ask(one, checkout, folder, [known[one.name]]) if one.name in known else None
            return first if first is not None and first.caught_by else ask(one, checkout, folder)

        controls = pool.map(control, dict.fromkeys(s.area for s in sabotages))
        asked = [pool.submit(verdict, one) for one in sabotages]
        for ended in as_completed(asked):
            found = ended.result()
            print(f"{found.seconds:6.0f} s  {found.sabotage.name}: {found.caught_by or 'SURVIVED'}", flush=True)
        for found in controls:
            if found.caught_by:
                sys.exit(f"{found.caught_by} fails although {found.sabotage.name}: mend that first.")
        return [each.result() for each in asked]


def page_of(verdicts: list[Verdict], page: str) -> str:
    """Return a page with its tables, one an area, made anew; what stands before the first of them is kept."""
    parts = [page.partition("\n## ")[0].rstrip()]
    for area in dict.fromkeys(v.sabotage.area for v in verdicts):
        parts.append(f"\n\n## {area.capitalize()}\n\n| change | file | caught by |\n|---|---|---|")
        for v in verdicts:
            if v.sabotage.area == area:
                file, _, test = re.sub(r"^(benchmarks/)?tests/", "", v.caught_by).partition("::")
                caught = f"`{file}`, `{test}`" if test else v.caught_by or "**survived**"
                parts.append(f"\n| {v.sabotage.name} | `{v.sabotage.file}` | {caught} |")
    return "".join(parts) + "\n"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="copies at a time")
    parser.add_argument("--only", nargs="*", default=(), help="areas, or words of names; all if none is given")
    parser.add_argument("--known", type=Path, help="a page with the table of an earlier run: its tests are asked first")
    parser.add_argument("--page", type=Path, help="a page whose tables are made anew, as docs/sabotage.md")
    parser.add_argument("--checkout", type=Path, default=Path(), help="the folder with src, tests and benchmarks")


def chosen(words: Iterable[str]) -> list[Sabotage]:
    """Return the sabotages of these areas, or with one of these words in their names; all without any."""
    words = list(words)
    return [s for s in sabotages() if not words or s.area in words or any(word in s.name for word in words)]


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Run the campaign and print the table; exits with a sentence if a sabotage survives."""
    checkout = args.checkout.resolve()
    if not (checkout / "tests").is_dir():
        sys.exit(f"sabotage asks the tests of a checkout: {checkout} has no folder 'tests'; see --checkout.")
    known = known_tests(args.known, checkout) if args.known else {}
    verdicts = campaign(chosen(args.only), checkout, args.jobs, known)
    rows = [(v.sabotage.area, v.sabotage.name, v.sabotage.file, v.caught_by or "**survived**") for v in verdicts]
    report.table("What catches what", ("area", "change", "file", "caught by"), rows)
    if args.page:
        args.page.write_text(page_of(verdicts, args.page.read_text(encoding="utf-8")), encoding="utf-8")
    survivors = [v.sabotage.name for v in verdicts if not v.caught_by]
    if survivors:
        sys.exit(f"{len(survivors)} of {len(verdicts)} survived: {', '.join(survivors)}")
    print(f"{len(verdicts)} sabotages of tocsin {tocsin.__version__}, all caught")
    return {"sabotages": len(verdicts), "survived": 0}

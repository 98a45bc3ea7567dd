"""Checks that can fail: each of `sabotages.toml` is applied to a copy of the package; which test notices?

    python -m tocsin_bench sabotage --known docs/sabotage.md --plain          here, in seconds each
    python -m tocsin_bench sabotage --known docs/sabotage.md --jobs 16 --page docs/sabotage.md

A sabotage is *caught* by the first test that fails, or by one that does not end. One that survives has found a hole in
the tests, or a term that is not needed. How it is asked, as plain Python first and compiled where that says nothing,
and what makes sure that a failure is the change's: see `sabotage_asking`.

Each verdict is printed and written down (`--verdicts`) as it is known. A run that was stopped goes on where it was: a
verdict counts as long as the package and the test that caught it are the same texts. `--shard 2/4` asks every fourth
change from the second on. The page is made of all verdicts that count.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
import threading
import tomllib
from collections.abc import Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NamedTuple

import tocsin
from tocsin.compiler.disk_cache import KERNELS
from tocsin_bench import report
from tocsin_bench.campaigns import sabotage_asking as asking
from tocsin_bench.campaigns.sabotage_asking import ASKED, UNCHANGED, Sabotage, changed
from tocsin_bench.campaigns.sabotage_clock import belongs

DESCRIPTION = "Do the tests notice: single changes that make an engine wrong, and which test catches each."

PLAIN, COMPILED, EARLIER = "plain", "compiled", "an earlier engine"
"""How a change was asked."""


class Verdict(NamedTuple):
    """What became of one sabotage."""

    name: str
    caught_by: str
    """The first test that failed; empty if all passed."""
    how: str
    """As `PLAIN` Python, or `COMPILED`."""
    seconds: float
    """Of a processor."""


def sabotages() -> list[Sabotage]:
    """Return all that are listed."""
    listed = tomllib.loads(Path(__file__).with_name("sabotages.toml").read_text(encoding="utf-8"))
    return [Sabotage(area, **row) for area, rows in listed.items() for row in rows]


def chosen(words: Iterable[str], shard: str = "1/1") -> list[Sabotage]:
    """Return the sabotages of these areas, or with one of these words in their names, all without any; one shard."""
    words = list(words)
    first, step = (int(number) for number in shard.split("/"))
    if not 1 <= first <= step:
        raise ValueError(f"a shard is one of several, as 2/4; this is {shard}.")
    some = [s for s in sabotages() if not words or s.area in words or any(word in s.name for word in words)]
    return some[first - 1 :: step]


# ---- what is known -------------------------------------------------------------------------------------------------


class Notes:
    """The file of verdicts, a JSON line each, and of what the unchanged package passes; only what counts is read."""

    def __init__(self, file: Path, checkout: Path) -> None:
        self._file, self._checkout, self._lock = file, checkout, threading.Lock()
        texts = sorted((checkout / "src" / "tocsin").rglob("*.py"))
        self._engine = _digest(b"".join(path.read_bytes() for path in texts))
        self.passed: dict[str, dict[str, float]] = {}
        """What the unchanged package passes as plain Python, by the file of tests, and its seconds."""
        self.verdicts: dict[str, Verdict] = {}
        listed = {s.name: self._of(s) for s in sabotages()}
        for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
            row = json.loads(line)
            if row["engine"] != self._engine or row["text"] != self._text(row["test"]):
                continue
            if row["kind"] == "control":
                self.passed[row["test"]] = row["passed"]
            elif row["change"] == listed.get(row["name"]):
                self.verdicts[row["name"]] = Verdict(row["name"], row["caught_by"], row["how"], row["seconds"])

    def write_control(self, file: str, passed: dict[str, float]) -> None:
        """Write down what the unchanged package passes of a file of tests."""
        self.passed[file] = passed
        self._write(file, kind="control", passed=passed)

    def write(self, sabotage: Sabotage, verdict: Verdict) -> None:
        """Write down a verdict; that something survived counts for this run alone: tests may be added."""
        self.verdicts[verdict.name] = verdict
        if verdict.caught_by:
            file = verdict.caught_by.partition("::")[0]
            self._write(file, kind="verdict", change=self._of(sabotage), **verdict._asdict())

    def _write(self, test: str, **row: Any) -> None:
        row = {"engine": self._engine, "test": test, "text": self._text(test), **row}
        with self._lock, self._file.open("a", encoding="utf-8") as file:
            print(json.dumps(row), file=file)

    def _text(self, test: str) -> str:
        path = self._checkout / test.partition("::")[0]
        return _digest(path.read_bytes()) if path.is_file() else ""

    @staticmethod
    def _of(sabotage: Sabotage) -> str:
        return _digest(json.dumps(sabotage).encode())


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def known_tests(page: Path, checkout: Path) -> dict[str, str]:
    """Return which test caught a change the last time, by the change's name, from a page with the table of that run.

    One that is not there any more, or has another name, is as good as none.
    """
    row = r"^\| (.+?) \| `[^`]+` \| `([^`]+)`, `([^`]+)` \|"
    rows = re.findall(row, page.read_text(encoding="utf-8"), re.MULTILINE)
    return {
        name: f"{folder}/{file}::{test}"
        for name, file, test in rows
        for folder in ("tests", "benchmarks/tests")
        if (text := checkout / folder / file).exists()
        and f"def {test.partition('[')[0]}(" in text.read_text(encoding="utf-8")
    }


# ---- the campaign --------------------------------------------------------------------------------------------------


class Campaign:
    """Asks about changes, several at a time; every verdict is printed and written down as it is known."""

    def __init__(self, checkout: Path, folder: Path, notes: Notes, known: Mapping[str, str]) -> None:
        self._checkout, self._folder, self._notes, self._known = checkout, folder, notes, known
        self._lock = threading.Lock()
        self._controls: dict[str, str] = {}

    def settle(self, some: list[Sabotage], jobs: int, *, compiled: bool) -> None:
        """Ask about some changes: as plain Python, and compiled, if that is wanted, where that says nothing."""
        some = [one for one in some if one.name not in self._notes.verdicts]
        for one in some:
            changed((self._checkout / "src" / "tocsin" / one.file).read_text(encoding="utf-8"), one)
        with ThreadPoolExecutor(jobs) as pool:
            try:
                for names in (self._before, self._direct, self._pure):
                    wanted = {name for one in some for name in names(one)}
                    self._control(pool, sorted(wanted - set(self._notes.passed)), jobs)
                    some = self._told([pool.submit(self._plain, one, names(one)) for one in some])
                if compiled:
                    self._told([pool.submit(self._compiled, one) for one in some])
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _before(self, one: Sabotage) -> list[str]:
        """Return the test that caught a change before."""
        return [self._known[one.name]] if one.name in self._known else []

    def _direct(self, one: Sabotage) -> list[str]:
        """Return the files of direct tests of a change."""
        return asking.direct(one, self._checkout, self._known.get(one.name, ""))

    def _pure(self, one: Sabotage) -> list[str]:
        """Return the files of a change's area that have tests marked `pure`, but for those asked before."""
        return [file for file in asking.pure(one.area, self._checkout) if file not in self._direct(one)]

    def _control(self, pool: ThreadPoolExecutor, names: list[str], jobs: int) -> None:
        """Find out what of some tests and files of tests can be asked as plain Python."""
        whole = {name for one in sabotages() for name in self._direct(one)}

        def ask(part: list[str]) -> None:
            passed = asking.control(part, whole, self._checkout, self._folder)
            for name in part:
                of_it = {test: seconds for test, seconds in passed.items() if belongs(test, name)}
                self._notes.write_control(name, of_it)
                print(f"unchanged: {len(of_it)} tests of {name} can be asked as plain Python", flush=True)

        list(pool.map(ask, [part for k in range(4 * jobs) if (part := names[k :: 4 * jobs])]))

    def _plain(self, one: Sabotage, names: list[str]) -> tuple[Sabotage, Verdict]:
        asked = asking.questions(names, self._notes.passed)
        run = asking.ask_plain(one, self._checkout, self._folder, asked)
        return one, Verdict(one.name, run.failed, PLAIN, run.seconds)

    def _compiled(self, one: Sabotage) -> tuple[Sabotage, Verdict]:
        known = self._known.get(one.name, "")
        first = asking.ask_compiled(one, self._checkout, self._folder, [known]) if known else asking.Run("", 0.0)
        run = first if first.failed else asking.ask_compiled(one, self._checkout, self._folder, ASKED[one.area])
        if "::" in run.failed and (fault := self._fails_unchanged(run.failed)):
            raise RuntimeError(f"{fault} fails although nothing is changed: mend that first.")
        return one, Verdict(one.name, run.failed, COMPILED, run.seconds + (0.0 if first.failed else first.seconds))

    def _fails_unchanged(self, test: str) -> str:
        with self._lock:
            if test not in self._controls:
                run = asking.ask_compiled(UNCHANGED, self._checkout, self._folder, [test])
                self._controls[test] = run.failed
            return self._controls[test]

    def _told(self, asked: list[Future[tuple[Sabotage, Verdict]]]) -> list[Sabotage]:
        """Print and write down each verdict as it comes; return the changes that plain Python says nothing about."""
        left = []
        for ended in as_completed(asked):
            one, verdict = ended.result()
            if verdict.caught_by or verdict.how == COMPILED:
                self._notes.write(one, verdict)
            else:
                left.append(one)
            said = verdict.caught_by or ("SURVIVED" if verdict.how == COMPILED else "not caught")
            print(f"{verdict.seconds:6.1f} s, {verdict.how}: {one.name}: {said}", flush=True)
        return left


def campaign(
    some: list[Sabotage], checkout: Path, jobs: int, notes: Notes, known: Mapping[str, str], **how: bool
) -> None:
    """Ask about changes in a folder of copies that is gone afterwards."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "cache").mkdir(mode=0o700)
        kept = KERNELS.place()
        if kept is not None and kept.is_dir():  # what is compiled here already need not be again
            shutil.copytree(kept, folder / "cache" / kept.name)
        Campaign(checkout, folder, notes, known).settle(some, jobs, **how)


# ---- what is told --------------------------------------------------------------------------------------------------


def page_of(verdicts: Mapping[str, Verdict], known: Mapping[str, str], page: str) -> str:
    """Return a page with its tables, one an area, made anew; what stands before the first of them is kept.

    A change without a verdict is told with the test that caught it in an earlier engine, as the page had it.
    """
    parts = [page.partition("\n## ")[0].rstrip()]
    listed = sabotages()
    for area in dict.fromkeys(one.area for one in listed):
        parts.append(f"\n\n## {area.capitalize()}\n\n| change | file | caught by | asked |\n|---|---|---|---|")
        for one in listed:
            if one.area == area:
                earlier = Verdict(one.name, known.get(one.name, ""), EARLIER, 0.0)
                verdict = verdicts.get(one.name, earlier)
                parts.append(f"\n| {one.name} | `{one.file}` | {_caught(verdict)} | {verdict.how} |")
    return "".join(parts) + "\n"


def _caught(verdict: Verdict) -> str:
    if not verdict.caught_by:
        return "nothing asked yet" if verdict.how == EARLIER else "**survived**"
    file, _, test = re.sub(r"^(benchmarks/)?tests/", "", verdict.caught_by).partition("::")
    return f"`{file}`, `{test}`" if test else verdict.caught_by


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="copies at a time")
    parser.add_argument("--only", nargs="*", default=(), help="areas, or words of names; all if none is given")
    parser.add_argument("--shard", default="1/1", help="one part of several, as 2/4")
    parser.add_argument("--plain", action="store_true", help="as plain Python alone: nothing is compiled")
    parser.add_argument("--known", type=Path, help="a page with the table of an earlier run: its tests are asked first")
    parser.add_argument("--verdicts", type=Path, help="where verdicts are kept (default: out/sabotage.jsonl)")
    parser.add_argument("--page", type=Path, help="a page whose tables are made anew, as docs/sabotage.md")
    parser.add_argument("--checkout", type=Path, default=Path(), help="the folder with src, tests and benchmarks")


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Run the campaign and print the table; exits with a sentence if a sabotage survives."""
    checkout = args.checkout.resolve()
    if not (checkout / "tests").is_dir():
        sys.exit(f"sabotage asks the tests of a checkout: {checkout} has no folder 'tests'; see --checkout.")
    some, file = chosen(args.only, args.shard), args.verdicts or checkout / "out" / "sabotage.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    known, notes = known_tests(args.known, checkout) if args.known else {}, Notes(file, checkout)
    campaign(some, checkout, args.jobs, notes, known, compiled=not args.plain)
    found = [(one, notes.verdicts.get(one.name)) for one in some]
    rows = [(one.area, one.name, one.file, _caught(v), v.how) for one, v in found if v is not None]
    report.table("What catches what", ("area", "change", "file", "caught by", "asked"), rows)
    if args.page:
        args.page.write_text(page_of(notes.verdicts, known, args.page.read_text(encoding="utf-8")), encoding="utf-8")
    survivors = [one.name for one, v in found if v is not None and not v.caught_by]
    if survivors:
        sys.exit(f"{len(survivors)} of {len(some)} survived: {', '.join(survivors)}")
    plain, left = (sum(v is not None and v.how == PLAIN for _, v in found), sum(v is None for _, v in found))
    of_all = f"{len(rows)} of {len(some)} sabotages of tocsin {tocsin.__version__}"
    print(f"{of_all} asked, all caught, {plain} as plain Python")
    if left:
        print(f"to be compiled: {', '.join(one.name for one, v in found if v is None)}")
    return {"sabotages": len(rows), "plain": plain, "to be compiled": left, "survived": 0}

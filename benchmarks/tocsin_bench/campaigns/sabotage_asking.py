"""How one sabotage is asked: a copy of the package with the change, and the tests of a checkout run on it.

As plain Python first (`NUMBA_DISABLE_JIT=1`): nothing is compiled, and a direct test says within seconds that a bound
is wrong. Asked are the test that caught the change before; where that says nothing, the file of tests that mirrors the
changed module, the other tests beside the one that caught it, and the tests of its area that are marked `pure`. Which
of them can be asked at all is found out on the unchanged package: those that pass there within `SOON` seconds of a
processor (`control`). So a failure on a copy is the change's.

What passes all of them is compiled and asked of all tests of its area, campaigns included; the test that fails is then
asked of the unchanged package too, and has to pass.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tocsin_bench.campaigns.sabotage_clock import ORDERS, Orders

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
    "programs": ("tests/queries", "tests/model", "tests/promise/test_looked_at_later.py"),
}  # fmt: skip
"""The tests asked about a change, by its area, in order."""

SOON = 4.0
"""Seconds of a processor within which a test of the unchanged package has to end as plain Python, to be asked; half of
it, if it is one of many of a file."""

ENOUGH = 60.0
"""Seconds that the tests asked of one change as plain Python took all together on the unchanged package, at most."""

ENDLESS = 10 * SOON
"""Seconds of a processor after which such a test of a changed package does not end: it ended in `SOON` before."""

LIMIT = 1500
"""Seconds of a processor after which a compiled copy does not end, compiling included."""

NONE_ASKED = 5
"""What pytest ends with where no test has the mark."""

OUT_OF_TIME = -24
"""The signal that ends a process which has computed for too long."""


class Sabotage(NamedTuple):
    """One change: in `file`, the text `old`, which occurs there once, becomes `new`."""

    area: str
    name: str
    file: str
    old: str
    new: str


UNCHANGED = Sabotage("", "nothing is changed", "__init__.py", "__version__", "__version__")


class Run(NamedTuple):
    """What came of one run of pytest."""

    failed: str
    """The first test that failed, or in words why there is none; empty if all passed."""
    seconds: float
    """Of a processor."""


def changed(text: str, sabotage: Sabotage) -> str:
    """Return a file's text with the change, whose old text has to occur in it once."""
    if sabotage.old != sabotage.new and text.count(sabotage.old) != 1:
        raise ValueError(
            f"'{sabotage.name}': {sabotage.file} has its text {text.count(sabotage.old)} times, not once; "
            "the list in sabotages.toml has to follow the code."
        )
    return text.replace(sabotage.old, sabotage.new)


@contextmanager
def copied(sabotage: Sabotage, checkout: Path, folder: Path) -> Iterator[Path]:
    """Yield a folder with a copy of the package in `src` that has the change; kernels are kept beside the folder."""
    place = Path(tempfile.mkdtemp(dir=folder))
    try:
        package = place / "src" / "tocsin"
        shutil.copytree(checkout / "src" / "tocsin", package, ignore=shutil.ignore_patterns("*.nbi", "*.nbc"))
        file = package / sabotage.file
        text = changed(file.read_text(encoding="utf-8"), sabotage)
        if sabotage.old != sabotage.new:
            file.write_text(text, encoding="utf-8")
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


# ---- as plain Python -----------------------------------------------------------------------------------------------


def mirrored(sabotage: Sabotage, checkout: Path) -> list[str]:
    """Return the file of direct tests of the module that is changed, where there is one."""
    module = Path(sabotage.file)
    name = f"tests/{module.parent.as_posix()}/test_{module.stem.lstrip('_')}.py"
    return [name] if (checkout / name).exists() else []


def direct(sabotage: Sabotage, checkout: Path, known: str) -> list[str]:
    """Return the files of which every test may be asked as plain Python: of the test that is known, and mirrored."""
    return list(dict.fromkeys([*([known.partition("::")[0]] if known else []), *mirrored(sabotage, checkout)]))


def pure(area: str, checkout: Path) -> list[str]:
    """Return the files of an area in which a test is marked `pure`, but for campaigns: those are for compiled code."""
    files = []
    for name in ASKED[area]:
        place = checkout / name
        files += sorted(place.rglob("test_*.py")) if place.is_dir() else [place]
    names = [file.relative_to(checkout).as_posix() for file in files if "mark.pure" in file.read_text(encoding="utf-8")]
    return [name for name in names if not name.startswith("benchmarks/")]


def control(names: list[str], whole: Iterable[str], checkout: Path, folder: Path) -> dict[str, float]:
    """Return what of some tests and files the unchanged package passes soon as plain Python, and its seconds.

    Asked are the tests themselves, of files those marked `pure`, and of the files `whole` all.
    """
    files = sorted({name.partition("::")[0] for name in names})
    marked = [name for name in names if "::" not in name]
    whole = [name for name in names if "::" in name or name in set(whole)]
    with copied(UNCHANGED, checkout, folder) as place:
        told = place / "told"
        told.touch()
        seconds = 0.5 * SOON if marked else SOON
        _plain(place, checkout, files, Orders(None, marked, whole, seconds, "skip", str(told)), stop=False)
        rows = [json.loads(line) for line in told.read_text(encoding="utf-8").splitlines()]
    failed = {name for name, outcome, _ in rows if outcome != "passed"}
    return {name: seconds for name, outcome, seconds in rows if outcome == "passed" and name not in failed}


def questions(names: list[str], passed: Mapping[str, Mapping[str, float]]) -> list[str]:
    """Return what to ask as plain Python of some files and tests: what the unchanged package `passed` of each.

    They come in the order of the names, and within a file the quick ones first; `ENOUGH` of them.
    """
    seconds = {test: spent for name in names for test, spent in sorted(passed[name].items(), key=lambda row: row[1])}
    asked, spent = [], 0.0
    for test, more in seconds.items():
        spent += more
        if spent <= ENOUGH:
            asked.append(test)
    return asked


def ask_plain(sabotage: Sabotage, checkout: Path, folder: Path, asked: list[str]) -> Run:
    """Return which of the tests `asked` fails first on a changed package as plain Python."""
    if not asked:
        return Run("", 0.0)
    files = list(dict.fromkeys(name.partition("::")[0] for name in asked))
    with copied(sabotage, checkout, folder) as place:
        return _plain(place, checkout, files, Orders(asked, [], [], ENDLESS, "fail", str(place / "told")), stop=True)


def _plain(place: Path, checkout: Path, files: list[str], orders: Orders, *, stop: bool) -> Run:
    """Run tests without compiling anything, each by its clock."""
    written = place / "orders"
    written.write_text(json.dumps(orders._asdict()), encoding="utf-8")
    options = ["-p", "tocsin_bench.campaigns.sabotage_clock", *(["-x"] if stop else [])]
    return _pytest(place, checkout, [*options, *files], {"NUMBA_DISABLE_JIT": "1", ORDERS: str(written)}, stop=stop)


# ---- compiled ------------------------------------------------------------------------------------------------------


def ask_compiled(sabotage: Sabotage, checkout: Path, folder: Path, asked: Iterable[str]) -> Run:
    """Return which test fails first on a changed package that is compiled."""
    names = [name for name in dict.fromkeys(asked) if (checkout / name.partition("::")[0]).exists()]
    with copied(sabotage, checkout, folder) as place:
        return _pytest(place, checkout, ["-x", "-m", "not slow", *names], {"NUMBA_DISABLE_JIT": "0"})


def _pytest(
    place: Path, checkout: Path, arguments: list[str], variables: Mapping[str, str], *, stop: bool = True
) -> Run:
    """Run pytest with a package of the folder `place`; without `stop` a test that fails is no matter."""
    path = os.pathsep.join([str(place / "src"), str(checkout / "benchmarks"), str(checkout / "checker" / "src")])
    environment = {**os.environ, **variables, "PYTHONPATH": path, "TOCSIN_CACHE": str(place.parent / "cache")}
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=line", "-rfE", *arguments]
    limited = ["sh", "-c", 'ulimit -t "$0"; exec "$@"', str(LIMIT), *tests]
    output = place / "output"
    with output.open("w", encoding="utf-8") as out:
        process = subprocess.Popen(limited, cwd=checkout, env=environment, stdout=out, stderr=subprocess.STDOUT)
        _, status, spent = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    failed = _first_failure(process.returncode, output.read_text(encoding="utf-8", errors="replace"), stop)
    return Run(failed, spent.ru_utime + spent.ru_stime)


def _first_failure(ended: int, output: str, stop: bool) -> str:
    if ended in (0, NONE_ASKED) or (ended == 1 and not stop):
        return ""
    named = re.search(r"^(?:FAILED|ERROR) (\S+?::[^\s\[]+(?:\[.*?\](?= - |$))?)", output, re.MULTILINE)
    if named and stop:
        return named.group(1)
    if ended == OUT_OF_TIME:
        return "it does not end"
    if ended < 0:
        return f"signal {-ended}"
    raise RuntimeError(f"pytest ended with {ended}: {output[-4000:]}")

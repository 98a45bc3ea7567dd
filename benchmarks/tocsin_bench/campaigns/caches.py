"""Damaged caches: whatever lies there, no wrong answer, no exception, no signal.

Files that are kept of meshes and of kernels are damaged in every way that disks, other programs and other users have,
and then asked for. The arrays of a mesh and the answer to a question about it must have the bits that they have without
a cache; what is read of a kernel must be what was written, or nothing, and every twenty-fifth one is called.

    python -m tocsin_bench caches --count 10000 --kills 1000 --starts 4

Then processes that write are killed, at random moments, and several start at once with nothing kept. A process of its
own does the reading: machine code that is damaged ends it, which counts as a signal, and another one goes on.
"""

from __future__ import annotations

import argparse
import hashlib
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tocsin.compiler import disk_cache
from tocsin.compiler.jit import PURE_PYTHON, kernel
from tocsin.compiler.store import DIGEST, HEAD, Store
from tocsin_bench import report

DESCRIPTION = "Damaged caches of meshes and kernels, killed writers, cold starts: no wrong answer, exception or signal."

CALLED = 25
"""Of so many damaged kernels one is called: most are compiled again, for a tenth of a second."""

ANOTHER_USER = 12345

RIGHT = "right"
FAILURES = ("wrong", "exception", "signal")


@dataclass(frozen=True)
class Outcome:
    """What became of one damaged file."""

    number: int
    kind: str
    damage: str
    verdict: str
    """`RIGHT`, or one of `FAILURES`."""
    words: str = ""


# ---- damage ----------------------------------------------------------------------------------------------------------


def _flip(data: bytes, rng: random.Random) -> bytes:
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 8))):
        out[rng.randrange(rng.choice((80, len(out))))] ^= 1 << rng.randrange(8)
    return bytes(out)


def _zeros(data: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(len(data))
    end = min(len(data), start + rng.choice((1, 16, 512, 4096)))
    return data[:start] + bytes(end - start) + data[end:]


def _moved(data: bytes, rng: random.Random) -> bytes:
    a, b = sorted((rng.randrange(len(data)), rng.randrange(len(data))))
    return data[:a] + data[b:] + data[a:b]


CONTENTS: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "bits flipped": _flip,
    "cut": lambda data, rng: data[: rng.randrange(len(data))],
    "zeros": _zeros,
    "all zeros": lambda data, rng: bytes(len(data)),
    "random": lambda data, rng: rng.randbytes(rng.choice((1, 100, len(data)))),
    "random behind a head": lambda data, rng: data[: len(HEAD) + DIGEST] + rng.randbytes(len(data)),
    "empty": lambda data, rng: b"",
    "longer": lambda data, rng: data + rng.randbytes(rng.randrange(1, 100)),
    "parts moved": _moved,
    "of another version": lambda data, rng: b"tocsin store 0\n" + data[len(HEAD) :],
    "a pickle": lambda data, rng: b"cos\n_exit\n(I9\ntR.",
}


def _link(file: Path, rng: random.Random) -> None:
    kept = file.with_name("elsewhere")
    file.replace(kept)
    file.symlink_to(rng.choice((kept, file, Path("/dev/zero"), Path("/nowhere"))))


def _swap(file: Path, rng: random.Random) -> None:
    others = [other for other in file.parent.iterdir() if other != file]
    file.write_bytes(rng.choice(others).read_bytes() if others else b"")


def _folder(file: Path, rng: random.Random) -> None:
    file.unlink()
    file.mkdir()


def _pipe(file: Path, rng: random.Random) -> None:
    file.unlink()
    os.mkfifo(file)


PLACES: dict[str, Callable[[Path, random.Random], object]] = {
    "swapped": _swap,
    "a link": _link,
    "a folder": _folder,
    "a pipe": _pipe,
    "unreadable": lambda file, rng: file.chmod(0),
    "others may write": lambda file, rng: file.chmod(0o666),
    "others may write the folder": lambda file, rng: file.parent.chmod(rng.choice((0o777, 0o775, 0o1777))),
}
if hasattr(os, "geteuid") and os.geteuid() == 0:
    PLACES["another user's"] = lambda file, rng: os.chown(rng.choice((file, file.parent)), ANOTHER_USER, ANOTHER_USER)


def damage(file: Path, rng: random.Random) -> str:
    """Damage a file, and return how."""
    name = rng.choice((*CONTENTS, *PLACES))
    if name in CONTENTS:
        file.write_bytes(CONTENTS[name](file.read_bytes(), rng))
    else:
        PLACES[name](file, rng)
    return name


# ---- what is asked ---------------------------------------------------------------------------------------------------


class Meshes:
    """Two meshes, a question about them, and the files that are kept of both."""

    kind = "meshes"

    def __init__(self, folder: Path) -> None:
        from tocsin.geometry import cache

        self._cache = cache
        self.store = Store("arrays", root=folder)
        with cache.bypassed():
            self.truth = self._ask()

    def ask(self, number: int) -> bool:
        """Is everything as it is without a cache?"""
        was, self._cache.ARRAYS = self._cache.ARRAYS, self.store
        try:
            return self._ask() == self.truth
        finally:
            self._cache.ARRAYS = was

    def _ask(self) -> list[Any]:
        import numpy as np

        import tocsin

        bodies = [tocsin.Body(tocsin.Sphere(0.1).tessellate(n), name=f"ball {n}") for n in (6, 8)]
        scene = tocsin.Scene(*bodies)
        hit = scene.first_contact(bodies[0].move((-1.0, 0.02, 0.03), (1.0, 0.0, 0.0)))
        said: list[Any] = [hit.status, hit.time.hex(), len(hit.contacts)]
        for body in bodies:
            shape = body.shapes[0][0]
            parts = (shape.nodes, shape.proxy, shape.center, shape.axes, shape.half, shape.samples, *shape.patches)
            said += [(shape.radius, *(np.asarray(part).tobytes() for part in parts))]
        return said


class Kernels:
    """Two kernels, and the files that are kept of them."""

    kind = "kernels"

    def __init__(self, folder: Path) -> None:
        self.store = Store("kernels", root=folder)
        self.bodies: dict[str, bytes] = {}
        assert self.ask(0), "without a cache"
        for name in self.store.names():
            key = name.removesuffix(".tocsin")
            self.bodies[key] = bytes(self.store.load(key) or b"")

    def ask(self, number: int) -> bool:
        """Is what is read what was written, or nothing, and the number of a call the one of plain Python?"""
        if any(self.store.load(key) not in (None, body) for key, body in self.bodies.items()):
            return False
        return number % CALLED != 0 or self._call()

    def _call(self) -> bool:
        from tocsin_bench.campaigns import cached

        was, disk_cache.KERNELS = disk_cache.KERNELS, self.store
        plain = {name: getattr(cached, name).py_func for name in ("third", "asked")}
        try:
            for name, function in plain.items():  # as in a new process
                setattr(cached, name, kernel(function))
            said = cached.asked(0.7)
        finally:
            disk_cache.KERNELS = was
        x = 0.7
        return said.hex() == (x / 3.0 + (0.1 / 3.0 + x * x / 3.0)).hex()


class Attacked:
    """Files that are whole before each damage."""

    def __init__(self, what: type, folder: Path) -> None:
        self.asking = what(folder)
        if not self.asking.ask(0):
            raise RuntimeError(
                f"{self.asking.kind}: the answer from a whole cache is another one than without a cache."
            )
        self.place = folder / self.asking.store.kind
        self.whole = {file.name: file.read_bytes() for file in sorted(self.place.iterdir())}

    def outcome(self, number: int, seed: int) -> Outcome:
        """Damage a file and ask."""
        rng = random.Random(f"{seed} {number}")
        self._restore()
        file = self.place / rng.choice(list(self.whole))
        name = damage(file, rng)
        try:
            right = self.asking.ask(number)
        except Exception:
            return Outcome(number, self.asking.kind, name, "exception", traceback.format_exc(limit=-3))
        return Outcome(number, self.asking.kind, name, RIGHT if right else "wrong")

    def _restore(self) -> None:
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            os.chown(self.place, 0, 0)
        self.place.chmod(0o700)
        for file in self.place.iterdir():
            file.rmdir() if file.is_dir() and not file.is_symlink() else file.unlink()
        for name, data in self.whole.items():
            with open(os.open(self.place / name, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as out:
                out.write(data)


# ---- many ------------------------------------------------------------------------------------------------------------


def _work(connection: Any, seed: int, numbers: range) -> None:
    """What the process that reads does: damage, ask, tell."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # folders are refused in sentences
    with tempfile.TemporaryDirectory() as place:
        kinds = (Meshes,) if PURE_PYTHON else (Meshes, Kernels)
        attacked = [Attacked(what, Path(place) / what.kind) for what in kinds]
        for number in numbers:
            connection.send((number, "?"))
            connection.send(attacked[number % len(attacked)].outcome(number, seed))
    connection.send(None)


def campaign(count: int, seed: int = 0, *, first: int = 0) -> Iterator[Outcome]:
    """Yield what becomes of `count` damaged files, from number `first` on."""
    context = multiprocessing.get_context("spawn")
    end = first + count
    while first < end:
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=_work, args=(theirs, seed, range(first, end)), daemon=True)
        process.start()
        theirs.close()
        asked = None
        try:
            while (told := ours.recv()) is not None:
                if isinstance(told, Outcome):
                    yield told
                else:
                    asked = told[0]
            process.join()
            return
        except EOFError:
            process.join()
            if asked is None:
                raise RuntimeError("the process that reads caches does not start; its own words are above.") from None
            yield Outcome(asked, "?", "?", "signal", f"exit code {process.exitcode}")
            first = asked + 1


def _written(key: str, turn: int) -> bytes:
    return hashlib.blake2b(f"{key} {turn}".encode()).digest() * (1 + turn % 5000)


def kills(count: int, seed: int = 0) -> int:
    """Kill so many processes that write; return how often something was read that nobody had written."""
    rng = random.Random(seed)
    keys = [f"{k}" * 40 for k in range(4)]
    wrong = 0
    with tempfile.TemporaryDirectory() as place:
        store = Store("things", root=Path(place), limit=2**26)
        for _ in range(count):
            child = os.fork()
            if child == 0:
                turn = 0
                while True:
                    turn += 1
                    key = rng.choice(keys)
                    store.save(key, turn.to_bytes(4, "big") + _written(key, turn))
            time.sleep(rng.random() * 0.004)
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            for key in keys:
                found = store.load(key)
                if found is not None and found[4:] != _written(key, int.from_bytes(found[:4], "big")):
                    wrong += 1
        wrong += len(store.damaged())
        store.clear()
        wrong += len(os.listdir(Path(place) / "things"))
    return wrong


START = "from tocsin_bench.campaigns import cached; print(cached.asked(0.7).hex())"
BUILD = "import tocsin; print(tocsin.Body(tocsin.Sphere(0.1).tessellate(8)).shapes[0][0].nodes.tobytes().hex())"


def cold_starts(count: int) -> int:
    """Start so many processes at once with nothing kept, then as many again; return how many said something else."""
    wrong = 0
    with tempfile.TemporaryDirectory() as place:
        shared = dict(os.environ, TOCSIN_CACHE=str(Path(place) / "kept"), PYTHONPATH=os.pathsep.join(sys.path))
        for program, extra in ((START, {}), (BUILD, {"NUMBA_DISABLE_JIT": "1"})):
            said = []
            for _ in range(2):
                started = [
                    subprocess.Popen(
                        [sys.executable, "-c", program], env=shared | extra, stdout=subprocess.PIPE,
                        stderr=subprocess.DEVNULL, text=True,
                    )
                    for _ in range(count)
                ]  # fmt: skip
                said += [(process.communicate()[0], process.returncode) for process in started]
            wrong += sum(each != said[0] or each[1] != 0 for each in said)
    return wrong


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command line takes."""
    parser.add_argument("--count", type=int, default=10_000, help="damaged files (default 10,000)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the damage (default 0)")
    parser.add_argument("--first", type=int, default=0, help="number of the first file (default 0)")
    parser.add_argument("--kills", type=int, default=1000, help="writers that are killed (default 1000)")
    parser.add_argument("--starts", type=int, default=4, help="processes that start at once (default 4)")


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Run the campaign, print a table, and leave with exit code 1 if anything failed."""
    outcomes = []
    for outcome in campaign(args.count, args.seed, first=args.first):
        outcomes.append(outcome)
        if outcome.verdict in FAILURES:
            words = f"number {outcome.number} of seed {args.seed}: {outcome.kind}, {outcome.damage}: {outcome.verdict}"
            report.console.print(f"{words}: {outcome.words}", highlight=False, markup=False)
    rows = []
    for name in (*CONTENTS, *PLACES, "all"):
        some = [outcome for outcome in outcomes if name in ("all", outcome.damage)]
        counts = [f"{sum(outcome.verdict == verdict for outcome in some):,}" for verdict in (RIGHT, *FAILURES)]
        rows.append((name, f"{len(some):,}", *counts))
    report.table("Damaged caches", ("damage", "files", RIGHT, *FAILURES), rows)
    torn, other = kills(args.kills, args.seed), cold_starts(args.starts)
    report.console.print(f"{args.kills:,} writers killed: {torn} wrong; {args.starts} cold starts: {other} wrong")
    failed = sum(outcome.verdict in FAILURES for outcome in outcomes) + torn + other
    if failed:
        sys.exit(f"{failed} answers failed")
    return {"count": len(outcomes), "seed": args.seed, "kills": args.kills, "starts": args.starts, "failed": 0}

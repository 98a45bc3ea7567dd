"""Damaged files: every one gives a model that answers a question, or is refused in a sentence, and soon.

Files of every kind that is read (`mutate_seeds`) are damaged (`mutate_damage`) and loaded. What loads is asked for the
first contact of a small motion, and the answer must be finite; what does not load must raise a TocsinError of one line.
Any other exception is a failure, and so is a crash, more than `PATIENCE` seconds of a processor, and more than `MEMORY`
megabytes for one file. Kernels that are compiled for the first time are not a file's, and not on its clock
(`Patience`).

    python -m tocsin_bench mutate --count 10000 --seed 0

A process of its own reads the files, because some are read by C libraries: if it crashes or hangs it is replaced, and
the campaign goes on. A failure is printed by its number; `--keep FOLDER` writes the file there, and
`--first NUMBER --count 1` asks it again.
"""

from __future__ import annotations

import argparse
import importlib.util
import math
import multiprocessing
import os
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tocsin.errors import unknown_name
from tocsin_bench import report
from tocsin_bench.campaigns.mutate_damage import Mutant, mutated
from tocsin_bench.campaigns.mutate_seeds import honest
from tocsin_bench.campaigns.patience import Patience, peak

DESCRIPTION = "Damaged files of every kind: each loads and answers a question, or is refused in a sentence."

PATIENCE = 5.0
"""Seconds for one file, of a processor: others may be busy with something else."""

SLEEP = 300.0
"""Seconds after which a file that waits for something is not waited for."""

MEMORY = 300.0
"""Megabytes for one file, beyond those that earlier ones took."""

STEPS = 100_000
"""Cap on the steps of a question: about the files is asked here, not whether a joint of 500 million radians is free."""

TRAJECTORIES = ("yaml", "csv", "npz", "packed npz")
"""Kinds that the arm of the URDF follows."""

CLOUDS = ("pcd", "ascii pcd", "ply cloud", "ascii ply cloud", "xyz", "bt", "ot")
"""Kinds that become balls or boxes."""

ANSWERED, REFUSED = "answered", "refused"
FAILURES = ("exception", "not finite", "no sentence", "memory", "hang", "crash")


@dataclass(frozen=True)
class Outcome:
    """What became of one file."""

    number: int
    kind: str
    verdict: str
    """`ANSWERED`, `REFUSED`, or one of `FAILURES`."""
    words: str = ""
    seconds: float = 0.0
    megabytes: float = 0.0


def kinds() -> tuple[str, ...]:
    """Return the kinds of files that can be read here: MJCF only where mujoco is installed."""
    lacking = {"mjcf"} if importlib.util.find_spec("mujoco") is None else set()
    return tuple(kind for kind in honest() if kind not in lacking)


# ---- one file ------------------------------------------------------------------------------------------------------


def prepare(folder: Path) -> None:
    """Write the honest files that damaged ones need beside them."""
    (folder / "part.stl").write_bytes(honest()["stl"][1])
    (folder / "honest.urdf").write_bytes(honest()["urdf"][1])


def examine(mutant: Mutant, folder: Path) -> tuple[str, str]:
    """Load a damaged file and ask about what it holds; returns the verdict, and words about it."""
    from tocsin.errors import TocsinError

    path = folder / mutant.name
    path.write_bytes(mutant.data)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            wrong = _ask(mutant.kind, path, folder)
    except TocsinError as error:
        sentence = str(error)
        if not sentence.strip() or "\n" in sentence or len(sentence) > 2000:
            return "no sentence", repr(sentence)[:300]
        return REFUSED, sentence
    except Exception:
        return "exception", traceback.format_exc(limit=-3)
    return ("not finite", wrong) if wrong else (ANSWERED, "")


def _ask(kind: str, path: Path, folder: Path) -> str:
    """Load what a file holds and ask for the first contact of a small motion; returns what is wrong with the answer."""
    from tocsin.io.environment import load_environment
    from tocsin.io.trajectories import load_trajectory
    from tocsin.io.urdf import load_urdf
    from tocsin.model.body import Body
    from tocsin.scene import Scene

    if kind in ("urdf", "mjcf", "srdf", "sdf"):
        robot = _robot(kind, path, folder)
        return _wrong(Scene(robot), robot.move({}, _moved(robot)))
    if kind in TRAJECTORIES:
        robot = load_urdf(folder / "honest.urdf")
        return _wrong(Scene(robot), robot.follow(load_trajectory(path)))
    if kind in CLOUDS:
        bodies = [Body.from_octomap(path) if kind in ("bt", "ot") else Body.from_points(str(path), 0.02)]
    else:
        bodies = load_environment(path)
    if kind not in ("scene", *CLOUDS):
        from tocsin.geometry.mesh import Mesh

        bodies.append(Body(Mesh.load(path), name="all of it"))
    ball = _ball()
    return _wrong(Scene(ball, *bodies), ball.move(_shifted(-1.0), _shifted(0.5)))


def _robot(kind: str, path: Path, folder: Path) -> Any:
    if kind == "mjcf":
        from tocsin.io.mjcf import load_mjcf

        return load_mjcf(path)
    if kind == "sdf":
        from tocsin.io.sdf import load_sdf

        return load_sdf(path)
    from tocsin.io.urdf import load_urdf

    return load_urdf(path) if kind == "urdf" else load_urdf(folder / "honest.urdf", srdf=path)


def _moved(robot: Any) -> dict[str, float]:
    """A configuration nearby: joints of one value a little further than the robot stands."""
    from tocsin.motion.links import BASE_WIDTH

    values, k = {}, BASE_WIDTH
    for joint in robot.joints:
        if joint.width == 1:
            values[joint.name] = float(robot.rest[k]) + 0.1
        k += joint.width
    return values


def _ball() -> Any:
    from tocsin.geometry.primitives import Sphere
    from tocsin.model.body import Body

    return Body(Sphere(0.05), name="the ball that asks")


def _shifted(x: float) -> Any:
    import numpy as np

    pose = np.eye(4)
    pose[:3, 3] = x, 0.03, 0.03
    return pose


def _wrong(scene: Any, motion: Any) -> str:
    """Ask; returns what is wrong with the answer, nothing if it is as it should be."""
    import numpy as np

    from tocsin.results import Status

    hit = scene.first_contact(motion, max_steps=STEPS)
    if hit.status is Status.FREE:
        return "" if math.isinf(hit.time) and not hit.contacts else f"free, but {hit!r}"
    if not 0.0 <= hit.time <= 1.0:
        return f"{hit.status} at time {hit.time}"
    if hit.status is not Status.CAPPED and scene.is_free(motion, max_steps=STEPS):
        return f"{hit.status} at time {hit.time}, but is_free says yes"
    for contact in hit.contacts:
        values = np.concatenate((contact.point_a, contact.point_b, contact.normal, [contact.distance]))
        if not np.isfinite(values).all():
            return f"a contact between {contact.link_a} and {contact.link_b} that is not finite: {values}"
    return ""


# ---- many files ----------------------------------------------------------------------------------------------------


def _work(connection: Any, seed: int, chosen: tuple[str, ...]) -> None:
    """What the process that reads does: a number comes in, an outcome goes out, until None comes."""
    from tocsin.geometry import cache

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the campaign is told, and ends this
    with cache.bypassed(), tempfile.TemporaryDirectory() as place:  # a file's mesh is built, not found
        folder = Path(place)
        prepare(folder)
        for kind in chosen:  # compiles, imports and fills memory that is not the damaged files'
            name, data = honest()[kind]
            verdict, words = examine(Mutant(-1, kind, name, data, ()), folder)
            if verdict != ANSWERED:
                raise RuntimeError(f"the honest {kind} file is {verdict}: {words}")
        connection.send(None)
        os.chdir(folder)  # for libraries that write where they stand
        while (number := connection.recv()) is not None:
            mutant = mutated(seed, number, chosen)
            before = peak()
            with Patience(PATIENCE) as patience:
                verdict, words = examine(mutant, folder)
            seconds, megabytes = patience.spent, peak() - before - patience.megabytes
            if megabytes > MEMORY and verdict in (ANSWERED, REFUSED):
                verdict, words = "memory", f"{megabytes:.0f} MB; {words}"
            connection.send(Outcome(number, mutant.kind, verdict, words, seconds, megabytes))


class Reader:
    """The process that reads files, replaced when it dies."""

    def __init__(self, seed: int, chosen: tuple[str, ...]) -> None:
        self._arguments = (seed, chosen)
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs, *self._arguments), daemon=True)
        self._process.start()
        theirs.close()
        try:
            self._connection.recv()
        except EOFError:
            self._process.join()
            raise RuntimeError("the process that reads files does not start; its own words are above.") from None

    def ask(self, number: int) -> Outcome:
        """Return what becomes of a file; a crash or a hang is an outcome too, and ends the process."""
        started = time.perf_counter()
        self._connection.send(number)
        verdict = ""
        try:
            if self._connection.poll(SLEEP):
                return self._connection.recv()
            verdict, words = "hang", f"no answer after {SLEEP:g} s"
            self._process.kill()
        except (EOFError, ConnectionError):
            verdict, words = "crash", "the process ended"
        self._process.join()
        if verdict == "crash" and self._process.exitcode:
            code = self._process.exitcode
            words = f"{signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
            if words == "SIGPROF":
                verdict, words = "hang", f"no answer after {PATIENCE:g} s of a processor"
        self._start()
        seconds = time.perf_counter() - started
        return Outcome(number, mutated(self._arguments[0], number, self._arguments[1]).kind, verdict, words, seconds)

    def close(self) -> None:
        """End the process."""
        try:
            self._connection.send(None)
            self._process.join(10)
        except (BrokenPipeError, OSError):
            pass
        if self._process.is_alive():
            self._process.kill()


def campaign(count: int, seed: int = 0, *, first: int = 0, chosen: tuple[str, ...] | None = None) -> Iterator[Outcome]:
    """Yield what becomes of `count` damaged files, from number `first` on."""
    reader = Reader(seed, chosen or kinds())
    try:
        for number in range(first, first + count):
            yield reader.ask(number)
    finally:
        reader.close()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command line takes."""
    parser.add_argument("--count", type=int, default=10_000, help="damaged files (default 10,000)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the damage (default 0)")
    parser.add_argument("--first", type=int, default=0, help="number of the first file (default 0)")
    parser.add_argument("--kinds", help=f"only these, with commas in between, of: {', '.join(honest())}")
    parser.add_argument("--keep", metavar="FOLDER", help="write the files that fail into this folder")


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Run the campaign, print a table, and leave with exit code 1 if a file failed."""
    chosen = tuple(args.kinds.split(",")) if args.kinds else kinds()
    for kind in chosen:
        if kind not in kinds():
            raise unknown_name("kind", kind, kinds())
    outcomes = []
    for outcome in _watched(campaign(args.count, args.seed, first=args.first, chosen=chosen), args.count):
        outcomes.append(outcome)
        if outcome.verdict in FAILURES:
            mutant = mutated(args.seed, outcome.number, chosen)
            head = f"number {outcome.number} of seed {args.seed}: {outcome.kind} ({', '.join(mutant.changes)})"
            report.console.print(f"{head}: {outcome.verdict}: {outcome.words}", highlight=False, markup=False)
            if args.keep:
                Path(args.keep).mkdir(parents=True, exist_ok=True)
                (Path(args.keep) / f"{outcome.number}-{mutant.name}").write_bytes(mutant.data)
    table(outcomes, chosen)
    failed = [outcome for outcome in outcomes if outcome.verdict in FAILURES]
    if failed:
        sys.exit(f"{len(failed)} of {len(outcomes)} files failed")
    return {"count": len(outcomes), "seed": args.seed, "failed": 0, "slowest": max(o.seconds for o in outcomes)}


def table(outcomes: list[Outcome], chosen: tuple[str, ...]) -> None:
    """Print how many files of each kind came to what."""
    rows = []
    for kind in (*chosen, "all"):
        some = [outcome for outcome in outcomes if kind in ("all", outcome.kind)]
        if some:
            counts = [sum(outcome.verdict == verdict for outcome in some) for verdict in (ANSWERED, REFUSED)]
            rows.append((
                kind, f"{len(some):,}", *(f"{count:,}" for count in counts), f"{len(some) - sum(counts):,}",
                report.ms(max(outcome.seconds for outcome in some)),
                f"{max(outcome.megabytes for outcome in some):.0f}",
            ))  # fmt: skip
    columns = ("damaged", "files", ANSWERED, REFUSED, "failed", "slowest, ms", "most memory, MB")
    report.table("Damaged files", columns, rows)


def _watched(outcomes: Iterator[Outcome], total: int) -> Iterator[Outcome]:
    """Pass outcomes on under a progress bar."""
    from rich import progress as rich

    columns = (
        rich.TextColumn("{task.description}"), rich.BarColumn(), rich.MofNCompleteColumn(), rich.TimeElapsedColumn(),
        rich.TimeRemainingColumn(),
    )  # fmt: skip
    failed = 0
    disable = not report.console.is_terminal
    with rich.Progress(*columns, console=report.console, transient=True, disable=disable) as bar:
        task = bar.add_task("0 failed", total=total)
        for outcome in outcomes:
            yield outcome
            failed += outcome.verdict in FAILURES
            bar.update(task, advance=1, description=f"{failed} failed")

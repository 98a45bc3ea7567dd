"""Contact intervals of robots that follow paths through clutter, against python-fcl at thousands of samples.

The robot's file is read a second time, and its links placed, by other code than the library's (`mbm_files`); FCL says
whether two shapes touch at a sample, and how far apart they are. At every sample, and at both ends of every interval:

    missed      FCL finds two links in contact, and no interval of theirs holds the time;
    beyond      an interval holds the time, and FCL finds them farther apart than the tolerance.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track

import tocsin
from tocsin_bench import report
from tocsin_bench.campaigns.mbm_fcl import ACCURACY, Judge, Sweep
from tocsin_bench.campaigns.mbm_files import Chain, Solid
from tocsin_bench.data import Missing, data_folder

DESCRIPTION = "Contact intervals of robot paths in clutter against python-fcl at thousands of samples (TOCSIN_DATA)."

ROBOTS = ("iiwa14", "panda_mbm", "fetch_mbm")


@dataclass
class Tally:
    """What a campaign has seen."""

    paths: int = 0
    intervals: int = 0
    samples: int = 0
    touching: int = 0
    missed: int = 0
    beyond: int = 0
    unproven: int = 0
    capped: int = 0
    seconds: float = 0.0
    first: float = 0.0
    """Seconds of `first_contact` on the same paths."""
    failures: list[str] = field(default_factory=list)

    @property
    def wrong(self) -> int:
        """Broken promises."""
        return self.missed + self.beyond


class Cell:
    """A robot among boxes: for the library and for the judge."""

    def __init__(self, urdf: Path, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.robot = tocsin.Robot.from_urdf(urdf)
        self.robot.ignore_overlapping_at(np.zeros(self.robot.n_config))
        sizes = np.array([(2.0, 2.0, 0.1), *rng.uniform(0.05, 0.5, (5, 3))])
        places = np.array([(0.0, 0.0, -0.08), *rng.uniform((-0.8, -0.8, 0.1), (0.8, 0.8, 1.1), (5, 3))])
        self.bodies, solids = [], {}
        for k, (size, place) in enumerate(zip(sizes, places)):
            pose = np.eye(4)
            pose[:3, 3] = place
            self.bodies.append(tocsin.Body(tocsin.Box(size=tuple(size)), pose, name=f"box{k}"))
            solids[f"box{k}"] = [Solid("box", tuple(float(x) for x in size), np.eye(3), place)]
        self.scene = tocsin.Scene(self.robot, *self.bodies)
        names = self.robot.link_names
        self.judge = Judge(Chain(urdf), self.robot.joint_names, [(names[i], names[k]) for i, k in self.robot.ignored])
        # What stands on the floor touches it for good: nothing to see.
        base = [name for name in names if not self._moves(name)]
        allowed = [(name, other) for name in base for other in solids]
        for name, other in allowed:
            self.scene.ignore(name, other)
        self.judge.enter(solids, allowed)
        self.pairs: dict[tuple[str, str], list[tuple[int, int]]] = {}
        for a, b in self.judge.pairs.tolist():
            self.pairs.setdefault((self.judge.names[a], self.judge.names[b]), []).append((a, b))

    def _moves(self, name: str) -> bool:
        """Does any joint move this link?"""
        link = self.robot.link_index(name)
        while link >= 0:
            if self.robot.links[link]["kind"] != 0 and self.robot.links[link]["parent"] >= 0:
                return True
            link = int(self.robot.links[link]["parent"])
        return False

    def touching(self, sweep: Sweep) -> set[tuple[tuple[str, str], int]]:
        """Return (pair of names, sample) of all contacts that FCL sees; balls around shapes rule out most."""
        out = set()
        for pair, lo, hi in self.judge.undecided(sweep, 0, sweep.n):
            a, b = self.judge.pairs[pair].tolist()
            names = self.judge.names[a], self.judge.names[b]
            out |= {(names, k) for k in range(lo, hi) if self.judge.touches(sweep, a, b, k)}
        return out

    def path(self, rng: np.random.Generator, rows: int) -> np.ndarray:
        """Return random configurations, neighbours not too far apart."""
        steps = rng.normal(size=(rows, self.robot.n_config)) * 0.6
        return np.clip(np.cumsum(steps, axis=0), -2.5, 2.5)


def check(cell: Cell, path: np.ndarray, tolerance: float, samples: int, tally: Tally) -> None:
    """Hold the intervals of one path against `samples` samples a piece."""
    motion = cell.robot.follow(path)
    cell.scene.contact_intervals(motion, tolerance=tolerance)
    start = time.thread_time()
    found = cell.scene.contact_intervals(motion, tolerance=tolerance)
    tally.seconds += time.thread_time() - start
    start = time.thread_time()
    cell.scene.first_contact(motion, tolerance=tolerance)
    tally.first += time.thread_time() - start
    tally.paths += 1
    tally.intervals += len(found)
    tally.unproven += sum(not one.proven for one in found)
    tally.capped += found.until < 1.0
    listed: dict[frozenset[str], list[Any]] = {}
    for one in found:
        listed.setdefault(frozenset((one.link_a, one.link_b)), []).append(one)
    pieces = len(path) - 1
    ends = np.array([t for one in found for t in (one.enter, one.exit)])
    for piece in range(pieces):
        mine = ends[(ends >= piece / pieces) & (ends <= (piece + 1) / pieces)] * pieces - piece
        local = np.unique(np.concatenate([np.linspace(0.0, 1.0, samples), np.clip(mine, 0.0, 1.0)]))
        sweep = cell.judge.sweep(path[piece], path[piece + 1], local)
        touching = cell.touching(sweep)
        for names, shapes in cell.pairs.items():
            intervals = listed.get(frozenset(names), [])
            for k, s in enumerate(local):
                t = (piece + s) / pieces
                # A time computed twice may be off by a rounding, so the ends themselves count as inside.
                inside = any(one.enter - 1e-12 <= t <= one.exit + 1e-12 for one in intervals)
                touches = (names, k) in touching
                tally.samples += 1
                tally.touching += touches
                if touches and not inside:
                    tally.missed += 1
                    tally.failures.append(f"missed: {names} at {t!r}")
                if inside and not touches:
                    gap = min(cell.judge.gap(sweep, a, b, k) for a, b in shapes)
                    if gap > tolerance + ACCURACY:
                        tally.beyond += 1
                        tally.failures.append(f"beyond: {names} at {t!r}, {gap:.3g} m apart")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this campaign."""
    parser.add_argument("--count", type=int, default=10, help="paths of each robot (default 10)")
    parser.add_argument("--seed", type=int, default=1, help="seed of what is random (default 1)")
    parser.add_argument("--samples", type=int, default=200, help="samples of a piece of a path (default 200)")


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Run, print and return the counts; exit with an error if a promise is broken."""
    out: dict[str, Any] = {}
    wrong = 0
    for name in ROBOTS:
        urdf = data_folder() / "robots" / name / f"{name}.urdf"
        if not urdf.exists():
            raise Missing(f"{name} is not in {str(data_folder())!r}; set TOCSIN_DATA to the folder of recorded data.")
        cell, tally = Cell(urdf, args.seed), Tally()
        for k in track(range(args.count), name, console=report.console):
            rng = np.random.default_rng([args.seed, k])
            check(cell, cell.path(rng, 7), 1e-4, args.samples, tally)
        wrong += tally.wrong
        report.console.print(
            f"{name}: {tally.paths} paths of 6 pieces, {tally.intervals} intervals ({tally.unproven} unproven, "
            f"{tally.capped} capped); {tally.samples} samples of pairs, {tally.touching} of them touching: missed "
            f"{tally.missed}, beyond the tolerance {tally.beyond}; {1e3 * tally.seconds / tally.paths:.1f} ms a path "
            f"(first contact {1e3 * tally.first / tally.paths:.2f} ms)"
        )
        for line in tally.failures[:10]:
            report.console.print(line, highlight=False)
        out[name] = {key: value for key, value in vars(tally).items() if key != "failures"}
    if wrong:
        raise SystemExit(f"{wrong} samples contradict the intervals")
    return out

"""The self-collision matrix of robots, every witness of *sometimes* measured by Coal, and what SRDF files get wrong.

Joint values of a witness are turned into places by the checker's own kinematics and readers, and Coal measures the
distance of the two links there: shapes as tocsin has them, nothing else of tocsin. A witness that Coal sees farther
apart than the margin and a tenth of it fails.

    python -m tocsin_bench witnesses panda.urdf --srdf panda.srdf
"""

from __future__ import annotations

import argparse
import itertools
import tempfile
import time
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from tocsin import Robot
from tocsin.io.srdf import read_srdf
from tocsin_bench import report

DESCRIPTION = "The self-collision matrix of a robot: its witnesses by Coal, and which disabled pairs can collide."

MARGIN = 1e-3
ROUNDING = 1e-7


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this campaign."""
    parser.add_argument("urdf", type=Path, nargs="+", help="robots")
    parser.add_argument("--srdf", type=Path, default=None, help="a file whose disabled pairs are looked at")
    parser.add_argument("--most", type=int, default=100_000_000, help="looks a pair of shapes may take")


def coal_shape(part: Any) -> Any:
    """Return a shape of the checker as Coal has it."""
    import coal

    if part.faces is not None:
        made = coal.BVHModelOBBRSS()
        made.beginModel(len(part.faces), len(part.corners))
        made.addVertices(np.asarray(part.corners, float))
        made.addTriangles(np.asarray(part.faces, np.int64))
        made.endModel()
        return made
    height = float(np.ptp(part.corners[:, 2]))
    if not part.ring and not part.radius:
        return coal.Box(*np.ptp(part.corners, axis=0).tolist())  # the only hull that a URDF has
    if part.ring:
        return coal.Cylinder(part.ring, height)
    return coal.Capsule(part.radius, height) if height else coal.Sphere(part.radius)


def gaps(proof: Path, urdf: Path, name: str) -> list[tuple[str, str, float]]:
    """Return (link, link, distance by Coal) of every witness of a matrix."""
    import coal
    import tocsin_checker
    from tocsin_checker.check import Check
    from tocsin_checker.motion import ONE, Slabs

    data = tocsin_checker.read_proof(proof)
    examined = Check(data)
    examined.read({name: urdf})
    shapes = [coal_shape(part) for _, part in examined.shapes]
    found = []
    for said in (said for said in data["links"] if said["verdict"] == "sometimes"):
        examined.models[0] = examined.models[0]._replace(pieces=[[*([int(v * ONE)] for v in said["witness"]), [0]]])
        moves = examined.stretch(Fraction(0), Fraction(1))
        standing = Slabs(examined, *moves, range(len(examined.links)), [((0.5, 0.5),)])
        of = [[s for s, (i, _) in enumerate(examined.shapes) if examined.names[i] == link] for link in said["links"]]
        least = np.inf
        for a, b in itertools.product(*of):
            own = [examined.shapes[s] for s in (a, b)]
            at = [standing.rows([link], [-1], [0])[0][0, 0] @ part.place for link, part in own]
            request, result = coal.DistanceRequest(), coal.DistanceResult()
            poses = [coal.Transform3s(pose[:, :3], pose[:, 3]) for pose in at]
            least = min(least, coal.distance(shapes[a], poses[0], shapes[b], poses[1], request, result))
        found.append((*said["links"], least))
    return found


def surveyed(urdf: Path, srdf: Path | None, most: int) -> tuple[list[Any], list[str]]:
    """Return (a row of the table, what went wrong) of a robot."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = Robot.from_urdf(urdf)
    start = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        pairs = robot.prove_pairs(margin=MARGIN, most=most, proof=Path(folder) / "matrix.proof")
        seconds = time.process_time() - start
        seen = gaps(Path(folder) / "matrix.proof", urdf, robot.name)
    wrong = [f"{robot.name}: {a} and {b} are {d:g} m apart" for a, b, d in seen if d > 1.1 * MARGIN + ROUNDING]
    counts = [len(pairs.of(verdict)) for verdict in ("never", "always", "sometimes", "adjacent", "undecided")]
    if srdf is not None:
        disabled = {frozenset(pair) for pair in read_srdf(srdf).disabled}
        for pair in pairs.of("sometimes"):
            if frozenset(pair) in disabled:
                report.say(f"{srdf.name} disables {pair[0]} and {pair[1]}, which can collide")
    return [robot.name, *counts, f"{len(seen) - len(wrong)} of {len(seen)}", f"{seconds:.0f}"], wrong


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Survey robots; end with an error if Coal sees a witness that is none, or a pair is undecided."""
    rows, wrong = [], []
    for urdf in args.urdf:
        row, bad = surveyed(urdf, args.srdf, args.most)
        rows.append(row)
        wrong += bad
    head = ["robot", "never", "always", "sometimes", "adjacent", "undecided", "witnesses seen by Coal", "processor s"]
    report.table("Which links can touch", head, rows)
    for line in wrong:
        report.say(line)
    if wrong or any(row[5] for row in rows):
        raise SystemExit(f"{len(wrong)} witnesses are none; {sum(row[5] for row in rows)} pairs undecided")
    return {"rows": rows}

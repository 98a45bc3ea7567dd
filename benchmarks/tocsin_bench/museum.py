"""The museum of bugs: inputs on which libraries of this field answer wrongly, with their truths in closed form.

Each exhibit is two meshes on simple motions: turning about the z axis through the origin, and travelling. It is asked
of both engines by the tests (`tests/museum`), and by `tocsin bench run museum` of the peers that are installed too
(`peers/museum.py`), each in a process of its own: one that hangs or crashes is a cell of the table. Beside them are
files that describe no robot, and are loaded elsewhere without a word.

The rod: 2 m long, 0.02 m thick, on a hinge at its end, turns towards a post of 0.02 m at (0, 0.8). Its leading side, a
line 0.01 m from the axis, first meets the post's nearest corner (0.01, 0.79), at the angle
atan2(0.79, 0.01) - asin(0.01 / hypot(0.01, 0.79)) = 88.5496 degrees.

    python -m tocsin_bench museum
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import tocsin
from tocsin_bench import report
from tocsin_bench.scenes import shapes
from tocsin_bench.scenes.shapes import Triangles

DESCRIPTION = "Inputs on which libraries of this field are wrong, asked of both engines and of installed peers."

LATE = 1e-3
"""An answer later than the truth by more than this fraction of the motion is called late, one earlier, early: a little
early is what a tolerance means."""

METHODS = ("advancement", "interval")


@dataclass(frozen=True)
class Motion:
    """Turning by some degrees about the z axis through the origin, after standing at `start`, while travelling."""

    start: tuple[float, float, float] = (0.0, 0.0, 0.0)
    travel: tuple[float, float, float] = (0.0, 0.0, 0.0)
    degrees: float = 0.0

    def pose(self, t: float) -> np.ndarray:
        """Return where it is at time t."""
        out = np.eye(4)
        angle = math.radians(t * self.degrees)
        out[:2, :2] = [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]
        out[:3, 3] = np.array(self.start) + t * np.array(self.travel)
        return out


@dataclass(frozen=True)
class Exhibit:
    """Two meshes and their motions; `truth` is the time of the first contact, inf if there is none."""

    name: str
    truth: float
    a: Triangles
    b: Triangles
    moves_a: Motion
    moves_b: Motion
    about: str
    """What is wrong elsewhere, and where that was seen."""

    def ask(self, method: str) -> Any:
        """Return the library's first contact."""
        a, motion_a = self._model("a", self.a, self.moves_a)
        b, motion_b = self._model("b", self.b, self.moves_b)
        return tocsin.Scene(a, b).first_contact(motion_a, motion_b, method=method)

    @staticmethod
    def _model(name: str, mesh: Triangles, moves: Motion) -> tuple[Any, Any]:
        if moves.degrees == 0.0:
            body = tocsin.Body(tocsin.Mesh(*mesh), name=name)
            return body, body.move(moves.pose(0.0), moves.pose(1.0))
        builder = tocsin.RobotBuilder(name).link("hub")
        builder.link("arm", tocsin.Mesh(*mesh), parent="hub", joint="continuous", origin=moves.start)
        robot = builder.build()
        return robot, robot.move([0.0], [math.radians(moves.degrees)])

    def verdict(self, time: float) -> str:
        """Return a time in words beside the truth."""
        if math.isinf(time):
            return "free" if math.isinf(self.truth) else "missed"
        if math.isinf(self.truth):
            return f"{time:.4f}, false alarm"
        if time > self.truth + LATE:
            return f"{time:.4f}, late"
        return f"{time:.4f}, early" if time < self.truth - LATE else f"{time:.4f}"

    def is_wrong(self, words: str) -> bool:
        """Return whether a verdict breaks what is promised here."""
        return any(word in words for word in ("missed", "alarm", "late", "early"))


def _box(size: tuple[float, float, float], at: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Triangles:
    vertices, faces = shapes.box(size)
    return vertices + np.array(at), faces


ROD = _box((2.0, 0.02, 0.02), (1.0, 0.0, 0.0))
POST = _box((0.02, 0.02, 1.0), (0.0, 0.8, 0.0))
MEETING = math.degrees(math.atan2(0.79, 0.01) - math.asin(0.01 / math.hypot(0.01, 0.79)))
"""The angle at which the rod meets the post."""

DART: Triangles = (
    np.array([[0.0, 0.0, 0.0], [-0.01, -0.01, 0.03], [0.01, -0.01, 0.03], [0.0, 0.01, 0.03]]),
    np.array([[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]]),
)
PLATE: Triangles = (0.1 * np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]), np.array([[0, 1, 2]]))
STILL = Motion()


def _rod(degrees: float, about: str) -> Exhibit:
    return Exhibit(f"rod, {degrees:g} degrees", MEETING / degrees, ROD, POST, Motion(degrees=degrees), STILL, about)


EXHIBITS = (
    _rod(170.0, "a hull of both poses, and vertices on straight lines, pass the post (Tesseract's cast hulls, ipctk)"),
    _rod(180.0, "a hull of both poses misses most of the swing (moveit#2889)"),
    _rod(350.0, "rapier 0.36's non-linear cast misses it, or answers 0.767; two poses mean the shorter arc"),
    _rod(710.0, "two poses do not say how often something turns"),
    _rod(1430.0, "two poses do not say how often something turns"),
    Exhibit(
        "tip on a face at t = 1", 1.0, DART, PLATE, Motion((0.025, 0.025, 0.025), (0.0, 0.0, -0.0875)),
        Motion((0.0, 0.0, 0.0), (0.0, 0.0, -0.0625)),
        "Tight-Inclusion's error filter takes a minimum where a maximum belongs: contacts at exactly t = 1 are missed",
    ),
    Exhibit(
        "two cubes head on", 0.5, _box((1.0, 1.0, 1.0)), _box((1.0, 1.0, 1.0)),
        Motion((-2.0, 0.0, 0.0), (2.0, 0.0, 0.0)), STILL,
        "FCL 0.7's conservative advancement on meshes missed 299 of 300 planted translations",
    ),
    Exhibit(
        "links 2 cm apart", math.inf, _box((1.0, 0.1, 0.1), (0.6, 0.0, 0.0)), _box((1.0, 0.1, 0.1), (0.6, 0.12, 0.0)),
        Motion(degrees=90.0), Motion(degrees=90.0),
        "hulls of both poses overlap: a false alarm, always (tesseract#392)",
    ),
    Exhibit(
        "1 mm sheet through 1 mm plate", 0.499, _box((0.5, 0.5, 0.001)), _box((0.5, 0.5, 0.001)),
        Motion((0.0, 0.0, 0.5), (0.0, 0.0, -1.0)), STILL,
        "samples step over it: 181 of 200 contacts of a sheet unseen every 0.05 rad (OMPL, Drake, VAMP, cuRobo)",
    ),
)  # fmt: skip


def _urdf(joint: str, more: str = "") -> str:
    links = "".join(f'<link name="{name}"/>' for name in ("a", "b"))
    return f'<robot name="r">{links}{joint}{more}</robot>'


def _joint(inside: str, name: str = "j", parent: str = "a", child: str = "b") -> str:
    return f'<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'


_LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
BAD_ROBOTS = {
    "an axis of nan": _urdf(_joint(f'<axis xyz="nan 0 1"/>{_LIMIT}')),
    "an axis of zeros": _urdf(_joint(f'<axis xyz="0 0 0"/>{_LIMIT}')),
    "lower above upper": _urdf(_joint('<axis xyz="0 0 1"/><limit lower="1" upper="-1" effort="1" velocity="1"/>')),
    "a cycle": _urdf(_joint(_LIMIT), _joint(_LIMIT, "k", "b", "a")),
    "a joint that mimics itself": _urdf(_joint(f'{_LIMIT}<mimic joint="j"/>')),
}
"""URDF files that describe no robot, which yourdfpy 0.0.60 loads without a word."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the museum."""
    parser.add_argument("--limit", type=float, default=20.0, help="seconds that a peer has for an answer (default 20)")


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Ask everybody, print the tables, and leave with an error if an answer of ours is wrong."""
    from tocsin_bench.peers import museum as peers

    ours = {f"tocsin, {method}": _ours(method) for method in METHODS}
    theirs, missing = peers.answers(args.limit)
    columns = {**ours, **theirs}
    rows = [[e.name, f"{e.truth:.4f}" if math.isfinite(e.truth) else "free"] for e in EXHIBITS]
    for k, row in enumerate(rows):
        row += [cells[k] for cells in columns.values()]
    report.table("First contacts", ["", "truth", *columns], rows)
    files = [[name, read(text)] for name, text in BAD_ROBOTS.items()]
    loads = peers.loaded(args.limit)
    for row, words in zip(files, loads):
        row.append(words)
    report.table("Files that describe no robot", ["", "tocsin", "yourdfpy"], files)
    for exhibit in EXHIBITS:
        report.console.print(f"{exhibit.name}: {exhibit.about}", highlight=False)
    if missing:
        report.console.print(f"not installed: {', '.join(missing)}", highlight=False)
    wrong = sum(e.is_wrong(cells[k]) for cells in ours.values() for k, e in enumerate(EXHIBITS))
    wrong += sum(words != "refused" for _, words, *_ in files)
    if wrong:
        sys.exit(f"{wrong} answers are wrong")
    return {"exhibits": {e.name: {who: cells[k] for who, cells in columns.items()} for k, e in enumerate(EXHIBITS)}}


def _ours(method: str) -> list[str]:
    return [exhibit.verdict(exhibit.ask(method).time) for exhibit in EXHIBITS]


def read(text: str) -> str:
    """Return whether the library reads a robot, in a word."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", tocsin.MeshWarning)  # they have no geometry
        path = Path(folder) / "robot.urdf"
        path.write_text(text)
        try:
            tocsin.Robot.from_urdf(path)
        except tocsin.TocsinError:
            return "refused"
    return "loaded"

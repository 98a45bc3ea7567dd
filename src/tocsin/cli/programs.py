"""`tocsin audit` of programs: several robots on one clock, events, tubes, reports and pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from tocsin.cli import inputs, output, proving, records
from tocsin.cli.options import Around, Following, Reading
from tocsin.errors import TocsinError, unknown_name
from tocsin.model.following import error_names
from tocsin.model.program import Program
from tocsin.model.robot import Robot
from tocsin.poses import pose
from tocsin.queries.audit import Conflict, ProgramAudit
from tocsin.queries.audit.program_records import NOT_BY_ITSELF
from tocsin.queries.audit.search import RESOLUTION
from tocsin.scene import Scene

PAIRED = "--with"
"""The option that takes two words, and may be given several times."""

BETWEEN = "\n"

Resolution = Annotated[
    float,
    typer.Option(
        "--resolution",
        metavar="STEP",
        help="Gaps between contacts in which no joint moves by this much (radians or metres) are not reported.",
    ),
]
Others = Annotated[
    list[str] | None,
    typer.Option(
        "--with",
        metavar="ROBOT TRAJECTORY",
        help="Another robot on the same clock: its file, and that of its trajectory. May be given several times.",
        show_default=False,
    ),
]
Places = Annotated[
    list[str] | None,
    typer.Option(
        "--place",
        metavar="NAME=X,Y,Z[,R,P,Y]",
        help="Where a robot's base stands: metres, and roll, pitch and yaw in radians.",
        show_default=False,
    ),
]
Error = Annotated[
    str | None,
    typer.Option(
        "--error",
        metavar="E",
        help="How far joints may be off, radians or metres: a number for all of all robots, or joint=value and "
        "robot/joint=value pairs. Proven for the whole tube.",
        show_default=False,
    ),
]
Events = Annotated[
    Path | None,
    typer.Option(
        "--events",
        metavar="FILE",
        readable=False,
        help="Steps of a program (.yaml, .json) beside the trajectories: what is gripped and let go, who else moves.",
        show_default=False,
    ),
]
Report = Annotated[
    Path | None,
    typer.Option("--report", metavar="HTML", help="Write a report to print and to file.", show_default=False),
]
Page = Annotated[
    Path | None,
    typer.Option("--page", metavar="HTML", help="Write a page that plays it on the clock.", show_default=False),
]


def paired(arguments: list[str]) -> list[str]:
    """Return arguments in which the two words after each --with are one: typer has no lists of pairs."""
    out: list[str] = []
    k = 0
    while k < len(arguments):
        if arguments[k] == PAIRED and k + 2 < len(arguments) and not arguments[k + 2].startswith("--"):
            out += [PAIRED, f"{arguments[k + 1]}{BETWEEN}{arguments[k + 2]}"]
            k += 3
        else:
            out.append(arguments[k])
            k += 1
    return out


@dataclass(frozen=True)
class Asked:
    """What `tocsin audit` alone takes; all but the first two are of programs."""

    resolution: Resolution = RESOLUTION
    prove: proving.Prove = None
    others: Others = None
    places: Places = None
    error: Error = None
    events: Events = None
    report: Report = None
    page: Page = None


@dataclass(frozen=True)
class First:
    """The robot that a command line begins with, and what it does."""

    robot: Robot
    file: Path
    trajectory: Path
    following: Following


@dataclass(frozen=True)
class Read:
    """A program, the scene that it runs in, and the files that both were read from."""

    program: Program
    scene: Scene
    files: list[Path]


def are_asked(asked: Asked, trajectory: Path) -> bool:
    """Is more asked for than the audit of one trajectory?"""
    from tocsin.io.programs import is_program

    more = (asked.others, asked.places, asked.events, asked.error, asked.report, asked.page)
    return any(more) or is_program(trajectory)


def read(asked: Asked, first: First, around: Around, reading: Reading) -> Read:
    """Return the program that the command line describes."""
    from tocsin.io.programs import load_program
    from tocsin.io.trajectories import load_trajectory

    pairs = [_pair(given) for given in asked.others or ()]
    others = _other_robots([file for file, _ in pairs], first.robot, reading)
    place([first.robot, *others], asked.places or ())
    scene = inputs.load_scene(first.robot, around, reading, others=others)
    off, *offs = by_robot(errors(asked.error), [first.robot, *others])
    program = _begun(first, scene, off)
    for other, error, (_, path) in zip(others, offs, pairs):
        program.follow(other, load_trajectory(path, interpolation=first.following.interpolation), error=error)
    files = [first.file, first.trajectory, *(around.scene or ()), *[file for pair in pairs for file in pair]]
    if reading.srdf is not None:  # it says which pairs are not checked
        files.append(reading.srdf)
    if asked.events is not None:
        load_program(asked.events, scene, program=program)
        files.append(asked.events)
    return Read(program, scene, files)


def _pair(given: str) -> tuple[Path, Path]:
    """Return the two files of one --with, see `paired`."""
    words = given.split(BETWEEN)
    if len(words) != 2:
        raise TocsinError(f"--with takes a robot and its trajectory, two files; got {given!r}.")
    return Path(words[0]), Path(words[1])


def _other_robots(files: Sequence[Path], first: Robot, reading: Reading) -> list[Robot]:
    """Return the robots beside the first; the SRDF file is that one's, and names are made distinct."""
    found: list[Robot] = []
    taken = {first.name}
    for file in files:
        robot = inputs.load_robot(file, replace(reading, srdf=None))
        name, k = robot.name, 1
        while robot.name in taken:
            k += 1
            robot.name = f"{name}-{k}"
        taken.add(robot.name)
        found.append(robot)
    return found


def _begun(first: First, scene: Scene, error: float | dict[str, float] | None) -> Program:
    """Return the program of the first robot's file: steps, or a trajectory that it follows."""
    from tocsin.io.programs import is_program, load_program
    from tocsin.io.trajectories import load_trajectory

    if is_program(first.trajectory):
        if error is not None:
            raise TocsinError("the steps of a program have errors of their own: leave out --error.")
        return load_program(first.trajectory, scene)
    program, following = Program(first.trajectory.stem), first.following
    plan = load_trajectory(first.trajectory, interpolation=following.interpolation)
    program.follow(first.robot, plan, error=error, group=following.group)
    return program


def place(robots: Sequence[Robot], given: Sequence[str]) -> None:
    """Put robots where --place NAME=X,Y,Z[,ROLL,PITCH,YAW] says; metres and radians."""
    by_name = {robot.name: robot for robot in robots}
    for text in given:
        name, _, numbers = text.partition("=")
        if name not in by_name:
            raise unknown_name("robot", name, by_name)
        try:
            values = [float(x) for x in numbers.split(",")]
        except ValueError:
            values = []
        if len(values) not in (3, 6) or not np.isfinite(values).all():
            raise TocsinError(
                f"--place takes NAME=X,Y,Z or NAME=X,Y,Z,ROLL,PITCH,YAW, in metres and radians; got {text!r}."
            )
        by_name[name].place(pose(values[:3], rpy=values[3:] or None))


def errors(text: str | None) -> float | dict[str, float] | None:
    """Return what --error means: one number, or joint=value pairs."""
    if text is None:
        return None
    words = [word for word in inputs.SEPARATOR.split(text) if word]
    try:
        if len(words) == 1 and "=" not in words[0]:
            return float(words[0])
        return {name: float(value) for name, value in (word.split("=", 1) for word in words)}
    except ValueError:
        raise TocsinError(f"--error takes a number, or joint=value pairs; got {text!r}.") from None


def by_robot(error: float | dict[str, float] | None, robots: Sequence[Robot]) -> list[float | dict[str, float] | None]:
    """Return what --error means for each of these: a number for all, a joint's for all that have such a joint."""
    if not isinstance(error, dict):
        return [error] * len(robots)
    found: list[dict[str, float]] = [{} for _ in robots]
    for name, value in error.items():
        of, _, joint = name.rpartition("/")
        having = [k for k, robot in enumerate(robots) if of in ("", robot.name) and joint in error_names(robot)]
        if not having:
            raise unknown_name("joint", name, [f"{r.name}/{joint}" for r in robots for joint in error_names(r)])
        for k in having:
            found[k][joint] = value
    return [own or None for own in found]


def beyond_limits(program: Program) -> list[str]:
    """Return a sentence for each joint of each robot that leaves its limits."""
    found: list[str] = []
    for track in program.tracks.values():
        if isinstance(track.model, Robot):
            said = inputs.beyond_limits(track.model, [segment.motion for segment in track.segments])
            found += [f"{track.model.name}: {sentence}" for sentence in said]
    return found


def show(found: ProgramAudit) -> None:
    """Print the audit of a program for people."""
    console = output.console()
    program = found.program
    kept = f"keeps more than {output.metres(found.margin)}" if found.margin > 0.0 else "touches nothing"
    own = ", or the margin of its pair," if found.scene.rules.margins else ""
    verdict = f": proven that everything {kept}{own} at every moment"
    if not found.is_free:
        many = len(found.conflicts)
        verdict = f": {many} stretch{'es' if many > 1 else ''} not proven; everything else is"
    console.print(output.headline(found.status, verdict))
    clock = f"{program.duration:.4g} s of {', '.join(t.model.name for t in program.tracks.values())}"
    rows = [
        ("program", f"{clock}; {len(program.events)} events, {len(found.phases)} phases"),
        ("clearance", _clearance(found)),
    ]
    if found.tube_said:
        rows.append(("errors take", found.tube_said))
    rows.append(("time taken", output.seconds(found.seconds)))
    console.print(output.facts(rows))
    for number, conflict in enumerate(found.conflicts, 1):
        style = output.COLOURS[conflict.status]
        what = "not kept" if conflict.is_contact else "undecided"
        console.print(f"\n[{style}]{number}[/]  {what} from {conflict.enter:.4f} s to {conflict.exit:.4f} s")
        console.print(output.facts(_facts(conflict)))


def _clearance(found: ProgramAudit) -> str:
    kept = found.clearance
    if not np.isfinite(kept.upper):
        return "nothing to keep away from"
    where = f"{kept.nearest.link_a} and {kept.nearest.link_b}, at {kept.at:.4f} s"
    speed = "" if kept.speed is None else f", {kept.speed:.3g} m/s against each other"
    return f"{output.metres(kept.lower)} (proven) to {output.metres(kept.upper)} (measured): {where}{speed}"


def _facts(conflict: Conflict) -> list[tuple[str, str]]:
    rows = [("links", "not known" if conflict.pair is None else conflict.pair.said)]
    if conflict.depth is not None and conflict.at is not None and conflict.distance is not None:
        apart = output.metres(conflict.distance)
        short = f"{output.metres(conflict.depth)} too close" if conflict.depth else f"but {NOT_BY_ITSELF}"
        rows.append(("closest", f"{apart} at {conflict.at:.4f} s, {short}"))
    if conflict.point is not None and np.isfinite(conflict.point).all():
        rows.append(("at", f"{output.vector(conflict.point)} m"))
    if conflict.speed is not None:
        rows.append(("speed", f"{conflict.speed:.3g} m/s against each other"))
    return rows


def record(found: ProgramAudit) -> output.Record:
    """The audit of a program, as JSON."""
    kept = found.clearance
    return {
        "status": found.status.value,
        "free": found.is_free,
        "margin": found.margin,
        "duration": found.program.duration,
        "conflicts": [
            {
                "status": c.status.value, "enter": c.enter, "exit": c.exit,
                "pair": None if c.pair is None else records.pair(c.pair), "margin": c.margin, "distance": c.distance,
                "depth": c.depth, "at": c.at, "point": c.point, "speed": c.speed,
            }
            for c in found.conflicts
        ],
        "clearance": {
            "lower": kept.lower, "upper": kept.upper, "at": kept.at, "speed": kept.speed,
            "nearest": records.nearest(kept.nearest) if np.isfinite(kept.upper) else None,
        },
        "curves": [
            {
                "pair": records.pair(c.pair), "edges": c.edges, "lower": c.lower, "times": c.times, "upper": c.upper,
            }
            for c in found.curves
        ],
        "tube_share": found.tube_share,
        "queries": found.queries,
        "seconds": found.seconds,
    }  # fmt: skip

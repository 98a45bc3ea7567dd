"""`tocsin audit` of programs: several robots on one clock, events, tubes, reports and pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tocsin.cli import inputs, output, records
from tocsin.errors import TocsinError, unknown_name
from tocsin.model.program import Program
from tocsin.model.robot import Robot
from tocsin.poses import pose
from tocsin.queries.audit import Conflict, ProgramAudit
from tocsin.scene import Scene

PAIRED = "--with"
"""The option that takes two words, and may be given several times."""

BETWEEN = "\n"


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


@dataclass
class Asked:
    """What the command line says of a program."""

    trajectory: Path
    others: Sequence[str] = ()
    """Robots and their trajectories, see `paired`."""
    places: Sequence[str] = ()
    events: Path | None = None
    error: str | None = None
    report: Path | None = None
    page: Path | None = None
    group: str | None = None
    interpolation: str | None = None
    files: list[Path] = field(default_factory=list)
    """What was read, for the report."""

    def is_program(self) -> bool:
        """Is more asked for than the audit of one trajectory?"""
        from tocsin.io.programs import is_program

        more = (self.others, self.places, self.events, self.error, self.report, self.page)
        return any(more) or is_program(self.trajectory)


def other_robots(asked: Asked, first: Robot, options: dict[str, Any]) -> list[tuple[Robot, Path]]:
    """Return the other robots with the files of their trajectories; names are made distinct."""
    found: list[tuple[Robot, Path]] = []
    taken = {first.name}
    for given in asked.others:
        words = given.split(BETWEEN)
        if len(words) != 2:
            raise TocsinError(f"--with takes a robot and its trajectory, two files; got {given!r}.")
        file, path = Path(words[0]), Path(words[1])
        robot = inputs.load_robot(file, **options)
        name, k = robot.name, 1
        while robot.name in taken:
            k += 1
            robot.name = f"{name}-{k}"
        taken.add(robot.name)
        found.append((robot, path))
        asked.files += [file, path]
    return found


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


def told(asked: Asked, scene: Scene, robot: Robot, others: Sequence[tuple[Robot, Path]]) -> Program:
    """Return the program that the command line tells."""
    from tocsin.io.programs import is_program, load_program
    from tocsin.io.trajectories import load_trajectory

    if is_program(asked.trajectory):
        if asked.error is not None:
            raise TocsinError("a program has the errors of its steps: leave --error out.")
        program = load_program(asked.trajectory, scene)
    else:
        program = Program(asked.trajectory.stem)
        plan = load_trajectory(asked.trajectory, interpolation=asked.interpolation)
        program.follow(robot, plan, error=errors(asked.error), group=asked.group)
    for other, path in others:
        program.follow(other, load_trajectory(path, interpolation=asked.interpolation))
    if asked.events is not None:
        load_program(asked.events, scene, program=program)
        asked.files.append(asked.events)
    return program


def show(found: ProgramAudit) -> None:
    """Print the audit of a program for people."""
    console = output.console()
    program = found.program
    kept = f"keeps more than {output.metres(found.margin)}" if found.margin > 0.0 else "touches nothing"
    verdict = f": proven that everything {kept}, or its pair's own margin, at every moment"
    if not found.is_free:
        many = len(found.conflicts)
        verdict = f": {many} stretch{'es' if many > 1 else ''} not proven; everything else is"
    console.print(output.headline(found.status, verdict))
    clock = f"{program.duration:.4g} s of {', '.join(t.model.name for t in program.tracks.values())}"
    rows = [
        ("program", f"{clock}; {len(program.events)} events, {len(found.phases)} phases"),
        ("clearance", _clearance(found)),
    ]
    if found.tube_share is not None:
        share = "all" if np.isnan(found.tube_share) else f"{100.0 * found.tube_share:.3g} %"
        rows.append(("errors take", f"{share} of the clearance that is proven without them"))
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
        rows.append(("closest", f"{apart} at {conflict.at:.4f} s, {output.metres(conflict.depth)} too close"))
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

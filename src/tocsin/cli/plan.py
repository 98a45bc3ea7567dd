"""`tocsin plan`: a way from one configuration to another, every moment of it proven free."""

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from tocsin.cli import inputs, options, output, records
from tocsin.errors import TocsinError
from tocsin.model.base import Motion
from tocsin.model.robot import Robot
from tocsin.queries.audit.records import Audit
from tocsin.results import Status
from tocsin.scene import Scene

EXAMPLE = (
    "Example: tocsin plan panda.urdf --srdf panda.srdf --scene shelf.yaml --group panda_arm --from ready "
    "--to 0.5,0.4,0,-1.8,0,2.2,0.8 --out plan.csv --save plan.html --picture plan.png\n\n"
    "Exit codes: 0 a way was found, and its audit proves it; 1 none was found in time; 2 bad input."
)

ATTEMPTS = 3
"""Plans, with other random numbers each, until an audit proves one. Where a way passes by something within the
tolerance, an audit may see contact where its edges are proven free."""

Out = Annotated[
    Path, typer.Option("--out", metavar="FILE", help="The trajectory: a .csv with times and a column for each joint.")
]
Save = Annotated[
    Path | None, typer.Option("--save", metavar="FILE", help="Also write an interactive page.", show_default=False)
]
Picture = Annotated[
    Path | None, typer.Option("--picture", metavar="FILE", help="Also draw a picture (.png).", show_default=False)
]
Seconds = Annotated[float, typer.Option("--seconds", metavar="S", help="How long to search at most.")]
Speed = Annotated[float, typer.Option("--speed", metavar="RATE", help="Of the joint that moves most, rad/s or m/s.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="The same seed finds the same way.")]


def plan(
    robot: options.RobotFile,
    start: options.From,
    end: options.To,
    scene: options.Scenes = None,
    scale: options.Scale = None,
    out: Out = Path("plan.csv"),
    save: Save = None,
    picture: Picture = None,
    seconds: Seconds = 10.0,
    speed: Speed = 1.0,
    seed: Seed = 0,
    group: options.Group = None,
    margin: options.Margin = 0.0,
    self_margin: options.SelfMargin = None,
    srdf: options.Srdf = None,
    packages: options.Packages = None,
    geometry: options.Geometry = "collision",
    ignore_overlapping: options.IgnoreOverlapping = False,
    ignore: options.Ignore = None,
    as_json: options.Json = False,
) -> None:
    """Plan a way from one configuration to another, prove it, and write it as a trajectory.

    \f
    Many arguments because they are the options of a command.
    """
    for path, suffix in ((out, ".csv"), (save, ".html"), (picture, ".png")):
        if path is not None and path.suffix.lower() != suffix:
            raise TocsinError(f"the name of this file must end in {suffix}; got {str(path)!r}.")
    arm = inputs.load_robot(
        robot, srdf=srdf, packages=packages, geometry=geometry, ignore_overlapping=ignore_overlapping
    )
    cell = inputs.load_scene(arm, scene, ignore, scale=scale, packages=packages, margin=margin, self_margin=self_margin)
    q0 = inputs.configuration(arm, start, "--from", group)
    q1 = inputs.configuration(arm, end, "--to", group, q0)
    from tocsin.planning import plan as search

    found = proven = motion = None
    for attempt in range(ATTEMPTS):
        found = search(cell, arm, q0, q1, group=group, margin=margin, seconds=seconds, seed=seed + attempt)
        if not found.found:
            break
        _write(out, arm, found.times(speed), found.path)
        motion, proven = _audited(cell, arm, out, margin)
        if proven.is_free:
            break
    assert found is not None
    files = [] if motion is None else _drawn(cell, arm, motion, margin, {"page": save, "picture": picture})
    good = found.found and proven is not None and proven.is_free
    if as_json:
        record = records.opening("plan", arm, cell) | {"found": found.found, "free": good, "margin": margin}
        record |= {"edges": found.edges, "nodes": found.nodes, "seconds": found.seconds}
        record |= {"waypoints": len(found.path), "duration": None if proven is None else proven.duration}
        output.write_json(record | {"files": [str(out), *files] if found.found else []})
    else:
        _show(cell, arm, found, proven, margin, [str(out), *files])
    raise typer.Exit(0 if good else 1)


def _write(path: Path, robot: Robot, times: np.ndarray, rows: np.ndarray) -> None:
    """Write a trajectory, numbers as they are."""
    lines = [",".join(["time", *robot.joint_names])]
    lines += [",".join(map(repr, (t, *row))) for t, row in zip(times.tolist(), rows.tolist())]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _audited(scene: Scene, robot: Robot, path: Path, margin: float) -> tuple[Motion, Audit]:
    """Return the motion of a trajectory as its file tells it, and its audit."""
    from tocsin.queries.audit import audit

    motion = inputs.load_trajectory(robot, path)
    return motion, audit(scene, robot, motion, margin=margin)


def _drawn(scene: Scene, robot: Robot, motion: Motion, margin: float, wanted: dict[str, Path | None]) -> list[str]:
    """Write a page and a picture, if they are wanted; return their files."""
    from tocsin import viewer

    files = []
    for kind, write in (("page", viewer.save_page), ("picture", viewer.save_picture)):
        path = wanted[kind]
        if path is not None:
            with output.progress(f"drawing {path.name}"):
                write(path, scene, motion, margin=margin, title=robot.name)
            files.append(str(path))
    return files


def _show(scene: Scene, robot: Robot, found: object, proven: Audit | None, margin: float, files: list[str]) -> None:
    """Print what was found for people."""
    from tocsin.planning import Plan

    assert isinstance(found, Plan)
    console = output.console()
    rows = [("search", f"{found.edges:,} edges asked, {found.nodes:,} nodes, {output.seconds(found.seconds)}")]
    if proven is None:
        console.print(output.headline(Status.CAPPED, ": no way was found in time; try --seconds, or another --seed"))
        console.print(output.facts(rows))
        return
    free = f": proven that {robot.name} {inputs.kept(scene, margin)} on the whole way"
    text = free if proven.is_free else ": a way was found, but it is within the tolerance of something; try --margin"
    console.print(output.headline(Status.FREE if proven.is_free else Status.CAPPED, text))
    rows.insert(0, ("way", f"{len(found.path)} waypoints, {found.length:.4g} rad or m in all, {proven.duration:.4g} s"))
    clearance = proven.clearance
    if np.isfinite(clearance.upper):
        bounds = f"{output.metres(clearance.lower)} (proven) to {output.metres(clearance.upper)} (attained)"
        rows.append(("clearance", bounds))
    console.print(output.facts([*rows, ("wrote", ", ".join(files))]))

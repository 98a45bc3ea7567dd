"""`tocsin plan`: a way from one configuration to another, every moment of it proven free."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from tocsin.cli import inputs, options, output, records
from tocsin.cli.grouped import grouped
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
Speed = Annotated[float, typer.Option("--speed", metavar="RATE", help="Of the joint that moves most: rad/s or m/s.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Of the random search: the same seed finds the same path.")]


@dataclass(frozen=True)
class Search:
    """How long, and with which random numbers, a way is sought, and how fast it is driven."""

    seconds: Seconds = 10.0
    speed: Speed = 1.0
    seed: Seed = 0


@dataclass(frozen=True)
class Files:
    """What is written."""

    out: Out = Path("plan.csv")
    save: Save = None
    picture: Picture = None


@grouped
def plan(
    robot: options.RobotFile,
    ends: options.Ends,
    around: options.Around,
    files: Files,
    search: Search,
    reading: options.Reading,
    as_json: options.Json = False,
) -> None:
    """Plan a way from one configuration to another, prove it, and write it as a trajectory."""
    inputs.expect_suffixes((files.out, ".csv"), (files.save, ".html"), (files.picture, ".png"))
    arm = inputs.load_robot(robot, reading)
    cell = inputs.load_scene(arm, around, reading)
    q0, q1 = inputs.ends(arm, ends)
    from tocsin.planning import plan as find

    margin, found, proven, motion = around.margin, None, None, None
    for seed in range(search.seed, search.seed + ATTEMPTS):
        found = find(cell, arm, q0, q1, group=ends.group, margin=margin, seconds=search.seconds, seed=seed)
        if not found.found:
            break
        _write(files.out, arm, found.times(search.speed), found.path)
        motion, proven = _audited(cell, arm, files.out, margin)
        if proven.is_free:
            break
    assert found is not None
    written = [] if motion is None else [str(files.out), *_drawn(cell, arm, motion, margin, files)]
    good = found.found and proven is not None and proven.is_free
    if as_json:
        record = records.opening("plan", arm, cell) | {"found": found.found, "free": good, "margin": margin}
        record |= {"edges": found.edges, "nodes": found.nodes, "seconds": found.seconds}
        record |= {"waypoints": len(found.path), "duration": None if proven is None else proven.duration}
        output.write_json(record | {"files": written if found.found else []})
    else:
        _show(cell, arm, found, proven, margin, written)
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


def _drawn(scene: Scene, robot: Robot, motion: Motion, margin: float, wanted: Files) -> list[str]:
    """Write a page and a picture, if they are wanted; return their files."""
    from tocsin import viewer

    files: list[str] = []
    for path, write in ((wanted.save, viewer.save_page), (wanted.picture, viewer.save_picture)):
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

"""`tocsin view`: the viewer in a browser, or a page or a picture of it in a file."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from tocsin.cli import inputs, options, output, records
from tocsin.cli.grouped import grouped
from tocsin.cli.output import Record
from tocsin.errors import TocsinError
from tocsin.model.base import Motion
from tocsin.model.robot import Robot
from tocsin.motion.links import BASE_WIDTH

EXAMPLE = (
    "Example: tocsin view panda.urdf --scene table.stl --from 0,0,0,-1.5,0,1.5,0 --to 1,0.5,0,-1,0,1.5,0\n\n"
    "Example: tocsin view ur10.urdf planned.csv --scene cell.glb --save page.html --picture contact.png\n\n"
    "The exit code is 0 whether or not something touches."
)

Save = Annotated[
    Path | None,
    typer.Option(
        "--save", metavar="FILE", help="Write an interactive page (.html) instead of serving one.", show_default=False
    ),
]
Picture = Annotated[
    Path | None,
    typer.Option("--picture", metavar="FILE", help="Write a picture (.png); no screen needed.", show_default=False),
]
Host = Annotated[str, typer.Option("--host", help="Address to serve on; other machines see 0.0.0.0, not this one.")]
Port = Annotated[int, typer.Option("--port", min=1, max=65535, help="Port to serve on.")]


@dataclass(frozen=True)
class Way:
    """What is looked at: a trajectory, a motion between two configurations, or the robot as it stands."""

    trajectory: options.OptionalTrajectoryFile = None
    start: options.OptionalFrom = None
    end: options.OptionalTo = None
    group: options.Group = None
    interpolation: options.Interpolation = None


@dataclass(frozen=True)
class Shown:
    """Where it is shown: in files, or by a server."""

    save: Save = None
    picture: Picture = None
    host: Host = "127.0.0.1"
    port: Port = 8080


@grouped
def view(
    robot: options.RobotFile,
    way: Way,
    around: options.Around,
    shown: Shown,
    reading: options.Reading,
    tolerance: options.Tolerance = None,
    as_json: options.Json = False,
) -> None:
    """Look at a robot in its scene, on the way from one configuration to another or along a trajectory."""
    inputs.expect_suffixes((shown.save, ".html"), (shown.picture, ".png"))
    arm = inputs.load_robot(robot, reading)
    motion = _motion(arm, way)
    cell = inputs.load_scene(arm, around, reading)
    hit = cell.first_contact(motion, margin=around.margin, tolerance=tolerance)
    from tocsin import viewer

    about: Record = {"hit": hit, "margin": around.margin, "title": arm.name}
    writers = ((shown.save, viewer.save_page), (shown.picture, viewer.save_picture))
    files = [str(path) for path, _ in writers if path is not None]
    for path, write in writers:
        if path is not None:
            with output.progress(f"drawing {path.name}"):
                write(path, cell, **about)
    if as_json:
        record = records.opening("view", arm, cell) | records.first_contact(arm, hit)
        output.write_json(record | {"files": files})
    else:
        for file in files:
            print(f"wrote {file}")
    if not files:
        viewer.view(cell, host=shown.host, port=shown.port, **about)


def _motion(robot: Robot, way: Way) -> Motion:
    """Return the motion that was asked for; without one the robot stands."""
    if way.trajectory is not None and (way.start is not None or way.end is not None):
        raise TocsinError("give a TRAJECTORY, or --from and --to, but not both.")
    if way.trajectory is not None:
        return inputs.load_trajectory(robot, way.trajectory, options.Following(way.group, way.interpolation))
    if way.start is None and way.end is None:
        return robot.at(robot.rest[BASE_WIDTH:])
    if way.start is None or way.end is None:
        raise TocsinError("a motion needs both --from and --to.")
    return robot.move(*inputs.ends(robot, options.Ends(way.start, way.end, way.group)))

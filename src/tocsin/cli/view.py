"""`tocsin view`: the viewer in a browser, or a page or a picture of it in a file."""

from pathlib import Path
from typing import Annotated

import typer

from tocsin.cli import inputs, options, output, records
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


def view(
    robot: options.RobotFile,
    trajectory: options.OptionalTrajectoryFile = None,
    scene: options.Scenes = None,
    scale: options.Scale = None,
    start: options.OptionalFrom = None,
    end: options.OptionalTo = None,
    save: Save = None,
    picture: Picture = None,
    host: Host = "127.0.0.1",
    port: Port = 8080,
    group: options.Group = None,
    interpolation: options.Interpolation = None,
    margin: options.Margin = 0.0,
    self_margin: options.SelfMargin = None,
    tolerance: options.Tolerance = None,
    srdf: options.Srdf = None,
    packages: options.Packages = None,
    geometry: options.Geometry = "collision",
    ignore_overlapping: options.IgnoreOverlapping = False,
    ignore: options.Ignore = None,
    as_json: options.Json = False,
) -> None:
    """Look at a robot in its scene, on the way from one configuration to another or along a trajectory."""
    for path, suffix in ((save, ".html"), (picture, ".png")):
        if path is not None and path.suffix.lower() != suffix:
            raise TocsinError(f"the name of this file must end in {suffix}; got {str(path)!r}.")
    arm = inputs.load_robot(
        robot, srdf=srdf, packages=packages, geometry=geometry, ignore_overlapping=ignore_overlapping
    )
    motion = _motion(arm, trajectory, start, end, group, interpolation)
    cell = inputs.load_scene(arm, scene, ignore, scale=scale, packages=packages, margin=margin, self_margin=self_margin)
    hit = cell.first_contact(motion, margin=margin, tolerance=tolerance)
    from tocsin import viewer

    shown: Record = {"hit": hit, "margin": margin, "title": arm.name}
    for path, write in ((save, viewer.save_page), (picture, viewer.save_picture)):
        if path is not None:
            with output.progress(f"drawing {path.name}"):
                write(path, cell, **shown)
    files = [str(path) for path in (save, picture) if path is not None]
    if as_json:
        record = records.opening("view", arm, cell) | records.first_contact(arm, hit)
        output.write_json(record | {"files": files})
    else:
        for file in files:
            print(f"wrote {file}")
    if not files:
        viewer.view(cell, host=host, port=port, **shown)


def _motion(
    robot: Robot, trajectory: Path | None, start: str | None, end: str | None, group: str | None, how: str | None
) -> Motion:
    """Return the motion that was asked for; without one the robot stands."""
    if trajectory is not None and (start is not None or end is not None):
        raise TocsinError("give a TRAJECTORY, or --from and --to, but not both.")
    if trajectory is not None:
        return inputs.load_trajectory(robot, trajectory, group, how)
    if start is None and end is None:
        return robot.at(robot.rest[BASE_WIDTH:])
    if start is None or end is None:
        raise TocsinError("a motion needs both --from and --to.")
    q0 = inputs.configuration(robot, start, "--from", group)
    return robot.move(q0, inputs.configuration(robot, end, "--to", group, q0))

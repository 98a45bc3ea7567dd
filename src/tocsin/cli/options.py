"""The arguments and options that several commands take, each written once, and records of those taken together.

Paths are `readable=False`, which leaves it to the readers to say what is wrong with them.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

RobotFile = Annotated[
    Path,
    typer.Argument(metavar="ROBOT", readable=False, help="A .urdf, .xacro, .sdf or .xml file.", show_default=False),
]
TrajectoryFile = Annotated[
    Path,
    typer.Argument(
        metavar="TRAJECTORY",
        readable=False,
        help="A .csv (its header names the joints), .npy, .npz, .parquet, or MoveIt's .yaml or .json file; to audit "
        "also a program's.",
        show_default=False,
    ),
]
OptionalTrajectoryFile = Annotated[
    Path | None,
    typer.Argument(metavar="[TRAJECTORY]", readable=False, help="A trajectory to follow.", show_default=False),
]
Scenes = Annotated[
    list[Path] | None,
    typer.Option(
        "--scene",
        metavar="PATH",
        readable=False,
        help="What is around the robot: a mesh, a GLB of many, a folder of meshes, a planning scene (.scene, "
        ".yaml), another robot. May be given several times.",
        show_default=False,
    ),
]
Scale = Annotated[
    float | None,
    typer.Option(
        "--scale", metavar="FACTOR", help="Scale of meshes in --scene: 0.001 for millimetres.", show_default=False
    ),
]
Srdf = Annotated[
    Path | None,
    typer.Option(
        "--srdf",
        metavar="FILE",
        readable=False,
        help="An SRDF file: pairs of links not to check, groups, named states.",
        show_default=False,
    ),
]
Packages = Annotated[
    list[Path] | None,
    typer.Option(
        "--packages",
        metavar="FOLDER",
        readable=False,
        help="Where package:// leads: a package, or a folder of packages. May be given several times.",
        show_default=False,
    ),
]
Geometry = Annotated[
    str, typer.Option("--geometry", metavar="collision|visual", help="Which geometry of a URDF is used.")
]
IgnoreOverlapping = Annotated[
    bool,
    typer.Option(
        "--ignore-overlapping",
        help="Do not check links against each other that overlap in all sampled configurations.",
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(
        "--ignore",
        metavar="A,B",
        help="Do not check A against B: models, links, or model/link. May be given several times.",
        show_default=False,
    ),
]
Interpolation = Annotated[
    str | None,
    typer.Option(
        "--interpolation",
        metavar="HOW",
        help='"linear": the controller drives straight lines, whatever velocities the trajectory has.',
        show_default=False,
    ),
]
Group = Annotated[
    str | None,
    typer.Option("--group", metavar="NAME", help="The SRDF group whose joints are meant.", show_default=False),
]
CONFIGURATION = "numbers (0,0.5,-1.2), joint=value pairs, a .json or .yaml file, or a named state of the SRDF"
From = Annotated[
    str, typer.Option("--from", metavar="Q", help=f"Where the motion starts: {CONFIGURATION}.", show_default=False)
]
To = Annotated[str, typer.Option("--to", metavar="Q", help="Where it ends, in the same forms.", show_default=False)]
OptionalFrom = Annotated[
    str | None,
    typer.Option("--from", metavar="Q", help=f"Where the motion starts: {CONFIGURATION}.", show_default=False),
]
OptionalTo = Annotated[
    str | None, typer.Option("--to", metavar="Q", help="Where it ends, in the same forms.", show_default=False)
]
Margin = Annotated[
    float,
    typer.Option("--margin", metavar="METRES", help="A distance of at most this to what is around it is a contact."),
]
SelfMargin = Annotated[
    float | None,
    typer.Option(
        "--self-margin",
        metavar="METRES",
        help="The same between links of the robot: by default 0, or --margin where there is no --scene.",
    ),
]
Tolerance = Annotated[
    float | None,
    typer.Option(
        "--tolerance",
        metavar="METRES",
        help="How far beyond the margin a reported contact may be; by default 1e-4 of the smaller shape's diagonal.",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")]


@dataclass(frozen=True)
class Reading:
    """How the file of a robot is read."""

    srdf: Srdf = None
    packages: Packages = None
    geometry: Geometry = "collision"
    ignore_overlapping: IgnoreOverlapping = False


@dataclass(frozen=True)
class Around:
    """What is around a robot, and how far it is to stay away from it and from itself."""

    scene: Scenes = None
    scale: Scale = None
    margin: Margin = 0.0
    self_margin: SelfMargin = None
    ignore: Ignore = None


@dataclass(frozen=True)
class Ends:
    """Where a motion starts and ends."""

    start: From
    end: To
    group: Group = None


@dataclass(frozen=True)
class Following:
    """How the columns of a trajectory are read, and how it is driven."""

    group: Group = None
    interpolation: Interpolation = None

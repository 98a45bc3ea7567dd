"""`tocsin matrix`: which links of a robot can touch each other at all, proven; as an SRDF file, or against one."""

import math
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

import tocsin
from tocsin.cli import inputs, options, output
from tocsin.io.srdf import read_srdf, write_srdf
from tocsin.results import LinkPairs

EXAMPLE = (
    "Examples: tocsin matrix panda.urdf --out panda.srdf; tocsin matrix panda.urdf --check panda.srdf\n\n"
    "Exit codes: 0 done, 1 --check found a disabled pair that can collide."
)

CAN_COLLIDE = 1
"""Exit code."""

Out = Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write an SRDF file.", show_default=False)]
Check = Annotated[
    Path | None,
    typer.Option("--check", metavar="SRDF", help="List the pairs that this file disables and that can collide."),
]
Proof = Annotated[
    Path | None, typer.Option("--proof", metavar="FILE", help="Write a proof that `tocsin verify` checks.")
]
Pictures = Annotated[
    Path | None, typer.Option("--pictures", metavar="FOLDER", help="With --check: a picture of each witness.")
]
Margin = Annotated[float, typer.Option("--margin", metavar="METRES", help="How near counts as touching.")]
Most = Annotated[int, typer.Option("--most", metavar="BOXES", help="Boxes of joint values tried for a pair of shapes.")]

Seconds = Annotated[
    float | None,
    typer.Option("--seconds", metavar="S", help="Begin no pair after so long; what was found is kept, so call again."),
]


def matrix(
    robot: options.RobotFile,
    out: Out = None,
    check: Check = None,
    margin: Margin = 0.001,
    most: Most = 100_000_000,
    seconds: Seconds = None,
    proof: Proof = None,
    pictures: Pictures = None,
    packages: options.Packages = None,
    geometry: options.Geometry = "collision",
    as_json: options.Json = False,
) -> None:
    """Prove of every pair of links that it never touches, or show joint values at which it does.

    \f
    Many arguments because they are the options of a command.
    """
    arm = inputs.load_robot(robot, options.Reading(packages=packages, geometry=geometry))
    with output.progress("pairs of links") as progress:
        pairs = arm.prove_pairs(margin=margin, most=most, proof=proof, progress=progress, seconds=seconds)
    if out is not None:
        write_srdf(out, arm, pairs.disabled())
    colliding = _colliding(pairs, check) if check is not None else []
    if pictures is not None:
        _draw(pictures.expanduser(), arm, pairs, colliding)
    if as_json:
        output.write_json(_record(pairs, colliding) | {"robot": arm.name})
    else:
        _show(pairs, colliding, check)
    if colliding:
        raise typer.Exit(CAN_COLLIDE)


def _colliding(pairs: LinkPairs, srdf: Path) -> list[tuple[str, str]]:
    """Return the pairs that an SRDF file disables though they can collide."""
    disabled = {frozenset(pair) for pair in read_srdf(srdf).disabled}
    found = [(p.link_a, p.link_b) for p in pairs if p.verdict == "sometimes"]
    return [pair for pair in found if frozenset(pair) in disabled]


def _draw(folder: Path, arm: tocsin.Robot, pairs: LinkPairs, colliding: list[tuple[str, str]]) -> None:
    """Draw the robot at the witness of each pair that is disabled and can collide; what else touches there is not
    asked about."""
    from tocsin.viewer import save_picture

    folder.mkdir(parents=True, exist_ok=True)
    for pair in pairs:
        if (pair.link_a, pair.link_b) in colliding and pair.witness is not None:
            scene = tocsin.Scene(arm)
            for other in pairs:
                if other is not pair:
                    scene.ignore(f"{arm.name}/{other.link_a}", f"{arm.name}/{other.link_b}")
            file, title = folder / f"{pair.link_a}-{pair.link_b}.png", f"{pair.link_a} and {pair.link_b}"
            save_picture(file, scene, arm.at(pair.witness), title=title, margin=pairs.margin)


def _record(pairs: LinkPairs, colliding: list[tuple[str, str]]) -> output.Record:
    return {
        "tocsin": tocsin.__version__,
        "command": "matrix",
        "margin": pairs.margin,
        "pairs": [
            {
                "links": [p.link_a, p.link_b], "verdict": p.verdict, "boxes": p.boxes, "reason": p.reason,
                "closest": [p.closest[0], p.closest[1] if math.isfinite(p.closest[1]) else None],
                "witness": None if p.witness is None else p.witness.tolist(),
            }
            for p in pairs
        ],
        "disabled_and_can_collide": [list(pair) for pair in colliding],
    }  # fmt: skip


def _show(pairs: LinkPairs, colliding: list[tuple[str, str]], check: Path | None) -> None:
    console = output.console()
    rows = [(p.link_a, p.link_b, p.verdict, f"{p.boxes:,}", p.reason) for p in pairs if p.verdict != "adjacent"]
    console.print(output.table(("link", "and", "verdict", "boxes", "why"), rows, right=(3,)))
    counts = Counter(p.verdict for p in pairs)
    console.print(output.facts([(verdict, f"{n:,}") for verdict, n in counts.most_common()]))
    if check is not None:
        console.print(f"  {check.name} disables {len(colliding)} pairs that can collide", highlight=False)
        for a, b in colliding:
            console.print(f"    {a} and {b}", markup=False, highlight=False)

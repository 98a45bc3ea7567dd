"""`tocsin check`: is one straight motion free, and if not, when and where does it first touch?"""

import typer

from tocsin.cli import inputs, options, output, records
from tocsin.cli.grouped import grouped
from tocsin.model.robot import Robot
from tocsin.results import FirstContact, Status
from tocsin.scene import Scene

EXAMPLE = (
    "Example: tocsin check panda.urdf --srdf panda.srdf --scene table.stl --group panda_arm --from ready "
    "--to 0,0.4,0,-1.8,0,2.2,0.8 --margin 0.01\n\n"
    "Exit codes: 0 proven free, 1 contact or undecided, 2 bad input."
)

SHOWN = 6
"""Contacts in the table; `--json` prints all."""


@grouped
def check(
    robot: options.RobotFile,
    ends: options.Ends,
    around: options.Around,
    reading: options.Reading,
    tolerance: options.Tolerance = None,
    as_json: options.Json = False,
) -> None:
    """Check one motion, every joint at a constant rate: proven free, or when and where it first touches."""
    arm = inputs.load_robot(robot, reading)
    cell = inputs.load_scene(arm, around, reading)
    q0, q1 = inputs.ends(arm, ends)
    margin = around.margin
    beyond = {option: inputs.outside_limits(arm, q) for option, q in (("--from", q0), ("--to", q1))}
    hit = cell.first_contact(arm.move(q0, q1), margin=margin, tolerance=tolerance)
    if as_json:
        record = records.opening("check", arm, cell)
        record |= {"self_margin": inputs.self_margin_of(cell, margin)}
        record |= {"margin": margin, "from": records.by_joint(arm, q0), "to": records.by_joint(arm, q1)}
        record |= records.first_contact(arm, hit)
        output.write_json(record | {"within_limits": not any(beyond.values())})
    else:
        for option, sentences in beyond.items():
            for sentence in sentences:
                output.note(f"warning: {option}: {sentence}.")
        show(arm, cell, hit, margin)
    raise typer.Exit(1 if hit.collides else 0)


def show(robot: Robot, scene: Scene, hit: FirstContact, margin: float) -> None:
    """Print the answer about one motion for people."""
    console = output.console()
    within = f" within {output.metres(margin)}" if margin > 0.0 else ""
    if hit.status is Status.FREE:
        text = f": proven that {robot.name} {inputs.kept(scene, margin)} during the whole motion"
    elif hit.status is Status.CAPPED:
        text = f": proven free until t = {hit.time:.6f}, and not known after that"
    else:
        contact = hit.contacts[0]
        text = f" at t = {hit.time:.6f}: {contact.link_a} and {contact.link_b}{within}"
    console.print(output.headline(hit.status, text))
    rows: list[tuple[str, str]] = []
    if hit.contacts:
        joints = records.by_joint(robot, robot.at_contact(hit))
        rows.append(("joints", ", ".join(f"{k} {_number(v)}" for k, v in joints.items())))
        rows.append(("tolerance", output.metres(hit.tolerance)))
    stats = hit.stats
    rows.append(("pairs", f"{stats.pairs_total:,}, {stats.pairs_spatial:,} after spatial culling"))
    console.print(output.facts(rows))
    if hit.contacts:
        columns = ("between", "and", "features", "vertices", "at (m)", "distance")
        found = [
            (c.link_a, c.link_b, c.kind, vertices(c.features), output.vector(c.point_a), output.metres(c.distance))
            for c in hit.contacts[:SHOWN]
        ]
        console.print(output.table(columns, found, right=(5,)))
        if len(hit.contacts) > SHOWN:
            console.print(f"  and {len(hit.contacts) - SHOWN} more contacts: --json lists all", style="dim")


def vertices(features: tuple[tuple[int, ...], tuple[int, ...]]) -> str:
    """Return the vertex numbers of both features; a dash for a solid, which has none."""
    return " / ".join(", ".join(map(str, side)) or "-" for side in features)


def _number(value: float | list[float]) -> str:
    return output.vector(value) if isinstance(value, list) else f"{value:.4f}"

"""`tocsin audit`: a whole trajectory, every stretch of it that is not proven free."""

import math

import typer

from tocsin.cli import check, inputs, options, output, programs, proving, records
from tocsin.cli.grouped import grouped
from tocsin.queries.audit.records import Audit, Moment, Stretch
from tocsin.results import Contact

EXAMPLE = (
    "Example: tocsin audit ur10.urdf planned.csv --scene cell.glb --scene fixture.stl --margin 0.02\n\n"
    "Two robots, a report: tocsin audit a.urdf a.yaml --with b.urdf b.yaml --place b=1,0,0 --report out.html\n\n"
    "Exit codes: 0 the whole trajectory is proven free, 1 contact or undecided, 2 bad input."
)

SHOWN = 12
"""Stretches that are printed; `--json` prints all."""


@grouped
def audit(
    robot: options.RobotFile,
    trajectory: options.TrajectoryFile,
    around: options.Around,
    following: options.Following,
    asked: programs.Asked,
    reading: options.Reading,
    tolerance: options.Tolerance = None,
    as_json: options.Json = False,
) -> None:
    """Audit a trajectory, or a program of several robots: what is not proven free, and the clearance."""
    from tocsin.queries.audit import audit as ask

    arm = inputs.load_robot(robot, reading)
    if programs.are_asked(asked, trajectory):
        read = programs.read(asked, programs.First(arm, robot, trajectory, following), around, reading)
        _audit_program(asked, read, around.margin, tolerance, as_json)
        return
    motion = inputs.load_trajectory(arm, trajectory, following)
    cell = inputs.load_scene(arm, around, reading)
    beyond = inputs.beyond_limits(arm, [motion])
    margin, resolution = around.margin, asked.resolution
    with output.progress("auditing") as progress:
        found = ask(cell, arm, motion, margin=margin, tolerance=tolerance, resolution=resolution, progress=progress)
    proofs = None if asked.prove is None else proving.proofs(cell, motion, margin, tolerance, asked.prove)
    if as_json:
        record = records.opening("audit", arm, cell) | {"trajectory": str(trajectory), "within_limits": not beyond}
        record |= {"self_margin": inputs.self_margin_of(cell, margin)}
        output.write_json(record | records.audit(arm, found) | ({} if proofs is None else {"proofs": proofs}))
    else:
        for sentence in beyond:
            output.note(f"warning: {sentence}.")
        show(found, arm.name, inputs.kept(cell, margin))
        if proofs is not None:
            proving.show(proofs)
    raise typer.Exit(0 if found.is_free else 1)


def _audit_program(
    asked: programs.Asked, read: programs.Read, margin: float, tolerance: float | None, as_json: bool
) -> None:
    """Audit a program, write what was asked for, and leave with the exit code."""
    from tocsin.queries.audit import audit as ask

    program, cell, resolution = read.program, read.scene, asked.resolution
    with output.progress("auditing") as progress:
        found = ask(cell, program, margin=margin, tolerance=tolerance, resolution=resolution, progress=progress)
    proofs = None
    if asked.prove is not None:
        proofs = proving.program_proofs(cell, program, (margin, tolerance), asked.prove)
    if asked.report is not None or asked.page is not None:
        from tocsin.viewer import save_page, save_report

        if asked.report is not None:
            save_report(asked.report, found, files=read.files, proofs=proofs)
        if asked.page is not None:
            save_page(asked.page, cell, found, title=program.name)
    if as_json:
        record = {"command": "audit", "within_limits": not programs.beyond_limits(program)}
        output.write_json(record | programs.record(found) | ({} if proofs is None else {"proofs": proofs}))
    else:
        for sentence in programs.beyond_limits(program):
            output.note(f"warning: {sentence}.")
        programs.show(found)
        if proofs is not None:
            proving.show(proofs)
    raise typer.Exit(0 if found.is_free else 1)


def show(found: Audit, name: str, kept: str) -> None:
    """Print an audit for people."""
    console = output.console()
    console.print(output.headline(found.status, _verdict(found, name, kept)))
    way = f"{found.waypoints:,} waypoints; the joint that moves most goes {found.length:.4g} rad or m"
    if found.duration is not None:
        way += f", in {found.duration:.4g} s"
    rows = [("trajectory", way), ("clearance", _clearance(found)), ("time taken", output.seconds(found.seconds))]
    console.print(output.facts(rows))
    for number, stretch in enumerate(found.stretches[:SHOWN], 1):
        style = output.COLOURS[stretch.status]
        what = "in contact" if stretch.is_contact else "undecided"
        console.print(f"\n[{style}]{number}[/]  {what} from {_moment(stretch.enter)} to {_moment(stretch.exit)}")
        console.print(output.facts(_facts(stretch)))
    if len(found.stretches) > SHOWN:
        console.print(f"\nand {len(found.stretches) - SHOWN} more: --json lists all", style="dim")


def _verdict(found: Audit, name: str, kept: str) -> str:
    if found.is_free:
        return f": proven that {name} {kept} on the whole trajectory"
    touching = sum(s.is_contact for s in found.stretches)
    undecided = len(found.stretches) - touching
    within = f" within {output.metres(found.margin)}" if found.margin else ""
    counts = [f"{touching} stretch{'es' if touching > 1 else ''} in contact{within}"] if touching else []
    counts += [f"{undecided} undecided"] if undecided else []
    return f": {', '.join(counts)}; everything else is proven free"


def _clearance(found: Audit) -> str:
    clearance = found.clearance
    if clearance.upper == float("inf"):
        return "nothing to keep away from"
    nearest = clearance.nearest
    where = f"{nearest.link_a} and {nearest.link_b}, at {_moment(clearance.at)}"
    if clearance.upper == 0.0:
        return f"0: {where}"
    return f"{output.metres(clearance.lower)} (proven) to {output.metres(clearance.upper)} (attained): {where}"


def _facts(stretch: Stretch) -> list[tuple[str, str]]:
    rows = [("links", "; ".join(map(str, stretch.pairs)))] if stretch.pairs else []
    for name, contacts in (("first touch", stretch.contacts), ("last touch", stretch.exit_contacts)):
        if contacts:
            rows.append((name, _touch(contacts[0])))
    step = f"{stretch.joint_step:.3g} rad or m of the joint that moves most"
    if stretch.time_step is not None:
        step = f"{output.seconds(stretch.time_step)}, or {step}"
    rows.append(("sampling", f"sees it for sure only with steps of at most {step}"))
    return rows


def _touch(contact: Contact) -> str:
    where = f", at {output.vector(contact.point_a)} m" if math.isfinite(contact.point_a[0]) else ""
    numbers = f", vertices {check.vertices(contact.features)}" if any(contact.features) else ""
    return f"{contact.link_a} and {contact.link_b}: {contact.kind}{numbers}{where}"


def _moment(moment: Moment) -> str:
    place = f"waypoint {moment.position:.4f}"
    return place if moment.time is None else f"{moment.time:.4f} s ({place})"

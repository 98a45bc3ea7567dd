"""`tocsin audit --prove FOLDER`: files that others can check, and the command that does.

A program is proven phase by phase: each is a question by itself, with what is carried then. A phase that is free is one
file; of one that is not, the stretches between two knots of its clock are proven one by one.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from tocsin.cli import output
from tocsin.cli.output import Record
from tocsin.errors import TocsinError
from tocsin.model.base import Motion
from tocsin.model.program import Program
from tocsin.scene import Scene

if TYPE_CHECKING:
    from tocsin.proofs.prove import Proof
    from tocsin.queries.phases import Phase

Keeping = tuple[float, float | None]
"""The margin and the tolerance of a question."""

Prove = Annotated[
    Path | None,
    typer.Option(
        "--prove",
        metavar="FOLDER",
        help="Write proofs into this folder, for `tocsin verify` or anybody's checker.",
        show_default=False,
    ),
]


def proofs(cell: Scene, motion: Motion, margin: float, tolerance: float | None, folder: Path) -> Record:
    """Prove a motion, write the files, and return what a report says of them."""
    from tocsin.proofs.whole import command_for, prove_whole, save_all

    parts = save_all(prove_whole(cell.context, motion, margin, tolerance), folder.expanduser())
    return {
        "files": [
            {"file": None if p.file is None else str(p.file), "claim": p.claim, "waypoints": [p.first, p.last]}
            for p in parts
        ],
        "command": command_for(cell.models, cell.names, parts),
    }


def program_proofs(cell: Scene, program: Program, keeping: Keeping, folder: Path) -> Record:
    """Prove a program, write the files, and return what a report says of them."""
    from tocsin.proofs.whole import ProvenPart, command_for
    from tocsin.queries.phases import phases

    folder = folder.expanduser()
    folder.mkdir(parents=True, exist_ok=True)
    cell.context.links_only("--prove", "proofs are of motions that are rigid")
    parts: list[ProvenPart] = []
    files: list[Record] = []
    for phase in phases(cell.context, program):
        for begin, end, proof in _proven(program, phase, keeping):
            file = None if proof is None else folder / f"{len(files):06}.proof"
            if proof is not None and file is not None:
                proof.save(file)
            parts.append(ProvenPart(len(files), len(files) + 1, proof, file))
            carried = [[grasp.robot.name, grasp.body.name] for grasp in phase.grasps]
            files.append({"file": None if file is None else str(file), "claim": parts[-1].claim,
                          "seconds": [begin, end], "carried": carried})  # fmt: skip
    return {"files": files, "command": command_for(cell.models, cell.names, parts)}


def _proven(program: Program, phase: "Phase", keeping: Keeping) -> Iterator[tuple[float, float, "Proof | None"]]:
    """Yield (begin, end, proof) of a phase, in order: all of it if it is free, else halved down to single stretches.

    None: undecided, nearer to its margin than rounding lets a checker tell.
    """
    from tocsin.proofs.prove import prove
    from tocsin.queries.phases import part_of

    knots = np.unique(np.concatenate([m.times for m in phase.motions if m.times is not None])).tolist()
    waiting = [(0, len(knots) - 1)]
    while waiting:
        first, last = waiting.pop()
        begin, end = knots[first], knots[last]
        whole = phase.begin == phase.end or (begin, end) == (phase.begin, phase.end)
        try:
            proof = prove(phase.context, phase.motions if whole else part_of(program, phase, begin, end), *keeping)
        except TocsinError:
            proof = None
        if last - first == 1 or (proof is not None and proof.claim == "free"):
            yield begin, min(end, phase.end), proof
        else:
            middle = (first + last) // 2
            waiting += [(middle, last), (first, middle)]


def show(record: Record) -> None:
    """Print where proofs are, and the command that checks them."""
    files: list[Record] = record["files"]
    claims = [part["claim"] for part in files]
    counts = ", ".join(f"{claims.count(c)} {c}" for c in ("free", "contact", "undecided") if c in claims)
    console = output.console()
    console.print(f"\n[bold]proofs[/]  {counts}; to check them:", highlight=False)
    console.print(f"  {record['command']}", markup=False, highlight=False, soft_wrap=True)

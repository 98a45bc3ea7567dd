"""`tocsin audit --prove FOLDER`: files that others can check, and the command that does."""

from pathlib import Path
from typing import Annotated, Any

import typer

from tocsin.cli import output
from tocsin.cli.output import Record
from tocsin.model.base import Motion
from tocsin.scene import Scene

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


def show(record: Record) -> None:
    """Print where proofs are, and the command that checks them."""
    files: list[Any] = record["files"]
    claims = [part["claim"] for part in files]
    counts = ", ".join(f"{claims.count(c)} {c}" for c in ("free", "contact", "undecided") if c in claims)
    console = output.console()
    console.print(f"\n[bold]proofs[/]  {counts}; to check them:", highlight=False)
    console.print(f"  {record['command']}", markup=False, highlight=False, soft_wrap=True)

"""`tocsin verify`: are these proofs proofs? Said by the checker, a program that shares nothing with this one."""

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, cast

import typer

import tocsin
from tocsin.cli import options, output
from tocsin.cli.output import Record
from tocsin.errors import TocsinError
from tocsin.io.files import existing_file

CODES = "Exit codes: 0 accepted, 1 one is refused, 2 bad input."
EXAMPLE = f"Example: tocsin verify edge.proof --robot panda=panda.urdf\n\n{CODES}"

REFUSED = 1
"""Exit code."""

Proofs = Annotated[list[Path], typer.Argument(metavar="PROOF...", help="Files that Proof.save has written.")]
Robots = Annotated[
    list[str], typer.Option("--robot", metavar="NAME=URDF", help="Where a robot of the proofs is read from.")
]


def verify(proofs: Proofs, robot: Robots = [], as_json: options.Json = False) -> None:  # noqa: B006
    """Check proofs with the independent checker, from your own copies of the robots' files."""
    if find_spec("tocsin_checker") is None:
        raise TocsinError(
            "`tocsin verify` needs tocsin-checker, a distribution of its own: pip install ./checker in a checkout of "
            "tocsin."
        )
    files: dict[str, Path] = {}
    for given in robot:
        name, sign, path = given.partition("=")
        if not sign or not Path(path).expanduser().is_file():
            raise TocsinError(f"--robot takes NAME=URDF, a robot's name in the proof and its file; got {given!r}.")
        files[name] = Path(path).expanduser()
    for path in proofs:
        existing_file(path, "the proof")
    records = [_verdict(path.expanduser(), files) for path in proofs]
    if as_json:
        output.write_json({"tocsin": tocsin.__version__, "command": "verify", "proofs": records})
    else:
        for record in records:
            output.console().print(_sentence(record), markup=False, highlight=False, soft_wrap=True)
    if any(not record["accepted"] for record in records):
        raise typer.Exit(REFUSED)


def _verdict(path: Path, files: dict[str, Path]) -> Record:
    import tocsin_checker  # pyright: ignore[reportMissingTypeStubs]

    try:
        found = tocsin_checker.check(tocsin_checker.read_proof(path), files)
    except (tocsin_checker.Refused, OSError) as error:
        return {"file": str(path), "accepted": False, "reason": str(error)}
    skipped = dict(cast(Mapping[str, int], found.skipped))  # pyright: ignore[reportUnknownMemberType]
    said: Record = {"claim": found.claim, "pairs": found.pairs, "not asked about": skipped, "about": found.about}
    return {"file": str(path), "accepted": True} | said


def _sentence(record: Record) -> str:
    if not record["accepted"]:
        return f"{record['file']}: REFUSED: {record['reason']}"
    not_asked = ", ".join(f"{n} {reason}" for reason, n in sorted(record["not asked about"].items())) or "none"
    accepted = f"{record['file']}: accepted: {record['claim']}; pairs of shapes: {record['pairs']}"
    return "\n  ".join([f"{accepted}; not asked about: {not_asked}", *record["about"]])

"""`tocsin batch`: a file of edges answered, on the threads of this machine or by Ray's workers."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from tocsin.cli import inputs, options, output, records
from tocsin.cli.grouped import grouped

EXAMPLE = (
    "Example: tocsin batch edges.parquet --robot panda.urdf --srdf panda.srdf --scene shelf.yaml --out free.parquet\n\n"
    "Edges are rows with columns <joint>_t0 and <joint>_t1. Started again after an interruption, it goes on.\n\n"
    "Exit codes: 0 all edges are answered, 2 bad input, or no room for the answers."
)

Edges = Annotated[
    Path, typer.Argument(metavar="EDGES", readable=False, help="A .parquet file of edges.", show_default=False)
]
RobotOption = Annotated[
    Path,
    typer.Option("--robot", metavar="FILE", readable=False, help="A .urdf, .xacro or MuJoCo file.", show_default=False),
]
Out = Annotated[Path, typer.Option("--out", metavar="FILE", help="The answers, in the order of the edges: .parquet.")]
Contacts = Annotated[bool, typer.Option("--contacts", help="Also say when, and between which links, they first touch.")]
Workers = Annotated[
    int | None, typer.Option("--workers", min=1, help="How many Ray workers to use.", show_default=False)
]
Address = Annotated[
    str | None, typer.Option("--address", help="Of a Ray cluster; 'auto': on this machine.", show_default=False)
]


@dataclass(frozen=True)
class Ray:
    """Which of Ray's workers answer, if any do."""

    workers: Workers = None
    address: Address = None


@grouped
def batch(
    edges: Edges,
    robot: RobotOption,
    ray: Ray,
    around: options.Around,
    reading: options.Reading,
    out: Out = Path("answers.parquet"),
    contacts: Contacts = False,
    as_json: options.Json = False,
) -> None:
    """Answer a file of edges: which are proven free, or when and between which links they first touch."""
    from tocsin.cluster import answer_edges
    from tocsin.cluster.edge_file import arrow

    arm = inputs.load_robot(robot, reading)
    cell = inputs.load_scene(arm, around, reading)
    with output.progress("answering") as progress:
        answers = answer_edges(
            edges, cell, arm, out, margin=around.margin, contacts=contacts, workers=ray.workers, address=ray.address,
            progress=lambda done, total, _: progress(done, total),
        )  # fmt: skip
    free = arrow().parquet.read_table(answers, columns=["free"]).column("free").to_numpy()
    if as_json:
        record = records.opening("batch", arm, cell) | {"edges": len(free), "free": int(free.sum())}
        output.write_json(record | {"margin": around.margin, "files": [str(answers)]})
    else:
        print(f"{len(free):,} edges, {int(free.sum()):,} of which are proven free; wrote {answers}")

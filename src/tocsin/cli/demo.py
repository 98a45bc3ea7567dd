"""`tocsin demo`: no files needed; an arm sweeps through a thin plate that sampling misses."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from tocsin.cli import check, demo_scene, options, output, records, warmup
from tocsin.cli.output import Record
from tocsin.errors import TocsinError
from tocsin.results import FirstContact

EXAMPLE = "Example: tocsin demo --out pictures\n\nThe exit code is 0, although it shows a contact."

SAMPLINGS = (20, 100, 500)
"""Numbers of samples of the motion that are tried."""

ASKED = (
    "first_contact, triangles", "the parts of a search", "contacts, triangles", "distance, triangles",
    "is_free, triangles", "pictures", "hulls of links",
)  # fmt: skip
"""Steps of `warmup` whose kernels are needed, such that two at a time have little in common."""

PICTURE, PAGE = "demo.png", "demo.html"

Folder = Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Where the picture and the page are written.")]


def demo(out: Folder = Path("out"), as_json: options.Json = False) -> None:
    """Show an arm that sweeps through a thin plate: when, where, and what sampling would have said."""
    out.mkdir(parents=True, exist_ok=True)
    warmup.ready(*ASKED)
    shown = demo_scene.build()
    with output.progress("loading the kernels"):
        shown.scene.first_contact(shown.motion)
    started = time.perf_counter()
    hit = shown.scene.first_contact(shown.motion, tolerance=demo_scene.TOLERANCE)
    took = time.perf_counter() - started
    before = shown.robot.move(shown.q0, shown.at(0.999 * hit.time))
    proven = shown.scene.is_free(before)
    sampled = [_sample(shown, count) for count in SAMPLINGS]
    if not as_json:
        _show(shown, hit, took, proven, sampled)
    written, missing = _write(out, shown, hit)
    if as_json:
        record = records.opening("demo", shown.robot, shown.scene) | records.first_contact(shown.robot, hit)
        record |= {"free_before": proven, "sampled": sampled, "files": [str(path) for path in written]}
        output.write_json(record)
        return
    for path in written:
        print(f"wrote {path}")
    for sentence in missing:
        output.note(sentence)


def _sample(shown: demo_scene.Demo, count: int) -> Record:
    """What evenly spaced samples of the motion say."""
    seen = [t for t in np.linspace(0.0, 1.0, count) if _touches(shown, t)]
    return {"samples": count, "contact": bool(seen), "time": float(seen[0]) if seen else None}


def _touches(shown: demo_scene.Demo, t: float) -> bool:
    return shown.scene.distance(shown.robot.at(shown.at(t))).distance == 0.0


def _show(
    shown: demo_scene.Demo, hit: FirstContact, took: float, proven: bool, sampled: list[Record]
) -> None:  # fmt: skip
    console = output.console()
    contact = hit.contacts[0]
    console.print("An arm swings a 0.5 mm sheet of metal past a 0.2 mm plate that stands in its way.\n")
    console.print(output.headline(hit.status, f" at t = {hit.time:.6f}, found in {output.seconds(took)}"))
    console.print(
        output.facts(
            [
                ("between", f"{contact.link_a} and {contact.link_b}"),
                ("features", f"{contact.kind}, vertices {check.vertices(contact.features)}"),
                ("at", f"{output.vector(contact.point_a)} m, normal {output.vector(contact.normal, 3)}"),
                ("distance", f"{output.metres(contact.distance)}; tolerance {output.metres(hit.tolerance)}"),
                ("joints", output.vector(shown.robot.at_contact(hit))),
                ("before", "proven free until then, not only at samples" if proven else "not proven"),
            ]
        )
    )
    cells = [
        (s["samples"], f"contact at t = {s['time']:.4f}" if s["contact"] else "no contact: the sheet went through")
        for s in sampled
    ]
    console.print(output.table(("samples", "what sampling the same motion says"), cells, right=(0,)))


def _write(folder: Path, shown: demo_scene.Demo, hit: FirstContact) -> tuple[list[Path], list[str]]:
    """Write the picture and the page; return what was written, and why not for what was not."""
    from tocsin import viewer

    written: list[Path] = []
    missing: list[str] = []
    jobs: list[tuple[str, Callable[..., object]]] = [(PICTURE, viewer.save_picture), (PAGE, viewer.save_page)]
    for name, save in jobs:
        with output.progress(f"drawing {name}"):
            try:
                save(folder / name, shown.scene, hit=hit, title="tocsin demo", samples=SAMPLINGS[1])
                written.append(folder / name)
            except TocsinError as error:
                if not isinstance(error.__cause__, ModuleNotFoundError):
                    raise
                missing.append(f"no {name}: {error}")
    return written, missing

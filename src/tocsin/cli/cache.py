"""`tocsin cache`: what is kept between runs, where, how much of it, and whether it is whole."""

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

import tocsin
from tocsin.cli import options, output
from tocsin.cli.output import Record
from tocsin.compiler import store as store_module
from tocsin.compiler.disk_cache import KERNELS
from tocsin.geometry.cache import ARRAYS

EXAMPLE = (
    "Examples: tocsin cache; tocsin cache verify; tocsin cache clear\n\nTOCSIN_CACHE names another folder, or is off."
)

STORES = {"kernels": KERNELS, "meshes, charts and counts": ARRAYS}

DAMAGED = 1
"""Exit code."""


class Action(str, Enum):
    """What to do."""

    SHOW = "show"
    VERIFY = "verify"
    CLEAR = "clear"


Wanted = Annotated[
    Action,
    typer.Argument(
        help="show: where it is, and how large. verify: read every file; exit code 1 if one is damaged (it is made "
        "again when it is needed). clear: remove all that tocsin has put there, and nothing else."
    ),
]


def cache(action: Wanted = Action.SHOW, as_json: options.Json = False) -> None:
    """Say what is kept between runs: compiled kernels, prepared meshes; verify it, or clear it."""
    folder = store_module.folder()
    record: Record = {"tocsin": tocsin.__version__, "command": "cache", "action": action.value}
    record["folder"] = None if folder is None else str(folder)
    record["refused"] = None if folder is None else _refused(folder)
    if action is Action.CLEAR:
        record["removed"] = sum(store.clear() for store in STORES.values())
    if action is Action.VERIFY:
        record["damaged"] = [f"{store.kind}/{name}" for store in STORES.values() for name in sorted(store.damaged())]
    record["kept"] = {
        store.kind: {"files": len(store.names()), "bytes": store.size(), "limit": store.limit}
        for store in STORES.values()
    }
    if as_json:
        output.write_json(record)
    else:
        _show(record)
    if record.get("damaged"):
        raise typer.Exit(DAMAGED)


def _refused(folder: Path) -> str | None:
    """Return why the folder cannot be used."""
    places = (folder, *(folder / store.kind for store in STORES.values()))
    return next(filter(None, map(store_module.refusal, places)), None)


def _show(record: Record) -> None:
    console = output.console()
    if record["folder"] is None:
        console.print("TOCSIN_CACHE is off, or there is no home folder: nothing is kept between runs.")
        return
    kept = [record["kept"][store.kind] for store in STORES.values()]
    rows = [
        (words, f"{each['files']:,}", f"{each['bytes'] / 1e6:,.1f}", f"{each['limit'] / 1e6:,.0f}")
        for words, each in zip(STORES, kept)
    ]
    console.print(output.table(("kept", "files", "MB", "at most, MB"), rows, right=(1, 2, 3)))
    console.print(output.facts([("folder", record["folder"])]))
    if record["refused"]:
        output.note(f"warning: {record['refused']}")
    if "removed" in record:
        console.print(f"  {record['removed']:,} files removed")
    if "damaged" in record:
        for name in record["damaged"]:
            console.print(f"  damaged: {name}", markup=False)
        checked = sum(each["files"] for each in kept)
        console.print(f"  {checked - len(record['damaged']):,} of {checked:,} files are as they were written")

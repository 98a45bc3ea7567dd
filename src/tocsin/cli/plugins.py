"""Commands of other distributions, `tocsin bench`: named here, found by their entry points, loaded when they are run.

A distribution adds `name = "module:app"` to the group `tocsin.commands`, `app` a `typer.Typer`. A name that is not
listed here needs a line in `PLUGINS`, so that `tocsin --help` has it without looking through everything installed.
"""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Any, NamedTuple

import typer

from tocsin.errors import TocsinError

GROUP = "tocsin.commands"


class Plugin(NamedTuple):
    """A command that is installed by itself."""

    help: str
    install: str


PLUGINS = {
    "bench": Plugin(
        "Measure tocsin and what one would use instead, side by side (tocsin-bench).",
        "tocsin-bench, a distribution of its own: pip install ./benchmarks in a checkout of tocsin",
    ),
}


def load(name: str) -> typer.Typer:
    """Return the commands behind a name; where they are not installed, the sentence says how to."""
    found = next(iter(entry_points(group=GROUP, name=name)), None)
    if found is None:
        raise TocsinError(f"`tocsin {name}` needs {PLUGINS[name].install}.")
    return found.load()


def add(app: typer.Typer, name: str) -> None:
    """Add a command that hands all its arguments over, `--help` included."""
    anything: dict[str, object] = {"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []}

    @app.command(name, help=PLUGINS[name].help, context_settings=anything)
    def plugin(context: typer.Context) -> None:
        arguments = context.args
        # On its own, typer prints the help where there are no arguments.
        left: Any = load(name)(arguments, prog_name=f"tocsin {name}", standalone_mode=not arguments)
        if isinstance(left, int) and left:
            raise typer.Exit(left)

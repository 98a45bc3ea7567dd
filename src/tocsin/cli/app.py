"""The commands together, and how an error becomes one sentence and an exit code."""

import io
import sys
import traceback
import warnings
from collections.abc import Sequence
from typing import Annotated

import typer

import tocsin
from tocsin.cli import audit, check, demo, info, output, view, warmup
from tocsin.errors import TocsinError

BAD_INPUT, INTERNAL_ERROR, INTERRUPTED = 2, 3, 130

app = typer.Typer(
    name="tocsin",
    help="When things first touch, and a proof when they do not.",
    epilog="Exit codes: 0 free or done, 1 contact or undecided, 2 bad input.\n\n"
    "Start here: tocsin demo. Once per machine: tocsin warmup.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("demo", epilog=demo.EXAMPLE)(demo.demo)
app.command("info", epilog=info.EXAMPLE)(info.info)
app.command("check", epilog=check.EXAMPLE)(check.check)
app.command("audit", epilog=audit.EXAMPLE)(audit.audit)
app.command("view", epilog=view.EXAMPLE)(view.view)
app.command("warmup", epilog=warmup.EXAMPLE)(warmup.warmup)


def _say_version(wanted: bool) -> None:
    if wanted:
        print(f"tocsin {tocsin.__version__}")
        raise typer.Exit


@app.callback()
def _shared(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and leave.", callback=_say_version, is_eager=True)
    ] = False,
) -> None:
    pass


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code; errors are said, not raised."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a letter gets "?", not a traceback
    with warnings.catch_warnings():
        warnings.simplefilter("default", UserWarning)
        warnings.showwarning = lambda message, *_, **__: output.note(f"warning: {message}")
        try:
            app(list(arguments), prog_name="tocsin")
        except SystemExit as left:
            return left.code if isinstance(left.code, int) else 0
        except TocsinError as error:
            return _refuse(str(error), "--json" in arguments)
        except OSError as error:
            named = f"{str(error.filename)!r}: " if error.filename is not None else ""
            return _refuse(f"{named}{error.strerror or error}", "--json" in arguments)
        except KeyboardInterrupt:
            output.note("interrupted")
            return INTERRUPTED
        except Exception:
            output.note(f"{traceback.format_exc()}error: this is a fault in tocsin, not in what it was given.")
            return INTERNAL_ERROR
    return 0


def _refuse(sentence: str, for_machines: bool) -> int:
    """Say what was wrong with the input."""
    output.note(f"error: {sentence}")
    if for_machines:
        output.write_json({"error": sentence})
    return BAD_INPUT

"""The commands together, and how an error becomes one sentence and an exit code."""

import hashlib
import importlib.metadata
import io
import os
import platform
import re
import sys
import traceback
import warnings
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import typer

import tocsin
import tocsin_command
from tocsin.cli import (
    audit,
    batch,
    cache,
    check,
    demo,
    doctor,
    info,
    matrix,
    output,
    plan,
    plugins,
    verify,
    view,
    warmup,
)
from tocsin.cli.programs import paired
from tocsin.errors import TocsinError

BAD_INPUT, INTERNAL_ERROR, INTERRUPTED, PIPE_CLOSED = 2, 3, 130, 141

_UsageError: Any = typer.BadParameter.__base__
"""What is wrong with a command line; newer versions of typer bring a click of their own."""

app = typer.Typer(
    name="tocsin",
    help="When things first touch, and a proof when they do not.",
    epilog="Exit codes: 0 free or done, 1 contact or undecided, 2 bad input.\n\n"
    "Start here: tocsin demo. Once per machine: tocsin warmup.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
COMMANDS = {
    "demo": (demo.demo, demo.EXAMPLE),
    "info": (info.info, info.EXAMPLE),
    "check": (check.check, check.EXAMPLE),
    "audit": (audit.audit, audit.EXAMPLE),
    "plan": (plan.plan, plan.EXAMPLE),
    "batch": (batch.batch, batch.EXAMPLE),
    "matrix": (matrix.matrix, matrix.EXAMPLE),
    "verify": (verify.verify, verify.EXAMPLE),
    "view": (view.view, view.EXAMPLE),
    "doctor": (doctor.doctor, doctor.EXAMPLE),
    "warmup": (warmup.warmup, warmup.EXAMPLE),
    "cache": (cache.cache, cache.EXAMPLE),
}
for _name, (_function, _example) in COMMANDS.items():
    app.command(_name, epilog=_example)(_function)
for _name in plugins.PLUGINS:
    plugins.add(app, _name)


def _worded(said: str, arguments: Sequence[str]) -> str:
    """Return what is wrong with an option's value in words of ours: what it takes, and what was given."""
    said = said.replace(": Value error, ", ": ")
    found = re.match(r"Invalid value for '(--[\w-]+)'[^:]*: Input should be an? valid (\w+)", said)
    if found is None:
        return said
    option, kind = found.groups()
    given = [b for a, b in pairwise(arguments) if a == option]
    given += [word.partition("=")[2] for word in arguments if word.startswith(f"{option}=")]
    return f"{option} takes {'a whole number' if kind == 'integer' else 'a number'}; got {given[-1] if given else ''!r}"


def _say_version(wanted: bool) -> None:
    if wanted:
        print(f"tocsin {tocsin.__version__} (engine {engine_digest()}, {', '.join(libraries())})")
        raise typer.Exit


def engine_digest() -> str:
    """Return ten letters that tell this text of the library from any other, whatever its version says."""
    folder = Path(tocsin.__file__).parent
    digest = hashlib.sha256()
    for file in sorted(folder.rglob("*.py")):
        digest.update(file.relative_to(folder).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:10]


def libraries() -> list[str]:
    """Return what compiles and computes, with versions."""
    names = ("numba", "llvmlite", "numpy")
    return [f"Python {platform.python_version()}", *[f"{name} {importlib.metadata.version(name)}" for name in names]]


def _say_warning(message: Warning | str, *_: object, **__: object) -> None:
    output.note(f"warning: {message}")


@app.callback()
def _shared(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and leave.", callback=_say_version, is_eager=True)
    ] = False,
) -> None:
    pass


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code; errors are said, not raised."""
    _settle_streams()
    tocsin_command.answered = False
    with warnings.catch_warnings():
        warnings.simplefilter("default", UserWarning)
        for said in (".* outside of its limits", "the (start|end) configuration:"):  # by commands, where it is read
            warnings.filterwarnings("ignore", message=f"{said} .* Degrees\\?")
        warnings.showwarning = _say_warning
        try:
            code = _run(list(arguments))
            sys.stdout.flush()
        except BrokenPipeError:
            # Whoever read the answer has left (`| head -1`). What is still in the buffer is written to nowhere.
            sys.stdout = io.StringIO()
            return PIPE_CLOSED
        except OSError as error:  # the disk is full
            output.note(f"error: {error.strerror or error}")
            return BAD_INPUT
    return code


def _settle_streams() -> None:
    """Make both streams fit to be written to, whatever the process was started with."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by who started the process
            setattr(sys, name, io.StringIO())
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a letter gets "?", not a traceback


def _run(arguments: list[str]) -> int:
    """Run one command line; only what cannot be written is raised."""
    for_machines = "--json" in arguments
    arguments = paired([_at_home(argument) for argument in arguments])
    try:
        # On its own, typer prints a page in a frame about a wrong option; without any arguments it prints the help.
        left = app(arguments, prog_name="tocsin", standalone_mode=not arguments)
        if left == INTERRUPTED:  # what typer makes of an interrupt
            _say("interrupted", "interrupted", for_machines)
        return left if isinstance(left, int) else 0
    except SystemExit as left:
        if isinstance(left.__context__, BrokenPipeError):
            raise left.__context__ from None
        return left.code if isinstance(left.code, int) else 0
    except TocsinError as error:
        return _refuse(str(error), for_machines)
    except _UsageError as error:
        command = f" {arguments[0]}" if arguments[0] in (*COMMANDS, *plugins.PLUGINS) else ""
        said = _worded(" ".join(error.format_message().split()).rstrip("."), arguments)
        return _refuse(f"{said}{' See' if said.endswith('?') else '; see'} tocsin{command} --help.", for_machines)
    except BrokenPipeError:
        raise
    except OSError as error:
        named = f"{str(error.filename)!r}: " if error.filename is not None else ""
        return _refuse(f"{named}{error.strerror or error}", for_machines)
    except KeyboardInterrupt:
        _say("interrupted", "interrupted", for_machines)
        return INTERRUPTED
    except Exception as error:
        words = "this is a fault in tocsin, not in what it was given"
        what = f"{words}: {type(error).__name__}: {' '.join(str(error).split())}"
        _say(f"{traceback.format_exc()}error: {words}.", what, for_machines)
        return INTERNAL_ERROR


def _at_home(argument: str) -> str:
    """Expand `~` also where a shell leaves it, as in `--out=~/runs` or between quotes."""
    option, equals, value = argument.partition("=")
    if equals and option.startswith("--") and value.startswith("~"):
        return f"{option}={os.path.expanduser(value)}"
    return os.path.expanduser(argument)


def _refuse(sentence: str, for_machines: bool) -> int:
    """Say what was wrong with the input."""
    _say(f"error: {sentence}", sentence, for_machines)
    return BAD_INPUT


def _say(words: str, error: str, for_machines: bool) -> None:
    """Say why there is no answer: in words, and as the one JSON object that whoever asked for JSON waits for."""
    output.note(words)
    if for_machines and not tocsin_command.answered:
        output.write_json({"error": error})

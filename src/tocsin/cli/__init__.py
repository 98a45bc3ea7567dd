"""The command line, `tocsin`: one module a command; what they share lies in `options`, `inputs`, `records`, `output`.

Exit codes: 0 proven free (or simply done), 1 contact or undecided, 2 something handed in cannot be used, 3 an error in
tocsin itself, 130 interrupted, 141 nobody reads the answer any more. Answers go to standard output, everything else to
standard error.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tocsin_command import interrupt_as_usual


def main(arguments: Sequence[str] | None = None) -> None:
    """Run `tocsin` with these arguments (default: the process's own) and leave with an exit code."""
    try:
        from tocsin.cli.app import run
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.split(".")[0] not in ("typer", "rich"):
            raise
        print(f"error: the command line needs {missing.name}: pip install {missing.name}", file=sys.stderr)
        sys.exit(2)
    interrupt_as_usual()
    sys.exit(run(list(sys.argv[1:] if arguments is None else arguments)))

"""The command line in a process of its own, with what it cost: processor seconds and memory, both beyond the start.

A small process loads the command line once and forks for every question, so that what is measured is the question and
not the imports, and so that a question may crash, hang or fill the memory without taking the tests with it.

Run as a script it is that process: a line of JSON for every question, and one for every answer.
"""

import json
import os
import subprocess
import sys
from dataclasses import dataclass

MEGABYTE = 2**20 if sys.platform == "darwin" else 2**10
"""In units of ru_maxrss."""


@dataclass(frozen=True)
class Measured:
    """How one command line ended. `code` is negative when a signal ended it (-14: it took too long)."""

    code: int
    out: str
    err: str
    seconds: float
    megabytes: float

    @property
    def sentences(self):
        """The lines of standard error that are not warnings."""
        return [line for line in self.err.splitlines() if not line.startswith("warning: ")]


class Bench:
    """Asks the process that forks."""

    def __init__(self, folder, *first):
        """`first` is run before any fork: what it imports and compiles is not measured."""
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, __file__, str(folder), *map(str, first)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def ask(self, *arguments, limit=30):
        """Run a command line; SIGALRM ends it after `limit` seconds."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps({"arguments": [str(a) for a in arguments], "limit": limit}), file=self.process.stdin)
        self.process.stdin.flush()
        code, seconds, megabytes = json.loads(self.process.stdout.readline())
        out, err = ((self.folder / name).read_text(errors="replace") for name in ("out", "err"))
        return Measured(code, out, err, seconds, megabytes)

    def close(self):
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(60)


def _serve(folder, *first):
    import contextlib
    import io
    import resource
    import signal

    from tocsin.cli.app import run
    from tocsin.io import environment, planning, trajectories, urdf  # noqa: F401  (loaded before anything is measured)

    with contextlib.redirect_stdout(io.StringIO()):
        run(first)
    for line in sys.stdin:
        question = json.loads(line)
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(writer, str(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss).encode())
            for number, name in ((1, "out"), (2, "err")):
                os.dup2(os.open(os.path.join(folder, name), os.O_CREAT | os.O_TRUNC | os.O_WRONLY), number)
            signal.alarm(question["limit"])
            code = run(question["arguments"])
            sys.stdout.flush()
            os._exit(code)
        _, status, usage = os.wait4(child, 0)
        before = int(os.read(reader, 100))
        os.close(reader)
        os.close(writer)
        megabytes = (usage.ru_maxrss - before) / MEGABYTE
        print(json.dumps([os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, megabytes]), flush=True)


if __name__ == "__main__":
    _serve(*sys.argv[1:])

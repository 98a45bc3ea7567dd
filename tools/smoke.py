"""Try what is to be released: install it in an empty environment, and ask there what users ask first.

    python tools/smoke.py dist/tocsin-*.tar.gz     installs, says its version, answers the README's example and the
                                                   known cases of `tocsin doctor`; with the kernels of this machine

`tools/wheel.py --check` does the same to a wheel, with no kernels but its own, and counts those that are compiled.
"""

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tocsin.compiler.store import Store

ROOT = Path(__file__).resolve().parent.parent

ANSWERS = "Status.CONTACT 0.445", "lower plate", "True"
"""How the lines begin that the README's example prints."""


def _used() -> float:
    """Seconds of the processor that commands have taken which have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Environment:
    """A distribution, installed where nothing else is."""

    def __init__(self, distribution: Path) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.place = Path(self._folder.name)
        subprocess.run([sys.executable, "-m", "venv", str(self.place / "venv")], check=True)
        self.programs = self.place / "venv/bin"
        pip = [str(self.programs / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, str(distribution.resolve())], check=True)
        (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)[:1]
        (self.place / "example.py").write_text(code, encoding="utf-8")

    def __enter__(self) -> "Environment":
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def run(self, *words: str, cache: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment, with this cache folder or the user's."""
        clean = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA", "PYTHON", "TOCSIN"))}
        kept = {} if cache is None else {"TOCSIN_CACHE": str(cache)}
        command = [str(self.programs / words[0]), *words[1:]]
        return subprocess.run(command, cwd=self.place, env=clean | kept, stdout=subprocess.PIPE, text=True, check=False)

    def example(self, which: str, cache: Path | None = None) -> None:
        """Run the README's example, and look at what it says."""
        started, used = time.perf_counter(), _used()
        done = self.run("python", "example.py", cache=cache)
        seconds, spent = time.perf_counter() - started, _used() - used
        print(f"README's example, {which}: {seconds:.2f} s, {spent:.2f} s of them of the processor", flush=True)
        lines = done.stdout.splitlines()
        if done.returncode or not all(line.startswith(answer) for line, answer in zip(lines, ANSWERS, strict=True)):
            sys.exit(f"the README's example answers otherwise:\n{done.stdout}")

    def compiled(self) -> int:
        """Ask what users ask first, with no kernels but the distribution's; return how many were compiled."""
        cache = self.place / "cache"
        for which in ("the first time", "then"):
            self.example(which, cache)
        print(self.run("python", str(ROOT / "tools/uses.py"), cache=cache).stdout, end="", flush=True)
        return len(Store("kernels", root=cache).names())


def main() -> None:
    """Install, and ask."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("distribution", type=Path)
    with Environment(parser.parse_args().distribution) as empty:
        for words in (("tocsin", "--version"), ("tocsin", "doctor")):
            done = empty.run(*words)
            print(done.stdout, end="", flush=True)
            if done.returncode:
                sys.exit(f"{' '.join(words)} ended with {done.returncode}.")
        empty.example("the first time")
        empty.example("then")


if __name__ == "__main__":
    main()

"""The tests that users would miss first, with the oldest and the newest libraries that pyproject.toml allows.

    make matrix                                   both ends, on this Python
    python tools/matrix.py --end newest --python python3.12 --python python3.13
    python tools/matrix.py --end oldest

Each end has an environment of its own in `.matrix`, and compiled kernels of its own: the first run of each takes
minutes. The oldest end is the lower bound of every requirement, so a bound that was never run is found here. A table of
what ran is printed at the end.
"""

import argparse
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLACE = ROOT / ".matrix"

TESTS = (
    "tests/compiler/test_store.py", "tests/test_scene.py", "tests/geometry/test_mesh.py",
    "tests/geometry/test_primitives.py", "tests/promise/test_table.py", "tests/promise/test_table_meshes.py",
    "tests/io/test_urdf.py",
)  # fmt: skip

SHOW = """
import sys, numba, numpy, scipy, trimesh
print(sys.version.split()[0], *(m.__version__ for m in (numba, numpy, scipy, trimesh)), sep=" | ")
"""
COLUMNS = "| Python | numba | numpy | scipy | trimesh | tests |\n|---|---|---|---|---|---|"


def requirements(end: str) -> list[str]:
    """Return what to install: the lower bounds of pyproject.toml, or whatever is newest within it."""
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    if end == "newest":
        return listed
    return [re.sub(r">=([\d.]+).*", r"==\1", requirement) for requirement in listed]


def run(end: str, python: str) -> tuple[int, str]:
    """Set up one end if need be, and run the tests; return pytest's exit code, and a row of the table."""
    asked = [python, "-c", "import sys; print(sys.implementation.cache_tag)"]
    tag = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    place = PLACE / f"{end}-{tag}"
    inside = place / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not inside.exists():
        subprocess.run([python, "-m", "venv", str(place)], check=True)
    wanted = [*requirements(end), "pytest>=8", "hypothesis>=6.100", "mpmath>=1.3"]
    pip = [str(inside), "-m", "pip", "install", "--quiet", "--prefer-binary", "--upgrade", *wanted]
    subprocess.run(pip, check=True)
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT / "benchmarks")])
    environment = dict(os.environ, PYTHONPATH=path, TOCSIN_CACHE=str(place / "cache"))
    versions = subprocess.run([str(inside), "-c", SHOW], capture_output=True, text=True, check=True).stdout.strip()
    print(f"{end}: {versions}", flush=True)
    command = [str(inside), "-m", "pytest", *TESTS]
    last = ""
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as tests:
        assert tests.stdout is not None
        for line in tests.stdout:
            print(line, end="", flush=True)
            last = line.strip() or last
    return tests.returncode, f"| {versions} | {last.partition(' in ')[0]} |"


def main() -> None:
    """Run the ends that are asked for, and leave with exit code 1 if a test failed at one of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--end", choices=("oldest", "newest"), action="append", help="one end (default: both)")
    parser.add_argument("--python", action="append", help="an interpreter, or several (default: this one)")
    args = parser.parse_args()
    ran = [run(end, python) for python in args.python or [sys.executable] for end in args.end or ("oldest", "newest")]
    print(COLUMNS, *(row for _, row in ran), sep="\n")
    sys.exit(int(any(code for code, _ in ran)))


if __name__ == "__main__":
    main()

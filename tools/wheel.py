"""Build the wheel that holds compiled kernels, so that whoever installs it compiles nothing.

    make wheel                                        the levels of x86-64 that this processor has, v3 and v4
    python tools/wheel.py --level x86-64-v3 --check   one level; then in an empty environment what users ask first
    python tools/wheel.py --only "first_contact, triangles" --check     with kernels of some questions alone, to try it

For each level everything is compiled for it, as `tocsin warmup` does it: minutes the first time, and after an edit what
it changed. Kernels are kept in `build/kernels`, the wheel is put into `dist`. It is for this version of Python, on
Linux; its kernels are found by the same version of Numba, any other compiles as if they were not there.
"""

import argparse
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import llvmlite.binding
import numba
from smoke import Environment

from tocsin.compiler import disk_cache, packaged
from tocsin.compiler.jit import KNOWN
from tocsin.compiler.store import Store

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
TAG = sys.implementation.cache_tag.replace("cpython-", "cp")
PLATFORM = "manylinux_2_28_x86_64"
"""As Numba's own wheels: the code calls what Numba brings along, and libm."""


def compiled(level: str, only: list[str]) -> tuple[Store, list[str]]:
    """Compile everything for a level, or what some steps of `tocsin warmup` need.

    Return where it is kept, and the names of what Python calls.
    """
    place = BUILD / "kernels" / f"{level}-{TAG}-numba-{numba.__version__}"
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    target = {"NUMBA_CPU_NAME": level, "NUMBA_CPU_FEATURES": "", "TOCSIN_CACHE": str(place)}
    path = {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])}
    named = [word for name in only for word in ("--only", name)]
    subprocess.run([sys.executable, "-m", "tocsin", "warmup", *named], env=os.environ | target | path, check=True)
    store = Store("kernels", root=place)
    states = {disk_cache.state(file) for file in disk_cache.PACKAGE.rglob("*.py")}
    keys = [name.removesuffix(".tocsin") for name in store.names()]
    return store, [key for key in keys if key.rpartition("-")[0] in states and _is_entry(store, key)]


def _is_entry(store: Store, key: str) -> bool:
    """Is this machine code? The rest is what kernels are compiled from."""
    body = store.load(key)
    return body is not None and pickle.loads(body)[0][1] == "object"


def build(levels: list[str], only: list[str]) -> Path:
    """Build the wheel from a copy of the sources, with the kernels beside them."""
    with tempfile.TemporaryDirectory(dir=BUILD) as folder:
        copy = Path(folder)
        shutil.copytree(ROOT / "src", copy / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        for name in ("pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(ROOT / name, copy)
        for level in levels:
            store, keys = compiled(level, only)
            file = copy / f"src/tocsin/compiled/{level}.kernels"
            size = packaged.pack(store, file, keys)
            print(f"{level}: {len(keys)} kernels, {size / 1e6:.1f} MB", flush=True)
        options = [f"-C--build-option=--python-tag={TAG}", f"-C--build-option=--plat-name={PLATFORM}"]
        pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(ROOT / "dist")]
        subprocess.run([*pip, *options, str(copy)], check=True)
    return max((ROOT / "dist").glob(f"tocsin-*-{TAG}-*.whl"), key=lambda file: file.stat().st_mtime)


def main() -> None:
    """Build, and check if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--level", choices=tuple(packaged.LEVELS), action="append", help="default: all of this machine")
    parser.add_argument("--only", action="append", default=[], help="steps of `tocsin warmup`; default: all of them")
    parser.add_argument("--check", action="store_true", help="install it in an empty environment, and ask")
    args = parser.parse_args()
    if not KNOWN:
        sys.exit(f"wheels are built with the newest Numba that tocsin knows; here is {numba.__version__}.")
    runs_here = packaged.levels(llvmlite.binding.get_host_cpu_features())
    wanted = args.level or list(reversed(runs_here))
    if not wanted or not set(wanted) <= set(runs_here):
        sys.exit(f"what is compiled is run: this processor has the levels {', '.join(runs_here) or 'none'}.")
    BUILD.mkdir(exist_ok=True)
    wheel = build(wanted, args.only)
    print(f"{wheel.relative_to(ROOT)}: {wheel.stat().st_size / 1e6:.1f} MB")
    if args.check:
        with Environment(wheel) as empty:
            new = empty.compiled()
        print(f"compiled: {new} kernels")
        sys.exit(int(new > 0))


if __name__ == "__main__":
    main()

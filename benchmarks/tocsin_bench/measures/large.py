"""What large meshes cost until the first answer, uncached and cached: processor seconds and memory of fresh processes.

A bumpy sphere of so many triangles stands, and a ball flies at it; or a robot of large meshes moves (`--robot`). Two
things are told apart: checking the arrays or reading the files, and the first question, which makes what a search
needs. Kernels are loaded, not compiled: a small scene is asked before. Seconds are of the processor, so a busy machine
does not change them much.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from typing import Any

from tocsin_bench import report

DESCRIPTION = "The first question about a mesh of 100,000 to millions of triangles, uncached and cached; memory."

ASK = """
import json, resource, sys
import numpy as np, tocsin

def made(n):
    k = round((n / 2) ** 0.5)
    u, v = np.meshgrid(np.arange(k) * 2 * np.pi / k, np.linspace(0.02, np.pi - 0.02, k + 1), indexing="ij")
    r = 1 + 0.03 * np.sin(9 * u) * np.sin(7 * v)
    points = np.stack([r * np.cos(u) * np.sin(v), r * np.sin(u) * np.sin(v), r * np.cos(v)], -1).reshape(-1, 3)
    i, j = np.arange(k)[:, None], np.arange(k)[None]
    a, b = i * (k + 1) + j, (i + 1) % k * (k + 1) + j
    return points, np.stack([a, b, b + 1, a, b + 1, a + 1], -1).reshape(-1, 3)

def spent():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime

def ask(what, *packages):
    mesh = made(int(what)) if not packages else None
    times = [spent()]
    ball = tocsin.Body(tocsin.Sphere(0.05), (3, 0.1, 0.2), name="ball")
    if mesh is None:
        model = tocsin.Robot.from_urdf(what, packages=packages)
        move = model.move({}, dict.fromkeys(model.joint_names, 0.1))
    else:
        model, move = tocsin.Body(mesh, name="scan"), ball.move((3, 0.1, 0.2), (0, 0.1, 0.2))
    times.append(spent())
    scene = tocsin.Scene(model, ball)
    for _ in range(2):
        hit = scene.first_contact(move)
        times.append(spent())
    return sum(len(s.faces) for own in model.shapes for s in own), str(hit.time), np.diff(times).tolist()

import warnings
warnings.simplefilter("ignore")
ask(40000)
triangles, time, seconds = ask(*sys.argv[1:])
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps({"triangles": triangles, "time": time, "seconds": seconds, "megabytes": peak / 1024}))
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this benchmark."""
    sizes = [100_000, 400_000, 1_000_000]
    parser.add_argument("--triangles", type=int, nargs="*", default=sizes, help="sizes (default 100,000 to 1,000,000)")
    parser.add_argument("--robot", help="a URDF with large meshes")
    parser.add_argument("--packages", default=".", help="the folder of its packages")


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Ask about each size in two fresh processes with a cache of their own, which is empty for the first."""
    rows, found = [], []
    robots = [(args.robot, args.packages)] if args.robot else []
    for asked in [*((str(n),) for n in args.triangles), *robots]:
        with tempfile.TemporaryDirectory() as folder:
            _ask(("40000",), folder)  # compiles what may be missing
            pair = [_ask(asked, folder) for _ in range(2)]
        if pair[0]["time"] != pair[1]["time"]:
            raise RuntimeError(f"{asked[0]}: the answer with what was kept is another one: {pair}")
        for kept, one in zip(("nothing kept", "prepared before"), pair):
            body, first, again = one["seconds"]
            cells = [f"{second:.2f}" for second in (body, first, body + first, 1e3 * again)]
            rows.append([f"{one['triangles']:,}", kept, *cells, f"{one['megabytes']:,.0f}"])
            found.append(one | {"kept": kept})
    columns = ["triangles", "", "read, s", "question, s", "together, s", "again, ms", "peak, MB"]
    report.table("Seconds of processor until the first answer", columns, rows)
    return {"sizes": found}


def _ask(asked: tuple[str, ...], folder: str) -> dict[str, Any]:
    """Ask in a fresh process, with prepared meshes kept in a folder of its own, and kernels where they are."""
    begin = f"from pathlib import Path\nfrom tocsin.geometry import cache\ncache.ARRAYS._root = Path({folder!r})\n"
    command = [sys.executable, "-c", begin + ASK, *asked]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])

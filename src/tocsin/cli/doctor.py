"""`tocsin doctor`: does tocsin work here? Versions, processor, caches, and known cases that it must prove or refute."""

from __future__ import annotations

import importlib.metadata
import math
import os
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import typer

import tocsin
from tocsin.cli import options, output
from tocsin.cli.output import Record

EXAMPLE = "Example: tocsin doctor\n\nTen seconds; the exit code is 1 if an answer is wrong."

NEEDED = ("numpy", "numba", "llvmlite", "scipy", "trimesh", "pycollada", "pyyaml", "pillow", "typer", "rich")
OPTIONAL = {"mujoco": "MJCF files", "xacro": "xacro files", "pyarrow": ".parquet files", "viser": "the live viewer"}
METHODS = ("advancement", "interval")


def doctor(as_json: options.Json = False) -> None:
    """Say what tocsin runs on, and ask both engines questions whose answers are known: ten seconds."""
    started = time.perf_counter()
    record: Record = {"tocsin": tocsin.__version__, "command": "doctor", "machine": _machine()}
    with output.progress("asking") as progress:
        record["cases"] = _cases(progress)
    record["well"] = all(case["right"] for case in record["cases"])
    record["seconds"] = time.perf_counter() - started
    if as_json:
        output.write_json(record)
    else:
        _show(record)
    if not record["well"]:
        raise typer.Exit(1)


def _machine() -> Record:
    """Versions, processor, and where things are kept."""
    from llvmlite import binding  # pyright: ignore[reportMissingTypeStubs]

    from tocsin.compiler import store

    folder = store.folder()
    return {
        "python": platform.python_version(),
        "system": platform.platform(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "compiles_for": os.environ.get("NUMBA_CPU_NAME") or binding.get_host_cpu_name(),
        "installed_in": str(Path(tocsin.__file__).parent),
        "cache": None if folder is None else str(folder),
        "cache_megabytes": 0.0 if folder is None else _size(folder) / 2**20,
        "cache_refused": None if folder is None else store.refusal(folder),
        "versions": {name: _version(name) for name in NEEDED},
        "optional": {name: _version(name) for name in OPTIONAL},
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    named = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or platform.machine()


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _size(folder: Path) -> int:
    total = 0
    for place, _, files in os.walk(folder):
        for name in files:
            try:
                total += os.stat(os.path.join(place, name), follow_symlinks=False).st_size
            except OSError:  # it was removed meanwhile
                continue
    return total


def _cases(progress: Callable[[float, float], None]) -> list[Record]:
    """Ask every known case of both engines; what is expected is worked out by hand, on round numbers."""
    asked = [(case, method) for case in _known() for method in METHODS]
    found: list[Record] = []
    for k, ((title, scene, motion, time_of_contact, tolerance), method) in enumerate(asked):
        case = {"case": title, "method": method, "expected": time_of_contact}
        try:
            hit = scene.first_contact(motion, tolerance=1e-9, method=method)
            free = scene.is_free(motion, tolerance=1e-9, method=method)
            agree = free == (hit.status is tocsin.Status.FREE)
            if math.isinf(time_of_contact):
                right = agree and hit.status is tocsin.Status.FREE
            else:
                right = agree and time_of_contact - tolerance <= hit.time <= time_of_contact
            case |= {"answer": hit.time, "status": hit.status.value, "right": bool(right)}
        except Exception as error:  # whatever it is, it belongs on the page
            case |= {"answer": None, "status": f"{type(error).__name__}: {error}", "right": False}
        found.append(case)
        progress(k + 1, len(asked))
    return found


def _known() -> list[tuple[str, tocsin.Scene, tocsin.Motion, float, float]]:
    """Return (title, scene, motion, time of first contact, how much earlier it may be said)."""
    ball = tocsin.Body(tocsin.Sphere(1.0), name="ball")
    other = tocsin.Body(tocsin.Sphere(1.0), (3.0, 0.0, 0.0), name="other")
    passing = ball.move((0.0, 2.0000001, 0.0), (6.0, 2.0000001, 0.0))
    cube = tocsin.Body(tocsin.Box((1.0, 1.0, 1.0)), name="cube")
    wall = tocsin.Body(_square(), (2.5, 0.0, 0.0), name="wall")
    rod = tocsin.RobotBuilder("rod")
    rod.link("base")
    rod.link("arm", (tocsin.Box((2.0, 0.2, 0.2)), (1.0, 0.0, 0.0)), parent="base", joint="revolute", axis=(0, 0, 1))
    arm = rod.build()
    post = tocsin.Body(tocsin.Box((0.2, 0.2, 1.0)), (0.0, 1.5, 0.0), name="post")
    swing = arm.move([0.0], [math.pi])
    touch = (math.pi / 2.0 - math.asin(0.1 / math.hypot(0.1, 1.4)) - math.asin(0.1 / math.hypot(0.1, 1.4))) / math.pi
    far = tocsin.Body(tocsin.Box((0.2, 0.2, 1.0)), (0.0, 2.2, 0.0), name="far")
    return [
        ("two balls meet", tocsin.Scene(ball, other), ball.move((0, 0, 0), (2, 0, 0)), 0.5, 1e-6),
        ("two balls pass, 0.1 µm apart", tocsin.Scene(ball, other), passing, math.inf, 0.0),
        ("a cube reaches a wall of triangles", tocsin.Scene(cube, wall), cube.move((0, 0, 0), (4, 0, 0)), 0.5, 1e-6),
        ("a cube stops before it", tocsin.Scene(cube, wall), cube.move((0, 0, 0), (1.999, 0, 0)), math.inf, 0.0),
        ("an arm swings into a post", tocsin.Scene(arm, post), swing, touch, 1e-6),
        ("an arm swings past a post", tocsin.Scene(arm, far), swing, math.inf, 0.0),
    ]


def _square() -> tocsin.Mesh:
    corners = np.array([(0.0, y, z) for y in (-2.0, 2.0) for z in (-2.0, 2.0)])
    return tocsin.Mesh(corners, np.array([(0, 1, 3), (0, 3, 2)]))


def _show(record: Record) -> None:
    """Print it for people."""
    console = output.console()
    about = record["machine"]
    versions = [f"{name} {version or 'is missing'}" for name, version in about["versions"].items()]
    extras = [f"{name} {about['optional'][name] or f'not installed ({use})'}" for name, use in OPTIONAL.items()]
    kept = "nothing is kept (TOCSIN_CACHE=off)"
    if about["cache"] is not None:
        kept = about["cache_refused"] or f"{about['cache']}, {about['cache_megabytes']:.0f} MB"
    console.print(f"[bold]tocsin {record['tocsin']}[/], Python {about['python']}, {about['system']}")
    rows = [
        ("processor", f"{about['processor']}, {about['cores']} cores; compiled for {about['compiles_for']}"),
        ("installed", about["installed_in"]),
        ("cache", kept),
        ("needs", ", ".join(versions)),
        ("optional", ", ".join(extras)),
    ]
    console.print(output.facts(rows))
    cells = [
        (case["case"], case["method"], _time(case["expected"]), _time(case["answer"]) or case["status"],
         "right" if case["right"] else "WRONG")
        for case in record["cases"]
    ]  # fmt: skip
    console.print(output.table(("known case", "engine", "contact", "answer", ""), cells, right=(2, 3)))
    wrong = sum(not case["right"] for case in record["cases"])
    verdict = "[bold green]all is well[/]" if record["well"] else f"[bold red]{wrong} answers are wrong[/]"
    console.print(f"{verdict}: {len(cells)} answers in {output.seconds(record['seconds'])}")
    if not record["well"]:
        print("Trust no answer of this installation; please report what is above.", file=sys.stderr)


def _time(value: float | None) -> str:
    return "" if value is None else "never" if math.isinf(value) else f"{value:.7f}"

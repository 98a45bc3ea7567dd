"""What a query costs when there is nothing to do: Python, dispatch and start-up.

Two boxes far apart, one of them moving: everything that is left is the way in and out. Also a two-link robot, the time
of `import tocsin`, and of the first query of a fresh process whose compiled code is already on disk.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import tocsin
from tocsin_bench import report

DESCRIPTION = (
    "The cost of a trivial query (two boxes far apart), of making its motion, of import and of the first query."
)

FIRST_QUERY = """
import time
start = time.perf_counter()
import tocsin
imported = time.perf_counter()
import numpy as np
a = tocsin.Body(tocsin.Box(size=(1, 1, 1)), name="a")
b = tocsin.Body(tocsin.Box(size=(1, 1, 1)), name="b")
end = np.eye(4)
end[0, 3] = 5.0
scene = tocsin.Scene(a, b)
far = np.eye(4)
far[2, 3] = 9.0
scene.first_contact(a.move(np.eye(4), end), b.at(far))
print(imported - start, time.perf_counter() - imported)
"""
BASELINE = "import time; start = time.perf_counter(); import numpy, numba; print(time.perf_counter() - start)"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this benchmark."""
    parser.add_argument("--count", type=int, default=20_000, help="calls of each kind (default 20,000)")
    parser.add_argument("--processes", type=int, default=5, help="fresh processes for the start-up times (default 5)")


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Time trivial queries in this process and start-up in fresh ones."""
    seconds = {name: _calls(ask, args.count) for name, ask in _contestants().items()}
    rows = [
        [name, *(report.us(float(v)) for v in (np.median(t), np.mean(t), np.percentile(t, 99), np.min(t)))]
        for name, t in seconds.items()
    ]
    report.table(f"A trivial query, µs over {args.count:,} calls", ["", "median", "mean", "99 %", "least"], rows)

    # The first process may have to compile; it is not counted.
    starts = np.array([_fresh(FIRST_QUERY) for _ in range(args.processes + 1)][1:])
    base = np.array([_fresh(BASELINE) for _ in range(args.processes)])
    imports, first, numba = (float(np.median(x)) for x in (starts[:, 0], starts[:, 1], base[:, 0]))
    report.table(
        f"Start-up, seconds, median of {args.processes} fresh processes with compiled code on disk",
        ["", "seconds"],
        [["import tocsin", f"{imports:.3f}"], ["  of which numpy and numba alone", f"{numba:.3f}"],
         ["first query after import", f"{first:.3f}"]],
    )  # fmt: skip
    summary = {name: {"median": float(np.median(t)), "mean": float(np.mean(t))} for name, t in seconds.items()}
    return {"calls": summary, "import": imports, "import_numpy_numba": numba, "first_query": first}


def _contestants() -> dict[str, Callable[[], Any]]:
    a = tocsin.Body(tocsin.Box(size=(1.0, 1.0, 1.0)), name="a")
    far = np.eye(4)
    far[2, 3] = 9.0
    b = tocsin.Body(tocsin.Box(size=(1.0, 1.0, 1.0)), pose=far, name="b")
    boxes = tocsin.Scene(a, b)
    start, end = np.eye(4), np.eye(4)
    end[0, 3] = 5.0
    slide = a.move(start, end)

    builder = tocsin.RobotBuilder("arm", base="fixed")
    builder.link("base", tocsin.Box(size=(0.2, 0.2, 0.2)))
    builder.link(
        "upper", tocsin.Box(size=(0.1, 0.1, 0.6)), parent="base", joint="revolute", axis=(0, 1, 0), origin=(0, 0, 0.5)
    )
    robot = builder.build()
    cell = tocsin.Scene(robot, tocsin.Body(tocsin.Box(size=(1.0, 1.0, 1.0)), pose=far, name="far"))
    q0, q1 = np.array([0.0]), np.array([0.5])
    swing = robot.move(q0, q1)
    return _by_ompl(cell, robot) | {
        "boxes: move": lambda: a.move(start, end),
        "boxes: first_contact, motion reused": lambda: boxes.first_contact(slide),
        "boxes: is_free, motion reused": lambda: boxes.is_free(slide),
        "boxes: move + first_contact": lambda: boxes.first_contact(a.move(start, end)),
        "arm: move": lambda: robot.move(q0, q1),
        "arm: first_contact, motion reused": lambda: cell.first_contact(swing),
        "arm: is_free, motion reused": lambda: cell.is_free(swing),
        "arm: move + first_contact": lambda: cell.first_contact(robot.move(q0, q1)),
    }


def _by_ompl(scene: tocsin.Scene, robot: tocsin.Robot) -> dict[str, Callable[[], Any]]:
    """The same edge as OMPL's planners ask it, through its bindings; beside what a Python function costs there."""
    try:
        from ompl import base  # pyright: ignore[reportMissingImports]
    except ImportError:
        return {}
    from tocsin.planning import MotionValidator, state_space

    class Nothing(base.MotionValidator):
        """Says yes."""

        def checkMotion(self, a: Any, b: Any) -> bool:
            return True

    space = state_space(robot)
    states: list[Any] = [space.allocState(), space.allocState()]
    states[0][0], states[1][0] = 0.0, 0.5
    found: dict[str, Callable[[], Any]] = {"arm: move + is_free": lambda: scene.is_free(robot.move([0.0], [0.5]))}
    for name, make in {"nothing": Nothing, "tocsin": lambda i: MotionValidator(i, scene, robot)}.items():
        information: Any = base.SpaceInformation(space)
        information.setStateValidityChecker(lambda state: True)
        information.setMotionValidator(make(information))
        information.setup()
        found[f"arm: OMPL's checkMotion, {name}"] = lambda i=information: i.checkMotion(*states)
    return found


def _calls(ask: Callable[[], Any], count: int) -> np.ndarray:
    """Seconds of each of `count` calls, after a warm-up of a tenth as many."""
    clock = time.perf_counter
    for _ in range(max(1, count // 10)):
        ask()
    taken = np.zeros(count)
    for k in range(count):
        start = clock()
        ask()
        taken[k] = clock() - start
    return taken


def _fresh(script: str) -> list[float]:
    """Run `script` in a fresh interpreter and return the numbers that it prints."""
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    return [float(word) for word in done.stdout.split()]

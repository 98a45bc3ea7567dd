"""What users ask first, asked once: which kernels does that take which `tocsin warmup`, and so a wheel, does not hold?

    python tools/uses.py                    asks everything, twice; lists the kernels that had to be compiled
    python tools/uses.py readme robot       some of it
    python tools/uses.py --beyond-warmup    lists the kernels that are asked for after all steps of `tocsin warmup`, and
                                            those that the library calls from Python and nobody here asked for

Half a minute, where the kernels of this machine are compiled. `tools/wheel.py --check` asks the first in an empty
environment, `tests/cli/test_warmup.py` the last; nothing listed is what both want. Needs tocsin alone.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import os
import pkgutil
import re
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

import tocsin
from tocsin.cli import main as command_line
from tocsin.cli import warmup
from tocsin.compiler import disk_cache, store
from tocsin.errors import TocsinError

ROOT = Path(__file__).resolve().parent.parent

ELSEWHERE = {
    "tocsin.wavefront": "batches on a GPU, which compiles its own",
    "tocsin.queries.devices": "batches on a GPU, which compiles its own",
    "tocsin.queries.ahead": "names kernels that questions call, and calls none",
}
"""What calls kernels and is no question of a user's."""


class Asked:
    """The kernels that were asked for since, by name; which of them had to be compiled."""

    def __init__(self) -> None:
        self.kernels: dict[str, bool] = {}
        self.functions: set[FunctionType] = set()
        usual = disk_cache.KernelCache.load_overload

        def load(kernel: Any, sig: object, target_context: Any) -> Any:
            found = usual(kernel, sig, target_context)
            if kernel.kind == disk_cache.KernelCache.kind:
                function = kernel._function
                name = f"{function.__module__}.{function.__qualname__} {brief(sig)}"
                self.kernels[name] = self.kernels.get(name, False) or found is None
                self.functions.add(function)
            return found

        disk_cache.KernelCache.load_overload = load  # type: ignore[method-assign]

    def taken(self) -> dict[str, bool]:
        """Return what was asked for since the last time."""
        taken, self.kernels = self.kernels, {}
        return taken


def brief(sig: object) -> str:
    """Return a signature without the fields of its records."""
    return re.sub(r"Record\(\[?.*?\]?, ?\d+, (?:True|False)\)|Record\(.*?;\d+;(?:True|False)\)", "Record", str(sig))


def turned(x: float, angle: float) -> np.ndarray:
    """Return a pose along x, turned about z."""
    return tocsin.pose((x, 0, 0), rpy=(0, 0, angle))


def bumpy(vertices: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a closed surface of so many vertices, a grid around a ball with bumps."""
    n = round((vertices / 2) ** 0.5)
    ball = tocsin.Sphere(0.5).tessellate(2 * n)
    points = np.array(ball.vertices)
    return points * (1.0 + 0.03 * np.sin(20.0 * points[:, :1])), np.array(ball.faces)


def write_obj(file: Path, vertices: np.ndarray, faces: np.ndarray) -> Path:
    """Write a mesh."""
    lines = [*("v {} {} {}".format(*v) for v in vertices.tolist()), *("f {} {} {}".format(*f) for f in faces.tolist())]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def write_robot(folder: Path) -> Path:
    """Write an arm of six joints, whose links are meshes."""
    rod = tocsin.Capsule(0.05, 0.25).tessellate()
    write_obj(folder / "rod.obj", rod.vertices + (0, 0, 0.15), rod.faces + 1)
    parts, axes = ['<link name="link0"/>'], ("0 0 1", "0 1 0", "0 1 0", "1 0 0", "0 1 0", "0 0 1")
    for k, axis in enumerate(axes):
        parts.append(
            f'<link name="link{k + 1}"><collision><geometry><mesh filename="rod.obj"/></geometry></collision></link>'
            f'<joint name="joint{k}" type="revolute"><parent link="link{k}"/><child link="link{k + 1}"/><axis '
            f'xyz="{axis}"/><origin xyz="0 0 0.31"/><limit lower="-2.5" upper="2.5" effort="1" velocity="1"/></joint>'
        )
    file = folder / "arm.urdf"
    file.write_text(f'<robot name="arm">{"".join(parts)}</robot>', encoding="utf-8")
    rows = [f"{t},{','.join(f'{0.3 * t * (k + 1):.6f}' for k in range(6))}" for t in (0.0, 0.5, 1.0)]
    head = ",".join(["time", *(f"joint{k}" for k in range(6))])
    (folder / "path.csv").write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    return file


def command(*words: object) -> None:
    """Run a command line; 0 and 1 are answers."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            command_line([str(word) for word in words])
        except SystemExit as left:
            if left.code not in (0, 1, None):
                raise RuntimeError(f"tocsin {' '.join(map(str, words))}: {said.getvalue()}") from None


def readme(folder: Path) -> None:
    """The README's example."""
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)[:1]
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(code, "README.md", "exec"), {})


def demo(folder: Path) -> None:
    """The demonstration, with its picture and its page."""
    command("demo", "--out", folder / "demo")


def commands(folder: Path) -> None:
    """Every command that is asked about a robot."""
    robot, ball = write_robot(folder), tocsin.Sphere(0.2).tessellate()
    around = "--scene", write_obj(folder / "ball.obj", ball.vertices + (0.7, 0.3, 0.8), ball.faces + 1)
    start, far, near = "0.3,0.4,0.4,0.4,0.4,0", "1.2,0.4,0.4,0.4,0.4,0", "0.5,0.4,0.4,0.4,0.4,0"
    command("info", robot)
    for end in (far, near):
        command("check", robot, *around, "--from", start, "--to", end)
    command("audit", robot, folder / "path.csv", *around, "--margin", 0.01)
    command("audit", robot, folder / "path.csv", *around, "--report", folder / "report.html")
    command("plan", robot, *around, "--from", start, "--to", near, "--out", folder / "plan.csv")
    command("matrix", robot, "--seconds", 1, "--most", 20000, "--proof", folder / "matrix.proof")
    command("audit", robot, folder / "path.csv", *around, "--prove", folder / "proofs")
    command("view", robot, *around, "--from", start, "--to", far, "--save", folder / "page.html")


def robot(folder: Path) -> None:
    """A robot that is asked many times, so that it has charts; its batches, paths, programs and proofs."""
    arm = tocsin.Robot.from_urdf(write_robot(folder))
    plate = tocsin.Body(tocsin.Box((0.01, 1, 1)).tessellate(), (0.9, 0, 0.9), name="plate")
    scene = tocsin.Scene(arm, plate)
    random = np.random.default_rng(1)
    starts, ends = random.uniform(-1.5, 1.5, (2, 300, 6))
    for a, b in zip(starts, ends):
        scene.is_free(arm.move(a, b))
    scene.check_edges(arm, starts, ends)
    hits = scene.first_contacts(arm, starts, ends)
    _ = [hits[i].contacts for i in range(5)], scene.distances(arm, ends), scene.distance(arm.at(ends[0])).distance
    _ = scene.first_contact(arm.follow([*ends[:3]])).stats, scene.contact_intervals(arm.move(starts[0], ends[0]))
    scene.first_contact(arm.move(starts[0], ends[0]), method="interval")
    still = np.zeros((2, 6))
    plan = tocsin.Trajectory([0.0, 1.0], np.stack([still[0], still[0] + 0.1]), velocities=still)
    for error in (None, 0.001):
        motion = arm.follow(plan, error=error)
        _ = scene.first_contact(motion).contacts, scene.prove(motion)
    tocsin.audit(scene, arm, plan, margin=0.01)
    tocsin.audit(scene, arm, ends[:3], margin=0.01)
    arm.ignore_overlapping_at(ends[0])
    scene.penetration(arm.at(ends[0]))
    part = tocsin.Body(tocsin.Box((0.1, 0.1, 0.1)), (0, 0, 2.4), name="part")
    cell = tocsin.Scene(arm, part, plate)
    arm.attach(part, link="link6")
    cell.first_contact(arm.move(starts[0], ends[0]))
    arm.detach(part)
    program = tocsin.Program("carry")
    program.follow(arm, plan)
    program.attach(arm, part, "link6")
    program.move(arm, ends[0], seconds=2.0, error=0.001)
    program.detach(arm, part)
    _ = tocsin.audit(cell, program, margin=0.01).conflicts


def cloth(folder: Path) -> None:
    """A cloth with itself, beside what stands, moves and turns, of every kind; small and large."""
    for n in (6, 12):
        x, y = np.meshgrid(np.linspace(0, 1, n), np.linspace(0, 1, n))
        points = np.stack([x.ravel(), y.ravel(), 0.02 * np.sin(9.0 * x).ravel()], axis=1)
        cells = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel()
        faces = np.concatenate([cells[:, None] + (0, 1, n), cells[:, None] + (1, n + 1, n)])
        towel = tocsin.Deformable(points, faces, name="towel")
        ball = tocsin.Body(tocsin.Sphere(0.1), (0.5, 0.5, -0.3), name="ball")
        can = tocsin.Body(tocsin.Cylinder(0.1, 0.2), (0.2, 0.2, -0.3), name="can")
        box = tocsin.Body(tocsin.Box((0.2, 0.2, 0.2)), (0.5, 0.5, 0.1), name="box")
        bumps = tocsin.Body(tocsin.Sphere(0.2).tessellate(), (0.8, 0.8, -0.4), name="bumps", solid=True)
        for threads in (1, 2):
            scene = tocsin.Scene(towel, ball, can, box, bumps, threads=threads)
            down = towel.move(points, points - (0, 0, 0.5))
            turns = box.move(turned(0.5, 0.0), turned(0.5, 3.0)), bumps.move(turned(0.8, 0.0), turned(0.2, 2.0))
            for motions in ((down,), (down, *turns), turns):
                _ = scene.first_contact(*motions).contacts, scene.is_free(*motions, margin=0.001)
                _ = list(scene.contacts(*motions))[:3]
            scene.contacts(down, every="triangle")
            scene.safe_step(down)
            scene.first_contact(towel.follow([points, points + (0, 0, 0.2), points - (0, 0, 0.5)]))


def large(folder: Path) -> None:
    """A mesh of 60,000 triangles as a body, as a solid, as a link and beside a cloth; from arrays and from a file."""
    vertices, faces = bumpy(32_000)
    file = write_obj(folder / "large.obj", vertices, faces + 1)
    ball = tocsin.Body(tocsin.Sphere(0.05), name="ball")
    for solid in (False, True):
        body = tocsin.Body.from_mesh(file, name="large", solid=solid)
        scene = tocsin.Scene(body, ball)
        through = ball.move((-2, 0, 0), (2, 0.1, 0.1))
        _ = scene.first_contact(through).contacts, scene.is_free(ball.move((-2, 0, 0), (-1, 0, 0)))
        _ = scene.distance(ball.at((2, 0, 0))).distance, body.shapes[0][0].source.report
        scene.contact_intervals(through)
    b = tocsin.RobotBuilder("arm")
    b.link("base", (vertices, faces))
    b.link("tool", (0.2 * vertices, faces), parent="base", joint="revolute", axis=(0, 0, 1), origin=(1, 0, 0))
    arm = b.build()
    tocsin.Scene(arm).first_contact(arm.move([0.0], [1.0]))
    towel = tocsin.Deformable([[-1, -1, 1], [1, -1, 1], [0, 1, 1.0]], [[0, 1, 2]], name="towel")
    move = towel.move(towel.vertices, towel.vertices - (0, 0, 2))
    _ = tocsin.Scene(towel, tocsin.Body((vertices, faces), name="large")).first_contact(move).contacts


def bodies(folder: Path) -> None:
    """Rigid bodies: clouds, height fields, shells in shells, a hundred of them, every contact, proofs, how deep."""
    random = np.random.default_rng(2)
    cloud = tocsin.Body.from_points(random.random((2000, 3)), 0.01, spacing=0.02, name="cloud")
    ground = tocsin.Body.from_heights(0.1 * random.random((30, 30)), 0.1, (0, 0, -1), name="ground")
    ball = tocsin.Body(tocsin.Sphere(0.1).tessellate(), name="ball")
    scene = tocsin.Scene(cloud, ground, ball)
    move = ball.move((-1, 0.5, 0.5), (2, 0.5, 0.5))
    hit = scene.first_contact(move)
    _ = hit.contacts, ball.at_contact(hit), scene.distance(ball.at((2, 2, 2))).distance
    scene.penetration(ball.at((0.5, 0.5, 0.5)))
    tocsin.Scene(tocsin.Body(tocsin.Box((1, 1, 1)).tessellate(), name="crate"), ball).prove(move)
    inner = tocsin.Sphere(0.3).tessellate()
    outer = tocsin.Sphere(0.5).tessellate()
    faces = np.concatenate([outer.faces, inner.faces[:, ::-1] + len(outer.vertices)])
    hollow = tocsin.Body((np.concatenate([outer.vertices, inner.vertices]), faces), name="hollow", solid=True)
    box = tocsin.Body(tocsin.Box((0.1, 0.2, 0.3)).tessellate(), name="box")
    _ = tocsin.Scene(hollow, box).first_contact(box.move((-2, 0, 0), (2, 0, 0))).contacts
    many = [tocsin.Body(tocsin.Box((0.1, 0.1, 0.1)), (x, y, 0.0), name=f"{x} {y}") for x in range(9) for y in range(9)]
    crowd = tocsin.Scene(box, *many)
    moves = tocsin.Body.move_all([box, *many[:3]], np.zeros((4, 3)) + (0, 0, 1), np.zeros((4, 3)) + (9, 9, -1))
    _ = crowd.first_contact(*moves).contacts
    pair = tocsin.Scene(box, hollow)
    for exact in (False, True):
        crowd.contacts(*moves, exact=exact)
        for kind in ("screw", "interpolating"):
            list(pair.contacts(box.move(turned(-1, 0.0), turned(1, 1.0), kind=kind), exact=exact))
            both = box.move(turned(-1, 0.0), turned(1, 3.0), kind=kind), hollow.move(turned(1, 3.0), turned(0, 0.0))
            pair.contacts(*both, exact=exact)
        pair.contacts(box.follow([turned(-1, 0.0), turned(0, 1.0), turned(1, 2.0)]), exact=exact)


USES: dict[str, Callable[[Path], None]] = {
    use.__name__: use for use in (readme, commands, robot, cloth, large, bodies, demo)
}


def ask(asked: Asked, names: list[str]) -> Iterator[tuple[str, float, dict[str, bool]]]:
    """Ask twice: what the first time has kept is read the second time. Yield what each took."""
    for again in (False, True):
        for name in names:
            with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                started = time.process_time()
                USES[name](Path(folder))
            yield f"{name}{', again' if again else ''}", time.process_time() - started, asked.taken()


def codes(code: CodeType) -> Iterator[CodeType]:
    """Yield a function's code and that of the functions inside it."""
    yield code
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from codes(value)


def functions(module: Any) -> Iterator[FunctionType]:
    """Yield what a module defines and Python runs, methods and properties included; kernels are none of it."""
    for value in vars(module).values():
        inside = vars(value).values() if isinstance(value, type) and value.__module__ == module.__name__ else (value,)
        for member in inside:
            for part in (member, *(getattr(member, name, None) for name in ("fget", "func", "__func__"))):
                if isinstance(part, FunctionType) and part.__module__ == module.__name__:
                    yield part


def called_from_python() -> dict[FunctionType, str]:
    """Return the kernels whose names stand in functions of the library that are none, and one of these functions."""
    found: dict[FunctionType, str] = {}
    for info in pkgutil.walk_packages(tocsin.__path__, "tocsin."):
        try:
            module = importlib.import_module(info.name)
        except (ImportError, TocsinError):  # of what is not installed, some with a sentence
            continue
        for function in functions(module):
            caller = f"{info.name}.{function.__qualname__}"
            names = [name for code in codes(function.__code__) for name in code.co_names]
            values = [function.__globals__.get(name) for name in names]
            ours = [value for value in values if isinstance(value, ModuleType) and value.__name__.startswith("tocsin.")]
            values += [vars(value).get(name) for value in ours for name in names]
            for value in values:
                kernel = getattr(value, "py_func", None)
                if kernel is not None and not any(caller.startswith(place) for place in ELSEWHERE):
                    found.setdefault(kernel, caller)
    return found


def main() -> None:
    """Ask, and list."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--beyond-warmup", action="store_true", help="what the steps of `tocsin warmup` do not ask for")
    parser.add_argument("uses", nargs="*", choices=[[], *USES], help="default: all")
    args = parser.parse_args()
    beyond, asked = args.beyond_warmup, Asked()
    with tempfile.TemporaryDirectory(prefix="tocsin-") as folder:
        if beyond:  # kernels as they are on this machine, and nothing of meshes
            disk_cache.KERNELS._root = store.folder()
            os.environ["TOCSIN_CACHE"] = folder
            for _, work in warmup._jobs():
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    work()
            print(f"tocsin warmup: {len(asked.taken())} kernels", flush=True)
        listed = 0
        for name, seconds, kernels in ask(asked, args.uses or list(USES)):
            missing = [kernel for kernel, compiled in kernels.items() if beyond or compiled]
            print(f"{name}: {seconds:.1f} s of the processor, {len(missing)} kernels", *missing, sep="\n  ", flush=True)
            listed += len(missing)
    if beyond:
        never = {kernel: caller for kernel, caller in called_from_python().items() if kernel not in asked.functions}
        for kernel, caller in never.items():
            print(f"called by {caller}, and never here: {kernel.__module__}.{kernel.__qualname__}")
        listed += len(never)
    sys.exit(int(listed > 0))


if __name__ == "__main__":
    main()

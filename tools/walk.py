"""Walks four questions through the sources, as a reader would: `NUMBA_DISABLE_JIT=1 python tools/walk.py`.

Of each it counts the files whose functions run, and the jumps: functions of one file that call one of another, each
pair once, however often it is gone. Kernels run as plain Python for it, so what is compiled is walked through too.
"""

import contextlib
import io
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FrameType

import numpy as np

import tocsin

HOME = Path(tocsin.__file__).parent

URDF = """<robot name="arm">
<link name="base"><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
<link name="tip"><collision><geometry><box size="0.1 0.1 1"/></geometry></collision></link>
<joint name="j" type="revolute"><parent link="base"/><child link="tip"/><origin xyz="0 0 1"/><axis xyz="0 1 0"/>
<limit lower="-3" upper="3" effort="1" velocity="1"/></joint></robot>"""


def walked(question: Callable[[], object]) -> tuple[set[CodeType], set[tuple[CodeType, CodeType]]]:
    """Return the functions that a question runs through, and from which to which it goes from one file to another."""
    seen: set[CodeType] = set()
    jumps: set[tuple[CodeType, CodeType]] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event != "call" or not frame.f_code.co_filename.startswith(str(HOME)):
            return
        seen.add(frame.f_code)
        caller = None if frame.f_back is None else frame.f_back.f_code
        if caller is None or not caller.co_filename.startswith(str(HOME)):
            return
        if caller.co_filename != frame.f_code.co_filename:
            jumps.add((caller, frame.f_code))

    sys.setprofile(note)
    try:
        question()
    finally:
        sys.setprofile(None)
    return seen, jumps


def questions(folder: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield the four calls of the review, each asked once before, so that what is laid out once is not walked."""
    (folder / "arm.urdf").write_text(URDF)
    robot = tocsin.Robot.from_urdf(folder / "arm.urdf")
    ball = tocsin.Body(tocsin.Sphere(0.2), (0.7, 0, 1), name="ball")
    arm = tocsin.Scene(robot, ball)
    yield "first_contact(arm.move)", lambda: arm.first_contact(robot.move([0.0], [2.0])).contacts
    n = 6
    x, y = np.meshgrid(np.linspace(0, 1, n), np.linspace(0, 1, n))
    flat = np.stack([x.ravel(), y.ravel(), np.full(n * n, 0.5)], axis=1)
    corners = [i * n + j for i in range(n - 1) for j in range(n - 1)]
    cloth = tocsin.Deformable(flat, [f for a in corners for f in ((a, a + 1, a + n), (a + 1, a + n + 1, a + n))])
    soft = tocsin.Scene(cloth, tocsin.Body(tocsin.Box((0.3, 0.3, 0.3)).tessellate(), (0.5, 0.5, 0), name="box"))
    yield "first_contact(cloth.move)", lambda: soft.first_contact(cloth.move(flat, flat - (0, 0, 1))).contacts
    a, b = (tocsin.Body(tocsin.Box((1, 1, 1)).tessellate(), (2.0 * k, 0, 0), name="ab"[k]) for k in range(2))
    both = tocsin.Scene(a, b)
    turned = np.array([[0.8, -0.6, 0, 3], [0.6, 0.8, 0, 0.2], [0, 0, 1, 0.1], [0, 0, 0, 1]])
    yield "contacts(kind='screw')", lambda: list(both.contacts(a.move(np.eye(4), turned, kind="screw")))
    yield "tocsin check", lambda: check(folder / "arm.urdf")


def check(robot: Path) -> None:
    """Run the command; what it prints is not looked at."""
    from tocsin.cli.app import run

    run(["check", str(robot), "--from", "0", "--to", "1"])


def main() -> None:
    """Print the files and jumps of the four calls."""
    if not __import__("numba").config.DISABLE_JIT:
        raise SystemExit("kernels that are compiled cannot be walked through: set NUMBA_DISABLE_JIT=1.")
    np.seterr(all="ignore")
    with tempfile.TemporaryDirectory() as folder:
        for name, question in questions(Path(folder)):
            with contextlib.redirect_stdout(io.StringIO()):
                question()
                seen, jumps = walked(question)
            files = {code.co_filename for code in seen}
            ends = {code: max(line for _, _, line in code.co_lines() if line) for code in seen}
            longest = max(end - code.co_firstlineno + 1 for code, end in ends.items())
            widest = max(code.co_argcount + code.co_kwonlyargcount for code in seen)
            print(f"{name:26} {len(files):3} files {len(jumps):4} jumps, {longest} lines, {widest} arguments at most")


if __name__ == "__main__":
    main()

"""Read every robot in some folders and say what came of it: python tools/robots.py FOLDER ... > table.md

URDF, xacro (`.urdf.xacro`), SDF and MJCF files. Nothing is asked of them but to load.
"""

from __future__ import annotations

import re
import sys
import time
import warnings
from collections import Counter
from pathlib import Path

import tocsin

SUFFIXES = {".urdf": "from_urdf", ".xacro": "from_urdf", ".sdf": "from_sdf", ".xml": "from_mjcf"}
LEFT_OUT = re.compile(r"random_urdfs|/plugins?/|package\.xml|(?:^|/)data/|config")
"""In the names of files below a folder: objects, settings."""


def robots(folder: Path) -> list[Path]:
    """Return the files below a folder that may be robots: of XML files those of MuJoCo that have joints."""
    found = [file for file in sorted(folder.rglob("*")) if file.suffix.lower() in SUFFIXES and file.is_file()]
    found = [file for file in found if not LEFT_OUT.search(file.relative_to(folder).as_posix())]
    found = [file for file in found if file.suffix != ".xacro" or file.name.endswith(".urdf.xacro")]
    return [file for file in found if file.suffix != ".xml" or _is_model(file)]


def _is_model(file: Path) -> bool:
    text = file.read_text(encoding="utf-8", errors="replace")
    return "<mujoco" in text and "<worldbody" in text and "<joint" in text


def read(file: Path, folder: Path) -> tuple[str, str]:
    """Return ("reads", what it has) or ("refused", why)."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            robot = getattr(tocsin.Robot, SUFFIXES[file.suffix.lower()])(file, packages=[folder])
    except tocsin.TocsinError as error:
        return "refused", str(error).replace(str(folder.resolve()), "...").replace(str(folder), "...")
    moving = sum(1 for joint in robot.joints if joint.width)
    shapes = sum(map(len, robot.shapes))
    triangles = sum(len(shape.faces) for own in robot.shapes for shape in own)
    return "reads", f"{len(robot.link_names)} links, {moving} joints, {shapes} shapes, {triangles:,} triangles"


def main(folders: list[str]) -> None:
    """Print a table for each folder."""
    counts: Counter[str] = Counter()
    for name in folders:
        folder = Path(name)
        print(f"\n## {folder.name}\n\n| file | |\n|---|---|")
        for file in robots(folder):
            started = time.perf_counter()
            verdict, words = read(file, folder)
            counts[verdict] += 1
            cell = words if verdict == "reads" else f"**refused**: {words}"
            print(f"| {file.relative_to(folder)} | {cell.replace('|', '/').replace('<', '&lt;')} |", flush=True)
            if time.perf_counter() - started > 20.0:
                print(f"{file}: {time.perf_counter() - started:.0f} s", file=sys.stderr)
    print(f"\n{counts['reads']} read, {counts['refused']} refused.")


if __name__ == "__main__":
    main(sys.argv[1:])

"""Make the gallery's pages and pictures: run every script of examples/gallery in docs/gallery, which git ignores.

python tools/gallery.py [NAME ...]      # all, or some; a script whose page is newer than itself is left alone
"""

from __future__ import annotations

import os
import runpy
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = ROOT / "examples" / "gallery"
PAGES = ROOT / "docs" / "gallery"


def main(names: list[str]) -> None:
    """Run the scripts of these names, or those that have changed."""
    os.chdir(PAGES)
    for script in sorted(SCRIPTS.glob("*.py")):
        page = PAGES / f"{script.stem}.html"
        if script.stem not in names and (names or (page.exists() and page.stat().st_mtime > script.stat().st_mtime)):
            continue
        started = time.perf_counter()
        runpy.run_path(str(script), run_name="__main__")
        print(f"{script.stem}: {time.perf_counter() - started:.1f} s, {page.stat().st_size / 1e6:.1f} MB", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

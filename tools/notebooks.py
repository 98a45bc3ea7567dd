"""Write the examples as notebooks: python tools/notebooks.py [folder], by default out/notebooks.

An example's docstring becomes the words above it, its paragraphs the cells; what it found is shown at the end.
"""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


def cells_of(code: str) -> list[dict[str, Any]]:
    """Return the cells of an example."""
    tree = ast.parse(code)
    lines = code.splitlines()
    words = ast.get_docstring(tree) or ""
    title, _, rest = words.partition("\n")
    cells = [_cell("markdown", f"# {title}\n{rest}".strip())]
    if "sys.argv" in code:
        cells.append(_cell("code", 'import sys\n\nsys.argv = ["notebook"]'))
    begins = [node.lineno for node in tree.body[1:]]
    # A paragraph begins where an empty line, or a comment after one, stands before a statement.
    starts = [begins[0]]
    for line in begins[1:]:
        above = line - 2
        while lines[above].startswith("#"):
            above -= 1
        if not lines[above].strip():
            starts.append(above + 2)
    for start, end in zip(starts, [*starts[1:], len(lines) + 1]):
        cells.append(_cell("code", "\n".join(lines[start - 1 : end - 1]).strip()))
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    cells.append(_cell("code", "hit" if "hit" in names else "scene"))
    return cells


def _cell(kind: str, text: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True)}
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    return cell


def main(folder: Path) -> None:
    """Write all of them."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in sorted((ROOT / "examples").glob("[0-9]*.py")):
        cells = [{"id": f"cell-{k}", **cell} for k, cell in enumerate(cells_of(file.read_text(encoding="utf-8")))]
        kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
        notebook = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
        (folder / f"{file.stem}.ipynb").write_text(json.dumps(notebook, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "out" / "notebooks")

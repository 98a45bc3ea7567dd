"""Compiled code is kept per state of the sources; what is left out of that state can hold nothing that kernels use."""

import ast
from pathlib import Path

import tocsin
from tocsin._jit import WITHOUT_KERNELS

PACKAGE = Path(tocsin.__file__).parent


def left_out(file):
    """Is this file not part of the state?"""
    inside = file.relative_to(PACKAGE)
    return any(inside.match(pattern) or pattern == inside.parts[0] for pattern in WITHOUT_KERNELS)


def test_every_pattern_names_a_file():
    for pattern in WITHOUT_KERNELS:
        assert list(PACKAGE.glob(pattern)), pattern


def test_kernels_use_nothing_of_the_files_that_do_not_count():
    files = sorted(PACKAGE.rglob("*.py"))
    outside = {".".join(("tocsin", *f.relative_to(PACKAGE).with_suffix("").parts)) for f in files if left_out(f)}
    for file in files:
        text = file.read_text(encoding="utf-8")
        if left_out(file) or "@kernel" not in text:
            continue
        tree = ast.parse(text)
        taken = [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module in outside]
        imported = {name.asname or name.name for node in taken for name in node.names}
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and any(getattr(d, "id", "") == "kernel" for d in node.decorator_list):
                used = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
                assert not used & imported, f"{file.name}: {node.name} uses {used & imported}"

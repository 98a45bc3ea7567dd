"""Functions fit a screen and take a handful of arguments. Those that do not say why are counted; the count may fall."""

import ast
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

LONGEST = 80
"""Lines of a function."""

MOST = 8
"""Arguments of a function, beside `self`."""

LONG, WIDE = 0, 0
"""How many functions are longer, or take more, and do not say why. These numbers may only fall."""

ANYTHING = 170
"""How often `Any` stands in the sources. Left are Numba's own objects, objects of strangers (parsed files, optional
packages) before they are checked, and values of JSON. It may only fall."""

REASONS = ("Long because ", "Many arguments because ")
"""How a docstring begins the sentence that says why."""


def functions():
    """Yield (where, function) of the package; its benchmarks are their own."""
    for file in sorted((ROOT / "src" / "tocsin").rglob("*.py")):
        place = file.relative_to(ROOT / "src" / "tocsin")
        if place.parts[0] != "bench":
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    yield f"{place.as_posix()}: {node.name}", node


def says(node, reason):
    return reason in " ".join((ast.get_docstring(node) or "").split())


def lines(node):
    return node.end_lineno - node.lineno + 1


def arguments(node):
    args = node.args
    named = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    return sum(1 for arg in named if arg.arg not in ("self", "cls"))


def test_no_more_functions_than_today_are_longer_than_a_screen():
    long = sorted((lines(f), where) for where, f in functions() if lines(f) > LONGEST and not says(f, REASONS[0]))
    assert len(long) <= LONG, f"a function of more than {LONGEST} lines has parts, or says '{REASONS[0]}...': {long}"


def test_no_more_functions_than_today_take_more_than_a_handful():
    wide = sorted((arguments(f), where) for where, f in functions() if arguments(f) > MOST and not says(f, REASONS[1]))
    assert len(wide) <= WIDE, f"more than {MOST} arguments are a record, or it says '{REASONS[1]}...': {wide}"


def anything():
    """Return how often each file says `Any`, where it is not imported."""
    found = {}
    for file in sorted((ROOT / "src" / "tocsin").rglob("*.py")):
        names = [node for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(node, ast.Name)]
        found[file.relative_to(ROOT).as_posix()] = sum(name.id == "Any" for name in names)
    return found


def test_no_more_is_anything_than_today():
    found = anything()
    most = sorted(((n, file) for file, n in found.items() if n), reverse=True)[:10]
    assert sum(found.values()) <= ANYTHING, f"a type that is known says more than Any; most of them are in {most}"
    assert sum(found.values()) > ANYTHING - 25, "fewer: lower ANYTHING, so that it stays so"


def layout():
    """Return the folders and modules that CONTRIBUTING lists, in its order."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Layout")[2].partition("\n`tests/`")[0]
    cells = re.findall(r"^\| (`.*?) \|", text, re.MULTILINE)
    return [name for cell in cells for name in re.findall(r"`([\w./]+)`", cell)]


def test_the_layout_lists_every_folder_and_module_once():
    top = [file for file in (ROOT / "src" / "tocsin").iterdir() if not file.name.startswith("__")]
    found = {f"{file.name}/" if file.is_dir() else file.name for file in top if file.is_dir() or file.suffix == ".py"}
    inside = {f"compiler/{file.name}" for file in (ROOT / "src" / "tocsin" / "compiler").glob("[!_]*.py")}
    assert sorted(layout()) == sorted((found - {"compiler/"}) | inside)


def test_the_layout_is_in_the_order_of_the_layers():
    """A module imports only from itself and from above it in that list: import-linter holds the layers."""
    linted = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    layers = [re.findall(r"tocsin\.([\w.]+)", layer) for layer in reversed(linted["contracts"][0]["layers"])]
    level = {name: k for k, layer in enumerate(layers) for name in layer}
    names = [name.removesuffix(".py").rstrip("/").replace("/", ".") for name in layout()]
    levels = [level[name] for name in names if name in level]
    assert len(levels) > 35
    assert levels == sorted(levels)


def test_no_test_asks_a_wall_clock():
    """On a busy machine it is late, and nothing is wrong: work is counted, or time of a processor is measured."""
    files = [file for place in ("tests", "benchmarks/tests") for file in (ROOT / place).rglob("*.py")]
    names = {
        node.attr if isinstance(node, ast.Attribute) else node.id
        for file in files
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute | ast.Name)
    }
    assert not names & {"perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns"}

"""Xacro files, expanded by the xacro library (an optional extra) and then read as strictly as any URDF.

A xacro file is a program. What it includes and loads is opened here, by the rules of `uris.Places`, and its expressions
get none of Python's own functions and no way to reach them; the library alone would let `$(eval ...)` run anything. It
may still compute for ever, or fill the memory: expand only files that you trust not to. A plain URDF is never expanded.
Packages that it names, `$(find name)`, are looked for where those of meshes are.
"""

from __future__ import annotations

import builtins
import os
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from types import CodeType, ModuleType
from typing import IO, Any, TypeAlias

from tocsin._types import PathLike
from tocsin.errors import TocsinError
from tocsin.io.files import Element, parse_xml, parse_xml_bytes
from tocsin.io.uris import Packages, Places
from tocsin.io.yamlfile import check_yaml

_one_at_a_time = threading.Lock()
"""The library keeps its state in its modules."""

_Stand: TypeAlias = tuple[ModuleType, str, Callable[..., Any]]
"""A function, and where it is put under which name."""

_INWARD = {
    "gi_frame", "gi_code", "gi_yieldfrom", "cr_frame", "cr_code", "cr_origin", "cr_await", "ag_frame", "ag_code",
    "ag_await", "tb_frame", "tb_next", "f_back", "f_globals", "f_builtins", "f_locals", "f_code", "mro",
}  # fmt: skip
"""Attributes that lead from a value to the interpreter's own; so do all names with two underscores."""


def expand(path: PathLike, arguments: Mapping[str, object], packages: Packages = ()) -> Element:
    """Return the root element of what a xacro file expands to; `arguments` as in `xacro file name:=value`."""
    parse_xml(path, "the xacro file")
    try:
        import xacro as module  # pyright: ignore[reportMissingTypeStubs]
        from xacro import substitution_args  # pyright: ignore[reportMissingTypeStubs]
    except ImportError:
        raise TocsinError(f"expanding {str(path)!r} needs xacro: pip install 'tocsin[xacro]'.") from None
    xacro: Any = module  # it has no types
    places = Places(path, packages)
    lost: list[TocsinError] = []  # the library wraps what is raised inside it

    def find(name: str) -> str:
        try:
            return str(places.package(name, f"{str(path)!r}"))
        except TocsinError as error:
            lost.append(error)
            raise

    def opened(name: str, *_: object) -> IO[str]:
        try:
            return _opened(places, name, f"{str(path)!r}")
        except TocsinError as error:
            if os.path.exists(name):  # what is missing may be optional
                lost.append(error)
            raise FileNotFoundError(2, str(error), str(name)) from None

    mappings = {str(name): str(value) for name, value in arguments.items()}
    ours: list[tuple[ModuleType, str, Callable[..., Any]]] = [
        (substitution_args, "_eval_find", find),
        (substitution_args, "eval", _evaluated),
    ]
    ours += [(xacro, "open", opened), (xacro, "eval", _evaluated)]
    with _one_at_a_time, _instead(ours):
        try:
            document = xacro.process_file(os.path.abspath(os.path.expanduser(path)), mappings=mappings)
            text = document.toxml("utf-8")
        except Exception as error:
            if lost:
                raise lost[0] from None
            said = " ".join(str(error).split()) or type(error).__name__
            raise TocsinError(f"cannot expand {str(path)!r}: {said[:300].rstrip('.')}.") from error
    return parse_xml_bytes(text, f"what {str(path)!r} expands to")


@contextmanager
def _instead(ours: list[_Stand]) -> Generator[None]:
    """Put functions of ours into modules, in place of what they have or of Python's own."""
    missing = object()
    before: list[tuple[ModuleType, str, object]] = [(m, name, vars(m).get(name, missing)) for m, name, _ in ours]
    try:
        for module, name, function in ours:
            setattr(module, name, function)
        yield
    finally:
        for module, name, function in before:
            if function is missing:
                delattr(module, name)
            else:
                setattr(module, name, function)


def _opened(places: Places, name: str, what: str) -> IO[str]:
    """Open a file that a xacro file includes or loads, after looking whether it may, and for bombs."""
    file = places.resolve(os.path.abspath(os.fspath(name)), what)
    if file.suffix.lower() in (".yaml", ".yml"):
        check_yaml(file, "the YAML file")
    else:
        parse_xml(file, "the xacro file")
    return builtins.open(file, encoding="utf-8")


def _evaluated(expression: str | CodeType, names: Any, more: Any = None) -> Any:
    """Evaluate an expression without Python's own functions, and without the names that lead back to them."""
    code = compile(expression.strip(), "<expression>", "eval") if isinstance(expression, str) else expression
    pending = [code]
    while pending:
        one = pending.pop()
        wrong = next((name for name in one.co_names if "__" in name or name in _INWARD), None)
        if wrong is not None:
            raise TocsinError(f"an expression uses {wrong!r}, which is not allowed.")
        pending += [constant for constant in one.co_consts if isinstance(constant, CodeType)]
    return builtins.eval(code, {**names, "__builtins__": {}} if type(names) is dict else names, more)

"""Xacro files, expanded by the xacro library (an optional extra) and then read as strictly as any URDF.

A xacro file is a program: it computes, and it includes other files from anywhere. Expand only files that you trust; a
plain URDF is never expanded. Packages that it names, `$(find name)`, are looked for where those of meshes are.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from typing import Any

from tocsin.errors import TocsinError
from tocsin.io.files import Element, parse_xml, parse_xml_bytes
from tocsin.io.uris import Packages, Places

_one_at_a_time = threading.Lock()
"""The library keeps its state in its modules."""


def expand(path: str | os.PathLike[str], arguments: Mapping[str, Any], packages: Packages = ()) -> Element:
    """Return the root element of what a xacro file expands to; `arguments` as in `xacro file name:=value`."""
    parse_xml(path, "the xacro file")
    try:
        import xacro
        from xacro import substitution_args
    except ImportError:
        raise TocsinError(f"expanding {str(path)!r} needs xacro: pip install 'tocsin[xacro]'.") from None
    places = Places(path, packages)

    lost: list[TocsinError] = []  # the library wraps what is raised inside it

    def find(name: str) -> str:
        try:
            return str(places.package(name, f"{str(path)!r}"))
        except TocsinError as error:
            lost.append(error)
            raise

    mappings = {str(name): str(value) for name, value in arguments.items()}
    with _one_at_a_time:
        # Outside of ROS the library has no way of its own to find packages.
        finds, substitution_args._eval_find = substitution_args._eval_find, find
        try:
            document: Any = xacro.process_file(os.fspath(path), mappings=mappings)
            text = document.toxml("utf-8")
        except Exception as error:
            if lost:
                raise lost[0] from None
            said = " ".join(str(error).split()) or type(error).__name__
            raise TocsinError(f"cannot expand {str(path)!r}: {said[:300].rstrip('.')}.") from error
        finally:
            substitution_args._eval_find = finds
    return parse_xml_bytes(text, f"what {str(path)!r} expands to")

"""For the reference pages: examples in docstrings (`>>>`) are code blocks, not quotations."""

from __future__ import annotations

import re
from typing import Any

import griffe


class Examples(griffe.Extension):
    """Fences every run of lines that begins with `>>>`, up to the next empty line."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of whatever has one."""
        if obj.docstring and ">>>" in obj.docstring.value:
            obj.docstring.value = re.sub(
                r"^>>>(?:.+\n?)+",
                lambda found: f"```pycon\n{found[0].rstrip()}\n```\n",
                obj.docstring.value,
                flags=re.MULTILINE,
            )

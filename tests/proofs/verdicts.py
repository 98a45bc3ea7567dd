"""What the checker says of a proof."""

from pathlib import Path

import pytest

checker = pytest.importorskip("tocsin_checker", reason="the checker is not installed: pip install ./checker")


def accepts(data: dict, files: dict[str, Path] | None = None) -> bool:
    """Is a proof accepted, with the files of its robots, or refused?"""
    try:
        checker.check(data, files or {})
    except checker.Refused:
        return False
    return True

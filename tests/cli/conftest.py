"""The cell, once for all tests of the command line."""

import pytest

from .cell import write_cell


@pytest.fixture(scope="session")
def cell(tmp_path_factory):
    return write_cell(tmp_path_factory.mktemp("cell"))

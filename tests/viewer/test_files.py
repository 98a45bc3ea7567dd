"""Where pages and pictures are written: a path that cannot be is refused in a sentence before anything is computed."""

import os

import pytest

from tocsin import TocsinError
from tocsin.viewer.files import target, write


def test_a_path_must_be_one_and_have_the_right_ending(tmp_path):
    assert target(str(tmp_path / "a.PNG"), ".png", "a picture").name == "a.PNG"
    with pytest.raises(TocsinError, match="a picture needs a path to be written to; got 3"):
        target(3, ".png", "a picture")
    with pytest.raises(TocsinError, match=r"must end in \.png"):
        target("a.jpg", ".png", "a picture")
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(TocsinError, match="it is a folder"):
        target(tmp_path / "folder.png", ".png", "a picture")


def test_folders_above_are_made_and_what_fails_is_said(tmp_path):
    file = write(tmp_path / "new" / "er" / "a.png", b"bytes", "a picture")
    assert file.read_bytes() == b"bytes"
    with pytest.raises(TocsinError, match="cannot write a picture to"):
        write(file / "below.png", b"", "a picture")
    assert os.listdir(file.parent) == ["a.png"]

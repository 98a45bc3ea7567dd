"""Where pages and pictures are written: a path that cannot be is refused in a sentence before anything is computed."""

import pytest

from tocsin import TocsinError
from tocsin.viewer.files import target


def test_a_path_must_be_one_and_have_the_right_ending(tmp_path):
    assert target(str(tmp_path / "a.PNG"), ".png", "a picture").name == "a.PNG"
    with pytest.raises(TocsinError, match="a picture needs a path to be written to; got 3"):
        target(3, ".png", "a picture")
    with pytest.raises(TocsinError, match=r"must end in \.png"):
        target("a.jpg", ".png", "a picture")
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(TocsinError, match="it is a folder"):
        target(tmp_path / "folder.png", ".png", "a picture")

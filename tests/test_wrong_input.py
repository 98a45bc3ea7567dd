"""What users hand in by mistake is answered by a sentence that says what was expected."""

import numpy as np
import pytest

import tocsin
from tocsin.errors import TocsinError

SQUARE = np.array([[0.0, 0, 1], [1, 0, 1], [0, 1, 1], [1, 1, 1]])
FACES = [[0, 1, 2], [1, 3, 2]]


def cloth():
    return tocsin.Deformable(SQUARE, FACES, name="cloth")


def ball():
    return tocsin.Body(tocsin.Sphere(0.1), name="ball")


def arm():
    return tocsin.RobotBuilder("arm").link("base", tocsin.Box((0.1, 0.1, 0.1))).build()


@pytest.mark.pure
@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda: tocsin.Body("nope.stl"), "cannot load a mesh: 'nope.stl' does not exist"),
        (lambda: tocsin.Body("."), "'.' is a folder, not a mesh file"),
        (lambda: ball().follow(3), "a path of 'ball' is a sequence of poses; got 3"),
        (lambda: ball().follow([np.eye(4)]), "needs at least two poses; got 1"),
        (lambda: cloth().follow(3), "a path of 'cloth' is a sequence of sets of positions; got 3"),
        (lambda: cloth().follow(iter([SQUARE])), "needs at least two sets of positions; got 1"),
        (lambda: cloth().move(SQUARE[:3], SQUARE), "the start positions of 'cloth' must be those of its 4 vertices"),
        (lambda: cloth().move(SQUARE.T, SQUARE), r"must have shape \(n, 3\); got shape \(3, 4\)"),
        (lambda: cloth().move(SQUARE, np.where(SQUARE > 0, np.nan, SQUARE)), "must be finite"),
        (lambda: tocsin.Scene(ball(), charts="no"), "charts must be True or False"),
        (lambda: tocsin.Scene(cloth()).first_contact(max_steps="many"), "max_steps must be a whole number"),
        (lambda: tocsin.group([], within="soon"), "within must be a finite time"),
        (lambda: tocsin.load_environment("/nowhere"), "it does not exist"),
        (lambda: tocsin.load_trajectory("."), "it is a folder"),
        (lambda: tocsin.load_trajectory(__file__), "files of kind '.py' are not known"),
        (lambda: tocsin.audit(tocsin.Scene(ball()), arm(), "way.csv"), r"load_trajectory\('way.csv'\)"),
        (lambda: tocsin.save_page(".", tocsin.Scene(ball())), "the name of a page must end in .html"),
        (lambda: tocsin.save_page(None, tocsin.Scene(ball())), "a page needs a path"),
        (lambda: tocsin.save_page(tocsin.Scene(ball()), "a.html"), "a page needs a path"),
        (lambda: tocsin.save_picture("a.jpg", tocsin.Scene(ball())), "the name of a picture must end in .png"),
        (lambda: tocsin.save_picture("a.png", tocsin.Scene(ball()), size=100), r"\(width, height\) in pixels; got 100"),
    ],
)
def test_a_mistake_is_said_in_a_sentence(ask, sentence):
    with pytest.raises(TocsinError, match=sentence):
        ask()


def test_a_page_that_cannot_be_written_is_said(tmp_path):
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(TocsinError, match="cannot write a page to"):
        tocsin.save_page(tmp_path / "file" / "a.html", tocsin.Scene(ball()))
    (tmp_path / "folder.html").mkdir()
    with pytest.raises(TocsinError, match="it is a folder"):
        tocsin.save_page(tmp_path / "folder.html", tocsin.Scene(ball()))

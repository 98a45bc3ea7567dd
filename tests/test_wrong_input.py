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
        (lambda: tocsin.save_picture("a.png", tocsin.Scene(ball()), title=3), "a title is text; got 3"),
        (lambda: tocsin.Mesh.load(3), "a path is text or a pathlib.Path; got 3"),
        (lambda: tocsin.Sphere("1"), "positive finite number in metres; got '1'"),
        (lambda: tocsin.Box((1, True, 1)), "positive finite number in metres; got True"),
        (lambda: tocsin.ConvexHull([[0, 0]]), r"points of a convex hull must have shape \(n, 3\)"),
        (lambda: tocsin.Box((1, 1, 1)).tessellate().scaled("2"), "a scale must be one or three finite numbers"),
        (lambda: tocsin.Body(tocsin.Box((1, 1, 1)), solid="yes"), "solid must be True or False"),
        (lambda: tocsin.Body((SQUARE, FACES), solid=True), "^the shape of 'body': solid=True needs a closed mesh"),
        (lambda: tocsin.Body(3), "pair, or a list of such; got 3"),
        (lambda: ball().at(None), r"a translation \(x, y, z\), .*; got None"),
        (lambda: ball().at(1j * np.eye(4)), "must be a 4x4 rigid transform, a translation"),
        (lambda: ball().at((0, 0, np.nan)), "must be finite"),
        (lambda: ball().at((0, 0, 1e40)), "choose other units"),
        (lambda: tocsin.Scene([ball()]), r"got list: put a star before it, Scene\(\*models\)"),
        (lambda: tocsin.Scene("arm.urdf"), r"got str: files are read by Robot.from_urdf, Body.from_mesh"),
        (lambda: tocsin.Scene(ball()).first_contact([]), "got list: put a star before it"),
        (lambda: tocsin.Scene(ball()).is_free([0.0, 1.0]), r"got list: where a model stands is robot\.at\(q\)"),
        (lambda: tocsin.Scene(ball()).first_contact(margin="0.1"), "margin must be a number; got '0.1'"),
        (lambda: tocsin.Scene(ball()).first_contact(margin=np.array("0.1")), "margin must be a number"),
        (lambda: tocsin.Scene(ball()).first_contact(margin=np.array(True)), "margin must be a number"),
        (lambda: ball().at(("0", "0", "1")), "must be a 4x4 rigid transform, a translation"),
        (lambda: tocsin.Mesh(np.array(SQUARE, str), FACES), "array of numbers; got an array of text"),
        (lambda: tocsin.Scene(ball()).first_contact(margin=1e31), "margin must be at most 1e[+]30"),
        (lambda: tocsin.Scene(ball()).first_contact(tolerance="1e-3"), "tolerance must be a number"),
        (lambda: tocsin.Scene(ball()).first_contact(max_steps=10**30), "max_steps must be at most"),
        (lambda: tocsin.Scene(ball()).contacts(exact="yes"), "exact must be True or False"),
        (lambda: tocsin.Scene(ball()).contacts(properness=3), "properness must be at most 1"),
        (lambda: ball().at_contact(ball().at((0, 0, 0))), "takes the answer of scene.first_contact; got Motion"),
        (lambda: tocsin.Motion(ball(), np.zeros((2, 3))), r"must have shape \(n, 7\); got shape \(2, 3\)"),
        (lambda: tocsin.Motion(ball(), np.full((1, 7), np.nan)), "must be finite"),
        (lambda: tocsin.Motion(ball(), np.zeros((1, 7))), "unit quaternion"),
        (lambda: arm().ignore("base", "base"), "is one link: a pair needs two"),
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


def test_a_host_that_does_not_exist_is_said_and_not_waited_for():
    pytest.importorskip("viser")
    with pytest.raises(TocsinError, match=r"cannot listen at host 'nowhere\.invalid'"):
        tocsin.view(tocsin.Scene(ball()), host="nowhere.invalid", block=False)


def test_intervals_of_a_link_that_does_not_exist_are_not_none_at_all():
    one, other = tocsin.Body(tocsin.Sphere(0.1), name="one"), tocsin.Body(tocsin.Sphere(0.1), (1, 0, 0), name="other")
    found = tocsin.Scene(one, other).contact_intervals(one.move((0, 0, 0), (1, 0, 0)))
    assert len(found.between("one", "other")) == 1
    with pytest.raises(tocsin.UnknownNameError, match="no name 'othr'; names are: 'one', 'other'"):
        found.between("one", "othr")
    with pytest.raises(TocsinError, match="times run from 0 to 1"):
        found.at(1.5)


def test_a_model_of_another_scene_is_nowhere_at_a_contact():
    one, other = tocsin.Body(tocsin.Sphere(0.1), name="one"), tocsin.Body(tocsin.Sphere(0.1), (1, 0, 0), name="other")
    hit = tocsin.Scene(one, other).first_contact(one.move((0, 0, 0), (1, 0, 0)))
    assert other.at_contact(hit)[0, 3] == 1.0
    with pytest.raises(TocsinError, match="is not in the scene of this answer; its models are: one, other"):
        ball().at_contact(hit)

"""`tocsin view`, where it writes files; the server has its own tests."""

import pytest

from .cell import tocsin

MOTION = ("--from", "0,0,0", "--to", "1.5,0.5,0")


def test_a_page_and_a_picture_of_a_motion_are_written(cell, tmp_path):
    pytest.importorskip("PIL", reason="the picture needs Pillow")
    page, picture = tmp_path / "new" / "page.html", tmp_path / "picture.png"
    said = tocsin("view", cell.urdf, "--scene", cell.plate, *MOTION, "--save", page, "--picture", picture)
    assert said.code == 0, said.err
    assert f"wrote {page}" in said.out
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "arm" in page.read_text(encoding="utf-8")


def test_a_trajectory_or_a_robot_that_stands_can_be_shown_too(cell, tmp_path):
    page = tmp_path / "page.html"
    said = tocsin("view", cell.urdf, cell.trajectory("shown.csv"), "--scene", cell.plate, "--save", page, "--json")
    assert said.code == 0, said.err
    assert said.json["status"] == "contact"
    assert said.json["files"] == [str(page)]
    assert tocsin("view", cell.urdf, "--save", tmp_path / "standing.html").code == 0
    assert (tmp_path / "standing.html").exists()


def test_without_a_file_the_viewer_is_started_on_loopback(cell, monkeypatch):
    from tocsin import viewer

    asked = {}
    monkeypatch.setattr(viewer, "view", lambda scene, **options: asked.update(options, scene=scene))
    assert tocsin("view", cell.urdf, *MOTION, "--port", "9123").code == 0
    assert (asked["host"], asked["port"]) == ("127.0.0.1", 9123)
    assert asked["hit"].motions[0].model is asked["scene"].models[0]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--from", "0,0,0"), "both --from and --to"),
        (("path.csv", *MOTION), "not both"),
        ((*MOTION, "--save", "page.txt"), "must end in .html"),
        ((*MOTION, "--picture", "picture.jpg"), "must end in .png"),
        ((*MOTION, "--port", "0"), "port"),
        ((*MOTION, "--margin", "-2"), "margin must be at least 0"),
        (("nowhere.csv",), "does not exist"),
    ],
)
def test_wrong_input_gets_one_sentence_and_2(cell, options, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = tocsin("view", cell.urdf, *options)
    assert said.code == 2
    assert words in " ".join(said.err.split())
    assert "Traceback" not in said.err
    assert list(tmp_path.iterdir()) == []

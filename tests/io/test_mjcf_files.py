"""A MuJoCo model as one text with its files in hand: what is included, renamed, left out, and put back into words."""

import struct

import pytest

from tocsin import TocsinError
from tocsin.io.mjcf_files import Gathered


def write(folder, name, text):
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def test_what_is_included_stands_in_its_place(tmp_path):
    write(tmp_path, "parts/inner.xml", "<mujocoinclude><body name='b'/></mujocoinclude>")
    main = write(tmp_path, "main.xml", "<mujoco><worldbody><include file='parts/inner.xml'/></worldbody></mujoco>")
    text = Gathered(main).text
    assert '<body name="b"/>' in text
    assert "include" not in text


def test_files_get_names_of_our_own_and_their_bytes_are_handed_over(tmp_path):
    write(tmp_path, "meshes/a.stl", b"solid of some kind")
    main = write(
        tmp_path, "main.xml",
        "<mujoco><compiler meshdir='meshes'/><asset><mesh file='a.stl'/>"
        "<mesh name='two' file='a.stl'/></asset></mujoco>",
    )  # fmt: skip
    found = Gathered(main)
    assert list(found.assets.values()) == [b"solid of some kind"], "one file, read once"
    (name,) = found.assets
    assert found.text.count(f'file="{name}"') == 2
    assert 'name="a"' in found.text, "a mesh without a name is called by its file"
    assert "meshdir" not in found.text


def test_what_says_nothing_about_shapes_is_left_out(tmp_path):
    main = write(
        tmp_path, "main.xml",
        "<mujoco><size nuser_body='9'/><sensor><gyro/></sensor><worldbody><body/></worldbody>"
        "<asset><texture name='t' file='huge.png'/></asset>"
        "<keyframe><key name='k' qpos='1' ctrl='2'/></keyframe></mujoco>",
    )  # fmt: skip
    text = Gathered(main).text
    for word in ("nuser", "gyro", "huge.png", "ctrl"):
        assert word not in text
    assert 'qpos="1"' in text


def test_lines_in_mujocos_words_are_put_back_to_those_of_the_files(tmp_path):
    write(tmp_path, "inner.xml", "<mujocoinclude>\n\n\n<body name='b'/></mujocoinclude>")
    main = write(tmp_path, "main.xml", "<mujoco>\n<worldbody>\n<include file='inner.xml'/></worldbody></mujoco>")
    found = Gathered(main)
    line = 1 + found.text.split("\n").index('<body name="b"/>')
    assert found.said(f"bad thing,\n  line {line}.") == "bad thing, line 4 of 'inner.xml'"
    assert found.said("line 99999") == "line 99999"


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"main.xml": "<robot/>"}, "use from_urdf"),
        ({"main.xml": "<mujoco><include file='main.xml'/></mujoco>"}, "included twice"),
        ({"main.xml": "<mujoco><asset><model file='main.xml'/></asset></mujoco>"}, "contains itself"),
        ({"main.xml": "<mujoco><worldbody><geom file='a'/></worldbody></mujoco>"}, "only assets do"),
        ({"main.xml": "<mujoco><include file='/etc/passwd'/></mujoco>"}, "passwd"),
        (
            {"main.xml": "<mujoco><asset><hfield file='h.bin'/></asset></mujoco>", "h.bin": struct.pack("<ii", 9, 9)},
            "heights are not",
        ),
        (
            {"main.xml": "<mujoco><asset><mesh file='m.obj'/></asset></mujoco>", "m.obj": "f " + "1 " * 40_000},
            "a line of it",
        ),
    ],
)
def test_what_leads_astray_is_refused(tmp_path, files, says):
    for name, text in files.items():
        write(tmp_path, name, text)
    with pytest.raises(TocsinError, match=says):
        Gathered(tmp_path / "main.xml")


def test_a_sub_model_is_a_text_of_its_own_among_the_files(tmp_path):
    write(tmp_path, "arm.xml", "<mujoco model='arm'><worldbody><body name='link'/></worldbody></mujoco>")
    main = write(tmp_path, "main.xml", "<mujoco><asset><model file='arm.xml'/></asset></mujoco>")
    found = Gathered(main)
    (text,) = found.assets.values()
    assert b'name="link"' in text

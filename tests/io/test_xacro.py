"""Xacro files are expanded by the xacro library, and then read like any URDF."""

import builtins

import pytest

from tocsin import Box, Robot, TocsinError

HEAD = '<robot name="{name}" xmlns:xacro="http://www.ros.org/wiki/xacro">'


@pytest.fixture
def folder(tmp_path):
    pytest.importorskip("xacro")
    (tmp_path / "parts.xacro").write_text(
        HEAD.format(name="parts") + '<xacro:macro name="part" params="name">'
        '<link name="${name}"><collision><geometry><box size="${side} 1 1"/></geometry></collision></link>'
        "</xacro:macro></robot>"
    )
    return tmp_path


def write(folder, inside, name="made.urdf.xacro"):
    file = folder / name
    file.write_text(HEAD.format(name="made") + inside + "</robot>")
    return file


def test_properties_macros_includes_and_arguments_are_expanded(folder):
    file = write(
        folder,
        '<xacro:arg name="side" default="2"/><xacro:property name="side" value="${2 * $(arg side)}"/>'
        '<xacro:include filename="parts.xacro"/><xacro:part name="a"/>',
    )
    assert Robot.from_urdf(file).shapes[0][0].source == Box((4, 1, 1))
    robot = Robot.from_urdf(file, xacro_arguments={"side": "3"})
    assert robot.shapes[0][0].source == Box((6, 1, 1))
    assert Robot.from_urdf(file).shapes[0][0].source == Box((4, 1, 1))


def test_packages_are_found_where_those_of_meshes_are(folder):
    include = '<xacro:property name="side" value="1"/><xacro:include filename="$(find {})/parts.xacro"/>'
    part = '<xacro:part name="a"/>'
    (folder / "package.xml").write_text(f"<package><name>{folder.name}</name></package>")
    file = write(folder, include.format(folder.name) + part)
    assert Robot.from_urdf(file).link_names == ("a",)
    file = write(folder, include.format("elsewhere") + part)
    assert Robot.from_urdf(file, packages={"elsewhere": folder}).link_names == ("a",)
    with pytest.raises(TocsinError, match="needs the package 'elsewhere'"):
        Robot.from_urdf(file)


@pytest.mark.parametrize(
    ("inside", "sentence"),
    [
        ('<xacro:nothing name="x"/>', "cannot expand .*nothing"),
        ('<link name="${nobody}"/>', "cannot expand .*nobody"),
        ('<link name="${1/0}"/>', "cannot expand .*division"),
        ('<xacro:include filename="gone.xacro"/>', "cannot expand .*gone.xacro"),
        ('<link name="$(arg missing)"/>', "cannot expand .*missing"),
        ('<xacro:macro name="m"><xacro:m/></xacro:macro><xacro:m/>', "cannot expand"),
        ('<link name="a"/><link name="${\'a\'}"/>', "two links named 'a'"),
        ("<link", "not well-formed"),
    ],
)
def test_what_cannot_be_expanded_is_said(folder, inside, sentence):
    with pytest.raises(TocsinError, match=sentence):
        Robot.from_urdf(write(folder, inside))


def test_entities_are_refused_before_the_library_sees_them(folder):
    file = folder / "bomb.xacro"
    file.write_text('<!DOCTYPE robot [<!ENTITY a "b">]><robot name="&a;"/>')
    with pytest.raises(TocsinError, match="document type"):
        Robot.from_urdf(file)


def test_without_the_library_a_sentence_says_how_to_get_it(tmp_path, monkeypatch):
    genuine = builtins.__import__

    def without(name, *rest, **more):
        if name.split(".")[0] == "xacro":
            raise ImportError(name)
        return genuine(name, *rest, **more)

    file = write(tmp_path, '<link name="a"/>')
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(TocsinError, match=r"needs xacro: pip install 'tocsin\[xacro\]'"):
        Robot.from_urdf(file)

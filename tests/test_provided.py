"""What models ask for and a layer above does, such as reading files: loaded when it is first asked for."""

import subprocess
import sys

import pytest

from tocsin._provided import Provided

pytestmark = pytest.mark.pure


def test_what_was_provided_last_does_it():
    lines = Provided("reads lines", "tocsin.io")
    lines.provide(lambda path, *, most: [path] * most)
    assert lines("a", most=2) == ["a", "a"]
    lines.provide(lambda path, *, most: [path])
    assert lines("a", most=2) == ["a"]


def test_what_nobody_provided_says_what_is_missing():
    with pytest.raises(RuntimeError, match=r"nothing that reads lines has been provided by tocsin\.io"):
        Provided("reads lines", "tocsin.io")("a")


def test_readers_are_loaded_by_the_first_file_of_their_kind(tmp_path):
    """And models find them whichever module of the package a program imports first."""
    (tmp_path / "one.urdf").write_text('<robot name="one"><link name="base"/></robot>')
    program = f"""
import sys, warnings
from tocsin.model.robot import Robot
def loaded(): return sorted(name for name in sys.modules if name.startswith("tocsin.io."))
assert loaded() == [], loaded()
warnings.simplefilter("ignore")
assert Robot.from_urdf({str(tmp_path / "one.urdf")!r}).name == "one"
assert "tocsin.io.urdf" in loaded() and "tocsin.io.mjcf" not in loaded() and "tocsin.io.meshfile" not in loaded()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_question_about_a_robot_is_loaded_when_it_is_asked():
    """As are scenes: a program that only reads robots needs none of what answers questions."""
    program = """
import sys, tocsin
builder = tocsin.RobotBuilder("arm")
builder.link("base", tocsin.Sphere(0.1))
builder.link("a", tocsin.Sphere(0.1), parent="base", joint="fixed", origin=(1, 0, 0))
builder.link("b", tocsin.Sphere(0.1), parent="a", joint="revolute", origin=(-1, 0, 0))
robot = builder.build()
assert not any(name.startswith("tocsin.queries") for name in sys.modules)
print(robot.ignore_overlapping_at({}))
assert "tocsin.queries.first_contact" in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "(('base', 'b'),)"

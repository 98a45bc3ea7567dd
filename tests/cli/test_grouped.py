"""Records of options: typer sees their fields, a command is given the record."""

from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from tocsin.cli.app import COMMANDS
from tocsin.cli.grouped import grouped

Name = Annotated[str, typer.Option("--name")]
Count = Annotated[int, typer.Option("--count", help="How many.")]

pytestmark = pytest.mark.pure


@dataclass(frozen=True)
class Things:
    name: Name
    count: Count = 3


def run(command, *arguments):
    app = typer.Typer(add_completion=False)
    app.command()(command)
    return CliRunner().invoke(app, arguments)


def test_fields_are_options_and_the_command_gets_the_record():
    seen = []

    @grouped
    def say(file: Annotated[str, typer.Argument()], things: Things, loud: Annotated[bool, typer.Option()] = False):
        """Say something."""
        seen.append((file, things, loud))

    assert run(say, "a.txt", "--name", "x", "--loud").exit_code == 0
    assert run(say, "a.txt", "--count", "5", "--name", "y").exit_code == 0
    assert seen == [("a.txt", Things("x"), True), ("a.txt", Things("y", 5), False)]
    said = run(say, "--help").output
    assert "Say something." in said
    assert "How many." in said


def test_a_field_without_a_default_has_to_be_given():
    @grouped
    def say(count: Count = 1, *, named: Annotated[str, typer.Option("--named")]): ...

    assert run(say, "--count", "2").exit_code == 2
    assert run(say, "--named", "n").exit_code == 0


def test_an_option_of_two_records_is_refused():
    with pytest.raises(TypeError, match="takes an option twice: count"):

        @grouped
        def say(things: Things, count: Count = 1): ...


@pytest.mark.parametrize("name", ["check", "audit", "plan", "batch", "view"])
def test_every_command_about_a_robot_in_a_scene_takes_the_same_options(name):
    said = run(COMMANDS[name][0], "--help").output
    for option in ("--scene", "--scale", "--margin", "--self-margin", "--ignore", "--srdf", "--packages", "--geometry"):
        assert option in said

"""Options that several commands take are written once: every annotation of a command or record is one of these."""

import dataclasses
import typing

import pytest

from tocsin.cli import options

RECORDS = [value for value in vars(options).values() if dataclasses.is_dataclass(value)]


def declared(kind):
    """Return the parameters that the fields of a record declare."""
    hints = typing.get_type_hints(kind, include_extras=True)
    return {name: typing.get_args(hint)[-1] for name, hint in hints.items()}


@pytest.mark.parametrize("kind", RECORDS)
def test_every_field_of_a_record_is_an_option_with_words_for_help(kind):
    for name, parameter in declared(kind).items():
        assert parameter.help, name
        assert parameter.help.rstrip().endswith("."), f"{name}: help is a sentence"


def test_no_two_options_have_one_name_and_different_words():
    seen = {}
    for name, hint in vars(options).items():
        for parameter in typing.get_args(hint)[1:] if typing.get_origin(hint) is typing.Annotated else ():
            for flag in getattr(parameter, "param_decls", None) or ():
                if not name.startswith("Optional"):
                    assert seen.setdefault(flag, name) == name


def test_records_are_empty_by_default_where_nothing_must_be_said():
    assert options.Reading().geometry == "collision"
    assert options.Around().margin == 0.0
    assert options.Following().group is None
    with pytest.raises(TypeError):
        options.Ends()

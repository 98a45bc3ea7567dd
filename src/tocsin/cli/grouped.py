"""Options that belong together, taken by a command as one record.

Typer reads a command's options from its signature. A command that is `grouped` may also take a dataclass whose fields
are options: typer sees the fields in the record's place, and the command is given the record. So what a robot's file
and what is around it take is written once, and passed on as it is.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from typing import Any, get_type_hints


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command whose records of options are options of their own for typer.

    All of them are given by name, so an option without a default may follow one that has a default.
    """
    hints = get_type_hints(command, include_extras=True)
    records: dict[str, list[str]] = {}
    options: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        kind = hints[name]
        found = _options_of(kind) if dataclasses.is_dataclass(kind) else [parameter.replace(annotation=kind)]
        if dataclasses.is_dataclass(kind):
            records[name] = [option.name for option in found]
        options += [option.replace(kind=inspect.Parameter.KEYWORD_ONLY) for option in found]
    named = [option.name for option in options]
    twice = sorted({name for name in named if named.count(name) > 1})
    if twice:
        raise TypeError(f"{command.__name__} takes an option twice: {', '.join(twice)}.")

    def called(**given: object) -> None:
        made = {name: hints[name](**{field: given.pop(field) for field in fields}) for name, fields in records.items()}
        command(**made, **given)

    called.__name__, called.__doc__, called.__module__ = command.__name__, command.__doc__, command.__module__
    called.__annotations__ = {option.name: option.annotation for option in options} | {"return": None}
    called.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    return called


def _options_of(record: Any) -> list[inspect.Parameter]:
    """Return the fields of a record as parameters of a command."""
    hints = get_type_hints(record, include_extras=True)
    fields = [field for field in dataclasses.fields(record) if field.init]
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.default is dataclasses.MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields
    ]

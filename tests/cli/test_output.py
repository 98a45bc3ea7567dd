"""What commands print: JSON that every reader takes, lengths and times with units, tables that hold every cell."""

import io
import json
import math

import numpy as np
import pytest
from rich.console import Console

from tocsin.cli import output
from tocsin.results import Status


def said(thing):
    stream = io.StringIO()
    Console(file=stream, width=100).print(thing)
    return stream.getvalue()


def test_json_has_no_infinity_no_nan_and_no_array(capsys):
    output.write_json(
        {"a": math.inf, "b": [np.float32(1.5), np.nan], "c": np.arange(3), 4: (True, None), "d": np.int64(7)}
    )
    found = json.loads(capsys.readouterr().out, parse_constant=lambda word: pytest.fail(word))
    assert found == {"a": None, "b": [1.5, None], "c": [0, 1, 2], "4": [True, None], "d": 7}


def test_what_is_no_answer_goes_to_standard_error(capsys):
    output.note("compiling")
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == "compiling\n"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0 m"), (1.0, "1 m"), (12.3456, "12.35 m"), (0.5, "500 mm"), (1e-3, "1 mm"), (2.5e-6, "2.5 µm"),
        (3e-9, "3 nm"), (-0.25, "-250 mm"), (math.inf, "infinite"), (math.nan, "infinite"),
    ],
)  # fmt: skip
def test_lengths_have_the_unit_that_suits_them(value, text):
    assert output.metres(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(2.0, "2 s"), (0.25, "250 ms"), (1e-3, "1 ms"), (2e-5, "20 µs"), (0, "0 µs")]
)
def test_durations_have_the_unit_that_suits_them(value, text):
    assert output.seconds(value) == text


def test_vectors_are_rounded_to_digits():
    assert output.vector([1.0, -0.5, 1 / 3], 3) == "(1.000, -0.500, 0.333)"


def test_a_headline_opens_with_the_verdict_and_takes_brackets_as_they_are():
    for status in Status:
        line = output.headline(status, " at [0.5]")
        word = "undecided" if status is Status.CAPPED else status.value
        assert said(line).strip() == f"{word} at [0.5]"


def test_tables_and_facts_hold_every_cell_and_take_no_markup_from_them():
    shown = said(output.table(("name", "count"), [("[red]x", 1), ("y", 22)], title="things", right=(1,)))
    for word in ("things", "name", "count", "[red]x", "22"):
        assert word in shown
    assert "[bold]" in said(output.facts([("key", "[bold]")]))


def test_progress_is_silent_where_nobody_watches(capsys):
    with output.progress("working") as progress:
        progress(1, 2)
        progress(2, 2)
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.strip() == ""

"""The campaign of damaged files: a part of it, and that it notices and survives what it is there to find."""

import argparse
import math
import os
import time

import pytest
from numba.core.compiler_lock import global_compiler_lock

from tocsin_bench.campaigns import mutate
from tocsin_bench.campaigns.mutate import ANSWERED, FAILURES, REFUSED, Outcome, campaign, examine, kinds, prepare
from tocsin_bench.campaigns.mutate_damage import Mutant, mutated
from tocsin_bench.campaigns.mutate_seeds import honest
from tocsin_bench.campaigns.patience import Patience


def test_three_hundred_damaged_files_load_or_are_refused():
    outcomes = list(campaign(300, seed=3))
    assert [outcome for outcome in outcomes if outcome.verdict in FAILURES] == []
    assert [outcome.number for outcome in outcomes] == list(range(300))
    for verdict in (ANSWERED, REFUSED):
        assert sum(outcome.verdict == verdict for outcome in outcomes) > 30


def test_a_contact_of_a_box_as_long_as_rounding_allows_has_points(tmp_path):
    """A box of 4.3e9 m: rounding leaves no feature within the tolerance, and the closest points are given instead."""
    prepare(tmp_path)
    assert examine(mutated(0, 9984, kinds()), tmp_path) == (ANSWERED, "")


def test_a_number_and_a_seed_always_give_the_same_file():
    assert mutated(1, 7, kinds()) == mutated(1, 7, kinds())
    files = {mutated(1, k, kinds()).data for k in range(100)}
    assert len(files) > 95
    assert {mutated(2, k, kinds()).kind for k in range(500)} == set(kinds())


@pytest.mark.parametrize("kind", kinds())
def test_the_honest_file_of_every_kind_is_answered(tmp_path, kind):
    prepare(tmp_path)
    name, data = honest()[kind]
    assert examine(Mutant(0, kind, name, data, ()), tmp_path) == (ANSWERED, "")


def test_whatever_is_not_a_sentence_is_a_failure(tmp_path, monkeypatch):
    mutant = Mutant(0, "csv", *honest()["csv"], ())
    for error, verdict in (
        (ZeroDivisionError("on purpose"), "exception"),
        (mutate_error("two\nlines"), "no sentence"),
        (mutate_error(""), "no sentence"),
        (mutate_error("a sentence"), REFUSED),
    ):
        monkeypatch.setattr(mutate, "_ask", raising(error))
        assert examine(mutant, tmp_path)[0] == verdict
    monkeypatch.setattr(mutate, "_ask", lambda *_: "time nan")
    assert examine(mutant, tmp_path) == ("not finite", "time nan")


def mutate_error(words):
    from tocsin import TocsinError

    return TocsinError(words)


def raising(error):
    def raise_it(*_):
        raise error

    return raise_it


def compute(seconds):
    """Keep a processor busy for so long."""
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


def test_what_is_compiled_is_not_on_the_clock_of_a_file():
    """A first compile was once called a hang; within another one, too."""
    with Patience(0.5) as patience:
        with global_compiler_lock:
            compute(0.4)
            with global_compiler_lock:
                compute(0.4)
        compute(0.1)
    assert 0.1 <= patience.spent < 0.5


def crash_or_hang(connection, seed, chosen):
    """Stands in for the process that reads: it crashes on number 1, waits on 2, and computes for ever on 3."""
    connection.send(None)
    while (number := connection.recv()) is not None:
        if number == 1:
            os.kill(os.getpid(), 11)
        if number == 2:
            time.sleep(60)
        if number == 3:
            with Patience(0.2):
                compute(math.inf)
        connection.send(Outcome(number, "csv", ANSWERED))


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_crash_and_a_hang_are_found_and_the_campaign_goes_on(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(mutate, "_work", crash_or_hang)
    monkeypatch.setattr(mutate, "SLEEP", 6.0)
    outcomes = list(campaign(5, chosen=("csv",)))
    assert [outcome.verdict for outcome in outcomes] == [ANSWERED, "crash", "hang", "hang", ANSWERED]
    assert outcomes[1].words == "SIGSEGV"
    assert outcomes[3].words.endswith("of a processor")
    arguments = argparse.Namespace(count=2, seed=0, first=0, kinds="csv", keep=str(tmp_path))
    with pytest.raises(SystemExit, match="1 of 2 files failed"):
        mutate.run(arguments)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1-path.csv"]
    assert "number 1 of seed 0: csv" in capsys.readouterr().out

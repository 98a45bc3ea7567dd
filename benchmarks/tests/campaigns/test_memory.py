"""Every engine gives the same bits under an allocator that fills and gives back memory at once; `make test-memory`
asks more, and checks bounds."""

import argparse
import os
import subprocess
import sys

import pytest

from tocsin_bench.campaigns import agreement, memory

GROWING = "arm:991:214:9"
"""A question of 33,510 steps: the tables of the interval engine grow, and a record of one that is gone is fatal."""

PROGRAM = """
from tocsin_bench.campaigns import agreement
hit = agreement.replay({name!r})["interval"]
print(hit.status, hit.time.hex(), hit.bracket[1].hex())
"""


def test_the_question_whose_tables_grow_has_the_same_answer_where_memory_is_given_back_at_once():
    hit = agreement.replay(GROWING)["interval"]
    program = PROGRAM.format(name=GROWING)
    settings = {**os.environ, **memory.HARDENED}
    ended = subprocess.run([sys.executable, "-c", program], env=settings, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.split() == [str(hit.status), hit.time.hex(), hit.bracket[1].hex()]


def test_every_engine_gives_the_same_bits_where_memory_is_given_back_at_once():
    here = [memory.digest(engine, 12, 3) for engine in memory.ENGINES]
    there = memory.in_a_process(list(memory.ENGINES), 12, 3, memory.HARDENED)
    assert there.split() == here, there


def test_a_process_that_falls_is_told_with_its_question():
    said = memory.in_a_process(["no such engine"], 1, 1, {})
    assert said.startswith("ended with 1 at ")


def test_questions_are_dealt_to_processes_with_seeds_of_their_own(monkeypatch, capsys):
    asked = []

    def answer(engines, count, seed, settings):
        asked.append((*engines, count, seed))
        return "other" if engines == ["exact"] and settings else f"{seed}"

    monkeypatch.setattr(memory, "in_a_process", answer)
    args = argparse.Namespace(engine=["exact", "screen"], count=1000, seed=7, jobs=3, bounds=True)
    with pytest.raises(SystemExit, match="exact: answers differ"):
        memory.run(args)
    parts = [("screen", 334, seed) for seed in (7, 8, 9)]
    assert sorted(one for one in asked if one[0] == "screen") == sorted(3 * [*parts, ("screen", memory.FIRST, 7)])
    assert "screen: 1002 questions, plain, hardened, bounds: 7 8 9" in capsys.readouterr().out


@pytest.mark.pure
def test_what_differs_from_process_to_process_is_no_part_of_an_answer():
    with pytest.raises(TypeError, match="no part of an answer"):
        memory.bits((0.1, memory.digest))


@pytest.mark.pure
def test_a_digest_sees_every_bit():
    assert memory.bits((0.1, [1, "a"])) != memory.bits((0.1 + 2.0**-56, [1, "a"]))
    assert memory.digest("distance", 2, 1) == memory.digest("distance", 2, 1) != memory.digest("distance", 2, 2)

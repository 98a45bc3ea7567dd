"""Every engine gives the same bits under an allocator that fills and gives back memory at once; `make test-memory`
asks more, and checks bounds."""

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


@pytest.mark.pure
def test_a_digest_sees_every_bit():
    assert memory.bits((0.1, [1, "a"])) != memory.bits((0.1 + 2.0**-56, [1, "a"]))
    assert memory.digest("distance", 2, 1) == memory.digest("distance", 2, 1) != memory.digest("distance", 2, 2)

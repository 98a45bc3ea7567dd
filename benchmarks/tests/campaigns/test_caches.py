"""The campaign of damaged caches: a part of it, and that it notices what it is there to find."""

import os
import random

import pytest

from tocsin.compiler import store
from tocsin.compiler.jit import PURE_PYTHON
from tocsin.compiler.store import DIGEST
from tocsin_bench.campaigns import caches
from tocsin_bench.campaigns.caches import CONTENTS, FAILURES, PLACES, RIGHT, Attacked, Kernels, Meshes


@pytest.mark.parametrize("what", [Meshes] if PURE_PYTHON else [Meshes, Kernels])
def test_damaged_caches_give_the_bits_that_they_give_without_a_cache(tmp_path, what):
    attacked = Attacked(what, tmp_path)
    assert len(attacked.whole) >= 2
    outcomes = [attacked.outcome(number, 7) for number in range(1, 150)]
    assert [outcome for outcome in outcomes if outcome.verdict != RIGHT] == []
    assert {outcome.damage for outcome in outcomes} == {*CONTENTS, *PLACES}


def test_without_a_digest_they_do_not(tmp_path, monkeypatch):
    """And the arrays are still checked for their shapes and ranges: no signal, but other numbers."""
    monkeypatch.setattr(store, "_digest", lambda *_: bytes(DIGEST))
    attacked = Attacked(Meshes, tmp_path)
    verdicts = {attacked.outcome(number, 7).verdict for number in range(1, 150)}
    assert verdicts & set(FAILURES)


def test_killed_writers_leave_no_half_of_a_file():
    assert caches.kills(60, seed=1) == 0


@pytest.mark.skipif(PURE_PYTHON, reason="nothing is compiled")
def test_two_cold_starts_at_once_say_the_same():
    assert caches.cold_starts(2) == 0


def test_every_file_is_asked_for_in_another_process():
    outcomes = list(caches.campaign(3, seed=4))
    assert [outcome.number for outcome in outcomes] == [0, 1, 2]
    assert {outcome.verdict for outcome in outcomes} == {RIGHT}


def test_every_damage_changes_something(tmp_path):
    rng = random.Random(0)
    for name, change in CONTENTS.items():
        data = rng.randbytes(3000)
        assert change(data, rng) != data, name
    for k, (name, change) in enumerate(PLACES.items()):
        file = tmp_path / str(k) / "file"
        file.parent.mkdir(mode=0o700)
        file.write_bytes(b"data")
        before = file.lstat(), file.parent.stat()
        change(file, rng)
        assert (file.lstat(), file.parent.stat()) != before, name
        os.chmod(file.parent, 0o700)

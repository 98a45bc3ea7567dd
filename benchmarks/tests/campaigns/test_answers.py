"""The recorded answers: a few hundred of them asked again; all ten thousand by `python -m tocsin_bench answers`."""

import platform

import numpy as np
import pytest

import tocsin
from tocsin_bench.campaigns import answers
from tocsin_bench.campaigns.answers_questions import KINDS

FIRST = 20
"""Questions of each kind that are asked here."""


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="recorded with the routines of x86-64")
def test_the_same_questions_have_the_same_bits_as_recorded():
    found = answers.measure(list(KINDS), FIRST)
    assert {kind: len(entry["digests"]) for kind, entry in found.items()} == dict.fromkeys(KINDS, FIRST)
    assert answers.different(found, answers.load()) == []


def test_ten_thousand_answers_are_recorded_and_every_way_to_end_is_among_them():
    kept = answers.load()
    assert {kind: len(digests) for kind, digests in kept.items()} == {kind: n for kind, (n, _) in KINDS.items()}
    assert sum(map(len, kept.values())) == 10_000
    outcomes = answers.outcomes()
    assert {"free", "contact", "initial contact"} <= set(outcomes["first contact"])
    assert "capped" in outcomes["capped"]
    assert all("refused" not in ended for ended in outcomes.values())


def test_one_bit_of_one_answer_is_noticed():
    hit = tocsin.FirstContact(tocsin.Status.CONTACT, 0.5)
    later = tocsin.FirstContact(tocsin.Status.CONTACT, float(np.nextafter(0.5, 1.0)))
    texts = [answers.bits(answers.plain(h)[1]) for h in (hit, later)]
    assert texts[0] != texts[1]
    found = {"is free": {"digests": [answers.digest(text) for text in texts]}}
    assert answers.different(found, {"is free": [answers.digest(texts[0])] * 2}) == ["is free:1"]


def test_an_answer_that_was_not_recorded_counts_as_different():
    assert answers.different({"is free": {"digests": ["00000000"]}}, {}) == ["is free:0"]


def test_minus_zero_is_not_zero_and_nan_is_itself():
    assert answers.bits(np.array([0.0, -0.0])) == "[0x0.0p+0 -0x0.0p+0]"
    assert answers.bits(float("nan")) == answers.bits(np.float64("nan"))


def test_what_is_recorded_is_read_back(tmp_path):
    found = {"feature times": answers.asked("feature times", 30)}
    answers.save(found, tmp_path / "answers.json")
    assert answers.load(tmp_path / "answers.json") == {"feature times": found["feature times"]["digests"]}

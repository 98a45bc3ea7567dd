"""A seeded part of the attacks on the checker; and the oracle that judges them sees what is false."""

import json

import numpy as np
import pytest

pytest.importorskip("tocsin_checker", reason="the checker is not installed: pip install ./checker")

from tocsin_bench.campaigns import forged, proof_questions, proof_truth


def test_no_lie_is_accepted() -> None:
    told = forged.campaign(48, 11)
    assert forged.wrong(told) == 0
    assert sum(n for (what, _), n in told.items() if what.startswith("forged")) > 3
    assert sum(n for (_, became), n in told.items() if became == "refused") > 15


def test_a_lie_that_is_accepted_is_counted() -> None:
    told = forged.campaign(4, 11)
    told["forged: empty", "A LIE ACCEPTED"] += 1
    told["damaged: cut", "ENDED WITH KeyError"] += 1
    assert forged.wrong(told) == 2


def test_the_oracle_sees_contacts_and_calls_nothing_false_that_is_proven() -> None:
    seen = {"free": 0, "contact": 0}
    for seed in range(12):
        scene, motions, margin = proof_questions.drawn(np.random.default_rng([seed, 3]))
        data = json.loads(json.dumps(scene.prove(*motions, margin=margin).data))
        claim, data["claim"] = data["claim"], "free"
        if proof_truth.is_false(data, 16):
            assert claim == "contact"
            seen[claim] += 1
    assert seen["contact"] > 2

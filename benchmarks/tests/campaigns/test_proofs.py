"""A seeded part of the campaign: bodies and chains, and proofs that are changed."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("tocsin_checker", reason="the checker is not installed: pip install ./checker")

from tocsin import Body, Scene, Sphere
from tocsin_bench.campaigns import proofs


def test_every_answer_is_proven_and_no_changed_proof_is_accepted(tmp_path: Path) -> None:
    told: Counter[str] = Counter()
    rng = np.random.default_rng(5)
    for question in (*proofs.bodies(24, 7), *proofs.chains(3, 7, tmp_path)):
        data = proofs.judged(question, told, [], timed=True)
        for _ in range(3 if data and data["free"] else 0):
            proofs.attack(question, data, tmp_path, rng, told)
    assert told["free"] > 5
    assert told["contact"] > 5
    assert sum(n for what, n in told.items() if what.endswith(": refused")) > 10
    assert not {"without a proof", "refused", "another claim than the answer"} & set(told)
    assert not [what for what in told if what.endswith("ACCEPTED, AND FALSE")]


def test_of_edges_that_are_asked_once_the_first_lays_the_scenes_out_and_is_not_counted() -> None:
    def scene() -> Scene:
        return Scene(ball, Body(Sphere(0.1), (1.0, 0, 0), name="other"))

    ball = Body(Sphere(0.1), name="ball")
    motions = [ball.move((0, 0, 0), (0, y, 0)) for y in (1.0, 0.5)] + [ball.move((0, 0, 0), (2.0, 0, 0))]
    rows = proofs._asked_once(scene(), scene(), motions)
    assert [free for _, _, free in rows] == [True, False]

"""`tocsin doctor`: known cases by hand, a report that holds versions, and an exit code where an answer is wrong."""

import json
import math

import numpy as np
import pytest
import typer

import tocsin
from tocsin.cli import doctor
from tocsin_bench.oracles import kinematics


def test_the_arm_meets_the_post_when_its_side_reaches_a_corner():
    """By bisection over the swing, on the oracle's own terms: a box of an angle beside the corners of another."""
    title, _, _, when, _ = doctor._known()[4]
    assert "arm" in title

    def inside(t):
        turn = kinematics.exp(np.array([0.0, 0.0, math.pi * t]))
        corners = np.array([(x, y, 0.0) for x in (-0.1, 0.1) for y in (1.4, 1.6)]) @ turn
        return bool((np.abs(corners - [1.0, 0.0, 0.0]) <= [1.0, 0.1, 0.1]).all(axis=1).any())

    low, high = 0.0, 0.5
    assert not inside(low)
    assert inside(high)
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if inside(middle) else (middle, high)
    assert when == pytest.approx(high, abs=1e-12)


def test_the_report_names_what_is_needed_and_what_is_missing(tmp_path):
    machine = doctor._machine()
    assert set(machine["versions"]) == set(doctor.NEEDED)
    assert machine["versions"]["numpy"] == np.__version__
    assert doctor._version("no-such-package-as-this") is None
    (tmp_path / "a").mkdir()
    (tmp_path / "a/b").write_bytes(b"12345")
    (tmp_path / "c").write_bytes(b"12")
    assert doctor._size(tmp_path) == 7


def test_a_wrong_answer_ends_with_an_error_code_and_says_which(monkeypatch, capsys):
    case = ("balls", None, None, 0.5, 1e-6)

    class Scene:
        def first_contact(self, motion, **how):
            return type("Hit", (), {"status": tocsin.Status.FREE, "time": math.inf})

        def is_free(self, motion, **how):
            return True

    monkeypatch.setattr(doctor, "_known", lambda: [(case[0], Scene(), None, *case[3:])])
    with pytest.raises(typer.Exit) as ended:
        doctor.doctor(as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert ended.value.exit_code == 1
    assert not told["well"]
    assert [c["right"] for c in told["cases"]] == [False, False]


def test_an_engine_that_fails_is_on_the_page_and_does_not_end_it(monkeypatch):
    class Scene:
        def first_contact(self, motion, **how):
            raise RuntimeError("no kernel")

    monkeypatch.setattr(doctor, "_known", lambda: [("balls", Scene(), None, 0.5, 0.0)])
    found = doctor._cases(lambda done, total: None)
    assert [case["status"] for case in found] == ["RuntimeError: no kernel"] * 2
    assert not any(case["right"] for case in found)

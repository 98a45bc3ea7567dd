"""`tocsin verify`."""

import json
from pathlib import Path

import pytest

from tocsin import Body, Scene, Sphere
from tocsin.cli import app

pytest.importorskip("tocsin_checker", reason="the checker is not installed: pip install ./checker")


def test_verify_accepts_a_proof_and_refuses_what_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ball, other = Body(Sphere(0.1), name="ball"), Body(Sphere(0.1), (1.4, 0.6, 0), name="other")
    Scene(ball, other).prove(ball.move((0, 0, 0), (2, 2, 0))).save(tmp_path / "good.proof")
    (tmp_path / "bad.proof").write_text("{}")
    assert app.run(["verify", str(tmp_path / "good.proof")]) == 0
    assert "accepted: free; pairs of shapes: 1" in capsys.readouterr().out
    assert app.run(["verify", str(tmp_path / "good.proof"), str(tmp_path / "bad.proof"), "--json"]) == 1
    first, second = json.loads(capsys.readouterr().out)["proofs"]
    assert first["accepted"]
    assert "not a proof" in second["reason"]
    assert app.run(["verify", str(tmp_path / "good.proof"), "--robot", "panda"]) == 2

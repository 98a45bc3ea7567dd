"""Witnesses of a small robot are measured by Coal, and one that is none is found out."""

from pathlib import Path

import pytest

pytest.importorskip("tocsin_checker", reason="the checker is not installed: pip install ./checker")
pytest.importorskip("coal")

from tocsin_bench.campaigns import witnesses

LINK = '<link name="{}"><collision><origin xyz="0 0 {}"/><geometry>{}</geometry></collision></link>'
JOINT = (
    '<joint name="{0}" type="revolute"><origin xyz="0 0 {1}"/><parent link="{2}"/><child link="{3}"/>'
    '<axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>'
)


def test_coal_sees_every_witness(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "arm.urdf").write_text(
        '<robot name="arm">'
        + LINK.format("base", 0, '<box size="0.2 0.2 0.2"/>')
        + LINK.format("upper", 0.4, '<cylinder radius="0.05" length="0.6"/>')
        + LINK.format("tip", 0.75, '<sphere radius="0.1"/>')
        + JOINT.format("one", 0, "base", "upper")
        + JOINT.format("two", 0.8, "upper", "tip")
        + "</robot>"
    )
    row, wrong = witnesses.surveyed(tmp_path / "arm.urdf", None, 100_000)
    assert row[:6] == ["arm", 0, 0, 1, 2, 0]
    assert not wrong
    monkeypatch.setattr(witnesses, "gaps", lambda *_: [("base", "tip", 0.5)])
    assert witnesses.surveyed(tmp_path / "arm.urdf", None, 100_000)[1]

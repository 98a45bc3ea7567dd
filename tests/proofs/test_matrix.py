"""Which links can touch: proven of all joint values, witnessed by one."""

from pathlib import Path

import numpy as np
import pytest

from tocsin import Robot, Scene
from tocsin.cli import app
from tocsin.io.srdf import read_srdf
from tocsin.proofs.matrix import Survey


def link(name: str, shape: str, z: float = 0.0) -> str:
    return f'<link name="{name}"><collision><origin xyz="0 0 {z}"/><geometry>{shape}</geometry></collision></link>'


def joint(name: str, parent: str, child: str, z: float, axis: str, limit: float) -> str:
    return (
        f'<joint name="{name}" type="revolute"><origin xyz="0 0 {z}"/><parent link="{parent}"/><child link="{child}"/>'
        f'<axis xyz="{axis}"/><limit lower="{-limit}" upper="{limit}" effort="1" velocity="1"/></joint>'
    )


def arm(path: Path, reach: float) -> Robot:
    """Three links in a plane; the last one, a ball, comes back to the first one if `reach` lets it."""
    path.write_text(
        '<robot name="arm">'
        + link("base", '<box size="0.2 0.2 0.2"/>')
        + link("upper", '<box size="0.1 0.1 0.6"/>', 0.4)
        + link("tip", '<sphere radius="0.1"/>', reach)
        + joint("one", "base", "upper", 0.0, "0 1 0", 1.0)
        + joint("two", "upper", "tip", 0.8, "0 1 0", 3.0)
        + "</robot>"
    )
    return Robot.from_urdf(path)


def test_links_that_can_meet_have_a_witness_and_others_are_proven_apart(tmp_path: Path) -> None:
    near, far = arm(tmp_path / "near.urdf", 0.75), arm(tmp_path / "far.urdf", 0.4)
    assert far.prove_pairs().of("never") == (("base", "tip"),)
    found = near.prove_pairs()
    assert found.of("adjacent") == (("base", "upper"), ("upper", "tip"))
    (pair,) = [p for p in found if p.verdict == "sometimes"]
    assert pair.witness is not None
    scene = Scene(near)
    scene.ignore("upper", "tip")
    assert scene.distance(near.at(pair.witness)).distance <= 0.0011


def test_samples_alone_show_what_can_touch_and_prove_nothing(tmp_path: Path) -> None:
    near, far = (Survey(arm(tmp_path / f"{reach}.urdf", reach), 1e-3) for reach in (0.75, 0.4))
    assert near.look(0, 2, 0).verdict == "sometimes"
    seen = far.look(0, 2, 0)
    assert (seen.verdict, seen.boxes) == ("undecided", 0)
    assert seen.reason == "no sample touches, and no box was looked at: the time was up"


@pytest.mark.parametrize("seed", range(6))
def test_no_sample_contradicts_what_is_proven_never(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    text = link("l0", '<box size="0.1 0.1 0.1"/>')
    for i in range(1, 5):
        x, y, z = rng.uniform(0.05, 0.15, 3)
        text += link(f"l{i}", f'<box size="{x} {y} {z}"/>', 0.1)
        axis = ("1 0 0", "0 1 0", "0 0 1")[rng.integers(3)]
        text += joint(f"j{i}", f"l{i - 1}", f"l{i}", 0.2, axis, float(rng.uniform(0.3, 1.2)))
    (tmp_path / "chain.urdf").write_text(f'<robot name="chain">{text}</robot>')
    robot = Robot.from_urdf(tmp_path / "chain.urdf")
    pairs = robot.prove_pairs(margin=0.005, most=200_000)
    scene = Scene(robot)
    for a, b in pairs.of("adjacent") + pairs.of("sometimes") + pairs.of("undecided"):
        scene.ignore(a, b)
    low, high = np.array([j.limits for j in robot.joints if j.width]).T
    assert pairs.of("never")
    for q in rng.uniform(low, high, (300, 4)):
        assert scene.distance(robot.at(q)).distance > 0.005


def test_an_srdf_that_disables_a_pair_that_collides_is_noticed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arm(tmp_path / "arm.urdf", 0.75)
    (tmp_path / "wrong.srdf").write_text(
        '<robot name="arm"><disable_collisions link1="base" link2="tip" reason="Never"/></robot>'
    )
    assert app.run(["matrix", str(tmp_path / "arm.urdf"), "--out", str(tmp_path / "right.srdf")]) == 0
    assert ("base", "tip") not in read_srdf(tmp_path / "right.srdf").disabled
    capsys.readouterr()
    assert app.run(["matrix", str(tmp_path / "arm.urdf"), "--check", str(tmp_path / "wrong.srdf")]) == 1
    assert "base and tip" in capsys.readouterr().out


def test_a_joint_without_limits_is_surveyed_for_one_turn_only_where_that_is_all(tmp_path: Path) -> None:
    """A finger that follows an endless joint at half its angle comes back after two turns, not after one."""
    text = (
        link("base", '<box size="0.2 0.2 0.2"/>')
        + link("frame", '<box size="0.02 0.02 0.02"/>', 0.3)
        + link("tip", '<sphere radius="0.05"/>', 0.3)
        + joint("one", "base", "frame", 0.0, "0 0 1", 1.0).replace("revolute", "continuous")
        + joint("two", "frame", "tip", 0.3, "0 1 0", 9.0).replace(
            "</joint>", '<mimic joint="one" multiplier="MANY"/></joint>'
        )
    )
    found = {}
    for many in ("0.5", "1"):
        path = tmp_path / f"{many}.urdf"
        path.write_text(f'<robot name="arm">{text.replace("MANY", many)}</robot>')
        (pair,) = [p for p in Robot.from_urdf(path).prove_pairs() if {p.link_a, p.link_b} == {"base", "tip"}]
        found[many] = pair.verdict
    assert found == {"0.5": "undecided", "1": "sometimes"}

"""The proof of a matrix: accepted as it is, refused with one word changed, or with other limits."""

import copy
import hashlib
from pathlib import Path

import numpy as np
import pytest

from tocsin import Robot, RobotBuilder, Sphere, TocsinError

from .test_matrix import joint, link
from .verdicts import accepts, checker


@pytest.fixture
def arm(tmp_path: Path) -> Robot:
    (tmp_path / "arm.urdf").write_text(
        '<robot name="arm">'
        + link("base", '<box size="0.2 0.2 0.2"/>')
        + link("upper", '<box size="0.1 0.1 0.6"/>', 0.4)
        + link("tip", '<sphere radius="0.1"/>', 0.4)
        + link("rod", '<cylinder radius="0.05" length="0.5"/>', 0.3)
        + joint("one", "base", "upper", 0.0, "0 1 0", 1.0)
        + joint("two", "upper", "tip", 0.8, "0 1 1", 3.0)
        + joint("three", "tip", "rod", 0.4, "0 1 0", 3.0)
        + "</robot>"
    )
    return Robot.from_urdf(tmp_path / "arm.urdf")


def test_the_proof_of_a_matrix_is_checked_word_by_word(arm: Robot, tmp_path: Path) -> None:
    found = arm.prove_pairs(proof=tmp_path / "arm.proof", threads=1)
    assert {p.verdict for p in found} == {"adjacent", "never", "sometimes"}
    files = {"arm": tmp_path / "arm.urdf"}
    data = checker.read_proof(tmp_path / "arm.proof")
    verdict = checker.check(data, files)
    counts = f"{len(found.of('never'))} pairs of links never, {len(found.of('sometimes'))} pairs of links sometimes"
    assert counts in str(verdict)
    never = next(k for k, said in enumerate(data["links"]) if said["verdict"] == "never")
    words = data["links"][never]["tree"].split()
    for k in range(0, len(words), max(len(words) // 24, 1)):
        wrong = copy.deepcopy(data)
        wrong["links"][never]["tree"] = " ".join(words[:k] + words[k + 1 :])
        assert not accepts(wrong, files)
    for change in (
        lambda d: d["links"][never].__setitem__("tree", "."),
        lambda d: d["links"][never].__setitem__("tree", "="),
        lambda d: d["links"][never].__setitem__("tree", "/-1 . 1 0 0 . 1 0 0"),
        lambda d: d["links"][never].__setitem__("tree", ""),
        lambda d: d.__setitem__("margin", 0.5),
        lambda d: d["links"][never].__setitem__("links", ["arm/base", "arm/base"]),
        lambda d: next(s for s in d["links"] if s["verdict"] == "sometimes")["witness"].__setitem__(1, 0.0),
        lambda d: d["links"].append({"links": ["arm/base", "arm/upper"], "verdict": "never", "tree": ""}),
    ):
        wrong = copy.deepcopy(data)
        change(wrong)
        assert not accepts(wrong, files)


def test_what_was_surveyed_is_kept_and_other_limits_are_another_robot(arm: Robot, tmp_path: Path) -> None:
    first, again = (arm.prove_pairs(proof=tmp_path / "arm.proof", threads=1) for _ in range(2))
    assert [(p.verdict, p.boxes, p.closest) for p in first] == [(p.verdict, p.boxes, p.closest) for p in again]
    wider = (tmp_path / "arm.urdf").read_text().replace('lower="-1.0" upper="1.0"', 'lower="-3.0" upper="3.0"')
    (tmp_path / "wide.urdf").write_text(wider)
    assert not accepts(checker.read_proof(tmp_path / "arm.proof"), {"arm": tmp_path / "wide.urdf"})


def test_limits_that_no_file_holds_are_not_proven(tmp_path: Path) -> None:
    b = RobotBuilder("two").link("a", Sphere(0.1))
    robot = b.link("b", Sphere(0.1), parent="a", joint="revolute", axis=(0, 1, 0), origin=(0, 0, 1)).build()
    with pytest.raises(TocsinError, match="comes from none"):
        robot.prove_pairs(proof=tmp_path / "x.proof")


def test_limits_of_several_turns_are_surveyed_for_one(arm: Robot, tmp_path: Path) -> None:
    text = (tmp_path / "arm.urdf").read_text()
    for name, low, high in (("turns", 1.0, 20.0), ("half", -20.0, 20.0)):
        wide = text.replace('lower="-3.0" upper="3.0"', f'lower="{low}" upper="{high}"', 1)
        if name == "half":  # what follows the joint at half its angle has not come around in a turn of it
            wide = wide.replace("</robot>", link("late", '<sphere radius="0.1"/>', 0.4) + "</robot>")
            follows = joint("four", "base", "late", -1.0, "0 1 0", 30.0)
            follows = follows.replace("</joint>", '<mimic joint="two" multiplier="0.5"/></joint>')
            wide = wide.replace("</robot>", follows + "</robot>")
        (tmp_path / "wide.urdf").write_text(wide)
        robot = Robot.from_urdf(tmp_path / "wide.urdf")
        found = robot.prove_pairs(proof=tmp_path / "wide.proof", threads=1, most=200_000)
        checker.check(checker.read_proof(tmp_path / "wide.proof"), {"arm": tmp_path / "wide.urdf"})
        for pair in found:
            assert pair.witness is None or low <= pair.witness[1] <= high
        limits = robot.joints[1].limits
        assert limits == (low, high)


def test_what_was_not_looked_at_in_time_is_undecided_and_looked_at_later(arm: Robot) -> None:
    margin = float(np.random.default_rng().uniform(0.001, 0.002))  # of which nothing is kept on disk
    late = arm.prove_pairs(margin=margin, threads=1, seconds=0.0)
    assert {p.verdict for p in late} == {"adjacent", "undecided"}
    assert all("time was up" in p.reason for p in late if p.verdict == "undecided")
    assert not arm.prove_pairs(margin=margin, threads=1).of("undecided")


def wheel(path: Path, shape: str, *, limit: float = 0.4) -> Robot:
    """A hub in a shape that it never leaves, on two joints with a small link between them."""
    path.write_text(
        '<robot name="wheel">'
        + link("base", shape)
        + link("frame", '<sphere radius="0.01"/>', 0.5)
        + link("hub", '<box size="0.05 0.05 0.05"/>')
        + joint("one", "base", "frame", 0.0, "0 0 1", limit)
        + joint("two", "frame", "hub", 0.02, "0 1 0", limit)
        + "</robot>"
    )
    return Robot.from_urdf(path)


def test_links_that_touch_at_all_joint_values_are_proven_to(tmp_path: Path) -> None:
    robot = wheel(tmp_path / "wheel.urdf", '<box size="0.04 0.04 0.04"/>')
    pairs = robot.prove_pairs(proof=tmp_path / "wheel.proof", threads=1)
    (pair,) = [p for p in pairs if p.verdict == "always"]
    assert {pair.link_a, pair.link_b} == {"base", "hub"}
    assert pairs.disabled()["base", "hub"] == "Always"
    again = next(p for p in robot.prove_pairs(proof=tmp_path / "wheel.proof", threads=1) if p.verdict == "always")
    assert (again.boxes, again.reason) == (pair.boxes, pair.reason)
    files, data = {"wheel": tmp_path / "wheel.urdf"}, checker.read_proof(tmp_path / "wheel.proof")
    assert "1 pairs of links always" in str(checker.check(data, files))
    said = next(k for k, said in enumerate(data["links"]) if said["verdict"] == "always")
    words = data["links"][said]["tree"].split()
    assert len(data["links"][said]["contacts"]) == words.count("=") > 1
    for change in (
        lambda d: d["contacts"].pop(),
        lambda d: d["contacts"].append(d["contacts"][0]),
        lambda d: d.__setitem__("tree", " ".join(words[:-1])),
        lambda d: d.__setitem__("tree", "="),
        lambda d: d.update(tree="=", contacts=d["contacts"][:1]),
        lambda d: d["contacts"][0].__setitem__("points", d["contacts"][0]["points"][::-1]),
        lambda d: d["contacts"][0]["points"].__setitem__(0, [[7], [1.0], [0.0, 0.0, 0.0]]),
        lambda d: d["contacts"][0]["points"][0].__setitem__(2, [0.0, 0.0, 1e-3]),
        lambda d: d.__setitem__("tree", "."),
        lambda d: d.__setitem__("tolerance", 0.0),
        lambda d: d.__setitem__("verdict", "never"),
    ):
        wrong = copy.deepcopy(data)
        change(wrong["links"][said])
        assert not accepts(wrong, files)
    wheel(tmp_path / "wide.urdf", '<box size="0.04 0.04 0.04"/>', limit=0.5)
    wide = copy.deepcopy(data)
    raw = (tmp_path / "wide.urdf").read_bytes()
    wide["models"][0]["links"][1]["files"][""] = hashlib.sha256(raw).hexdigest()
    assert not accepts(wide, {"wheel": tmp_path / "wide.urdf"})


def test_joints_that_do_not_matter_to_a_witness_are_within_their_limits_too(arm: Robot, tmp_path: Path) -> None:
    """Where it stands, at 0, the first joint is outside its limits; what touches is moved by others."""
    text = (tmp_path / "arm.urdf").read_text().replace('lower="-1.0" upper="1.0"', 'lower="0.5" upper="1.0"')
    (tmp_path / "off.urdf").write_text(text)
    pairs = Robot.from_urdf(tmp_path / "off.urdf").prove_pairs(proof=tmp_path / "off.proof", threads=1)
    assert ("upper", "rod") in pairs.of("sometimes")
    checker.check(checker.read_proof(tmp_path / "off.proof"), {"arm": tmp_path / "off.urdf"})


def test_a_witness_outside_the_limits_is_none(arm: Robot, tmp_path: Path) -> None:
    arm.prove_pairs(proof=tmp_path / "arm.proof", threads=1)
    data = checker.read_proof(tmp_path / "arm.proof")
    said = next(said for said in data["links"] if said["verdict"] == "sometimes")
    said["witness"][2] += 2.0 * np.pi  # the same place, but not within the limits
    assert not accepts(data, {"arm": tmp_path / "arm.urdf"})

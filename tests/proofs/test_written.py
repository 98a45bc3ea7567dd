"""A proof says what its models are, when it is made: files by their hashes, all else link by link."""

import json
from pathlib import Path

import numpy as np
import pytest

from tocsin import Body, Box, Robot, Scene, Sphere, TocsinError
from tocsin.proofs.written import Held, said_of
from tocsin_bench.campaigns.proof_questions import walker

checker = pytest.importorskip("tocsin_checker", reason="the checker is not installed: pip install ./checker")

ARM = """<robot name="arm"><link name="base"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision>
</link>
<link name="hand"><collision><origin xyz="0 0 0.4"/><geometry><cylinder radius="0.03" length="0.5"/></geometry>
</collision></link><joint name="turn" type="continuous"><parent link="base"/><child link="hand"/>
<origin xyz="0 0 0.1"/><axis xyz="0 1 0"/></joint></robot>"""


def test_what_a_robot_carries_is_part_of_its_proof(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(ARM)
    arm, files = Robot.from_urdf(tmp_path / "arm.urdf"), {"arm": tmp_path / "arm.urdf"}
    part = Body(Box((0.1, 0.1, 0.4)), (0, 0, 1.0), name="part")
    scene = Scene(arm, part, Body(Sphere(0.1), (1.15, 0, 0.1), name="post"))
    free = scene.prove(arm.move([0.3], [1.6]))
    arm.attach(part, "hand")
    touched = scene.prove(arm.move([0.3], [1.6]))
    assert (free.claim, touched.claim) == ("free", "contact")
    verdict = checker.check(scene.prove(arm.move([0.3], [1.2])).data, files)
    assert verdict.claim == "free"
    assert "carrying part" in str(verdict)
    assert [checker.check(proof.data, files).claim for proof in (free, touched)] == ["free", "contact"]


def test_a_robot_is_named_by_its_file_and_one_without_is_spelled_out(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(ARM)
    arm = Robot.from_urdf(tmp_path / "arm.urdf")
    base, file = said_of(Held.of(arm), "arm", None)["links"]
    assert (base["joint"], file["joints"], len(file["files"][""])) == ("fixed", ["turn"], 64)
    arm.source = None
    spelled = said_of(Held.of(arm), "arm", None)
    assert [(link["name"], link["parent"], link["joint"]) for link in spelled["links"]] == [
        ("base", "", "fixed"), ("hand", "base", "revolute"),
    ]  # fmt: skip
    assert json.loads(json.dumps(spelled)) == spelled


def test_a_joint_that_slides_and_turns_is_spelled_out_by_what_it_is_made_of() -> None:
    robot = walker()
    base = [np.eye(4), np.eye(4)]
    base[1][0, 3] = 1.0
    said = said_of(Held.of(robot), "walker", robot.follow(np.tile(robot.rest[7:], (2, 1)), base=base))
    kinds = {link["name"]: (link["joint"], link["entry"]) for link in said["links"]}
    width = len(robot.rest)
    assert [kinds[f"trunk.{k}"] for k in range(3)] == [("prismatic", width - 7 + k) for k in range(3)]
    assert kinds["trunk"] == ("ball", width - 4)
    assert [kinds[name][0] for name in ("c.0", "c.1", "c", "d", "e.2", "e", "f")] == [
        "prismatic", "prismatic", "revolute", "ball", "prismatic", "ball", "revolute",
    ]  # fmt: skip
    assert len(said["pieces"][0]) == width
    assert said["pieces"][0][width - 7] == [0.0, 1.0]


def test_a_kind_of_joint_that_proofs_do_not_know_is_refused_and_not_taken_for_another() -> None:
    held = Held.of(walker())
    links = held.links.copy()
    links[1]["kind"] = 99
    with pytest.raises(TocsinError, match="kind that proofs do not know"):
        said_of(held._replace(links=links, source=None), "walker", None)

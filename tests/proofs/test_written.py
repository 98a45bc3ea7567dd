"""A proof says what its models are, when it is made: files by their hashes, all else link by link."""

import json
from pathlib import Path

import pytest

from tocsin import Body, Box, Robot, Scene, Sphere
from tocsin.proofs.written import Held, said_of

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
    said = said_of(Held.of(arm), "arm")
    assert (said["joints"], said["links"], len(said["urdf"])) == (["turn"], [], 64)
    arm.source = None
    spelled = said_of(Held.of(arm), "arm")
    assert [(link["name"], link["parent"], link["joint"]) for link in spelled["links"]] == [
        ("base", "", "floating"), ("hand", "base", "revolute"),
    ]  # fmt: skip
    assert json.loads(json.dumps(spelled)) == spelled

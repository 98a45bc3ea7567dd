"""Parts swept around their own joint: no angle takes a point out of the cylinder, and the checker follows."""

import json
from pathlib import Path

import numpy as np
import pytest

from tocsin import Robot
from tocsin.motion.joints import JOINT
from tocsin.proofs.matrix import Survey
from tocsin.proofs.swept import AROUND_A, AROUND_B, entries_between, ways_around
from tocsin_bench.oracles import kinematics

from .verdicts import accepts, checker


def arm(path: Path, offset: float = 0.0, ball: bool = False) -> Robot:
    """A hand that turns all around, on a beam on a post."""
    shape = '<sphere radius="0.04"/>' if ball else '<box size="0.06 0.05 0.2"/>'

    def link(name: str, size: str, x: float = 0.0) -> str:
        return f'<link name="{name}"><collision><origin xyz="{x} 0 0.1"/><geometry>{size}</geometry></collision></link>'

    def joint(name: str, kind: str, parent: str, child: str, axis: str, bent: str = "0 0 0") -> str:
        limit = '<limit lower="-0.4" upper="0.4" effort="1" velocity="1"/>' if kind == "revolute" else ""
        return (
            f'<joint name="{name}" type="{kind}"><origin xyz="0 0 0.25" rpy="{bent}"/><parent link="{parent}"/>'
            f'<child link="{child}"/><axis xyz="{axis}"/>{limit}</joint>'
        )

    path.write_text(
        '<robot name="arm">'
        + link("post", '<box size="0.1 0.1 0.2"/>')
        + link("beam", '<box size="0.04 0.04 0.15"/>')
        + link("hand", shape, offset)
        + joint("one", "revolute", "post", "beam", "0 1 0")
        + joint("two", "continuous", "beam", "hand", "0 0.6 0.8", "0.1 0.2 0.3")
        + "</robot>"
    )
    return Robot.from_urdf(path)


def around(robot: Robot, first: str = "post", last: str = "hand") -> list:
    survey = Survey(robot, 1e-3)
    a, b = robot.link_index(first), robot.link_index(last)
    entries, low, high = survey.entries(a, b)
    ends = a, b, int(survey.roots[survey.shapes[a][0]]), int(survey.roots[survey.shapes[b][0]])
    links = survey.world.links
    cells = np.zeros((4, 2 * len(entries)))
    asked = survey.tables, links, np.zeros(len(links), JOINT), ends, entries, survey.within(), cells, survey.work()
    return list(ways_around(asked, np.concatenate((low, high))))


@pytest.mark.parametrize("ball", [False, True])
def test_no_angle_takes_a_point_out_of_the_cylinder(ball: bool, tmp_path: Path) -> None:
    robot = arm(tmp_path / "arm.urdf", 0.03, ball)
    ((asked, box, words),) = around(robot)
    (parts, points), links, _, ends, entries, *_ = asked
    assert words == [AROUND_B]
    assert ends[:2] == (robot.link_index("post"), robot.link_index("beam"))
    assert entries.tolist() == [7]
    assert box.tolist() == [-0.4, 0.4]
    part = parts[ends[3]]
    low, high, axis = points[part["point"] : part["point"] + 3]
    hand = links[robot.link_index("hand")]
    own = robot.shapes[robot.link_index("hand")][0].proxy if not ball else np.array([[0.03, 0.0, 0.1]])
    least = np.inf
    for angle in np.linspace(-np.pi, np.pi, 97):
        turn = hand["rotation"] @ kinematics.exp(hand["axis"] * angle)
        for x in own:
            at = hand["translation"] + turn @ x
            height, beside = (at - low) @ axis, np.linalg.norm(np.cross(axis, at - low))
            assert -1e-12 <= height <= (high - low) @ axis + 1e-12
            assert beside <= part["disk"] + 1e-12
            assert np.linalg.norm(at) <= part["reach"]
            assert np.linalg.norm(at - part["center"]) <= part["girth"]
            least = min(least, part["disk"] - beside)
    assert least < 1e-9
    assert part["radius"] == (0.04 if ball else 0.0)


def test_parts_that_are_swept_both_are_those_that_are_swept_alone(tmp_path: Path) -> None:
    """Their corners were looked for behind the end of the table, in whatever memory is there."""
    names = ("left", "right")
    links = "".join(
        f'<link name="{name}"><collision><geometry><box size="0.06 {0.02 * k} 0.2"/></geometry></collision></link>'
        for k, name in enumerate(("post", *names), 1)
    )
    joints = "".join(
        f'<joint name="{name}_joint" type="continuous"><origin xyz="0 {y} 0"/><parent link="post"/>'
        f'<child link="{name}"/><axis xyz="0 0.6 0.8"/></joint>'
        for name, y in zip(names, (-0.3, 0.3))
    )
    path = tmp_path / "twins.urdf"
    path.write_text(f'<robot name="twins">{links}{joints}</robot>')
    found = {}
    for (tables, _, _, ends, *_), _, words in around(Robot.from_urdf(path), *names):
        assert all(first + 3 <= len(tables[1]) for first in tables[0][list(ends[2:])]["point"])
        for word, root in zip((AROUND_A, AROUND_B), ends[2:]):
            first = tables[0][root]["point"]
            if word in words:
                found.setdefault(word, []).append(tables[1][first : first + 3].tolist())
    assert {word: len(points) for word, points in found.items()} == {AROUND_A: 2, AROUND_B: 2}
    assert all(alone == both for alone, both in found.values())


def test_entries_between_are_those_of_joints_that_move_one_against_the_other(tmp_path: Path) -> None:
    robot = arm(tmp_path / "arm.urdf")
    links = Survey(robot, 1e-3).world.links
    post, beam, hand = (robot.link_index(name) for name in ("post", "beam", "hand"))
    assert entries_between(links, post, hand) == {7, 8}
    assert entries_between(links, hand, beam) == {8}
    assert entries_between(links, hand, hand) == set()


def test_the_checker_sweeps_parts_as_the_search_does_and_no_farther(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    robot = arm(path)
    robot.prove_pairs(margin=1e-3, proof=tmp_path / "arm.proof")
    data = checker.read_proof(tmp_path / "arm.proof")
    (said,) = [said for said in data["links"] if {*said["links"]} == {"arm/post", "arm/hand"}]

    def told(tree: str) -> bool:
        said["tree"] = tree
        return accepts(json.loads(json.dumps(data)), {"arm": path})

    assert told(said["tree"])
    halves = "/0 /0 0 0 1 0 0 1 /0 0 0 1 0 0 1"
    assert told(f". ) {halves}"), "around its joint the hand is above the post in four boxes"
    assert not told(f". {halves}"), "where it is not, its own turn takes too much"
    assert not told(f". ) ) {halves}"), "around the beam's joint too it comes down to the post"
    assert not told(f". ) ) ) {halves}"), "the post stands on no joint"
    assert not told(f". ( {halves}")
    assert not told(f". ) > {halves} {halves}"), "a swept part has no halves"

"""What a forger may write into a proof to make a wrong claim pass: numbers that are none, matrices that are no
placements, pairs that are spoken of twice, witnesses and tolerances that say nothing. It is refused, or said aloud."""

import copy
import hashlib
import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import trimesh

from tocsin import Body, Box, Cylinder, Robot, Scene, Sphere, pose

from .verdicts import accepts, checker

NAN = "nan"
"""A text that Python reads as a number, where JSON has none."""


def link(name: str, size: str) -> str:
    return f'<link name="{name}"><collision><origin xyz="0 0 0.2"/><geometry>{size}</geometry></collision></link>'


def joint(name: str, parent: str, child: str, limit: float) -> str:
    return (
        f'<joint name="{name}" type="revolute"><origin xyz="0 0 0.4"/><parent link="{parent}"/><child link="{child}"/>'
        f'<axis xyz="0 1 0"/><limit lower="{-limit}" upper="{limit}" effort="1" velocity="1"/></joint>'
    )


@pytest.fixture(scope="module")
def arm(tmp_path_factory: pytest.TempPathFactory) -> Robot:
    path = tmp_path_factory.mktemp("arm") / "arm.urdf"
    path.write_text(
        '<robot name="arm">'
        + link("base", '<box size="0.2 0.2 0.2"/>')
        + link("upper", '<cylinder radius="0.05" length="0.2"/>')
        + link("tip", '<sphere radius="0.1"/>')
        + link("end", '<sphere radius="0.05"/>')
        + joint("one", "base", "upper", 0.5)
        + joint("two", "upper", "tip", 2.9)
        + joint("three", "tip", "end", 2.9)
        + "</robot>"
    )
    return Robot.from_urdf(path)


@pytest.fixture(scope="module")
def matrix(arm: Robot, tmp_path_factory: pytest.TempPathFactory) -> dict:
    path = tmp_path_factory.mktemp("matrix") / "arm.proof"
    arm.prove_pairs(proof=path, threads=1)
    return checker.read_proof(path)


def files(arm: Robot) -> dict[str, Path]:
    assert arm.source is not None
    return {"arm": arm.source[0]}


@pytest.fixture(scope="module")
def free(arm: Robot) -> dict:
    """An arm beside a can and a ball that moves."""
    can, ball = Body(Cylinder(0.1, 0.3), (1.0, 0, 0), name="can"), Body(Sphere(0.1), (0, 2.0, 0), name="ball")
    proof = Scene(arm, can, ball).prove(arm.move([0, 0, 0], [0.1, 0.2, 0.1]), ball.move((0, 2.0, 0), (0, 2.2, 0)))
    assert proof.claim == "free"
    return json.loads(json.dumps(proof.data))


def model(d: dict, name: str) -> dict:
    return next(m for m in d["models"] if m["name"] == name)


def shape_of(d: dict, name: str) -> dict:
    return model(d, name)["links"][-1]["shapes"][0]


def set_to(holder: Callable[[dict], object], *place: object) -> Callable[[dict], None]:
    """A change: what is held there is set, by the last of the places."""

    def change(d: dict) -> None:
        at = holder(d)
        for key in place[:-2]:
            at = at[key]  # type: ignore[index]
        at[place[-2]] = place[-1]  # type: ignore[index]

    return change


FORGED = {
    "margin is no number": set_to(lambda d: d, "margin", NAN),
    "margin below zero": set_to(lambda d: d, "margin", -0.1),
    "margin without end": set_to(lambda d: d, "margin", "inf"),
    "margin of a pair below zero": lambda d: d["pairs"].append(["ball", "can", -1.0]),
    "pair spoken of twice": lambda d: d["pairs"].extend([["ball", "can", "ignored"], ["can", "ball", 0.0]]),
    "adjacent without a joint": lambda d: d["pairs"].append(["arm/base", "can", "adjacent"]),
    "another reason": lambda d: d["pairs"].append(["arm/base", "can", "far"]),
    "radius is no number": lambda d: shape_of(d, "ball").update(radius=NAN),
    "radius below zero": lambda d: shape_of(d, "ball").update(radius=-0.1),
    "ring is no number": lambda d: shape_of(d, "can").update(ring=NAN),
    "ring below zero": lambda d: shape_of(d, "can").update(ring=-0.1),
    "points are none": lambda d: shape_of(d, "ball").update(points=[]),
    "point is no number": lambda d: shape_of(d, "ball").update(points=[[NAN, 0, 0]]),
    "point without end": lambda d: shape_of(d, "ball").update(points=[["-inf", 0, 0]]),
    "place shrinks": set_to(lambda d: shape_of(d, "ball"), "place", 0, 0, 0.5),
    "place is projective": set_to(lambda d: shape_of(d, "ball"), "place", 3, [0.0, 0.0, 0.0, 2.0]),
    "place forgets where": set_to(lambda d: shape_of(d, "ball"), "place", 3, [0.0, 0.0, 0.0, 0.0]),
    "place is no number": set_to(lambda d: shape_of(d, "ball"), "place", 0, 3, NAN),
    "quaternion of length zero": set_to(lambda d: model(d, "can")["links"][0], "at", [0, 0, 0, 0, 0, 0, 0]),
    "quaternion is no number": set_to(lambda d: model(d, "can")["links"][0], "at", [0, 0, 0, 0, 0, 0, NAN]),
    "axis of length zero": set_to(lambda d: model(d, "can")["links"][0], "axis", [0, 0, 0]),
    "link too far away": set_to(lambda d: model(d, "can")["links"][0], "at", ["-1e308", 0, 0, 0, 0, 0, 1]),
    "link infinitely far": set_to(lambda d: model(d, "can")["links"][0], "at", ["-inf", 0, 0, 0, 0, 0, 1]),
    "axis of one number": set_to(lambda d: model(d, "ball")["links"][0], "axis", [1.0]),
    "quaternion of five numbers": lambda d: model(d, "can")["links"][0]["at"].append(2.0),
    "turns by quaternions of no length": lambda d: model(d, "ball")["pieces"][0].__setitem__(
        slice(3, 7), [[1e-9 * c for c in entry] for entry in model(d, "ball")["pieces"][0][3:7]]
    ),
    "entry below zero": set_to(lambda d: model(d, "ball")["links"][-1], "entry", -1),
    "entry beyond all": set_to(lambda d: model(d, "ball")["links"][-1], "entry", 10**9),
    "joint of no kind": set_to(lambda d: model(d, "ball")["links"][-1], "joint", "helical"),
    "follows by no number": set_to(lambda d: model(d, "ball")["links"][0], "mimic", [NAN, 0.0]),
    "follows without end": set_to(lambda d: model(d, "ball")["links"][0], "mimic", ["inf", 0.0]),
    "entries missing": lambda d: model(d, "arm")["pieces"][0].pop(),
    "entries too many": lambda d: model(d, "arm")["pieces"][0].append([0.0]),
    "polynomial is a text": set_to(lambda d: model(d, "arm"), "pieces", 0, 0, "00"),
    "points of two numbers": lambda d: shape_of(d, "ball").update(points=[[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]),
    "asked by a number": lambda d: [m.update(asked=1) for m in d["models"]],
    "another margin of a link that there is not": lambda d: d["pairs"].append(["balls", "can", 1.0]),
    "polynomial of nothing": set_to(lambda d: model(d, "arm"), "pieces", 0, 0, []),
    "motion is no number": set_to(lambda d: model(d, "arm"), "pieces", 0, 0, [NAN]),
    "motion of no pieces": lambda d: (
        d["free"].clear(),
        [m.update(pieces=[], times=[5.0]) for m in d["models"] if m["asked"]],
    ),
    "motion goes too far": set_to(lambda d: model(d, "arm"), "pieces", 0, 0, [0.0, 1e300]),
    "motion jumps": lambda d: model(d, "ball")["pieces"].append([[9.0]] * len(model(d, "ball")["pieces"][0])),
    "moves unasked": set_to(lambda d: model(d, "ball"), "asked", False),
    "nothing asked": lambda d: [m.update(asked=False) for m in d["models"]],
    "tube below zero": lambda d: model(d, "arm").update(error=[-0.1, 0.0, 0.0]),
    "tube is no number": lambda d: model(d, "arm").update(error=[NAN, 0.0, 0.0]),
    "tube of too few": lambda d: model(d, "arm").update(error=[0.0]),
    "times stand": lambda d: [m.update(times=[1.0, 1.0]) for m in d["models"][::2]],
    "times are no numbers": lambda d: [m.update(times=[0.0, NAN]) for m in d["models"][::2]],
    "times without end": lambda d: [m.update(times=[0.0, "inf"]) for m in d["models"][::2]],
    "one ends later": lambda d: model(d, "ball").update(times=[0.0, 2.0]),
    "joints left out": lambda d: model(d, "arm")["links"][-1]["joints"].pop(),
    "joint named twice": lambda d: (
        model(d, "arm")["links"][-1]["joints"].insert(0, "one"),
        model(d, "arm")["pieces"][0].insert(0, [2.0]),
    ),
    "mesh of another hash": lambda d: model(d, "arm")["links"][-1]["files"].update({"": "0" * 64}),
    "link named twice": lambda d: model(d, "can").update(name="ball"),
    "shape numbered twice": lambda d: d["shapes"].__setitem__(1, d["shapes"][0]),
    "stretch left out": lambda d: d["free"].clear(),
    "stretch too many": lambda d: d["free"].append(d["free"][0]),
    "words missing": lambda d: d["free"].__setitem__(0, d["free"][0].rsplit(" ", 1)[0]),
    "words too many": lambda d: d["free"].__setitem__(0, d["free"][0] + " x"),
    "no time but another entry is halved": lambda d: d["free"].__setitem__(0, "/1 " + d["free"][0]),
    "an entry from the end is halved": lambda d: d["free"].__setitem__(0, "/-1 " + d["free"][0]),
    "no direction": lambda d: d["free"].__setitem__(0, ". " + "0 0 0 " * 9),
    "a direction without end": lambda d: d["free"].__setitem__(0, f". {'9' * 400} 0 0 " + "x " * 9),
    "a part of no shape": lambda d: d["free"].__setitem__(0, d["free"][0].replace(". ", ". < ", 1)),
    "what the world carries is swept": lambda d: d["free"].__setitem__(0, d["free"][0].replace(". ", ". ( ", 1)),
    "touching instead of apart": lambda d: d["free"].__setitem__(0, ". " + "= " * 9),
}  # fmt: skip


@pytest.mark.parametrize("what", FORGED)
def test_a_forged_proof_of_freedom_is_refused(what: str, free: dict, arm: Robot) -> None:
    assert accepts(free, files(arm))
    wrong = copy.deepcopy(free)
    FORGED[what](wrong)
    assert wrong != free
    assert not accepts(wrong, files(arm))


def test_quaternions_of_any_length_stand_for_the_turn_that_they_have(free: dict, arm: Robot) -> None:
    longer = copy.deepcopy(free)
    at = model(longer, "can")["links"][0]["at"]
    at[3:] = [3.0 * v for v in at[3:]]
    assert accepts(longer, files(arm))


def test_a_body_does_not_jump_from_one_orientation_to_another() -> None:
    """Of quaternions that are next to nothing any two are as near to each other as no jump is."""
    bar, ball = Body(Box((1.0, 0.1, 0.1)), name="bar"), Body(Sphere(0.1), (0, 0.4, 0), name="ball")
    turned = [pose(quaternion_xyzw=q) for q in ((0, 0, 0, 1.0), (0, 0, 1e-3, 1.0))]
    data = json.loads(json.dumps(Scene(bar, ball).prove(bar.follow(turned)).data))
    assert accepts(data)
    for size, jump in ((1.0, 0.0), (1.0, 1e-9), (1.0, np.pi), (1e-7, 0.0), (1e-7, np.pi)):
        (piece,), twice = model(data, "bar")["pieces"], copy.deepcopy(data)
        stands = [sum(entry) for entry in piece]
        half = [math.sin(0.5 * jump), math.cos(0.5 * jump)]
        then = [*stands[:5], stands[5] * half[1] + stands[6] * half[0], stands[6] * half[1] - stands[5] * half[0]]
        pieces = [[[v] for v in stands], [[v] for v in then]]
        for entries in pieces:
            entries[3:7] = [[size * v for v in entry] for entry in entries[3:7]]
        model(twice, "bar")["pieces"], twice["free"] = pieces, [". y", ". y"]
        assert accepts(twice) == (size == 1.0 and jump < 1e-6)


def test_what_follows_a_follower_is_not_moved_by_a_forger(tmp_path: Path) -> None:
    """Entries are of the joints that move on their own: one that follows another has none, whoever follows it."""
    path = tmp_path / "chain.urdf"
    links = "".join(link(name, '<sphere radius="0.05"/>') for name in "abcd")
    joints = joint("one", "a", "b", 1.0) + joint("two", "b", "c", 1.0) + joint("three", "c", "d", 1.0)
    for name, master in (("two", "one"), ("three", "two")):
        joints = joints.replace(
            f'<joint name="{name}" type="revolute">', f'<joint name="{name}" type="revolute"><mimic joint="{master}"/>'
        )
    path.write_text(f'<robot name="chain">{links}{joints}</robot>')
    item = {"files": {"": hashlib.sha256(path.read_bytes()).hexdigest()}, "geometry": "collision", "parent": ""}
    said = {"name": "chain", "asked": True, "pieces": [[[0.0], [0.0]]], "links": [{**item, "joints": ["one", "two"]}]}
    shapes = [[f"chain/{name}", 0] for name in "abcd"]
    data = {"format": "tocsin proof", "version": 3, "claim": "free", "margin": 0.0, "models": [said], "pairs": []}
    assert not accepts({**data, "shapes": shapes, "free": [". z z z z z z"]}, {"chain": path})
    path.write_text(path.read_text().replace('<mimic joint="two"/>', '<mimic joint="one"/>'))
    item["files"][""] = hashlib.sha256(path.read_bytes()).hexdigest()
    said.update(pieces=[[[0.0]]], links=[{**item, "joints": ["one"]}])
    assert accepts({**data, "shapes": shapes, "free": [". z z z z z z"]}, {"chain": path})


def test_a_mesh_that_is_grown_is_larger() -> None:
    """A radius beside triangles counts: nothing that a file says of a shape is dropped."""
    sheet = trimesh.Trimesh([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)])
    data = json.loads(
        json.dumps(Scene(Body(sheet, name="sheet"), Body(Sphere(0.1), (0, 0, 0.3), name="ball")).prove().data)
    )
    assert accepts(data)
    for size in ("radius", "ring"):
        for much, fits in ((0.1, True), (0.25, size == "ring")):
            grown = copy.deepcopy(data)
            shape_of(grown, "sheet")[size], grown["free"] = much, [". z"]
            assert accepts(grown) == fits


def told(d: dict, verdict: str) -> dict:
    return next(said for said in d["links"] if said["verdict"] == verdict)


FORGED_MATRIX = {
    "pair spoken of twice": lambda d: d["links"].append(d["links"][0]),
    "pair spoken of the other way around": lambda d: d["links"].append(
        {**d["links"][0], "links": d["links"][0]["links"][::-1]}
    ),
    "verdict of no kind": lambda d: told(d, "never").update(verdict="adjacent"),
    "never where they touch": lambda d: told(d, "sometimes").update(verdict="never", tree=". 0 0 1"),
    "always by a witness": lambda d: told(d, "sometimes").update(verdict="always", tree="="),
    "witness of too few": lambda d: told(d, "sometimes")["witness"].pop(),
    "witness beyond the limits": lambda d: told(d, "sometimes")["witness"].__setitem__(0, 0.6),
    "witness is no number, where it does not matter": lambda d: told(d, "sometimes")["witness"].__setitem__(0, NAN),
    "tolerance is no number": lambda d: told(d, "sometimes").update(tolerance=NAN),
    "tolerance without end": lambda d: told(d, "sometimes").update(tolerance="inf"),
    "points of other links": lambda d: told(d, "sometimes")["contacts"][0].update(shapes=[0, 1]),
    "no points": lambda d: told(d, "sometimes").update(contacts=[]),
    "point beside its shape": lambda d: told(d, "sometimes")["contacts"][0]["points"][0].__setitem__(2, [9.0, 0, 0]),
    "point beside it by no number": lambda d: told(d, "sometimes")["contacts"][0]["points"][0].__setitem__(
        2, [NAN, 0, 0]
    ),
    "weights below zero": lambda d: told(d, "sometimes")["contacts"][0]["points"][0].__setitem__(1, [-1.0]),
    "a robot that moves": lambda d: d["models"][0]["pieces"].append(d["models"][0]["pieces"][0]),
}


@pytest.mark.parametrize("what", FORGED_MATRIX)
def test_a_forged_matrix_is_refused(what: str, matrix: dict, arm: Robot) -> None:
    assert accepts(matrix, files(arm))
    wrong = copy.deepcopy(matrix)
    FORGED_MATRIX[what](wrong)
    assert wrong != matrix
    assert not accepts(wrong, files(arm))


def test_within_what_links_touch_is_said(matrix: dict, arm: Robot) -> None:
    """With a tolerance of metres everything touches: whoever reads the verdict sees it."""
    wide = copy.deepcopy(matrix)
    told(wide, "sometimes")["tolerance"] = 5.0
    assert "(within margin and 5 m)" in str(checker.check(wide, files(arm)))


def test_within_which_margin_links_touch_is_said(matrix: dict, arm: Robot) -> None:
    """With a margin of their own two links "always" touch from any distance: the file's one is not all that is said."""
    wide = copy.deepcopy(matrix)
    said = told(wide, "never")
    a, b = said["links"]
    k = {tuple(shape): number for number, shape in enumerate(wide["shapes"])}
    corners = [[0], [1.0], [0.0, 0.0, 0.0]]
    said.update(verdict="always", tree="=", contacts=[{"shapes": sorted((k[a, 0], k[b, 0])), "points": 2 * [corners]}])
    wide["pairs"] = [pair for pair in wide["pairs"] if {*pair[:2]} != {a, b}] + [[a, b, 70.0]]
    said["tolerance"] = 0.001
    assert "(70 m for some pairs)" in str(checker.check(wide, files(arm)))
    assert "for some pairs" not in str(checker.check(matrix, files(arm)))


def test_what_stands_and_is_not_asked_about_is_counted_aloud(free: dict, arm: Robot) -> None:
    assert "standing" not in str(checker.check(free, files(arm)))
    still = copy.deepcopy(free)
    for name in ("arm", "can"):
        model(still, name).update(asked=False, pieces=[[entry[:1] for entry in model(still, name)["pieces"][0]]])
    still["free"] = [". " + "y " * 5]
    assert "; not asked about: 10 standing;" in str(checker.check(still, files(arm)))


def test_thousands_of_links_are_refused_at_once(free: dict, arm: Robot) -> None:
    many, link = copy.deepcopy(free), model(free, "can")["links"][0]
    model(many, "can")["links"] += [{**link, "name": f"l{k}", "parent": "l0", "shapes": []} for k in range(100_000)]
    with pytest.raises(checker.Refused, match="more than 3,000 links"):
        checker.check(many, files(arm))


def test_a_robot_whose_file_was_given_and_not_read_is_said_aloud(free: dict, arm: Robot) -> None:
    spelled = copy.deepcopy(free)
    assert "NOT READ" not in str(checker.check(spelled, files(arm)))
    for name in ("can", "nobody"):
        said = str(checker.check(spelled, {**files(arm), name: files(arm)["arm"]}))
        assert f"{name}: THE FILE THAT WAS GIVEN OF IT IS NOT READ" in said


def test_ignored_pairs_and_smaller_margins_are_counted_aloud(free: dict, arm: Robot) -> None:
    less = copy.deepcopy(free)
    less["margin"] = 0.01
    less["pairs"].append(["ball", "can", 0.0])
    verdict = str(checker.check(less, files(arm)))
    assert "0 m for some pairs" in verdict
    fewer = copy.deepcopy(free)
    fewer["pairs"] = [["can", name, "ignored"] for name in ("ball", "arm/base", "arm/upper", "arm/tip", "arm/end")]
    assert not accepts(fewer, files(arm)), "the words are of pairs that are not asked about any more"

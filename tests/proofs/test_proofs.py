"""Every answer gets a proof, every proof is accepted, and whatever is changed in one is noticed."""

import copy
import functools
import gzip
import json
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

import tocsin
from tocsin import Body, Box, Capsule, ConvexHull, Cylinder, Deformable, Robot, Scene, Sphere, TocsinError
from tocsin.proofs.prove import Proof

from .verdicts import accepts, checker

BALL = trimesh.creation.icosphere(subdivisions=2, radius=0.3)


def pose(rng: np.random.Generator, size: float = 1.5) -> np.ndarray:
    out = np.eye(4)
    out[:3, :3] = Rotation.from_quat(rng.normal(size=4)).as_matrix()
    out[:3, 3] = rng.uniform(-size, size, 3)
    return out


def shape(rng: np.random.Generator) -> object:
    return [
        Box((0.2, 0.3, 0.4)), Cylinder(0.2, 0.5), Sphere(0.3), Capsule(0.1, 0.6),
        ConvexHull(rng.normal(size=(12, 3)) * 0.3), (BALL.vertices, BALL.faces),
    ][rng.integers(6)]  # fmt: skip


def drawn(seed: int) -> tuple[Scene, list[tocsin.Motion], float]:
    """A scene of three bodies, of which one or two move through a few poses."""
    rng = np.random.default_rng(seed)
    a, b, c = (Body(shape(rng), pose(rng, 1.0), name=name) for name in "abc")
    motions = [a.follow([pose(rng) for _ in range(rng.integers(2, 5))])]
    if rng.random() < 0.6:
        motions.append(b.follow([pose(rng) for _ in range(rng.integers(2, 5))]))
    return Scene(a, b, c), motions, float(rng.choice([0.0, 0.0, 0.05]))


def verdict(proof: Proof, tmp_path: Path, files: dict[str, Path] | None = None) -> str:
    proof.save(tmp_path / "p.proof")
    return checker.check(checker.read_proof(tmp_path / "p.proof"), files or {}).claim


@pytest.mark.parametrize("seed", range(40))
def test_every_answer_gets_a_proof_that_is_accepted(seed: int, tmp_path: Path) -> None:
    scene, motions, margin = drawn(seed)
    proof = scene.prove(*motions, margin=margin)
    assert (proof.claim == "free") == scene.is_free(*motions, margin=margin)
    assert verdict(proof, tmp_path) == proof.claim


URDF = """<robot name="arm">
  <link name="base"><collision><geometry><box size="0.3 0.3 0.1"/></geometry></collision></link>
  <link name="upper"><collision><origin xyz="0 0 0.3" rpy="0.1 0.2 0.3"/><geometry><mesh filename="bar.obj" scale="0.5
  0.5 1"/></geometry></collision></link> <link name="frame"/> <link name="fore"><collision><origin xyz="0 0
  0.2"/><geometry><cylinder radius="0.05" length="0.4"/></geometry></collision></link> <link
  name="slide"><collision><geometry><sphere radius="0.06"/></geometry></collision></link> <link
  name="twin"><collision><origin xyz="0.2 0 0"/><geometry><sphere radius="0.04"/></geometry></collision></link> <joint
  name="turn" type="continuous"><origin xyz="0 0 0.1"/><parent link="base"/><child link="upper"/><axis xyz="0 0
  1"/></joint> <joint name="fixed" type="fixed"><origin xyz="0 0 0.6" rpy="0 0.5 0"/><parent link="upper"/><child
  link="frame"/></joint> <joint name="bend" type="revolute"><origin rpy="0.3 0 0"/><parent link="frame"/><child
  link="fore"/><axis xyz="1 1 0"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint> <joint name="push"
  type="prismatic"><origin xyz="0 0 0.5"/><parent link="fore"/><child link="slide"/><axis xyz="0 0 2"/><limit lower="0"
  upper="1" effort="1" velocity="1"/></joint> <joint name="also" type="revolute"><parent link="slide"/><child
  link="twin"/><axis xyz="0 1 0"/><limit lower="-9" upper="9" effort="1" velocity="1"/><mimic joint="bend"
  multiplier="-1.5" offset="0.25"/></joint>
</robot>"""


@pytest.fixture
def arm(tmp_path: Path) -> Robot:
    trimesh.creation.capsule(height=0.5, radius=0.08, count=(12, 12)).export(tmp_path / "bar.obj")
    (tmp_path / "arm.urdf").write_text(URDF)
    return Robot.from_urdf(tmp_path / "arm.urdf")


@pytest.mark.parametrize("seed", range(12))
def test_a_robot_is_checked_from_its_own_files(seed: int, arm: Robot, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    wall = Body(Box((0.1, 2.0, 2.0)), (rng.uniform(0.5, 1.3), 0, 0), name="wall")
    post = Body((BALL.vertices, BALL.faces), (-rng.uniform(0.5, 1.3), 0.2, 0.6), name="post")
    scene = Scene(arm, wall, post)
    q0, q1 = (np.array([rng.uniform(-6, 6), rng.uniform(-2, 2), rng.uniform(0, 0.4)]) for _ in range(2))
    proof = scene.prove(arm.move(q0, q1), margin=0.01)
    assert verdict(proof, tmp_path, {"arm": tmp_path / "arm.urdf"}) == proof.claim
    assert (proof.claim == "free") == scene.is_free(arm.move(q0, q1), margin=0.01)


def test_a_robot_that_was_changed_is_another_one(arm: Robot, tmp_path: Path) -> None:
    scene = Scene(arm, Body(Sphere(0.1), (3, 0, 0), name="far"))
    proof = scene.prove(arm.move([0, 0, 0], [1, 0.5, 0.1]))
    files = {"arm": tmp_path / "arm.urdf"}
    assert verdict(proof, tmp_path, files) == "free"
    with pytest.raises(checker.Refused, match="--robot arm=FILE"):
        verdict(proof, tmp_path)
    (tmp_path / "other.urdf").write_text(URDF.replace("0.06", "0.07"))
    with pytest.raises(checker.Refused, match="another file"):
        verdict(proof, tmp_path, {"arm": tmp_path / "other.urdf"})


def close_call() -> tuple[Scene, tocsin.Motion]:
    """A mesh turns past a box in a narrow gap: its proof has directions, halved times and halved parts."""
    ring = trimesh.creation.torus(0.4, 0.1, major_sections=24, minor_sections=12)
    a = Body((ring.vertices, ring.faces), name="ring")
    rod = Body(Box((0.15, 0.15, 2.0)), name="rod")
    t0, t1 = np.eye(4), np.eye(4)
    t0[:3, 3], t1[:3, 3] = (0, 0, -0.6), (0.05, 0, 0.6)
    t1[:3, :3] = Rotation.from_rotvec([0.2, 0.1, 1.0]).as_matrix()
    return Scene(a, rod), a.move(t0, t1)


def test_a_proof_through_a_ring_halves_times_and_parts() -> None:
    scene, motion = close_call()
    data = scene.prove(motion).data
    (text,) = data["free"]
    assert accepts(json.loads(json.dumps(data)))
    assert text.count("<") > 3
    assert "/" in text


@pytest.mark.parametrize("seed", range(60))
def test_a_proof_that_is_changed_is_refused(seed: int) -> None:
    """Each change makes the claim false or leaves a pair or a moment without a word."""
    rng = np.random.default_rng(seed)
    scene, motion = close_call()
    data = json.loads(json.dumps(scene.prove(motion).data))
    words = data["free"][0].split()
    places = [k for k, w in enumerate(words) if w.lstrip("-").isdigit()]
    change = seed % 6
    if change == 0:  # a direction is turned around
        k = places[3 * rng.integers(len(places) // 3)]
        words[k : k + 3] = [str(-int(w)) for w in words[k : k + 3]]
    elif change == 1:  # a word is lost
        del words[rng.integers(len(words))]
    elif change == 2:  # nothing is said about the pair
        words = ["."]
    elif change == 3:  # more is claimed than the gap is
        data["margin"] = 0.4
    elif change == 4:  # the motion is another one
        data["models"][0]["pieces"][0][0][1] = float(rng.choice([-0.5, 0.5, 0.35]))
    else:  # the rod is thicker
        data["models"][1]["links"][0]["shapes"][0]["points"][rng.integers(8)][rng.integers(2)] *= 6.0
    data["free"][0] = " ".join(words)
    assert not accepts(data)


MOST_CALLS = 100_000
"""Of functions, until a lie is refused: some tens of milliseconds, and no clock that a busy machine holds up."""


def calls_of(act: Callable[[], object]) -> int:
    """Return how many functions are called until it is done."""
    called = 0

    def count(_frame: object, event: str, _of: object) -> None:
        nonlocal called
        called += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        act()
    finally:
        sys.setprofile(None)
    return called


def refused(path: Path) -> None:
    """See that a file is refused in one sentence."""
    with pytest.raises(checker.Refused) as told:
        checker.check(checker.read_proof(path), {})
    assert 0 < len(str(told.value)) <= 1000
    assert "\n" not in str(told.value)


def test_a_file_that_lies_gets_a_sentence(tmp_path: Path) -> None:
    scene, motion = close_call()
    proof = scene.prove(motion)
    good = proof.to_bytes()
    files = {
        "cut": good[: len(good) // 2],
        "spoilt": good[:40] + bytes(255 - b for b in good[40:80]) + good[80:],
        "text": b"hello",
        "bomb": b"[" * 100_000,
        "other": json.dumps({**proof.data, "version": 2}).encode(),
        "less": json.dumps({k: v for k, v in proof.data.items() if k != "free"}).encode(),
        "nested": json.dumps({**proof.data, "free": ["/ " * 100_000]}).encode(),
        "counts": json.dumps({**proof.data, "free": [f". {'1 ' * 3_000_000}"]}).encode(),
        "digits": json.dumps({**proof.data, "free": [". " + "9" * 5_000 + " 1 1"]}).encode(),
        "many": json.dumps({**proof.data, "free": ["."] * 100_000}).encode(),
        "shapes": json.dumps({**proof.data, "shapes": [["ring", k] for k in range(20_000)]}).encode(),
        "packed": gzip.compress(b" " * (2**26 + 1), 1),
        "names": json.dumps({**proof.data, "said": {f"k{k}": 0 for k in range(400_000)}}).encode(),
    }
    for name, raw in files.items():
        (tmp_path / name).write_bytes(raw)
        called = calls_of(functools.partial(refused, tmp_path / name))
        assert called < MOST_CALLS, f"{name}: {called} calls"


def crowd(count: int) -> dict:
    """Balls in a row, each to be apart from all others, by words of which the first is wrong."""
    (ball,) = Scene(Body(Sphere(0.1), name="ball")).prove().data["models"]
    models = [{**copy.deepcopy(ball), "name": f"m{k}"} for k in range(count)]
    for k, one in enumerate(models):
        one["links"][0]["at"][0] = -float(k)
    data = Scene(Body(Sphere(0.1), name="ball")).prove().data
    words = ". " + "x " * (count * (count - 1) // 2)
    return {**data, "models": models, "shapes": [[f"m{k}", 0] for k in range(count)], "free": [words]}


def test_what_is_wrong_at_once_is_refused_before_the_rest_is_read(tmp_path: Path) -> None:
    """Of 300 balls there are 44,850 pairs, and as many words: neither is listed before the first leaf is looked at."""
    data = crowd(300)
    (tmp_path / "p.proof").write_text(json.dumps(data))
    proof = checker.read_proof(tmp_path / "p.proof")
    tracemalloc.start()
    try:
        with pytest.raises(checker.Refused, match="m0 and m1 are not apart"):
            checker.check(proof, {})
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 8_000_000, "bytes; the pairs and words in lists are 20 million"
    data["models"] = data["models"][::-1]
    data["shapes"] = data["shapes"][::-1]
    assert accepts(json.loads(json.dumps(data)))


@pytest.mark.parametrize("what", ["links", "shapes", "pieces", "entries"])
def test_what_is_too_much_is_refused_before_it_is_read(what: str) -> None:
    data = json.loads(json.dumps(crowd(2)))
    model = data["models"][0]
    link = model["links"][0]
    if what == "links":
        model["links"] += [{**link, "name": f"l{k}", "shapes": []} for k in range(6_000)]
    elif what == "shapes":
        link["shapes"] *= 6_001
    elif what == "pieces":
        model["pieces"] *= 2**16 + 1
    else:
        link.update(joint="prismatic", entry=10_000)

    def check() -> None:
        with pytest.raises(checker.Refused, match=r"more than 3,000|more than 65,536 pieces|no entry"):
            checker.check(data, {})

    assert calls_of(check) < MOST_CALLS


def test_shapes_and_pairs_cannot_be_left_out() -> None:
    scene, motion = close_call()
    data = json.loads(json.dumps(scene.prove(motion).data))
    for change in (
        lambda d: d["models"].pop(1),
        lambda d: d["shapes"].pop(1),
        lambda d: d["models"].append(copy.deepcopy(d["models"][1])),
        lambda d: d["pairs"].append(["ring", "rod", "adjacent"]),
        lambda d: d["free"].__setitem__(0, "="),
        lambda d: d["free"].__setitem__(0, ""),
        lambda d: d["models"][1]["links"][0]["shapes"][0]["place"][0].__setitem__(0, 5.0),
        lambda d: d["models"][0].__setitem__("asked", "no") or d["free"].clear(),
    ):
        wrong = copy.deepcopy(data)
        change(wrong)
        assert not accepts(wrong)


@pytest.mark.pure
def test_an_engine_that_is_wrong_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that drops what a parabola leaves out "proves" turns that are no parabolas; the checker refuses."""
    from tocsin.compiler.jit import PURE_PYTHON
    from tocsin.proofs import search

    if not PURE_PYTHON:
        pytest.skip("kernels can be replaced only where they are Python: NUMBA_DISABLE_JIT=1")
    monkeypatch.setattr(search, "peaks", lambda *_: (0.0,) * 7)
    rod, post = Body(Box((2.0, 0.02, 0.02)), name="rod"), Body(Sphere(0.05), (0.0, 1.1, 0), name="post")
    turned = np.eye(4)
    turned[:3, :3] = Rotation.from_rotvec([0, 0, 3.1]).as_matrix()
    assert not accepts(json.loads(json.dumps(Scene(rod, post).prove(rod.move(np.eye(4), turned)).data)))


def test_what_is_not_covered_is_refused_by_name() -> None:
    solid = Body((BALL.vertices, BALL.faces), solid=True, name="lump")
    scene = Scene(solid, Body(Sphere(0.1), (2, 0, 0), name="ball"))
    with pytest.raises(TocsinError, match="solid=True"):
        scene.prove(solid.move(np.eye(4), np.eye(4)))
    cloth = Deformable(BALL.vertices, BALL.faces, name="cloth")
    ball = Body(Sphere(0.1), (2, 0, 0), name="ball")
    with pytest.raises(TocsinError, match="'cloth' is deformable: it has no certificates"):
        Scene(cloth, ball).prove(ball.move(np.eye(4), np.eye(4)))

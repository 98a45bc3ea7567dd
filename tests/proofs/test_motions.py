"""Proofs of every rigid motion: on a clock, on curves, on screws, in tubes, of every kind of joint."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from tocsin_bench.campaigns.proof_questions import drawn

from .verdicts import accepts, checker


@pytest.mark.parametrize("seed", range(24))
def test_every_motion_of_every_joint_gets_a_proof_that_is_accepted(seed: int, tmp_path: Path) -> None:
    scene, motions, margin = drawn(np.random.default_rng([seed, 1]))
    proof = scene.prove(*motions, margin=margin)
    assert (proof.claim == "free") == scene.is_free(*motions, margin=margin)
    proof.save(tmp_path / "p.proof")
    assert checker.check(checker.read_proof(tmp_path / "p.proof"), {}).claim == proof.claim


def ball(name: str, slides: bool, curve: list[float]) -> dict:
    """A ball that slides along x, or stands on it."""
    link = {
        "name": "", "parent": "", "joint": "prismatic" if slides else "fixed", "axis": [1, 0, 0], "entry": 0,
        "at": [0 if slides else curve[0], 0, 0, 0, 0, 0, 1], "mimic": [1, 0],
        "shapes": [{"place": np.eye(4).tolist(), "points": [[0, 0, 0]], "radius": 0.1}],
    }  # fmt: skip
    return {"name": name, "links": [link], "asked": slides, "pieces": [[curve] if slides else []]}


def by_hand(tree: str, curve: list[float]) -> dict:
    """The example of docs/proofs.md: a ball on a curve before a ball that stands."""
    return {
        "format": "tocsin proof", "version": 3, "claim": "free", "margin": 0.0, "pairs": [],
        "models": [ball("a", True, curve), ball("b", False, [1.5])], "shapes": [["a", 0], ["b", 0]],
        "free": [f". {tree}"], "contact": {}, "links": [],
    }  # fmt: skip


def test_the_example_by_hand_is_checked_as_the_docs_say() -> None:
    curve = [0, 0, 3, -2]
    assert not accepts(by_hand("1 0 0", curve))
    assert accepts(by_hand("/ 1 0 0 1 0 0", curve))
    assert not accepts(by_hand("/ 1 0 0 1 0 0", [0, 0, 4, -2]))  # ends at 2, through the other
    assert not accepts(by_hand("/ 1 0 0 / 1 0 0", curve))


def test_what_moves_is_asked_about_and_says_all_its_entries() -> None:
    data = by_hand("/ 1 0 0 1 0 0", [0, 0, 3, -2])
    assert accepts(data)
    data["models"][0]["asked"], data["models"][1]["asked"] = False, True
    assert not accepts(data)
    flat = by_hand("1 0 0", [0, 0.5])
    assert accepts(flat)
    for pieces in ([[]], [], [[[0, 5.0]]], [[[0, 0.5], [0]]], [[[]]], [[[0, 0.5]], [[1.0]]]):
        flat["models"][0]["pieces"] = pieces
        assert not accepts(flat)


@pytest.mark.parametrize("leaf", ["x", "1 0 0", "@ 0 1 0 0", "@ 1 1 0 0"])
def test_a_direction_may_stand_in_the_frame_of_any_link_between(leaf: str) -> None:
    """Of balls that do not turn all frames have the same axes; what is seen from one that moves, moves."""
    assert accepts(by_hand(f"/ {leaf} {leaf}", [0, 0, 3, -2]))
    assert not accepts(by_hand(f"/ {leaf} {leaf}", [0, 0, 4, -2]))


@pytest.mark.parametrize("seed", range(8))
def test_the_checker_places_links_where_they_are_and_bounds_what_a_parabola_leaves_out(seed: int) -> None:
    """Its jets against poses of the motion, its remainders against samples; all joints, on curves and straight."""
    from tocsin_checker.check import Check
    from tocsin_checker.motion import Slabs

    scene, motions, margin = drawn(np.random.default_rng([seed, 2]))
    motion = next(m for m in scene.context.on_clock(tuple(motions)) if m.model is scene.models[0])
    examined = Check(scene.prove(*motions, margin=margin).data)
    examined.read({})
    first, last = examined.stretches[0][0], examined.stretches[-1][1]
    rng = np.random.default_rng(seed)
    for begin, end in examined.stretches:
        m, tau = 2 * int(rng.integers(4)) + 1, 0.125
        slab = ((m / 8 - tau, m / 8 + tau),)
        slabs = Slabs(examined, *examined.stretch(begin, end), range(len(examined.links)), [slab])
        shape = int(rng.integers(len([i for i, _ in examined.shapes if examined.of[i] is examined.models[0]])))
        link, part = examined.shapes[shape]
        t, t1, t2 = slabs.rows([link], [-1], [0])[0][0]
        most = slabs.left(*slabs.rows([link], [-1], [0]), None, part.sizes[None])[0]
        points = np.c_[part.points, np.ones(len(part.points))]
        for s in rng.uniform(-tau, tau, 12):
            at = (begin + (end - begin) * (Fraction(m, 8) + Fraction(float(s))) - first) / (last - first)
            name, share = examined.links[link].name, s / tau
            pose = motion.link_poses(float(at))[motion.model.link_names.index(name) if name else 0]
            off = np.linalg.norm(points @ (pose[:3] - (t + share * t1 + share * share * t2)).T, axis=1).max()
            assert off <= most + 1e-12
        moment = Slabs(examined, *examined.stretch(begin, end), range(len(examined.links)), [((m / 8, m / 8),)])
        left = moment.left(*moment.rows([link], [-1], [0]), None, part.sizes[None])[0]
        assert left < 1e-10  # nothing but what may be rounded

"""Every question about one motion tells one story; and the judge notices where they would not."""

import dataclasses
import math

import numpy as np
import pytest

from tocsin.results import FirstContact, Status
from tocsin_bench.campaigns import stories, stories_drawn, stories_scenes, stories_tellers, stories_truth
from tocsin_bench.campaigns.stories_claims import Apart, Claims, Near
from tocsin_bench.oracles import shapes


@pytest.fixture(scope="module")
def met():
    """A story with a contact in the middle, and what is true of it at some times."""
    for index in range(400):
        story = stories_drawn.random_story(3, index)
        told = stories_scenes.told(story)
        if any(actor.kind == "cloth" for actor in story.actors):
            continue
        hit = told.scene.first_contact(*told.motions, margin=story.margin, tolerance=story.tolerance)
        if hit.status is Status.CONTACT and 0.2 < hit.time < 0.8:
            truth = stories_truth.Truth(story, told)
            times = np.unique([*stories.GRID, hit.time, hit.time / 2])
            if any(m.touch[times > hit.time].any() for m in truth.measure(times)[0].values()):
                return story, hit, times, truth
    raise AssertionError("no such story")


def judged(met, add):
    """Return who is contradicted once `add` has added its claims."""
    story, _, times, truth = met
    claims = Claims(story.margin)
    add(claims)
    return claims.contradictions(times, *truth.measure(times), truth.slack)


def test_a_right_answer_is_not_contradicted(met):
    assert judged(met, lambda claims: claims.hit("right", met[1])) == []


def test_a_contact_that_was_missed_is_a_contradiction(met):
    free = FirstContact(Status.FREE, math.inf)
    ((who, said),) = judged(met, lambda claims: claims.hit("missed", free))
    assert who == "missed"
    assert "but at" in said


def test_a_contact_that_comes_late_is_a_contradiction(met):
    late = dataclasses.replace(met[1], time=1.0)
    assert "missed" in [who for who, _ in judged(met, lambda claims: claims.hit("missed", late))]


def test_a_contact_where_nothing_is_near_is_a_contradiction(met):
    early = dataclasses.replace(met[1], time=met[1].time / 2, tolerance=1e-9)
    assert "alarm" in [who for who, _ in judged(met, lambda claims: claims.hit("alarm", early))]


def test_a_reverse_that_is_free_is_a_contradiction(met):
    free = FirstContact(Status.FREE, math.inf)
    assert judged(met, lambda claims: claims.hit("reversed", free, at=1.0, rate=-1.0))


def test_no_where_a_wider_margin_is_free_is_a_contradiction():
    claims = Claims(0.0, [Apart("wider", 0.0, 1.0, 0.5)], [Near("is_free", None, 0.1)])
    assert claims.contradictions(np.array([0.0]), {}, {}, 1e-9)[0][0] == "is_free-wider"


def test_a_difference_within_the_tolerance_is_none():
    claims = Claims(0.0, [Apart("a", 0.0, 1.0, 0.0)], [Near("b", 0.5, 0.1)])
    gap = stories_truth.Measured(np.array([0.05]), np.array([0.06]), np.array([False]))
    assert claims.contradictions(np.array([0.5]), {frozenset("ab"): gap}, {}, 1e-9) == []


def test_what_is_measured_is_what_the_slow_oracle_measures():
    """Shapes of all kinds, by separating axes and features here, triangle by triangle there; prisms bound cylinders."""
    dice = stories_drawn.Dice(np.random.default_rng(5), 0.3)
    slow = {"sphere": shapes.sphere, "capsule": shapes.capsule, "cylinder": shapes.cylinder}
    touching = 0
    for _ in range(60):
        parts = [dice.part() for _ in range(2)]
        poses = [dice.pose(0.75), dice.pose(0.75)]
        placed = [
            [
                stories_truth.Placed(core, (core.vertices @ pose[:3, :3].T + pose[:3, 3])[None])
                for core in stories_truth.cores_of(part)
            ]
            for part, pose in zip(parts, poses)
        ]
        inner, outer = zip(*placed)
        found = stories_truth.measured(inner, outer, np.array([1e-11]))
        true = []
        for part in parts:
            if part.kind in slow:
                true.append(slow[part.kind](*part.size))
            elif part.kind in ("mesh", "sheet"):
                mesh = part.shape()
                true.append(shapes.mesh(mesh.vertices, mesh.faces))
            else:
                core = stories_truth.cores_of(part)[0]
                true.append(shapes.mesh(core.vertices, core.faces, solid=True))
        distance = shapes.distance(true[0], poses[0], true[1], poses[1])
        assert found.lower[0] - 1e-9 <= distance <= found.upper[0] + 1e-9
        assert not found.touch[0] or distance <= 1e-9
        touching += bool(found.touch[0])
    assert 5 < touching < 55


@pytest.mark.parametrize(
    ("kind", "size"), [("box", (0.5, 2.0, 2.0)), ("sheet", (2.0, 1.0, 1.0)), ("cylinder", (0.5, 1.0))]
)
def test_a_ball_above_a_diagonal_is_as_far_as_it_is_high(kind, size):
    """A foot on the side of two triangles in one plane may be rounded out of both."""
    rng = np.random.default_rng(8)
    ball = stories_truth.cores_of(stories_scenes.Part("sphere", (0.25,), np.eye(4)))[0]
    for core in stories_truth.cores_of(stories_scenes.Part(kind, size, np.eye(4))):
        p, f = core.vertices, core.faces
        normals = stories_truth._units(np.cross(p[f[:, 1]] - p[f[:, 0]], p[f[:, 2]] - p[f[:, 0]]))
        sides = [(a, b, n) for (x, y, z), n in zip(f.tolist(), normals) for a, b in ((x, y), (y, z), (z, x))]
        feet = np.array([p[a] + s * (p[b] - p[a]) + 0.5 * n for a, b, n in sides for s in np.arange(1, 32) / 32])
        turns = np.linalg.qr(rng.standard_normal((len(feet), 3, 3)))[0]
        turns *= np.sign(np.linalg.det(turns))[:, None, None]
        turns[::2] = np.eye(3)
        core = stories_truth.Placed(core, p @ turns.transpose(0, 2, 1))
        other = stories_truth.Placed(ball, np.einsum("tij,tj->ti", turns, feet)[:, None])
        found = stories_truth.measured((core, other), (core, other), np.full(len(feet), 1e-11))
        np.testing.assert_allclose(found.lower, 0.25, atol=1e-9)
        np.testing.assert_allclose(found.upper, 0.25, atol=1e-9)


class Capped:
    """A scene whose lists end after one step."""

    def __init__(self, scene):
        self.scene = scene

    def contacts(self, *motions, **asked):
        return self.scene.contacts(*motions, **asked, max_steps=1)


@pytest.mark.filterwarnings("ignore::tocsin.MeshWarning")
def test_a_list_that_is_not_complete_does_not_claim_what_it_leaves_out():
    """It may leave out earlier contacts, too, and all of a pair; that it was capped is counted."""
    cut = 0
    for index in range(60):
        story = stories_drawn.random_story(3, index)
        told = stories_scenes.told(story)
        if all(actor.kind != "cloth" for actor in story.actors):
            continue
        told = dataclasses.replace(told, scene=Capped(told.scene))
        tale = stories_tellers.Tale(f"stories:3:{index}", story, told, Claims(story.margin), None)
        stories_tellers.ask_lists(tale)
        truth = stories_truth.Truth(story, told)
        measured = truth.measure(stories.GRID)
        assert tale.claims.contradictions(stories.GRID, *measured, truth.slack) == []
        cut += tale.claims.capped
    assert cut > 3


def test_a_story_is_told_again_by_its_name():
    tale, _ = stories.tell(3, 5)
    again, _ = stories.replay("stories:3:5:audit")
    assert stories_tellers.fingerprint(tale.first) == stories_tellers.fingerprint(again.first)


def test_a_hundred_stories_contradict_nothing():
    tally = stories.campaign(100, 21)
    assert tally.count == 100
    assert tally.contradictions == []
    assert min(tally.statuses[word] for word in ("free", "contact", "initial contact")) > 10


@pytest.mark.filterwarnings("ignore::tocsin.MeshWarning")
def test_a_strip_that_folds_onto_itself_is_judged_by_its_own_truth():
    """Whoever calls it free is refuted, and so is who calls two of its sides in touch before they are."""
    met = 0
    for index in range(9, 300, 10):
        story = stories_drawn.random_story(3, index)
        (strip, *others), told = story.actors, stories_scenes.told(story)
        assert strip.self_contact
        hit = told.scene.first_contact(*told.motions, margin=story.margin)
        if others or hit.status is not Status.CONTACT:
            continue
        met += 1
        truth = stories_truth.Truth(story, told)
        times = np.unique([*stories.GRID, hit.time, hit.time / 2])
        own = frozenset([frozenset([("a", "a")])])
        claims = Claims(story.margin)
        claims.apart.append(Apart("who calls it free", 0.0, 1.0, story.margin + 2 * hit.tolerance, pairs=own))
        claims.near.append(Near("who is early", hit.time / 2, story.margin, own))
        claims.hit("first_contact", hit)
        found = claims.contradictions(times, *truth.measure(times), truth.slack)
        assert {who for who, _ in found} == {"who calls it free", "who is early"}
    assert met > 2

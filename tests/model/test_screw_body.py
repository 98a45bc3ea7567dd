"""Bodies on screws: the chain of two joints is the screw motion, and questions about it keep their promises."""

import numpy as np
import pytest

import tocsin
from promise.scenes import at, box_mesh
from tocsin.model.screw_body import ScrewBody
from tocsin.motion.poses import link_poses
from tocsin.motion.screw_axis import Screw


def poses(rng, spread=1.5):
    return [at(*spread * rng.normal(size=3), rng.uniform(-180, 180, size=3)) for _ in range(2)]


def test_the_chain_of_two_joints_is_the_screw_motion():
    rng = np.random.default_rng(1)
    body = tocsin.Body(box_mesh(), name="a")
    carried = ScrewBody(body, "a")
    for _ in range(50):
        start, stop = poses(rng)
        motion = body.move(start, stop, kind="screw")
        screw = Screw.between(start, stop)
        for t in (0.0, 0.2, 0.9, 1.0):
            pose = screw.at(t) @ start
            assert np.abs(motion.link_poses(t)[0] - pose).max() < 1e-13
            row = tocsin.Motion.of(carried, motion.rows).row_at(t)
            assert np.abs(link_poses(carried.links, row)[1] - pose).max() < 1e-13


def test_a_screw_touches_when_it_does():
    rng = np.random.default_rng(2)
    a, b = tocsin.Body(box_mesh(), name="a"), tocsin.Body(box_mesh(), name="b")
    scene = tocsin.Scene(a, b)
    seen = set()
    for _ in range(60):
        motion = a.move(*poses(rng), kind="screw")
        hit = scene.first_contact(motion)
        seen.add(hit.status)
        assert scene.is_free(motion) == (hit.status is tocsin.Status.FREE)
        until = min(hit.time, 1.0)
        gaps = [scene.distance(a.at(motion.link_poses(t)[0])).distance for t in np.linspace(0.0, until, 30)]
        if hit.status is tocsin.Status.CONTACT:
            assert min(gaps[:-1]) > 0.0
            assert gaps[-1] <= hit.tolerance
            assert (hit.contacts[0].model_a, hit.contacts[0].link_b) == ("a", "b")
            assert np.allclose(a.at_contact(hit), motion.link_poses(hit.time)[0])
        elif hit.status is tocsin.Status.FREE:
            assert min(gaps) > 0.0
    assert len(seen) == 3


def test_a_full_screw_around_a_post_touches_where_a_straight_move_does_not():
    post = tocsin.Body(tocsin.Box((0.2, 0.2, 4.0)), at(0.0, 1.0), name="post")
    ball = tocsin.Body(tocsin.Sphere(0.1), name="ball")
    scene = tocsin.Scene(post, ball)
    ends = at(1.0, 0.0, 0.0), at(-1.0, 0.0, 0.5, (0, 0, 179))
    assert scene.is_free(ball.move(*ends))
    assert scene.first_contact(ball.move(*ends, kind="screw")).collides


def test_margins_and_ignored_pairs_count_on_screws_and_change_with_the_scene():
    a, b = tocsin.Body(tocsin.Sphere(1.0), name="a"), tocsin.Body(tocsin.Sphere(1.0), at(0, 0, 2.5), name="b")
    scene = tocsin.Scene(a, b)
    motion = a.move(at(3), at(-3, 0, 0, (0, 0, 90)), kind="screw")
    assert scene.is_free(motion)
    scene.margins["a", "b"] = 1.0
    assert not scene.is_free(motion)
    scene.ignore("a", "b")
    assert scene.is_free(motion)


def test_everything_may_move_in_its_own_way():
    a, b = tocsin.Body(tocsin.Sphere(1.0)), tocsin.Body(tocsin.Sphere(1.0))
    scene = tocsin.Scene(a, b)
    hit = scene.first_contact(a.move(at(-4), at(0, 0, 0, (0, 0, 30)), kind="screw"), b.move(at(4), at(0)))
    assert hit.status is tocsin.Status.CONTACT
    assert {hit.contacts[0].link_a, hit.contacts[0].link_b} == {"body-1", "body-2"}


def test_a_body_that_hardly_turns_goes_straight():
    body = tocsin.Body(tocsin.Sphere(1.0))
    assert body.move(at(0), at(1), kind="screw").rows.shape == (2, 7)
    assert body.move(at(0), at(1, 0, 0, (0, 0, 1e-5)), kind="screw").rows.shape == (2, 7)
    assert body.move(at(0), at(1, 0, 0, (0, 0, 1e-3)), kind="screw").rows.shape == (2, 14)


def test_an_unknown_kind_of_motion_is_refused():
    with pytest.raises(tocsin.TocsinError, match="'interpolating', 'screw'"):
        tocsin.Body(tocsin.Sphere(1.0)).move(at(0), at(1), kind="spiral")


def test_distance_is_no_question_about_a_screw():
    a, b = tocsin.Body(tocsin.Sphere(1.0)), tocsin.Body(tocsin.Sphere(1.0))
    with pytest.raises(tocsin.TocsinError, match="one moment"):
        tocsin.Scene(a, b).distance(a.move(at(0), at(1, 0, 0, (0, 0, 30)), kind="screw"))

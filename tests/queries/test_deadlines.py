"""A deadline ends a question with what is proven by then, and changes nothing where it is not reached."""

import math

import numpy as np
import pytest

import tocsin
from promise.scenes import at, box_mesh
from tocsin import Status, TocsinError
from tocsin.queries import deadlines
from tocsin.queries.first_contact import Limited
from tocsin_bench.scenes import shapes

LONG = 1000.0
"""Seconds that no question takes."""


@pytest.fixture(scope="module")
def rings():
    """Two linked rings, one of which comes around until it touches the other: (scene, that ring, its motion)."""
    mesh = tocsin.Mesh(*shapes.torus(5_000))
    a, b = tocsin.Body(mesh, name="a"), tocsin.Body(mesh, name="b")
    start, end = at(1.0, 0, 0, turn=(90, 0, 0)), at(1.6, 0.0, 0.1, turn=(90, 20, 60))
    return tocsin.Scene(a, b), a, a.move(start, end)


def capped_at(scene, motion, steps):
    """Return the answer after so many steps: where a deadline would have ended it."""
    return scene.first_contact(motion, max_steps=steps)


def test_a_deadline_that_is_not_reached_changes_no_bit(rings):
    scene, a, move = rings
    plain, timed = scene.first_contact(move), scene.first_contact(move, deadline=LONG)
    assert (timed.status, timed.time, timed.contacts) == (plain.status, plain.time, plain.contacts)
    assert scene.is_free(move, deadline=LONG) == scene.is_free(move)
    assert scene.safe_step(move, deadline=LONG) == scene.safe_step(move)
    T0, T1 = (np.tile(move.link_poses(t)[0], (40, 1, 1)) for t in (0.0, 1.0))
    for threads in (1, 2):
        hits = scene.first_contacts(a, T0, T1, deadline=LONG, threads=threads)
        assert hits.time.tolist() == scene.first_contacts(a, T0, T1).time.tolist()


def test_a_deadline_that_is_over_ends_at_once_and_says_what_is_proven(rings):
    scene, a, move = rings
    hit = scene.first_contact(move, deadline=1e-9)
    assert hit.status is Status.CAPPED
    assert hit.time <= scene.first_contact(move).time
    assert hit.contacts == ()
    assert not scene.is_free(move, deadline=1e-9)
    hits = scene.first_contacts(a, np.zeros((300, 3)), np.full((300, 3), 9.0), deadline=1e-9)
    assert (hits.codes == 2).all()
    assert (hits.time == 0.0).all()
    assert not scene.check_edges(a, np.zeros((300, 3)) + 5, np.full((300, 3), 9.0), deadline=1e-9).any()


@pytest.mark.parametrize("steps", [1, 5, 20, 60])
def test_a_capped_answer_goes_on_from_where_it_was(rings, steps):
    scene, _, move = rings
    whole = scene.first_contact(move)
    hit = capped_at(scene, move, steps)
    assert hit.status is Status.CAPPED
    seen = [hit.time]
    for _ in range(10_000):
        hit = hit.resume()
        seen.append(hit.time)
        if hit.status is not Status.CAPPED:
            break
    assert (np.diff(seen) > -(2.0**-29)).all()  # a contact right where it goes on is told a cut earlier
    assert hit.status is whole.status is Status.CONTACT
    assert hit.time == pytest.approx(whole.time, abs=1e-3)
    assert scene.distance(move.model.at(move.link_poses(hit.time)[0])).distance <= hit.tolerance
    assert hit.contacts
    assert hit.resume() is hit


def test_a_free_motion_that_is_resumed_is_free(rings):
    scene, a, _ = rings
    move = a.move(at(1.0, 0, 0, turn=(90, 0, 0)), at(1.0, 0, 0.1, turn=(90, 0, 25)))
    assert scene.is_free(move)
    hit = capped_at(scene, move, 3)
    while hit.status is Status.CAPPED:
        assert hit.time < 1.0
        hit = hit.resume()
    assert hit.time == math.inf


@pytest.mark.parametrize("times", [None, (0.5, 0.75, 1.0, 3.0, 3.1)])
def test_paths_and_clocks_are_resumed_within_a_piece(rings, times):
    scene, a, _ = rings
    poses = [at(1.0, 0, 0, turn=(90, 0, 7 * k)) for k in range(4)] + [at(1.7, 0.1, 0.2, turn=(90, 0, 60))]
    path = a.follow(poses, times=times)
    whole = scene.first_contact(path)
    assert whole.status is Status.CONTACT
    hit = capped_at(scene, path, 4)
    seen = []
    while hit.status is Status.CAPPED:
        seen.append(hit.time)
        hit = hit.resume()
    assert len(set(seen)) > 2
    assert seen == sorted(seen)
    assert hit.status is Status.CONTACT
    assert hit.time == pytest.approx(whole.time, abs=1e-3)
    if times is not None:
        assert hit.seconds == pytest.approx(whole.seconds, abs=1e-2)


def test_a_search_that_is_told_to_end_in_the_midst_is_sound(rings):
    """Ended whenever, it says no time that is later than the contact, and goes on to find it."""
    scene, _, move = rings
    whole = scene.first_contact(move)
    for wait in (2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3):
        hit = scene.first_contact(move, deadline=wait)
        assert hit.time <= whole.time
        assert hit.status in (Status.CAPPED, Status.CONTACT)
        while hit.status is Status.CAPPED:
            hit = hit.resume(deadline=10 * wait)
        assert hit.time == pytest.approx(whole.time, abs=1e-3)


def test_a_batch_with_a_deadline_can_be_resumed(rings):
    scene, a, move = rings
    T0 = np.tile(move.link_poses(0.0)[0], (50, 1, 1))
    T1 = np.tile(move.link_poses(1.0)[0], (50, 1, 1))
    hits = scene.first_contacts(a, T0, T1, deadline=1e-4)
    assert Status.CAPPED in hits.status
    assert hits.resume().time.tolist() == [scene.first_contact(a.move(T0[0], T1[0])).time] * 50


def test_pairs_that_would_wait_for_a_chart_do_not(rings):
    from promise.test_charted_bits import close_links

    robot = close_links(1e-15)
    scene = tocsin.Scene(robot)
    hit = scene.first_contact(robot.move([0.1, -0.1], [0.4, -0.4]), tolerance=1e-18, deadline=LONG)
    assert hit.status is Status.CAPPED
    assert not scene.context.charts.charted


def test_what_cannot_have_a_deadline_says_so(rings):
    scene, a, move = rings
    for wrong, words in ((0.0, "greater than 0"), (-1, "greater than 0"), ("soon", "a number"), (math.inf, "finite")):
        with pytest.raises(TocsinError, match=f"deadline must be.*{words}"):
            scene.first_contact(move, deadline=wrong)
    with pytest.raises(TocsinError, match="deadline= is for method='advancement'"):
        scene.first_contact(move, deadline=1.0, method="interval")
    cloth = tocsin.Deformable(*box_mesh(1, 1, 1), name="cloth")
    with pytest.raises(TocsinError, match="'cloth' is deformable"):
        tocsin.Scene(cloth, a).first_contact(move, deadline=1.0)
    hit = capped_at(scene, move, 2)
    a.place(at(0, 0, 9))
    with pytest.raises(TocsinError, match="has changed since"):
        hit.resume()
    a.place(at(0, 0, 0))


@pytest.mark.pure
def test_the_counter_is_that_many_seconds_ahead():
    rate = deadlines.ticks_at(2.0) - deadlines.ticks_at(1.0)
    assert 0.9 < rate / (deadlines.ticks_at(3.0) - deadlines.ticks_at(2.0)) < 1.1
    assert Limited(5, 0.25).after == 0.25

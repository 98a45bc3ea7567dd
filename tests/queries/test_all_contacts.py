"""`Scene.contacts`: which pairs are drawn, resolutions, and what is refused for bodies, robots and cloth."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tocsin
from tocsin import TocsinError
from tocsin.queries.all_contacts import _pairs, cast_of, moved, pixel_of


@pytest.fixture
def scene():
    bodies = [tocsin.Body(tocsin.Box((1, 1, 1)), (2.0 * k, 0, 0), name=f"b{k}") for k in range(4)]
    return tocsin.Scene(*bodies), bodies


def test_pairs_are_of_different_links_one_of_which_moves_and_none_is_ignored(scene):
    asked, _ = scene
    asked.ignore("b0", "b2")
    world = asked.context.tables()
    found = {tuple(pair) for pair in _pairs(world, (0,)).tolist()}
    assert found == {(0, 1), (0, 3)}
    assert {tuple(pair) for pair in _pairs(world, (1, 3)).tolist()} == {(0, 1), (1, 2), (1, 3), (0, 3), (2, 3)}


def test_tables_are_laid_out_once_until_the_scene_changes(scene):
    asked, bodies = scene
    first = cast_of(asked.context)
    assert cast_of(asked.context) is first
    bodies[0].place((0, 5, 0))
    assert cast_of(asked.context) is not first


def test_poses_of_what_moves_are_its_ends_and_others_stand(scene):
    asked, bodies = scene
    cast = cast_of(asked.context)
    key, poses, pieces = moved(asked.context, cast, (bodies[1].move((2, 0, 0), (2, 0, 7)),))
    assert key == (1,)
    assert pieces == 1
    assert poses[1, :, 2].tolist() == [0, 7]
    assert (poses[2, 0] == poses[2, 1]).all()


def questions(bodies):
    """Other bodies, other ways to move and other ends, so that each question follows one that it could mistake."""
    a, b, c, _ = bodies
    turned = tocsin.pose((0.3, 0, 4), rpy=(0, 0, 2.0))
    return [
        (a.move((0, 0, 0), (2, 0.5, 0)),),
        (a.move((0, 0, 0), turned, kind="screw"),),
        (b.move((2, 0, 0), (4, 0.5, 0)),),
        (a.move((0, 0, 0), (2, 0.5, 0)), b.move((2, 0, 0), (0, 0, 0))),
        (b.move((2, 0, 0), (0, 0.25, 0)), a.move((0, 0, 0), (0, 0, 7))),
        (a.at((0, 0, 5)), c.move((4, 0, 0), (0, 0, 5))),
        (a.follow([(0, 0, 0), (0, 3, 0), (2, 0.5, 0.25)]),),
        (c.move((4, 0, 0), (2, 0, 0.25)),),
        (a.move((0, 0, 0), (1.5, 0.25, 0)),),
    ]


def told(scene, motions, exact):
    """The bits of a list."""
    return scene.contacts(*motions, exact=exact).rows.tobytes()


@pytest.mark.parametrize("exact", [False, True])
def test_no_question_sees_what_the_one_before_has_written(scene, exact):
    asked, bodies = scene
    every = questions(bodies)
    alone = [told(tocsin.Scene(*bodies), motions, exact) for motions in every]
    assert sum(rows != b"" for rows in alone) > 5
    order = np.random.default_rng(1).integers(len(every), size=60).tolist()
    assert [told(asked, every[k], exact) for k in order] == [alone[k] for k in order]


def test_threads_that_ask_one_scene_write_over_no_other(scene):
    asked, bodies = scene
    every = questions(bodies)
    alone = [told(asked, motions, False) for motions in every]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda k: told(asked, every[k % len(every)], False), range(400)))
    assert found == [alone[k % len(every)] for k in range(400)]


def test_what_carries_times_or_is_no_motion_is_refused_after_a_question_about_the_same_body(scene):
    asked, bodies = scene
    asked.contacts(bodies[0].move((0, 0, 0), (2, 0, 0)))
    with pytest.raises(TocsinError, match="equal times"):
        asked.contacts(bodies[0].follow([(0, 0, 0), (2, 0, 0)], times=[0.0, 1.0]))
    for given in (bodies[0], None, [bodies[0].at((0, 0, 0))]):
        with pytest.raises(TocsinError, match="takes motions"):
            asked.contacts(given)


@pytest.mark.parametrize(
    ("resolution", "pixel"), [("low", -1 / 6), ("medium", -1 / 12), ("high", -1 / 24), (0.01, 0.01)]
)
def test_resolutions_are_parts_of_an_edge_or_metres(resolution, pixel):
    assert pixel_of(resolution)[0] == pytest.approx(pixel)


def test_what_is_for_others_is_refused_with_what_to_do(scene):
    asked, bodies = scene
    motion = bodies[0].move((0, 0, 0), (1, 0, 0))
    with pytest.raises(TocsinError, match="deformable models"):
        asked.contacts(motion, margin=0.1)
    with pytest.raises(TocsinError, match="none is in this scene"):
        asked.contacts(motion, every="pair")
    with pytest.raises(TocsinError, match="two motions"):
        asked.contacts(motion, motion)
    with pytest.raises(TocsinError, match="not in this scene"):
        asked.contacts(tocsin.Body(tocsin.Sphere(1)).move((0, 0, 0), (1, 0, 0)))
    with pytest.raises(TocsinError, match="medium"):
        asked.contacts(motion, resolution="huge")

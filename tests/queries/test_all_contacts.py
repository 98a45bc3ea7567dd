"""`Scene.contacts`: which pairs are drawn, resolutions, and what is refused for bodies, robots and cloth."""

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

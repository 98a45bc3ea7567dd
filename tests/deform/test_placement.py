"""Where models are while they move: frames between their ends, links by their own motion, clocks that are shared."""

import numpy as np
import pytest

import tocsin
from tocsin.deform.placement import Frames, middle_of
from tocsin.deform.question import Question
from tocsin.motion.knots import WHOLE

POINTS = np.array([(0.0, 0, 0), (1, 0, 0), (0, 1, 0)])


def asked(*motions, models):
    places = {id(model): k for k, model in enumerate(models)}
    return Question(models, {places[id(m.model)]: m for m in motions}, {}, 0.0, None, 1).placement


@pytest.fixture
def models():
    builder = tocsin.RobotBuilder("rail").link("base")
    builder.link("cart", tocsin.Box((1, 1, 1)), parent="base", joint="prismatic", axis=(1, 0, 0))
    return tocsin.Deformable(POINTS, [(0, 1, 2)], name="cloth"), builder.build()


def test_vertices_go_straight_between_frames_and_ends_are_exact(models):
    cloth, rail = models
    place = asked(cloth.move(POINTS, POINTS + 3.0), models=[cloth, rail])
    at, off = place.frames(0, WHOLE)
    assert off == 0.0
    assert (at(0.0) == POINTS).all()
    assert (at(1.0) == POINTS + 3.0).all()
    assert at(0.25) == pytest.approx(POINTS + 0.75)
    some, _ = place.frames(0, WHOLE, [2])
    assert some(1.0).tolist() == [[3, 4, 3]]


def test_both_ends_of_a_stretch_are_those_of_its_frames(models):
    cloth, rail = models
    for motion in (cloth.move(POINTS, POINTS + 3.0), cloth.follow([POINTS, POINTS + 1.0, POINTS + 5.0])):
        place = asked(motion, rail.move([0.0], [1.0]), models=[cloth, rail])
        for stretch in place.stretches:
            at, off = place.frames(0, stretch)
            ends = place.ends(0, stretch)
            assert (ends.start.tolist(), ends.end.tolist(), ends.off) == (at(0.0).tolist(), at(1.0).tolist(), off)


def test_what_stands_stands_at_every_time(models):
    cloth, rail = models
    place = asked(rail.move([0.0], [1.0]), models=[cloth, rail])
    at, off = place.frames(0, WHOLE)
    assert off == 0.0
    assert (at(0.7) == POINTS).all()


def test_stretches_end_where_any_velocity_changes(models):
    cloth, rail = models
    three = cloth.follow([POINTS, POINTS + 1.0, POINTS + 5.0])
    place = asked(three, rail.follow([[0.0], [1.0], [2.0], [3.0]]), models=[cloth, rail])
    ends = sorted({a / n for a, n, _, _ in place.stretches} | {b / m for _, _, b, m in place.stretches})
    assert ends == pytest.approx([0.0, 1 / 3, 0.5, 2 / 3, 1.0])
    part = next(pair.a for pair in Question([cloth, rail], {0: three}, {}, 0.0, None, 1).pairings)
    for t in (0.1, 0.5, 0.8):
        expected = POINTS + (2.0 * t if t <= 0.5 else 1.0 + 8.0 * (t - 0.5))
        assert place.positions(part, t, [0, 1, 2]) == pytest.approx(expected)


def test_a_point_in_the_middle_is_between_all_models():
    boxes = [Frames(POINTS + 4.0, POINTS, 0.0), Frames(POINTS - 2.0, POINTS, 0.0)]
    assert middle_of(boxes) == pytest.approx([1.5, 1.5, 1.0])
    assert middle_of([]).tolist() == [0, 0, 0]

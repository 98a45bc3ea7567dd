"""MoveIt's text format: both variants, every shape, and the line of what is wrong."""

import numpy as np
import pytest

from tocsin import TocsinError
from tocsin.io.scenetext import parse_scene_text

POSE = "1 2 3\n0 0 0 1\n"
COLOUR = "0 0 0 0\n"


def old(*shapes, name="thing"):
    return f"scene\n* {name}\n{len(shapes)}\n" + "".join(s + "\n" + POSE + COLOUR for s in shapes) + ".\n"


def test_the_older_variant_places_shapes_in_the_world():
    name, [body] = parse_scene_text(old("box\n1 2 3"))
    assert name == "scene"
    assert body.name == "thing"
    assert body.rest[:3].tolist() == [1, 2, 3]


def test_the_newer_variant_places_objects_and_shapes_in_them_and_passes_subframes_over():
    text = (
        "s\n* a\n10 0 0\n0 0 0 1\n1\nsphere\n0.5\n"
        + POSE
        + COLOUR
        + "1\ntip\n0 0 1\n0 0 0 1\n* b\n0 0 0\n0 0 0 1\n0\n0\n.\n"
    )
    _, [body] = parse_scene_text(text)
    assert body.name == "a"
    assert body.rest[:3].tolist() == [11, 2, 3]


@pytest.mark.parametrize(
    ("shape", "low", "high"),
    [
        ("sphere\n0.5", [-0.5] * 3, [0.5] * 3),
        ("cylinder\n0.5 2", [-0.5, -0.5, -1], [0.5, 0.5, 1]),
        ("cone\n0.5 2", [-0.5, -0.5, -1], [0.5, 0.5, 1]),
        ("plane\n0 0 1 0", [-1000, -1000, 0], [1000, 1000, 0]),
        ("mesh\n3 1\n0 0 0\n1 0 0\n0 1 0\n0 1 2", [0, 0, 0], [1, 1, 0]),
    ],
)
def test_shapes_are_as_large_as_they_say(shape, low, high):
    _, [body] = parse_scene_text(old(shape))
    (made,) = body.shapes[0]
    points, radius = made.proxy, made.radius + made.disk * np.array([1, 1, 0])
    assert points.min(axis=0) - radius == pytest.approx(np.array(low, float), rel=2e-3, abs=2e-3)
    assert points.max(axis=0) + radius == pytest.approx(np.array(high, float), rel=2e-3, abs=2e-3)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "it ends in line 0"),
        ("s\n* a\n1\n", "in the middle of an object"),
        ("s\nbox\n", "where '\\* name'"),
        (old("torus\n1"), "no shape 'torus'"),
        (old("box\n1 2 x"), "x"),
        (old("box\n-1 2 3"), "object 'thing', line 4"),
        (old("mesh\n3 1\n0 0 0\n1 0 0\n0 1 0\n0 1 9"), "vertex numbers below 3"),
        (old("sphere\n1").replace(".\n", "") + "* thing\n1\nsphere\n1\n" + POSE + COLOUR + ".\n", "two objects"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text, says):
    with pytest.raises(TocsinError, match=says):
        parse_scene_text(text)

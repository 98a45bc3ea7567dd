"""Robots that nobody tuned for: no box stands in the way of all of their edges."""

import numpy as np
import pytest

import tocsin
from tocsin_bench.measures.example_robots import boxes_about


@pytest.fixture
def arm():
    """A trunk that stands, with an arm on it and a joint that does not move."""
    builder = tocsin.RobotBuilder("arm")
    builder.link("trunk", tocsin.Box((0.3, 0.3, 0.3)))
    builder.link("upper", tocsin.Box((0.05, 0.05, 0.4)), parent="trunk", joint="revolute", axis=(0, 1, 0),
                 origin=(0, 0, 0.4), limits=(-1.0, 1.0))  # fmt: skip
    builder.link("hand", tocsin.Box((0.05, 0.05, 0.1)), parent="upper", joint="prismatic", axis=(0, 0, 1),
                 origin=(0, 0, 0.3), limits=(0.0, 0.0))  # fmt: skip
    return builder.build()


@pytest.mark.parametrize("seed", range(5))
def test_no_box_is_in_the_way_of_a_trunk_that_stands(arm, seed):
    boxes = boxes_about(arm, np.random.default_rng(seed))
    assert len(boxes) == 5
    near = [tocsin.Scene(arm, box).first_contact(arm.at([0.0, 0.0])) for box in boxes]
    assert all(hit.contacts[0].link_a != "trunk" for hit in near if hit.collides)

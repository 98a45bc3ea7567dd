"""`contacts(exact=True)` from a scene to its rows: by time, proper enough, and complete or not."""

import numpy as np

import tocsin
from tocsin.screen import exact_ask


def falling():
    floor = tocsin.Body(tocsin.Box((4, 4, 1)).tessellate(), name="floor")
    cube = tocsin.Body(tocsin.Box((1, 1, 1)), name="cube")
    above, below = np.eye(4), np.eye(4)
    above[:3, :3] = [[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]]
    below[:3, :3] = above[:3, :3]
    above[2, 3], below[2, 3] = 2.0, 0.0
    return tocsin.Scene(floor, cube), cube.move(above, below, kind="screw")


def test_rows_come_by_time_and_those_that_are_not_proper_enough_are_left_out():
    scene, motion = falling()
    every = scene.contacts(motion, exact=True, properness=-1.0)
    proper = scene.contacts(motion, exact=True, properness=0.0)
    assert [c.time for c in every] == sorted(c.time for c in every)
    assert 0 < len(proper) <= len(every)
    assert all(c.properness >= 0.0 for c in proper)
    assert every.complete


def test_a_search_that_is_stopped_says_so(monkeypatch):
    scene, motion = falling()
    monkeypatch.setattr(exact_ask, "MOST_STEPS", 3)
    assert not scene.contacts(motion, exact=True).complete


def test_empty_shapes_have_no_tables():
    scene, _ = falling()
    found = exact_ask.tables_of([], type("S", (), {"table": []}))
    assert len(found.shapes) == 0
    assert scene is not None

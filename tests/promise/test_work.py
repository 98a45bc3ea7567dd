"""Caps cap: `max_steps` bounds all that a question does, counted, wherever the work is hidden."""

import numpy as np
import pytest

import tocsin
from promise.scenes import at, box_mesh
from tocsin import Status
from tocsin.advancement.work import FIRST_TESTS, TESTS_A_STEP

TRIANGLE = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0.0]])


def soup(offsets, scales=None):
    """Return as many triangles as offsets, each by itself."""
    scales = np.ones(len(offsets)) if scales is None else scales
    vertices = (TRIANGLE[None] * scales[:, None, None] + offsets[:, None]).reshape(-1, 3)
    return vertices, np.arange(len(vertices)).reshape(-1, 3)


def creeping():
    """Two triangles 8.8e-14 apart, one turning in its own plane: the steps of the leaves are tiny."""
    a = tocsin.Body((TRIANGLE, [[0, 1, 2]]), name="a")
    b = tocsin.Body((TRIANGLE + (0, 0, 8.8e-14), [[0, 1, 2]]), name="b")
    return tocsin.Scene(a, b), a.move(at(), at(turn=(0, 0, 30))), {"tolerance": 1e-30}


def identical():
    """A thousand times the same triangle, sliding a millimetre over as many: every pair of leaves is close."""
    mesh = soup(np.zeros((1000, 3)))
    a, b = tocsin.Body(mesh, name="a"), tocsin.Body(mesh, name="b")
    return tocsin.Scene(a, b), a.move(at(z=1e-3), at(0.5, 0.2, 1e-3, (0, 0, 20))), {"tolerance": 1e-9}


def spaced():
    """Triangles that shrink towards a point, turning close to such others."""
    scales = 2.0 ** -np.linspace(0, 60, 1000)
    mesh = soup(np.outer(scales, (1.0, 0, 0)), scales)
    a, b = tocsin.Body(mesh, name="a"), tocsin.Body(mesh, name="b")
    return tocsin.Scene(a, b), a.move(at(z=1e-5), at(z=1e-5, turn=(0, 0, 20))), {"tolerance": 1e-12}


def against_a_box():
    a, b = tocsin.Body(soup(np.zeros((1000, 3))), name="a"), tocsin.Body(box_mesh(), name="b")
    return tocsin.Scene(a, b), a.move(at(z=0.501), at(z=0.501, turn=(0, 0, 170))), {"tolerance": 1e-12}


HARD = [creeping, identical, spaced, against_a_box]


def work(stats):
    return stats.node_tests + stats.hull_tests + stats.leaf_tests


@pytest.mark.parametrize("make", HARD)
@pytest.mark.parametrize("cap", [1, 30, 1000])
def test_no_question_does_more_than_its_cap_allows(make, cap):
    scene, motion, options = make()
    hit = scene.first_contact(motion, max_steps=cap, **options)
    assert hit.stats.steps <= cap + 1
    # A test may be of four boxes, and their hulls, at once.
    assert work(hit.stats) <= FIRST_TESTS + TESTS_A_STEP * cap + 8
    assert hit.status is Status.CAPPED or work(hit.stats) < FIRST_TESTS + TESTS_A_STEP * cap
    assert scene.is_free(motion, max_steps=cap, **options) == (hit.status is Status.FREE)


@pytest.mark.parametrize("make", HARD)
def test_intervals_of_contact_end_by_their_cap(make):
    scene, motion, options = make()
    found = scene.contact_intervals(motion, max_steps=30, **options)
    assert found.steps <= 31
    assert found.status is Status.CAPPED or found.until == 1.0


def test_what_a_cap_cuts_off_is_proven_as_far_as_it_says():
    """The truth is known: at a height of 1 mm nothing ever touches, and a margin of 2 mm is kept nowhere."""
    scene, motion, options = identical()
    for cap in (1, 30, 1000):
        assert scene.first_contact(motion, max_steps=cap, **options).status in (Status.CAPPED, Status.FREE)
        hit = scene.first_contact(motion, max_steps=cap, margin=2e-3, **options)
        assert hit.time == 0.0

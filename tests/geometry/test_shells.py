"""Solid meshes of several shells: the union of their insides, less cavities; what could mean anything is refused."""

import numpy as np
import pytest

import tocsin
from promise.scenes import at, box_mesh
from tocsin import Status
from tocsin_bench.scenes import shapes

VERTICES, FACES = box_mesh(2.0, 2.0, 2.0)


def shells(*parts):
    """Return boxes of half widths, at places, some inside out, as one mesh."""
    vertices, faces = [], []
    for k, (half, place, reversed_) in enumerate(parts):
        vertices.append(VERTICES * half + place)
        faces.append((FACES[:, ::-1] if reversed_ else FACES) + 8 * k)
    return np.vstack(vertices), np.vstack(faces)


def status(mesh, place):
    """Return the status of a small ball that stands somewhere, beside or in a solid mesh."""
    ball, solid = tocsin.Body(tocsin.Sphere(0.01), place, name="ball"), tocsin.Body(mesh, name="solid", solid=True)
    return tocsin.Scene(ball, solid).first_contact(ball.move(at(*place), at(*place))).status


@pytest.mark.parametrize("reversed_", [False, True])
def test_where_shells_that_face_alike_overlap_is_inside(reversed_):
    mesh = shells((1.0, (0, 0, 0), reversed_), (1.0, (1.0, 0.3, 0.2), reversed_))
    for x in (-0.5, 0.5, 1.5):
        assert status(mesh, (x, 0.1, 0.1)) is Status.INITIAL_CONTACT
    assert status(mesh, (3.0, 0.1, 0.1)) is Status.FREE


@pytest.mark.parametrize("which", [0, 1])
def test_shells_that_cross_and_face_opposite_ways_are_refused(which):
    """Where they overlap their winding numbers cancel: a ball there was called free."""
    mesh = shells((1.0, (0, 0, 0), which == 0), (1.0, (1.0, 0.3, 0.2), which == 1))
    with pytest.raises(tocsin.TocsinError, match="one of them is inside out"):
        tocsin.Body(mesh, solid=True)
    tocsin.Body(mesh)


def test_shells_that_touch_and_face_opposite_ways_are_refused():
    with pytest.raises(tocsin.TocsinError, match="inside out"):
        tocsin.Body(shells((1.0, (0, 0, 0), False), (0.5, (0.5, 0, 0), True)), solid=True)


@pytest.mark.parametrize("reversed_", [False, True])
def test_a_shell_inside_another_that_faces_the_other_way_is_a_cavity(reversed_):
    mesh = shells((1.0, (0, 0, 0), reversed_), (0.5, (0.1, 0, 0), not reversed_))
    assert status(mesh, (0.1, 0.1, 0.1)) is Status.FREE
    assert status(mesh, (0.8, 0.1, 0.1)) is Status.INITIAL_CONTACT


def test_a_shell_inside_another_that_faces_alike_is_filled():
    mesh = shells((1.0, (0, 0, 0), False), (0.5, (0.1, 0, 0), False))
    assert status(mesh, (0.1, 0.1, 0.1)) is Status.INITIAL_CONTACT


def test_shells_apart_may_face_as_they_like():
    mesh = shells((1.0, (0, 0, 0), False), (1.0, (5.0, 0, 0), True))
    assert status(mesh, (0.1, 0.1, 0.1)) is Status.INITIAL_CONTACT
    assert status(mesh, (5.1, 0.1, 0.1)) is Status.INITIAL_CONTACT
    assert status(mesh, (2.5, 0.1, 0.1)) is Status.FREE


def test_every_crossing_of_an_inside_out_shell_is_noticed():
    """Balls in random places, against the truth for balls: apart, nested or crossing."""
    rng = np.random.default_rng(4)
    vertices, faces = shapes.icosphere(2)
    seen = set()
    for _ in range(60):
        radius, place = rng.uniform(0.1, 1.5), rng.normal(size=3) * rng.uniform(0.1, 1.5)
        gap, size = abs(np.linalg.norm(place)), 1.0 + radius
        crossing = abs(1.0 - radius) * 1.05 < gap < 0.95 * size
        if not crossing and not (gap < 0.8 * abs(1.0 - radius) - 0.05 or gap > 1.05 * size):
            continue
        mesh = np.vstack([vertices, vertices * radius + place]), np.vstack([faces, faces[:, ::-1] + len(vertices)])
        seen.add(crossing)
        if crossing:
            with pytest.raises(tocsin.TocsinError, match="inside out"):
                tocsin.Body(mesh, solid=True)
        else:
            tocsin.Body(mesh, solid=True)
    assert seen == {True, False}

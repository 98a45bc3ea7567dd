"""Pairs go on as hulls until these touch: what touches elsewhere, in a hollow, is found all the same."""

import math

import numpy as np
import pytest
import trimesh

import tocsin
from promise.scenes import at, box_mesh
from tocsin_bench.oracles import distance


def channel():
    """A U of three walls, open above: its hull is a box, and a thing goes down to its floor at z = 0.1."""
    parts = [((3, 3, 0.1), (0, 0, 0.05)), ((0.1, 3, 2), (-1.45, 0, 1.0)), ((0.1, 3, 2), (1.45, 0, 1.0))]
    meshes = [trimesh.creation.box(size, trimesh.transformations.translation_matrix(place)) for size, place in parts]
    mesh = trimesh.util.concatenate(meshes)
    return np.array(mesh.vertices), np.array(mesh.faces)


def bowl():
    """The lower half of a ball, open above."""
    ball = trimesh.creation.icosphere(3, radius=2.0)
    kept = ball.vertices[ball.faces][:, :, 2].mean(axis=1) < 0.0
    return np.array(ball.vertices), np.array(ball.faces)[kept]


def test_a_box_goes_down_a_channel_whose_hull_it_passes_at_once():
    cup, block = tocsin.Body(channel(), name="cup"), tocsin.Body(box_mesh(1, 1, 1), name="block")
    scene = tocsin.Scene(cup, block)
    hit = scene.first_contact(block.move(at(0, 0, 5), at(0, 0, 0)))
    assert hit.time == pytest.approx((5 - 0.6) / 5, abs=1e-4)
    assert hit.time <= (5 - 0.6) / 5
    assert scene.is_free(block.move(at(0, 0, 5), at(0, 0, 0.61)))
    assert scene.is_free(block.move(at(-0.8, 0, 1.0), at(0.8, 0, 1.0)))


def test_a_block_that_falls_into_a_bowl_touches_its_bottom():
    cup, block = tocsin.Body(bowl(), name="cup"), tocsin.Body(box_mesh(0.2, 0.2, 0.2), name="block")
    hit = tocsin.Scene(cup, block).first_contact(block.move(at(0, 0, 3), at(0, 0, -3)))
    assert hit.collides
    assert 0.79 < hit.time < 0.83


def test_a_mesh_inside_a_convex_one_is_free_until_the_surfaces_meet():
    """Their hulls overlap all the time; meshes are surfaces."""
    room, block = tocsin.Body(box_mesh(4, 4, 4), name="room"), tocsin.Body(box_mesh(1, 1, 1), name="block")
    scene = tocsin.Scene(room, block)
    assert scene.is_free(block.move(at(-1, 0, 0), at(1, 0, 0)))
    hit = scene.first_contact(block.move(at(0, 0, 0), at(3, 0, 0)))
    assert hit.time == pytest.approx(0.5, abs=1e-4)
    assert hit.time <= 0.5


@pytest.mark.parametrize("seed", range(12))
def test_round_meshes_touch_when_their_triangles_do(seed):
    """By the oracle: apart at every sample before the contact, and within the tolerance then."""
    rng = np.random.default_rng(seed)
    level = int(rng.integers(1, 4))
    mesh = trimesh.creation.icosphere(level, radius=1.0)
    stretched = np.array(mesh.vertices) * rng.uniform(0.3, 1.0, 3)
    a = tocsin.Body((stretched, np.array(mesh.faces)), name="a")
    other = box_mesh(*rng.uniform(0.5, 1.5, 3)) if seed % 2 else (np.array(mesh.vertices), np.array(mesh.faces))
    b = tocsin.Body(other, name="b")
    begin, end, turn = rng.uniform(2.0, 3.0, 3), rng.uniform(-0.5, 0.5, 3), rng.uniform(-90, 90, 3)
    hit = tocsin.Scene(a, b).first_contact(b.move(at(*begin), at(*end, turn=turn)))
    assert hit.collides

    def gap(t):
        pose = at(*(begin + t * (end - begin)), turn=t * turn)
        placed = other[0] @ pose[:3, :3].T + pose[:3, 3]
        return distance.mesh_mesh(stretched[np.array(mesh.faces)], placed[np.asarray(other[1])])

    tolerance = 1e-4 * min(math.dist(v.min(0), v.max(0)) for v in (stretched, np.asarray(other[0])))
    assert gap(hit.time) <= tolerance * (1 + 1e-6)
    assert all(gap(t) > 0.0 for t in np.linspace(0.0, hit.time, 6)[:-1])

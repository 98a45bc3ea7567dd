"""The deforming scenes are what they are said to be: sizes, frames, and where the cloth lies."""

import numpy as np
import pytest

from tocsin_bench.scenes import shapes, soft_arm, soft_scenes, soft_shapes


def test_the_planning_scenes_have_the_papers_numbers_of_triangles():
    assert soft_scenes.bar(2).n_triangles == 636
    assert soft_scenes.organs(2).n_triangles == 14_000


@pytest.mark.parametrize("make", [soft_scenes.bar, soft_scenes.organs])
def test_the_two_paths_differ_and_all_things_deform(make):
    free, touching = make(13, True), make(13, False)
    assert free.steps == touching.steps == 12
    assert any(not np.array_equal(a.frames, b.frames) for a, b in zip(free.parts, touching.parts))
    for part in free.parts:
        assert np.isfinite(part.frames).all()
        a, b = soft_scenes.edges_of(part.faces).T
        lengths = np.linalg.norm(part.frames[:, a] - part.frames[:, b], axis=2)
        assert np.ptp(lengths, axis=0).max() > 1e-3 * lengths.max()  # more than a rigid motion


@pytest.mark.parametrize("n", [2_000, 30_000])
def test_cloth_and_balls_have_about_as_many_triangles_as_asked_for(n):
    times = np.array([0.0, 1.0])
    assert soft_scenes.cloth(n, times).n_triangles == pytest.approx(n, rel=0.05)
    assert soft_scenes.balls(n, n_balls=10, n_frames=2).n_triangles == pytest.approx(n, rel=0.2)


def test_joining_keeps_every_part_where_it_is():
    film = soft_scenes.bar(3)
    whole = film.joined()
    assert len(whole.faces) == film.n_triangles
    soup = np.concatenate([part.frames[1][part.faces] for part in film.parts])
    assert np.array_equal(whole.frames[1][whole.faces], soup)


def test_closed_shapes_have_each_edge_twice_and_a_sheet_has_a_border():
    for vertices, faces in (soft_shapes.ball(6, 8), soft_shapes.bar(5)):
        assert len(vertices) - len(soft_scenes.edges_of(faces)) + len(faces) == 2
    vertices, faces = soft_shapes.sheet(200)
    assert len(vertices) - len(soft_scenes.edges_of(faces)) + len(faces) == 1
    assert len(soft_shapes.bar(13)[1]) == 108


def test_the_towel_lies_above_the_arm():
    draped = soft_arm.made(n_frames=5, cells=24)
    assert draped.cloth.shape == (5, 25 * 25, 3)
    vertices, _ = shapes.join(*soft_arm.triangles(draped.robot, draped.q[0]))
    towel = draped.cloth[0]
    under = vertices[(np.abs(vertices[:, :2] - towel[:, :2].mean(axis=0)) < 0.2).all(axis=1)]
    assert len(under) > 100
    for point in under[::7]:
        near = np.linalg.norm(towel[:, :2] - point[:2], axis=1).argmin()
        assert towel[near, 2] > point[2]

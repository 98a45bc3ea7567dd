"""Steps of triangles and of convex solids: right distances, and no contact passed."""

import numpy as np
import pytest

import tocsin
from tocsin.advancement.leaves import convex_set, convex_step, triangles_step
from tocsin_bench.oracles import distance, shapes

from .moving_pair import moving_pair, pair_between

TRIANGLE = np.array([[0, 1, 2]])


def check_triangles(seed, cases, samples):
    rng = np.random.default_rng(seed)
    for _ in range(cases):
        corners = rng.normal(size=(2, 3, 3))
        margin = float(rng.choice([0.0, 0.2]))
        moving = moving_pair(rng, (corners[0], TRIANGLE), (corners[1], TRIANGLE), margin=margin)
        pair, world = moving.pair, moving.world
        t = float(rng.random()) * 0.8
        reach = world.geoms["reach"].tolist()
        h, d, x, y = triangles_step(
            world.points, world.faces, (0, 1), *moving.state(t), pair, tuple(reach), (1.0 - t, 0.0)
        )
        assert np.linalg.norm(np.subtract(x, y)) == pytest.approx(d, abs=1e-12)
        for k, s in enumerate(np.linspace(t, min(t + h, 1.0), samples)):
            a, b = (c @ p[:3, :3].T + p[:3, 3] for c, p in zip(corners, moving.poses(s)))
            truth = float(distance.triangle_triangle(a[None], b[None])[0])
            if k == 0:
                assert d == pytest.approx(truth, abs=1e-12)
            if h > 0.0:
                assert truth > margin - 1e-12


def test_a_step_that_keeps_a_gap_ends_before_it_is_used_up():
    rng = np.random.default_rng(3)
    kept = 0
    for _ in range(60):
        corners = rng.normal(size=(2, 3, 3))
        moving = moving_pair(rng, (corners[0], TRIANGLE), (corners[1], TRIANGLE))
        reach = moving.world.geoms["reach"].tolist()
        given = (moving.world.points, moving.world.faces, (0, 1), *moving.state(0.0), moving.pair, tuple(reach))
        _, gap, _, _ = triangles_step(*given, (1.0, 0.0))
        h, _, _, _ = triangles_step(*given, (1.0, 0.25 * gap))
        if not 0.0 < h < 1.0:
            continue
        a, b = (c @ p[:3, :3].T + p[:3, 3] for c, p in zip(corners, moving.poses(h)))
        assert float(distance.triangle_triangle(a[None], b[None])[0]) > 0.25 * gap - 1e-9
        kept += 1
    assert kept > 5


def test_no_step_of_triangles_passes_a_contact():
    check_triangles(1, 150, 6)


@pytest.mark.pure
def test_one_step_of_triangles_does_not_pass_a_contact():
    check_triangles(2, 1, 3)


CONVEX = (
    (tocsin.Sphere(0.4), shapes.sphere(0.4)),
    (tocsin.Capsule(radius=0.2, length=0.7), shapes.capsule(0.2, 0.7)),
    (tocsin.Box((0.5, 0.7, 0.9)), shapes.box((0.5, 0.7, 0.9))),
    (tocsin.Cylinder(radius=0.3, length=0.8), shapes.cylinder(0.3, 0.8)),
)


@pytest.mark.parametrize("a", range(4))
@pytest.mark.parametrize("b", range(3))
def test_no_step_of_convex_solids_passes_a_contact(a, b):
    rng = np.random.default_rng(10 * a + b)
    for _ in range(4):
        moving = moving_pair(rng, CONVEX[a][0], CONVEX[b][0], margin=0.1)
        world, t = moving.world, 0.2
        sets = [convex_set(g, world.nodes[g["root"]], world.points, world.faces, np.zeros((3, 3))) for g in world.geoms]
        reach = world.geoms["reach"].tolist()
        sides = [(*one, far) for one, far in zip(sets, reach)]
        h, gap, upper, n, _, _ = convex_step(
            *sides, *moving.state(t), moving.pair, (1.0, 0.0, 0.0), np.zeros((4, 9)), (-1.0, 0.9, 0.8)
        )
        truth = shapes.distance(CONVEX[a][1], moving.poses(t)[0], CONVEX[b][1], moving.poses(t)[1])
        assert gap + 0.1 <= truth + 1e-7
        assert truth <= upper + 1e-7
        assert np.linalg.norm(n) <= 1.0 + 1e-12
        for s in np.linspace(t, min(t + h, 1.0), 4)[1:] if h > 0.0 else ():
            pose_a, pose_b = moving.poses(s)
            assert shapes.distance(CONVEX[a][1], pose_a, CONVEX[b][1], pose_b) > 0.1 - 1e-12


@pytest.mark.pure
@pytest.mark.parametrize("turning", [0, 1])
def test_no_step_of_a_bar_that_turns_about_its_middle_passes_what_its_end_meets(turning):
    """Its middle stands still: all of its speed is that of its corners."""
    bar, post = (2.0, 0.1, 0.1), (0.1, 0.1, 0.1)
    turned, beside = np.eye(4), np.eye(4)
    turned[:2, :2] = [[np.cos(1.0), -np.sin(1.0)], [np.sin(1.0), np.cos(1.0)]]
    beside[:3, 3] = 0.9, 0.2, 0.0
    sides, ends = [bar, post], [(np.eye(4), turned), (beside, beside)]
    if turning:
        sides, ends = sides[::-1], ends[::-1]
    moving = pair_between(ends, *map(tocsin.Box, sides))
    world = moving.world
    sets = [convex_set(g, world.nodes[g["root"]], world.points, world.faces, np.zeros((3, 3))) for g in world.geoms]
    reach = world.geoms["reach"].tolist()
    first = (0.0, -1.0 if turning else 1.0, 0.0)
    held = [(*one, far) for one, far in zip(sets, reach)]
    h, gap, *_ = convex_step(*held, *moving.state(0.0), moving.pair, first, np.zeros((4, 9)), (-1.0, 0.9, 1.0))
    assert 0.09 < gap <= 0.1
    for t in np.linspace(0.0, h, 9):
        assert shapes.distance(shapes.box(sides[0]), moving.poses(t)[0], shapes.box(sides[1]), moving.poses(t)[1]) > 0.0
    assert h > 0.05

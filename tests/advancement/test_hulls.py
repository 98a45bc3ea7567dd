"""Steps of the hulls of nodes: no contact is passed, and what is said to touch does."""

import math
from fractions import Fraction

import numpy as np
import pytest
import trimesh

from tocsin.advancement.approach import DONE, OPEN, OVERLAP, WAIT, hulls_advance
from tocsin.advancement.hulls import nearest_leaf, safe_part
from tocsin.advancement.leaves import CONTACT, FREE
from tocsin.advancement.relative import both_states
from tocsin.advancement.work import LIMIT
from tocsin.advancement.workspace import Tables, make_workspace
from tocsin.model import world as tables
from tocsin.queries.buffers import COUNTS
from tocsin_bench.oracles import distance

from .moving_pair import moving_pair


@pytest.fixture(autouse=True)
def every_mesh_has_patches(monkeypatch):
    monkeypatch.setattr(tables, "PATCHED_FROM", 1)


def ball(level, stretch):
    mesh = trimesh.creation.icosphere(level, radius=0.9)
    return np.array(mesh.vertices) * stretch, np.array(mesh.faces)


def bowl(level):
    """Half of a ball, open: its hull bridges the hollow."""
    vertices, faces = ball(level, 1.0)
    return vertices, faces[vertices[faces][:, :, 0].mean(axis=1) > 0.0]


def soup(seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(60, 3)) * 0.5, np.arange(60).reshape(-1, 3)


def triangles_below(world, node):
    """Return the numbers of the triangles below a node."""
    record = world.nodes[node]
    if record["count"] > 0:
        return [int(record["first"])]
    first = int(record["first"])
    return triangles_below(world, first) + triangles_below(world, first + 1)


def truth(moving, a, b, t):
    """Return the distance of what is below two nodes at t, by all pairs of triangles that can have it."""
    placed = []
    for node, pose in zip((a, b), moving.poses(t)):
        corners = moving.world.points[moving.world.faces[triangles_below(moving.world, node)]]
        placed.append(corners @ pose[:3, :3].T + pose[:3, 3])
    return distance.mesh_mesh(*placed)


def some_node(rng, world, geom):
    """Return the root, or a few steps down from it."""
    node = int(world.geoms[geom]["root"])
    for _ in range(int(rng.integers(0, 4))):
        if world.nodes[node]["count"] <= 0:
            node = int(world.nodes[node]["first"]) + int(rng.integers(0, 2))
    return node


SHAPES = (ball(1, (1.0, 0.6, 0.4)), bowl(1), soup(1), ball(2, 0.8))


def check(seed, cases, samples):
    rng = np.random.default_rng(seed)
    said_what = dict.fromkeys((DONE, WAIT, OPEN, OVERLAP), 0)
    touched = 0
    for _ in range(cases):
        margin = float(rng.choice([0.0, 0.1]))
        two = [SHAPES[k] for k in rng.integers(0, len(SHAPES), 2)]
        moving = moving_pair(rng, *two, margin=margin, spread=0.5)
        world, pair = moving.world, moving.pair
        a, b = some_node(rng, world, 0), some_node(rng, world, 1)
        if world.nodes[a]["count"] > 0 and world.nodes[b]["count"] > 0:
            continue
        workspace, counts = make_workspace(), np.zeros(COUNTS, np.int64)
        counts[LIMIT] = 2**40
        tables = Tables(world, moving.sweeps, moving.joints, np.zeros((2, 3, 4, 5)), workspace)
        search = workspace.search[0]
        search["end"] = search["until"] = 1.0
        search["soonest"], search["status"] = math.inf, FREE
        t, n = float(rng.random()) * 0.5, (0.0, 0.0, 0.0)
        for _ in range(12):
            states = both_states(pair, moving.sweeps, moving.joints, world.links, t)
            said, time, n, touch, end = hulls_advance(tables, pair, (a, b, n), t, states, search, counts)
            search["soonest"] = math.inf
            said_what[said] += 1
            if touch == CONTACT:
                touched += 1
                search["end"] = search["until"] = end
                search["status"] = CONTACT
                assert truth(moving, a, b, end) <= margin + pair["tolerance"] + 1e-12
            assert touch in (FREE, CONTACT)
            if said in (OPEN, OVERLAP):
                break
            until = end if said == DONE else time
            assert until > t or touch == CONTACT
            for s in np.linspace(t, until, samples):
                assert truth(moving, a, b, s) > margin - 1e-9
            if said == DONE:
                break
            t = until
    return said_what, touched


def test_no_step_of_hulls_passes_a_contact():
    said, touched = check(1, 160, 4)
    assert min(said[DONE], said[WAIT], said[OPEN]) > 5
    assert touched > 2


@pytest.mark.pure
def test_one_step_of_hulls_does_not_pass_a_contact():
    check(2, 1, 3)


@pytest.mark.pure
def test_the_safe_part_of_a_chord_is_safe_in_exact_arithmetic():
    rng = np.random.default_rng(4)
    whole = 0
    for _ in range(300):
        g0 = float(10.0 ** rng.uniform(-6.0, 0.0))
        g1 = float(g0 * rng.normal())
        bend = float(g0 * 10.0 ** rng.uniform(-3.0, 1.5))
        if rng.random() < 0.3:
            # Near a double root: b^2 = 4 bend g0.
            g1 = g0 + bend - 2.0 * float(np.sqrt(bend * g0)) * (1.0 + float(rng.normal()) * 1e-14)
        part = safe_part(g0, g1, bend)
        assert 0.0 < part <= 1.0
        whole += part == 1.0
        b, k = Fraction(g1) - Fraction(g0) - Fraction(bend), Fraction(bend)
        lowest = min(max(-b / (2 * k), Fraction(0)), Fraction(part))
        for s in (Fraction(0), lowest, Fraction(part)):
            assert k * s * s + b * s + Fraction(g0) > 0
    assert 20 < whole < 280


def test_the_nearest_leaf_has_the_nearest_triangle():
    rng = np.random.default_rng(6)
    moving = moving_pair(rng, ball(2, (1.0, 0.7, 0.5)), bowl(2))
    world, workspace = moving.world, make_workspace()
    root = int(world.geoms[1]["root"])
    corners = world.points[world.faces[triangles_below(world, root)]]
    for _ in range(60):
        p = rng.normal(size=3) * 0.6
        point = np.tile(p, (len(corners), 3, 1))
        d = float(distance.triangle_triangle(point, corners).min())
        leaf = nearest_leaf(world, root, tuple(p), 10.0, workspace.spare)
        own = world.points[world.faces[[world.nodes[leaf]["first"]]]]
        assert float(distance.triangle_triangle(point[:1], own)[0]) == pytest.approx(d)
        assert nearest_leaf(world, root, tuple(p), 0.5 * d, workspace.spare) == -1

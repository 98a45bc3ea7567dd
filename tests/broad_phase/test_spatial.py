"""Spatial culling finds exactly the pairs of boxes that overlap and that no rule forbids."""

import math

import numpy as np
import pytest

import tocsin
from tocsin.advancement.workspace import make_workspace
from tocsin.broad_phase.aabb_tree import apart, build_static, clear_leaves, join_up, leaf_slots
from tocsin.broad_phase.pairs import PAIR
from tocsin.broad_phase.spatial import against_standing, between_moving, pair_margin, with_itself
from tocsin.model.world import assemble

from .test_aabb_tree import random_boxes

STACK = make_workspace().stack


def world_of(n, rules=None):
    ball = tocsin.Sphere(1.0)
    return assemble([tocsin.Body(ball, name=f"b{i}") for i in range(n)], rules or {})


def trees(rng, counts, size):
    """Return (boxes, [(first, room)]): dynamic trees over random boxes, one behind the other."""
    all_slots = [leaf_slots(n) for n in counts]
    boxes = np.zeros((2 * sum(all_slots), 6))
    places, first = [], 0
    for n, slots in zip(counts, all_slots):
        boxes[first + slots : first + slots + n] = random_boxes(rng, n, size)
        clear_leaves(boxes, first, slots, n)
        join_up(boxes, first, slots)
        places.append((first, slots))
        first += 2 * slots
    return boxes, places


def listed(pairs, n):
    found = [(int(p["a"]), int(p["b"])) for p in pairs[:n]]
    assert len(set(found)) == len(found)
    return {(min(p), max(p)) for p in found}


def check(seed, n, m):
    rng = np.random.default_rng(seed)
    size = float(rng.choice([0.1, 0.5, 2.0]))
    rules = {(i, k): -math.inf for i in range(n + m) for k in range(i + 1, n + m) if rng.random() < 0.1}
    world = world_of(n + m, rules)
    boxes, ((first_a, slots_a), (first_b, slots_b)) = trees(rng, (n, m), size)
    row = [first_a + slots_a + i for i in range(n)] + [first_b + slots_b + i for i in range(m)]
    truth = {
        (i, k)
        for i in range(n + m)
        for k in range(i + 1, n + m)
        if not apart(boxes, row[i], boxes, row[k]) and (i, k) not in rules
    }
    slots = np.zeros(2, PAIR)
    found = between_moving(slots, 0, world, boxes, (first_a, slots_a, 0), (first_b, slots_b, n), 0.0, STACK)
    assert listed(*found) == {p for p in truth if p[0] < n <= p[1]}
    found = between_moving(slots, 0, world, boxes, (first_a, slots_a, 0), (first_a, slots_a, 0), 0.0, STACK)
    assert listed(*found) == {p for p in truth if p[1] < n}
    standing, child = build_static(boxes[row[n:]])
    geoms = np.arange(n, n + m, dtype=np.int32)
    found = against_standing(slots, 0, world, boxes, (first_a, slots_a, 0), (standing, child, geoms), 0.0, STACK)
    assert listed(*found) == {p for p in truth if p[0] < n <= p[1]}


def test_pairs_are_those_of_brute_force():
    for seed in range(40):
        n, m = np.random.default_rng(seed).integers(1, 40, size=2)
        check(seed, int(n), int(m))


@pytest.mark.pure
def test_pairs_of_a_few_are_those_of_brute_force():
    check(5, 3, 4)


def test_a_rule_gives_a_pair_its_own_margin():
    world = world_of(4, {(0, 2): 0.25, (1, 2): -math.inf, (0, 3): 0.5})
    assert pair_margin(world, 0, 2, 0.1) == pair_margin(world, 2, 0, 0.1) == 0.25
    assert pair_margin(world, 2, 1, 0.1) == -math.inf
    assert pair_margin(world, 3, 0, 0.1) == 0.5
    assert pair_margin(world, 1, 3, 0.1) == 0.1
    assert pair_margin(world, 1, 1, 0.1) == -math.inf


def test_the_list_of_a_model_has_the_pairs_of_its_tree():
    b = tocsin.RobotBuilder("chain")
    b.link("link0", tocsin.Sphere(1.0))
    for i in range(1, 12):
        shapes = [tocsin.Sphere(1.0)] * (1 + i % 2)
        b.link(f"link{i}", shapes, parent=f"link{i - 1}", joint="revolute", axis=(0, 0, 1), origin=(1, 0, 0))
    rules = {(i, i + 1): -math.inf for i in range(11)} | {(2, 5): 0.3}
    world = assemble([tocsin.Body(tocsin.Sphere(1.0)), b.build()], {(i + 1, k + 1): m for (i, k), m in rules.items()})
    model = world.models[1]
    for seed in range(20):
        boxes, ((first, slots),) = trees(np.random.default_rng(seed), (int(model["geoms"]),), 1.0)
        tables = np.zeros(2, PAIR), np.zeros(2, PAIR)
        own = first, slots, int(model["geom"])
        tree = between_moving(tables[0], 0, world, boxes, own, own, 0.1, STACK)
        found = with_itself(tables[1], 0, world, boxes, first + slots, model, 0.1)
        assert listed(*found) == listed(*tree)
        margins = [{(int(p["a"]), int(p["b"])): p["margin"] for p in pairs[:n]} for pairs, n in (tree, found)]
        assert margins[0] == margins[1]

"""Records of pairs: bounds hold what the two links do, links of one model are seen from what they share."""

import numpy as np
import pytest

import tocsin
from plain import PLAIN
from tocsin.broad_phase.pairs import PAIR, prepare, prepare_look, set_tolerance
from tocsin.broad_phase.sweep import SWEEP, link_bounds, link_middle
from tocsin.model.tables import GEOM
from tocsin.motion.joints import JOINT, joint_motion

pytestmark = PLAIN


def moving(models, motions):
    """Return the tables of a scene whose motions are these, joints and sweeps over [0, 1]."""
    world = tocsin.Scene(*models).context.tables()
    joints, sweeps = np.zeros(len(world.links), JOINT), np.zeros(len(world.links), SWEEP)
    for record, motion in zip(world.models, motions):
        rows = motion.rows.reshape(-1)
        for i in range(record["link"], record["link"] + record["links"]):
            joint_motion(joints[i], world.links[i], rows, 0, int(record["width"]), 0.0, 1.0)
            link_bounds(sweeps, joints, world.links, i)
            link_middle(sweeps, joints, world.links, i, 0.5, 0.5)
    return world, joints, sweeps


def arm():
    b = tocsin.RobotBuilder("arm").link("base", tocsin.Sphere(0.1))
    for k in range(3):
        turning = {"joint": "revolute", "axis": (0, 1, 0), "origin": (0, 0, 0.5)}
        b = b.link(f"l{k}", tocsin.Sphere(0.1), parent="base" if k == 0 else f"l{k - 1}", **turning)
    return b.build()


def prepared(world, joints, sweeps, a, b, margin=0.0, tolerance=-1.0):
    pair = np.zeros(1, PAIR)[0]
    pair["a"], pair["b"], pair["margin"] = a, b, margin
    prepare(pair, world.geoms, joints, world.links, sweeps, tolerance, 1e-4)
    return pair


def test_links_of_a_model_are_seen_from_their_common_ancestor():
    robot = arm()
    tables = moving([robot], [robot.move([0, 0, 0], [1.0, 0.0, 0.5])])
    pair = prepared(*tables, 1, 3)
    assert pair["stop"] == 1, "the first joint moves both"
    still = prepared(*tables, 1, 2)
    assert still["speed"] + still["turn_a"] + still["turn_b"] == 0.0, "only the joint above both moves"


def test_bounds_of_a_pair_hold_its_approach():
    a, b = tocsin.Body(tocsin.Sphere(0.2), name="a"), tocsin.Body(tocsin.Sphere(0.3), (4, 0, 0), name="b")
    tables = moving([a, b], [a.move((0, 0, 0), (3, 0, 0)), b.move((4, 0, 0), (4, 2, 0))])
    pair = prepared(*tables, 0, 1)
    assert pair["stop"] == -1
    assert pair["speed"] >= 5.0
    assert pair["speed"] < 5.0 * (1 + 1e-9)
    assert pair["accel"] + pair["jerk"] == pytest.approx(0.0)
    assert 0.0 < pair["noise"] < 1e-12


def test_a_look_has_the_noise_and_tolerance_of_the_record():
    a, b = tocsin.Body(tocsin.Sphere(0.2), name="a"), tocsin.Body(tocsin.Sphere(0.3), (4, 0, 0), name="b")
    world, joints, sweeps = moving([a, b], [a.move((0, 0, 0), (3, 0, 0)), b.move((4, 0, 0), (4, 2, 0))])
    whole, look = prepared(world, joints, sweeps, 0, 1, 0.1), np.zeros(1, PAIR)[0]
    look["b"], look["margin"] = 1, 0.1
    prepare_look(look, world.geoms, sweeps, -1.0, 1e-4)
    for name in ("link_a", "link_b", "stop", "noise", "tolerance"):
        assert look[name] == whole[name], name


def test_the_default_tolerance_is_of_the_smaller_that_is_no_point():
    geoms, pair = np.zeros(2, GEOM), np.zeros(1, PAIR)[0]
    geoms["diagonal"] = 2.0, 5.0
    set_tolerance(pair, *geoms, -1.0, 1e-4)
    assert pair["tolerance"] == 2e-4
    geoms["diagonal"] = 0.0, 5.0
    set_tolerance(pair, *geoms, -1.0, 1e-4)
    assert pair["tolerance"] == 5e-4
    pair["noise"] = 1.0
    set_tolerance(pair, *geoms, -1.0, 1e-4)
    assert pair["tolerance"] == 16.0, "never below what can be told apart"
    set_tolerance(pair, *geoms, 0.25, 1e-4)
    assert pair["tolerance"] == 0.25

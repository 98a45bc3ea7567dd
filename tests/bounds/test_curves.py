"""Joints on polynomials of time keep to their bounds, whatever the degree, the stretch and the slab."""

import numpy as np
import pytest

from tocsin import Body, RobotBuilder, Scene, Sphere, Trajectory
from tocsin_bench.campaigns.curves import attack, random_case


@pytest.mark.pure
def test_a_few_curves_keep_their_bounds():
    rng = np.random.default_rng(7)
    for _ in range(10):
        found = attack(random_case(rng), rng)
        assert max(found.values()) <= 1.0, found


def test_hundreds_of_curves_keep_their_bounds():
    rng = np.random.default_rng(8)
    for _ in range(300):
        found = attack(random_case(rng, links=int(rng.integers(1, 7))), rng)
        assert max(found.values()) <= 1.0, found


def test_an_arm_that_is_longest_between_its_knots_is_followed():
    """Its reach bounds how fast the turn above it moves it: at both ends of the motion it is drawn in."""
    builder = RobotBuilder("arm")
    builder.link("base", None)
    builder.link("turn", None, parent="base", joint="continuous", axis=(0, 0, 1), joint_name="turn")
    slide = {"joint": "prismatic", "axis": (1, 0, 0), "limits": (-9, 9), "joint_name": "slide"}
    builder.link("tip", Sphere(0.02), parent="turn", **slide)
    arm = builder.build()
    drawn = np.array([[[0.0, 0.0], [40.0, 8.0], [0.0, -8.0]]])  # 40 t radians and 8 t (1 - t) metres
    motion = arm.follow(Trajectory.of_pieces([0.0, 1.0], drawn, joint_names=["turn", "slide"]))
    t = np.linspace(0.0, 1.0, 20001)
    way = (8.0 * t * (1.0 - t))[:, None] * np.stack([np.cos(40.0 * t), np.sin(40.0 * t)], axis=1)
    for at in np.linspace(0.2, 0.9, 29):
        place = way[round(20000 * at)]
        post = Body(Sphere(0.01), (*place, 0.0), name="post")
        hit = Scene(arm, post, charts=False).first_contact(motion)
        first = t[np.linalg.norm(way - place, axis=1) <= 0.03][0]
        assert hit.collides
        assert hit.time <= first

"""The record of a joint on a curve is where its polynomial says, in the whole of a piece and in parts of it."""

import numpy as np
import pytest

from tocsin import RobotBuilder
from tocsin.motion.chain import chain_pose
from tocsin.motion.curved_joints import curved_motion
from tocsin.motion.joints import JOINT

pytestmark = pytest.mark.pure


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
@pytest.mark.parametrize(("x", "lasts"), [(0.0, 1.0), (0.25, 0.5), (0.9, 0.1)])
def test_a_joint_is_where_its_polynomial_says(kind, x, lasts):
    builder = RobotBuilder("one")
    builder.link("base")
    builder.link("tip", parent="base", joint=kind, axis=(0, 0, 1))
    robot = builder.build()
    c = np.random.default_rng(1).normal(size=(4, robot.width))
    c[:, :7] = 0.0
    c[:2, 6] = 1.0
    joints = np.zeros(2, JOINT)
    for k in range(2):
        curved_motion(joints[k], robot.links[k], c.reshape(-1), 0, robot.width, 3, x, lasts)
    for t in (0.0, 0.3, 1.0):
        share = x + t * lasts
        q = sum(c[k, 7] * share**k for k in range(4))
        r, p = chain_pose(joints, robot.links, 1, -1, t)
        if kind == "prismatic":
            assert p[2] == pytest.approx(q, abs=1e-14)
        else:
            assert (r[0][0], r[1][0]) == pytest.approx((np.cos(q), np.sin(q)), abs=1e-14)

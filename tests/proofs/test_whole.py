"""Parts of a motion are the motion, and what is proven of them covers it."""

import numpy as np
import pytest

from tocsin import Body, Box, RobotBuilder, Scene, Sphere, Trajectory
from tocsin.proofs.whole import part_of, prove_whole


@pytest.mark.parametrize("curved", [False, True])
def test_parts_cover_a_motion_and_are_where_it_is(curved: bool) -> None:
    b = RobotBuilder("arm").link("base", Box((0.1, 0.1, 0.1)))
    beam = Box((0.05, 0.05, 0.8)), (0, 0, 0.5)
    arm = b.link("beam", beam, parent="base", joint="continuous", axis=(0, 1, 0)).build()
    scene = Scene(arm, Body(Sphere(0.1), (0.9, 0, 0), name="post"))
    q = np.array([[-0.5], [0.5], [1.3], [1.8], [2.5], [3.5]])
    rates = {"velocities": np.full((6, 1), 0.2)} if curved else {}
    motion = arm.follow(Trajectory([0.0, 1.0, 1.5, 2.0, 3.0, 4.0], q, **rates), error=0.001)
    parts = list(prove_whole(scene.context, motion, 0.0))
    assert [part.first for part in parts] == [0, *[part.last for part in parts][:-1]]
    assert parts[-1].last == 5
    assert {"free", "contact"} == {part.claim for part in parts}
    assert all(part.last - part.first == 1 for part in parts if part.claim == "contact")
    own = part_of(motion, 2, 4)
    for t in (0.0, 0.3, 0.7, 1.0):
        np.testing.assert_allclose(own.row_at(t), motion.row_at((1.5 + t * 1.5) / 4.0), atol=1e-12)

"""Two bodies that move, as the kernels of the advancement see them."""

from typing import Any, NamedTuple

import numpy as np

import tocsin
from tocsin.advancement.relative import relative_state
from tocsin.broad_phase.pairs import PAIR, prepare
from tocsin.broad_phase.sweep import SWEEP, link_bounds
from tocsin.motion.joints import JOINT, joint_motion
from tocsin_bench.oracles import kinematics
from tocsin_bench.scenes.trees import origin


class MovingPair(NamedTuple):
    """A prepared pair and what its kernels need; `ends` are the poses of a, then of b, at times 0 and 1."""

    world: Any
    pair: Any
    sweeps: np.ndarray
    joints: np.ndarray
    ends: tuple

    def state(self, t):
        return relative_state(self.pair, self.sweeps, self.joints, self.world.links, t)

    def poses(self, t):
        """Return the oracle's poses of a and b at t."""
        return [kinematics.body_poses(*ends, [t])[0] for ends in self.ends]


def moving_pair(rng, shape_a, shape_b, margin=0.0, spread=1.0):
    """Return two bodies on random motions, side by side."""
    ends = []
    for i in range(2):
        two = (origin(rng), origin(rng))
        for pose in two:
            pose[:3, 3] *= 0.5 * spread
            pose[0, 3] += 3.0 * i * spread
        ends.append(two)
    return pair_between(ends, shape_a, shape_b, margin)


def pair_between(ends, shape_a, shape_b, margin=0.0):
    """Return two bodies that move from pose to pose; `ends` are those of a, then of b."""
    scene = tocsin.Scene(tocsin.Body(shape_a, name="a"), tocsin.Body(shape_b, name="b"))
    world = scene.context.tables()
    joints, sweeps, table = np.zeros(2, JOINT), np.zeros(2, SWEEP), np.zeros(1, PAIR)
    for i, model in enumerate(scene.models):
        rows = model.move(*ends[i]).rows.reshape(-1)
        joint_motion(joints[i], world.links[i], rows, 0, 7, 0.0, 1.0)
        link_bounds(sweeps, joints, world.links, i)
    table[0]["b"], table[0]["margin"] = 1, margin
    prepare(table[0], world.geoms, joints, world.links, sweeps, -1.0, 1e-4)
    return MovingPair(world, table[0], sweeps, joints, tuple(ends))

"""A look at one moment: what it sees is there, and what overlaps deeply is seen."""

import numpy as np
import pytest

from advancement.moving_pair import moving_pair
from tocsin.advancement.static_witness import has_static_witness
from tocsin.advancement.workspace import make_workspace
from tocsin_bench.campaigns.planted_shapes import random_piece
from tocsin_bench.oracles import shapes


@pytest.mark.parametrize("seed", range(40))
def test_what_is_seen_to_touch_does(seed):
    rng = np.random.default_rng(seed)
    a, b = random_piece(rng, 1.0), random_piece(rng, 1.0)
    margin = 0.05 if seed % 3 == 0 else 0.0
    moving = moving_pair(rng, a.product, b.product, margin=margin, spread=0.4)
    workspace = make_workspace()
    for t in np.linspace(0.0, 1.0, 9):
        gap = shapes.distance(a.true, moving.poses(t)[0], b.true, moving.poses(t)[1])
        if has_static_witness(moving.world, moving.sweeps, moving.joints, workspace, moving.pair, t):
            assert gap <= margin + moving.pair["tolerance"]
        else:
            assert gap > 0.0

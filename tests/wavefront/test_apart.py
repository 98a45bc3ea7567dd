"""The bound of how much of a gap the time around a moment can take holds at every sample."""

import numpy as np

from tocsin.outcome import CAPPED, CONTACT, FREE
from tocsin.wavefront.apart import BETWEEN, box_clearance, look_at
from tocsin.wavefront.host import run
from wavefront.cells import arm, batch_for


def test_boxes_that_are_clear_stay_clear_of_each_other_for_the_whole_time():
    """The gap that is left at a later moment, computed anew, is no less than what was promised from the middle."""
    scene, robot, Q0, Q1 = arm()
    tables, batch, items, left = batch_for(scene, robot, Q0, Q1)
    run(tables, batch, items, left, np.zeros((200, 2), np.int32))
    checked = 0
    for e in range(0, len(Q0), 4):
        for couple in tables.couples[::3]:
            nodes = [tables.nodes[tables.geoms[couple[side]]["root"]] for side in "ab"]
            gap, lost = box_clearance(*nodes, look_at(tables, batch.joints[e], couple, 0.5, 0.1))
            for t in np.linspace(0.4, 0.6, 5):
                now, _ = box_clearance(*nodes, look_at(tables, batch.joints[e], couple, t, 0.0))
                # The best direction now is no worse than that of the middle, which is promised; boxes have 15 of them.
                if gap > lost:
                    checked += 1
                    assert now > 0.0 or gap - lost < 1e-6
    assert checked > 100


def test_the_ends_of_a_search_are_four():
    assert len({BETWEEN, FREE, CONTACT, CAPPED}) == 4

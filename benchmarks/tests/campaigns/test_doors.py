"""The campaign of what users hand in: a part of it, and that it notices what it is there to find."""

import numpy as np

from tocsin_bench.campaigns import door_list, doors
from tocsin_bench.campaigns.doors import REFUSED, SAME, campaign, cases, judged


def test_three_hundred_variants_are_answered_as_honest_copies_or_refused():
    outcomes = list(campaign(300, seed=3))
    assert [outcome for outcome in outcomes if outcome.verdict not in (SAME, REFUSED)] == []
    assert len({outcome.number for outcome in outcomes}) == 300
    for verdict in (SAME, REFUSED):
        assert sum(outcome.verdict == verdict for outcome in outcomes) > 60


def test_a_door_that_keeps_or_changes_or_trips_over_what_it_is_given_is_noticed(monkeypatch):
    def keeps(a):
        return lambda: a.sum()

    def freezes(a):
        a.setflags(write=False)
        return lambda: 1.0

    def trips(a):
        return lambda: np.asarray(a, float).reshape(7, 7)

    for build, group, variant, said in (
        (keeps, "equal", "a copy", "another answer"),
        (freezes, "equal", "a copy", "changed or frozen"),
        (trips, "equal", "a list", "ValueError: cannot reshape"),
        (lambda a: lambda: 1.0, "wrong", "complex", "though it is no number"),
    ):
        door = door_list.Door("a broken one", build, {"a": np.arange(4.0)})
        monkeypatch.setattr(door_list, "DOORS", (door,))
        assert said in judged((0, "a", group, variant))


def test_every_public_call_that_takes_numbers_is_tried():
    names = " ".join(door.name for door in door_list.DOORS)
    for call in ("Mesh", "ConvexHull", "Body.move", "Robot.follow", "Deformable", "vertex_face_times", "audit"):
        assert call in names
    assert len(cases()) > 4000
    assert set(doors.EQUAL) & set(doors.WRONG) == set()

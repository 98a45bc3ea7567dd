"""Contacts of feature pairs as they are kept: the earliest wins, ties go by certainty and features."""

import numpy as np

from plain import PLAIN
from tocsin.deform.narrow import (
    ANY,
    CAP,
    CHEAP,
    COUNTS,
    EDGE_EDGE,
    ELEMENTS,
    EVERY,
    FACE_VERTEX,
    FIRST,
    HIT,
    NODES,
    STEPS,
    VERTEX_FACE,
    Search,
    is_corner,
    is_spent,
    keep_contact,
    make_workspace,
    precedes,
    with_room,
    work_of,
    write_hit,
)  # fmt: skip
from tocsin.outcome import CAPPED, CONTACT

pytestmark = PLAIN


def hit(time, status=CONTACT, kind=VERTEX_FACE, a=0, b=0):
    row = np.zeros(1, HIT)[0]
    write_hit(row, time, kind, a, b, status)
    return row


def test_a_record_holds_what_was_written():
    row = hit(0.25, CAPPED, EDGE_EDGE, 3, 5)
    assert (row["time"], row["kind"], row["a"], row["b"], row["status"]) == (0.25, EDGE_EDGE, 3, 5, CAPPED)


def test_the_order_of_contacts_is_one_order():
    rng = np.random.default_rng(1)
    rows = [
        (float(rng.choice([0.0, 0.5])), int(rng.choice([CONTACT, CAPPED])), *rng.integers(3, size=3).tolist())
        for _ in range(40)
    ]  # fmt: skip
    for one in rows:
        for other in rows:
            forward, back = precedes(*one, hit(*other)), precedes(*other, hit(*one))
            assert not (forward and back)
            assert forward or back or one == other
            if one[0] < other[0]:
                assert forward


def test_the_best_is_kept_whatever_comes_first_and_a_list_keeps_all():
    rng = np.random.default_rng(2)
    times = rng.permutation(20) / 20.0
    for question in (FIRST, EVERY):
        search, found = Search(question, np.zeros(32, HIT), 0, 1.0), 0
        for k, time in enumerate(times.tolist()):
            found = keep_contact(search, found, time, (VERTEX_FACE, k, 0), CONTACT)
        if question == FIRST:
            assert found == 1
            assert search.hits[0]["time"] == 0.0
        else:
            assert found == 20
            assert search.hits["time"][:20].tolist() == times.tolist()


def test_room_for_more_keeps_what_is_there():
    hits = np.zeros(4, HIT)
    hits["time"] = 1.0, 2.0, 3.0, 4.0
    more = with_room(hits, 4, 10)
    assert len(more) >= 14
    assert more["time"][:4].tolist() == [1, 2, 3, 4]
    assert with_room(more, 4, 1) is more


def test_work_is_what_is_counted_in_steps_of_the_cap():
    counts = np.zeros(COUNTS, np.int64)
    counts[STEPS], counts[ELEMENTS], counts[NODES] = 3 * CHEAP, 2 * CHEAP, CHEAP
    assert work_of(counts) == 6
    assert not is_spent(counts), "without a cap nothing is"
    counts[CAP] = 6
    assert not is_spent(counts)
    counts[CAP] = 5
    assert is_spent(counts)


def test_corners_are_compared_by_what_counts_as_one():
    corners, same = np.array([[0, 1, 2]]), np.array([0, 1, 2, 1])
    assert is_corner(corners, same, 0, 1)
    assert is_corner(corners, same, 0, same[3])
    assert not is_corner(corners, same, 0, 3)


def test_a_workspace_has_room_for_every_feature_pair_of_a_chunk():
    workspace = make_workspace()
    pairs = len(workspace.pairs)
    assert len(workspace.faced) >= 3 * pairs
    assert len(workspace.edged) >= 9 * pairs
    assert workspace.counts.tolist() == [0] * COUNTS
    assert {FIRST, EVERY, ANY} == {0, 1, 2}
    assert FACE_VERTEX == 1

"""Lists of touching features: what is looked at one by one is what the arrays say, and nothing in them changes."""

import numpy as np
import pytest

from tocsin import TocsinError
from tocsin.soft_results import FeatureContact, FeatureContacts, TriangleTimes

NAMES = (("cloth", "ball"), ("cloth", "cloth"))


def said(pair, kind, a, b, time):
    a_name, b_name = NAMES[pair]
    return FeatureContact(time, a_name, b_name, ("vf", "fv", "ee")[kind], ((a,), (b,)), np.zeros(3), np.zeros(3), 0.0)


def some(complete=True):
    return FeatureContacts(
        times=np.array([0.1, 0.2, 0.3]), kind=np.array([0, 2, 0], np.int32),
        features=np.array([[1, 2], [3, 4], [5, 6]]),
        pair=np.array([0, 1, 0], np.int32), decided=np.array([True, False, True]), pairs=NAMES,
        kinds=("vf", "fv", "ee"), say=said, complete=complete,
    )  # fmt: skip


def test_each_is_put_into_words_from_its_own_row():
    found = some()
    assert len(found) == 3
    assert [c.time for c in found] == [0.1, 0.2, 0.3]
    assert found[1].kind == "ee"
    assert found[1].features == ((3,), (4,))
    assert [c.proven for c in found] == [True, False, True]
    assert found[-1].features == ((5,), (6,))


def test_a_slice_and_those_of_one_pair_are_lists_of_the_same_kind():
    found = some()
    assert found[1:].times.tolist() == [0.2, 0.3]
    assert found.between("ball", "cloth").times.tolist() == [0.1, 0.3]
    assert found.between("cloth", "cloth").features.tolist() == [[3, 4]]
    with pytest.raises(TocsinError, match="'cloth' and 'ball'"):
        found.between("cloth", "table")


def test_columns_by_kind_keep_the_order_of_time():
    found = some()
    assert found.vertex_face.tolist() == [[1, 2], [5, 6]]
    assert found.vertex_face_time.tolist() == [0.1, 0.3]
    assert found.edge_edge.tolist() == [[3, 4]]
    assert found.edge_edge_time.tolist() == [0.2]


def test_an_answer_stays_what_it_was():
    with pytest.raises(ValueError, match="read-only"):
        some().times[0] = 0.0
    with pytest.raises(ValueError, match="read-only"):
        TriangleTimes({"cloth": np.array([0.5])})["cloth"][0] = 0.0


def test_an_empty_list_is_false_unless_it_is_not_complete():
    assert some()
    assert not some()[:0]
    with pytest.raises(TocsinError, match="not complete"):
        bool(some(complete=False)[:0])
    assert repr(some(complete=False)) == "<3 touching feature pairs, not complete>"


def test_times_of_triangles_go_by_model_and_all_of_them_ascend():
    found = TriangleTimes({"cloth": np.array([0.5, np.inf, 0.25]), "flag": np.array([0.1])})
    assert found.times.tolist() == [0.1, 0.25, 0.5]
    assert list(found) == ["cloth", "flag"]
    assert len(found) == 2
    assert repr(found) == "<touching triangles: 2 of 3 of 'cloth', 1 of 1 of 'flag'>"
    with pytest.raises(TocsinError, match="flag"):
        found["clth"]
    with pytest.raises(TocsinError):
        bool(found)

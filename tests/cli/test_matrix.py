"""`tocsin matrix`: pairs that a file disables though they can collide are told apart from those that cannot."""

import numpy as np
import pytest

from tocsin.cli import matrix
from tocsin.results import LinkPair, LinkPairs

SRDF = """<robot name="arm">
  <disable_collisions link1="c" link2="a" reason="Never"/>
  <disable_collisions link1="a" link2="b" reason="Adjacent"/>
  <disable_collisions link1="b" link2="d" reason="Default"/>
</robot>
"""


def pair(a, b, verdict, witness=None):
    fields = {"link_a": a, "link_b": b, "verdict": verdict, "boxes": 12, "witness": witness, "reason": "because"}
    return LinkPair(**fields, closest=(0.25, np.inf))


@pytest.fixture
def pairs():
    found = [
        pair("a", "b", "adjacent"),
        pair("a", "c", "sometimes", np.array([0.5, -1.0])),
        pair("a", "d", "sometimes", np.array([0.0, 0.0])),
        pair("b", "d", "never"),
    ]
    return LinkPairs(0.001, tuple(found))


def test_only_what_is_disabled_and_can_collide_is_told(tmp_path, pairs):
    file = tmp_path / "arm.srdf"
    file.write_text(SRDF)
    assert matrix._colliding(pairs, file) == [("a", "c")]


def test_the_record_holds_every_pair_with_its_witness(pairs):
    told = matrix._record(pairs, [("a", "c")])
    assert [p["verdict"] for p in told["pairs"]] == ["adjacent", "sometimes", "sometimes", "never"]
    assert told["pairs"][1]["witness"] == [0.5, -1.0]
    assert told["pairs"][3]["witness"] is None
    assert told["pairs"][0]["closest"] == [0.25, None]
    assert told["disabled_and_can_collide"] == [["a", "c"]]


def test_for_people_there_is_a_row_for_each_pair_that_is_not_adjacent(tmp_path, pairs, capsys):
    matrix._show(pairs, [("a", "c")], tmp_path / "arm.srdf")
    shown = capsys.readouterr().out
    assert "arm.srdf disables 1 pairs that can collide" in shown
    assert "a and c" in shown
    assert "sometimes" in shown

"""What is to be reached is said row by row, and a paper's figure stands beside ours in every cell."""

import pytest

pytest.importorskip("rich")

from tocsin_bench.results import papers, targets


def _race(name, source, contestants, **figures):
    """A record of questions that are free and in contact in turn."""
    nothing = dict.fromkeys(("mean", "free", "contact", "worst", "pairs"))
    return {
        "benchmark": name, "group": "papers", "collides": [False, True], "skipped": {},
        "contestants": [
            {"name": who, "ours": ours, "seconds": list(seconds), "against": "tocsin first_contact", "missed": 0}
            for who, ours, seconds in contestants
        ],
        "paper": {"source": source, **nothing, **figures},
        "counts": {"pairs_total": [200, 200], "pairs_spatial": [4, 6], "pairs_temporal": [0, 1]},
    }  # fmt: skip


WALK = _race(
    "walk", "2007, Table 1", [("tocsin first_contact", True, (1e-5, 3e-5))],
    mean=1e-3, free=0.5e-3, contact=0.45e-3, worst=3e-3, pairs=(229, 8.4, 0.11),
)  # fmt: skip


def test_a_race_has_a_cell_for_every_figure_of_the_papers_row():
    cells = {(each["table"], each["column"]): each for each in papers.of(WALK)}
    assert cells["2007, Table 1", "all"]["ours"] == pytest.approx(2e-5)
    assert cells["2007, Table 1", "worst"]["paper"] == 3e-3
    assert cells["2007, Table 2", "after spatial"]["ours"] == 5.0
    assert cells["2007, Table 2", "rate"]["paper"] == pytest.approx(1.0 - 8.4 / 229)


def test_a_papers_row_is_as_good_as_its_least_cell_and_worst_cases_are_not_judged():
    (row,) = targets._papers({"walk": WALK})
    assert row == ["2007, Table 1", "walk: first_contact", "contact", "20x", "15x", "not reached", ""]


def test_figures_of_other_contestants_stand_in_rows_of_their_own_and_rivals_are_not_judged():
    record = _race(
        "walk-engines", "2007, Fig. 12",
        [("tocsin first_contact", True, (1e-5, 1e-5)), ("rival", False, (2e-4, 4e-4))],
        mean=0.26e-3, others={"rival": {"mean": 3.92e-3}},
    )  # fmt: skip
    rows = papers.rows(papers.of(record))
    assert [each["judged"] for each in rows["2007, Fig. 12", "walk-engines: rival"]] == [False]
    assert rows["2007, Fig. 12", "walk-engines: rival"][0]["ours"] == pytest.approx(3e-4)
    assert [row[1] for row in targets._papers({"walk-engines": record})] == ["walk-engines: first_contact"]


def test_cells_of_a_command_make_the_papers_table_with_nothing_where_the_paper_has_nothing():
    cells = [
        papers.cell("2004, Table 1", "1°", "total COL", 24e-3, 0.4e-3, judged=True),
        papers.cell("2004, Table 1", "5°", "total NO-COL", 8e-3, float("nan"), judged=True),
        papers.cell("2004, Table 1", "5°", "stage 2 COL", 8e-3, 0.0),
        papers.cell("screw paper, 9.1", "cubes", "low", 56e-6, 7e-6, judged=True),
    ]
    record = {"benchmark": "arm", "group": "papers", "cells": cells}
    first, second = papers.tables({"arm": record})
    assert first.title.startswith("2004, Table 1")
    assert first.rows == [["1°", "0.4 (24; 60x)"]]
    assert second.rows == [["cubes", "7 (56; 8x)"]]
    assert "microseconds" in second.title


def test_every_row_that_was_not_measured_is_counted_as_open():
    counted = targets.verdicts({"walk": WALK})
    assert counted == {"reached": 0, "not reached": 1, "open": len(targets.GOALS)}


def test_a_goal_is_missed_by_name_when_its_peer_is_not_installed():
    record = {**WALK, "benchmark": "tori", "skipped": {"coal": "not installed"}}
    goal = targets.Goal("Coal", "tori", "coal, 1000 samples", "mean", 20.0)
    assert targets._goal(goal, {"tori": record})[4:] == ["not installed", "", ""]

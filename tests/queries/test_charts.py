"""Charts of a scene's tables: made when questions have cost enough, forgotten with the tables they were made for."""

import threading

import numpy as np
import pytest

import tocsin
from tocsin.advancement.surveying import LOOK
from tocsin.queries.charts import Charts


class Surveyor:
    """Says what it was asked, and returns tables with a chart."""

    def __init__(self, made):
        self.made = made

    def charted(self, world, pairs, steps):
        self.made.append(("charted", steps))
        return world._replace(charts=np.ones(1))

    def charted_now(self, world, a, b):
        self.made.append(("now", a, b))
        return world._replace(charts=np.ones(2))


@pytest.fixture
def charts(monkeypatch):
    scene = tocsin.Scene(tocsin.Body(tocsin.Sphere(1.0), name="ball"))
    found = Charts(scene.models, True, threading.Lock())
    found.made = []
    monkeypatch.setattr(found, "_new_surveyor", lambda margin, tolerance: Surveyor(found.made))
    found.world = scene.context.tables()
    found.begin(found.world)
    return found


def test_pairs_are_looked_at_when_many_steps_were_taken_and_then_half_as_often(charts):
    none = np.zeros(0)
    charts.count(LOOK - 1, charts.world, none, 0.0, 1e-4)
    assert charts.made == []
    charts.count(1, charts.world, none, 0.0, 1e-4)
    assert charts.made == [("charted", LOOK)]
    assert charts.spent == 0
    charts.count(LOOK, charts.world, none, 0.0, 1e-4)
    assert len(charts.made) == 1
    charts.count(LOOK, charts.charted[0.0, 1e-4], none, 0.0, 1e-4)
    assert len(charts.made) == 2


def test_charts_go_by_margin_and_tolerance(charts):
    charts.survey(charts.world, np.zeros(0), 0.1, 1e-4)
    assert list(charts.charted) == [(0.1, 1e-4)]
    assert (0.0, 1e-4) not in charts.charted


def test_a_question_on_tables_that_are_gone_changes_nothing_of_the_new_ones(charts):
    other = tocsin.Scene(tocsin.Body(tocsin.Sphere(1.0), name="ball")).context.tables()
    charts.survey(other, np.zeros(0), 0.0, 1e-4)
    assert charts.made == []
    told = charts.with_chart(other, 3, 4, 0.0, 1e-4)
    assert charts.made == [("now", 3, 4)], "it is answered, for itself alone"
    assert len(told.charts) == 2
    assert charts.charted == {}


def test_a_chart_without_which_there_is_no_answer_is_kept_for_the_next(charts):
    told = charts.with_chart(charts.world, 0, 1, 0.0, 1e-4)
    assert charts.charted[0.0, 1e-4] is told
    charts.begin(charts.world)
    assert charts.charted == {}
    assert charts.next_look == LOOK

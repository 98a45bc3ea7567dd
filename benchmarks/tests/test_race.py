"""A race is fair and its judge is right: misses, late answers, alarms and ratios, from contestants made up here."""

import argparse
import math

import numpy as np
import pytest

pytest.importorskip("rich")

from tocsin_bench import race, registry, report
from tocsin_bench.results import compare, markdown, page, runs, tables, targets

TRUE_TIMES = (0.25, math.inf, 0.5, math.inf, 0.75)


def _contestant(name, times, seconds, **options):
    """Claims to take so many seconds a question, and takes none."""

    def run(questions):
        return np.array([seconds] * len(questions)), [times[k] for k in questions]

    return race.Contestant(name, run, **options)


@pytest.fixture
def record():
    ours = _contestant("tocsin", TRUE_TIMES, 1e-4, ours=True, proves=True)
    peer = _contestant("peer", (0.25, 0.1, math.inf, math.inf, 0.8), 4e-4, against="tocsin")
    says_no_time = _contestant("yes or no", (math.nan, math.inf, math.nan, math.inf, math.inf), 2e-4, against="tocsin")
    slow = _contestant("slow", TRUE_TIMES, report.PATIENCE / 2.0, against="tocsin")
    entry = race.Benchmark(
        "made-up", "Made up.", "when?", "rigid",
        lambda count, repeats, seed: race.Race(
            [ours, peer, says_no_time, slow], count, repeats, "tocsin", confirm=lambda k, t: k == 2,
            skipped={"absent": "not installed"}, paper=race.Paper("1999, Table 3", mean=1e-2),
        ),
        questions=5, repeats=3,
    )  # fmt: skip
    return entry.run(None, None, 1, None)


def _of(record, name):
    return next(c for c in record["contestants"] if c["name"] == name)


def test_a_contact_called_free_is_missed_and_one_without_overlap_only_grazed(record):
    assert _of(record, "peer")["missed"] == 1
    assert _of(record, "yes or no")["missed"] == 0
    assert _of(record, "yes or no")["grazed"] == 1


def test_late_answers_and_alarms_are_counted(record):
    peer = _of(record, "peer")
    assert (peer["late"], peer["timed"], peer["alarms"]) == (1, 2, 1)
    assert peer["lateness"] == pytest.approx(0.05)


def test_a_slow_contestant_is_given_fewer_questions_and_ratios_compare_the_same_ones(record):
    assert race.ratios(record, _of(record, "peer"))["mean"] == pytest.approx(4.0)
    assert len(_of(record, "slow")["seconds"]) == 2
    assert race.ratios(record, _of(record, "slow"))["mean"] == pytest.approx(report.PATIENCE / 2.0 / 1e-4)


def _counting(seconds):
    asked = []

    def run(questions):
        asked.append(list(questions))
        return np.array([seconds(k, len(asked)) for k in questions]), [math.inf] * len(questions)

    return run, asked


def test_a_peer_that_takes_very_long_for_one_question_is_asked_once():
    run, asked = _counting(lambda k, call: 100.0)
    done = report.rounds({"peer": run}, 5, 3, patience=1.0, peers=["peer"])
    assert asked == [[0]]
    assert done["peer"].seconds.tolist() == [100.0]


def test_what_a_first_call_compiles_costs_us_no_questions():
    run, _ = _counting(lambda k, call: 60.0 if call == 1 else 1e-3)
    done = report.rounds({"ours": run}, 5, 2, patience=1.0)
    assert done["ours"].seconds.tolist() == [1e-3] * 5


def test_a_run_may_do_with_some_of_the_peers():
    skipped = {}
    with race.only(["coal, every 0.05 rad"]):
        assert race.available("coal", skipped, lambda: "made") == "made"
        assert race.available("hpp", skipped, lambda: "made") is None
        ours, peer = (
            _contestant(name, TRUE_TIMES, 1e-4, ours=name == "ours") for name in ("ours", "coal, every 0.01 rad")
        )
        record = race.run(race.Race([ours, peer], 5, 1, "ours"), "some")
    assert skipped == {"hpp": "left out of this run"}
    assert [c["name"] for c in record["contestants"]] == ["ours"]
    assert race.available("hpp", skipped, lambda: "made") == "made"


def test_contestants_take_turns_and_another_one_starts_each_round():
    asked = []

    def runner(name):
        def run(questions):
            asked.append(name)
            return np.zeros(len(questions)), [None] * len(questions)

        return run

    report.rounds({name: runner(name) for name in "abc"}, 3, 3, warm_up=False)
    assert "".join(asked) == "abc" + "bca" + "cab"


def test_a_run_is_read_back_as_it_was_written_and_infinities_become_null(record, tmp_path):
    folder = runs.start(tmp_path)
    runs.add(folder, record)
    run = runs.latest(tmp_path)
    assert run.records["made-up"]["contestants"][0]["times"] == [0.25, None, 0.5, None, 0.75]
    assert run.about["machine"]["versions"]["numpy"] == np.__version__


def test_what_is_no_run_is_refused_in_a_sentence(tmp_path):
    (tmp_path / "results.jsonl").write_text("{}\n")
    with pytest.raises(runs.TocsinError, match="is not a file that"):
        runs.read(tmp_path)
    with pytest.raises(runs.TocsinError, match="there is no run"):
        runs.latest(tmp_path / "nowhere")


@pytest.fixture
def run(record, tmp_path):
    folder = runs.start(tmp_path)
    runs.add(folder, record)
    return runs.read(folder)


def test_the_page_stands_alone_and_says_who_was_skipped(run):
    pytest.importorskip("matplotlib")
    text = page.write(run).read_text()
    assert "http" not in text.replace("http://www.w3.org", "")  # the name of a format, not a place
    assert "absent: not installed" in text
    assert text.count("<svg") == 1
    assert "currentColor" in text


def test_markdown_has_the_tables_and_the_papers_row(run):
    pytest.importorskip("matplotlib")
    text = markdown.write(run).read_text()
    assert "| paper: 1999, Table 3 |" in text
    assert "![made-up](made-up.svg)" in text
    assert (run.folder / "made-up.svg").read_text().startswith("<svg")


def test_comparing_two_runs_divides_by_what_happened_to_the_peers(run, record, tmp_path):
    slower = {**record, "contestants": [{**c, "seconds": 2.0 * np.array(c["seconds"])} for c in record["contestants"]]}
    folder = runs.start(tmp_path / "later")
    runs.add(folder, slower)
    rows = {row[0]: row[1:] for row in compare.tables(runs.read(folder), run)[0].rows}
    assert rows["made-up: tocsin"][2:] == ["+100.0 %", "+0.0 %"]


def test_the_table_of_targets_says_what_was_not_run_and_what_was_not_reached(record):
    goal = targets.Goal("the peer", "made-up", "peer", "mean", 5.0)
    row = targets._goal(goal, {"made-up": record})
    assert row[-3:] == ["4x", "not reached", "1 of 3"]
    assert "not run" in targets._goal(goal, {})


def test_the_times_table_has_the_ratio_to_the_paper(record):
    last = tables.times(record).rows[-1]
    assert last[0] == "paper: 1999, Table 3"
    assert "100x" in last


def test_a_command_is_told_where_to_draw_and_its_pictures_and_cells_are_kept(tmp_path, monkeypatch):
    def run(args):
        (tmp_path / "scene-a.png").write_bytes(b"")
        assert (args.picture, args.repeats, args.count) == (str(tmp_path / "scene"), 2, 7)
        return {"cells": [{"table": "a"}], "seconds": {"ours": [1.0]}}

    parser = argparse.ArgumentParser(description="Draws.")
    parser.add_argument("--picture")
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--count", type=int, default=7)
    parser.set_defaults(run=run)
    monkeypatch.setattr(registry, "_parsers", lambda: {"draws": parser})
    pictures = (("picture", "scene", "scene-a.png"), ("picture", "scene", "scene-b.png"))
    entry = registry.Command("drawn", "what?", "papers", command="draws", pictures=pictures)
    record = entry.run(None, 2, 1, tmp_path)
    assert record["pictures"] == ["scene-a.png"]
    assert record["cells"] == [{"table": "a"}]
    assert record["distributions"] == {"ours": [1.0]}


def test_every_entry_has_a_name_of_its_own_and_a_group_that_reports_know():
    listed = [entry.name for entry in [*registry.races(), *registry.COMMANDS]]
    assert len(set(listed)) == len(listed)
    assert {entry.group for entry in registry.entries().values()} <= set(race.GROUPS)
    assert set(targets.COUNTS) <= set(listed)


def test_the_interval_engines_row_asks_about_the_steps_that_its_command_measures():
    steps = registry._parsers()["engines"].get_default("frames")
    assert targets.COUNTS["walk-engines"][0] == steps
    assert registry.entries()["walk-engines"].questions == steps


def test_times_are_written_with_three_figures_or_whole():
    assert [report.ms(seconds) for seconds in (1.234e-5, 0.1234, 3.4, math.nan)] == ["0.0123", "123", "3,400", "-"]
    assert [report.us(seconds) for seconds in (1.234e-5, 0.1234)] == ["12.3", "123,400"]


def test_tables_and_plots_of_a_page_scroll_by_themselves(run):
    pytest.importorskip("matplotlib")
    text = page.write(run, run).read_text()
    assert text.count("<table>") == text.count("<div class=scroll><table>")
    assert "id=compared" in text

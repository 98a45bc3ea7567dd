"""The report and the page of a program: they say what the audit says, by themselves, and no more."""

import re

import pytest

import tocsin
from tocsin import Body, Box, Program, Scene, Sphere
from tocsin.viewer.report import digest_of, report_text


def test_a_report_says_what_was_found_and_of_what(audited, tmp_path):
    scene, _, found = audited
    file = tocsin.save_report(tmp_path / "deep" / "report.html", found, title="cell 4")
    text = file.read_text(encoding="utf-8")
    assert "NOT KEPT" in text
    assert f"{found.conflicts[0].enter:.4f} s" in text
    assert "part &lt;b&gt;" in text
    assert "<b>" not in text.replace("<b>NOT KEPT</b>", "")
    assert tocsin.__version__ in text
    assert digest_of(scene.models[0]) in text
    assert not re.search(r"(src|href)=", text)  # nothing else is needed
    assert "<script" not in text
    assert "arm grips part" in text


def test_the_digest_is_of_the_model_and_not_of_where_it_stands_or_what_it_carries(audited):
    scene, _, _ = audited
    robot, part = scene.models[:2]
    before = digest_of(robot), digest_of(part)
    robot.attach(part, "hand", touching=[])
    robot.stand_at([0.3])
    assert (digest_of(robot), digest_of(part)) == before
    robot.detach(part)
    robot.stand_at([0.0])
    part.place((0.55, 0, 0))
    assert digest_of(Body(Box((0.05, 0.05, 0.05001)), name="part <b>")) != before[1]


def test_a_free_program_is_called_proven(audited):
    scene, _, _ = audited
    robot = scene.models[0]
    found = tocsin.audit(scene, Program("still").move(robot, [0.1], seconds=1.0))
    text = report_text(found, "still")
    assert "PROVEN" in text
    assert "No stretch of time is left unproven" in text


def test_what_is_no_audit_of_a_program_is_refused(audited, tmp_path):
    scene, _, found = audited
    with pytest.raises(tocsin.TocsinError, match="a report is of"):
        tocsin.save_report(tmp_path / "x.html", scene)
    with pytest.raises(tocsin.TocsinError, match=r"the audit of a program has its own margin, 0 m; got 0\.1"):
        tocsin.save_page(tmp_path / "x.html", scene, found, margin=0.1)
    with pytest.raises(tocsin.TocsinError, match="give the audit instead of the program, and leave out hit="):
        tocsin.save_page(tmp_path / "x.html", scene, found, hit=scene.first_contact())
    with pytest.raises(tocsin.TocsinError, match="another scene"):
        tocsin.save_page(tmp_path / "x.html", Scene(Body(Sphere(1.0))), found)


def test_a_stretch_that_only_errors_bring_within_the_margin_says_so():
    ball, post = Body(Sphere(0.1), (-1, 0, 0), name="ball"), Body(Sphere(0.1), (0, 0.25, 0), name="post")
    program = Program().follow(ball, [(-1, 0, 0), (1, 0, 0)], times=[0, 1], error=0.1)
    text = report_text(tocsin.audit(Scene(ball, post), program), "near", ())
    assert "only errors or the tolerance reach the margin" in text
    assert "There is 1 stretch of time in which a margin is not kept" in text


@pytest.mark.parametrize("first", [0.0, 1.7632e9])
def test_charts_have_round_numbers_and_are_empty_where_a_pair_is_not_checked(audited, first):
    """Stamps of today were all 1.76e+09 s, and a pair that is not there was drawn as proven to be 0 m apart."""
    scene, _, _ = audited
    robot, part = scene.models[:2]
    program = Program("turn").attach(robot, part, "hand", at=first).move(robot, [0.9], seconds=2.5)
    program.detach(robot, part).wait(robot, 2.5)
    text = report_text(tocsin.audit(scene, program), "turn", ())
    (chart,) = re.findall(r"<figure><figcaption>arm/part[^<]* and post.*?</figure>", text)
    assert "gaps: not checked then" in chart
    assert [f"{first + k:.0f} s" in chart for k in range(6)] == [True] * 6
    drawn = [float(x) for x in re.findall(r"H([0-9.]+)", re.search(r'd="([^"]*)" stroke="#17693a"', chart)[1])]
    assert max(drawn) == pytest.approx(62.0 + 0.5 * (720.0 - 62.0 - 24.0), abs=0.1)

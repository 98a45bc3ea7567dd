"""The audit of a program: what it calls free is free, what it names touches, clearances lie between their bounds."""

import math

import numpy as np
import pytest

import tocsin
from gripping import arm
from tocsin import Body, Box, Deformable, Program, RobotBuilder, Scene, Sphere, Status


def pick(post=(0.25, 0.58, 0.0)):
    """An arm takes a part to its left, past a post."""
    robot, part = arm(), Body(Box((0.05, 0.05, 0.05)), (0.59, 0, 0), name="part")
    thing = Body(Sphere(0.05), post, name="post")
    robot.stand_at([-1.0, 0.0])
    program = Program("pick")
    program.move(robot, [0.0, 0.0], seconds=1.0)
    program.attach(robot, part, "hand")
    program.move(robot, [1.8, 0.0], seconds=2.0)
    program.detach(robot, part)
    program.move(robot, [0.2, 0.0], seconds=1.5)
    scene = Scene(robot, part, thing)
    scene.ignore("hand", "part")
    return scene, robot, part, program


def test_what_is_carried_is_audited_and_the_conflict_is_where_sampling_finds_it():
    scene, robot, part, program = pick()
    found = tocsin.audit(scene, program)
    assert found.status is Status.CONTACT
    names = [{c.pair.link_a, c.pair.link_b} for c in found.conflicts]
    assert {"part", "post"} in names
    conflict = found.conflicts[names.index({"part", "post"})]
    robot.stand_at([0.0, 0.0])
    robot.attach(part, "hand", touching=["hand"])
    fine = np.linspace(1.0, 3.0, 2001)
    touching = fine[[scene.distance(robot.at([0.9 * (t - 1.0), 0.0])).distance == 0.0 for t in fine]]
    assert conflict.enter <= touching[0] <= touching[-1] <= conflict.exit + 1e-9
    assert conflict.enter == pytest.approx(touching[0], abs=3e-3)
    assert conflict.exit == pytest.approx(touching[-1], abs=3e-3)
    assert conflict.distance == 0.0
    assert 0.0 < conflict.depth < 0.1
    assert conflict.speed == pytest.approx(0.9 * np.linalg.norm(conflict.point), rel=0.1)


def test_a_free_program_is_proven_with_its_clearance():
    scene, _, _, program = pick(post=(0.25, 0.8, 0.0))
    found = tocsin.audit(scene, program, margin=0.01)
    assert found.is_free
    assert found.conflicts == ()
    assert 0.98 * found.clearance.upper <= found.clearance.lower <= found.clearance.upper
    assert found.tube_share is None
    least = min(found.curves, key=lambda c: c.least)
    assert least.least >= found.clearance.lower
    for curve in found.curves:
        for t, upper in zip(curve.times, curve.upper):
            inside = (curve.edges[:-1] < t) & (t < curve.edges[1:])
            assert all(curve.lower[inside] <= upper + 1e-12)
        assert curve.lower.max() > 0.0


def test_a_margin_that_is_not_kept_tells_by_how_much():
    scene, _, _, program = pick(post=(0.25, 0.8, 0.0))
    clear = tocsin.audit(scene, program).clearance.upper
    scene.margins["part", "post"] = clear + 0.01
    found = tocsin.audit(scene, program)
    (conflict,) = [c for c in found.conflicts if {c.pair.link_a, c.pair.link_b} == {"part", "post"}]
    assert conflict.margin == clear + 0.01
    assert conflict.distance == pytest.approx(clear, abs=1e-4)
    assert conflict.depth == pytest.approx(0.01, abs=1e-4)


def test_two_robots_on_one_clock_meet_or_miss_each_other():
    one, two = arm("one"), arm("two", (1.0, 0, 0))
    scene = Scene(one, two)
    meeting = Program().move(one, [0.8, 0.0], seconds=1.0).move(one, [0.0, 0.0], seconds=1.0)
    meeting.follow(two, [[2.0, 0.0], [math.pi - 0.2, 0.0]], times=[0, 2])
    assert not tocsin.audit(scene, meeting).is_free
    apart = Program().move(one, [-0.8, 0.0], seconds=1.0)
    apart.follow(two, [[1.2, 0.0], [0.0, 0.0]], times=[0, 1.3])
    assert tocsin.audit(scene, apart).is_free


def test_a_tube_takes_its_share_of_the_clearance():
    scene, robot, _, _ = pick(post=(0.25, 0.8, 0.0))
    robot.stand_at([0.0, 0.0])
    plain = Program().move(robot, [1.8, 0.0], seconds=2.0)
    tube = Program().move(robot, [1.8, 0.0], seconds=2.0, error={"j0": 0.02})
    wide, narrow = tocsin.audit(scene, tube), tocsin.audit(scene, plain)
    assert wide.clearance.lower < narrow.clearance.lower
    assert 0.0 < wide.tube_share < 1.0
    assert wide.tube_share == pytest.approx(1.0 - wide.clearance.lower / narrow.clearance.lower, abs=0.03)


def test_what_happens_later_changes_nothing_of_what_is_looked_at_later():
    scene, robot, part, program = pick()
    told, later = tocsin.audit(scene, program), tocsin.audit(scene, program)
    wanted = [(c.distance, c.depth, c.at, c.speed) for c in told.conflicts]
    curves = [(str(c.pair), c.lower.tolist(), c.upper.tolist()) for c in told.curves]
    kept = told.clearance.lower, told.clearance.upper, told.clearance.at
    scene.models[2].place((5.0, 5.0, 5.0))
    scene.ignore("part", "post")
    robot.stand_at([1.0, 0.0])
    robot.attach(part, "base", pose=(0, 0, 1))
    program.move(robot, [0.5, 0.5], seconds=3.0)
    assert (later.clearance.lower, later.clearance.upper, later.clearance.at) == kept
    assert [(c.distance, c.depth, c.at, c.speed) for c in later.conflicts] == wanted
    assert [(str(c.pair), c.lower.tolist(), c.upper.tolist()) for c in later.curves] == curves


def test_deformable_models_are_audited_by_halving_time():
    robot = arm()
    sheet = Deformable([[0.0, 0.5, -0.5], [0.4, 0.5, -0.5], [0.2, 0.5, 0.5]], [[0, 1, 2]], name="sheet")
    program = Program().move(robot, [1.4, 0.0], seconds=2.0)
    program.follow(sheet, [sheet.vertices, sheet.vertices + (0.0, 0.005, 0.0)], times=[0, 2])
    found = tocsin.audit(Scene(robot, sheet), program, resolution=0.01)
    still = Program().move(robot, [0.2, 0.0], seconds=2.0)
    still.follow(sheet, [sheet.vertices, sheet.vertices + (0.0, 0.3, 0.0)], times=[0, 2])
    assert tocsin.audit(Scene(robot, sheet), still).is_free
    for conflict in found.conflicts:
        assert conflict.enter < conflict.exit
    assert not found.is_free


def test_a_cap_leaves_what_it_did_not_see_undecided():
    scene, _, _, program = pick()
    found = tocsin.audit(scene, program, max_steps=1)
    assert not found.is_free
    assert all(not c.is_contact for c in found.conflicts) or found.conflicts


def test_progress_is_told_and_ends():
    scene, _, _, program = pick(post=(0.25, 0.8, 0.0))
    told = []
    tocsin.audit(scene, program, progress=lambda done, total: told.append((done, total)))
    assert told
    assert all(done <= total for done, total in told)


def test_what_does_not_fit_is_said():
    scene, _, _, program = pick()
    with pytest.raises(tocsin.TocsinError, match="leave trajectory, times and error out"):
        tocsin.audit(scene, program, [[0, 0], [1, 1]])
    with pytest.raises(tocsin.TocsinError, match="takes no time"):
        tocsin.audit(scene, Program())
    with pytest.raises(tocsin.TocsinError, match="margin"):
        tocsin.audit(scene, program, margin=-1.0)


def test_margins_that_an_audit_tries_by_itself_are_not_remarked_on(recwarn):
    cart, far = Body(Sphere(0.1), name="cart"), Body(Sphere(0.1), (9, 0, 0), name="far")
    program = Program().move(cart, (1, 0, 0), seconds=1.0)
    scene = Scene(cart, far)
    found = tocsin.audit(scene, program)
    assert found.clearance.lower > 7.0
    assert len(found.curves) == 1
    assert not [str(w.message) for w in recwarn]
    tocsin.audit(scene, program, margin=3.0)
    assert [w.category for w in recwarn] == [tocsin.UnitWarning]


def test_a_contact_that_outlasts_a_grip_elsewhere_is_one_stretch():
    builder = RobotBuilder("plough").link("base")
    plough = builder.link("blade", (Sphere(0.1), (1, 0, 0)), parent="base", joint="revolute").build()
    robot, part = arm(at=(10, 0, 0)), Body(Box((0.05, 0.05, 0.05)), (10.58, 0, 0.2), name="part")
    ground = Body(Box((5, 5, 0.1)), (0, 0, 0.1), name="ground")
    program = Program().follow(plough, [[0.0], [1.0]], times=[0, 10])
    program.attach(robot, part, "hand", at=1.35)
    program.detach(robot, part, at=7.21)  # 1.35 + (7.21 - 1.35) is rounded to less
    found = tocsin.audit(Scene(plough, robot, part, ground), program)
    assert [(c.enter, c.exit) for c in found.conflicts if c.pair.link_a == "blade"] == [(0.0, 10.0)]


def test_an_audit_and_its_clearance_say_what_was_found_in_a_line():
    scene, *_, program = pick()
    found = tocsin.audit(scene, program, margin=0.001)
    first = found.conflicts[0]
    said = f"<ProgramAudit: {found.status}, Program 'pick': 5 steps of arm, 4.5 s, margin 0.001 m; "
    assert repr(found).startswith(f"{said}from {first.enter:.6g} s between {first.pair.said}")
    assert repr(found.clearance).startswith("<Kept: more than 0 m, 0 m seen at ")


def test_what_the_last_event_leaves_in_contact_is_told():
    """A hand that holds a part may touch it; after it let go, at the end of all, it may not."""
    robot, part = arm(), Body(Box((0.05, 0.05, 0.05)), (0.56, 0, 0), name="part")
    scene = Scene(robot, part)
    program = Program().attach(robot, part, "hand").move(robot, [1.0, 0.0], seconds=3.0)
    assert tocsin.audit(scene, program).is_free
    (conflict,) = tocsin.audit(scene, program.detach(robot, part)).conflicts
    assert (conflict.enter, conflict.exit, conflict.at) == (3.0, 3.0, 3.0)
    assert {conflict.pair.link_a, conflict.pair.link_b} == {"hand", "part"}
    assert conflict.depth > 0.01
    assert conflict.speed == 0.0
    scene.ignore("hand", "part")
    found = tocsin.audit(scene, program)
    assert found.is_free
    assert found.clearance.lower > 0.0
    assert len(found.curves) > 0


def test_curves_say_nothing_of_what_is_not_checked_while_it_is_held():
    """What hangs on a link is not asked about with it, and was told as proven to be far from it."""
    robot, part = arm(), Body(Box((0.05, 0.05, 0.05)), (0.58, 0, 0), name="part")
    post = Body(Sphere(0.05), (0.0, 1.5, 0.0), name="post")
    scene = Scene(robot, part, post)
    scene.margins["hand", "part"] = 0.0
    program = Program().move(robot, [0.0, 0.0], seconds=1.0).attach(robot, part, "hand")
    program.move(robot, [1.0, 0.0], seconds=1.0).detach(robot, part).attach(robot, part, "upper", touching=["base"])
    program.move(robot, [0.0, 0.0], seconds=1.0)
    found = tocsin.audit(scene, program)
    (curve,) = [c for c in found.curves if c.pair.said == "arm/hand and arm/part"]
    for t, held in ((0.5, True), (1.5, True), (2.5, False)):  # not there, in this hand, in another
        proven = curve.lower[(curve.edges[:-1] < t) & (t < curve.edges[1:])].max()
        apart = np.interp(t, curve.times, curve.upper)
        assert proven <= apart
        assert ((proven, apart) == (0.0, np.inf)) is held


def test_two_bodies_in_one_hand_are_one_pair_in_whatever_order_they_were_gripped():
    """They were two pairs, each with a proven curve of what the other was not asked about."""
    robot = arm()
    parts = [Body(Sphere(0.02), (0.58, 0.05 * k, 0), name=f"part{k}") for k in range(2)]
    scene = Scene(robot, *parts, Body(Sphere(0.05), (0.0, 1.5, 0.0), name="post"))
    program = Program()
    for first, second in ((0, 1), (1, 0)):
        program.attach(robot, parts[first], "hand").attach(robot, parts[second], "hand")
        program.move(robot, [0.5 * second, 0.0], seconds=1.0)
        program.detach(robot, parts[0]).detach(robot, parts[1])
    found = tocsin.audit(scene, program)
    (curve,) = [c for c in found.curves if c.pair.said in ("arm/part0 and arm/part1", "arm/part1 and arm/part0")]
    assert curve.pair.said == "arm/part0 and arm/part1"
    assert curve.lower.max() <= curve.least == pytest.approx(0.01)
    parts[1].place((0.58, 0.03, 0.0))
    (conflict,) = [c for c in tocsin.audit(scene, program).conflicts if c.pair.model_a == "arm"]
    assert (conflict.enter, conflict.exit) == (0.0, 2.0)


def test_errors_take_nothing_of_a_clearance_that_there_is_not():
    """They took "nothing: no clearance is proven without them either" where there is nothing to keep away from."""
    ball = Body(Sphere(0.1), name="ball")
    found = tocsin.audit(Scene(ball), Program().follow(ball, [(0, 0, 0), (1, 0, 0)], times=[0, 1], error=0.1))
    assert (found.is_free, found.tube_share, found.tube_said) == (True, None, "")

"""Two engines, asked alike, do not contradict each other; and the judge notices where they would."""

import dataclasses
import itertools
import math

import pytest

from tocsin.results import FirstContact, Status
from tocsin_bench.campaigns import agreement
from tocsin_bench.oracles import kinematics as kin


def test_both_engines_agree_on_random_questions():
    tally = agreement.campaign(300, 11)
    assert tally.count == 300
    assert tally.disagreements == []
    assert tally.capped == {"advancement": 0, "interval": 0}
    assert min(tally.statuses.get(word, 0) for word in ("free", "contact", "initial contact")) > 20


@pytest.fixture(scope="module")
def met():
    """A question with a contact in the middle, and its answer."""
    for question in itertools.islice(agreement.questions(11), 100):
        hit = question.ask("interval")
        if hit.status is Status.CONTACT and 0.1 < hit.time < 0.8 and question.margin == 0.0:
            return question, hit
    raise AssertionError("no such question")


def test_a_contact_that_was_missed_is_a_disagreement(met):
    question, hit = met
    missed = FirstContact(Status.FREE, math.inf)
    assert "says FREE" in agreement.contradiction(question, {"advancement": missed, "interval": hit})


def test_a_contact_that_comes_late_is_a_disagreement(met):
    question, hit = met
    late = FirstContact(Status.CONTACT, hit.time + 0.05, tolerance=hit.tolerance)
    assert "says CONTACT" in agreement.contradiction(question, {"advancement": late, "interval": hit})


def test_a_contact_where_nothing_is_near_is_a_disagreement(met):
    question, hit = met
    early = FirstContact(Status.CONTACT, 0.5 * hit.time, tolerance=1e-9)
    assert question.distance(early.time)[1] > 1e-6
    assert "where the distance is" in agreement.contradiction(question, {"advancement": hit, "interval": early})


def test_a_question_is_asked_again_by_its_name():
    first = next(agreement.questions(11))
    again = agreement.replay(first.name)
    assert again["interval"].time == first.ask("interval").time
    assert again["contradiction"] == ""


def test_a_gap_too_narrow_to_be_measured_is_no_touch():
    """A capsule's end 3e-13 m above a face is measured as touching it; in 50 digits the face's plane separates them."""
    again = agreement.replay("arm:4:532:12")
    question, hit = again["question"], again["advancement"]
    robot, capsule = (motion.model for motion in question.motions)
    when = float.fromhex("0x1.a6581a9c7cd7cp-1")  # the first at which no distance is measured, by bisection
    assert hit.time < when
    assert question.distance(when)[0] == 0.0
    assert not question.touches(when)
    assert again["contradiction"] == ""
    (contact,) = hit.contacts
    chain = [kin.Joint(), *(joint_above(robot, link) for link in ("link6", "link10"))]
    assert [joint.kind for joint in chain[1:]] == ["prismatic", "fixed"]
    tree = kin.Tree((chain[0], chain[1], dataclasses.replace(chain[2], parent=1)))
    value = robot.links["config"][robot.link_index("link6")]
    ends = question.motions[0].rows[:, [value]]
    block, sheet = robot.shapes[robot.link_index("link10")]
    length, radius = capsule.shapes[0][0].source.length, capsule.shapes[0][0].source.radius
    for t in (when, when - 1e-9, when - 1e-3):
        pose = kin.poses_mp(tree, *ends, t)[2]
        turned = kin.quaternion_to_mp(question.motions[1].rows[0, 3:])
        standing = (turned, kin.linear_mp(*question.motions[1].rows[:, :3], kin.mp.mpf(t)))
        axis = [kin.apply_mp(standing, [0, 0, side * kin.mp.mpf(length) / 2]) for side in (-1, 1)]
        corners, far = (
            [kin.apply_mp(pose, [kin.mp.mpf(x) for x in p]) for p in s.points.tolist()] for s in (block, sheet)
        )
        assert min(kin.unapply_mp(standing, p)[0] for p in far) > radius + 0.9
        a, b, c = (corners[k] for k in contact.features[0])
        normal = cross([x - y for x, y in zip(b, a)], [x - y for x, y in zip(c, a)])
        size = kin.mp.sqrt(sum(x * x for x in normal))

        def height(point, a=a, normal=normal, size=size):
            return sum(n * (x - y) for n, x, y in zip(normal, point, a)) / size

        assert (
            max(height(p) for p in corners) < 1e-16
        )  # four corners of the block's side lie in one plane but for rounding
        assert min(height(p) for p in axis) > radius + 1e-13


def joint_above(robot, link):
    """The joint of a link, for the oracle, on the root."""
    row = robot.links[robot.link_index(link)]
    origin = kin.frame(row["rotation"], row["translation"])
    return kin.Joint({0: "fixed", 2: "prismatic"}[int(row["kind"])], 0, origin, tuple(row["axis"]))


def cross(u, v):
    return [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]

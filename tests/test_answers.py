"""Answers as values: copied with changes, sent to another process, listed, and told apart by their types."""

import copy
import dataclasses
import pickle

import numpy as np
import pytest

import tocsin
from tocsin.errors import TocsinError
from tocsin_bench.scenes import shapes


def placed(x=0.0, y=0.0, z=0.0):
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


@pytest.fixture(scope="module")
def mixed():
    """A triangle that falls onto a table, and a ball that rolls against a post: (scene, fall, roll, post, ball)."""
    sheet = np.array([[0.0, 0, 1], [1, 0, 1], [0, 1, 1.01]])
    cloth = tocsin.Deformable(sheet, [[0, 1, 2]], name="cloth")
    table = tocsin.Body(tocsin.Box((4, 4, 0.2)), placed(z=-0.1), name="table")
    post = tocsin.Body(tocsin.Box((0.2, 0.2, 2.0)), placed(x=-1.0, z=1.2), name="post")
    ball = tocsin.Body(tocsin.Sphere(0.2), placed(x=-3.0, z=1.0), name="ball")
    return tocsin.Scene(cloth, table, post, ball), cloth.move(sheet, sheet - (0, 0, 2.0)), ball


def test_an_answer_can_be_copied_with_changes(mixed):
    scene, fall, ball = mixed
    for motions in ((fall,), (ball.move(placed(-3, 0, 1), placed(0, 0, 1)),)):
        hit = scene.first_contact(*motions)
        assert len(hit.contacts) > 0
        other = dataclasses.replace(hit, time=0.25)
        assert (other.status, other.time, other.bracket) == (hit.status, 0.25, (0.25, 0.25))
        assert other.contacts == hit.contacts
        assert other.stats == hit.stats
        assert other.motions is hit.motions


def test_an_answer_can_be_sent_to_another_process(mixed):
    scene, fall, ball = mixed
    for motions in ((fall,), (ball.move(placed(-3, 0, 1), placed(0, 0, 1)),)):
        hit = scene.first_contact(*motions)
        sent = pickle.loads(pickle.dumps(hit))
        assert (sent.status, sent.time, sent.tolerance, sent.stats) == (hit.status, hit.time, hit.tolerance, hit.stats)
        assert [c.kind for c in sent.contacts] == [c.kind for c in hit.contacts]
        np.testing.assert_array_equal(sent.contacts[0].point_a, hit.contacts[0].point_a)


def test_nobody_writes_into_an_answer_about_links(mixed):
    scene, _, ball = mixed
    hit = scene.first_contact(ball.move(placed(-3, 0, 1), placed(0, 0, 1)))
    with pytest.raises(ValueError, match="read-only"):
        hit.contacts[0].point_a[0] = 5.0


def arrays_in(answer):
    """Return every array that an answer shows, by name."""
    names = [name for name in dir(answer) if not name.startswith("_")]
    shown = {name: getattr(answer, name) for name in names}
    shown |= {f"by_model[{name!r}]": times for name, times in shown.get("by_model", {}).items()}
    return {name: value for name, value in shown.items() if isinstance(value, np.ndarray) and value.size}


def test_nobody_writes_into_a_list_of_contacts(mixed):
    """What a user does to an array of a list must not show when the list is read again."""
    scene, fall, _ = mixed
    a, b = (
        tocsin.Body(tocsin.Mesh(*shapes.blob(2, 1.0, 0.1, 0))),
        tocsin.Body(tocsin.Mesh(*shapes.blob(2, 1.0, 0.1, 1))),
    )
    bodies = tocsin.Scene(a, b)
    through = a.move((-3, 0, 0), (3, 0, 0))
    lists = [bodies.contacts(through), bodies.contacts(through)[:2], bodies.contacts(through, exact=True)]
    lists += [
        scene.contacts(fall, every="pair"),
        scene.contacts(fall, every="pair")[:1],
        scene.contacts(fall, every="triangle"),
    ]
    lists += [pickle.loads(pickle.dumps(lists[0]))]
    for found in lists:
        before = {name: value.tobytes() for name, value in arrays_in(found).items()}
        assert before
        for value in arrays_in(found).values():
            if value.flags.writeable:
                value[...] = np.zeros((), value.dtype)
        assert {name: value.tobytes() for name, value in arrays_in(found).items()} == before, type(found)
    with pytest.raises(TypeError):
        lists[0].names[0] = ("other", "other")
    with pytest.raises(ValueError, match="read-only"):
        lists[0].times[0] = 0.0


def test_nobody_writes_into_the_tables_of_a_model(mixed):
    """Also not after it was sent: scenes that were laid out before would go on as if nothing had happened."""
    builder = tocsin.RobotBuilder("arm")
    builder.link("a", tocsin.Sphere(0.1))
    builder.link("b", tocsin.Sphere(0.1), parent="a", joint="revolute", axis=(0, 0, 1), origin=(1, 0, 0))
    models = [*mixed[0].models, builder.build()]
    for model in [*models, *(pickle.loads(pickle.dumps(m)) for m in models), *(copy.deepcopy(m) for m in models)]:
        for name in ("links", "quaternions", "rest"):
            with pytest.raises(ValueError, match="read-only"):
                getattr(model, name)[0] = getattr(model, name)[0]
    arm = pickle.loads(pickle.dumps(models[-1]))
    np.testing.assert_array_equal(arm.at([0.5]).link_poses(), models[-1].at([0.5]).link_poses())


def test_an_empty_list_of_features_that_was_capped_is_not_taken_for_free(mixed):
    scene, fall, _ = mixed
    found = dataclasses.replace(scene.contacts(fall, every="pair")[:0], complete=False)
    with pytest.raises(TocsinError, match="neither true nor false"):
        bool(found)


def test_a_scene_can_be_sent_with_its_motions_and_rules(mixed):
    scene, fall, ball = mixed
    roll = ball.move(placed(-3, 0, 1), placed(2, 0, 1))
    own = tocsin.Scene(*scene.models)
    own.ignore("ball", "post")
    own.margins["cloth", "table"] = 0.25
    sent, *motions = pickle.loads(pickle.dumps((own, fall, roll)))
    assert sent.names == own.names
    assert dict(sent.margins) == dict(own.margins)
    assert sent.first_contact(*motions).time == own.first_contact(fall, roll).time
    assert own.first_contact(fall, roll).time < scene.first_contact(fall).time


def test_links_that_touch_before_the_cloth_does_have_their_contacts_where_they_are(mixed):
    scene, fall, ball = mixed
    roll = ball.move(placed(-3, 0, 1), placed(2, 0, 1))
    alone = scene.first_contact(roll)
    for motions in ((fall, roll), (roll, fall)):
        hit = scene.first_contact(*motions)
        assert hit.time == alone.time == pytest.approx(1.7 / 5.0, abs=1e-3)
        assert {hit.contacts[0].link_a, hit.contacts[0].link_b} == {"ball", "post"}
        np.testing.assert_array_equal(hit.contacts[0].point_a, alone.contacts[0].point_a)
        np.testing.assert_allclose(ball.at_contact(hit), ball.at_contact(alone))
        assert hit.motions == motions


def test_all_contacts_of_a_cloth_are_a_sequence_with_places(mixed):
    scene, fall, _ = mixed
    found = scene.contacts(fall)
    assert isinstance(found, tocsin.FeatureContacts)
    assert len(found) == len(found.times) > 0
    for k, contact in enumerate(found):
        assert contact.time == found.times[k]
        assert (contact.model_a, contact.model_b) == ("cloth", "table")
        assert min(abs(contact.point[2]), abs(contact.point[2] + 0.2)) < 1e-3  # on its top, or below
        assert contact.proven
        where = fall.vertices_at(contact.time)[list(contact.features[0])]
        assert (where.min(axis=0) - 1e-3 <= contact.point).all()
        assert (contact.point <= where.max(axis=0) + 1e-3).all()
    assert len(found[:2]) == 2
    assert found[-1].time == found.times[-1]
    assert found.motions == (fall,)


def test_the_times_of_triangles_are_a_mapping(mixed):
    scene, fall, _ = mixed
    found = scene.contacts(fall, every="triangle")
    assert list(found) == ["cloth"]
    assert found["cloth"].shape == (1,)
    assert found.times.tolist() == found["cloth"].tolist()
    assert repr(found) == "<touching triangles: 1 of 1 of 'cloth'>"
    with pytest.raises(tocsin.UnknownNameError, match="cloth"):
        found["towel"]


def test_what_does_not_belong_to_a_list_of_contacts_is_refused(mixed):
    scene, fall, ball = mixed
    rigid = tocsin.Scene(*scene.models[1:])
    roll = ball.move(placed(-3, 0, 1), placed(2, 0, 1))
    assert isinstance(rigid.contacts(roll), tocsin.TimedContacts)
    assert isinstance(rigid.contacts(roll, every="contact"), tocsin.TimedContacts)
    for ask, sentence in (
        (lambda: scene.contacts(fall, every="face"), "every must be one of"),
        (lambda: scene.contacts(fall, every="contact"), "'cloth' is deformable"),
        (lambda: rigid.contacts(roll, every="pair"), "none is in this scene"),
        (lambda: rigid.contacts(roll, every="triangle"), "none is in this scene"),
        (lambda: rigid.contacts(roll, margin=0.1), "margin, tolerance and max_steps are for"),
        (lambda: scene.contacts(fall, exact=True), "are for contacts of rigid bodies"),
        (lambda: scene.contacts(fall, properness=0.0), "are for contacts of rigid bodies"),
    ):
        with pytest.raises(TocsinError, match=sentence):
            ask()


def test_the_same_question_has_an_equal_answer(mixed):
    scene, _, ball = mixed
    roll = ball.move(placed(-3, 0, 1), placed(0, 0, 1))
    hit, again = scene.first_contact(roll), scene.first_contact(roll)
    assert hit == again
    assert hash(hit) == hash(again)
    assert hit.contacts[0] == again.contacts[0]
    assert hit.contacts[0] in set(again.contacts)
    assert hit != dataclasses.replace(hit, time=0.25)
    assert hit != scene.first_contact(ball.move(placed(-3, 0, 1), placed(-2, 0, 1)))
    assert hit.contacts[0] != hit
    assert scene.distance() == scene.distance()


def test_no_answer_can_be_taken_for_true_or_false_where_free_and_contact_could_be_meant(mixed):
    scene, fall, ball = mixed
    roll = ball.move(placed(-3, 0, 1), placed(-2, 0, 1))
    rigid = tocsin.Scene(*[model for model in scene.models if model.name != "cloth"])
    capped = tocsin.ContactIntervals(tocsin.Status.CAPPED, (), 0.5)
    for answer in (
        scene.first_contact(fall), scene.first_contact(ball.at(placed(-3, 0, 5))), rigid.first_contact(roll),
        scene.distance(), tocsin.Status.FREE, scene.contacts(fall, every="triangle"), rigid.contacts(roll), capped,
    ):  # fmt: skip
        with pytest.raises(TocsinError, match="neither true nor false"):
            bool(answer)
    assert not rigid.contact_intervals(roll)
    brick, wall = tocsin.Body(tocsin.Box((1, 1, 1)), name="brick"), tocsin.Body(tocsin.Box((1, 1, 1)), placed(5))
    boxes = tocsin.Scene(brick, wall)
    assert not boxes.contacts(brick.move(placed(), placed(y=3)), exact=True)  # complete: a proof
    assert boxes.contacts(brick.move(placed(), placed(x=4.5, y=0.1, z=0.2)), exact=True)


def test_a_contact_of_a_body_on_a_screw_has_its_closest_points_where_the_cap_leaves_no_features():
    """They were asked of the scene with carriers, whose rows are longer than the body's own."""
    box = tocsin.Box((1.0, 0.25, 0.25)).tessellate()
    bar, post = tocsin.Body(box, name="bar"), tocsin.Body(box, (5.0, 7.125, 0.125), name="post")
    far = tocsin.Body(box, (-5.0, 0.0, 0.0), name="far")
    start = np.array([[0.0, -1.0, 0.0, 5.0], [1.0, 0.0, 0.0, 7.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
    end = np.diag([-1.0, -1.0, 1.0, 1.0]) @ start
    hit = tocsin.Scene(bar, post, far).first_contact(bar.move(start, end, kind="screw"), max_steps=2)
    assert hit.status is tocsin.Status.INITIAL_CONTACT
    assert not hit.complete
    (contact,) = hit.contacts
    assert {contact.link_a, contact.link_b} == {"bar", "post"}
    assert contact.distance == 0.0
    assert np.abs(contact.point_a - (5.0, 7.0, 0.0)).max() <= 0.7


def test_an_answer_says_what_touched_and_when(mixed):
    scene, fall, ball = mixed
    hit = scene.first_contact(ball.move(placed(-3, 0, 1), placed(0, 0, 1)))
    assert repr(hit) == f"<FirstContact: Status.CONTACT at {hit.time:.6g}, 'ball' and 'post'>"
    assert repr(dataclasses.replace(hit)) == repr(pickle.loads(pickle.dumps(hit))) == repr(hit)
    assert "'cloth' and 'table'" in repr(scene.first_contact(fall))
    assert repr(scene.first_contact(ball.at(placed(-3, 0, 1)))) == "<FirstContact: Status.FREE>"
    capped = tocsin.FirstContact(tocsin.Status.CAPPED, 0.25)
    assert repr(capped) == "<FirstContact: Status.CAPPED, proven free until 0.25>"
    many = tocsin.FirstContact(tocsin.Status.CONTACT, 0.5, tuple(
        dataclasses.replace(hit.contacts[0], link_a=f"a{k}") for k in range(5)
    ))  # fmt: skip
    assert repr(many).endswith("'a2' and 'post', and 2 more pairs>")


def test_a_motion_travels_without_its_model():
    """And is that of the model with which it is asked, wherever that came from."""
    mesh = tocsin.Mesh(*shapes.torus(2_000))
    ring, post = tocsin.Body(mesh, name="ring"), tocsin.Body(tocsin.Box((0.1, 0.1, 4.0)), name="post")
    scene = tocsin.Scene(ring, post)
    fall = ring.move(placed(z=5.0), placed(y=1.0))
    letter = pickle.dumps(fall)
    assert len(letter) < 1_000 < len(pickle.dumps(ring))
    expected = scene.first_contact(fall)
    assert scene.first_contact(pickle.loads(letter)) == expected
    assert pickle.loads(letter).row_at(0.5).tolist() == fall.row_at(0.5).tolist()
    there, motion = pickle.loads(pickle.dumps((scene, fall)))
    hit = there.first_contact(motion)
    assert hit.time == expected.time
    assert motion.model is there.models[0]
    sent = ring.row_at_contact(pickle.loads(pickle.dumps(expected)))
    assert there.models[0].row_at_contact(hit).tolist() == ring.row_at_contact(expected).tolist() == sent.tolist()
    assert pickle.loads(pickle.dumps(pickle.loads(letter))).row_at(1.0).tolist() == fall.row_at(1.0).tolist()
    twin = tocsin.Body(mesh)
    with pytest.raises(TocsinError, match="of which the scene has 2 copies"):
        tocsin.Scene(twin, copy.deepcopy(twin)).first_contact(pickle.loads(pickle.dumps(twin.at(np.eye(4)))))
    with pytest.raises(TocsinError, match="not in this scene"):
        tocsin.Scene(post).first_contact(pickle.loads(letter))


def test_a_motion_whose_model_is_nowhere_says_so():
    ring = tocsin.Body(tocsin.Sphere(0.1), name="ring")
    letter = pickle.dumps(ring.move((0, 0, 0), (1, 0, 0)))
    del ring
    with pytest.raises(TocsinError, match="this motion is of 'ring', which is not in this process"):
        pickle.loads(letter).row_at(0.5)

"""Contacts are put into words when they are looked at, and are what they would be if they had been at once."""

import copy
import dataclasses
import pickle
import threading

import pytest

import tocsin
from tocsin.results import Contact


@pytest.fixture(scope="module")
def hit():
    block = tocsin.Body(tocsin.Box((1.0, 1.0, 1.0)).tessellate(), name="block")
    table = tocsin.Body(tocsin.Box((3.0, 3.0, 1.0)).tessellate(), (0.0, 0.0, -1.1), name="table")
    return tocsin.Scene(block, table).first_contact(block.move((0.0, 0.0, 1.0), (0.0, 0.0, -1.0)))


def fresh(hit):
    hit.__dict__.pop("contacts", None)
    return hit.contacts


def test_every_field_is_there_whichever_is_read_first(hit):
    whole = [Contact(*[getattr(c, f.name) for f in dataclasses.fields(Contact)]) for c in fresh(hit)]
    assert len(whole) >= 4
    for name in [f.name for f in dataclasses.fields(Contact)]:
        for contact, truth in zip(fresh(hit), whole):
            assert str(getattr(contact, name)) == str(getattr(truth, name))
            assert contact == truth
            assert hash(contact) == hash(truth)
            assert repr(contact) == repr(truth)
    assert {c.model_a for c in whole} | {c.model_b for c in whole} == {"block", "table"}
    assert all(len(c.features[0]) + len(c.features[1]) == 4 for c in whole)


def test_contacts_are_copied_sent_and_replaced_before_they_are_read(hit):
    truth = hit.contacts[0]
    assert pickle.loads(pickle.dumps(fresh(hit)[0])) == truth
    assert copy.copy(fresh(hit)[0]) == truth
    assert copy.deepcopy(fresh(hit)[0]) == truth
    assert dataclasses.replace(fresh(hit)[0], kind="other").kind == "other"
    assert dataclasses.asdict(fresh(hit)[0]).keys() == dataclasses.asdict(truth).keys()
    assert f"{fresh(hit)[0]}".startswith("Contact(link_a=")


def test_contacts_cannot_be_changed(hit):
    contact = fresh(hit)[0]
    with pytest.raises(dataclasses.FrozenInstanceError):
        contact.kind = "other"
    with pytest.raises(ValueError, match="read-only"):
        contact.point_a[0] = 1.0


def test_answers_are_read_by_several_threads_at_once():
    ball, wall = (
        tocsin.Body(tocsin.Sphere(0.1), name="ball"),
        tocsin.Body(tocsin.Box((0.1, 2, 2)), (1, 0, 0), name="wall"),
    )
    scene = tocsin.Scene(ball, wall)
    hits = [scene.first_contact(ball.move((0, 0.01 * k, 0), (2, 0.01 * k, 0))) for k in range(40)]
    told = {}

    def read(name):
        told[name] = [h.__class__.contacts.func(h)[0].point_a.tolist() for h in hits]

    threads = [threading.Thread(target=read, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(told[k] == told[0] for k in told)
    assert [p[1] for p in told[0]] == pytest.approx([0.01 * k for k in range(40)], abs=1e-6)

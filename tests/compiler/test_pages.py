"""numpy asks for huge pages again once nobody is inside, whoever leaves last."""

import threading

import pytest

from tocsin.compiler import pages


@pytest.fixture
def switch(monkeypatch):
    """numpy's switch, looked at."""
    state = [True]

    def turn(to):
        was, state[0] = state[0], to
        return was

    monkeypatch.setattr(pages, "_set", turn)
    return state


def test_the_switch_is_as_it_was_after_one_inside_another(switch):
    with pages.usual_pages():
        assert switch == [False]
        with pages.usual_pages():
            pass
        assert switch == [False]
    assert switch == [True]


def test_the_switch_is_as_it_was_after_an_error(switch):
    def fail():
        with pages.usual_pages():
            raise MemoryError

    with pytest.raises(MemoryError):
        fail()
    assert switch == [True]


def test_who_came_first_may_leave_first(switch):
    entered, left = threading.Event(), threading.Event()

    def first():
        with pages.usual_pages():
            entered.set()
            left.wait()

    thread = threading.Thread(target=first)
    thread.start()
    entered.wait()
    with pages.usual_pages():
        left.set()
        thread.join()
        assert switch == [False]
    assert switch == [True]


def test_without_that_switch_nothing_happens(monkeypatch):
    monkeypatch.setattr(pages, "_set", None)
    with pages.usual_pages():
        pass

"""Work is dealt out once, whatever the threads; an error and Ctrl-C end all of it."""

import threading
import time

import pytest

from tocsin.queries import threads
from tocsin.queries.kernels.batch import Taken, taken
from tocsin.queries.threads import BatchInterrupted, deal, shown

pytestmark = pytest.mark.pure


def working(n, at_once, do=lambda i: None):
    """Work as kernels do it: so many pieces in a call, and one more that is left."""

    def work(dealt, left, watch):
        done = 0
        while True:
            i = taken(dealt, left)
            if i >= n:
                return Taken(done, -1, 0, 0)
            if done == at_once:
                return Taken(done, i, 0, 0)
            do(i)
            done, left = done + 1, -1

    return work


@pytest.mark.parametrize("at_once", [1, 7, 10_000])
@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("n", [0, 1, 15, 16, 1000])
def test_every_piece_is_done_once(n, count, at_once):
    done: list[int] = []
    deal(n, working(n, at_once, done.append), count)
    assert sorted(done) == list(range(n))


def test_a_piece_that_takes_too_long_goes_to_another_thread():
    done: list[int] = []
    caller = threading.get_ident()

    def work(dealt, left, watch):
        i = taken(dealt, left)
        if i >= 40:
            return Taken(0, -1, 0, 0)
        if i == 3 and threading.get_ident() == caller:
            return Taken(0, i, 0, 0)
        done.append(i)
        return Taken(1, -1, 0, 0)

    deal(40, work, 1)
    assert sorted(done) == list(range(40))


def test_progress_grows_to_the_end_in_the_callers_thread(monkeypatch):
    monkeypatch.setattr(threads, "EVERY", -1.0)
    told = []
    deal(500, working(500, 10), 3, lambda done, n: told.append((done, n, threading.get_ident())))
    counts = [done for done, _, _ in told]
    assert counts == sorted(counts)
    assert told[-1] == (500, 500, threading.get_ident())
    assert {ident for _, _, ident in told} == {threading.get_ident()}


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_ends_all_and_is_raised(error):
    begun: list[int] = []

    def do(i):
        begun.append(i)
        if i >= 64:
            raise error("enough")

    with pytest.raises(error, match="enough"):
        deal(100_000, working(100_000, 10, do), 2)
    assert len(begun) < 1000
    before = len(begun)
    deal(100, working(100, 10), 2)
    assert len(begun) == before, "nobody is still at it"


def test_an_error_in_another_thread_is_raised_in_the_callers():
    def do(i):
        time.sleep(0.001)
        if threading.current_thread() is not threading.main_thread():
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        deal(10_000, working(10_000, 10, do), 3)


def test_an_interrupted_batch_has_what_was_answered():
    stopped = BatchInterrupted([True, False], [True, False])
    assert isinstance(stopped, KeyboardInterrupt)
    assert stopped.answers == [True, False]
    assert ".done is True" in str(stopped)


def test_who_is_told_is_who_was_given():
    tell = [].append
    with shown(tell, "") as told:
        assert told is tell
    for nobody in (None, False):
        with shown(nobody, "") as told:
            assert told is None

"""Work is dealt out once, whatever the threads; an error and Ctrl-C end all of it."""

import threading

import pytest

from tocsin.queries import threads
from tocsin.queries.threads import BatchInterrupted, deal, shown

pytestmark = pytest.mark.pure


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("n", [0, 1, 15, 16, 1000])
def test_every_piece_is_done_once(n, count):
    done, lock = [], threading.Lock()

    def work(first, last, watch):
        with lock:
            done.extend(range(first, last))
        return last

    deal(n, work, count)
    assert sorted(done) == list(range(n))


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("n", [0, 1, 63, 64, 5000])
def test_chunks_follow_each_other_and_none_is_too_long(n, count):
    chunks = threads.chunks_of(n, count)
    assert [k for first, last in chunks for k in range(first, last)] == list(range(n))
    assert all(0 < last - first <= threads.CHUNK for first, last in chunks)


def test_a_chunk_that_was_ended_is_gone_on_with():
    done, lock = [], threading.Lock()

    def work(first, last, watch):
        reached = min(first + 5, last)
        with lock:
            done.extend(range(first, reached))
        return reached

    deal(300, work, 2)
    assert sorted(done) == list(range(300))


def test_progress_grows_to_the_end_in_the_callers_thread(monkeypatch):
    monkeypatch.setattr(threads, "EVERY", -1.0)
    told = []
    deal(500, lambda first, last, watch: last, 3, lambda done, n: told.append((done, n, threading.get_ident())))
    counts = [done for done, _, _ in told]
    assert counts == sorted(counts)
    assert told[-1] == (500, 500, threading.get_ident())
    assert {ident for _, _, ident in told} == {threading.get_ident()}


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_ends_all_and_is_raised(error):
    begun = []

    def work(first, last, watch):
        begun.append(first)
        if first >= 64:
            raise error("enough")
        return last

    with pytest.raises(error, match="enough"):
        deal(100_000, work, 2)
    assert len(begun) < 100_000 // threads.CHUNK
    threads_after = len(begun)
    deal(100, lambda first, last, watch: last, 2)
    assert len(begun) == threads_after, "nobody is still at it"


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

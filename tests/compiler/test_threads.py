"""Work in pieces: in order, told of, and ended by an error."""

import pytest

from tocsin.compiler import threads

pytestmark = pytest.mark.pure


@pytest.mark.parametrize("cores", [1, 4])
def test_what_is_made_of_pieces_is_in_their_order_and_told_of(cores, monkeypatch):
    monkeypatch.setattr(threads, "cores", lambda: cores)
    told = []
    assert threads.on_cores(lambda k: k * k, range(5), lambda *so_far: told.append(so_far)) == [0, 1, 4, 9, 16]
    assert told == [(k, 5) for k in range(1, 6)]
    assert threads.on_cores(lambda k: k, []) == []


@pytest.mark.parametrize("cores", [1, 4])
def test_an_error_in_a_piece_is_raised_and_the_rest_does_not_begin(cores, monkeypatch):
    monkeypatch.setattr(threads, "cores", lambda: cores)
    begun = []

    def work(k):
        begun.append(k)
        raise ValueError(f"piece {k}")

    with pytest.raises(ValueError, match=r"piece [0-3]"):
        threads.on_cores(work, range(1000))
    assert 1 <= len(begun) <= cores


def test_there_is_a_processor():
    assert threads.cores() >= 1

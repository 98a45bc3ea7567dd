"""How much work a call does, counted instead of timed: a busy machine does not change it."""

import sys
from contextlib import contextmanager

import pytest

from tocsin import TocsinError

LITTLE = 3_000_000
"""Calls of functions, Python's own included: about a second, imports of readers included."""


class TooMuchWork(BaseException):
    """More calls than were allowed; readers that answer for every `Exception` do not catch it."""


@contextmanager
def little_work(calls=LITTLE):
    """Fail as soon as what happens inside calls more functions than this."""
    count = 0

    def tally(frame, event, argument):
        nonlocal count
        count += event in ("call", "c_call")
        if count > calls:
            sys.setprofile(None)
            raise TooMuchWork(f"more than {calls} calls of functions")

    before = sys.getprofile()
    sys.setprofile(tally)
    try:
        yield lambda: count
    finally:
        sys.setprofile(before)


def refusal(read, path, words, calls=LITTLE):
    """Return the sentence by which a file is refused after little work."""
    with little_work(calls), pytest.raises(TocsinError, match=words) as caught:
        read(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)

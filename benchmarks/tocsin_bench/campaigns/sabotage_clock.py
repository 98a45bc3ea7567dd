"""Inside the pytest of a sabotage: which tests, in which order, and how long each may compute.

Loaded with `-p`; the file that `SABOTAGE_ORDERS` names says what is wanted (`Orders`). Kernels as plain Python are some
hundred times as slow as compiled ones, so every test has a clock, of processor time, not of the wall: a busy machine
decides nothing. What became of each test is written down, a line each.
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ORDERS = "SABOTAGE_ORDERS"
"""The environment variable with the name of the file of orders."""


class Orders(NamedTuple):
    """What is wanted of one run."""

    tests: list[str] | None
    """The tests by their full names, in order; None: the tests of the files `marked` that are `pure`, and `whole`."""
    marked: list[str]
    """Files of which the tests are asked that are marked `pure`."""
    whole: list[str]
    """Files of which every test is asked, marked or not, and tests that are."""
    seconds: float
    """How long a test may compute, and its preparation too."""
    too_long: str
    """What is said of a test that computes longer: `skip` it, or it is a `fail`."""
    told: str
    """The file that is written: a JSON line for each test, with its name, what became of it, and seconds."""


def _orders() -> Orders:
    return Orders(**json.loads(Path(os.environ[ORDERS]).read_text(encoding="utf-8")))


@pytest.hookimpl(tryfirst=True)
def pytest_collection() -> None:
    """Have a property that fails told at once: smaller examples take minutes to look for, and nobody reads them."""
    from hypothesis import Phase, settings

    phases = (Phase.explicit, Phase.generate)
    settings.register_profile("sabotage", deadline=None, database=None, phases=phases)
    settings.load_profile("sabotage")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests that are wanted, in the order in which they are."""
    orders = _orders()
    if orders.tests is not None:
        place = {name: k for k, name in enumerate(orders.tests)}
        kept = sorted((item for item in items if item.nodeid in place), key=lambda item: place[item.nodeid])
    else:
        kept = [item for item in items if _wanted(item, orders)]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
    items[:] = kept


def _wanted(item: pytest.Item, orders: Orders) -> bool:
    if item.get_closest_marker("slow") is not None:
        return False
    marked = item.get_closest_marker("pure") is not None and item.nodeid.partition("::")[0] in orders.marked
    return marked or any(belongs(item.nodeid, name) for name in orders.whole)


def belongs(test: str, name: str) -> bool:
    """Whether a test is the one of that name, whatever its parameters, or one of the file of that name."""
    return test.startswith(name) and test[len(name) : len(name) + 1] in ("", ":", "[")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    """Prepare a test, on the clock."""
    with Clock():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Run a test, on the clock."""
    with Clock():
        return (yield)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Write down what became of a test: once, or twice where already its preparation says it."""
    if report.when == "call" or report.outcome != "passed":
        with Path(_orders().told).open("a", encoding="utf-8") as told:
            print(json.dumps([report.nodeid, report.outcome, Clock.spent]), file=told)


class Clock:
    """Ends what computes longer than the orders say, and again should it go on."""

    spent = 0.0
    """Seconds of a processor that the last one took."""

    def __enter__(self) -> None:
        self._started = time.process_time()
        seconds, too_long = _orders().seconds, _orders().too_long

        def end(*_: Any) -> None:
            words = f"it has not ended after {seconds:g} s of a processor"
            (pytest.skip if too_long == "skip" else pytest.fail)(words)

        self._was = signal.signal(signal.SIGPROF, end)
        signal.setitimer(signal.ITIMER_PROF, seconds, seconds)

    def __exit__(self, *_: Any) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, self._was)
        Clock.spent = time.process_time() - self._started

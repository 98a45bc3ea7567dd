"""A peer that hangs, crashes or fails ends its own process, in a sentence; the race keeps what it has answered."""

import math
import os
import signal
import time

import numpy as np
import pytest

pytest.importorskip("rich")

from tocsin_bench import race, report
from tocsin_bench.data import Ended
from tocsin_bench.peers.remote import Worker, apart

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be copied here")


def _runner(ask):
    return report.asking(ask)


def test_a_copy_answers_as_the_contestant_and_remembers_what_it_has_prepared():
    asked = []

    def ask(k):
        asked.append(k)
        return len(asked) + 0.5

    run = apart(_runner(ask))
    seconds, answers = run(range(3))
    assert answers == [1.5, 2.5, 3.5]
    assert len(seconds) == 3
    assert run([7])[1] == [4.5]
    assert asked == []  # all of that was in the copy


def test_a_call_that_takes_too_long_is_ended_and_the_next_one_is_answered():
    run = apart(_runner(lambda k: time.sleep(600) if k else 0.25), limit=0.4)
    with pytest.raises(Ended, match=r"no answer within 0\.4 s"):
        run([1])
    assert run([0])[1] == [0.25]


def test_a_crash_is_a_sentence_and_so_is_what_goes_wrong():
    with pytest.raises(Ended, match="ended with -9"):
        apart(_runner(lambda k: os.kill(os.getpid(), signal.SIGKILL)))([0])
    with pytest.raises(Ended, match="ZeroDivisionError"):
        apart(_runner(lambda k: 1 / k))([0])


def test_a_race_keeps_what_a_peer_has_answered_before_it_hung():
    def hangs(k):
        return time.sleep(600) if k == 2 else (0.25, math.inf)[k]

    ours = race.Contestant("ours", _runner(lambda k: (0.25, math.inf, 0.5)[k]), ours=True, proves=True)
    peer = race.Contestant("peer", apart(_runner(hangs), limit=0.4), against="ours", note="a peer")
    never = race.Contestant("never", apart(_runner(lambda k: time.sleep(600)), limit=0.4), against="ours")
    record = race.run(race.Race([ours, peer, never], 3, 2, "ours"), "made up")
    _, found, nothing = record["contestants"]
    assert len(found["seconds"]) == 2
    assert found["missed"] == found["alarms"] == 0
    assert found["note"] == "a peer; question 3: no answer within 0.4 s, and ended there"
    assert len(nothing["seconds"]) == 0
    assert race.ratios(record, nothing) == {}


def test_one_that_hangs_later_keeps_the_rounds_before():
    calls = []

    def run(questions):
        calls.append(len(questions))
        if len(calls) > 4:
            raise Ended("no answer")
        return np.full(len(questions), float(len(calls))), [math.inf] * len(questions)

    done = report.rounds({"peer": run}, 2, 5, peers=["peer"], patience=100.0)["peer"]
    assert done.seconds.tolist() == [3.5, 3.5]  # rounds 1 and 2 after two calls to warm up
    assert done.ended == "round 3: no answer"


def test_a_worker_that_takes_too_long_is_ended(tmp_path, monkeypatch):
    (tmp_path / "sleeper.py").write_text(
        "import time\n"
        "from tocsin_bench.peers.remote import serve\n"
        "class Service:\n"
        "    def sleep(self, seconds):\n"
        "        time.sleep(seconds)\n"
        "        return seconds\n"
        "serve(Service())\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    worker = Worker("sleeper", {})
    assert worker.call("sleep", 0.0, limit=60.0) == 0.0
    with pytest.raises(Ended, match=r"no answer within 0\.2 s"):
        worker.call("sleep", 600.0, limit=0.2)
    with pytest.raises(Ended, match="ended with -9"):
        worker.call("sleep", 0.0)

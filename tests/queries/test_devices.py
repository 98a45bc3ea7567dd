"""`device=` of a batch: bad names, no GPU, and what only threads do, each gets a sentence; answers are the same."""

import time

import numpy as np
import pytest

import tocsin
from promise.scenes import says
from tocsin import TocsinError
from tocsin.queries import devices
from tocsin.queries.edges import Asking, Points
from tocsin.queries.threads import UNASKED, BatchInterrupted
from wavefront.cells import arm


@pytest.mark.pure
@pytest.mark.parametrize("device", ["gpu", "CUDA", "cuda:0", 0, None])
def test_an_unknown_device_is_refused_and_the_known_ones_are_listed(device):
    scene, robot, Q0, Q1 = arm()
    with pytest.raises(TocsinError, match=says("device", "'cpu', 'cuda'")):
        scene.check_edges(robot, Q0, Q1, device=device)


def test_without_a_gpu_threads_answer_with_a_warning(monkeypatch):
    scene, robot, Q0, Q1 = arm()
    monkeypatch.setattr(devices, "lacking", lambda: "no CUDA device can be used")
    with pytest.warns(UserWarning, match=says("device='cuda'", "no CUDA device", "threads")):
        free = scene.check_edges(robot, Q0, Q1, device="cuda")
    assert free.tolist() == scene.check_edges(robot, Q0, Q1).tolist()


class Wave:
    """In place of a device: it decides every third edge, and gives up the others."""

    def __init__(self, statuses, stop=False):
        self.statuses, self.stop, self.batches = statuses, stop, 0

    def ask(self, edges, found, progress):
        found[: len(found) // 2] = self.statuses[: len(found) // 2]
        progress(len(found) // 2, len(found))
        while self.batches:  # it is told to end in one of them
            time.sleep(0.001)
            progress(len(found) // 2, len(found))
            self.batches -= 1
        if self.stop:
            raise KeyboardInterrupt
        found[:] = self.statuses
        progress(len(found), len(found))


@pytest.fixture
def half_done(monkeypatch):
    """A scene with edges, a device that knows some of their answers, and all of the answers."""
    scene, robot, Q0, Q1 = arm()
    hits = scene.first_contacts(robot, Q0, Q1)
    wave = Wave(np.where(np.arange(len(Q0)) % 3 == 0, np.minimum(hits.codes, 1), devices.CAPPED).astype(np.int32))
    monkeypatch.setattr("tocsin.queries.edges.wavefront", lambda points, asking: wave)
    return scene, robot, Q0, Q1, hits, wave


def test_what_a_device_hands_back_is_asked_on_threads(half_done):
    scene, robot, Q0, Q1, hits, _ = half_done
    again = scene.first_contacts(robot, Q0, Q1, device="cuda")
    for name in ("codes", "time", "tolerance", "links"):
        assert np.array_equal(getattr(again, name), getattr(hits, name)), name
    told = []
    free = scene.check_edges(robot, Q0, Q1, device="cuda", progress=lambda done, n: told.append((done, n)))
    assert free.tolist() == (~hits.collides).tolist()
    assert told == [(len(Q0) // 2, len(Q0)), (len(Q0), len(Q0))]


def test_an_interrupted_device_leaves_what_it_has_decided(half_done):
    scene, robot, Q0, Q1, hits, wave = half_done
    wave.stop = True
    with pytest.raises(BatchInterrupted) as stopped:
        scene.check_edges(robot, Q0, Q1, device="cuda")
    done = stopped.value.done
    assert done[: len(Q0) // 2][::3].all()
    assert not done[len(Q0) // 2 :].any()
    assert (stopped.value.answers[done] == ~hits.collides[done]).all()
    assert UNASKED not in np.unique(stopped.value.answers)


def test_an_error_on_threads_ends_the_device_with_the_batch_that_it_is_about(half_done, monkeypatch):
    scene, robot, Q0, Q1, _, wave = half_done
    wave.batches = 10_000

    def fails(*_):
        raise MemoryError("on purpose")

    monkeypatch.setattr(Asking, "by_threads", fails)
    with pytest.raises(MemoryError, match="on purpose"):
        scene.check_edges(robot, Q0, Q1, device="cuda")
    assert wave.batches > 0


def test_what_only_threads_do_is_said(monkeypatch):
    monkeypatch.setattr(devices, "lacking", lambda: "")
    scene, robot, Q0, Q1 = arm()
    other = tocsin.Body(tocsin.Sphere(0.1), (0, 0, 3), name="other")
    way = np.zeros((len(Q0), 3))
    both, hulls = tocsin.Scene(robot, other), tocsin.Scene(robot, other, backend="hulls")
    asking, hasty = Asking(0.0, None, 10**6, None, None), Asking(0.0, None, 10**6, None, None, 5.0)
    edges = {"Q0": Q0, "Q1": Q1}
    several = Points(both.context, [robot, other], {"Q0": [Q0, way], "Q1": [Q1, way]})
    assert devices.unfit(Points(scene.context, robot, edges), asking) == ""
    assert "several models" in devices.unfit(several, asking)
    assert "deadline" in devices.unfit(Points(scene.context, robot, edges), hasty)
    assert "hulls" in devices.unfit(Points(hulls.context, robot, edges), asking)
    assert "two configurations" in devices.unfit(Points(scene.context, robot, {"Q": Q0}), asking)


def test_numpy_has_what_numba_cuda_names(monkeypatch):
    monkeypatch.delattr(np, "row_stack", raising=False)
    devices.lacking()
    assert vars(np)["row_stack"] is np.vstack

"""The promises of the second engine, row by row: the tests of tests/promise, asked again with method="interval".

Left out: what asks another process, which is not patched; that another object never makes the time later (all pairs
share their intervals of time here, so one more pair may move a time, within the tolerance); and caps that fit the other
engine's steps, which have a test of their own below.
"""

import pytest

import tocsin
from promise.test_cancellation import *  # noqa: F403
from promise.test_capped import *  # noqa: F403
from promise.test_determinism import *  # noqa: F403
from promise.test_exact_distance import *  # noqa: F403
from promise.test_many_pairs import *  # noqa: F403
from promise.test_properties import *  # noqa: F403
from promise.test_table import *  # noqa: F403
from promise.test_table_meshes import *  # noqa: F403
from tocsin.queries.first_contact import engine_of

del test_another_process_gives_the_same_bits  # noqa: F821
del test_adding_an_object_never_makes_the_time_later  # noqa: F821
del test_freedom_is_proven_until_the_time_of_a_capped_answer  # noqa: F821


@pytest.fixture(autouse=True)
def _asked_of_the_second_engine(monkeypatch):
    monkeypatch.setattr(tocsin.scene, "engine_of", lambda _method, _deadline=None: engine_of("interval"))


def test_freedom_is_proven_until_the_time_of_an_answer_capped_by_its_boxes():
    end, ends = linked()  # noqa: F405
    times = [hit.time for hit, _ in (linked(0.0, cap) for cap in (1, 100, 300, 1000)) if hit.collides]  # noqa: F405
    assert len(times) == 4
    assert times == sorted(times)
    assert 0.0 < times[-1] <= end.time
    truth = shapes.mesh(*TORUS)  # noqa: F405
    for t in np.linspace(0, times[-1], 16, endpoint=False):  # noqa: F405
        pose = kinematics.body_poses(*ends, [t])[0]  # noqa: F405
        assert shapes.distance(truth, pose, truth, at()) > 0.0  # noqa: F405

"""The promises of the second engine, row by row: the tests of tests/promise, asked again with method="interval"."""

import pytest

import tocsin
from promise.test_cancellation import *  # noqa: F403
from promise.test_capped import *  # noqa: F403
from promise.test_determinism import *  # noqa: F403
from promise.test_exact_distance import *  # noqa: F403
from promise.test_many_pairs import *  # noqa: F403
from promise.test_properties import *  # noqa: F403
from promise.test_sampled import *  # noqa: F403
from promise.test_table import *  # noqa: F403
from promise.test_table_meshes import *  # noqa: F403


@pytest.fixture(autouse=True)
def _asked_of_the_second_engine(monkeypatch):
    ask = tocsin.Scene._ask

    def asked(self, motions, margin, tolerance, max_steps, _method, any_contact):
        return ask(self, motions, margin, tolerance, max_steps, "interval", any_contact)

    monkeypatch.setattr(tocsin.Scene, "_ask", asked)

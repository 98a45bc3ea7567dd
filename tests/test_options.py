"""Engines, back ends and devices are chosen by name; each answers, and another is refused with the list of them."""

import numpy as np
import pytest

import tocsin
from tocsin.options import BACKENDS, DEVICES, METHODS

pytestmark = pytest.mark.pure


def bodies():
    return tocsin.Body(tocsin.Sphere(0.5), name="a"), tocsin.Body(tocsin.Sphere(0.5), (3, 0, 0), name="b")


@pytest.mark.parametrize("method", METHODS)
def test_every_engine_answers_by_its_name(method):
    a, b = bodies()
    hit = tocsin.Scene(a, b).first_contact(a.move((0, 0, 0), (4, 0, 0)), method=method)
    assert hit.time == pytest.approx(0.5, abs=1e-3)


@pytest.mark.parametrize("backend", BACKENDS)
def test_every_back_end_answers_by_its_name(backend):
    a, b = bodies()
    assert tocsin.Scene(a, b, backend=backend).first_contact(a.move((0, 0, 0), (4, 0, 0))).collides


def test_other_names_are_refused_with_those_that_there_are():
    a, b = bodies()
    with pytest.raises(tocsin.TocsinError) as refused:
        tocsin.Scene(a, b).first_contact(a.move((0, 0, 0), (1, 0, 0)), method="guessing")
    assert all(name in str(refused.value) for name in METHODS)
    with pytest.raises(tocsin.TocsinError) as refused:
        tocsin.Scene(a, b, backend="guessing")
    assert all(name in str(refused.value) for name in BACKENDS)
    with pytest.raises(tocsin.TocsinError) as refused:
        tocsin.Scene(a, b).check_edges(a, [np.eye(4)], [np.eye(4)], device="abacus")
    assert all(name in str(refused.value) for name in DEVICES)

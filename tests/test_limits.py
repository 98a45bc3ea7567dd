"""What is asked where nobody says it: the same numbers in every signature, and what they mean in an answer."""

import inspect

import numpy as np
import pytest

import tocsin
from tocsin.limits import MAX_STEPS, RELATIVE_TOLERANCE

pytestmark = pytest.mark.pure


def test_every_question_with_a_cap_has_the_same_default():
    asked = [tocsin.Scene, tocsin]
    found = {}
    for place in asked:
        for name, member in inspect.getmembers(place, callable):
            if name.startswith("_") or inspect.isclass(member):
                continue
            cap = inspect.signature(member).parameters.get("max_steps")
            if cap is not None and cap.default is not inspect.Parameter.empty:
                found[name] = cap.default
    assert len(found) >= 3, found
    assert set(found.values()) <= {MAX_STEPS}, found


def test_the_default_tolerance_is_a_fraction_of_the_smaller_shape():
    small, large = tocsin.Body(tocsin.Box((0.3, 0.4, 1.2)), name="small"), tocsin.Body(tocsin.Box((5, 5, 5)), (9, 0, 0))
    hit = tocsin.Scene(small, large).first_contact(small.move((0, 0, 0), (8, 0, 0)))
    exact = (6.5 - 0.15) / 8.0
    assert hit.collides
    assert hit.time <= exact
    assert exact - hit.time <= RELATIVE_TOLERANCE * float(np.linalg.norm((0.3, 0.4, 1.2))) / 8.0 * (1.0 + 1e-9)

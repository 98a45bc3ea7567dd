"""The engine without one of its ideas is slower, never wrong; and nothing of it is left in the engine."""

import inspect

import pytest

pytest.importorskip("rich")

from tocsin.compiler.jit import PURE_PYTHON
from tocsin_bench.measures import ablations, variants


def _arguments(function):
    return list(inspect.signature(getattr(function, "py_func", function)).parameters)


@pytest.mark.parametrize("name", variants.VARIANTS)
def test_a_stand_in_takes_what_the_engines_own_kernel_takes(name):
    for original, stand_in in variants.VARIANTS[name]:
        assert _arguments(original) == _arguments(stand_in)


@pytest.mark.skipif(PURE_PYTHON, reason="starts processes of its own that run kernels as plain Python")
@pytest.mark.parametrize("name", variants.VARIANTS)
def test_planted_contacts_are_found_without_the_idea(name, monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")  # nothing to compile: a minute each
    other = variants.worker(name)
    assert other.call("planted", 2, 1, 5) == 0


def test_every_variant_is_a_benchmark():
    assert set(ablations.COMMANDS) == {f"ablation-{name}" for name in variants.VARIANTS}

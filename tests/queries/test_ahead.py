"""What helpers compile is what a question calls, for the very types: else it would be compiled in vain."""

import numpy as np
import pytest

from tocsin.advancement.engine import advance
from tocsin.compiler.addresses import table_of
from tocsin.compiler.jit import KNOWN, PURE_PYTHON
from tocsin.queries import ahead
from tocsin.queries.buffers import BUFFERS
from tocsin.queries.kernels.first_contact import Terms, candidates, first_inside, search, solve

pytestmark = pytest.mark.skipif(PURE_PYTHON or not KNOWN, reason="nothing is compiled in parts")


def find_types(kernel, types):
    """Find the types in a kernel, as when it is compiled: of what it calls, the versions are made that it needs."""
    from numba.core import typed_passes
    from numba.core.compiler import CompilerBase, DefaultPassBuilder, compile_extra
    from numba.core.compiler_machinery import PassManager

    from tocsin.compiler.kernels import _Flags

    class TypesAlone(CompilerBase):
        def define_pipelines(self):
            passes = PassManager("types alone")
            passes.passes.extend(DefaultPassBuilder.define_untyped_pipeline(self.state).passes)
            passes.add_pass(typed_passes.NopythonTypeInference, "types")
            passes.finalize()
            return [passes]

    inner, flags = kernel.inner, _Flags()
    inner.targetdescr.options.parse_as_flags(flags, inner.targetoptions)
    with pytest.raises(AttributeError, match="cr"):  # no code came of it
        compile_extra(inner.typingctx, inner.targetctx, kernel.py_func, types, None, flags, {}, None, TypesAlone)


def test_every_part_is_called_by_the_question_with_these_types():
    table = table_of(BUFFERS.checked(ahead.nothing(BUFFERS)))
    asked = table, np.zeros(1), ahead.ONE_STRETCH, Terms(0.0, 0.0, -1.0, 1000, False)
    find_types(solve, ahead.types_of(asked))
    for caller in (search, candidates, first_inside, advance):
        for types in list(caller.inner.overloads):
            find_types(caller, types)
    for kernel, given in ahead.parts():
        assert ahead.types_of(given) in kernel.inner.overloads, kernel.__name__


def test_helpers_begin_with_different_parts_and_leave_none_out(monkeypatch):
    class Kernel:
        def __init__(self, name):
            self.name, self.inner = name, self

        def compile(self, types):
            done.append(self.name)

    monkeypatch.setattr(ahead, "parts", lambda: [(Kernel(name), (1.0,)) for name in "abc"])
    for which, order in enumerate(("abc", "bca", "cab")):
        done = []
        ahead.compile_parts(which, ahead.made_for_here())
        assert "".join(done) == order


def test_nothing_is_compiled_for_a_caller_who_has_other_kernels(monkeypatch):
    monkeypatch.setattr(ahead, "parts", lambda: [None])
    ahead.compile_parts(0, "another processor")

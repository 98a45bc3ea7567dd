"""What questions about links need, in parts that other processes compile before the question's own comes to them.

Half of a first question's kernels are those of its search, which comes after all that is laid out, swept and culled; so
helpers begin with the search, and go on with what is called late. A part is a kernel that the question calls, with
arguments of the same types and nothing in them. Nothing is run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

import numpy as np

from tocsin.advancement.descent import descend, nothing_yet
from tocsin.advancement.engine import advance
from tocsin.advancement.workspace import Tables
from tocsin.broad_phase.moving import swept_pairs
from tocsin.compiler.addresses import Layout, Record
from tocsin.compiler.disk_cache import made_for_here
from tocsin.compiler.jit import KNOWN, PURE_PYTHON
from tocsin.contacts.inside import one_inside_other
from tocsin.limits import MAX_STEPS
from tocsin.motion.knots import ONE_STRETCH
from tocsin.queries.buffers import BUFFERS, QueryBuffers
from tocsin.queries.kernels.candidates import cut_charted, leave_out_free
from tocsin.queries.kernels.first_contact import static_witness

if TYPE_CHECKING:
    from tocsin.compiler.kernels import Kernel

Values = tuple[object, ...]
"""What a kernel may be called with."""


def parts() -> list[tuple[Callable[..., object], Values]]:
    """Return the parts, the largest first, the others those first that a question comes to last."""
    buffers = cast(QueryBuffers, nothing(BUFFERS))
    world, workspace, counts = buffers.world, buffers.workspace, buffers.counts
    tables = Tables(world, buffers.sweeps, buffers.joints, buffers.taylor, workspace)
    pairs, pair, search = workspace.pairs, workspace.pairs[0], workspace.search[0]
    moment = cast("Kernel", nothing_yet).py_func()
    stretch, slab, way = tuple(ONE_STRETCH[0].tolist()), (0.0, 1.0), (0.0, 0.0, 0.0)
    configs = np.zeros(1)
    return [
        (advance, (tables, pairs, 0, slab, False, MAX_STEPS, counts, False)),
        (descend, (tables, workspace.heap, search, pair, moment, (0, 0, way, False), counts)),
        (leave_out_free, (buffers, pairs, 0, 0.0, 1.0, False)),
        (cut_charted, (buffers, configs, pairs, 0, stretch, slab, False)),
        (swept_pairs, (buffers, pairs, 0.0, 1.0, 0.0, 0.0, 0.0)),
        (static_witness, (buffers, pairs, 0, 0.0)),
        (one_inside_other, (world, pair, buffers.sweeps, buffers.joints, 0.0)),
    ]


def nothing(layout: Layout) -> Record:
    """Return a record of such arrays, each of one entry."""
    fields = [
        nothing(field) if isinstance(field, Layout) else np.zeros((1,) * field[1], field[0]) for field in layout.fields
    ]
    return layout.record(*fields)


def compile_parts(which: int, made_for: str) -> None:
    """Compile all parts as the helper of this number: each begins with another one."""
    if not KNOWN or PURE_PYTHON or made_for != made_for_here():
        return
    for kernel, given in parts()[which:] + parts()[:which]:
        cast("Kernel", kernel).inner.compile(types_of(given))  # type: ignore[reportAttributeAccessIssue]


def types_of(given: Values) -> Values:
    """Return the types for which a kernel is compiled where another one calls it so."""
    from numba import typeof

    from tocsin.compiler.kernels import plain

    return tuple([plain(typeof(value)) for value in given])

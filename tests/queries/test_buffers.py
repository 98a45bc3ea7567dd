"""Buffers of a question: the table of their addresses gives the same arrays back, and every pair is counted."""

import numpy as np
import pytest

import tocsin
from tocsin.queries.buffers import BUFFERS, CLOCKS, COUNTS, QueryBuffers, again, buffers_at, with_motions

pytestmark = pytest.mark.pure


def prepared(*models, moving):
    context = tocsin.Scene(*models).context
    return context.prepared(context.tables(), moving)[0]


def bodies(n):
    return [tocsin.Body(tocsin.Sphere(0.2), (k, 0, 0), name=f"b{k}") for k in range(n)]


def test_the_table_of_addresses_has_all_arrays():
    a, *others = bodies(3)
    made = prepared(a, *others, moving=(a.at((0, 0, 0)),))
    for given, read in zip(BUFFERS.arrays(made.buffers), BUFFERS.arrays(buffers_at(made.table)), strict=True):
        assert read.dtype == given.dtype
        assert read.shape == given.shape
        assert given.size == 0 or read.ctypes.data == given.ctypes.data
    assert len(made.tally) == COUNTS + CLOCKS
    assert np.shares_memory(made.tally, made.buffers.counts)


def test_pairs_are_counted_before_any_culling():
    a, b, c = bodies(3)
    assert prepared(a, b, c, moving=(a.at((0, 0, 0)),)).pairs_total == 2
    assert prepared(a, b, c, moving=(a.at((0, 0, 0)), b.at((1, 0, 0)))).pairs_total == 3
    scene = tocsin.Scene(a, b, c)
    scene.ignore("b0", "b1")
    context = scene.context
    assert context.prepared(context.tables(), (a.at((0, 0, 0)),))[0].pairs_total == 1


def test_what_an_answer_reads_later_is_not_what_questions_write():
    a, b = bodies(2)
    made = prepared(a, b, moving=(a.at((0, 0, 0)),))
    motion = a.move((0, 0, 0), (1, 0, 0))
    copy, _ = again(made, (motion,))
    assert isinstance(copy, QueryBuffers)
    for name in ("joints", "sweeps", "taylor", "boxes", "active", "counts", "clock"):
        assert not np.shares_memory(getattr(copy, name), getattr(made.buffers, name)), name
    assert copy.world is made.buffers.world
    assert again(made, (motion,))[0] is copy, "one for each thread"


def test_active_models_say_where_their_rows_are():
    a, b = bodies(2)
    made = prepared(a, b, moving=(a.at((0, 0, 0)), b.at((1, 0, 0))))
    motions = (a.follow([np.eye(4)] * 3), b.move((0, 0, 0), (1, 0, 0)))
    table = with_motions(made.buffers.active, motions)
    assert table[:, 1].tolist() == [2, 1]
    assert table[:, 2].tolist() == [0, 21]
    assert with_motions(made.buffers.active, ()).tolist() == made.buffers.active.tolist()

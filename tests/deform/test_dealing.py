"""Tasks dealt out to threads: every block is settled once, the same is found, caps hold for all threads together."""

import os

import numpy as np
import pytest

import tocsin
from tocsin.deform.dealing import (
    NEXT,
    OUT_OF_STEPS,
    OVER,
    SPENT,
    Deal,
    make_ledger,
    make_scratch,
    table_of_pairs,
    take_blocks,
)
from tocsin.deform.mesh_arrays import MeshPair
from tocsin.deform.narrow import ANY, EVERY, FIRST, HIT, NODES, Search
from tocsin.deform.run import _cut, find
from tocsin.deform.traverse import empty_hits

from .test_one_ring import grid, made


@pytest.fixture(scope="module")
def folded():
    """A sheet that is folded onto itself, fitted to the motion."""
    rng = np.random.default_rng(8)
    v0, faces = grid(60, rng, 0.002)
    v1 = v0.copy()
    over = v0[:, 0] > 0.55
    v1[over, 0] = 1.1 - v0[over, 0]
    v1[over, 2] = 0.3 * (v0[over, 0] - 0.8)
    soft = made(v0, faces)
    return MeshPair(*2 * (soft.fit(v0, v1, np.zeros(3)),), True, 0.0, 1e-9, overlaps=False), soft


def taken(pair, ledger, question, times):
    """What one thread finds, and what it has done."""
    (_, tasks, blocks), scratch = _cut([pair], 1.0, 2), make_scratch()
    search, best, found = Search(question, empty_hits(question), 0, 1.0), np.zeros(1, HIT), np.zeros(1, np.int64)
    deal = Deal(tasks, blocks, ledger, times)
    hits = take_blocks(table_of_pairs([pair]), deal, scratch.addresses, search, best, found)
    return (hits if question == EVERY else best)[: found[0]], scratch.counts, len(blocks)


@pytest.mark.parametrize("question", [FIRST, EVERY, ANY])
def test_the_same_is_found_whatever_the_number_of_threads(folded, question):
    one, *others = (find([folded[0]], question, threads=threads) for threads in (1, 2, 3, 7))
    assert len(one.hits) > (500 if question == EVERY else 0)
    for other in others:
        assert question == ANY or other.hits.tobytes() == one.hits.tobytes()
        assert len(other.hits) == len(one.hits)


def test_every_block_is_taken_once_and_counts_add_up(folded):
    ledger, times = make_ledger(2**40, 2), np.array([1.0])
    first, _, blocks = taken(folded[0], ledger, EVERY, times)
    again, none, _ = taken(folded[0], ledger, EVERY, times)
    assert ledger[NEXT] == blocks + 2
    assert len(first) > 500
    assert (len(again), none[NODES]) == (0, 0)
    assert ledger[SPENT] > 0
    assert ledger[[OUT_OF_STEPS, OVER]].tolist() == [0, 0]
    assert times[0] == 1.0


@pytest.mark.parametrize("question", [FIRST, EVERY])
@pytest.mark.parametrize("threads", [1, 3])
def test_contacts_are_told_of_the_pair_that_they_belong_to(folded, question, threads):
    """Of three pairs that are asked together, of which the second stays apart, as of each alone."""
    pair, _ = folded
    apart = made(np.eye(3), np.array([[0, 1, 2]], np.int32)).fit(np.eye(3) + 9.0, np.eye(3) + 9.0, np.zeros(3))
    looser = pair._replace(tolerance=1e-6)
    pairs = [pair, MeshPair(pair.a, apart, False, 0.0, 1e-9, overlaps=False), looser]
    found = find(pairs, question, threads=threads)
    alone = [find([one], question, threads=threads).hits for one in pairs]
    if question == FIRST:
        best = min((hits[0]["time"], p) for p, hits in enumerate(alone) if len(hits))
        assert (found.hits[0]["time"], found.pair.tolist()) == (best[0], [best[1]])
    else:
        for p, hits in enumerate(alone):
            assert found.hits[found.pair == p].tobytes() == hits.tobytes()


def test_what_others_have_found_is_not_looked_for_again(folded):
    best = find([folded[0]], FIRST, threads=1).hits[0]["time"]
    found, _, _ = taken(folded[0], make_ledger(2**40, 2), FIRST, np.array([0.5 * best]))
    assert len(found) == 0


def test_a_cap_ends_all_threads_and_says_so(folded):
    ledger = make_ledger(50, 2)
    taken(folded[0], ledger, EVERY, np.array([1.0]))
    assert ledger[OUT_OF_STEPS]
    _, counts, _ = taken(folded[0], ledger, EVERY, np.array([1.0]))
    assert counts[NODES] == 0
    assert make_ledger(0, 2)[OUT_OF_STEPS]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_another_process_has_threads_of_its_own():
    """Threads do not follow into a fork: waiting for theirs would have no end."""
    vertices, faces = grid(60, np.random.default_rng(2), 0.0)
    cloth = tocsin.Deformable(vertices, faces=faces)
    scene, motion = tocsin.Scene(cloth, threads=2), cloth.move(vertices, vertices + 1.0)
    assert scene.is_free(motion)
    child = os.fork()
    if child == 0:
        import signal

        signal.alarm(20)
        os._exit(0 if scene.is_free(motion) else 1)
    assert os.waitpid(child, 0)[1] == 0

"""Where a wavefront says free nothing touches, whatever the joints, shapes and numbers; and nothing is dropped."""

import numpy as np
import pytest

from promise.scenes import box_mesh
from tocsin import Body, Mesh, Scene, Sphere
from tocsin.compiler.jit import PURE_PYTHON
from tocsin.outcome import CAPPED, CONTACT, FREE
from tocsin.results import Status
from tocsin.wavefront import stages
from tocsin.wavefront.apart import look_at
from tocsin.wavefront.host import run
from wavefront.cells import CELLS, arm, batch_for, inside, least_distances, on_host

METHODS = ("advancement", "interval")

TERMS = {"as they are": {}, "a margin": {"margin": 0.03}, "a tolerance": {"margin": 0.001, "tolerance": 0.01}}


@pytest.mark.parametrize("terms", TERMS)
@pytest.mark.parametrize("name", CELLS)
def test_what_is_free_in_a_wavefront_is_free_for_both_engines(name, terms):
    scene, model, Q0, Q1 = CELLS[name]()
    status = on_host(scene, model, Q0, Q1, **TERMS[terms])
    for i in np.flatnonzero(status == FREE):
        for method in METHODS if i % 8 == 0 else METHODS[:1]:
            hit = scene.first_contact(model.move(Q0[i], Q1[i]), method=method, **TERMS[terms])
            assert hit.status in (Status.FREE, Status.CAPPED), i
    assert np.isin(status, (FREE, CONTACT, CAPPED)).all()


def test_nearly_all_edges_of_an_arm_are_decided():
    scene, model, Q0, Q1 = arm()
    status = on_host(scene, model, Q0, Q1)
    assert (status != CAPPED).mean() > 0.9
    assert 5 < (status == FREE).sum() < len(Q0) - 5


@pytest.mark.parametrize("name", ["arm", "joints of all kinds", "round numbers"])
def test_no_sample_of_a_free_edge_is_within_the_margin_and_contacts_are_there(name):
    scene, model, Q0, Q1 = CELLS[name]()
    margin = 0.01
    status = on_host(scene, model, Q0, Q1, margin=margin)
    free, touching = np.flatnonzero(status == FREE)[:12], np.flatnonzero(status == CONTACT)[:12]
    assert (least_distances(scene, model, Q0[free], Q1[free], np.linspace(0, 1, 23)) > margin).all()
    for i in touching:
        assert scene.first_contact(model.move(Q0[i], Q1[i]), margin=margin + 1e-9).collides


def test_what_starts_in_a_solid_is_left_to_threads_and_a_hollow_box_holds_nothing():
    solid, hollow = (on_host(*inside(which)) for which in (True, False))
    assert solid.tolist() == [CAPPED, CAPPED, CAPPED, FREE, CAPPED, CAPPED]
    assert hollow[[0, 1, 3]].tolist() == [FREE, FREE, FREE]
    assert (hollow[[2, 4, 5]] != FREE).all()


@pytest.mark.parametrize(("jobs", "rows", "depth"), [(40, 10**6, 200), (10**6, 30, 200), (10**6, 10**6, 2), (0, 0, 0)])
def test_what_does_not_fit_is_handed_back_and_never_dropped(jobs, rows, depth):
    """A list of slabs, a list of items, or a stack that is too short makes an edge CAPPED, not free."""
    scene, model, Q0, Q1 = arm()
    tables, batch, items, left = batch_for(scene, model, Q0, Q1)
    batch = batch._replace(jobs=batch.jobs[:jobs].copy(), boxes=batch.boxes[:jobs].copy())
    run(tables, batch, items[:rows].copy(), left[:rows].copy(), np.zeros((depth, 2), np.int32))
    free = scene.check_edges(model, Q0, Q1)
    assert not (~free & (batch.status == FREE)).any()
    assert (batch.status == CAPPED).any()


@pytest.mark.skipif(not PURE_PYTHON, reason="looked at as plain Python: `make test-pure`")
@pytest.mark.pure
def test_the_larger_of_two_nodes_is_opened_first():
    """As in all searches (`geometry.descent`): a small mesh is not taken apart while a large one beside it is whole."""
    ball, crate = Sphere(3.0).tessellate(24), Mesh(*box_mesh(1.0, 1.0, 1.0))
    scene = Scene(Body(ball, name="ball"), Body(crate, name="crate"))
    tables, batch, *_ = batch_for(scene, scene.models[0], np.array([(3.2, 0, 0)]), np.array([(3.2, 0.01, 0)]))
    stages.start(tables, batch, 0)
    large, small = (int(tables.geoms[tables.couples[0][side]]["root"]) for side in "ab")
    stack = np.zeros((stages.STACK, 2), np.int32)
    look = look_at(tables, batch.joints[0], tables.couples[0], 0.5, 0.5)
    _, top, _, _ = stages.descend(tables, (0, 0, 0, 0, large, small), look, stack)
    whole = [b == small for a, b in stack[:top] if tables.nodes[a]["radius"] > tables.nodes[small]["radius"]]
    assert len(whole) > 1
    assert all(whole)

"""What a capped list of contacts leaves open: stretches in their order, none in another, and no gap between them."""

import dataclasses
import itertools

import pytest

import tocsin
from tocsin.queries.audit import search
from tocsin.results import Status


@pytest.mark.parametrize("until", [0.0, 0.4, 0.6, 0.99])
def test_stretches_of_a_list_that_is_cut_short_follow_each_other(monkeypatch, until):
    """A ball slides past two pegs; the list names both, and says that it is complete until some time only."""
    b = tocsin.RobotBuilder("slide")
    b.link("rail")
    b.link("ball", tocsin.Sphere(0.1), parent="rail", joint="prismatic", axis=(1, 0, 0))
    slide = b.build()
    pegs = [tocsin.Body(tocsin.Sphere(0.1), (x, 0, 0), name=f"peg{x}") for x in (1.0, 2.0)]
    scene = tocsin.Scene(slide, *pegs)
    whole = tocsin.audit(scene, slide, [[0.0], [3.0]])
    assert [s.status for s in whole.stretches] == 2 * [Status.CONTACT]

    def cut(*asked):
        return dataclasses.replace(search_for(*asked), until=until)

    search_for = search.contact_intervals
    monkeypatch.setattr(search, "contact_intervals", cut)
    found = tocsin.audit(scene, slide, [[0.0], [3.0]]).stretches
    places = [(s.enter.position, s.exit.position) for s in found]
    assert places == sorted(places)
    contacts = [s for s in found if s.is_contact]
    assert [s.enter.position for s in contacts] == [s.enter.position for s in whole.stretches]
    reached = max(until, *(s.exit.position for s in whole.stretches if s.enter.position < until), 0.0)
    for (_, leave), (enter, _) in itertools.pairwise(places):
        assert enter <= leave + 1e-12 or leave < reached, "what is beyond the list's end is in some stretch"
        assert enter >= leave - 1e-12, "no stretch is inside another"
    assert places[-1][1] == 1.0

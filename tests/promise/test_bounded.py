"""No question's work exceeds what its cap implies: soups of thousands of triangles in one place end, and say so.

Work is counted, never timed.
"""

import numpy as np
import pytest

import tocsin
from tocsin.interval import swept_cull
from tocsin.screen import exact_ask
from tocsin.screen.exact import search_pairs
from tocsin.screen.exact_roots import COUNTS, STEPS

TRIANGLE = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])


def lifted(z: float) -> np.ndarray:
    pose = np.eye(4)
    pose[2, 3] = z
    return pose


def stacked(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return triangles that are all the same."""
    return np.tile(TRIANGLE, (count, 1)), np.arange(3 * count).reshape(-1, 3)


def spaced(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return triangles each of which is a bit larger, and farther away, than the one before."""
    size = 2.0 ** np.linspace(-300.0, 0.0, count)
    return (size[:, None, None] * (TRIANGLE + [1.0, 0.0, 0.0])).reshape(-1, 3), np.arange(3 * count).reshape(-1, 3)


def two_of(soup: tuple[np.ndarray, np.ndarray]) -> tuple[tocsin.Scene, tocsin.Body]:
    """Return a scene of a soup above itself, and the one that is above."""
    above = tocsin.Body(soup, lifted(1.0), name="above")
    return tocsin.Scene(above, tocsin.Body(soup, name="below")), above


@pytest.mark.pure
@pytest.mark.parametrize("soup", [stacked, spaced])
@pytest.mark.parametrize("cap", [10, 1000])
def test_the_interval_engine_takes_no_more_steps_than_it_may(soup, cap):
    scene, above = two_of(soup(12))
    hit = scene.first_contact(above.move(lifted(1.0), lifted(-1.0)), method="interval", max_steps=cap)
    assert hit.status is tocsin.Status.CAPPED
    counts = hit._asked.counts  # type: ignore[attr-defined]
    assert hit.stats.steps <= cap + 16
    assert counts.sum() <= 20 * (cap + 16), "everything else that is counted is done in a step"


def test_thousands_of_triangles_in_one_place_end_in_the_interval_engine():
    scene, above = two_of(stacked(400))
    hit = scene.first_contact(above.move(lifted(1.0), lifted(-1.0)), method="interval", max_steps=200_000)
    assert hit.status is tocsin.Status.CAPPED
    assert hit.time <= 0.5


@pytest.mark.pure
def test_a_shape_of_which_too_many_nodes_are_near_is_kept_by_stage_two():
    assert swept_cull.MOST_NODES >= 2 * swept_cull.MAX_DEPTH


def test_a_manifold_that_is_cut_short_says_so():
    scene, above = two_of(stacked(16))
    move = above.move(lifted(1.0), lifted(-1.0))
    whole = scene.first_contact(move)
    assert whole.complete
    assert len(whole.contacts) == 256
    assert len({(contact.kind, contact.features) for contact in whole.contacts}) == 256, "no one twice"
    short = scene.first_contact(move, max_steps=100)
    assert not short.complete
    assert len(short.contacts) <= 15 * 100
    assert short != whole


@pytest.mark.parametrize("count", [300, 2_500])
def test_thousands_of_triangles_in_one_place_are_listed_up_to_a_bound(count):
    """The same three corners again and again: every touch is listed once, after tests without end."""
    soup = TRIANGLE, np.tile(np.arange(3), (count, 1))
    scene, above = two_of(soup)
    hit = scene.first_contact(above.move(lifted(1.0), lifted(-1.0)))
    assert hit.time == pytest.approx(0.5, abs=1e-3)
    assert len(hit.contacts) == 1
    assert hit.complete == (count == 300)


@pytest.mark.parametrize("soup", [stacked, spaced])
def test_a_distance_between_thousands_of_equally_near_triangles_ends_with_bounds_that_hold(soup):
    scene, above = two_of(soup(2_500 if soup is stacked else 1_000))
    found = scene.distance(above.at(lifted(0.7)))
    assert found.lower <= 0.7 <= found.distance * (1.0 + 1e-12)
    assert found.distance == pytest.approx(0.7)


def test_a_search_for_all_contacts_takes_no_more_steps_than_it_may_and_says_so(monkeypatch):
    scene, above = two_of(stacked(40))
    move = above.move(lifted(1.0), lifted(-1.0), kind="screw")
    whole = scene.contacts(move, exact=True)
    assert whole.complete
    taken = []

    def counted(*args):
        found = search_pairs(*args)
        taken.append(int(args[-1][STEPS]))
        return found

    monkeypatch.setattr(exact_ask, "search_pairs", counted)
    for cap in (100, 1000):
        monkeypatch.setattr(exact_ask, "MOST_STEPS", cap)
        assert not scene.contacts(move, exact=True).complete
        assert cap < taken[-1] <= cap + 15 * 100, "a pair of triangles more, of 15 pairs of features"
    assert COUNTS == STEPS + 1


def test_contact_intervals_of_thousands_of_triangles_in_one_place_end():
    scene, above = two_of(stacked(400))
    found = scene.contact_intervals(above.move(lifted(1.0), lifted(-1.0)), max_steps=20_000)
    assert found.until <= 1.0
    assert all(one.enter <= 0.5 <= one.exit for one in found)

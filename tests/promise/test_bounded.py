"""No question's work exceeds what its cap implies: soups of thousands of triangles in one place end, and say so.

Work is counted, never timed.
"""

import warnings

import numpy as np
import pytest

import tocsin
from effort import little_work
from tocsin.contacts import manifold
from tocsin.deform import answer, distance
from tocsin.interval import swept_cull
from tocsin.queries import buffers
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


def falling(soup: tuple[np.ndarray, np.ndarray]) -> tuple[tocsin.Scene, tocsin.model.base.Motion]:
    """Return a scene of a soup that can deform and touches itself, and how it falls."""
    with warnings.catch_warnings(action="ignore", category=tocsin.MeshWarning):
        model = tocsin.Deformable(*soup, name="soup")
    return tocsin.Scene(model), model.move(model.vertices, model.vertices - (0.0, 0.0, 1.0))


@pytest.mark.pure
@pytest.mark.parametrize("soup", [stacked, spaced])
@pytest.mark.parametrize("cap", [10, 1000])
def test_the_interval_engine_takes_no_more_steps_than_it_may(soup, cap):
    scene, above = two_of(soup(12))
    hit = scene.first_contact(above.move(lifted(1.0), lifted(-1.0)), method="interval", max_steps=cap)
    assert hit.status is tocsin.Status.CAPPED
    counts = np.frombuffer(hit.asked.tally, np.int64)[: buffers.COUNTS]  # type: ignore[attr-defined]
    assert hit.stats.steps <= cap + 16
    assert counts.sum() <= 20 * (cap + 16), "everything else that is counted is done in a step"


def test_thousands_of_triangles_in_one_place_end_in_the_interval_engine():
    scene, above = two_of(stacked(20_000))
    hit = scene.first_contact(above.move(lifted(1.0), lifted(-1.0)), method="interval", max_steps=200_000)
    assert hit.status is tocsin.Status.CAPPED
    assert hit.time <= 0.5
    assert hit.stats.steps <= 200_016


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


@pytest.mark.parametrize("soup", [stacked, spaced])
def test_a_manifold_of_more_than_65536_touches_is_not_complete(soup):
    scene, above = two_of(soup(20_000 if soup is stacked else 4_000))
    hit = scene.first_contact(above.move(lifted(1.0), lifted(-1.0)))
    assert hit.time == pytest.approx(0.5, abs=1e-3)
    assert not hit.complete
    assert manifold.MOST <= len(hit.contacts) <= manifold.MOST + 15, "no more than those of two triangles"


@pytest.mark.parametrize("count", [300, 20_000])
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
    scene, above = two_of(soup(20_000 if soup is stacked else 4_000))
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
    scene, above = two_of(stacked(20_000))
    found = scene.contact_intervals(above.move(lifted(1.0), lifted(-1.0)), max_steps=20_000)
    assert found.until <= 1.0
    assert all(one.enter <= 0.5 <= one.exit for one in found)


# --- the screen -------------------------------------------------------------------------------------------------------


def test_a_screen_of_more_than_two_million_pairs_is_refused_with_a_sentence():
    scene, above = two_of(spaced(4_000))
    with pytest.raises(tocsin.TocsinError, match=r"more than 2,097,152 pairs of edges .* exact=True"):
        scene.contacts(above.move(lifted(1.0), lifted(-1.0), kind="screw"))


@pytest.mark.parametrize("shared", [False, True])
def test_a_screen_of_thousands_of_triangles_in_one_place_ends(shared):
    """Culling goes down both hierarchies: as many pairs of nodes as of triangles, none of which it can settle."""
    soup = (TRIANGLE, np.tile(np.arange(3), (20_000, 1))) if shared else stacked(20_000)
    scene, above = two_of(soup)
    found = scene.contacts(above.move(lifted(1.0), lifted(-1.0), kind="screw"), properness=-1.0)
    assert len(found) > 0
    assert all(contact.time == pytest.approx(0.5) for contact in found)


# --- deformable models ------------------------------------------------------------------------------------------------


def test_a_manifold_of_a_deformable_model_that_is_cut_short_says_so():
    few = falling(stacked(8))
    hit = few[0].first_contact(few[1])
    assert hit.status is tocsin.Status.INITIAL_CONTACT
    assert hit.complete
    assert len(hit.contacts) == 8 * 7 // 2 * 15
    capped = few[0].first_contact(few[1], max_steps=20)
    assert capped.status is tocsin.Status.CAPPED or not capped.complete
    many = falling(stacked(100))
    hit = many[0].first_contact(many[1])
    assert not hit.complete
    assert len(hit.contacts) == answer.MOST_LISTED


@pytest.mark.parametrize("every", ["pair", "triangle"])
@pytest.mark.parametrize("soup", [stacked, spaced])
def test_lists_of_thousands_of_deformable_triangles_in_one_place_take_no_more_work_than_they_may(soup, every):
    """Millions of edges may go through faces that they touch: none is looked at by itself."""
    scene, fall = falling(soup(4_000))
    scene.contacts(fall, every=every, max_steps=1_000)  # what is compiled for as many is not counted
    scene, fall = falling(soup(20_000 if soup is stacked else 4_000))
    with little_work(100_000):
        found = scene.contacts(fall, every=every, max_steps=500_000)
    assert not found.complete
    assert found.times[0] == 0.0


@pytest.mark.parametrize("other", ["deformable", "body"])
def test_a_distance_of_deformable_models_all_of_which_is_equally_near_ends_with_bounds_that_hold(other, monkeypatch):
    monkeypatch.setattr(distance, "MOST_STEPS", 100_000)
    soup = stacked(5_000)
    cloth = tocsin.Deformable(*soup, name="cloth", self_contact=False)
    below = tocsin.Deformable(*soup, name="below", self_contact=False) if other == "deformable" else tocsin.Body(soup)
    scene = tocsin.Scene(cloth, below)
    found = scene.distance(cloth.at(cloth.vertices + (0.0, 0.0, 0.7)))
    assert 0.6 < found.lower < 0.7
    assert found.distance == pytest.approx(0.7)


def test_threads_take_no_more_steps_together_than_one_may():
    models = [tocsin.Deformable(*stacked(3_000), name=name, self_contact=False) for name in "ab"]
    fall = models[0].move(models[0].vertices + (0.0, 0.0, 1.0), models[0].vertices - (0.0, 0.0, 1.0))
    for threads in (1, 2, 8):
        hit = tocsin.Scene(*models, threads=threads).first_contact(fall, max_steps=200_000)
        assert hit.status is tocsin.Status.CAPPED
        # Eight of what deformable models count are one step of the cap.
        assert hit.stats.steps <= 2.5 * 8 * 200_000, "once by all threads, and then in order by one"

"""Lists beside turning bodies: the same whatever slabs they are made in, and no dearer than they need be."""

import numpy as np
import pytest

import tocsin
from tocsin import Status
from tocsin.deform import slabs
from tocsin.deform.follow import CREW

from .test_one_story import patch, turntable


def bumps(n, size, height):
    """A square with hills and hollows up to a height."""
    vertices, faces = patch(n, size)
    vertices[:, 2] += height * np.sin(5.0 * vertices[:, 0]) * np.cos(4.0 * vertices[:, 1])
    return vertices, faces


def over_turning_bumps(start, end, n=12):
    """A scene of a flat cloth, between two heights, over bumps of 5 cm that turn by a radian, and its motions."""
    table = turntable(*bumps(n, 2.0, 0.05))
    vertices, faces = patch(n, 2.0)
    cloth = tocsin.Deformable(vertices, faces, name="cloth", self_contact=False)
    motions = table.move([0.0], [1.0]), cloth.move(vertices + [0, 0, start], vertices + [0, 0, end])
    return tocsin.Scene(cloth, table, threads=1), motions


def told(scene, motions):
    """Everything that a list says, bit by bit."""
    found = scene.contacts(*motions, every="pair", max_steps=10**8)
    assert found.complete
    return found.times.tobytes(), tuple(contact.features for contact in found), found.decided.tobytes()


@pytest.mark.parametrize("ends", [(0.04, 0.04), (0.2, 0.03), (0.03, 0.2), (0.052, 0.052)])
def test_a_list_is_the_same_whatever_slabs_it_is_made_in(ends, monkeypatch):
    scene, motions = over_turning_bumps(*ends)
    said = told(scene, motions)
    monkeypatch.setattr(slabs, "free_until", lambda slabs: 0.0)
    for coarse in (0.25, 0.02, 0.001):
        monkeypatch.setattr(slabs, "COARSE", coarse)
        assert told(scene, motions) == said


def test_nothing_in_a_list_is_earlier_than_the_time_until_which_all_is_free(monkeypatch):
    scene, motions = over_turning_bumps(0.2, 0.03)
    seen = []
    ask = slabs.free_until
    monkeypatch.setattr(slabs, "free_until", lambda *given: seen.append(ask(*given)) or seen[-1])
    found = scene.contacts(*motions, every="pair")
    assert 0.0 < seen[0] == found.times[0]


def test_a_list_of_what_is_near_and_never_touches_costs_about_what_the_first_contact_does():
    """Counted in steps of the cap: everything is within 2 mm of touching all the time, and slabs are long."""
    scene, motions = over_turning_bumps(0.052, 0.052, 24)
    assert scene.first_contact(*motions).status is Status.FREE
    enough = next(k for k in range(30) if scene.first_contact(*motions, max_steps=2**k).status is Status.FREE)
    found = scene.contacts(*motions, every="pair", max_steps=4 * 2**enough)
    assert found.complete
    assert len(found) == 0


@pytest.mark.parametrize("most", [2_000, 8_000])
def test_a_list_that_is_cut_short_says_so_and_has_entries_of_the_whole_alone(most):
    """Half of the steps are for its first entry, so that some are left for the others."""
    scene, motions = over_turning_bumps(0.04, 0.04, 24)
    whole, part = (scene.contacts(*motions, every="pair", max_steps=steps) for steps in (10**8, most))
    assert not part.complete
    assert len(part) < len(whole)
    said = [{(c.time, c.features) for c, sure in zip(found, found.decided) if sure} for found in (part, whole)]
    assert said[0] <= said[1]


def test_what_becomes_of_a_pair_does_not_depend_on_those_that_are_followed_beside_it(monkeypatch):
    follow = slabs.Slabs.follow
    seen = []

    def both(self, level, k, hits):
        alone = [follow(self, level, k, hits[i : i + 1])[0] for i in range(len(hits))]
        found, whole = follow(self, level, k, hits)
        assert sorted(found.tolist()) == sorted(np.concatenate(alone).tolist())
        seen.append((len(hits), len(found)))
        return found, whole

    monkeypatch.setattr(slabs.Slabs, "follow", both)
    scene, motions = over_turning_bumps(0.04, 0.04)
    assert scene.contacts(*motions, every="pair").complete
    most, (near, touching) = max(n for n, _ in seen), np.sum(seen, axis=0)
    assert most > CREW, "more than one crew"
    assert 0 < touching < near

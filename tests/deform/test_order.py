"""The order of elements: every one once, and octets that stay together."""

import numpy as np
import pytest

from tocsin.deform.order import spatial_order, split_at

pytestmark = pytest.mark.pure


@pytest.mark.parametrize("seed", range(10))
def test_the_smallest_keys_come_first_however_many_are_equal(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 60))
    key = rng.integers(0, 5, n).astype(float) if seed % 2 else rng.random(n)
    order = rng.permutation(n).astype(np.int32)
    lo, hi = sorted(rng.choice(n + 1, 2, replace=False).tolist())
    k = int(rng.integers(0, hi - lo))
    before = order.copy()
    split_at(order, key, lo, hi, k)
    assert sorted(order[lo:hi]) == sorted(before[lo:hi])
    assert (order[:lo] == before[:lo]).all()
    assert (order[hi:] == before[hi:]).all()
    if k:
        assert key[order[lo : lo + k]].max() <= key[order[lo + k : hi]].min()


@pytest.mark.parametrize("n", [0, 1, 2, 7, 8, 9, 64, 65, 200, 513])
def test_every_element_is_in_the_order_once(n):
    centers = np.random.default_rng(n).random((3, n))
    assert sorted(spatial_order(centers)) == list(range(n))


def test_octets_are_close_together_and_the_order_is_the_same_every_time():
    rng = np.random.default_rng(1)
    centers = rng.random((3, 512))
    order = spatial_order(centers)
    assert (spatial_order(centers) == order).all()

    def spread(which):
        return np.mean([np.ptp(centers[:, octet], axis=1).max() for octet in which.reshape(-1, 8)])

    assert spread(order) < 0.5 * spread(rng.permutation(512))


def test_elements_that_coincide_are_ordered_too():
    assert sorted(spatial_order(np.zeros((3, 100)))) == list(range(100))

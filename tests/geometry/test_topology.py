"""Which triangles share edges."""

import numpy as np
import pytest

from tocsin.geometry.topology import _flood, half_edges, label_faces

pytestmark = pytest.mark.pure


class Counted:
    """An array that counts how often it is read."""

    def __init__(self, array):
        self.array = array
        self.reads = 0

    def __getitem__(self, k):
        self.reads += 1
        return self.array[k]


def test_many_faces_around_one_edge_are_labelled_in_a_step_each():
    """A fan, and one face over and over: a walk around the whole ring for every face would take m squared steps."""
    m = 300
    fan = np.column_stack((np.zeros(m), np.ones(m), np.arange(2, m + 2))).astype(np.int32)
    for faces in (fan, np.tile(np.int32([0, 1, 2]), (m, 1))):
        around = Counted(half_edges(faces, m + 2).next_around)
        assert not getattr(_flood, "py_func", _flood)(around, m).any()
        assert around.reads <= 3 * m


def test_labels_are_the_groups_that_sharing_edges_makes():
    rng = np.random.default_rng(0)
    for _ in range(40):
        m = int(rng.integers(1, 40))
        faces = rng.integers(0, 12, (m, 3)).astype(np.int32)
        groups = list(range(m))
        edges = [{frozenset((f[k], f[k - 1])) for k in range(3) if f[k] != f[k - 1]} for f in faces.tolist()]
        for a in range(m):
            for b in range(a):
                if edges[a] & edges[b]:
                    groups = [groups[b] if group == groups[a] else group for group in groups]
        numbers: dict[int, int] = {}
        expected = [numbers.setdefault(group, len(numbers)) for group in groups]
        assert label_faces(faces, 12).tolist() == expected

"""Two meshes and their rigid motions, as every peer is given them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from tocsin_bench.scenes.shapes import Triangles


@dataclass(frozen=True)
class Pair:
    """Meshes a and b, and poses (count, body, end, 4, 4): origins on straight lines, turning at constant rates."""

    mesh_a: Triangles
    mesh_b: Triangles
    motions: np.ndarray

    @property
    def b_stands(self) -> bool:
        """True if the second body never moves."""
        return bool(np.array_equal(self.motions[:, 1, 0], self.motions[:, 1, 1]))

    def poses(self, k: int, body: int, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rotations (n, 3, 3) and origins (n, 3) of one body on motion k at these times."""
        start, end = self.motions[k, body]
        turn = Rotation.from_matrix(end[:3, :3] @ start[:3, :3].T).as_rotvec()
        rotations = Rotation.from_rotvec(times[:, None] * turn).as_matrix() @ start[:3, :3]
        return rotations, (1.0 - times)[:, None] * start[:3, 3] + times[:, None] * end[:3, 3]

    def relative(self, k: int, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rotations and origins of body a in the frame of body b on motion k at these times."""
        (ra, ta), (rb, tb) = self.poses(k, 0, times), self.poses(k, 1, times)
        return np.einsum("nji,njk->nik", rb, ra), np.einsum("nji,nj->ni", rb, ta - tb)

"""Rapier's non-linear shape cast of one triangle mesh against another that stands (`cast_shape_nonlinear`)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from tocsin_bench import report
from tocsin_bench.peers.remote import apart
from tocsin_bench.peers.rigid_pair import Pair
from tocsin_bench.race import Contestant


class RapierPair:
    """The moving mesh as a shape, the standing one as the only collider of a world; single precision, as rapier is."""

    def __init__(self, pair: Pair) -> None:
        import rapier3d  # pyright: ignore[reportMissingImports]

        self.rapier: Any = rapier3d
        self.pair = pair
        (va, fa), (vb, fb) = pair.mesh_a, pair.mesh_b
        self.shape = rapier3d.SharedShape.trimesh(va.astype(np.float32), fa.astype(np.uint32))
        self.worlds: dict[bytes, Any] = {}
        self.mesh_b = vb, fb.astype(np.uint32)
        self.options = rapier3d.ShapeCastOptions()

    def _world(self, k: int) -> Any:
        """The world with the second mesh where it stands on motion k, made once."""
        pose = self.pair.motions[k, 1, 0]
        key = pose.tobytes()
        if key not in self.worlds:
            world = self.rapier.PhysicsWorld()
            vertices = self.mesh_b[0] @ pose[:3, :3].T + pose[:3, 3]
            world.add_collider(self.rapier.Collider.trimesh(vertices.astype(np.float32), self.mesh_b[1]))
            world.update_query_pipeline()
            self.worlds[key] = world
        return self.worlds[key]

    def _motion(self, k: int) -> Any:
        start, end = self.pair.motions[k, 0]
        quaternion = Rotation.from_matrix(start[:3, :3]).as_rotvec()
        angle = float(np.linalg.norm(quaternion))
        vec = self.rapier.Vec3
        axis = quaternion / angle if angle else np.array([1.0, 0.0, 0.0])
        place = self.rapier.Isometry3(vec(*start[:3, 3]), self.rapier.Rotation3.from_axis_angle(vec(*axis), angle))
        turn = Rotation.from_matrix(end[:3, :3] @ start[:3, :3].T).as_rotvec()
        return self.rapier.NonlinearRigidMotion(
            place, (0.0, 0.0, 0.0), tuple(end[:3, 3] - start[:3, 3]), tuple(turn.tolist())
        )

    def contestant(self) -> Contestant:
        """The cast over the whole motion."""
        motions = [self._motion(k) for k in range(len(self.pair.motions))]
        for k in range(len(motions)):
            self._world(k)

        def ask(k: int) -> float:
            hit = self._world(k).query_pipeline.cast_shape_nonlinear(motions[k], self.shape, self.options, 0.0, 1.0)
            return math.inf if hit is None else hit[1].time_of_impact

        return Contestant("rapier non-linear cast", apart(report.asking(ask)), against="tocsin first_contact")

"""python-fcl's `continuousCollide` on two meshes, in all its modes.

The naive solver collides the meshes at N evenly spaced times (t = i / (N - 1)) and returns the first that overlaps; it
proves nothing between them. FCL 0.7 leaves the reference point of such a motion uninitialised (`InterpMotion(tf1,
tf2)`), so that its path depends on what lay in memory before. To compare like with like, freed memory is cleared before
each call, outside the clock.
"""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np

from tocsin_bench import report
from tocsin_bench.peers.remote import apart
from tocsin_bench.peers.rigid_pair import Pair
from tocsin_bench.race import Contestant

AGAINST = "tocsin first_contact"
MODES = {
    "conservative advancement": ("CCDM_LINEAR", ""),
    "conservative advancement, translation": (
        "CCDM_TRANS", "does not turn: another motion than the one asked about",
    ),
}  # fmt: skip
"""The motions that its conservative advancement on meshes knows, and what to say about them."""
WITHOUT_ANSWERS = {
    "fcl ray shooting": "has no answer for two meshes: FCL says 'invalid continuous collision setting'",
    "fcl polynomial solver": "has no answer for two rigid meshes: FCL says 'invalid continuous collision checking'",
}
"""Its other two solvers, and why they do not take part."""


class FclPair:
    """The meshes and motions in python-fcl, everything prepared that can be prepared."""

    def __init__(self, pair: Pair) -> None:
        import fcl  # pyright: ignore[reportMissingImports]

        self.fcl: Any = fcl
        self.pair = pair
        self.objects = []
        for vertices, faces in (pair.mesh_a, pair.mesh_b):
            model = fcl.BVHModel()
            model.beginModel(len(vertices), len(faces))
            model.addSubModel(vertices, faces)
            model.endModel()
            self.objects.append(fcl.CollisionObject(model))
        self.libc = _libc()
        self.ends = [[[self._transform(pose) for pose in body] for body in motion] for motion in pair.motions]

    def _transform(self, pose: np.ndarray) -> Any:
        return self.fcl.Transform(pose[:3, :3], pose[:3, 3])

    def contestants(self, samples: int) -> list[Contestant]:
        """The naive solver at so many samples, and conservative advancement."""
        naive = self._request("CCDC_NAIVE", "CCDM_LINEAR", samples)
        found = [self._contestant(f"fcl naive, {samples} samples", naive, "")]
        for name, (motion, note) in MODES.items():
            # With iterations enough to end by its own tolerance.
            request = self._request("CCDC_CONSERVATIVE_ADVANCEMENT", motion, 1000)
            found.append(self._contestant(f"fcl {name}", request, note))
        return found

    def _contestant(self, name: str, request: Any, note: str) -> Contestant:
        run = report.asking(lambda k: self._ask(k, request), self.clear_freed_memory)
        return Contestant(name, apart(run), against=AGAINST, note=note)

    def _request(self, solver: str, motion: str, iterations: int) -> Any:
        return self.fcl.ContinuousCollisionRequest(
            num_max_iterations=iterations,
            ccd_motion_type=getattr(self.fcl.CCDMotionType, motion),
            ccd_solver_type=getattr(self.fcl.CCDSolverType, solver),
        )

    def clear_freed_memory(self) -> None:
        """Zero the blocks that FCL's next motions will be made in; where there is no C library to ask, do nothing."""
        if self.libc is None:
            return
        sizes = [size for size in range(184, 1025, 16) for _ in range(3)]
        blocks = [self.libc.malloc(size) for size in sizes]
        for block, size in zip(blocks, sizes):
            ctypes.memset(block, 0, size)
            self.libc.free(block)

    def _ask(self, k: int, request: Any) -> float:
        a, b = self.objects
        (a_t0, a_t1), (b_t0, b_t1) = self.ends[k]
        a.setTransform(a_t0)
        b.setTransform(b_t0)
        result = self.fcl.ContinuousCollisionResult()
        self.fcl.continuousCollide(a, a_t1, b, b_t1, request, result)
        return result.time_of_contact if result.is_collide else math.inf

    def overlaps_after(self, k: int, t: float) -> bool:
        """True if the meshes overlap, by `fcl.collide`, at one of 1,000 times between t and the end."""
        rotations, origins = self.pair.relative(k, np.linspace(t, 1.0, 1000))
        a, b = self.objects
        b.setTransform(self.fcl.Transform())
        for rotation, origin in zip(rotations, origins):
            a.setTransform(self.fcl.Transform(rotation, origin))
            if self.fcl.collide(a, b) > 0:
                return True
        return False


def _libc() -> Any | None:
    try:
        libc = ctypes.CDLL(None)
        libc.malloc.argtypes, libc.malloc.restype = [ctypes.c_size_t], ctypes.c_void_p
        libc.free.argtypes = [ctypes.c_void_p]
    except (TypeError, OSError, AttributeError):
        return None
    return libc

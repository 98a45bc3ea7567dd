"""What a simulation developer would use instead: the IPC toolkit (`pip install ipctk`), asked the same questions.

Broad phase: LBVH, its fastest here. Narrow phases: `additive` (additive CCD, its fastest) and `inclusion`
(Tight-Inclusion, its default). Both stop short of the true time by a factor that `conservative_rescaling` sets; the
defaults are kept, except where single pairs are judged, where Tight-Inclusion runs with 1, its most exact.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def available() -> bool:
    """Whether ipctk can be imported."""
    try:
        import ipctk  # noqa: F401
    except ModuleNotFoundError:
        return False
    return True


def threads(count: int) -> None:
    """Let ipctk use this many threads."""
    import ipctk

    ipctk.set_num_threads(count)


def narrow(name: str, exact: bool = False) -> Any:
    """A narrow phase by name; `exact` takes out what it stays away from contact on purpose."""
    import ipctk

    ipctk.set_logger_level(ipctk.LoggerLevel.error)  # it warns of every pair that touches at the start
    if name == "additive":
        return ipctk.AdditiveCCD()
    return ipctk.TightInclusionCCD(conservative_rescaling=1.0) if exact else ipctk.TightInclusionCCD()


def ask_pair(method: Any, kind: str) -> Any:
    """The function that answers (collides, time) for eight points of one pair."""
    return method.point_triangle_ccd if kind == "vertex-face" else method.edge_edge_ccd


class Mesh:
    """A mesh in two states as ipctk wants it: vertices in columns, edges in the caller's order."""

    def __init__(self, rest: np.ndarray, edges: np.ndarray, faces: np.ndarray) -> None:
        import ipctk

        as_columns = [np.asfortranarray(part.astype(np.int32)) for part in (edges, faces)]
        self._mesh = ipctk.CollisionMesh(np.asfortranarray(rest), *as_columns)
        self._phase = ipctk.LBVH()

    def candidates(self, vertices_t0: np.ndarray, vertices_t1: np.ndarray) -> Any:
        """The pairs whose swept boxes overlap."""
        import ipctk

        found = ipctk.Candidates()
        found.build(self._mesh, np.asfortranarray(vertices_t0), np.asfortranarray(vertices_t1), broad_phase=self._phase)
        return found

    def first_time(self, vertices_t0: np.ndarray, vertices_t1: np.ndarray, method: Any) -> float:
        """The step that is free, from nothing: broad phase and narrow phase."""
        t0, t1 = np.asfortranarray(vertices_t0), np.asfortranarray(vertices_t1)
        return self.candidates(t0, t1).compute_collision_free_stepsize(self._mesh, t0, t1, narrow_phase_ccd=method)

    def is_free(self, vertices_t0: np.ndarray, vertices_t1: np.ndarray, method: Any) -> bool:
        """Whether the whole step is free, from nothing."""
        t0, t1 = np.asfortranarray(vertices_t0), np.asfortranarray(vertices_t1)
        return self.candidates(t0, t1).is_step_collision_free(self._mesh, t0, t1, narrow_phase_ccd=method)


def ids(candidate: Any, kind: str) -> tuple[int, int]:
    """Vertex and face, or edge and edge, the lower number first."""
    if kind == "vertex-face":
        return candidate.vertex_id, candidate.face_id
    low, high = sorted((candidate.edge0_id, candidate.edge1_id))
    return low, high

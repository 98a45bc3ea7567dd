"""A mannequin of 15 links, 20K triangles and 1.7 m, like that of the Walk and Exercise benchmarks [CATCH fig. 8].

The pelvis is a free root; waist, neck, shoulders and hips are ball joints; elbows, wrists, knees and ankles revolute.
x is forward, y left, z up; a link's frame sits at its joint, and at rest the arms hang down. Links are closed and
non-convex (face, fingers, toes, a patella); neighbours overlap at their joint, all others are apart at rest.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.spatial.transform import Rotation

import tocsin
from tocsin_bench.scenes import implicit
from tocsin_bench.scenes.shapes import Triangles


@dataclass(frozen=True)
class Link:
    """One link: the joint that carries it, and the angles of a pose that this joint takes."""

    name: str
    parent: str | None
    joint: str
    origin: tuple[float, float, float]
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)

    @property
    def n_angles(self) -> int:
        """How many angles of a pose this joint takes: a ball joint three, a revolute joint one, the root none."""
        return {"root": 0, "ball": 3, "revolute": 1}[self.joint]


def _side(side: str, y: float) -> list[Link]:
    """The arm and the leg of one side; `y` is +1 on the left and -1 on the right."""
    return [
        Link(f"{side}_upper_arm", "torso", "ball", (-0.01, 0.2 * y, 0.345)),
        Link(f"{side}_forearm", f"{side}_upper_arm", "revolute", (0.0, 0.0, -0.28), (0.0, -1.0, 0.0)),
        Link(f"{side}_hand", f"{side}_forearm", "revolute", (0.0, 0.0, -0.25), (-y, 0.0, 0.0)),
        Link(f"{side}_thigh", "pelvis", "ball", (0.0, 0.09 * y, -0.04)),
        Link(f"{side}_shin", f"{side}_thigh", "revolute", (0.0, 0.0, -0.42), (0.0, 1.0, 0.0)),
        Link(f"{side}_foot", f"{side}_shin", "revolute", (0.0, 0.0, -0.4), (0.0, -1.0, 0.0)),
    ]


LINKS: tuple[Link, ...] = (
    Link("pelvis", None, "root", (0.0, 0.0, 0.0)),
    Link("torso", "pelvis", "ball", (0.0, 0.0, 0.12)),
    Link("head", "torso", "ball", (0.0, 0.0, 0.42)),
    *_side("left", 1.0),
    *_side("right", -1.0),
)

ANGLES: dict[str, slice] = {}
"""Where each link's joint finds its angles in a pose vector."""
for _link in LINKS:
    _start = max((s.stop for s in ANGLES.values()), default=0)
    ANGLES[_link.name] = slice(_start, _start + _link.n_angles)
N_ANGLES = max(s.stop for s in ANGLES.values())


def configuration(angles: np.ndarray) -> np.ndarray:
    """Joint values (..., 32) of poses (..., 26).

    A ball joint's three angles are flexion (forward), abduction (away from the middle; of waist and neck: to the left)
    and inward turn; a revolute joint's is its flexion. All in radians, zero at rest.
    """
    columns = []
    for link in LINKS:
        value = angles[..., ANGLES[link.name]]
        if link.joint == "revolute":
            columns.append(value)
        elif link.joint == "ball":
            # A hanging limb flexes forward about -y; what stands on its joint (torso, head) bends forward about +y.
            mirror = -1.0 if link.name.startswith("right") else 1.0
            hangs = link.name not in ("torso", "head")
            x = value[..., 1] * (mirror if hangs else -1.0)
            y = value[..., 0] * (-1.0 if hangs else 1.0)
            z = value[..., 2] * -mirror
            turn = Rotation.from_euler("yxz", np.stack([y, x, z], -1).reshape(-1, 3))
            columns.append(turn.as_quat().reshape(*angles.shape[:-1], 4))
    return np.concatenate(columns, axis=-1)


def _pelvis() -> Triangles:
    field = implicit.round_cones(
        [
            ((0.0, -0.07, 0.04), (0.0, 0.07, 0.04), 0.095, 0.095),
            ((-0.01, -0.075, -0.03), (-0.01, 0.075, -0.03), 0.09, 0.09),
            ((-0.055, 0.06, -0.05), (-0.05, 0.065, -0.03), 0.07, 0.075),
            ((-0.055, -0.06, -0.05), (-0.05, -0.065, -0.03), 0.07, 0.075),
            ((0.0, 0.0, -0.09), (0.01, 0.0, -0.04), 0.04, 0.06),
        ],
        blend=0.04,
    )
    return implicit.mesh_of(field, (-0.18, -0.22, -0.18), (0.15, 0.22, 0.18), 1400)


def _torso() -> Triangles:
    body = implicit.round_cones(
        [
            ((0.0, -0.068, 0.015), (0.0, 0.068, 0.015), 0.073, 0.073),
            ((0.0, -0.05, 0.1), (0.0, 0.05, 0.1), 0.085, 0.085),
            ((-0.005, -0.065, 0.24), (-0.005, 0.065, 0.24), 0.11, 0.11),
            ((-0.015, -0.145, 0.345), (-0.015, 0.145, 0.345), 0.052, 0.052),
            ((0.075, 0.02, 0.275), (0.065, 0.085, 0.285), 0.05, 0.05),
            ((0.075, -0.02, 0.275), (0.065, -0.085, 0.285), 0.05, 0.05),
            ((-0.015, 0.0, 0.35), (-0.01, 0.0, 0.42), 0.07, 0.05),
            ((-0.07, 0.08, 0.3), (-0.06, 0.07, 0.24), 0.045, 0.05),
            ((-0.07, -0.08, 0.3), (-0.06, -0.07, 0.24), 0.045, 0.05),
        ],
        blend=0.035,
    )
    spine = implicit.round_cones([((-0.15, 0.0, 0.32), (-0.125, 0.0, 0.05), 0.02, 0.035)], blend=0.02)
    navel = implicit.round_cones([((0.1, 0.0, 0.06), (0.085, 0.0, 0.06), 0.012, 0.01)], blend=0.02)
    field = implicit.carved(implicit.carved(body, spine, blend=0.03), navel, blend=0.01)
    return implicit.mesh_of(field, (-0.16, -0.22, -0.12), (0.16, 0.22, 0.48), 2300)


def _head() -> Triangles:
    skull = implicit.ellipsoid((0.005, 0.0, 0.138), (0.098, 0.078, 0.102))
    parts = implicit.round_cones(
        [
            ((-0.015, 0.0, -0.03), (-0.005, 0.0, 0.07), 0.05, 0.05),
            ((0.035, 0.0, 0.075), (0.062, 0.0, 0.045), 0.055, 0.034),
            ((0.1, 0.0, 0.148), (0.118, 0.0, 0.106), 0.01, 0.016),
            ((0.082, 0.04, 0.165), (0.09, 0.0, 0.165), 0.016, 0.016),
            ((0.082, -0.04, 0.165), (0.09, 0.0, 0.165), 0.016, 0.016),
            ((-0.008, 0.078, 0.15), (-0.002, 0.076, 0.1), 0.014, 0.01),
            ((-0.008, -0.078, 0.15), (-0.002, -0.076, 0.1), 0.014, 0.01),
            ((0.093, -0.018, 0.073), (0.093, 0.018, 0.073), 0.011, 0.011),
        ],
        blend=0.016,
    )
    eyes = implicit.round_cones(
        [((0.108, y, 0.14), (0.098, 0.95 * y, 0.14), 0.017, 0.015) for y in (0.034, -0.034)], blend=0.005
    )
    mouth = implicit.round_cones([((0.112, -0.02, 0.072), (0.112, 0.02, 0.072), 0.011, 0.011)], blend=0.01)
    field = implicit.carved(
        implicit.carved(implicit.union(skull, parts, blend=0.02), eyes, blend=0.01), mouth, blend=0.006
    )
    return implicit.mesh_of(field, (-0.13, -0.12, -0.1), (0.16, 0.12, 0.26), 2500)


def _upper_arm() -> Triangles:
    field = implicit.round_cones(
        [
            ((0.0, 0.0, 0.0), (0.0, 0.012, -0.06), 0.05, 0.048),
            ((0.012, 0.0, -0.09), (0.01, 0.0, -0.17), 0.036, 0.038),
            ((-0.014, 0.0, -0.09), (-0.01, 0.0, -0.18), 0.036, 0.036),
            ((0.0, 0.0, -0.17), (0.0, 0.0, -0.275), 0.036, 0.033),
        ],
        blend=0.02,
    )
    return implicit.mesh_of(field, (-0.08, -0.08, -0.34), (0.08, 0.08, 0.08), 850)


def _forearm() -> Triangles:
    field = implicit.round_cones(
        [
            ((0.0, 0.0, 0.0), (0.002, 0.006, -0.06), 0.033, 0.038),
            ((0.002, 0.006, -0.06), (0.0, 0.0, -0.24), 0.038, 0.024),
            ((-0.026, 0.0, 0.0), (-0.02, 0.0, -0.03), 0.016, 0.014),
            ((0.0, 0.018, -0.235), (0.0, 0.014, -0.22), 0.012, 0.012),
        ],
        blend=0.02,
    )
    return implicit.mesh_of(field, (-0.08, -0.08, -0.3), (0.08, 0.08, 0.06), 850)


def _hand() -> Triangles:
    strokes = [((0.0, 0.0, 0.0), (0.0, 0.0, -0.03), 0.022, 0.022)]
    for k, reach in zip((-1.5, -0.5, 0.5, 1.5), (0.145, 0.172, 0.18, 0.17)):
        knuckle, middle, tip = (
            (0.021 * k, 0.002, -0.09),
            (0.026 * k, -0.002, -0.09 - 0.5 * (reach - 0.09)),
            (0.031 * k, -0.014, -reach),
        )
        strokes += [
            ((0.014 * k, 0.0, -0.02), knuckle, 0.015, 0.0125),
            (knuckle, middle, 0.0105, 0.0095),
            (middle, tip, 0.0095, 0.0085),
        ]
    strokes += [
        ((0.02, -0.004, -0.025), (0.052, -0.016, -0.065), 0.017, 0.0125),
        ((0.052, -0.016, -0.065), (0.062, -0.024, -0.1), 0.0115, 0.009),
    ]
    field = implicit.round_cones(strokes, blend=0.008)
    return implicit.mesh_of(field, (-0.08, -0.06, -0.21), (0.09, 0.05, 0.04), 2000)


def _thigh() -> Triangles:
    field = implicit.round_cones(
        [
            ((0.0, 0.012, -0.04), (0.0, 0.01, -0.12), 0.074, 0.076),
            ((0.014, 0.004, -0.12), (0.012, 0.0, -0.33), 0.066, 0.05),
            ((-0.016, 0.004, -0.1), (-0.012, 0.0, -0.34), 0.066, 0.046),
            ((0.004, 0.0, -0.33), (0.004, 0.0, -0.42), 0.05, 0.048),
        ],
        blend=0.03,
    )
    return implicit.mesh_of(field, (-0.13, -0.11, -0.5), (0.13, 0.13, 0.1), 1000)


def _shin() -> Triangles:
    field = implicit.round_cones(
        [
            ((0.004, 0.0, 0.0), (0.004, 0.0, -0.06), 0.045, 0.042),
            ((0.038, 0.0, 0.005), (0.034, 0.0, -0.02), 0.02, 0.018),
            ((-0.018, 0.014, -0.08), (-0.01, 0.008, -0.22), 0.038, 0.028),
            ((-0.018, -0.014, -0.08), (-0.01, -0.008, -0.21), 0.038, 0.028),
            ((0.008, 0.0, -0.08), (0.004, 0.0, -0.38), 0.036, 0.028),
            ((0.0, 0.026, -0.385), (0.0, -0.026, -0.38), 0.016, 0.016),
        ],
        blend=0.022,
    )
    return implicit.mesh_of(field, (-0.1, -0.09, -0.46), (0.1, 0.09, 0.08), 1000)


def _foot() -> Triangles:
    strokes = [
        ((-0.005, 0.0, 0.0), (-0.03, 0.0, -0.035), 0.034, 0.035),
        ((-0.045, 0.0, -0.038), (-0.01, 0.0, -0.036), 0.032, 0.03),
        ((0.0, 0.0, -0.005), (0.1, -0.008, -0.042), 0.032, 0.026),
        ((-0.01, 0.018, -0.045), (0.1, 0.024, -0.05), 0.022, 0.02),
        ((0.1, -0.026, -0.048), (0.115, 0.026, -0.052), 0.02, 0.018),
    ]
    for k, (y, reach) in enumerate(((-0.032, 0.172), (-0.01, 0.172), (0.008, 0.163), (0.025, 0.151), (0.041, 0.137))):
        radius = 0.0145 if k == 0 else 0.0095
        strokes.append(((0.105, 0.8 * y, -0.053), (reach, y, -0.07 + radius), 0.0145, radius))
    field = implicit.round_cones(strokes, blend=0.009)
    arch = implicit.round_cones([((0.035, -0.05, -0.078), (0.035, -0.008, -0.078), 0.025, 0.018)], blend=0.02)
    return implicit.mesh_of(implicit.carved(field, arch, blend=0.012), (-0.1, -0.08, -0.09), (0.21, 0.08, 0.06), 1250)


@cache
def meshes() -> dict[str, Triangles]:
    """The mesh of each link in its own frame; the right side mirrors the left."""
    left = {
        "upper_arm": _upper_arm(),
        "forearm": _forearm(),
        "hand": _hand(),
        "thigh": _thigh(),
        "shin": _shin(),
        "foot": _foot(),
    }
    made = {"pelvis": _pelvis(), "torso": _torso(), "head": _head()}
    for name, (vertices, faces) in left.items():
        made[f"left_{name}"] = (vertices, faces)
        made[f"right_{name}"] = (vertices * [1.0, -1.0, 1.0], faces[:, ::-1].copy())
    return made


def build() -> tocsin.Robot:
    """The mannequin as a robot with a free root and self-contact between all links that are not neighbours."""
    made = meshes()
    builder = tocsin.RobotBuilder("mannequin", base="free")
    for link in LINKS:
        mesh = tocsin.Mesh(*made[link.name])
        if link.parent is None:
            builder.link(link.name, mesh)
        elif link.joint == "ball":
            builder.link(link.name, mesh, parent=link.parent, joint="ball", origin=link.origin)
        else:
            builder.link(link.name, mesh, parent=link.parent, joint="revolute", axis=link.axis, origin=link.origin)
    return builder.build()

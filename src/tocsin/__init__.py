"""tocsin: when things first touch, and a proof when they do not.

Lengths are metres, angles radians, times run from 0 to 1. Poses are 4x4 rigid transforms, translations (x, y, z),
or what `tocsin.pose` makes of a quaternion or of roll, pitch and yaw.

    import tocsin

    arm = tocsin.Robot.from_urdf("panda.urdf", srdf="panda.srdf")      # or built with tocsin.RobotBuilder
    table = tocsin.Body(tocsin.Box((1, 1, 0.1)), (0.5, 0, 0.2), name="table")
    scene = tocsin.Scene(arm, table)

    move = arm.move("ready", {"panda_joint2": 1.2})
    scene.is_free(move)                            # True only if proven for the whole motion
    hit = scene.first_contact(move)                # hit.status, hit.time, hit.contacts
    tocsin.save_picture("hit.png", scene, move)

Models: `Body`, `Robot` (`RobotBuilder`), `Deformable`. Shapes: `Box`, `Sphere`, `Capsule`, `Cylinder`, `ConvexHull`,
`Mesh`. Questions: the methods of `Scene`, and `audit` for whole trajectories. Files: `Robot.from_urdf`,
`Robot.from_mjcf`, `Body.from_mesh`, `load_environment`, `load_problem`, `load_trajectory`. Looking: `save_picture`,
`save_page`, `view`. All calls by task: docs/api.md; the command line: `tocsin --help`.
"""

import sys
from typing import TYPE_CHECKING, Any

if sys.orig_argv[1:3] == ["-m", "tocsin"]:  # the command line is about to start: Ctrl-C during its imports is no trace
    from tocsin_command import leave_when_interrupted

    leave_when_interrupted()

from tocsin.errors import MeshWarning, TocsinError, UnitWarning, UnknownNameError
from tocsin.geometry.mesh import Mesh, MeshReport
from tocsin.geometry.primitives import Box, Capsule, ConvexHull, Cylinder, Sphere
from tocsin.model.base import Model, Motion
from tocsin.model.body import Body
from tocsin.model.builder import RobotBuilder
from tocsin.model.deformable import Deformable
from tocsin.model.joint import Joint
from tocsin.model.program import Program
from tocsin.model.robot import Robot
from tocsin.model.trajectory import Trajectory
from tocsin.poses import pose
from tocsin.results import (
    Contact,
    ContactInterval,
    ContactIntervals,
    Distance,
    FirstContact,
    Stats,
    Status,
    TimedContact,
    TimedContacts,
    group,
)

if TYPE_CHECKING:
    from tocsin.deform.pairs import edge_edge_times, vertex_face_times
    from tocsin.io.environment import load_environment
    from tocsin.io.planning import Problem, load_problem
    from tocsin.io.programs import load_moveit_program, load_program
    from tocsin.io.trajectories import load_trajectory
    from tocsin.io.trajectory_writing import save_trajectory
    from tocsin.queries.audit import Audit, ProgramAudit, audit
    from tocsin.queries.delay import Delay, delay
    from tocsin.queries.distances import Distances
    from tocsin.queries.edges import FirstContacts
    from tocsin.queries.penetration import Penetration
    from tocsin.queries.threads import BatchInterrupted
    from tocsin.scene import Scene
    from tocsin.soft_results import FeatureContact, FeatureContacts, TriangleTimes
    from tocsin.viewer import save_page, save_picture, save_report, view

_ON_FIRST_USE = {
    "Audit": "tocsin.queries.audit",
    "BatchInterrupted": "tocsin.queries.threads",
    "Delay": "tocsin.queries.delay",
    "Distances": "tocsin.queries.distances",
    "FeatureContact": "tocsin.soft_results",
    "FeatureContacts": "tocsin.soft_results",
    "FirstContacts": "tocsin.queries.edges",
    "Penetration": "tocsin.queries.penetration",
    "Problem": "tocsin.io.planning",
    "ProgramAudit": "tocsin.queries.audit",
    "Scene": "tocsin.scene",
    "TriangleTimes": "tocsin.soft_results",
    "audit": "tocsin.queries.audit",
    "delay": "tocsin.queries.delay",
    "edge_edge_times": "tocsin.deform.pairs",
    "load_environment": "tocsin.io.environment",
    "load_moveit_program": "tocsin.io.programs",
    "load_problem": "tocsin.io.planning",
    "load_program": "tocsin.io.programs",
    "load_trajectory": "tocsin.io.trajectories",
    "save_page": "tocsin.viewer",
    "save_picture": "tocsin.viewer",
    "save_report": "tocsin.viewer",
    "save_trajectory": "tocsin.io.trajectory_writing",
    "vertex_face_times": "tocsin.deform.pairs",
    "view": "tocsin.viewer",
}
"""Names that bring questions, readers, viewers and other engines with them, and the modules in which they live."""

_MODULES = ("cluster", "planning")
"""Modules that users name, as `tocsin.planning.plan`."""


def __getattr__(name: str) -> Any:
    """Load questions, readers, viewers and planners when they are first asked for."""
    from importlib import import_module

    if name in _MODULES:
        return import_module(f"tocsin.{name}")
    if name not in _ON_FIRST_USE:
        raise AttributeError(f"module 'tocsin' has no attribute {name!r}")
    found = getattr(import_module(_ON_FIRST_USE[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(["__version__", *__all__])


__all__ = [
    "Audit",
    "BatchInterrupted",
    "Body",
    "Box",
    "Capsule",
    "Contact",
    "ContactInterval",
    "ContactIntervals",
    "ConvexHull",
    "Cylinder",
    "Deformable",
    "Delay",
    "Distance",
    "Distances",
    "FeatureContact",
    "FeatureContacts",
    "FirstContact",
    "Joint",
    "FirstContacts",
    "Mesh",
    "MeshReport",
    "MeshWarning",
    "Model",
    "Motion",
    "Penetration",
    "Problem",
    "Program",
    "ProgramAudit",
    "Robot",
    "RobotBuilder",
    "Scene",
    "Sphere",
    "Stats",
    "Status",
    "TimedContact",
    "TimedContacts",
    "TocsinError",
    "Trajectory",
    "TriangleTimes",
    "UnitWarning",
    "UnknownNameError",
    "audit",
    "delay",
    "edge_edge_times",
    "group",
    "load_environment",
    "load_moveit_program",
    "load_problem",
    "load_program",
    "load_trajectory",
    "pose",
    "save_page",
    "save_picture",
    "save_report",
    "save_trajectory",
    "vertex_face_times",
    "view",
]

__version__ = "0.2.0"

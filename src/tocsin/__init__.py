"""tocsin: when things first touch, and a proof when they do not."""

from tocsin.errors import MeshWarning, TocsinError, UnknownNameError
from tocsin.geometry.mesh import Mesh, MeshReport
from tocsin.geometry.primitives import Box, Capsule, ConvexHull, Cylinder, Sphere
from tocsin.model.base import Motion
from tocsin.model.body import Body
from tocsin.model.robot import Robot, RobotBuilder
from tocsin.results import Contact, Distance, FirstContact, Stats, Status
from tocsin.scene import Scene

__all__ = [
    "Body",
    "Box",
    "Capsule",
    "Contact",
    "ConvexHull",
    "Cylinder",
    "Distance",
    "FirstContact",
    "Mesh",
    "MeshReport",
    "MeshWarning",
    "Motion",
    "Robot",
    "RobotBuilder",
    "Scene",
    "Sphere",
    "Stats",
    "Status",
    "TocsinError",
    "UnknownNameError",
]

__version__ = "0.1.0"

"""Small scenes and poses that several attacks share."""

import numpy as np

import tocsin
from tocsin_bench.oracles import kinematics, shapes

TETRAHEDRON = (
    np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]]),
    np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]),
)


def at(x=0.0, y=0.0, z=0.0, turn=(0.0, 0.0, 0.0)):
    """Return a 4x4 pose: a translation, and a rotation vector in degrees."""
    return kinematics.frame(kinematics.exp(np.radians(np.array(turn, float))), np.array([x, y, z], float))


def box_mesh(x=1.0, y=1.0, z=1.0):
    """Return a box as (vertices, faces), centred at the origin."""
    core = shapes.box((x, y, z)).core
    vertices, inverse = np.unique(core.reshape(-1, 3), axis=0, return_inverse=True)
    return vertices, inverse.reshape(-1, 3)


def two(shape_a, shape_b, **options):
    """Return (scene, a, b) with two bodies of those names."""
    a, b = tocsin.Body(shape_a, name="a", **options), tocsin.Body(shape_b, name="b", **options)
    return tocsin.Scene(a, b), a, b


def arm(joint="revolute", shape=None, **options):
    """Return a robot of a bare base and one link `tip`, whose shape sits at x = 1 unless it says otherwise."""
    shape = (tocsin.Box(size=(0.2, 0.2, 0.2)), at(1)) if shape is None else shape
    builder = tocsin.RobotBuilder("arm")
    builder.link("base")
    builder.link("tip", shape, parent="base", joint=joint, **options)
    return builder.build()


def gap(shape_a, pose_a, shape_b, pose_b):
    """Return the oracle's distance of two placed oracle shapes."""
    return shapes.distance(shape_a, pose_a, shape_b, pose_b)


def says(*words):
    """Return a pattern that asks for all the words, in this order."""
    return "(?is)" + ".*".join(words)

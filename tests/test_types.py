"""What annotations promise of arrays, shape and kind of numbers, is what is there when a scene is made."""

import re
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import numpy as np
import pytest

from tocsin import Body, Box, Capsule, Deformable, RobotBuilder, Scene
from tocsin._types import Faces, LinkTable, Matrix4, Numeric, Rows, Vectors

pytestmark = pytest.mark.pure


def promise(hint):
    """Return (kind of numbers or None, lengths of the axes or None) that an array's alias promises; None of others."""
    shape = None
    if get_origin(hint) is Annotated:
        hint, shape = get_args(hint)
    if get_origin(hint) is not np.ndarray:
        return None
    kind = get_args(get_args(hint)[1])[0]
    axes = re.fullmatch(r"\((.*?),?\)", shape or "")
    lengths = [int(n) if n.strip().isdigit() else None for n in axes[1].split(",")] if axes else None
    return (None if kind is Any or not isinstance(kind, type) else kind), lengths


def check(record, hints=None):
    """Hold every array of a record against the annotation of its field; return how many there were."""
    count = 0
    for name, hint in (hints or get_type_hints(type(record), include_extras=True)).items():
        found = promise(hint)
        value = getattr(record, name, None)
        if found is None or value is None:
            continue
        kind, lengths = found
        what = f"{type(record).__name__}.{name}: {value.dtype} of shape {value.shape}, promised {hint}"
        assert isinstance(value, np.ndarray), what
        assert kind is None or issubclass(value.dtype.type, kind), what
        assert lengths is None or len(lengths) == value.ndim, what
        assert lengths is None or all(n is None or n == m for n, m in zip(lengths, value.shape)), what
        count += 1
    return count


def scene():
    arm = RobotBuilder("arm", base="free").link("base", Box((0.2, 0.2, 0.1)))
    arm = arm.link("upper", Capsule(0.05, 0.4), parent="base", joint="revolute", axis=(0, 1, 0), origin=(0, 0, 0.3))
    crate = Body(Box((1, 2, 3)).tessellate(), (5, 0, 0), name="crate")
    cloth = Deformable([[0, 0, 9], [1, 0, 9], [0, 1, 9]], [[0, 1, 2]], name="cloth")
    return arm.build(), crate, cloth


def test_the_aliases_say_what_they_mean():
    assert promise(Vectors) == (np.float64, [None, 3])
    assert promise(Faces) == (np.int32, [None, 3])
    assert promise(Matrix4) == (np.float64, [4, 4])
    assert promise(Rows) == (np.float64, [None, None])
    assert promise(LinkTable) == (np.void, None)
    assert promise(Numeric) == (None, None)
    assert promise(str) is None


def test_models_shapes_and_motions_hold_what_they_promise():
    arm, crate, cloth = scene()
    for model in (arm, crate, cloth):
        assert check(model) >= 3
        for shapes in model.shapes:
            for shape in shapes:
                assert check(shape) >= 9
                assert check(shape.mesh()) == 2
                assert check(shape.features) >= 8
    assert check(arm.joints[0]) == 2
    assert check(crate.shapes[0][0].hull_tree) == 5
    assert check(crate.move((0, 0, 0), (1, 0, 0))) == 2
    assert check(crate.move((0, 0, 0), (1, 0, 0), kind="screw")) == 2
    assert check(arm.follow([[0.0], [1.0], [2.0]])) == 2
    assert check(cloth.move(cloth.vertices, cloth.vertices + 1.0)) == 3


@pytest.mark.parametrize("backend", ["triangles", "hulls"])
def test_the_tables_of_a_scene_hold_what_they_promise(backend):
    arm, crate, _ = scene()
    assert check(Scene(arm, crate, backend=backend).context.tables()) >= 15

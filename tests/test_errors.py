"""Sentences about what was handed in: the valid names are listed, and remarks point at the user's own line."""

import warnings

import numpy as np
import pytest

from tocsin import Body, Deformable, Mesh, MeshWarning, Robot, RobotBuilder
from tocsin.errors import LISTED, unknown_name
from tocsin.io.urdf import load_urdf

EMPTY = (np.zeros((0, 3)), np.zeros((0, 3), int))


@pytest.mark.pure
def test_a_remark_points_at_the_line_that_called_the_package_whichever_door_it_used(tmp_path):
    bare = tmp_path / "bare.urdf"
    bare.write_text('<robot name="bare"><link name="base"/></robot>')
    doors = [
        lambda: Body(Mesh(*EMPTY)),
        lambda: Body.from_mesh(EMPTY),
        lambda: Body([Mesh(*EMPTY)]),
        lambda: RobotBuilder("r").link("base", Mesh(*EMPTY)),
        lambda: Deformable(*EMPTY),
        lambda: Deformable.from_mesh(EMPTY),
        lambda: Robot.from_urdf(bare),
        lambda: load_urdf(bare),
    ]
    for door in doors:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            door()
        assert [(w.category, w.filename, w.lineno) for w in said] == [
            (MeshWarning, __file__, door.__code__.co_firstlineno)
        ]


@pytest.mark.pure
def test_an_unknown_name_lists_the_valid_ones_or_the_closest():
    assert str(unknown_name("link", "hnd", ["hand", "base"])) == "no link 'hnd'; links are: 'hand', 'base'"
    many = [f"link_{k}" for k in range(LISTED + 1)]
    assert "of 41 links the closest are: 'link_7'" in str(unknown_name("link", "link_7", many))

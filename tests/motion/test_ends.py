"""Both ends of a motion in one call are what they are one by one."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tocsin

TURNS = [
    (0.0, 0.0, 0.0), (np.pi, 0.0, 0.0), (0.0, -np.pi, 0.0), (0.0, 0.0, np.pi / 2), (0.3, -2.0, 1.0), (2.0, 2.0, -1.0),
]  # fmt: skip


def _pose(turn, place=(1.0, 2.0, 3.0)):
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_rotvec(turn).as_matrix()
    pose[:3, 3] = place
    return pose


def _box():
    return tocsin.Body(tocsin.Box((1.0, 1.0, 1.0)), name="box")


def _frozen(pose):
    pose = pose.copy()
    pose.setflags(write=False)
    return pose


def _arm():
    builder = tocsin.RobotBuilder("arm", base="free")
    builder.link("root", tocsin.Box((0.1, 0.1, 0.1)))
    builder.link("tip", tocsin.Box((0.1, 0.1, 0.1)), parent="root", joint="ball", origin=(1.0, 0.0, 0.0))
    return builder.build()


@pytest.mark.parametrize("given", [np.ndarray.tolist, _frozen, np.asfortranarray])
def test_the_rows_of_a_move_do_not_depend_on_how_its_poses_are_handed_in(given):
    box = _box()
    for a in TURNS:
        for b in TURNS:
            rows = box.move(_pose(a), _pose(b, (0.0, 0.0, 1.0))).rows
            others = box.move(given(_pose(a)), given(_pose(b, (0.0, 0.0, 1.0)))).rows
            assert rows.tobytes() == others.tobytes()
            assert rows.tobytes() == box.follow([_pose(a), _pose(b, (0.0, 0.0, 1.0))]).rows.tobytes()


def test_the_rows_of_a_robots_move_are_those_of_its_path():
    arm = _arm()
    for a in TURNS:
        for b in TURNS:
            ends = [Rotation.from_rotvec(turn).as_quat() for turn in (a, b)]
            bases = _pose(b), _pose(a)
            assert arm.move(*ends, base=bases).rows.tobytes() == arm.follow(ends, base=bases).rows.tobytes()


@pytest.mark.parametrize("end", [0, 1])
@pytest.mark.parametrize("value", [np.nan, 2.0, -1.0])
def test_the_end_that_is_wrong_is_named(end, value):
    poses = [_pose((0.0, 0.0, 0.0)), _pose((0.0, 0.0, 1.0))]
    poses[end][2, 2] = value
    with pytest.raises(tocsin.TocsinError, match=("the start pose", "the end pose")[end]):
        _box().move(*poses)
    ends = [np.array([0.0, 0.0, 0.0, 1.0]), np.array([0.0, 0.0, 0.0, 1.0])]
    ends[end][3] = 3.0 * value
    with pytest.raises(tocsin.TocsinError, match=("the start configuration", "the end configuration")[end]):
        _arm().move(*ends)

"""Trajectories that others have published for real robots: the points, stamps and velocities of examples and demos.

Numbers are copied as facts, each with the repository and the file that it is from; longer ones are read from files,
where `executed --folder` names some. What a message says beyond its points is kept: with
velocities a controller drives cubics, with accelerations quintics, with neither straight lines. toppra's and MoveIt's
examples are lists of points, which `executed` joins as their examples do.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import tocsin
from tocsin import Trajectory

UR = ("shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint", "wrist_1_joint", "wrist_2_joint", "wrist_3_joint")
FETCH = (
    "shoulder_pan_joint", "shoulder_lift_joint", "upperarm_roll_joint", "elbow_flex_joint", "forearm_roll_joint",
    "wrist_flex_joint", "wrist_roll_joint",
)  # fmt: skip
PANDA = tuple(f"panda_joint{k}" for k in range(1, 8))

DRIVER = "github.com/UniversalRobots/Universal_Robots_ROS2_Driver, ur_robot_driver"
GAZEBO = "github.com/fetchrobotics/fetch_gazebo, fetch_gazebo/scripts"


@dataclass(frozen=True)
class Published:
    """Points of a robot's joints, as they were published."""

    name: str
    robot: str
    source: str
    joints: tuple[str, ...]
    times: tuple[float, ...]
    points: np.ndarray
    derivatives: int = 0
    """What the message says of its points, which is rest: velocities (1), and accelerations (2); 0: nothing."""
    others: dict[str, float] = field(default_factory=dict)
    """Where joints are that it does not name."""

    def rows(self, robot: tocsin.Robot) -> np.ndarray:
        """Return the points as configurations of the robot."""
        rest = dict.fromkeys(robot.joint_names, 0.0) | self.others
        rows = [rest | dict(zip(self.joints, row.tolist())) for row in self.points]
        return np.stack([robot.configuration(row) for row in rows])

    def sent(self, robot: tocsin.Robot) -> Trajectory | None:
        """Return what a controller makes of the message; None where that is straight lines."""
        if self.derivatives == 0:
            return None
        rows = self.rows(robot)
        still = np.zeros_like(rows)
        return Trajectory(np.array(self.times), rows, still, still if self.derivatives == 2 else None)


def _drawn(joints: int) -> np.ndarray:
    """The five points of toppra's examples, by their seed."""
    return np.random.RandomState(9).randn(5, joints)  # the generator that they are published by


def listed() -> list[Published]:
    """Return the trajectories whose numbers are here."""
    turns = ((1.57, -1.57, 1.57), (1.57, -1.1, 1.0), (2.0, -0.9, 0.7), (2.4, -1.57, 1.57), (1.57, -1.57, 1.57),
             (1.57, -1.1, 1.0), (1.1, -0.9, 0.7), (0.7, -1.57, 1.57), (1.57, -1.57, 1.57))  # fmt: skip
    tucked = (1.32, 1.40, -0.2, 1.72, 0.0, 1.66, 0.0)
    return [
        Published(
            "UR driver, traj0", "ur10", f"{DRIVER}/scripts/example_move.py", UR, (4.0, 8.0),
            np.array([(0.043128, -1.28824, 1.37179, -1.82208, -1.63632, -0.18),
                      (-0.195016, -1.70093, 0.902027, -0.944217, -1.52982, -0.195171)]), 1,
        ),
        Published(
            "UR driver, traj1", "ur10", f"{DRIVER}/scripts/example_move.py", UR, (0.0, 8.0),
            np.array([(-0.195016, -1.70094, 0.902027, -0.944217, -1.52982, -0.195171),
                      (0.30493, -0.982258, 0.955637, -1.48215, -1.72737, 0.204445)]), 1,
        ),
        Published(
            "UR driver, examples", "ur10", f"{DRIVER}/examples/examples.py", UR, (4.0, 8.0, 12.0),
            np.array([(-1.6006, -1.7272, -2.2030, -0.8079, 1.5951, -0.0311), (-1.2, -1.4, -1.9, -1.2, 1.5951, -0.0311),
                      (-1.6006, -1.7272, -2.2030, -0.8079, 1.5951, -0.0311)]),
        ),
        Published(
            "UR driver, test goals", "ur10", f"{DRIVER}/config/test_goal_publishers_config.yaml", UR,
            (0.0, 6.0, 12.0, 18.0),
            np.array([(0.785, -1.57, 0.785, 0.785, 0.785, 0.785), (0.0, -1.57, 0.0, 0.0, 0.0, 0.0),
                      (0.0, -1.57, 0.0, 0.0, -0.785, 0.0), (0.0, -1.57, 0.0, 0.0, 0.0, 0.0)]),
        ),
        Published(
            "UR10e, nine moves", "ur10", f"{DRIVER}/examples/send_dummy_motion_primitives_ur10e.py", UR,
            tuple(float(k) for k in range(9)), np.array([(*turn, -1.57, -1.57, -1.57) for turn in turns]),
        ),
        Published(
            "toppra, six joints", "ur10", "github.com/hungpham2511/toppra, examples/plot_robust_kinematics.py, seed 9",
            UR, (0.0, 1.0, 2.0, 3.0, 4.0), _drawn(6),
        ),
        Published(
            "toppra, seven joints", "panda", "github.com/hungpham2511/toppra, examples/plot_kinematics.py, seed 9",
            PANDA, (0.0, 1.0, 2.0, 3.0, 4.0), _drawn(7),
        ),
        Published(
            "MoveIt 2, timing test", "panda",
            "github.com/moveit/moveit2, moveit_core/.../test_time_optimal_trajectory_generation.cpp", PANDA, (0.0, 0.1),
            np.array([(-0.5, -3.52, 1.35, -2.51, -0.88, 0.63, 0.0), (-0.45, -3.2, 1.2, -2.4, -0.8, 0.6, 0.0)]),
        ),
        Published(
            "Fetch, tuck", "fetch", f"{GAZEBO}/prepare_simulated_robot.py", FETCH, (1.0, 4.0, 7.5),
            np.array([(0.0,) * 7, (1.32, 0.0, -1.4, 1.72, 0.0, 1.66, 0.0), tucked]), 2,
        ),
        Published(
            "Fetch, pick and place", "fetch", f"{GAZEBO}/prepare_simulated_robot_pick_place.py", FETCH, (1.0, 4.0, 7.5),
            np.array([(0.0,) * 7, (0.0, -0.62, 0.0, 0.0, 0.0, 0.62, 0.0), (1.32, 0.7, 0.0, -2.0, 0.0, -0.57, 0.0)]), 2,
        ),
    ]  # fmt: skip


def in_files(folder: Path | None) -> list[tuple[str, str, Path]]:
    """Return (name, robot, file) of the trajectories of a folder: messages of MoveIt for Fetch, in files fetch*."""
    if folder is None:
        return []
    return [(f"MoveIt, {file.name}", "fetch", file) for file in sorted(folder.glob("fetch*")) if file.is_file()]

"""How the mannequin moves: Walk, among chess pieces, and Exercise, against itself [CATCH 8.1].

Both are made without looking at collisions, as in [CATCH 8.1], so some frames collide: as many as there, where
[CATCH table 1] gives the share p of frames with contact by its means of all, free and colliding ones: T_a = (1 - p) T_f
+ p T_c. That is 18 to 19 % for Walk (here 18.4 % of 900) and 6.4 to 7.8 % for Exercise (here 7.4 % of 540), as its
figures are rounded; `LEG_CROSSING` and `DEPTH` are set for that and for nothing else. An animation is a list of
configurations and root poses at 30 frames a second; every step from one frame to the next is one query.
"""

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline, PchipInterpolator

import tocsin
from tocsin_bench.scenes.mannequin import ANGLES, N_ANGLES, configuration

FRAMES_A_SECOND = 30.0
SPEED = 1.0
"""Walking speed in metres a second."""
STRIDE = 1.25
"""Metres walked in one full cycle of both legs."""

LEG_CROSSING = 0.14
"""Radians by which thighs turn inward where the feet are put before one another."""
DEPTH = 0.98
"""How far the exercises go into the poses in which hands, feet, knees and elbows meet."""

ROUTE = np.array(
    [(-1.3, -1.25), (-0.65, -0.88), (0.3, -1.1), (1.15, -0.55), (1.0, 0.1), (0.3, 0.5), (-0.45, 0.2), (-1.02, 0.48)]
    + [(-1.55, 1.0), (-1.15, 1.58), (-0.3, 1.46), (0.7, 1.35), (1.45, 1.0), (1.1, 0.52), (0.7, 0.0), (-0.02, -0.48)]
    + [(-0.5, -0.45), (-1.15, -0.3)]
)
"""Waypoints of the walk on the board, a closed curve between and sometimes into the pieces."""


@dataclass(frozen=True)
class Animation:
    """Frame by frame: `q` (n + 1, n_config) and `base` (n + 1, 4, 4); n steps between them."""

    q: np.ndarray
    base: np.ndarray

    def __len__(self) -> int:
        return len(self.q) - 1


def _pose(**angles: float | tuple[float, ...]) -> np.ndarray:
    """A pose vector from the angles of some links; a name without a side sets both sides."""
    pose = np.zeros(N_ANGLES)
    for name, value in angles.items():
        for link in (name,) if name in ANGLES else (f"left_{name}", f"right_{name}"):
            pose[ANGLES[link]] = value
    return pose


def _cycle(phase: np.ndarray, keys: list[float]) -> np.ndarray:
    """A smooth periodic curve through `keys`, evenly spaced over the cycle."""
    at = np.arange(len(keys) + 1) * (2.0 * np.pi / len(keys))
    return CubicSpline(at, [*keys, keys[0]], bc_type="periodic")(np.mod(phase, 2.0 * np.pi))


def walk(robot: tocsin.Robot, n_frames: int) -> Animation:
    """Walk `n_frames` steps along the route, feet on the board, now and then with the legs crossing."""
    length, point, heading = _route()
    s = np.arange(n_frames + 1) * (SPEED / FRAMES_A_SECOND)
    phase = 2.0 * np.pi * s / STRIDE
    angles = np.zeros((n_frames + 1, N_ANGLES))
    # On some stretches the feet are put before one another as on a rope, and the legs cross.
    narrow = LEG_CROSSING * np.maximum(0.0, np.sin(2.0 * np.pi * s / (0.5 * length) + 0.4)) ** 3
    for side, shift in (("left", 0.0), ("right", np.pi)):
        p = phase + shift
        # Keys over one cycle from heel strike: stance until 60 %, then swing.
        angles[:, ANGLES[f"{side}_thigh"]] = np.stack(
            [_cycle(p, [0.45, 0.32, 0.1, -0.12, -0.25, -0.05, 0.35, 0.5]), 0.012 - narrow, np.zeros_like(p)], -1
        )
        angles[:, ANGLES[f"{side}_shin"]] = _cycle(p, [0.08, 0.28, 0.15, 0.1, 0.4, 0.95, 0.85, 0.2])[:, None]
        angles[:, ANGLES[f"{side}_foot"]] = _cycle(p, [0.05, -0.05, 0.1, 0.18, -0.2, -0.15, 0.05, 0.08])[:, None]
        swing = _cycle(p + np.pi, [0.4, 0.3, 0.0, -0.25, -0.35, -0.25, 0.0, 0.3])
        angles[:, ANGLES[f"{side}_upper_arm"]] = np.stack([swing, np.full_like(p, 0.2), np.full_like(p, 0.1)], -1)
        angles[:, ANGLES[f"{side}_forearm"]] = (0.45 + 0.25 * np.sin(p + 0.5 * np.pi + np.pi))[:, None]
        angles[:, ANGLES[f"{side}_hand"]] = 0.1
    angles[:, ANGLES["torso"]] = np.stack([np.full_like(phase, 0.06), 0.03 * np.sin(phase), 0.09 * np.cos(phase)], -1)
    angles[:, ANGLES["head"]] = np.stack(
        [0.08 + 0.02 * np.sin(2.0 * phase), 0.0 * phase, 0.25 * np.sin(0.11 * phase)], -1
    )
    q = configuration(angles)
    base = np.tile(np.eye(4), (n_frames + 1, 1, 1))
    at, facing = point(np.mod(s, length)), heading(np.mod(s, length))
    turn = facing - 0.07 * np.cos(phase)
    base[:, 0, 0], base[:, 0, 1] = np.cos(turn), -np.sin(turn)
    base[:, 1, 0], base[:, 1, 1] = np.sin(turn), np.cos(turn)
    sway = 0.02 * np.sin(phase)
    base[:, 0, 3], base[:, 1, 3] = at[:, 0] - sway * np.sin(facing), at[:, 1] + sway * np.cos(facing)
    return Animation(q, _grounded(robot, q, base))


def _route() -> tuple[float, CubicSpline, CubicSpline]:
    """The length of the closed route, and its points and headings as functions of the distance walked."""
    corners = np.concatenate([ROUTE, ROUTE[:1]])
    chord = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(corners, axis=0), axis=1))])
    curve = CubicSpline(chord, corners, bc_type="periodic")
    fine = curve(np.linspace(0.0, chord[-1], 2001))
    s = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(fine, axis=0), axis=1))])
    fine[-1] = fine[0]
    point = CubicSpline(s, fine, bc_type="periodic")
    tangent = point(s, 1)
    return float(s[-1]), point, CubicSpline(s, np.unwrap(np.arctan2(tangent[:, 1], tangent[:, 0])))


def _grounded(robot: tocsin.Robot, q: np.ndarray, base: np.ndarray) -> np.ndarray:
    """Raise or lower each root so that the lower foot's sole is 1 mm above the board (z = 0)."""
    sole = np.array(
        [(-0.06, 0.0, -0.071, 1.0), (0.11, 0.03, -0.071, 1.0), (0.11, -0.03, -0.071, 1.0), (0.16, 0.0, -0.071, 1.0)]
    )
    feet = [robot.link_names.index("left_foot"), robot.link_names.index("right_foot")]
    base = base.copy()
    for k in range(len(q)):
        poses = np.asarray(robot.link_poses(q[k], base=base[k]))[feet]
        base[k, 2, 3] += 1e-3 - np.min(np.einsum("fij,pj->fpi", poses, sole)[:, :, 2])
    return base


_REST = _pose(upper_arm=(0.0, 0.2, 0.0), forearm=0.2)
_STAR = _pose(upper_arm=(0.1, 2.5, 0.1), forearm=0.3, thigh=(0.0, 0.35, 0.0))
_CLAP = _pose(upper_arm=(0.33, 3.36, 0.31), forearm=0.35, thigh=(0.0, 0.4, 0.0))
_REACH = _pose(
    upper_arm=(1.5, 0.15, 0.0), forearm=0.15, thigh=(0.3, 0.2, 0.0), shin=0.3, foot=0.1, torso=(0.2, 0.0, 0.0)
)
_SQUAT = _pose(
    upper_arm=(1.45, 0.1, 0.0), forearm=0.1, thigh=(1.5, 0.25, 0.0), shin=1.9, foot=0.5, torso=(0.2, 0.0, 0.0)
)
_FOLD = _pose(upper_arm=(1.0, 0.04, 0.45), forearm=1.14)
_WIDE = _pose(upper_arm=(0.0, 1.4, 0.0), forearm=0.1, thigh=(0.1, 0.3, 0.0), shin=0.1)
_TOE_LEFT = _pose(
    torso=(1.0, -0.16, 0.1), left_upper_arm=(-0.4, 0.6, 0.0), left_forearm=0.2, right_upper_arm=(1.66, -0.02, 0.03),
    right_forearm=0.1, left_thigh=(1.36, 0.24, 0.4), right_thigh=(0.8, 0.3, 0.0),
    shin=0.25, foot=0.15,
)  # fmt: skip
_KICK_RIGHT = _pose(
    torso=(0.5, 0.0, -0.15), left_upper_arm=(0.0, 0.7, 0.0), left_forearm=0.2, right_upper_arm=(1.6, 0.03, -0.08),
    right_forearm=0.22, left_thigh=(0.1, 0.03, 0.0), left_shin=0.2, left_foot=0.15,
    right_thigh=(1.79, 0.04, -0.04), right_shin=0.1, right_foot=-0.2,
)  # fmt: skip
_KNEE_RIGHT = _pose(
    torso=(0.59, 0.07, 0.54), left_upper_arm=(1.04, 0.06, -0.05), left_forearm=2.0, right_upper_arm=(-0.3, 0.4, 0.0),
    right_forearm=1.6, left_thigh=(0.05, 0.03, 0.0), left_shin=0.1, left_foot=0.05, right_thigh=(1.9, 0.06, 0.22),
    right_shin=1.7,
)  # fmt: skip
_STRETCH_LEFT = _pose(
    left_upper_arm=(-0.64, 0.0, -0.08), left_forearm=0.25, right_upper_arm=(0.0, 1.2, 0.0),
    left_thigh=(-0.25, 0.09, 0.1), left_shin=2.25, left_foot=-0.5, right_thigh=(0.05, 0.0, 0.0),
    right_shin=0.1, right_foot=0.05,
)  # fmt: skip


def _mirrored(pose: np.ndarray) -> np.ndarray:
    """The same pose with left and right exchanged."""
    out = pose.copy()
    for name, at in ANGLES.items():
        if name.startswith("left"):
            out[at], out[ANGLES["right" + name[4:]]] = pose[ANGLES["right" + name[4:]]], pose[at]
        elif name in ("torso", "head"):
            out[at] = pose[at] * [1.0, -1.0, -1.0]
    return out


_PROGRAMME: list[tuple[float, float, np.ndarray]] = [
    (0.6, 0.0, _STAR), (0.35, 0.0, _CLAP), (0.35, 0.0, _STAR), (0.6, 0.0, _REST),
    (0.8, 0.1, _REACH), (0.9, 0.5, _SQUAT), (0.9, 0.1, _REACH), (0.7, 0.0, _WIDE),
    (0.8, 0.85, _TOE_LEFT), (0.8, 0.0, _WIDE), (0.8, 0.85, _mirrored(_TOE_LEFT)), (0.8, 0.0, _WIDE),
    (0.7, 0.0, _KICK_RIGHT), (0.8, 0.0, _REST), (0.7, 0.0, _mirrored(_KICK_RIGHT)), (0.8, 0.0, _REST),
    (0.6, 0.0, _KNEE_RIGHT), (0.6, 0.0, _REST), (0.6, 0.0, _mirrored(_KNEE_RIGHT)), (0.6, 0.0, _REST),
    (0.5, 0.0, _FOLD), (0.45, 0.0, _WIDE), (0.8, 0.0, _STRETCH_LEFT), (0.8, 0.0, _REST),
    (0.8, 0.0, _mirrored(_STRETCH_LEFT)), (0.8, 0.0, _REST),
]  # fmt: skip
"""The exercises from rest: seconds until the pose is reached, how far the pelvis leans forward in it, and the pose."""


MEETING = (2, 9, 11, 13, 15, 17, 19, 21, 23, 25)
"""Which of the poses, rest being 0: clap, toe touches, kicks, knees to elbows, folded arms, stretches."""


def exercise_moments() -> np.ndarray:
    """The times in seconds at which the poses of the exercises are reached; the first is rest at 0."""
    return np.cumsum([0.0] + [seconds for seconds, _, _ in _PROGRAMME])


def _gone_into(poses: np.ndarray) -> np.ndarray:
    """The poses with those in which limbs meet, `MEETING`, only nearly reached, from the ones before and after them."""
    out = poses.copy()
    between = 0.5 * (poses[[k - 1 for k in MEETING]] + poses[[k + 1 for k in MEETING]])
    out[list(MEETING)] = DEPTH * poses[list(MEETING)] + (1.0 - DEPTH) * between
    return out


def exercise(robot: tocsin.Robot, n_frames: int) -> Animation:
    """Go through the exercises for `n_frames` steps, again from the start when they are over."""
    times = exercise_moments()
    lean = PchipInterpolator(times, [0.0] + [lean for _, lean, _ in _PROGRAMME])
    poses = np.stack([_REST] + [pose for _, _, pose in _PROGRAMME])
    pose = PchipInterpolator(times, _gone_into(poses))
    t = np.mod(np.arange(n_frames + 1) / FRAMES_A_SECOND, times[-1])
    q, pitch = configuration(pose(t)), lean(t)
    base = np.tile(np.eye(4), (n_frames + 1, 1, 1))
    base[:, 0, 0], base[:, 0, 2] = np.cos(pitch), np.sin(pitch)
    base[:, 2, 0], base[:, 2, 2] = -np.sin(pitch), np.cos(pitch)
    return Animation(q, _grounded(robot, q, base))

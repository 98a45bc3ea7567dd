"""A set of sixteen chess pieces of 6.3K triangles each, 101K in all, standing on a board.

The chess board of the Walk benchmark [CATCH 8.1, fig. 8]. Pieces are turned on a lathe and then cut:
battlements, a coronet, a mitre's slot, a cross; the knight's head is carved. All of them are non-convex.
"""

from collections.abc import Callable
from functools import cache

import numpy as np

from tocsin_bench.scenes import implicit, shapes
from tocsin_bench.scenes.shapes import Triangles

SQUARE = 0.5
"""The side of a square of the board, in metres."""

KING = 0.75
"""The height of the king, in metres; the other pieces are in proportion to it."""

PLACES: tuple[tuple[str, int, int, float], ...] = (
    ("pawn", 0, 2, 0.0), ("pawn", 1, 4, 0.0), ("pawn", 2, 1, 0.0), ("pawn", 3, 3, 0.0),
    ("pawn", 4, 5, 0.0), ("pawn", 5, 2, 0.0), ("pawn", 6, 4, 0.0), ("pawn", 7, 1, 0.0),
    ("rook", 0, 0, 0.2), ("rook", 6, 7, 0.0), ("knight", 1, 6, 0.8), ("knight", 5, 0, -0.2),
    ("bishop", 3, 7, -0.5), ("bishop", 7, 5, 2.1), ("queen", 2, 5, 0.3), ("king", 4, 2, 0.0),
)  # fmt: skip
"""Kind, file, rank and heading (radians) of the sixteen pieces: the middle of a game."""

_FOOT = [(0.0, 0.0), (0.19, 0.0), (0.2, 0.02), (0.2, 0.06), (0.175, 0.085), (0.165, 0.12)]


def _ball(centre: float, radius: float, start: float, end: float = 0.5, n: int = 14) -> list[tuple[float, float]]:
    """An arc of a turned ball from angle `start` to `end` (in units of pi, 0.5 is the pole)."""
    angle = np.pi * np.linspace(start, end, n)
    r = np.where(np.isclose(angle, np.pi / 2.0), 0.0, radius * np.cos(angle))
    return list(zip(r.tolist(), (centre + radius * np.sin(angle)).tolist()))


def _stem(height: float, waist: float) -> list[tuple[float, float]]:
    """The concave shaft from the foot up to `height`, closed by a collar."""
    t = np.linspace(0.0, 1.0, 10)
    r = waist + (0.145 - waist) * (1.0 - t) ** 3
    z = 0.14 + (height - 0.14) * t
    collar = [(waist + 0.055, height), (waist + 0.06, height + 0.02), (waist + 0.03, height + 0.04)]
    return list(zip(r.tolist(), z.tolist())) + collar


def pawn() -> Triangles:
    """A ball on a collar."""
    return shapes.lathe(np.array(_FOOT + _stem(0.36, 0.07) + _ball(0.5, 0.105, -0.32)), 50, 63)


def rook() -> Triangles:
    """A tower with a well inside its six battlements."""
    tower = [(0.14, 0.5), (0.145, 0.68), (0.1, 0.68), (0.095, 0.54), (0.0, 0.53)]

    def battlements(angle: np.ndarray, r: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        gap = np.sin(6.0 * angle) < -0.2
        return r, np.where(gap & (z > 0.6), 0.6 + 0.1 * (z - 0.6), z)

    return shapes.lathe(np.array(_FOOT + _stem(0.46, 0.1) + tower), 50, 63, battlements)


def bishop() -> Triangles:
    """A mitre with a slanting slot and a small ball on top."""
    t = np.linspace(0.0, 1.0, 14)
    mitre = list(zip((0.115 * np.sin(np.pi * (0.25 + 0.72 * t)) ** 0.8).tolist(), (0.6 + 0.24 * t).tolist()))

    def slot(angle: np.ndarray, r: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        off = (z - 0.74) - 0.9 * (r * np.cos(angle) - 0.06)
        deep = np.exp(-((off / 0.018) ** 2)) * (np.cos(angle) > 0.1) * ((z > 0.6) & (z < 0.83))
        return r * (1.0 - 0.55 * deep), z

    return shapes.lathe(np.array(_FOOT + _stem(0.56, 0.075) + mitre + _ball(0.865, 0.032, -0.3)), 50, 63, slot)


def queen() -> Triangles:
    """A flared coronet of nine points round a ball."""
    crown = [(0.075, 0.68), (0.085, 0.76), (0.14, 0.89), (0.115, 0.885), (0.075, 0.83)]

    def points(angle: np.ndarray, r: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        rim = np.clip((z - 0.8) / 0.09, 0.0, 1.0) * (r > 0.09)
        return r * (1.0 + 0.06 * rim * np.cos(9.0 * angle)), z - 0.045 * rim * (1.0 - np.cos(9.0 * angle)) / 2.0

    profile = np.array(_FOOT + _stem(0.64, 0.075) + crown + _ball(0.87, 0.05, -0.25))
    return shapes.lathe(profile, 50, 63, points)


def king() -> Triangles:
    """A crown that carries a cross."""
    crown = [(0.08, 0.7), (0.09, 0.76), (0.135, 0.86), (0.12, 0.875)]
    dome = [(float(0.11 * np.cos(a)), float(0.875 + 0.035 * np.sin(a))) for a in np.linspace(0.0, np.pi / 2.0, 6)[:-1]]
    body = shapes.lathe(np.array(_FOOT + _stem(0.66, 0.08) + crown + dome + [(0.0, 0.91)]), 50, 63)
    upright = shapes.box((0.03, 0.035, 0.11), (0.0, 0.0, 0.945))
    beam = shapes.box((0.028, 0.1, 0.032), (0.0, 0.0, 0.955))
    return shapes.join(body, upright, beam)


def knight() -> Triangles:
    """A horse's head with ears, an open mouth and a mane, on a turned foot."""
    foot = shapes.lathe(np.array([*_FOOT, (0.16, 0.14), (0.1, 0.16), (0.0, 0.165)]), 24, 63)
    head = implicit.round_cones(
        [
            ((-0.01, 0.0, 0.15), (-0.05, 0.0, 0.34), 0.115, 0.085),
            ((-0.05, 0.0, 0.34), (-0.02, 0.0, 0.58), 0.085, 0.065),
            ((-0.01, 0.0, 0.6), (0.15, 0.0, 0.46), 0.068, 0.04),
            ((0.0, 0.0, 0.5), (0.1, 0.0, 0.47), 0.05, 0.035),
            ((-0.035, 0.035, 0.62), (-0.045, 0.045, 0.71), 0.022, 0.008),
            ((-0.035, -0.035, 0.62), (-0.045, -0.045, 0.71), 0.022, 0.008),
            ((-0.07, 0.0, 0.66), (-0.14, 0.0, 0.42), 0.018, 0.025),
            ((-0.14, 0.0, 0.42), (-0.13, 0.0, 0.24), 0.025, 0.03),
        ],
        blend=0.05,
    )
    mouth = implicit.round_cones([((0.21, 0.0, 0.425), (0.11, 0.0, 0.475), 0.02, 0.008)], blend=0.02)
    eyes = implicit.round_cones(
        [((0.045, y, 0.585), (0.045, 0.6 * y, 0.585), 0.016, 0.016) for y in (0.08, -0.08)], blend=0.01
    )
    carved = implicit.carved(implicit.carved(head, mouth, blend=0.01), eyes, blend=0.01)
    return shapes.join(foot, implicit.mesh_of(carved, (-0.22, -0.16, 0.02), (0.26, 0.16, 0.78), 3280))


MAKERS: dict[str, Callable[[], Triangles]] = {
    "pawn": pawn, "rook": rook, "knight": knight, "bishop": bishop, "queen": queen, "king": king,
}  # fmt: skip


@cache
def piece(kind: str) -> Triangles:
    """One piece in metres, standing at the origin."""
    vertices, faces = MAKERS[kind]()
    return vertices * KING, faces


def placements() -> list[tuple[str, str, np.ndarray]]:
    """Name, kind and 4x4 pose of the sixteen pieces; the board is centred at the origin."""
    out = []
    for number, (kind, file, rank, heading) in enumerate(PLACES):
        pose = np.eye(4)
        c, s = np.cos(heading), np.sin(heading)
        pose[:2, :2] = [[c, -s], [s, c]]
        pose[:2, 3] = (file - 3.5) * SQUARE, (rank - 3.5) * SQUARE
        out.append((f"{kind}-{number}", kind, pose))
    return out

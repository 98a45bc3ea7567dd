"""A height field as the closed surface of a solid: its top, walls down from its rim, and a flat base."""

import numpy as np

from tocsin._types import Matrix, Values
from tocsin.geometry.mesh import Mesh


def height_field(x: Values, y: Values, heights: Matrix, base: float, *, name: str = "") -> Mesh:
    """Return the surface over the grid of x (m,) and y (n,), both ascending, whose heights are (n, m), above `base`.

    Each cell is cut along the diagonal from its corner of least x and y, as MuJoCo does.
    """
    rows, columns = heights.shape
    count = rows * columns
    across, along = np.tile(x, rows), np.repeat(y, columns)
    upper = np.column_stack((across, along, heights.ravel()))
    lower = np.column_stack((across, along, np.full(count, base)))
    number = np.arange(count).reshape(rows, columns)
    a, b, c, d = (part.ravel() for part in (number[:-1, :-1], number[:-1, 1:], number[1:, 1:], number[1:, :-1]))
    surface = np.vstack((np.column_stack((a, b, c)), np.column_stack((a, c, d))))
    under = surface[:, ::-1] + count
    rim = np.concatenate((number[0, :-1], number[:-1, -1], number[-1, :0:-1], number[:0:-1, 0]))
    ahead = np.roll(rim, -1)
    walls = np.vstack(
        (np.column_stack((rim, rim + count, ahead + count)), np.column_stack((rim, ahead + count, ahead)))
    )
    return Mesh(np.vstack((upper, lower)), np.vstack((surface, under, walls)), name=name)

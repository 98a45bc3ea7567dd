"""Random serial chains of joints, many at a time: what the bounds are attacked and measured with."""

import numpy as np

from tocsin.motion.joints import JOINT, UP
from tocsin.motion.links import LINK


def rotations(rng: np.random.Generator, count: int) -> np.ndarray:
    """Return `count` uniformly random rotation matrices, orthogonal to rounding."""
    q = rng.normal(size=(count, 4))
    x, y, z, w = (q / np.linalg.norm(q, axis=1, keepdims=True)).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0).copy()


def unit_vectors(rng: np.random.Generator, count: int) -> np.ndarray:
    """Return `count` uniformly random unit vectors."""
    v = rng.normal(size=(count, 3))
    return v / np.linalg.norm(v, axis=1, keepdims=True)


def joints(
    axis: np.ndarray, start: np.ndarray, rate: np.ndarray, origin: np.ndarray, velocity: np.ndarray
) -> np.ndarray:
    """Return a JOINT array over t in [0, 1]: rotation at `rate` about `axis` after `start`, and a straight path."""
    table = np.zeros(len(rate), JOINT)
    along = np.einsum("ni,nj,njk->nik", axis, axis, start)
    table["k0"] = along
    table["k1"] = start - along
    table["k2"] = np.cross(axis[:, None, :], start.transpose(0, 2, 1)).transpose(0, 2, 1)
    table["axis"] = axis
    table["rate"] = rate
    table["origin"] = origin
    table["velocity"] = velocity
    table["turn"] = np.abs(rate) * UP
    table["speed"] = np.linalg.norm(velocity, axis=1) * UP
    ends = np.maximum(np.linalg.norm(origin, axis=1), np.linalg.norm(origin + velocity, axis=1))
    table["length"] = ends * UP
    table["size"] = table["length"]
    table["angle"] = np.abs(rate)
    return table


def arms(rng: np.random.Generator, count: int, links: int, turn: float) -> np.ndarray:
    """Return (count, links) revolute joints: links of unit length, random axes, each turning by up to `turn` rad."""
    total = count * links
    origin = unit_vectors(rng, total)
    origin.reshape(count, links, 3)[:, 0] = 0.0
    rate = rng.uniform(0.0, turn, size=total)
    table = joints(unit_vectors(rng, total), rotations(rng, total), rate, origin, np.zeros((total, 3)))
    return table.reshape(count, links)


def mixed(rng: np.random.Generator, count: int, links: int) -> np.ndarray:
    """Return (count, links) joints of every kind and of sizes that span many powers of two, meant to break bounds."""
    total = count * links
    axis = unit_vectors(rng, total)
    special = rng.random(total) < 0.3
    axis[special] = np.eye(3)[rng.integers(3, size=special.sum())]
    start = rotations(rng, total)
    start[rng.random(total) < 0.3] = np.eye(3)
    rate = rng.uniform(-3.0, 3.0, size=total) * 2.0 ** rng.choice([0, 0, 0, -4, -20, 2], size=total)
    rate[rng.random(total) < 0.2] = 0.0
    origin = rng.normal(size=(total, 3)) * 2.0 ** rng.integers(-8, 8, size=(total, 1))
    velocity = rng.normal(size=(total, 3)) * 2.0 ** rng.integers(-8, 4, size=(total, 1))
    velocity[rng.random(total) < 0.5] = 0.0
    table = joints(axis, start, rate, origin, velocity)
    table["begin"] = rng.choice([0.0, 0.0, 0.25, 0.7], size=total)
    return table.reshape(count, links)


def serial(links: int) -> np.ndarray:
    """Return the LINK table of a chain in which every link hangs on the one before."""
    table = np.zeros(links, LINK)
    table["parent"] = np.arange(links) - 1
    table["depth"] = np.arange(links)
    return table

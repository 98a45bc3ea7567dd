"""Files of edges for tests."""

import numpy as np
import pyarrow
import pyarrow.parquet

from planning.arms import cell

JOINTS = ("joint0", "joint1", "joint2")


def edges(n=200, seed=3):
    """Return (Q0, Q1) of an arm's first three joints."""
    rng = np.random.default_rng(seed)
    Q0 = rng.uniform(-2, 2, (n, 3))
    return Q0, Q0 + 0.3 * rng.normal(size=Q0.shape)


def write(path, Q0, Q1, **more):
    """Write a file of edges; return its path."""
    columns = {f"{name}_t{k}": Q[:, i] for k, Q in enumerate((Q0, Q1)) for i, name in enumerate(JOINTS)}
    pyarrow.parquet.write_table(pyarrow.table({**columns, **more}), path)
    return path


def whole(Q):
    return np.column_stack([Q, np.zeros(len(Q))])


def scene_and_robot():
    return cell()

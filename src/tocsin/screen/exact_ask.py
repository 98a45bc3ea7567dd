"""`Scene.contacts(exact=True)`: from a scene and its poses to two compiled calls, the search and the records."""

from collections.abc import Sequence

import numpy as np

from tocsin.model.base import Model
from tocsin.model.tables import World
from tocsin.screen.exact import joined, search_pairs
from tocsin.screen.exact_roots import COUNTS, OVERFLOW, STEPS
from tocsin.screen.exact_rows import rows_of_touches
from tocsin.screen.exact_tables import ExactTables, exact_tables
from tocsin.screen.tables import Surfaces

MOST_STEPS = 20_000_000
"""Steps of one search: some ten seconds."""


def tables_of(models: Sequence[Model], surfaces: Surfaces) -> ExactTables:
    """Return the tables of a scene's shapes for the exact search."""
    return exact_tables([s for model in models for link in model.shapes for s in link if not s.is_empty], surfaces)


def exact_rows(
    tables: ExactTables, world: World, surfaces: Surfaces, pairs: np.ndarray, poses: np.ndarray, how: np.ndarray,
    least: float,
) -> tuple[np.ndarray, bool]:  # fmt: skip
    """Return (rows, complete): all contacts of the pairs that are at least that proper, by time; is that all of them?

    Not complete: the search was stopped after MOST_STEPS, or a pair of features touches in more than
    256 places of [0, 1].
    """
    links = np.ascontiguousarray(world.geoms["link"])
    counts = np.zeros(COUNTS, np.int64)
    touches = joined(search_pairs(tables, pairs, links, poses, how, MOST_STEPS, counts))
    rows = rows_of_touches(surfaces, tables, touches, pairs, links, poses, how)
    if least > -1.0:
        rows = rows[rows["properness"] >= least]
    return rows, bool(counts[STEPS] <= MOST_STEPS and counts[OVERFLOW] == 0)

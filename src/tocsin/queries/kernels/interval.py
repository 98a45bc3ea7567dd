"""The first contact by interval arithmetic, in one compiled call."""

from tocsin.compiler.jit import borrowed, kernel
from tocsin.interval import pipeline
from tocsin.queries.buffers import buffers_at


@kernel
def ask(table, configs, stretches, margin, grow, tolerance, max_steps, switches):
    """Return the `Outcome` of a question on the buffers of a table: `interval.pipeline.solve`, called from Python."""
    return pipeline.solve(
        buffers_at(table), borrowed(configs), stretches, margin, grow, tolerance, max_steps, switches
    )  # fmt: skip

"""What may be asked: the defaults of every keyword that a question takes."""

RELATIVE_TOLERANCE = 1e-4
"""Default tolerance, as a fraction of the diagonal of the smaller geometry of a pair."""

MAX_STEPS = 1_000_000
"""Default cap on steps in one query, and through them on its tests (`advancement.work`); a capped query says so and
says up to when freedom is proven."""

METHODS = ("advancement", "interval", "auto")
"""The engines: conservative advancement, interval arithmetic on elementary equations, or whichever is faster: that is
the first, on chains of any length (`python -m tocsin_bench chains`) and on most else (`engines`, `agreement`)."""

STAGES = (1, 2, 3)
"""Stages of the interval engine that are on: dynamic hierarchy, swept volumes, equations. All pay on every scene that
was measured (`python -m tocsin_bench arm`, `engines`)."""

BACKENDS = ("triangles", "hulls")
"""The distance back ends of the advancement engine: a tree of boxes over triangles, or of hulls over convex pieces."""

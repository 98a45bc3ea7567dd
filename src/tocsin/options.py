"""What may be asked: the defaults of every keyword that a question takes."""

RELATIVE_TOLERANCE = 1e-4
"""Default tolerance, as a fraction of the diagonal of the smaller geometry of a pair."""

MAX_STEPS = 1_000_000
"""Default cap on steps in one query, and through them on its tests (`advancement.work`); a capped query says so and
says up to when freedom is proven."""

METHODS = ("advancement", "interval")
"""The engines: conservative advancement, or interval arithmetic on elementary equations. The first is the faster on
chains of any length (`python -m tocsin_bench chains`) and on most else (`engines`, `agreement`)."""

BACKENDS = ("triangles", "hulls")
"""The distance back ends of the advancement engine: a tree of boxes over triangles, or of hulls over convex pieces."""

DEVICES = ("cpu", "cuda")
"""Where batches are asked: on the threads of this machine, or on an NVIDIA GPU, and the rest on threads."""

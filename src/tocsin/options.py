"""What may be chosen: the names of engines, back ends and devices. `limits` has the numbers."""

METHODS = ("advancement", "interval")
"""The engines: conservative advancement, or interval arithmetic on elementary equations. The first is the faster on
chains of any length (`python -m tocsin_bench chains`) and on most else (`engines`, `agreement`)."""

BACKENDS = ("triangles", "hulls")
"""The distance back ends of the advancement engine: a tree of boxes over triangles, or of hulls over convex pieces."""

DEVICES = ("cpu", "cuda")
"""Where batches are asked: on the threads of this machine, or on an NVIDIA GPU, and the rest on threads."""

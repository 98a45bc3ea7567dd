"""How exact an answer is and how long it is searched for, where nobody says it: the numbers that kernels read, too."""

RELATIVE_TOLERANCE = 1e-4
"""Default tolerance, as a fraction of the diagonal of the smaller geometry of a pair."""

MAX_STEPS = 1_000_000
"""Default cap on steps in one query, and through them on its tests (`advancement.work`); a capped query says so and
says up to when freedom is proven."""

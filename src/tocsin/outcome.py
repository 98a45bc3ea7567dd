"""How a search ends: the codes that every engine's kernels return. `results.status_of` says what each means."""

FREE, CONTACT, CAPPED, INITIAL_CONTACT = range(4)
"""As the members of `results.Status`. Kernels call a contact at the time 0 CONTACT like any other."""

UNCHARTED = -1
"""No end: a pair gives up, and there is no telling what its chart would say before it is made."""

"""Questions, one file each, over one `Context`: tables, buffers and rules of a scene.

    first_contact       when anything first touches; is_free
    all_contacts        every contact, of bodies and of deformable models
    contact_intervals   during which times links are in contact
    distance            how far apart things are
    audit/              whole trajectories

A question checks what it is given, takes from the context what it needs (`context.ready`: tables, this thread's
buffers), makes one compiled call (`kernels/`, or an engine of `engines/`), and puts what comes back into a record.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tocsin.queries import all_contacts as all_contacts
    from tocsin.queries import contact_intervals as contact_intervals
    from tocsin.queries import distances as distances
    from tocsin.queries import edges as edges
    from tocsin.queries import penetration as penetration

LATE = ("all_contacts", "contact_intervals", "distances", "edges", "penetration")
"""Loaded when they are first asked: an import inside of a method takes 0.2 µs at every call."""


def __getattr__(name: str) -> ModuleType:
    """Return a question that was not asked before; from then on this package has it."""
    if name not in LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")

"""Puts this folder on the path, so that tests find `data` and `promise` whichever of them are run.

Property tests have no deadline: the first example may have to compile a kernel.
"""

from hypothesis import settings

settings.register_profile("tocsin", deadline=None)
settings.load_profile("tocsin")

"""Puts this folder on the path, so that tests find `data` and `promise` whichever of them are run.

Property tests have no deadline: the first example may have to compile a kernel. Thousands of tests are no garbage: to
look through them again and again took a tenth of the time.
"""

import gc

from hypothesis import settings

settings.register_profile("tocsin", deadline=None)
settings.load_profile("tocsin")


def pytest_collection_finish():
    gc.freeze()
    gc.set_threshold(100_000, 50, 1000)

"""For tests of single kernels, which are read as plain Python: compiled, they are met inside whole questions.

A kernel that a test calls by itself would be compiled once more, for Python: seconds each, for the same arithmetic.
"""

import pytest

from tocsin.compiler.jit import PURE_PYTHON

PLAIN = [pytest.mark.pure, pytest.mark.skipif(not PURE_PYTHON, reason="looked at as plain Python: `make test-pure`")]

"""The smallest kernels that call each other: what is kept of them is damaged by `caches`."""

from tocsin.compiler.jit import kernel


@kernel
def third(x):
    """Return a third, as rounded."""
    return x / 3.0


@kernel
def asked(x):
    """Return a number whose last bit would show another order of sums."""
    return third(x) + (third(0.1) + third(x * x))

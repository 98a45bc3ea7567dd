"""Features on courses that often meet, as often just miss."""


def courses(rng, n, points):
    """Return where n groups of points (n, points, 3) are at both ends: some go far, some lie nearly in a plane."""
    t0 = rng.normal(size=(n, points, 3))
    t1 = t0 + rng.normal(size=(n, points, 3)) * 10.0 ** rng.uniform(-2, 1, size=(n, 1, 1))
    flat = rng.random(n) < 0.3
    t0[flat, :, 2] *= 1e-4
    t1[flat, :, 2] *= 1e-4
    return t0, t1

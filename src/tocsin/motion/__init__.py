"""How a model moves over [0, 1]: joints, chains, paths."""

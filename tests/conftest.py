"""Puts this folder on the path, so that tests find `data`, `oracles` and `promise` whichever of them are run."""

"""Deformable models: vertices that move along straight lines, and when their features first touch."""

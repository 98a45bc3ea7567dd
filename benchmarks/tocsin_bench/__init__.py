"""Measurements of tocsin, and the oracles that judge it: `tocsin bench --help`, `python -m tocsin_bench --help`."""

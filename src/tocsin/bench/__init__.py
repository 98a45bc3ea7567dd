"""Measurements: `python -m tocsin.bench --help`."""

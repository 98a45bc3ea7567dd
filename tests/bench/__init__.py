"""Tests of the benchmark scenes."""

"""Proofs that others can check: a search leaves a tree of parts, times and directions, see docs/proofs.md."""

"""Proofs that others can check: the search leaves a tree of parts, stretches of time and directions, see docs/proofs.md."""

"""Proofs that others can check: a search leaves a tree of parts, times and directions, see docs/proofs.md."""

from typing import Any

from tocsin.model.robot import PROVEN_PAIRS
from tocsin.results import LinkPairs


def _prove_pairs(*args: Any, **options: Any) -> LinkPairs:
    """Answer `Robot.prove_pairs`; its kernels are loaded when they are asked for."""
    from tocsin.proofs.matrix import prove_pairs

    return prove_pairs(*args, **options)


PROVEN_PAIRS.provide(_prove_pairs)

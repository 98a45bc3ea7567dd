"""Checks proofs of motions. Nothing here comes from tocsin: `docs/proofs.md` of that project is all that is shared."""

from tocsin_checker.check import Check, check
from tocsin_checker.models import Robot
from tocsin_checker.proof import Refused, read_proof

__all__ = ["Check", "Refused", "Robot", "check", "read_proof"]

"""What a proof says: a file of JSON, packed or not, read without trusting a word of it."""

import gzip
import io
import json
from pathlib import Path
from typing import Any

LARGEST = 256 * 2**20
"""Bytes of a proof, unpacked: a bomb is refused before it is read."""

ENTRIES = {
    "claim": str, "margin": (int, float), "margins": list, "models": list, "shapes": list, "skipped": list,
    "free": list, "contact": dict,
}  # fmt: skip


class Refused(Exception):
    """The proof does not prove its claim; the message says where it fails, and what is missing."""


def read_proof(path: str | Path) -> dict[str, Any]:
    """Read a proof, or say why it is none."""
    raw = Path(path).read_bytes()
    try:
        if raw[:2] == b"\x1f\x8b":
            raw = gzip.GzipFile(fileobj=io.BytesIO(raw)).read(LARGEST + 1)
        if len(raw) > LARGEST:
            raise Refused(f"the file unpacks to more than {LARGEST >> 20} MiB.")
        proof = json.loads(raw)
    except (OSError, EOFError, ValueError, RecursionError) as error:
        raise Refused(f"the file is damaged, or no proof: {type(error).__name__}.") from None
    if not isinstance(proof, dict) or proof.get("format") != "tocsin proof":
        raise Refused('the file is not a proof: it lacks "format": "tocsin proof".')
    if proof.get("version") != 1:
        raise Refused(f"this checker reads version 1 of the format; the file is of version {proof.get('version')!r}.")
    for name, kind in ENTRIES.items():
        if not isinstance(proof.get(name), kind):
            raise Refused(f"the proof has no {name!r}, or not of the kind that the format asks for.")
    if proof["claim"] not in ("free", "contact"):
        raise Refused(f"a proof claims 'free' or 'contact', not {proof['claim']!r}.")
    return proof

"""What a proof says: a file of JSON, packed or not, read without trusting a word of it."""

import gzip
import io
import json
from pathlib import Path
from typing import Any

VERSION = 2
LARGEST = 64 * 2**20
"""Bytes of a proof, unpacked: a bomb is refused before it is read."""

ENTRIES = {
    "claim": str, "margin": (int, float), "margins": list, "models": list, "shapes": list, "skipped": list,
    "free": list, "contact": dict, "links": list,
}  # fmt: skip


def shown(text: str) -> str:
    """Return a text of one line: names in a proof are anybody's."""
    return "".join(c if c.isprintable() else "?" for c in text)


class Refused(Exception):
    """The proof does not prove its claim; the message says where it fails, and what is missing."""

    def __str__(self) -> str:
        return shown(super().__str__())[:1000]


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key stands twice")
    return dict(pairs)


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number")


def read_proof(path: str | Path) -> dict[str, Any]:
    """Read a proof, or say why it is none."""
    with Path(path).open("rb") as file:
        raw = file.read(LARGEST + 1)
    try:
        if raw[:2] == b"\x1f\x8b":
            raw = gzip.GzipFile(fileobj=io.BytesIO(raw)).read(LARGEST + 1)
        if len(raw) > LARGEST:
            raise Refused(f"the file unpacks to more than {LARGEST >> 20} MiB.")
        proof = json.loads(raw, object_pairs_hook=_once, parse_constant=_no_number)
    except (OSError, EOFError, ValueError, RecursionError) as error:
        raise Refused(f"the file is damaged, or no proof: {type(error).__name__}.") from None
    if not isinstance(proof, dict) or proof.get("format") != "tocsin proof":
        raise Refused('the file is not a proof: it lacks "format": "tocsin proof".')
    if proof.get("version") != VERSION:
        given = repr(proof.get("version"))[:40]
        raise Refused(f"this checker reads version {VERSION} of the format; the file is of version {given}.")
    for name, kind in ENTRIES.items():
        if not isinstance(proof.get(name), kind):
            raise Refused(f"the proof has no {name!r}, or not of the kind that the format asks for.")
    if proof["claim"] not in ("free", "contact", "matrix"):
        raise Refused(f"a proof claims 'free', 'contact' or 'matrix', not {proof['claim']!r}.")
    return proof

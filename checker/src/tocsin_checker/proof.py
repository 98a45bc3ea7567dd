"""What a proof says: a file of JSON, packed or not, read without trusting a word of it."""

import json
import zlib
from pathlib import Path
from typing import Any

LARGEST, MOST_VALUES, COUNTED = 64 * 2**20, 2**21, b'[{,""""'
"""Bytes of a proof, unpacked, and lists and numbers in it, a quote as four of them: names and texts take more memory. A
bomb is refused before it is read."""


def shown(text: str) -> str:
    """Return a text of one line: names in a proof are anybody's."""
    return "".join(c if c.isprintable() else "?" for c in text)


class Refused(Exception):
    """The proof does not prove its claim; the message says where it fails, and what is missing."""

    def __str__(self) -> str:
        return shown(super().__str__())[:1000]


def need(holds: bool, otherwise: str) -> None:
    """Refuse the proof with a sentence, unless something holds."""
    if not holds:
        raise Refused(otherwise)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    need(len(dict(pairs)) == len(pairs), "a name stands twice where one is to stand.")
    return dict(pairs)


def read_proof(path: str | Path) -> dict[str, Any]:
    """Read a proof, or say why it is none."""
    with Path(path).open("rb") as file:
        raw = file.read(LARGEST + 1)
    try:
        raw = zlib.decompressobj(31).decompress(raw, LARGEST + 1) if raw[:2] == b"\x1f\x8b" else raw
        need(len(raw) <= LARGEST, f"the file unpacks to more than {LARGEST >> 20} MiB.")
        need(sum(map(raw.count, COUNTED)) <= MOST_VALUES, f"the file has more than {MOST_VALUES:,} values.")
        proof = json.loads(raw, object_pairs_hook=_once, parse_constant=int)  # NaN is none
    except (ValueError, RecursionError, zlib.error) as error:
        raise Refused(f"the file is damaged, or no proof: {type(error).__name__}: {error}.") from None
    need(isinstance(proof, dict) and proof.get("format") == "tocsin proof", 'not a proof: no "format": "tocsin proof".')
    need(proof.get("version") == 3, f"this checker reads version 3, not {proof.get('version')!r:.40}.")
    return proof

"""What can happen to a file: bits, bytes, words, lines and tags that are changed, and what a stranger would write.

`mutated(seed, number, kinds)` gives one damaged file of `mutate_seeds`, the same for the same arguments on any machine.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass

from tocsin_bench.campaigns.mutate_seeds import honest

STRANGERS = 0.1
"""Part of the files that a stranger changes as well."""

WEIGHTS = {"urdf": 6, "stl": 3, "ascii stl": 3, "obj": 5, "mjcf": 3, "sdf": 6, "pcd": 2, "bt": 2, "ot": 2}
"""How often a kind is chosen, once if not listed."""

ODD_WORDS = (
    b"nan", b"inf", b"-inf", b"1e308", b"-1e308", b"1e400", b"1e30", b"-1e30", b"1e-30", b"1e-320", b"-0.0", b"0",
    b"-1", b"1", b"3", b"2147483647", b"-2147483648", b"4294967295", b"4294967296", b"18446744073709551616", b"1e9",
    b"0.1", b"1e-7", b"100000", b"0x10", b"1_000", b"1,5", b"true", b"", b".", b"abc", b"\xc3\xa9", b"\xff",
    b"99999999999999999999999999999999999999999999", b"9" * 6000, b"0x" + b"f" * 2000, b"59:" * 2000, b"2000000000",
)  # fmt: skip

ELSEWHERE = (
    b"../secret.stl", b"../../secret.stl", b"/etc/hostname", b"file:///etc/hostname", b"package://etc/hostname",
    b"package://tmp/secret.stl", b"%2e%2e/secret.stl", b"away/secret.stl", b"link.stl", b"..", b"/", b"~/.profile",
    b"http://localhost/secret.stl", b"\0", b"a" * 5000,
)  # fmt: skip
"""What a stranger writes where a file or folder is named."""

HOSTILE: dict[str, tuple[bytes, ...]] = {
    "mjcf": (
        b'<size nuserdata="2000000000"/>', b'<size nkey="200000000"/>', b'<compiler meshdir=".."/>',
        b'<compiler assetdir="../secret"/>', b'<include file="../secret.xml"/>', b'<include file="arm.xml"/>',
        b'<asset><mesh name="far" file="../secret.stl"/></asset>', b'<asset><model name="m" file="arm.xml"/></asset>',
        b'<custom><numeric name="n" size="1000000000" data="1"/></custom>',
        b'<asset><texture name="t" type="2d" file="../secret.png"/></asset>',
        b'<asset><hfield name="h" nrow="60000" ncol="60000" size="1 1 1 1"/></asset>',
        b'<worldbody><replicate count="100000000"><geom size="1"/></replicate></worldbody>',
        b'<worldbody><composite type="cable" count="9999 1 1"><geom size="1"/></composite></worldbody>',
    ),
    "urdf": (
        b'<link name="far"><collision><geometry><mesh filename="package://secret/a.stl"/></geometry></collision></link>',
        b'<link name="many">' + b"<collision><geometry><sphere radius='1'/></geometry></collision>" * 2000 + b"</link>",
    ),
    "srdf": (
        b'<group name="all"><group name="arm"/></group>' * 500, b'<disable_default_collisions link="base"/>' * 2000,
        b'<group_state name="s" group="arm"/>' * 2000,
    ),
    "obj": (b"f" + b" 1 2 3" * 20_000, b"o a\nf 1 2 3\n" * 1000, b"mtllib ../secret.mtl", b"call ../secret.obj"),
    "off": (b"60000" + b" 0 1 2" * 20_000,),
    "ascii ply": (b"60000" + b" 0 1 2" * 20_000, b"element vertex 99999999999"),
    "gltf": (b'"buffers": [{"uri": "../secret.bin", "byteLength": 96}],', b'"nodes": [' + b"{}," * 5000 + b"{}],"),
    "dae": (b"<vcount>99999999</vcount>", b'<input semantic="VERTEX" source="file:///etc/hostname" offset="0"/>'),
    "scene": (b"* many\n99999999", b"mesh\n99999999 99999999"),
    "yaml": (b"points: &a [*a]", b"joint_names: " + b"59:" * 20_000 + b"59", b"x: !!python/object/apply:os.getcwd []"),
    "csv": (b"0," * 60_000, b"\n" * 200_000),
    "sdf": (
        b"<include><uri>model://secret</uri></include>", b'<model name="in"><link name="l"/></model>',
        b'<frame name="f" attached_to="f"/>', b"".join(b'<frame name="f%d" attached_to="f%d"/>' % (k, k + 1)
        for k in range(1500)) + b'<frame name="f1500"/>', b'<link name="far"><pose relative_to="far"/></link>',
        b'<link name="far"><collision name="c"><geometry><mesh><uri>model://secret/a.stl</uri></mesh></geometry>'
        b"</collision></link>", b'<joint name="j2" type="fixed"><parent>hand</parent><child>base</child></joint>',
        b'<collision name="e"><geometry><heightmap><uri>../secret.png</uri></heightmap></geometry></collision>',
    ),
    "pcd": (b"FIELDS " + b"x " * 9000, b"COUNT 65536 65536 65536 65536", b"POINTS 999999999999", b"SIZE 8 8 8 8",
        b"COUNT 0 1 1 1", b"POINTS 0"),
    "ascii pcd": (b"FIELDS " + b"_ " * 9000, b"COUNT 65536 65536 65536 65536", b"POINTS 999999999999", b"1e9 " * 9000),
    "ply cloud": (b"element vertex 99999999999", b"property double x", b"property list uchar int x"),
    "ascii ply cloud": (b"element vertex 99999999999", b"property double x", b"0 0 0\n" * 20_000),
    "xyz": (b"0 " * 60_000, b"\n" * 200_000, b"# " + b"x" * 60_000),
    "bt": (b"size 999999999999999999", b"size -1", b"res 1e-300", b"data\n" + b"\xff\xff" * 20_000, b"id ColorOcTree"),
    "ot": (b"size 0", b"res 1e300", b"data\n" + b"\0\0\0\0\xff" * 20_000, b"id ColorOcTree"),
}  # fmt: skip
"""Lines that ask for files elsewhere, or for more than there is, by kind."""

ODD_CELLS = (
    b"\0\0\0\0", b"\1\0\0\0", b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\0\0\0\x80", b"\0\0\xc0\x7f", b"\0\0\x80\x7f",
    b"\0\0\x80\xff", b"\xff\xff\x7f\x7f", b"\1\0\0\0", b"\0\0\x80\x3f", b"\5\0\0\0", b"\0\x28\x6b\xee",
)  # fmt: skip

_NUMBER = re.compile(rb"(?<![\w.])[-+]?\d[\d.eE+-]*")
_TAG = re.compile(rb"<[^<>]*>")
_ATTRIBUTE = re.compile(rb'\s[\w:]+="[^"]*"')
_VALUE = re.compile(rb'(?<==")[^"]*(?=")')


def _flip(data: bytes, rng: random.Random) -> bytes:
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8, 40))):
        out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
    return bytes(out)


def _noise(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + rng.randbytes(rng.choice((1, 4, 16, 200))) + data[at + rng.choice((0, 1, 4)) :]


def _truncate(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data))]


def _span(data: bytes, rng: random.Random) -> tuple[int, int]:
    start = rng.randrange(len(data))
    return start, min(start + rng.choice((1, 4, 12, 50, 300)), len(data))


def _double(data: bytes, rng: random.Random) -> bytes:
    start, end = _span(data, rng)
    return data[:end] + data[start:end] * rng.choice((1, 1, 2, 100)) + data[end:]


def _remove(data: bytes, rng: random.Random) -> bytes:
    start, end = _span(data, rng)
    return data[:start] + data[end:]


def _exchange(data: bytes, rng: random.Random) -> bytes:
    first, second = sorted((_span(data, rng), _span(data, rng)))
    if first[1] > second[0]:
        return data
    between = data[first[1] : second[0]]
    return data[: first[0]] + data[second[0] : second[1]] + between + data[first[0] : first[1]] + data[second[1] :]


def _cell(data: bytes, rng: random.Random) -> bytes:
    """Overwrite four bytes, at the header's count of an STL as often as anywhere else."""
    at = 80 if rng.random() < 0.3 else 4 * rng.randrange(max(len(data) // 4, 1))
    return data[:at] + rng.choice(ODD_CELLS) + data[at + 4 :]


def _replaced(data: bytes, pattern: re.Pattern[bytes], rng: random.Random, with_: Callable[[bytes], bytes]) -> bytes:
    """Replace one place where a pattern matches."""
    found = list(pattern.finditer(data))
    if not found:
        return _flip(data, rng) if data else data
    at = rng.choice(found)
    return data[: at.start()] + with_(at[0]) + data[at.end() :]


def _odd_number(data: bytes, rng: random.Random) -> bytes:
    return _replaced(data, _NUMBER, rng, lambda _: rng.choice(ODD_WORDS))


def _swap_numbers(data: bytes, rng: random.Random) -> bytes:
    words = _NUMBER.findall(data) or [b"1"]
    return _replaced(data, _NUMBER, rng, lambda _: rng.choice(words))


def _tag(data: bytes, rng: random.Random) -> bytes:
    tags = _TAG.findall(data) or [b"<a/>"]
    change = rng.choice(("remove", "double", "other"))
    return _replaced(
        data, _TAG, rng, lambda tag: {"remove": b"", "double": tag + tag, "other": rng.choice(tags)}[change]
    )


def _attribute(data: bytes, rng: random.Random) -> bytes:
    values = _VALUE.findall(data) or [b"a"]
    if rng.random() < 0.4:
        return _replaced(data, _ATTRIBUTE, rng, lambda given: given + given if rng.random() < 0.3 else b"")
    return _replaced(data, _VALUE, rng, lambda _: rng.choice((rng.choice(values), rng.choice(ODD_WORDS))))


def _line(data: bytes, rng: random.Random) -> bytes:
    lines = data.split(b"\n")
    k = rng.randrange(len(lines))
    change = rng.choice(("remove", "double", "move"))
    if change == "double":
        lines.insert(k, lines[k])
    else:
        taken = lines.pop(k)
        if change == "move":
            lines.insert(rng.randrange(len(lines) + 1), taken)
    return b"\n".join(lines)


def _hostile(data: bytes, rng: random.Random, kind: str) -> bytes:
    """Put a stranger's line where a line may stand, or a stranger's path or number in place of a value."""
    if kind not in HOSTILE or rng.random() < 0.3:
        return _replaced(data, _VALUE, rng, lambda _: rng.choice(ELSEWHERE))
    ends = [at.end() for at in re.finditer(rb"\n", data)] or [0]
    at = rng.choice(ends)
    return data[:at] + rng.choice(HOSTILE[kind]) + b"\n" + data[at:]


ANY = (_flip, _noise, _truncate, _double, _remove, _exchange)
TEXT = (_odd_number, _odd_number, _odd_number, _swap_numbers, _swap_numbers, _line, _line)
MARKUP = (_tag, _tag, _attribute, _attribute, _attribute)
BINARY = (_cell, _cell, _cell, _cell)

KINDS_OF_CHANGE = {
    "stl": ANY + BINARY,
    "ply": ANY + BINARY + TEXT,
    "glb": ANY + BINARY + TEXT,
    "urdf": ANY + TEXT + MARKUP * 2,
    "srdf": ANY + TEXT + MARKUP * 2,
    "mjcf": ANY + TEXT + MARKUP * 2,
    "dae": ANY + TEXT + MARKUP,
    "sdf": ANY + TEXT + MARKUP * 2,
    "pcd": ANY + BINARY + TEXT,
    "ply cloud": ANY + BINARY + TEXT,
    "bt": ANY + BINARY + TEXT,
    "ot": ANY + BINARY + TEXT,
    "npz": ANY + BINARY + TEXT,
    "packed npz": ANY + BINARY,
}


@dataclass(frozen=True)
class Mutant:
    """A damaged file."""

    number: int
    kind: str
    name: str
    data: bytes
    changes: tuple[str, ...]


def mutated(seed: int, number: int, kinds: tuple[str, ...]) -> Mutant:
    """Return the damaged file of that number: one of `kinds`, changed once to four times."""
    rng = random.Random(f"{seed}:{number}")
    kind = rng.choices(kinds, [WEIGHTS.get(kind, 1) for kind in kinds])[0]
    name, data = honest()[kind]
    changes = []
    for _ in range(rng.choice((1, 1, 1, 2, 3, 4))):
        change = rng.choice(KINDS_OF_CHANGE.get(kind, ANY + TEXT))
        if data:
            data = change(data, rng)
            changes.append(change.__name__.strip("_"))
    stranger = random.Random(f"{seed}:{number}:stranger")  # of its own, so that all other files stay as they were
    if data and stranger.random() < STRANGERS:
        data = _hostile(data, stranger, kind)
        changes.append("hostile")
    return Mutant(number, kind, name, data, tuple(changes))

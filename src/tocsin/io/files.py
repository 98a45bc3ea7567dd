"""The door for files: sizes before contents, bytes before text, and XML without document types or entities.

`read_bytes` and `read_text` refuse what is missing, a folder, empty, unreadable or larger than the reader expects,
before a byte of it is held in memory. `parse_xml` gives a plain element tree. A document type declaration is refused
at its first character, so that no entity, internal or external, is ever defined; depth, number of elements and length
of a single tag are bounded, so that a hostile file costs at most a second and a few dozen megabytes.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree
from xml.parsers import expat

from tocsin._cast import said
from tocsin._types import PathLike
from tocsin.errors import TocsinError

LARGEST_TEXT = 256 * 2**20
"""Bytes of a text file (a trajectory, a scene) that are read at most."""

LARGEST_XML = 64 * 2**20
"""Bytes of an XML file that are read at most; real descriptions of robots stay below 2 MB."""

DEEPEST = 256
"""Elements inside elements."""

MOST_ELEMENTS = 200_000
"""Elements in one file: an element tree costs about 500 bytes each."""

LONGEST_TAG = 2**20
"""Bytes of one tag with all its attributes, or of one comment."""

MOST_SQUEEZED, MOST_OF_A_BYTE = 2**20, 64
"""Numbers that are read of a file that is packed, whatever its size, and for each of its bytes."""

LONGEST_NAME = 4096
"""Bytes of a path, folders included."""

_CHUNK = 2**16

_TEXT_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
"""Byte order marks: UTF-8, UTF-16 little and big endian."""


class Element(ElementTree.Element):
    """An XML element that knows the line on which it starts."""

    line: int = 0
    source: str = ""
    """The name of the file it comes from, where several are one document."""
    folder: str = ""
    """The folder of that file, seen from the main one's."""

    if TYPE_CHECKING:  # what is inside one is of this kind too

        def __iter__(self) -> Iterator[Element]: ...  # type: ignore[override]
        def __getitem__(self, key: int) -> Element: ...  # type: ignore[override]
        def iter(self, tag: str | None = None) -> Iterator[Element]: ...  # type: ignore[override]  # noqa: D102


def existing_file(path: PathLike, what: str = "the file") -> Path:
    """Return the path of an existing regular file, or say what is there instead; `what` names it in the sentence."""
    try:
        file = Path(os.path.expanduser(os.fspath(path)))
    except TypeError:
        raise TocsinError(f"cannot read {what}: a path is text or a pathlib.Path; got {said(path)}.") from None
    try:
        mode = file.stat().st_mode
    except FileNotFoundError:
        raise refused(file, what, "it does not exist") from None
    except (OSError, ValueError) as error:
        raise refused(file, what, _reason(error)) from None
    if stat.S_ISDIR(mode):
        raise refused(file, what, "it is a folder")
    if not stat.S_ISREG(mode):
        raise refused(file, what, "it is not a regular file")
    return file


def is_file_name(name: str) -> bool:
    """Can a file have this name? No zero byte, no half of a letter, at most as long as systems take."""
    try:
        return "\0" not in name and 0 < len(os.fsencode(name)) <= LONGEST_NAME
    except UnicodeEncodeError:
        return False


def check_squeezed(numbers: int, file: Path, what: str) -> None:
    """Refuse a file that claims far more numbers than any of its size: zeros take next to nothing until unpacked."""
    most = max(MOST_SQUEEZED, MOST_OF_A_BYTE * file.stat().st_size)
    if numbers > most:
        raise refused(file, what, f"it claims {numbers} numbers; at most {most} are read from so few bytes")


def refused(file: Path, what: str, reason: str) -> TocsinError:
    """Return the error that says why a file cannot be used."""
    return TocsinError(f"cannot read {what} {str(file)!r}: {reason}.")


def read_bytes(path: PathLike, what: str = "the file", *, limit: int = LARGEST_TEXT) -> bytes:
    """Return the contents of a file of at most `limit` bytes; an empty file is refused."""
    file = existing_file(path, what)
    size = file.stat().st_size
    if size == 0:
        raise refused(file, what, "it is empty")
    if size > limit:
        raise refused(file, what, f"it has {size / 2**20:.0f} MB; at most {limit / 2**20:.0f} MB are expected")
    try:
        with open(file, "rb") as stream:
            data = stream.read(limit + 1)
    except OSError as error:
        raise refused(file, what, _reason(error)) from None
    if not data or len(data) > limit:
        raise refused(file, what, "it changed while it was read")
    return data


def read_text(path: PathLike, what: str = "the file", *, limit: int = LARGEST_TEXT) -> str:
    """Return the contents of a UTF-8 text file of at most `limit` bytes."""
    data = read_bytes(path, what, limit=limit)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        reason = f"it is not UTF-8 text (byte {error.start} is {data[error.start]:#04x})"
        raise refused(Path(path), what, reason) from None
    if "\0" in text:
        raise refused(Path(path), what, "it is not text: it contains zero bytes")
    return text


def parse_xml(path: PathLike, what: str = "the XML file", *, limit: int = LARGEST_XML) -> Element:
    """Return the root element of an XML file; see `parse_xml_bytes`. The first bytes are looked at before the rest."""
    file = existing_file(path, what)
    try:
        with open(file, "rb") as stream:
            head = stream.read(512)
    except OSError as error:
        raise refused(file, what, _reason(error)) from None
    if head and not _starts_as_xml(head):
        raise refused(file, what, f"it is not XML: it starts with {head[:16]!r}, not with '<'")
    return parse_xml_bytes(read_bytes(file, what, limit=limit), f"{what} {str(file)!r}")


def _starts_as_xml(head: bytes) -> bool:
    """Is the first character, after a byte order mark and white space, a '<'?"""
    for mark in _TEXT_MARKS:
        head = head.removeprefix(mark)
    return head.lstrip(b" \t\r\n\0")[:1] == b"<"


def parse_xml_bytes(data: bytes, source: str) -> Element:
    """Return the root element of an XML document, strictly.

    Elements are `Element`: plain ElementTree elements with a `line`. Names keep their prefixes ("xacro:macro"), and
    namespaces are not resolved. Comments and processing instructions are left out. Document types, entities, depth
    beyond `DEEPEST`, more than `MOST_ELEMENTS` elements and tags beyond `LONGEST_TAG` are refused.
    """
    builder = ElementTree.TreeBuilder(element_factory=Element)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    depth = count = 0

    def refuse(reason: str) -> TocsinError:
        return TocsinError(f"cannot read {source}: {reason} (line {parser.CurrentLineNumber}).")

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth, count
        depth += 1
        count += 1
        if depth > DEEPEST:
            raise refuse(f"elements are nested more than {DEEPEST} deep")
        if count > MOST_ELEMENTS:
            raise refuse(f"it has more than {MOST_ELEMENTS} elements")
        builder.start(tag, attributes).line = parser.CurrentLineNumber  # type: ignore[attr-defined]

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(tag)

    def doctype(name: str, *_: object) -> None:
        raise refuse(f"it has a document type declaration (<!DOCTYPE {name}>), and these and entities are not accepted")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = doctype
    try:
        for begin in range(0, len(data), _CHUNK):
            chunk = data[begin : begin + _CHUNK]
            parser.Parse(chunk, False)
            # The index stays at the beginning of a tag until its end has been seen.
            if begin + len(chunk) - max(parser.CurrentByteIndex, 0) > LONGEST_TAG:
                raise refuse(f"a tag or comment is longer than {LONGEST_TAG} bytes")
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise TocsinError(
            f"cannot read {source}: it is not well-formed XML: {expat.ErrorString(error.code)} "
            f"in line {error.lineno}, column {error.offset + 1}."
        ) from None
    except (LookupError, ValueError) as error:  # an encoding that nobody knows
        if isinstance(error, TocsinError):
            raise
        raise TocsinError(f"cannot read {source}: it is not well-formed XML ({error}).") from None
    return builder.close()  # type: ignore[return-value]


def _reason(error: BaseException) -> str:
    """Return the operating system's words for an error, without the path, which the sentence has already."""
    return (getattr(error, "strerror", None) or str(error)).lower()

"""The door for files: what is wrong with a file becomes one sentence, quickly and within bounded memory."""

import os
import tracemalloc

import pytest

from effort import refusal
from tocsin import TocsinError
from tocsin.io import files


def written(folder, data, name="some.xml"):
    file = folder / name
    file.write_bytes(data)
    return file


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda folder: folder / "nothing.xml", "does not exist"),
        (lambda folder: folder, "is a folder"),
        (lambda folder: written(folder, b""), "is empty"),
        (lambda folder: folder / ("x" * 5000), "too long"),
        (lambda folder: "a\0b", "null"),
        (lambda folder: 3, "a path is text"),
        (lambda folder: None, "a path is text"),
    ],
)
def test_what_cannot_be_read_is_said_in_a_sentence(tmp_path, make, reason):
    for read in (files.read_bytes, files.read_text, files.parse_xml):
        with pytest.raises(TocsinError, match=reason):
            read(make(tmp_path))


def test_a_device_is_not_read():
    if not os.path.exists("/dev/zero"):
        pytest.skip("needs /dev/zero")
    with pytest.raises(TocsinError, match="not a regular file"):
        files.read_bytes("/dev/zero")


def test_a_file_that_may_not_be_opened_is_named(tmp_path):
    file = written(tmp_path, b"<a/>")
    file.chmod(0)
    if os.access(file, os.R_OK):
        pytest.skip("this user may read everything")
    with pytest.raises(TocsinError, match=r"some\.xml.*permission denied"):
        files.parse_xml(file)


def test_text_is_utf8_with_or_without_a_mark_and_nothing_else(tmp_path):
    assert files.read_text(written(tmp_path, "\ufeffjoint ä".encode())) == "joint ä"
    for data, reason in ((b"abc\xff", "byte 3 is 0xff"), (b"a\0b", "zero bytes")):
        with pytest.raises(TocsinError, match=reason):
            files.read_text(written(tmp_path, data))


def test_a_file_larger_than_its_limit_is_refused_before_it_is_read(tmp_path):
    file = tmp_path / "large.xml"
    with open(file, "wb") as stream:
        stream.write(b"<a>")
        stream.truncate(10**11)  # a hole: costs no disk
    refusal(files.parse_xml, file, "at most 64 MB", calls=1000)
    refusal(files.read_bytes, file, "at most 256 MB", calls=1000)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\x9a\x01garbage" * 10_000, "not XML: it starts with"),
        (b"solid ascii stl", "not XML"),
        (b"   \n ", "not XML"),
        (b"<a>", "no element found"),
        (b"<a></b>", "mismatched tag"),
        (b"<a/><b/>", "junk after document element"),
        (b'<a b="1" b="2"/>', "duplicate attribute"),
        (b'<a b="\xff"/>', "invalid token"),
        (b"<a>&nothing;</a>", "undefined entity"),
        (b'<?xml version="1.0" encoding="klingon"?><a/>', "unknown encoding"),
        (b'<!DOCTYPE a [<!ENTITY b "b">]><a>&b;</a>', "document type"),
        (b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/hostname">]><a>&b;</a>', "document type"),
        (b'<!DOCTYPE a SYSTEM "http://localhost/a.dtd"><a/>', "document type"),
        (b"<!DOCTYPE robot><robot/>", "document type"),
    ],
)
def test_xml_that_is_broken_or_declares_types_is_refused_with_its_line(tmp_path, data, reason):
    with pytest.raises(TocsinError, match=reason) as caught:
        files.parse_xml(written(tmp_path, data), "the URDF")
    assert "cannot read the URDF" in str(caught.value)
    assert "some.xml" in str(caught.value)


def test_ten_levels_of_entities_expand_to_nothing(tmp_path):
    levels = "".join(f'<!ENTITY l{k} "{f"&l{k - 1};" * 10}">' for k in range(1, 11))
    bomb = f'<?xml version="1.0"?><!DOCTYPE b [<!ENTITY l0 "lol">{levels}]><b>&l10;</b>'
    with pytest.raises(TocsinError, match="document type"):
        files.parse_xml(written(tmp_path, bomb.encode()))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"<a>" * 5_000_000, "nested more than 256 deep"),
        (b"<a>" + b"<b/>" * 5_000_000 + b"</a>", "more than 200000 elements"),
        (b"<" + b"a" * 20_000_000, "longer than"),
        (b"<a " + b" ".join(b'a%d="1"' % k for k in range(1_000_000)) + b"/>", "longer than"),
        (b"<a><!--" + b"x" * 20_000_000 + b"--></a>", "longer than"),
    ],
    ids=["deep", "many", "long name", "many attributes", "long comment"],
)
def test_hostile_shapes_of_xml_are_refused_with_little_work_and_little_memory(data, reason):
    tracemalloc.start()
    try:
        refusal(lambda given: files.parse_xml_bytes(given, "it"), data, reason)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 150e6


def test_elements_know_their_lines_and_keep_prefixes_and_encodings():
    root = files.parse_xml_bytes('<a>\n<x:b c="ä">text</x:b>\n<!-- no --></a>'.encode(), "it")
    assert root.tag == "a"
    assert root[0].tag == "x:b"
    assert root[0].line == 2  # type: ignore[attr-defined]
    assert root[0].get("c") == "ä"
    assert len(root) == 1
    for encoding in ("utf-16", "iso-8859-1", "utf-8-sig"):
        label = encoding.removesuffix("-sig")
        data = f'<?xml version="1.0" encoding="{label}"?><a b="ä"/>'.encode(encoding)
        assert files.parse_xml_bytes(data, "it").get("b") == "ä"


@pytest.mark.parametrize("name", ["", "a\0b", "\ud800", "a/" * 3000])
def test_what_no_file_can_be_called_is_known(name):
    assert not files.is_file_name(name)
    assert files.is_file_name("ä/b.stl")


def test_zeros_are_counted_before_they_are_unpacked(tmp_path):
    (tmp_path / "a").write_bytes(bytes(2**15))
    files.check_squeezed(2**21, tmp_path / "a", "the file")
    with pytest.raises(TocsinError, match="2097153 numbers; at most 2097152 are read from so few bytes"):
        files.check_squeezed(2**21 + 1, tmp_path / "a", "the file")

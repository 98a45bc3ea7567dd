"""`tocsin cache`."""

import pytest

from tocsin.compiler.disk_cache import KERNELS
from tocsin.geometry.cache import ARRAYS

from .cell import tocsin

KEY = "0123456789" * 4


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setenv("TOCSIN_CACHE", str(tmp_path / "kept"))
    KERNELS.save(f"query-{KEY[:20]}-{KEY}", bytes(1000))
    ARRAYS.save(KEY, bytes(3000))
    return tmp_path / "kept"


def test_it_says_where_and_how_much(root):
    said = tocsin("cache", "--json")
    assert said.code == 0, said.err
    assert set(said.json) == {"tocsin", "command", "action", "folder", "refused", "kept"}
    assert said.json["folder"] == str(root)
    assert said.json["refused"] is None
    for kind, size in (("kernels", 1000), ("arrays", 3000)):
        kept = said.json["kept"][kind]
        assert kept["files"] == 1
        assert size < kept["bytes"] < size + 100 < kept["limit"]
    assert str(root) in "".join(tocsin("cache").out.split())


def test_it_verifies(root):
    assert tocsin("cache", "verify", "--json").json["damaged"] == []
    assert "2 of 2 files are as they were written" in tocsin("cache", "verify").out
    (root / "arrays" / f"{KEY}.tocsin").write_bytes(b"")
    said = tocsin("cache", "verify", "--json")
    assert said.code == 1
    assert said.json["damaged"] == [f"arrays/{KEY}.tocsin"]
    assert "1 of 2 files" in tocsin("cache", "verify").out


def test_it_clears_what_is_ours_alone(root):
    (root / "arrays" / "thesis.tex").write_text("mine")
    said = tocsin("cache", "clear", "--json")
    assert said.code == 0
    assert said.json["removed"] == 2
    assert [file.name for file in root.rglob("*.*")] == ["thesis.tex"]


def test_it_says_that_it_is_off_or_refused(root, monkeypatch):
    root.chmod(0o777)
    assert "may be written by others" in tocsin("cache", "--json").json["refused"]
    assert "may be written by others" in tocsin("cache").err
    assert tocsin("cache", "clear", "--json").json["removed"] == 0
    monkeypatch.setenv("TOCSIN_CACHE", "off")
    assert tocsin("cache", "--json").json["folder"] is None
    assert "nothing is kept" in tocsin("cache").out


def test_other_words_are_refused_with_the_valid_ones(root):
    said = tocsin("cache", "burn", "--json")
    assert said.code == 2
    for word in ("show", "verify", "clear"):
        assert word in said.json["error"]

"""The cache gives back what was stored, or nothing; it never fails and never lies."""

import os

import numpy as np
import pytest

from tocsin.geometry import cache


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("TOCSIN_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


ARRAYS = {"file": np.arange(5, dtype=np.int32), "b": np.ones((2, 3)), "empty": np.zeros((0, 3)), "s": np.array("text")}


@pytest.mark.pure
def test_what_is_stored_comes_back(place):
    key = cache.content_key(np.arange(3), "tree", 64)
    assert cache.load(key) is None
    assert cache.store(key, ARRAYS)
    found = cache.load(key)
    assert found.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert np.array_equal(found[name], array)
        assert found[name].dtype == array.dtype
    assert [file.suffix for file in place.iterdir()] == [".npz"]
    assert cache.clear() == 1
    assert cache.load(key) is None


def test_keys_tell_contents_apart():
    a = np.arange(6, dtype=np.int64)
    keys = [
        cache.content_key(a),
        cache.content_key(a.reshape(2, 3)),
        cache.content_key(a.reshape(3, 2)),
        cache.content_key(a.view(np.uint64)),
        cache.content_key(a, "x"),
        cache.content_key("x", a),
        cache.content_key("ab", "c"),
        cache.content_key("a", "bc"),
        cache.content_key(1),
        cache.content_key(1.0),
        cache.content_key("1"),
        cache.content_key(b"1"),
        cache.content_key(),
    ]
    assert len(set(keys)) == len(keys)
    assert cache.content_key(np.asfortranarray(a.reshape(2, 3))) == keys[1]


def test_damaged_files_count_as_missing_and_are_replaced(place):
    key = cache.content_key("k")
    cache.store(key, {"a": np.arange(1000)})
    file = place / f"{key}.npz"
    whole = file.read_bytes()
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 0xFF
    for damage in (b"", b"garbage", whole[:100], whole[: len(whole) // 2], whole[:-1], bytes(flipped)):
        file.write_bytes(damage)
        assert cache.load(key) is None
        assert cache.store(key, {"a": np.arange(1000)})
        assert np.array_equal(cache.load(key)["a"], np.arange(1000))


def test_nothing_is_unpickled(place):
    key = cache.content_key("evil")
    place.mkdir()
    np.savez(place / f"{key}.npz", a=np.array([{"x": 1}], dtype=object))
    assert cache.load(key) is None
    with pytest.raises(ValueError, match="Python objects"):
        cache.store(key, {"a": np.array([{}], dtype=object)})


def test_a_folder_that_cannot_be_written_is_no_cache(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("TOCSIN_CACHE", str(tmp_path / "file"))
    assert not cache.store("k", {"a": np.zeros(1)})
    assert cache.load("k") is None
    assert cache.clear() == 0


def test_a_failed_write_leaves_nothing_behind(place, monkeypatch):
    def full(*_):
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert not cache.store("k", {"a": np.zeros(1)})
    assert list(place.iterdir()) == []


def test_it_can_be_turned_off(monkeypatch):
    monkeypatch.setenv("TOCSIN_CACHE", "off")
    assert cache.folder() is None
    assert not cache.store("k", {"a": np.zeros(1)})
    assert cache.load("k") is None
    assert cache.clear() == 0


def test_the_default_folder_follows_the_platform(monkeypatch, tmp_path):
    monkeypatch.delenv("TOCSIN_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    for platform in ("linux", "darwin", "win32"):
        monkeypatch.setattr("sys.platform", platform)
        assert cache.folder().name == "tocsin"
    monkeypatch.setattr("sys.platform", "linux")
    assert cache.folder() == tmp_path / "tocsin"

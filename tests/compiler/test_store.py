"""What is kept between runs comes back as it was, or not at all; nothing else ever happens."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tocsin.compiler import store as store_module
from tocsin.compiler.store import DIGEST, HEAD, Store

pytestmark = pytest.mark.pure

KEY = "0123456789" * 4
OTHER = "abcdef0123" * 4
BODY = bytes(range(256)) * 20


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setenv("TOCSIN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(store_module, "_said", set())
    return tmp_path / "cache"


@pytest.fixture
def store(root):
    store = Store("things")
    assert store.save(KEY, BODY)
    return store


@pytest.fixture
def file(store, root):
    return root / "things" / f"{KEY}.tocsin"


def test_what_is_kept_comes_back(store):
    assert store.load(KEY) == BODY
    assert store.load(OTHER) is None
    assert store.save(KEY, b"")
    assert store.load(KEY) == b""
    assert store.names() == [f"{KEY}.tocsin"]
    assert store.size() == len(HEAD) + DIGEST


def test_any_flipped_bit_is_noticed(store, file):
    whole = file.read_bytes()
    for at in [*range(60), *range(60, len(whole), 97), len(whole) - 1]:
        for bit in range(8):
            flipped = bytearray(whole)
            flipped[at] ^= 1 << bit
            file.write_bytes(flipped)
            assert store.load(KEY) is None
    file.write_bytes(whole)
    assert store.load(KEY) == BODY


@pytest.mark.parametrize("damage", [b"", b"x", HEAD, HEAD + bytes(DIGEST), bytes(5000)])
def test_other_bytes_are_noticed_and_replaced(store, file, damage):
    file.write_bytes(damage)
    assert store.load(KEY) is None
    assert store.damaged() == [file.name]
    assert store.save(KEY, BODY)
    assert store.load(KEY) == BODY
    assert store.damaged() == []


def test_a_file_does_not_pass_for_another(store, file, root):
    file.with_name(f"{OTHER}.tocsin").write_bytes(file.read_bytes())
    assert store.load(OTHER) is None
    other = Store("others")
    other.save(KEY, b"of another kind")
    (root / "others" / file.name).write_bytes(file.read_bytes())
    assert other.load(KEY) is None


def test_things_that_are_no_files_are_missing(store, file, root):
    whole = file.read_bytes()
    file.unlink()
    (root / "elsewhere").write_bytes(whole)
    file.symlink_to(root / "elsewhere")
    assert store.load(KEY) is None, "a link is not followed"
    assert store.save(KEY, BODY)
    assert not file.is_symlink()
    assert (root / "elsewhere").exists()
    file.unlink()
    os.mkfifo(file)
    assert store.load(KEY) is None, "nobody waits for a writer"
    file.unlink()
    file.mkdir()
    assert store.load(KEY) is None
    assert not store.save(KEY, BODY)
    assert store.clear() == 0
    assert file.is_dir(), "not ours"
    assert os.listdir(file.parent) == [file.name], "no temporary file is left"


def test_folders_are_for_the_user_alone_whatever_the_mask(tmp_path, monkeypatch):
    monkeypatch.setenv("TOCSIN_CACHE", str(tmp_path / "a" / "b"))
    was = os.umask(0)
    try:
        Store("things").save(KEY, BODY)
    finally:
        os.umask(was)
    for place in ("a", "a/b", "a/b/things"):
        assert (tmp_path / place).stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "a/b/things" / f"{KEY}.tocsin").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("which", [".", "things"])
@pytest.mark.parametrize("mode", [0o777, 0o775, 0o707, 0o1777])
def test_folders_that_others_may_write_are_refused_in_a_sentence(store, root, capsys, which, mode):
    (root / which).chmod(mode)
    for _ in range(2):
        assert store.load(KEY) is None
        assert not store.save(OTHER, BODY)
        assert store.names() == []
        assert store.clear() == 0
    said = capsys.readouterr().err
    assert said.count("may be written by others") == 1
    assert "TOCSIN_CACHE" in said
    (root / which).chmod(0o755)
    assert store.load(KEY) == BODY


def test_files_that_others_may_write_are_refused(store, file):
    for mode in (0o602, 0o620, 0o666):
        file.chmod(mode)
        assert store.load(KEY) is None
    assert store.save(KEY, BODY)
    assert store.load(KEY) == BODY, "and replaced"


@pytest.mark.skipif(os.geteuid() != 0, reason="only the administrator can give files away")
def test_what_belongs_to_another_user_is_refused_and_the_administrators_is_not(store, file, root, capsys, monkeypatch):
    os.chown(file, 12345, 12345)
    assert store.load(KEY) is None
    os.chown(file, 0, 0)
    os.chown(root, 12345, 12345)
    assert store.load(KEY) is None
    assert "belongs to another user" in capsys.readouterr().err
    os.chown(root, 0, 0)
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert store.load(KEY) == BODY


def test_a_cache_that_cannot_be_written_is_read(store, root, monkeypatch):
    def read_only(*_, **__):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(os, "utime", read_only)
    monkeypatch.setattr(store_module.tempfile, "mkstemp", read_only)
    monkeypatch.setattr(Path, "mkdir", read_only)
    file = root / "things" / f"{KEY}.tocsin"
    assert store.load(KEY) == BODY
    assert not store.save(OTHER, BODY)
    assert not Store("unmade").save(KEY, BODY)
    assert file.exists()


def test_a_full_disk_and_a_limit_on_files_are_survived(root):
    program = f"""
import resource
from tocsin.compiler.store import Store
store = Store("things")
assert store.save({KEY!r}, b"small")
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
assert not store.save({OTHER!r}, bytes(100_000))
resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))
assert store.load({KEY!r}) is None and not store.save({OTHER!r}, b"small") and store.names() == []
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)
    assert os.listdir(root / "things") == [f"{KEY}.tocsin"]


def test_only_our_own_files_are_ever_removed(store, root):
    foreign = [root / "thesis.tex", root / "things" / "notes.txt", root / "things" / "work" / f"{KEY}.tocsin"]
    foreign += [root / f"{KEY}.tocsin", root / "things" / f"{KEY}.tocsin.bak", root / "things" / "a.tmp"]
    for path in foreign:
        path.parent.mkdir(exist_ok=True)
        path.write_text("mine")
        os.utime(path, (0, 0))
    small = Store("things", limit=4 * len(BODY) + 1000)
    for k in range(9):
        assert small.save(f"{k}" * 40, BODY)
    assert store.clear() > 0
    assert all(path.read_text() == "mine" for path in foreign)
    assert store.names() == []


def test_a_full_store_forgets_what_was_used_least_recently(root):
    store = Store("things", limit=10_000)
    for k in range(9):
        assert store.save(f"{k}" * 40, bytes(1000))
        then = time.time() - 9 * store_module.DAY + k * 1000
        os.utime(root / "things" / f"{str(k) * 40}.tocsin", (then, then))
    assert store.load("0" * 40) is not None, "used just now"
    assert store.save("a" * 40, bytes(1000))
    left = {name[0] for name in store.names()}
    assert store.size() <= 7_500
    assert {"0", "a", "8"} <= left
    assert not {"1", "2"} & left
    assert not store.save("b" * 40, bytes(2501)), "one thing is a quarter of it at most"


def test_what_a_killed_process_left_is_cleared_away(store, root):
    left, new = (root / "things" / f"{KEY}.tocsin.{name}.tmp" for name in ("abc", "def"))
    left.write_bytes(b"half")
    new.write_bytes(b"half")
    os.utime(left, (0, 0))
    assert Store("things").save(OTHER, BODY)
    assert not left.exists()
    assert new.exists(), "somebody may be writing it"
    assert store.clear() == 2
    assert not new.exists()


def test_off_is_off(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("TOCSIN_CACHE", "off")
    store = Store("things")
    assert store_module.folder() is None
    assert store.place(make=True) is None
    assert not store.save(KEY, BODY)
    assert store.load(KEY) is None
    assert (store.names(), store.clear(), store.damaged()) == ([], 0, [])
    assert os.listdir(tmp_path) == []


def test_a_tilde_is_the_users_home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TOCSIN_CACHE", "~/x")
    assert store_module.folder() == tmp_path / "x"
    assert Store("things").save(KEY, BODY)
    assert (tmp_path / "x" / "things").is_dir()


def test_the_default_folder_follows_the_platform(monkeypatch, tmp_path):
    monkeypatch.delenv("TOCSIN_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    for platform in ("linux", "darwin", "win32"):
        monkeypatch.setattr("sys.platform", platform)
        assert store_module.folder().name == "tocsin"
    monkeypatch.setattr("sys.platform", "linux")
    assert store_module.folder() == tmp_path / "tocsin"


@pytest.mark.parametrize("chosen", ["a file", "nul\0", "~nobody-has-this-name/x", "x" * 5000])
def test_a_folder_that_cannot_be_is_no_cache(tmp_path, monkeypatch, chosen):
    (tmp_path / "a file").write_text("in the way")
    monkeypatch.setattr(
        store_module.os, "environ", {"TOCSIN_CACHE": chosen if chosen[0] == "~" else f"{tmp_path}/{chosen}"}
    )
    store = Store("things")
    assert not store.save(KEY, BODY)
    assert store.load(KEY) is None
    assert store.names() == []


def test_nothing_is_left_open(store):
    before = os.open(os.devnull, os.O_RDONLY)
    os.close(before)
    for _ in range(20):
        store.load(KEY), store.load(OTHER), store.save(KEY, BODY), store.damaged()
    after = os.open(os.devnull, os.O_RDONLY)
    os.close(after)
    assert after == before, "the lowest free number is the same"

"""`tocsin warmup`."""

from .cell import tocsin


def test_every_step_is_listed_with_its_seconds():
    said = tocsin("warmup", "--json")
    assert said.code == 0, said.err
    assert set(said.json) == {"tocsin", "command", "steps", "seconds", "folder"}
    names = " ".join(step["step"] for step in said.json["steps"])
    for words in ("first_contact, triangles", "is_free, hulls", "contacts, triangles", "distance, hulls", "meshes"):
        assert words in names
    assert all(step["seconds"] >= 0.0 for step in said.json["steps"])


def test_people_get_a_table_and_the_folder():
    said = tocsin("warmup")
    assert said.code == 0
    assert "kept in" in said.out


def test_without_a_cache_it_says_that_nothing_is_kept(monkeypatch):
    monkeypatch.setenv("TOCSIN_CACHE", "off")
    assert "nothing is kept" in tocsin("warmup").err


def test_it_takes_no_arguments():
    assert tocsin("warmup", "now").code == 2

"""The documentation site holds together: every page is reached, its code runs, its commands and scenes are there.

`make docs` builds it, strictly; what is here needs no MkDocs and is quick.
"""

import importlib.util
import re
from pathlib import Path

import pytest
from typer.main import get_command

from tocsin.cli.app import app

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
SCENES = sorted((ROOT / "examples" / "gallery").glob("*.py"))


def blocks(page, language):
    """Return the code blocks of a page."""
    return re.findall(rf"^```{language}[^\n]*\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def named(pages):
    return [page.relative_to(DOCS).as_posix() for page in pages]


RUN = [page for page in PAGES if blocks(page, "python")]


@pytest.mark.parametrize("page", RUN, ids=named(RUN))
def test_code_on_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "page"}
    text = page.read_text(encoding="utf-8")
    for found in re.finditer(r"<!-- setup\n(.*?)-->|^```python[^\n]*\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        code = found[1] or found[2]
        needs = re.match(r"# needs: (\w+)", code)
        if not needs or importlib.util.find_spec(needs[1]) is not None:
            line = text.count("\n", 0, found.start()) + 1
            exec(compile("\n" * line + code, str(page), "exec"), names)


def commands():
    """Yield (page, line) for every call of the command `tocsin` in the documents."""
    for page in [ROOT / "README.md", *PAGES]:
        for block in [*blocks(page, "sh"), *blocks(page, "console")]:
            for line in block.splitlines():
                found = re.match(r"(?:\$ )?(tocsin [^#|>]*)", line)
                if found:
                    yield page.name, found[1].split()


def test_commands_on_the_pages_exist_with_their_options():
    known = get_command(app)
    seen = 0
    for page, words in commands():
        command, rest = known, words[1:]
        while hasattr(command, "commands") and rest and rest[0] in command.commands:
            command, rest = command.commands[rest[0]], rest[1:]
        if words[1] == "bench":  # of another distribution
            continue
        assert command is not known or words[1].startswith("-"), f"{page}: no command {words[1]!r}"
        options = {name for parameter in command.params for name in parameter.opts}
        wrong = [word for word in rest if re.match(r"--\w", word) and word not in options | {"--help"}]
        assert wrong == [], f"{page}: {' '.join(words)}: no {wrong}"
        seen += 1
    assert seen >= 20


def test_every_scene_of_the_gallery_is_short_and_on_its_page():
    page = (DOCS / "gallery" / "index.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"<!-- scenes: (.*?) -->", page)[0].split()) == [scene.stem for scene in SCENES]
    for scene in SCENES:
        text = scene.read_text(encoding="utf-8")
        assert len(text.splitlines()) < 40, scene.name
        assert re.search(r'^title = ".+"$', text, re.MULTILINE), scene.name
        assert f'"{scene.stem}.html"' in text, scene.name
        assert f'"{scene.stem}.png"' in text, scene.name

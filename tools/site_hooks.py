"""Hooks of the documentation site (mkdocs.yml): pages that are files of the repository's root, and the gallery's cards.

What stands between `<!-- setup` and `-->` on a page is run by the tests beside the page's code (tests/test_site.py),
and is nothing for readers.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FROM_ROOT = {"changelog.md": "CHANGELOG.md", "contributing.md": "CONTRIBUTING.md"}
SHIM = "https://unpkg.com/iframe-worker/shim"
CARD = """
<div markdown>

<figure class="play" data-page="{name}.html">
<img src="{name}.png" alt="{title}" loading="lazy"><button aria-label="Play: {title}"></button>
</figure>

### {title}

{story} <a href="{name}.html" target="_blank">Alone in a window.</a>

??? example "The code"

    ```python
    --8<-- "examples/gallery/{name}.py"
    ```

</div>
"""


def card(name: str) -> str:
    """Return a scene of the gallery: its picture, its story (the script's docstring) and its code."""
    code = (ROOT / "examples" / "gallery" / f"{name}.py").read_text(encoding="utf-8")
    story, title = re.match(r'"""(.*?)"""', code, re.DOTALL), re.search(r'^title = "(.*)"$', code, re.MULTILINE)
    if story is None or title is None:
        raise ValueError(f"examples/gallery/{name}.py needs a docstring and a line `title = ...`.")
    return CARD.format(name=name, story=" ".join(story[1].split()), title=title[1])


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Return the text of a page as mkdocs is to read it."""
    source = FROM_ROOT.get(page.file.src_uri)
    if source is not None:
        markdown = (ROOT / source).read_text(encoding="utf-8").replace("](docs/", "](")
    markdown = re.sub(r"<!-- scenes: (.*?) -->", lambda found: "".join(map(card, found[1].split())), markdown)
    return re.sub(r"<!-- setup\n.*?-->\n", "", markdown, flags=re.DOTALL)


def on_page_content(html: str, **_: Any) -> str:
    """Return a page on which the options of a command in a line are never broken after a hyphen."""
    whole = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")
    return re.sub(
        r"(?<!<pre>)<code>([^<]*)</code>",
        lambda code: f"<code>{whole.sub(lambda word: f'<span class=option>{word[0]}</span>', code[1])}</code>",
        html,
    )


def on_post_build(config: Any, **_: Any) -> None:
    """Nothing is fetched while a page is read: what searching needs on the disk is a file of ours."""
    site = Path(config["site_dir"])
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        if SHIM in text:
            up = "../" * (len(page.relative_to(site).parts) - 1)
            page.write_text(text.replace(SHIM, f"{up}site/worker.js"), encoding="utf-8")

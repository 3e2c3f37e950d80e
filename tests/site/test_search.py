"""The index of the search."""

from __future__ import annotations

import json
import re
from typing import Any

from fcbench.site.search import Entry, index, page_entries
from tests.site.conftest import Built


def rows(script: str) -> dict[str, Any]:
    """What the script holds, read in another way than a browser does."""
    found = re.fullmatch(r"\(window\.fcbench=window\.fcbench\|\|\{\}\)\[\"search\"\]=(.*);\n", script)
    assert found
    plain: dict[str, Any] = json.loads(found.group(1))
    return plain


def test_a_page_is_cut_at_its_headings() -> None:
    html = (
        '<h1 id="a">Title</h1><p>Lead &amp; more.</p><script>no()</script>'
        '<h2 id="b">Part <code>x</code></h2><ul><li>One</li><li>Two</li></ul>'
    )
    assert list(page_entries(html, "docs/p.html", "documentation")) == [
        Entry(title="Title", path="docs/p.html", kind="documentation", text="Lead & more."),
        Entry(title="Title: Part x", path="docs/p.html#b", kind="documentation", text="One Two"),
    ]


def test_no_text_ends_the_script() -> None:
    script = index([Entry(title="</script><b>\u2028", path="x.html", kind="case", text="&")]).decode()
    assert not re.search("[<>&\u2028]", script)
    assert rows(script)["kinds"] == ["case"]


def test_everything_can_be_found_and_every_path_is_a_page(sample: Built) -> None:
    found = rows((sample.output / "data" / "search.js").read_text())
    by_kind: dict[str, list[str]] = {}
    for title, path, kind, _ in found["rows"]:
        by_kind.setdefault(found["kinds"][kind], []).append(title)
        file, _, anchor = path.partition("#")
        page = (sample.output / file).read_text()
        assert not anchor or f'id="{anchor}"' in page, path
    assert by_kind["model"] == ["Example/Alpha-8B-Instruct", "beta-mini"]
    assert by_kind["control"] == ["control-null"]
    assert by_kind["case"] == [f"hypotheek-00{number}" for number in range(1, 7)]
    assert by_kind["tool"] == ["verwerk_hypotheek_aanvraag", "vraag_dossierstatus_op"]
    assert "Commands: fcbench sweep" in by_kind["documentation"]
    assert "Method: Tiers" in by_kind["about"]
    assert "Leaderboard" in by_kind["overview"]

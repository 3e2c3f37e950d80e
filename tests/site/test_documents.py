"""The documentation as part of the site."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fcbench.errors import NotFoundError
from fcbench.site.documents import documents, navigation, schemas_page
from fcbench.site.hand_written import described, fit_for_pages
from tests.site.conftest import SOURCES, Built

DOCS = SOURCES.parents[1] / "docs"


def pages_of(folder: Path) -> set[str]:
    return {page.relative_to(folder).as_posix() for page in folder.rglob("*.md")}


def test_every_page_of_the_documentation_is_in_the_navigation_once() -> None:
    found: list[str] = []

    def walk(item: object) -> None:
        if isinstance(item, str):
            found.append(item.removeprefix("docs/"))
        elif isinstance(item, dict):
            for value in item.values():
                walk(value)
        elif isinstance(item, list):
            for one in item:
                walk(one)

    walk(navigation(DOCS))
    assert len(found) == len(set(found))
    assert set(found) == pages_of(DOCS) | {"reference/schemas/index.md"}


def test_every_page_and_file_of_the_documentation_is_in_the_site(sample: Built) -> None:
    for file in (path for path in DOCS.rglob("*") if path.is_file()):
        place = file.relative_to(DOCS).as_posix()
        place = place.replace("README.md", "index.md") if place.endswith("README.md") else place
        goal = sample.output / "docs" / (place.removesuffix(".md") + ".html" if place.endswith(".md") else place)
        assert goal.is_file(), place
        if not place.endswith(".md"):
            assert goal.read_bytes() == file.read_bytes()


def test_a_page_of_the_documentation_shows_its_section_and_marks_itself(sample: Built) -> None:
    page = (sample.output / "docs" / "how-to" / "sweep.html").read_text()
    side = page[page.index('<nav class="fc-side"') : page.index("</nav>", page.index('<nav class="fc-side"'))]
    assert re.findall(r'href="([^"]*)" aria-current="page"', side) == ["sweep.html"]
    assert side.count("<details open>") == 1
    assert '<a href="../index.html" aria-current="true">Documentation</a>' in page


def test_the_leaderboard_has_no_side_navigation(sample: Built) -> None:
    assert "fc-side" not in (sample.output / "index.html").read_text()


def test_every_schema_stands_in_the_list_with_its_meaning(sample: Built) -> None:
    page = (sample.output / "docs" / "reference" / "schemas" / "index.html").read_text()
    for file in (DOCS / "reference" / "schemas").glob("*.json"):
        assert f'<a href="{file.name}">{file.stem}</a>' in page
    assert "A task with its oracle, as planned, hashed and stored in a package." in page


def test_a_folder_without_schemas_has_no_list(tmp_path: Path) -> None:
    assert schemas_page(tmp_path) is None


def test_a_folder_without_a_first_page_is_no_documentation(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="holds no documentation"):
        documents(tmp_path)


def test_hidden_files_stay_at_home(tmp_path: Path) -> None:
    for name in ("index.md", ".secret/x.md", "how-to/.draft.md", "how-to/x.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("# X\n")
    assert [one.path for one in documents(tmp_path)] == ["docs/how-to/x.md", "docs/index.md"]


def test_a_file_beside_the_documentation_comes_along_where_a_page_links_to_it(tmp_path: Path) -> None:
    pages = {
        "docs/index.md": "[a](../CHANGELOG.md) [b](../gone.md) [c](../../passwd) [d](../README.md) [e](how-to/x.md)",
        "docs/how-to/x.md": "[a](../../suites/one.yaml#top) [b](../index.md) [c](../../../../secret)",
        "CHANGELOG.md": "# Changelog",
        "README.md": "# Read me",
        "suites/one.yaml": "a: 1",
        "suites/two.yaml": "b: 2",
    }
    for name, text in pages.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = {one.path: one.source for one in documents(tmp_path / "docs")}
    assert list(found) == ["docs/how-to/x.md", "docs/index.md", "CHANGELOG.md", "suites/one.yaml"]
    assert all(source.read_text() == pages[path] for path, source in found.items())


def test_tables_scroll_in_regions_with_names_of_their_own_and_no_style_is_left() -> None:
    cells = '<tr><td style="text-align: right;">1</td></tr>'
    html = fit_for_pages(f"<table>{cells}</table><table>{cells}</table><pre><code>x</code></pre>")
    assert re.findall(r'aria-label="([^"]*)"', html) == ["Table 1", "Table 2"]
    assert "style=" not in html
    assert html.count('class="fc-right"') == 2
    assert '<pre tabindex="0"><code>' in html


@pytest.mark.parametrize(
    ("html", "said"),
    [
        pytest.param("<h1>A</h1><p>One <em>two</em> &amp; three.</p><p>Four.</p>", "One two & three.", id="first"),
        pytest.param("<h1>A</h1>", "", id="none"),
        pytest.param(f"<p>{'word ' * 100}</p>", "word " * 39 + "word…", id="cut"),
    ],
)
def test_a_page_is_described_by_its_first_paragraph(html: str, said: str) -> None:
    assert described(html) == said

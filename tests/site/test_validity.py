"""Every page is valid HTML, and every link of it leads somewhere, read by parsers that are not ours."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.etree.ElementTree import Element

import html5lib
import pytest

from tests.site.browser import MISSING, page_types
from tests.site.conftest import Built

REFERENCES = ("aria-labelledby", "aria-describedby", "aria-controls", "for", "headers")


def parsed(path: Path) -> tuple[Element, list[str]]:
    """The page as a tree, and what a strict reader of HTML 5 says of it."""
    parser = html5lib.HTMLParser(strict=False, namespaceHTMLElements=False)
    tree: Element = parser.parse(path.read_text("utf-8"))
    return tree, [f"line {line[0]}: {name} {values}" for line, name, values in parser.errors]


def faults(path: Path) -> list[str]:
    """What is wrong with a page."""
    tree, found = parsed(path)
    ids = Counter(one.get("id") for one in tree.iter() if one.get("id") is not None)
    found += [f"the id {name!r} stands {count} times" for name, count in ids.items() if count > 1]
    found += [f"the id {name!r} holds a blank" for name in ids if not name or any(letter.isspace() for letter in name)]
    for one in tree.iter():
        for name in REFERENCES:
            gone = [word for word in one.get(name, "").split() if word not in ids]
            found += [f"{name} of {one.tag} names {word!r}, which is not there" for word in gone]
    heads = [one.tag for one in tree.iter() if one.tag in ("h1", "h2", "h3", "h4", "h5", "h6")]
    found += [f"{heads.count('h1')} headings of the first level"] if heads.count("h1") != 1 else []
    for name in ("title", "main"):
        count = sum(one.tag == name for one in tree.iter())
        found += [f"{count} elements {name}"] if count != 1 else []
    return found


def test_every_type_of_page_is_valid(sample: Built) -> None:
    pages = {**page_types(sample), "404": sample.output / MISSING}
    assert {name: found for name, path in pages.items() if (found := faults(path))} == {}


def test_hostile_pages_are_valid(hostile: Built) -> None:
    pages = page_types(hostile)
    assert {name: found for name, path in pages.items() if (found := faults(path))} == {}


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("<p><b>x</p></b>", id="wrong nesting"),
        pytest.param('<p id="a" id="b">x</p>', id="an attribute twice"),
        pytest.param('<p id="a">x</p><p id="a">y</p>', id="an id twice"),
        pytest.param('<p aria-labelledby="gone">x</p>', id="a reference to nothing"),
        pytest.param("<table><p>x</p></table>", id="text beside the cells"),
    ],
)
def test_a_fault_would_be_found(tmp_path: Path, body: str) -> None:
    page = tmp_path / "page.html"
    whole = "<!doctype html><html lang=en><head><title>t</title></head><body><main><h1>h</h1>{}</main></body></html>"
    page.write_text(whole.format("<p>x</p>"))
    assert faults(page) == []
    page.write_text(whole.format(body))
    assert faults(page) != []


def test_every_link_of_every_page_leads_to_a_file_and_an_anchor(sample: Built) -> None:
    """As the build's own check says, but by another parser, over the files that were written."""
    trees: dict[Path, tuple[list[str], set[str]]] = {}
    for path in sample.output.rglob("*.html"):
        if path.name == MISSING:
            continue
        tree, _ = parsed(path)
        targets = [value for one in tree.iter() for name in ("href", "src") if (value := one.get(name)) is not None]
        trees[path.resolve()] = (targets, {value for one in tree.iter() if (value := one.get("id")) is not None})
    wrong, seen = [], 0
    for path, (targets, _) in trees.items():
        for target in targets:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                assert parts.scheme in ("http", "https", "mailto", "data"), target
                continue
            goal = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            seen += 1
            anchor = unquote(parts.fragment)
            if not goal.is_file():
                wrong.append(f"{path.name}: {target} leads to no file")
            elif anchor and "=" not in anchor and goal in trees and anchor not in trees[goal][1]:
                wrong.append(f"{path.name}: {target} names no anchor")
    assert seen > 1000
    assert wrong == []

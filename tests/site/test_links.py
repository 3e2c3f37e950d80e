"""The link check."""

from __future__ import annotations

import pytest

from fcbench.site.links import PageLinks, any_links, broken, own_links

FILES = {"index.html", "a/b.html", "a/index.html", "x.css"}


def problems(page: str, *targets: str) -> list[str]:
    pages = {page: PageLinks(targets=targets, ids=("here",)), "a/b.html": PageLinks(targets=(), ids=("r1c1",))}
    return list(broken(pages, FILES, {path: set(links.ids) for path, links in pages.items()}))


@pytest.mark.parametrize(
    "target",
    [
        "a/b.html",
        "a/b.html#r1c1",
        "#here",
        "",
        "./index.html",
        "a/",
        ".",
        "https://example.org/",
        "x.css",
        "a/b%2Ehtml",
    ],
)
def test_a_good_link_passes(target: str) -> None:
    assert problems("index.html", target) == []


@pytest.mark.parametrize(
    ("target", "said"),
    [
        pytest.param("b.html", "no file", id="missing page"),
        pytest.param("a/b.html#nowhere", "anchor", id="missing anchor"),
        pytest.param("#nowhere", "anchor", id="missing anchor on the page itself"),
        pytest.param("/index.html", "slash", id="from the root"),
        pytest.param("../index.html", "no file", id="above the site"),
        pytest.param("javascript:alert(1)", "scheme", id="script"),
        pytest.param("//evil.invalid/x", "scheme", id="another host without a scheme"),
    ],
)
def test_a_broken_link_is_named(target: str, said: str) -> None:
    (found,) = problems("index.html", target)
    assert found.startswith("index.html: ")
    assert said in found


def test_both_readers_find_the_same_links() -> None:
    page = '<p id="a"><a href="x.html?q=1&amp;r=2#b" class="c">href="no"</a><img src="y.png" alt=""></p>'
    page = page.replace('href="no"', "href=&#34;no&#34;")
    assert own_links(page) == any_links(page)
    assert own_links(page).targets == ("x.html?q=1&r=2#b", "y.png")

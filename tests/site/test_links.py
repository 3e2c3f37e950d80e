"""The link check."""

from __future__ import annotations

import pytest

from fcbench.site.links import PageLinks, any_links, broken, own_links, resolved

FILES = {"index.html", "a/b.html", "a/index.html", "x.css"}


def problems(page: str, *targets: str) -> list[str]:
    """What is wrong with the links of a page, which is the same for links that were resolved before."""
    raw = PageLinks(targets=targets, ids=("here",))
    found, later = (_broken(page, links) for links in (raw, resolved(page, raw)))
    assert [one.partition("' ")[2] for one in found] == [one.partition("' ")[2] for one in later]
    return found


def _broken(page: str, links: PageLinks) -> list[str]:
    pages = {page: links, "a/b.html": PageLinks(targets=(), ids=("r1c1",))}
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


def test_plain_targets_are_resolved_from_the_folder_of_their_page() -> None:
    targets = ("../index.html#top", "#here", "b.html", "https://example.org/", "c%20d.html", "../a/")
    found = resolved("a/b.html", PageLinks(targets=targets, ids=("here",)))
    assert found.goals == ("#here", "a/b.html", "a/index.html", "index.html#top")
    assert found.targets == ("https://example.org/", "c%20d.html")
    assert found.ids == ("here",)


def test_a_goal_that_is_good_for_one_page_is_looked_at_for_another_where_it_is_its_own() -> None:
    pages = {
        "x/one.html": PageLinks(targets=(), ids=("here",), goals=("#here",)),
        "x/two.html": PageLinks(targets=(), ids=(), goals=("#here",)),
    }
    anchors = {path: set(links.ids) for path, links in pages.items()}
    (found,) = broken(pages, set(pages), anchors)
    assert found.startswith("x/two.html: '#here' names an anchor")

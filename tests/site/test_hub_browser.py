"""The leaderboard and the search in a real browser: filter, order, choice of two rows, state in the address."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.site.browser import Visit
from tests.site.conftest import Built

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ALPHA = "Example/Alpha-8B-Instruct"


def shown(visit: Visit) -> list[str]:
    """Models of the first table that can be seen, in order."""
    table = visit.page.locator("table[data-fc-name]").first
    rows: list[str] = table.locator("tbody tr:not(.fc-divider):not([hidden]) .fc-model a").all_inner_texts()
    return rows


@pytest.fixture
def board(browser: Browser, sample: Built) -> Visit:
    """The leaderboard."""
    return Visit(browser, sample.output / "index.html")


def test_rows_are_filtered_by_words_and_controls_can_be_left_out(board: Visit) -> None:
    assert shown(board) == [ALPHA, "beta-mini", "control-null"]
    board.page.get_by_label("Filter by model or setting").fill("BETA llama.cpp")
    assert shown(board) == ["beta-mini"]
    assert "2 of 6 rows shown" in board.page.locator("[data-fc-rows-shown]").inner_text()
    board.page.get_by_label("Filter by model or setting").fill("")
    board.page.get_by_label("controls", exact=True).uncheck()
    assert shown(board) == [ALPHA, "beta-mini"]
    assert not board.page.locator(".fc-divider").first.is_visible()
    board.page.get_by_label("complete runs only").check()
    assert shown(board) == [ALPHA]
    board.check()
    board.close()


def test_what_was_chosen_stands_in_the_address_and_comes_back(board: Visit, sample: Built, browser: Browser) -> None:
    page = board.page
    table = page.locator("table[data-fc-name]").first
    table.locator("thead th", has_text="Strict accuracy").get_by_role("button").click()
    page.get_by_label("controls", exact=True).uncheck()
    page.get_by_label("Filter by model or setting").fill("a")
    table.locator("[data-fc-pick]").first.check()
    fragment = page.evaluate("location.hash")
    again = Visit(browser)
    again.open(sample.output / "index.html", fragment)
    for visit in (board, again):
        assert shown(visit) == ["beta-mini", ALPHA]
        assert visit.page.get_by_label("Filter by model or setting").input_value() == "a"
        assert not visit.page.get_by_label("controls", exact=True).is_checked()
        assert visit.page.locator("[data-fc-pick]:checked").count() == 1
        header = visit.page.locator("thead th", has_text="Strict accuracy").first
        assert header.get_attribute("aria-sort") == "descending"
        visit.check()
        visit.close()


def test_less_is_better_where_it_is(board: Visit) -> None:
    header = board.page.locator("thead th", has_text="Latency p50").first
    header.get_by_role("button").click()
    assert header.get_attribute("aria-sort") == "ascending"
    board.close()


def test_two_rows_lead_to_the_page_that_compares_them(board: Visit, sample: Built) -> None:
    page = board.page
    line = page.locator("[data-fc-picked]").first
    boxes = page.locator("table[data-fc-name]").first.locator("[data-fc-pick]")
    assert line.inner_text() == "Choose two rows to compare them."
    boxes.nth(0).check()
    assert line.inner_text() == f"Choose one more row to compare it with {ALPHA}."
    boxes.nth(2).check()
    boxes.nth(1).check()  # a third takes the place of the first
    assert [boxes.nth(number).is_checked() for number in range(3)] == [False, True, True]
    line.get_by_role("link", name="Compare beta-mini with control-null").click()
    page.wait_for_url("**/compare/*.html#*")
    chosen = [page.locator(f"[data-fc-run={name}] option:checked").inner_text() for name in ("a", "b")]
    assert ["beta-mini" in text or "control-null" in text for text in chosen] == [True, True]
    assert chosen[0] != chosen[1]
    board.check()
    board.close()


def test_a_link_to_a_folded_board_opens_it(board: Visit, sample: Built) -> None:
    folded = board.page.locator("details.fc-fold:has(table)").first
    anchor = folded.locator("h2").get_attribute("id")
    assert folded.get_attribute("open") is None
    board.page.get_by_role("navigation", name="Boards").locator(f'a[href="#{anchor}"]').click()
    board.page.wait_for_function("document.querySelector('details.fc-fold:has(table)').open")
    board.close()


def test_a_fragment_that_names_nothing_breaks_nothing(browser: Browser, sample: Built) -> None:
    for fragment in ("#nowhere", "#sort=x.y.z&pick=a&pick=b.c", "#q=%E0%A4%A", "#sort=..&q=%00"):
        visit = Visit(browser)
        visit.open(sample.output / "index.html", fragment)
        visit.check()
        visit.close()


@pytest.fixture
def search(browser: Browser, sample: Built) -> Visit:
    """The search page."""
    return Visit(browser, sample.output / "search.html")


def test_results_and_documentation_are_found_by_the_same_words(search: Visit, sample: Built) -> None:
    page = search.page
    assert page.locator(":focus").get_attribute("type") == "search"
    page.keyboard.type("sweep")
    first = page.locator("[data-fc-list] li").first
    assert first.locator("a").inner_text() == "Commands: fcbench sweep"
    assert first.locator(".fc-tag").inner_text() == "documentation"
    page.get_by_label("Words").fill("hypotheek 003")
    assert page.locator("[data-fc-list] li a").first.inner_text() == "hypotheek-003"
    page.get_by_label("Kind").select_option("tool")
    assert page.locator("[data-fc-found]").inner_text() == "Nothing has all of these words."
    page.get_by_label("Words").fill("hypotheek")
    page.locator("[data-fc-list] li a").first.click()
    page.wait_for_url("**/tools/*.html")
    search.check()
    search.close()


def test_a_search_can_be_shared(search: Visit, browser: Browser, sample: Built) -> None:
    search.page.get_by_label("Words").fill("beta")
    search.page.get_by_label("Kind").select_option("model")
    fragment = search.page.evaluate("location.hash")
    again = Visit(browser)
    again.open(sample.output / "search.html", fragment)
    assert again.page.locator("[data-fc-list] li a").all_inner_texts() == ["beta-mini"]
    again.check()
    for visit in (search, again):
        visit.close()


def test_hits_are_marked_and_markup_stays_text(browser: Browser, hostile: Built) -> None:
    visit = Visit(browser)
    for words in ("script", "<", "img onerror", "\\", "("):
        visit.open(hostile.output / "search.html")
        visit.page.get_by_label("Words").fill(words)
        assert not visit.ran_foreign_script()
        assert visit.page.locator("[data-fc-list] :is(script, img, iframe, b)").count() == 0
    visit.page.get_by_label("Words").fill("script")
    assert visit.page.locator("[data-fc-list] mark").count() > 0
    visit.check()
    visit.close()


def test_without_scripts_the_search_lists_where_to_look(browser: Browser, sample: Built) -> None:
    visit = Visit(browser, sample.output / "search.html", script=False)
    assert visit.page.get_by_text("Searching needs JavaScript").is_visible()
    assert visit.page.locator("main li a, .md-content li a").count() >= 7
    assert not visit.page.locator("[data-fc-search]").is_visible()
    visit.close()


def test_the_documentation_folds_its_groups_beside_the_text(browser: Browser, sample: Built) -> None:
    visit = Visit(browser, sample.output / "docs" / "how-to" / "sweep.html")
    side = visit.page.get_by_role("navigation", name="Documentation")
    assert side.get_by_role("link", name="Many models, one file").is_visible()
    assert not side.get_by_role("link", name="First run").is_visible()
    side.get_by_text("Tutorial").click()
    assert side.get_by_role("link", name="First run").is_visible()
    visit.check()
    visit.close()

"""The site in a real browser, opened from file:// unless a test says otherwise.

Without a Chromium the tests are skipped with that reason, or fail where FCBENCH_REQUIRE_BROWSER is 1.
"""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.site.browser import Visit, page_types
from tests.site.conftest import Built

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.mark.parametrize("phone", [pytest.param(False, id="wide"), pytest.param(True, id="390 px")])
def test_pages_break_no_policy_make_no_request_fit_and_stand_still(
    browser: Browser, sample: Built, phone: bool
) -> None:
    visit = Visit(browser, phone=phone)
    found: dict[str, list[str]] = {}
    for name, path in page_types(sample).items():
        visit.console.clear()
        visit.requests.clear()
        visit.open(path)
        shift = visit.shift()
        problems = [*visit.problems(), *visit.violations(), *([f"moved by {shift:.3f}"] if shift > 0 else [])]
        if problems:
            found[name] = problems
    visit.close()
    assert found == {}


def test_the_policy_is_in_force(browser: Browser, sample: Built) -> None:
    inject = """() => {
        const script = document.createElement('script');
        script.textContent = 'window.injected = 1';
        document.body.append(script);
        return typeof window.injected;
    }"""
    visit = Visit(browser)
    for path in (sample.output / "index.html", sample.one("attempts/*/*.html"), sample.output / "docs" / "index.html"):
        visit.open(path)
        assert visit.page.evaluate(inject) == "undefined"
        assert any("script-src" in line for line in visit.violations())
    visit.close()


def test_a_column_sorts_by_its_button(browser: Browser, sample: Built) -> None:
    visit = Visit(browser, sample.output / "index.html")
    page = visit.page
    table = page.locator("table[data-fc-sort]").first
    header = table.locator("thead th", has_text="Strict accuracy")

    def models() -> list[str]:
        return table.locator("tbody[data-fc-rows] th a").all_inner_texts()

    assert models() == ["Example/Alpha-8B-Instruct", "beta-mini"]
    header.get_by_role("button").focus()
    page.keyboard.press("Enter")
    assert header.get_attribute("aria-sort") == "descending"
    assert models() == ["beta-mini", "Example/Alpha-8B-Instruct"]
    assert page.locator(".fc-live", has_text="2 rows, sorted by Strict accuracy, descending").count() == 1
    page.keyboard.press("Enter")
    assert header.get_attribute("aria-sort") == "ascending"
    assert models() == ["Example/Alpha-8B-Instruct", "beta-mini"]
    assert table.locator("thead [aria-sort]").count() == 1
    assert table.locator(".fc-controls th a").all_inner_texts() == ["control-null"]
    visit.close()


def test_failures_are_filtered_and_the_view_has_an_address(browser: Browser, sample: Built) -> None:
    visit = Visit(browser, sample.output / "failures.html")
    page = visit.page
    rows = page.locator("[data-fc-results] tbody tr")
    assert "32 of 32 failures" in page.locator("[data-fc-count]").inner_text()
    page.locator("[data-fc-filter=kind]").select_option("decimal mark")
    assert rows.count() == 3
    assert "kind=decimal+mark" in page.url
    page.locator("[data-fc-filter=text]").fill("no such text")
    assert rows.count() == 0
    page.evaluate("location.hash = '#model=beta-mini'")
    page.wait_for_function("document.querySelectorAll('[data-fc-results] tbody tr').length === 6")
    visit.check()
    visit.close()


def test_a_link_to_a_call_opens_its_round(browser: Browser, sample: Built) -> None:
    path = sample.one("attempts/*alpha*/hypotheek-002-r1.html")
    visit = Visit(browser, path)
    visit.page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = false })")
    visit.page.evaluate("location.hash = '#r2c1'")
    visit.page.wait_for_selector("#round-2[open]")
    assert visit.page.locator("#round-2").get_attribute("open") is not None
    assert visit.page.locator("#r2c1").is_visible()
    visit.close()


def test_dark_is_chosen_and_remembered(browser: Browser, sample: Built) -> None:
    visit = Visit(browser, sample.one("attempts/*/hypotheek-001-r1.html"))
    button = visit.page.get_by_role("button", name="Theme")
    button.click()
    button.click()
    assert visit.page.locator("body").get_attribute("data-md-color-scheme") == "slate"
    visit.page.reload()
    assert visit.page.locator("body").get_attribute("data-md-color-scheme") == "slate"
    visit.close()


def test_every_page_reads_without_scripts(browser: Browser, sample: Built) -> None:
    visit = Visit(browser, sample.one("attempts/*alpha*/hypotheek-002-r1.html"), script=False)
    assert visit.page.get_by_text("the decimal comma was dropped").first.is_visible()
    assert visit.page.locator("#r2c1 .fc-diff tbody tr").count() == 3
    assert not visit.page.locator("[data-fc-palette]").is_visible()
    visit.close()


def test_printing_opens_the_rounds_and_keeps_candidates_closed(browser: Browser, sample: Built) -> None:
    visit = Visit(browser, sample.one("attempts/*alpha*/hypotheek-002-r1.html"))
    visit.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert visit.page.locator("details:not([open])").count() == visit.page.locator(".fc-candidates").count() == 1
    visit.page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert visit.page.locator("details:not([open])").count() > 1
    visit.close()


def test_what_is_printed_shows_every_round(browser: Browser, sample: Built) -> None:
    """`page.pdf` fires the same events as a print from the menu, and lays out with the print style."""
    visit = Visit(browser, sample.one("attempts/*alpha*/hypotheek-002-r1.html"))
    visit.page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = false })")
    visit.page.evaluate(
        """window.addEventListener('beforeprint', () => { window.printed = {
            closed: document.querySelectorAll('details:not([open]):not(.fc-candidates)').length,
            calls: [...document.querySelectorAll('.fc-call')].map(one => one.getBoundingClientRect().height > 20),
        } })"""
    )
    printed = visit.page.pdf(format="A4")
    assert printed.startswith(b"%PDF-")
    assert visit.page.evaluate("window.printed") == {"closed": 0, "calls": [True, True]}
    assert visit.page.locator("details[open]").count() == 0
    visit.page.emulate_media(media="print")
    assert not visit.page.locator(".fc-header__nav").is_visible()
    assert visit.page.locator("h1").is_visible()
    visit.close()


def test_the_leaderboard_prints(browser: Browser, sample: Built) -> None:
    visit = Visit(browser, sample.output / "index.html")
    assert visit.page.pdf(format="A4", landscape=True).startswith(b"%PDF-")
    visit.close()


LOST = """() => [...document.querySelectorAll('main button, main select, main input')]
    .filter(one => one.checkVisibility()).map(one => one.outerHTML.slice(0, 120))"""
"""Controls that do nothing without a script, and that a reader would try."""


def test_every_page_type_reads_without_scripts_and_offers_no_dead_control(browser: Browser, sample: Built) -> None:
    visit = Visit(browser, script=False)
    found: dict[str, object] = {}
    for name, path in page_types(sample).items():
        visit.open(path)
        dead = visit.page.evaluate(LOST)
        words = len(visit.page.locator("main").first.inner_text().split())
        if dead or words < 15:
            found[name] = (dead, words)
    visit.close()
    assert found == {}


FOCUSED = """() => {
    const one = document.activeElement;
    if (!one || one === document.body) { return null; }
    const box = one.getBoundingClientRect(), style = getComputedStyle(one);
    return {
        name: one.outerHTML.slice(0, 100),
        place: [...document.querySelectorAll('*')].indexOf(one),
        ring: style.outlineStyle !== 'none' || style.boxShadow !== 'none',
        seen: one.checkVisibility() && box.width > 0 && box.height > 0,
    };
}"""
REACHABLE = """() => {
    const all = document.querySelectorAll('a[href], button, summary, select, input, [tabindex="0"]');
    const seen = one => one.checkVisibility({ visibilityProperty: true });
    return [...all].filter(one => seen(one) && !one.disabled && one.tabIndex >= 0).length;
}"""


@pytest.mark.parametrize("pattern", ["index.html", "failures.html", "attempts/*alpha*/hypotheek-002-r1.html"])
def test_the_keyboard_reaches_everything_and_shows_where_it_is(browser: Browser, sample: Built, pattern: str) -> None:
    visit = Visit(browser, sample.one(pattern))
    wanted = visit.page.evaluate(REACHABLE)
    stops = []
    for _ in range(wanted + 20):
        visit.page.keyboard.press("Tab")
        stop = visit.page.evaluate(FOCUSED)
        if stop is None or (stops and stop["place"] == stops[0]["place"]):
            break
        stops.append(stop)
    assert [stop["name"] for stop in stops if not stop["ring"]] == []
    assert [stop["name"] for stop in stops if not stop["seen"]] == []
    places = [stop["place"] for stop in stops]
    assert places == sorted(places), "the order of the keyboard is that of the page"
    assert len(set(places)) >= wanted
    visit.close()


def test_the_first_stop_skips_to_the_content(browser: Browser, sample: Built) -> None:
    visit = Visit(browser)
    for path in (sample.output / "index.html", sample.one("attempts/*/*.html"), sample.output / "docs" / "index.html"):
        visit.open(path)
        visit.page.keyboard.press("Tab")
        assert visit.page.evaluate("document.activeElement.textContent.trim()") == "Skip to content"
        visit.page.keyboard.press("Enter")
        assert visit.page.evaluate("document.activeElement.id") == "main"
    visit.close()


def test_a_round_opens_and_closes_by_keyboard(browser: Browser, sample: Built) -> None:
    visit = Visit(browser, sample.one("attempts/*alpha*/hypotheek-002-r1.html"))
    summary = visit.page.locator("#round-2 > summary")
    is_open = "document.getElementById('round-2').open"
    was = visit.page.evaluate(is_open)
    summary.focus()
    for key in ("Enter", "Space"):
        visit.page.keyboard.press(key)
        assert visit.page.evaluate(is_open) is not was
        was = not was
    visit.close()


def test_a_failure_is_found_by_keyboard_alone(browser: Browser, sample: Built) -> None:
    visit = Visit(browser, sample.output / "failures.html")
    visit.page.locator("[data-fc-filter=model]").focus()
    visit.page.keyboard.type("beta")
    visit.page.keyboard.press("Tab")
    page = visit.page
    page.wait_for_function("document.querySelectorAll('[data-fc-results] tbody tr').length === 6")
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("Boolean(document.activeElement.closest('[data-fc-results] tbody a'))"):
            break
    page.keyboard.press("Enter")
    page.wait_for_url("**/attempts/**")
    visit.check()
    visit.close()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def served(sample: Built, tmp_path: Path) -> Iterator[str]:
    """The address of the sample site below a path of its own, as on GitHub Pages."""
    (tmp_path / "some").mkdir()
    (tmp_path / "some" / "project").symlink_to(sample.output, target_is_directory=True)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(tmp_path)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/some/project/"
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_site_works_below_a_path(browser: Browser, sample: Built, served: str) -> None:
    visit = Visit(browser)
    page = visit.page
    wrong: list[str] = []
    page.on(
        "response",
        lambda response: wrong.append(f"{response.status} {response.url}") if response.status >= 400 else None,
    )
    for path in page_types(sample).values():
        page.goto(served + path.relative_to(sample.output).as_posix())
    assert wrong == []
    assert [url for url in visit.requests if not url.startswith(served)] == []
    assert visit.console == []
    page.goto(served)
    page.get_by_role("link", name="Example/Alpha-8B-Instruct").first.click()
    page.wait_for_url(served + "models/*.html")
    page.locator("a[href*='attempts/']").first.click()
    page.wait_for_url(served + "attempts/**/*.html")
    page.get_by_role("link", name="fcbench", exact=True).click()
    page.wait_for_url(served + "index.html")
    visit.close()


def test_the_scheme_of_the_system_is_followed(browser: Browser, sample: Built) -> None:
    for scheme, wanted in (("light", "default"), ("dark", "slate")):
        visit = Visit(browser, scheme=scheme)  # type: ignore[arg-type]
        lights = set()
        for path in (sample.output / "index.html", sample.one("attempts/*/*.html")):
            visit.open(path)
            assert visit.page.locator("body").get_attribute("data-md-color-scheme") == wanted
            lights.add(visit.page.evaluate("getComputedStyle(document.body).backgroundColor"))
        assert len(lights) == 1, "hub and attempt pages have one background"
        visit.close()

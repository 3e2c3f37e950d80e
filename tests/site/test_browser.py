"""The site in a real browser, opened from file://.

Without a Chromium the tests are skipped with that reason, or fail where FCBENCH_REQUIRE_BROWSER is 1.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.site.conftest import Built
from tests.site.hostile_package import MARK

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PHONE = {"width": 390, "height": 844}
TOO_WIDE = """() => [...document.querySelectorAll('main *, .md-content *')].filter(one =>
    one.getBoundingClientRect().right > document.documentElement.clientWidth + 1
    && !one.closest('.fc-scroll, .fc-block, pre, .fc-hidden, svg')
).slice(0, 3).map(one => one.outerHTML.slice(0, 120))"""
"""The body clips what is too wide, so the width of the page alone does not tell."""


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    """One headless Chromium for all tests of this file."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        reason = "playwright is not installed"
        if os.environ.get("FCBENCH_REQUIRE_BROWSER") == "1":
            pytest.fail(f"{reason}, and FCBENCH_REQUIRE_BROWSER is 1")
        pytest.skip(reason)
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        yield found
        found.close()


class Visit:
    """A tab that opens pages from their files, and everything that they tried to do."""

    def __init__(self, browser: Browser, path: Path, *, phone: bool = False, script: bool = True) -> None:
        viewport = PHONE if phone else {"width": 1280, "height": 900}
        self._context = browser.new_context(
            viewport=viewport,  # type: ignore[arg-type]
            is_mobile=phone,
            has_touch=phone,
            java_script_enabled=script,
        )
        self.page: Page = self._context.new_page()
        self.console: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.console.append(message.text))
        self.page.on("pageerror", lambda error: self.console.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.console.append("dialog"), dialog.dismiss()))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.open(path)

    def open(self, path: Path, fragment: str = "") -> None:
        """Go to another page."""
        self.page.goto(path.as_uri() + fragment)

    def check(self) -> None:
        """No script error, no violation of the policy, no request beyond the folder, no sideways scroll."""
        where = self.page.url
        assert self.console == [], where
        assert self.remote == [], where
        assert self.sideways <= 0, where
        assert self.too_wide == [], where

    def close(self) -> None:
        """Leave the page."""
        self._context.close()

    @property
    def remote(self) -> list[str]:
        """Requests that left the folder."""
        return [url for url in self.requests if not url.startswith(("file:", "data:"))]

    @property
    def too_wide(self) -> list[str]:
        """Elements beyond the right edge that no region of their own scrolls: the page cuts them off."""
        found: list[str] = self.page.evaluate(TOO_WIDE)
        return found

    @property
    def sideways(self) -> int:
        """Pixels by which the page is wider than the window."""
        return int(self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


def some_pages(built: Built) -> list[Path]:
    """One page of each kind, the biggest attempt among them."""
    attempts = sorted(built.output.glob("attempts/*/*.html"), key=lambda path: path.stat().st_size)
    names = (
        "index.html",
        "failures.html",
        "faults/index.html",
        "cases/index.html",
        "models/index.html",
        "tools/index.html",
        "method.html",
    )
    cases = [path for path in sorted(built.output.glob("cases/*.html")) if path.name != "index.html"]
    models = [path for path in sorted(built.output.glob("models/*.html")) if path.name != "index.html"]
    boards = sorted(built.output.glob("boards/*.html"))
    tools = [path for path in sorted(built.output.glob("tools/*.html")) if path.name != "index.html"]
    some = [attempts[0], attempts[-1], cases[0], cases[-1], models[0], boards[0], *tools[:2]]
    return [*(built.output / name for name in names), *some]


@pytest.mark.parametrize("phone", [pytest.param(False, id="wide"), pytest.param(True, id="390 px")])
def test_pages_break_no_policy_make_no_request_and_fit(browser: Browser, sample: Built, phone: bool) -> None:
    pages = some_pages(sample)
    visit = Visit(browser, pages[0], phone=phone)
    for path in pages:
        visit.open(path)
        visit.check()
    visit.close()


def test_a_hostile_package_runs_nothing(browser: Browser, hostile: Built) -> None:
    pages = [*some_pages(hostile), *sorted(hostile.output.glob("attempts/*/*.html"))]
    visit = Visit(browser, pages[0], phone=True)
    for path in dict.fromkeys(pages):
        visit.open(path)
        assert visit.page.evaluate(f"typeof window.{MARK}") == "undefined", path
        assert visit.page.evaluate("document.querySelectorAll('iframe, img, style, base, object').length") == 0, path
        assert visit.page.evaluate("getComputedStyle(document.body).display") != "none"
        assert visit.page.url == path.as_uri()
        visit.check()
    visit.close()


def test_the_policy_is_in_force(browser: Browser, sample: Built) -> None:
    inject = """() => {
        const script = document.createElement('script');
        script.textContent = 'window.injected = 1';
        document.body.append(script);
        return typeof window.injected;
    }"""
    visit = Visit(browser, sample.output / "index.html")
    for path in (sample.output / "index.html", sample.one("attempts/*/*.html")):
        visit.open(path)
        assert visit.page.evaluate(inject) == "undefined"
    assert any("Content Security Policy" in line for line in visit.console)
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
    assert "2 rows, sorted by Strict accuracy, descending" in page.locator(".fc-live").first.inner_text()
    page.keyboard.press("Enter")
    assert header.get_attribute("aria-sort") == "ascending"
    assert models() == ["Example/Alpha-8B-Instruct", "beta-mini"]
    assert table.locator("thead [aria-sort]").count() == 1
    assert table.locator(".fc-controls a").all_inner_texts() == ["control-null"]
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

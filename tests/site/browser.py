"""A real browser for the site's tests: tabs that remember everything that a page tried to do."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tests.site.conftest import Built
from tests.site.hostile_package import MARK

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

MISSING = "404.html"
WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
TOO_WIDE = """() => [...document.querySelectorAll('main *, .md-content *')].filter(one =>
    one.getBoundingClientRect().right > document.documentElement.clientWidth + 1
    && !one.closest('.fc-scroll, .fc-block, pre, .fc-hidden, svg')
).slice(0, 3).map(one => one.outerHTML.slice(0, 120))"""
"""The body clips what is too wide, so the width of the page alone does not tell."""
WATCH = """
window.fcbenchSeen = { violations: [], shifts: [] };
document.addEventListener('securitypolicyviolation', event =>
    window.fcbenchSeen.violations.push(event.violatedDirective + ' ' + event.blockedURI));
new PerformanceObserver(list => list.getEntries().forEach(entry => {
    if (!entry.hadRecentInput) { window.fcbenchSeen.shifts.push(entry.value); }
})).observe({ type: 'layout-shift', buffered: true });
"""
"""Runs before each page's own scripts."""
TWO_FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"


class Visit:
    """A tab, and everything that its pages tried to do."""

    def __init__(
        self,
        browser: Browser,
        path: Path | None = None,
        *,
        phone: bool = False,
        script: bool = True,
        scheme: Literal["light", "dark"] = "light",
    ) -> None:
        self._context = browser.new_context(
            viewport=PHONE if phone else WIDE,  # type: ignore[arg-type]
            is_mobile=phone,
            has_touch=phone,
            java_script_enabled=script,
            color_scheme=scheme,
        )
        self._context.add_init_script(WATCH)
        self.page: Page = self._context.new_page()
        self.console: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.console.append(message.text))
        self.page.on("pageerror", lambda error: self.console.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.console.append("dialog"), dialog.dismiss()))
        self.page.on("download", lambda download: self.console.append("download"))
        # From here on, or the first tab itself would count.
        self._context.on("page", lambda page: self.console.append(f"another tab: {page.url}"))
        self._context.on("request", lambda request: self.requests.append(request.url))
        if path is not None:
            self.open(path)

    def open(self, path: Path, fragment: str = "") -> None:
        """Go to another page."""
        self.page.goto(path.as_uri() + fragment)

    def close(self) -> None:
        """Leave the page."""
        self._context.close()

    def problems(self) -> list[str]:
        """What the page now open did that it may not: script errors, requests beyond the folder, a wider page."""
        found = [f"console: {line}" for line in self.console]
        found += [f"request: {url}" for url in self.remote]
        found += [f"{self.sideways} px wider than the window"] if self.sideways > 0 else []
        return found + [f"beyond the edge: {one}" for one in self.too_wide]

    def check(self) -> None:
        """The page now open did nothing that it may not."""
        assert self.problems() == [], self.page.url

    def violations(self) -> list[str]:
        """What the page's policy stopped."""
        found: list[str] = self.page.evaluate("window.fcbenchSeen.violations")
        return found

    def shift(self) -> float:
        """How far the page moved by itself while it was painted (the sum of layout shifts)."""
        self.page.evaluate(TWO_FRAMES)
        return float(self.page.evaluate("window.fcbenchSeen.shifts.reduce((sum, one) => sum + one, 0)"))

    def ran_foreign_script(self) -> bool:
        """Whether a script of the hostile package ran, in the page or in a frame."""
        return any(frame.evaluate(f"typeof window.{MARK}") != "undefined" for frame in self.page.frames)

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


def page_types(built: Built) -> dict[str, Path]:
    """A page of each type by a name: every page of the first level, and of each folder its index and the extremes.

    Found in the output and not listed, so that a type of page that is added later is tested too. The page for missing
    addresses is left out: it is served at any address, so that its links may not be relative.
    """
    kinds: dict[str, list[Path]] = {}
    for path in sorted(built.output.rglob("*.html")):
        place = path.relative_to(built.output)
        if place.as_posix() == MISSING:
            continue
        folder = "attempts" if place.parts[0] == "attempts" else place.parent.as_posix()
        name = place.as_posix() if folder == "." or path.name == "index.html" else folder
        kinds.setdefault(name, []).append(path)
    found: dict[str, Path] = {}
    for name, paths in kinds.items():
        by_size = sorted(paths, key=lambda path: path.stat().st_size)
        found[name if len(paths) == 1 else f"{name}, largest"] = by_size[-1]
        # The hand-written pages of one folder differ in nothing but their text.
        if len(paths) > 1 and not name.startswith("docs"):
            found[f"{name}, smallest"] = by_size[0]
    return found


def results_pages(built: Built) -> list[Path]:
    """Every page that shows data of packages."""
    return [path for path in sorted(built.output.rglob("*.html")) if path.relative_to(built.output).parts[0] != "docs"]


def told(found: dict[str, Iterable[str]]) -> dict[str, list[str]]:
    """Only the pages with something to say."""
    return {name: list(lines) for name, lines in found.items() if list(lines)}

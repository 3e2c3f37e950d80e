"""How many bytes a reader loads: as a browser counts them, and packed as a server sends them."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import pytest

from tests.site.browser import Visit
from tests.site.conftest import Built

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PACKED = {".html", ".css", ".js", ".json", ".svg", ".xml", ".txt"}
"""What GitHub Pages sends packed."""


def sent(browser: Browser, path: Path) -> tuple[int, int]:
    """Bytes of a page with everything that it loads: as sent, and as unpacked."""
    visit = Visit(browser, path)
    visit.page.evaluate("new Promise(done => requestAnimationFrame(done))")
    files = {Path(unquote(urlsplit(url).path)) for url in visit.requests if url.startswith("file:")}
    visit.close()
    assert path in files
    assert any(file.suffix == ".css" for file in files)
    content = {file: file.read_bytes() for file in files}
    packed = sum(len(gzip.compress(data, 6)) if file.suffix in PACKED else len(data) for file, data in content.items())
    return packed, sum(len(data) for data in content.values())


def test_the_leaderboard_stays_below_300_kb_all_told(browser: Browser, sample: Built) -> None:
    packed, whole = sent(browser, sample.output / "index.html")
    assert packed < 100_000
    assert whole < 300_000


@pytest.mark.parametrize("place", [pytest.param(0, id="smallest"), pytest.param(-1, id="largest")])
def test_an_attempt_page_stays_below_40_kb(browser: Browser, sample: Built, place: int) -> None:
    path = sorted(sample.output.glob("attempts/*/*.html"), key=lambda one: one.stat().st_size)[place]
    assert path.stat().st_size < 40_000, "the page alone, as it lies on disk: 20,000 of them fit on GitHub Pages"
    packed, _ = sent(browser, path)
    assert packed < 45_000, "with style sheets and scripts, which a reader loads once, as a server sends them"


def test_an_attempt_page_loads_style_and_four_small_scripts_only(browser: Browser, sample: Built) -> None:
    visit = Visit(browser, sample.one("attempts/*/*.html"))
    kinds = {Path(urlsplit(url).path).suffix for url in visit.requests}
    scripts = [url for url in visit.requests if url.endswith(".js")]
    visit.close()
    assert kinds <= {".html", ".css", ".js", ".png"}
    assert len(scripts) == 4

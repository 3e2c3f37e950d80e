"""axe-core over every type of page, in light and dark, wide and narrow.

axe-core comes in the wheel of axe-playwright-python, so that no test needs a network.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.site.browser import Visit, page_types
from tests.site.conftest import Built

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ALL = {"resultTypes": ["violations"], "rules": {"target-size": {"enabled": True}}}
"""Every rule that is on by itself, good practice included, and the one of WCAG 2.2 AA that is not."""
COLOURS = {
    "resultTypes": ["violations"],
    "runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]},
}
"""What another palette can change."""
LAYOUT = {
    "resultTypes": ["violations"],
    "runOnly": {"type": "rule", "values": ["target-size", "scrollable-region-focusable", "meta-viewport"]},
}
"""What another width can change."""
SHORTENED = """document.querySelectorAll('main, main *').forEach(
    one => [...one.children].slice(40).forEach(child => child.remove())
)"""
"""Another palette or width changes the first forty rows of a list as it does the others; the first pass reads all."""
OPEN = "document.querySelectorAll('details').forEach(one => { one.open = true })"


def violations(visit: Visit, options: dict[str, Any]) -> list[str]:
    """What axe finds on the page now open, folded parts included, as one line a rule."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    visit.page.evaluate(OPEN)
    found = axe.run(visit.page, options=options).response["violations"]
    return [
        f"{rule['id']}: {rule['help']}; {len(rule['nodes'])} times, first {rule['nodes'][0]['html'][:160]} "
        f"{rule['nodes'][0]['failureSummary'][:300]}"
        for rule in found
    ]


@pytest.mark.parametrize(
    ("scheme", "phone", "options"),
    [
        pytest.param("light", False, ALL, id="light, all rules"),
        pytest.param("dark", False, COLOURS, id="dark, colours"),
        pytest.param("light", True, LAYOUT, id="390 px, layout"),
    ],
)
def test_axe_finds_nothing(browser: Browser, sample: Built, scheme: Any, phone: bool, options: dict[str, Any]) -> None:
    visit = Visit(browser, scheme=scheme, phone=phone)
    found = {}
    for name, path in {**page_types(sample), "404": sample.output / "404.html"}.items():
        visit.open(path)
        if options is not ALL:
            visit.page.evaluate(SHORTENED)
        if lines := violations(visit, options):
            found[name] = lines
    visit.close()
    assert found == {}


def test_axe_would_find_something(browser: Browser, sample: Built) -> None:
    visit = Visit(browser, sample.output / "about.html")
    visit.page.evaluate("document.querySelector('main h1').style.color = '#eee'")
    visit.page.evaluate("document.querySelector('main a').replaceChildren()")
    assert {line.partition(":")[0] for line in violations(visit, ALL)} >= {"color-contrast", "link-name"}
    visit.close()

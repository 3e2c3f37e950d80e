"""The site of a package whose every text tries to break out of the page that shows it, in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from fcbench.core.records import to_plain
from tests.site.browser import Visit, page_types, results_pages
from tests.site.conftest import Built
from tests.site.hostile_package import ALL, ATTACKS, MARK, TIES, poisoned
from tests.site.sample_packages import CASES, make_package, passing

if TYPE_CHECKING:
    from playwright.sync_api import Browser

FOREIGN = """[...document.querySelectorAll(
    'iframe, img, style, base, object, embed, form, link[href^="http"], meta[http-equiv="refresh"]'
)].map(one => one.outerHTML.slice(0, 100))"""
"""Elements that only a broken escape can bring."""
LOOK = (
    """() => ({
    foreign: """
    + FOREIGN
    + """,
    handlers: [...document.querySelectorAll('*')].filter(one => [...one.attributes].some(
        attribute => attribute.name.startsWith('on') || attribute.name === 'style' || attribute.name === 'srcdoc'
    )).map(one => one.outerHTML.slice(0, 100)),
    policy: document.head.querySelector('meta[http-equiv="Content-Security-Policy"]')?.content ?? '',
    hidden: getComputedStyle(document.body).display === 'none',
    raw: /[\\0-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u200b-\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ufeff]/
        .test(document.body.innerText),
})"""
)
"""`raw`: controls, and letters that nobody sees or that reorder a line."""


def wrongs(visit: Visit, path: Path) -> list[str]:
    """What a hostile page did, or holds, that it may not."""
    seen = visit.page.evaluate(LOOK)
    found = [*visit.problems(), *(f"policy: {line}" for line in visit.violations())]
    found += ["a script of the package ran"] if visit.ran_foreign_script() else []
    found += [f"went to {visit.page.url}"] if visit.page.url.partition("#")[0] != path.as_uri() else []
    found += [f"foreign element {one}" for one in seen["foreign"]]
    found += [f"foreign attribute {one}" for one in seen["handlers"]]
    found += ["nothing to see"] if seen["hidden"] else []
    found += ["letters that reorder or hide"] if seen["raw"] else []
    is_strict = "default-src 'none'" in seen["policy"] and "unsafe" not in seen["policy"]
    return found + ([] if is_strict else [f"its policy is {seen['policy']!r}"])


def test_no_page_of_a_hostile_package_runs_or_loads_anything(browser: Browser, hostile: Built) -> None:
    pages = results_pages(hostile)
    assert len(pages) > 3 * len(ATTACKS)
    visit = Visit(browser, phone=True)
    found = {}
    for path in pages:
        if path.name == "404.html":
            continue
        visit.console.clear()
        visit.requests.clear()
        visit.open(path)
        if lines := wrongs(visit, path):
            found[path.relative_to(hostile.output).as_posix()] = lines[:4]
    visit.close()
    assert found == {}


def test_a_broken_escape_or_a_lost_policy_would_be_found(browser: Browser, hostile: Built, tmp_path: Path) -> None:
    source = hostile.one("attempts/*/*.html").read_text()
    loud, bare = tmp_path / "loud.html", tmp_path / "bare.html"
    attack = f"<script>window.{MARK}=1</script><b onclick='x()'>\u202e</b></main>"
    loud.write_text(source.replace("</main>", attack))
    bare.write_text(source.replace("Content-Security-Policy", "nothing").replace("</main>", attack))
    visit = Visit(browser, loud)
    said = "\n".join(wrongs(visit, loud))
    assert "policy: script-src" in said
    assert "foreign attribute <b onclick" in said
    assert "reorder" in said
    assert "a script of the package ran" not in said
    visit.open(bare)
    said = "\n".join(wrongs(visit, bare))
    assert "a script of the package ran" in said
    assert "its policy is ''" in said
    visit.close()


def test_what_a_reader_does_on_a_hostile_page_runs_nothing(browser: Browser, hostile: Built) -> None:
    """Every fold opened, every control used, every pointer moved: handlers that wait for a reader have their chance."""
    visit = Visit(browser)
    found = {}
    for name, path in page_types(hostile).items():
        if name.startswith("docs"):
            continue
        visit.open(path)
        page = visit.page
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
        page.evaluate(
            """document.querySelectorAll('*').forEach(one => ['mouseover', 'focus', 'toggle', 'error', 'load'].forEach(
                kind => one.dispatchEvent(new Event(kind, { bubbles: true }))))"""
        )
        for button in page.locator("main button:visible, .md-content button:visible").all()[:6]:
            button.click()
        for field in page.locator("select:visible").all():
            if field.locator("option").count() > 1:
                field.select_option(index=1)
        if lines := wrongs(visit, path):
            found[name] = lines[:4]
    visit.close()
    assert found == {}


def test_a_search_for_hostile_text_shows_it_as_text(browser: Browser, hostile: Built) -> None:
    visit = Visit(browser, hostile.output / "search.html")
    for words in ("<script>", "</script>", "onerror", "evil.invalid", "javascript:"):
        visit.page.locator("[data-fc-query]").fill(words)
        visit.page.wait_for_function("document.querySelectorAll('[data-fc-list] li').length > 0")
        assert words.split(":")[0] in visit.page.locator("[data-fc-list]").inner_text().lower()
        assert visit.page.evaluate(FOREIGN) == []
        assert not visit.ran_foreign_script()
    targets = visit.page.evaluate("[...document.querySelectorAll('[data-fc-list] a')].map(one => one.protocol)")
    assert set(targets) == {"file:"}
    visit.check()
    visit.close()


@pytest.mark.parametrize(
    "hash_",
    [
        "#model=%3Cscript%3E",
        "#%3Cimg%20src=x%20onerror=alert(1)%3E",
        "#q=%3C/script%3E",
        "#%",
        "#constructor=__proto__",
    ],
)
@pytest.mark.parametrize(
    "name", ["index.html", "failures.html", "search.html", "compare/*-*.html", "attempts/*/*.html"]
)
def test_an_address_made_by_a_stranger_runs_nothing(browser: Browser, sample: Built, name: str, hash_: str) -> None:
    visit = Visit(browser)
    visit.open(sample.one(name), hash_)
    assert visit.page.evaluate(FOREIGN) == []
    visit.check()
    assert visit.violations() == []
    visit.close()


def test_the_data_scripts_hold_no_letter_that_ends_a_script(hostile: Built) -> None:
    scripts = [path for path in hostile.output.rglob("*.js") if path.parent.name != "fcbench"]
    assert scripts
    for path in scripts:
        text = path.read_text("utf-8")
        assert not any(letter in text for letter in "<>&\u2028\u2029"), path


def test_every_file_lies_where_its_slug_says(hostile: Built) -> None:
    """A run id of `../../<script>` and cases named like paths stay inside the output, under plain names."""
    for path in hostile.output.rglob("*"):
        place = path.relative_to(hostile.output).as_posix()
        assert place.replace("/", "").replace(".", "").replace("-", "").replace("_", "").isalnum(), place
        assert path.resolve().is_relative_to(hostile.output.resolve())


def test_the_package_is_hostile_everywhere(tmp_path: Path) -> None:
    """The net under these tests: a string field that is added to a record later is poisoned without a change here."""
    header = make_package(tmp_path, "tiny", "tiny", CASES[:1], [passing(CASES[0], 1)]).header
    plain = to_plain(poisoned(header, ALL))
    kept = {key for key, value in plain.items() if isinstance(value, str) and value != ALL}
    assert kept <= TIES | {"purpose", "repeats_rule"}
    attempt = poisoned(passing(CASES[0], 1)[0], ALL)
    assert attempt.rounds[0].finish_reason == attempt.rounds[0].calls[0].raw_arguments == attempt.stop == ALL
    assert msgspec.json.decode(msgspec.json.encode(attempt), type=type(attempt)) == attempt

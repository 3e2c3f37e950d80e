"""Runs of one board against each other: pairs, cost, runs over time, and the page that compares two."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcbench.site.board_page import board_pages
from fcbench.site.chart_canvas import ChartHead
from fcbench.site.chart_scatter import Point, round_up, scatter_chart
from fcbench.site.compare_page import compare_pages
from fcbench.site.data import SiteData
from fcbench.site.load import load_site
from tests.site.browser import Visit
from tests.site.conftest import Built
from tests.site.sample_packages import CASES, make_package, no_call, passing

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CALLS = CASES[:5]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> SiteData:
    """One repeat of five cases: two runs pass all of them, a third none; the third is a later run of the first."""
    runs = tmp_path_factory.mktemp("compare")
    whole, nothing = [passing(case, 1) for case in CALLS], [no_call(case, 1) for case in CALLS]
    later = {"created_at": "2026-12-01T12:00:00.000Z"}
    make_package(runs, "one", "first", CALLS, whole)
    make_package(runs, "two", "second", CALLS, whole)
    make_package(runs, "three", "first", CALLS, nothing, header_changes=later)
    return load_site([runs])


def words(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", html))


def section(page: str, anchor: str) -> str:
    found = re.search(rf'<section class="fc-figure" aria-labelledby="{anchor}">.*?</section>', page, re.DOTALL)
    assert found, anchor
    return found.group()


def test_every_pair_is_tested_and_corrected(data: SiteData) -> None:
    found = {(one.first, one.second): one for one in data.boards[0].detail.pairs}
    assert len(found) == 3
    # Five cases all one way: twice one half to the power of five. Three pairs: the smallest p counts threefold.
    exact = 2 * 0.5**5
    for pair, one in found.items():
        assert one.p == pytest.approx(exact if "three" in pair else 1.0)
        assert one.p_holm == pytest.approx(3 * exact if "three" in pair else 1.0)
        assert not one.is_significant


def test_the_matrix_is_its_own_mirror(data: SiteData) -> None:
    found = section(next(board_pages(data)).body(), "pairs")
    cells = re.findall(r'<td class="fc-num"><span class="fc-value">([^<]*)</span></td>', found)
    assert sorted(cells) == sorted(["·"] * 3 + ["0.0"] * 2 + ["+100.0"] * 2 + ["−100.0"] * 2)
    assert 'href="../compare/' in found


def test_a_success_costs_the_tokens_of_failures_too_and_no_success_has_no_cost(data: SiteData) -> None:
    found = section(next(board_pages(data)).body(), "cost")
    # Each attempt counts 812 tokens in and 96 out.
    assert words(found).count(" 908 ") == 2
    assert "unknown" in found
    assert "tokens per success" in found
    # One dot and one letter for each of the two runs that have a success.
    assert len(re.findall(r'<path class="fc-f-bar"', found)) == 2


def test_a_later_run_names_the_cases_that_it_lost(data: SiteData) -> None:
    found = words(section(next(board_pages(data)).body(), "falls"))
    assert "100 % 0 %" in found
    assert "hypotheek-001, hypotheek-002, hypotheek-003, hypotheek-004, hypotheek-005 5 cases" in found


def test_the_data_of_a_comparison_holds_every_case_of_every_run(data: SiteData) -> None:
    _, pages, assets = compare_pages(data)
    assert len(pages) == len(assets) == 2
    text = assets[0].content.decode()
    plain = json.loads(text[text.index("]=") + 2 : text.rindex(";")])
    ids = [run["id"] for run in plain["runs"]]
    assert sorted(ids) == ["one", "three", "two"]
    for entry in plain["cases"]:
        passed = dict(zip(ids, entry[4][::2], strict=True))
        assert passed == {"one": 1, "two": 1, "three": 0}
        assert entry[4][1::2] == [1, 1, 1]
    assert {tuple(sorted((ids[one[0]], ids[one[1]]))) for one in plain["pairs"]} == {
        ("one", "three"),
        ("one", "two"),
        ("three", "two"),
    }


def test_a_board_with_one_run_has_nothing_to_compare(tmp_path: Path) -> None:
    make_package(tmp_path, "one", "tiny", CALLS[:1], [passing(CALLS[0], 1)])
    hub, pages, assets = compare_pages(load_site([tmp_path]))
    assert (pages, assets) == ((), ())
    assert "No board has two runs yet" in hub.body


@given(st.floats(min_value=1e-6, max_value=1e12))
def test_a_scale_ends_at_a_round_number_not_far_above(value: float) -> None:
    end = round_up(value)
    assert value <= end * (1 + 1e-6)
    assert end <= value * 2.5 * (1 + 1e-6)
    lead = end / 10 ** math.floor(math.log10(end) + 1e-9)
    assert min(abs(lead - step) for step in (1, 2, 5)) < 1e-6


POINTS = st.lists(
    st.builds(Point, letter=st.sampled_from("ABC"), x=st.floats(0, 1e9), y=st.floats(0, 1)), min_size=1, max_size=20
)


@settings(deadline=None, max_examples=40)
@given(POINTS)
def test_every_dot_lies_inside_the_plane(points: list[Point]) -> None:
    chart = str(scatter_chart(ChartHead(name="n", title="t", description="d"), points, "tokens"))
    starts = re.findall(r'<path class="fc-f-bar" d="M (\S+) (\S+) C', chart)
    assert len(starts) == len(points)
    for x, y in starts:
        assert 40 <= float(x) <= 345
        assert 5 <= float(y) <= 200


def test_two_runs_are_chosen_by_the_address(browser: Browser, sample: Built) -> None:
    page = sample.one("compare/*native*.html")
    visit = Visit(browser, page)
    visit.open(page, "#a=20261130-beta&b=20261130-null")
    visit.page.reload()
    said = visit.page.locator("[data-fc-said]").inner_text()
    # Four of five cases pass in all judged repeats of the one, none of the other.
    assert "first 80.0 %, second 0.0 %, difference \u221280.0 points over 5 call cases" in said
    assert "a control or an incomplete run is never ranked" in said
    assert visit.page.locator("[data-fc-flips=a] li").count() == 4
    visit.page.locator("[data-fc-run=b]").select_option(label=_label(visit, "alpha"))
    assert "20261130-alpha" in visit.page.url
    # One attempt of this run ended with the provider, so it is incomplete and unranked.
    assert "second 26.7 %" in visit.page.locator("[data-fc-said]").inner_text()
    assert "There is no test" in visit.page.locator("[data-fc-said]").inner_text()
    visit.check()
    visit.close()


def _label(visit: Visit, part: str) -> str:
    labels = visit.page.locator("[data-fc-run=b] option").all_inner_texts()
    return next(label for label in labels if part.casefold() in label.casefold())


def test_without_a_script_every_pair_can_be_read(browser: Browser, sample: Built) -> None:
    visit = Visit(browser, sample.one("compare/*native*.html"), script=False)
    assert visit.page.locator("#pairs").is_visible()
    assert visit.page.get_by_text("Choosing two runs needs JavaScript").is_visible()
    assert not visit.page.locator("[data-fc-compare]").is_visible()
    visit.close()

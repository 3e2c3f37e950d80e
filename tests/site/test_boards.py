"""Board pages: what stands on them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fcbench.engine.prices import Price, PriceList
from fcbench.site.board_page import board_pages
from fcbench.site.board_runs import board_runs
from fcbench.site.build import BuildOptions, build_site
from fcbench.site.load import load_site
from tests.site.conftest import SOURCES, Built, stub_of_documentation
from tests.site.sample_packages import CASES, make_package, passing, sample_runs, wrong_value


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The first board, with two runs of one model."""
    runs = tmp_path_factory.mktemp("boards")
    sample_runs(runs)
    changes = {"created_at": "2026-12-01T12:00:00.000Z"}
    judged = [made for number in (1, 2, 3) for made in (passing(CASES[0], number), wrong_value(CASES[1], number))]
    again = list(judged)
    again += [passing(case, number) for case in CASES[2:] for number in (1, 2, 3)]
    make_package(runs, "20261201-beta", "beta-mini", CASES, again, repeats=3, header_changes=changes)
    return next(board_pages(load_site([runs]))).body()


def section(page: str, anchor: str) -> str:
    found = re.search(rf'<section class="fc-figure" aria-labelledby="{anchor}">.*?</section>', page, re.DOTALL)
    assert found, anchor
    return found.group()


def test_every_chart_has_its_numbers_beside_it(page: str) -> None:
    charts = re.findall(r'<section class="fc-figure".*?</section>', page, re.DOTALL)
    assert sum("<svg" in one for one in charts) >= 6
    assert all("<table" in one for one in charts)
    names = re.findall(r'id="([^"]*)"', page)
    assert len(names) == len(set(names))


def test_a_model_with_two_runs_has_its_scores_over_time_oldest_first(page: str) -> None:
    dates = re.findall(r"[A-Z] (2026-1\d-\d\d)</a>", section(page, "history-1"))
    assert dates == ["2026-11-30", "2026-12-01"]
    assert "history-2" not in page


def test_the_reliability_says_how_many_cases_are_missing(page: str) -> None:
    text = section(page, "reliability")
    assert "✗ fails" in text
    assert re.search(r"\? cannot tell, \d+ more", text)


def test_cases_on_which_models_differ_stand_first_and_lead_to_their_pages(page: str) -> None:
    rows = re.findall(r'<a href="\.\./cases/(hypotheek-\d+)\.html">', section(page, "cases"))
    assert sorted(rows) == [case.id for case in CASES]
    assert rows[-1] == "hypotheek-001"


def test_the_leaderboard_leads_to_each_board(sample: Built) -> None:
    page = (sample.output / "index.html").read_text()
    for path in sample.output.glob("boards/*.html"):
        # A number leads to its own place on the page of numbers, a board to its page's beginning.
        ending = "#" if path.name.endswith("-numbers.html") else '"'
        assert f'href="boards/{path.name}{ending}' in page


def test_runs_go_by_letters(tmp_path: Path) -> None:
    for number in range(28):
        make_package(tmp_path, f"run-{number:02}", f"model-{number:02}", CASES[:1], [passing(CASES[0], 1)])
    runs = board_runs(load_site([tmp_path]).boards[0])
    assert [run.letter for run in (runs.every[0], runs.every[25], runs.every[26], runs.every[27])] == [
        "A",
        "Z",
        "AA",
        "AB",
    ]
    assert (len(runs.series), len(runs.columns), runs.are_cut) == (6, 12, True)


def test_a_price_list_gives_the_boards_their_costs(plugin: None, tmp_path: Path) -> None:
    made = [passing(CASES[0], 1), passing(CASES[1], 1)]
    package = make_package(tmp_path / "runs", "tiny", "tiny", CASES[:2], made)
    provider = package.header.provider
    price = (Price(input=1000, output=2000, valid_from="2020-01-01"),)
    prices = PriceList(date="2026-12-01", currency="XTS", models={f"{provider.provider}:{provider.model}": price})
    docs = stub_of_documentation(tmp_path / "docs")

    def shown(known: PriceList | None) -> bool:
        options = BuildOptions(docs=docs, prices=known)
        build_site(SOURCES, [tmp_path / "runs"], tmp_path / "out", tmp_path / "cache", options)
        return any("XTS" in page.read_text() for page in (tmp_path / "out" / "boards").glob("*.html"))

    assert not shown(None)
    assert shown(prices)

"""Model pages: profile, figures of the newest run, worst schemas, flaky cases."""

from __future__ import annotations

import re

import pytest

from fcbench.site.load import load_site
from fcbench.site.model_page import model_pages
from tests.site.sample_packages import CASES, make_package, passing, sample_runs, wrong_value


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The pages of the sample's models; one of them has a later run on the same boards."""
    runs = tmp_path_factory.mktemp("models")
    sample_runs(runs)
    changes = {"created_at": "2026-12-01T12:00:00.000Z"}
    judged = [passing(case, number) for case in CASES for number in (1, 2, 3) if case.oracle.decision == "call"]
    judged = [made for made in judged if made[0].task_id != CASES[1].id]
    judged += [wrong_value(CASES[1], 1), passing(CASES[1], 2), wrong_value(CASES[1], 3)]
    make_package(runs, "20261201-beta", "beta-mini", CASES, judged, repeats=3, header_changes=changes)
    return {page.path: page.body() for page in model_pages(load_site([runs]))}


def section(page: str, anchor: str) -> str:
    found = re.search(rf'<section class="fc-figure" aria-labelledby="{anchor}">.*?</section>', page, re.DOTALL)
    assert found, anchor
    return found.group()


def words(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", html))


def test_every_standing_is_a_line_and_no_id_stands_twice(pages: dict[str, str]) -> None:
    page = pages["models/beta-mini.html"]
    profile = page[page.index('id="profile"') : page.index("</section>")]
    assert profile.count("<tr>") == 1 + 2 * 2
    names = re.findall(r'id="([^"]*)"', page)
    assert len(names) == len(set(names))


def test_only_the_newest_run_of_a_board_has_figures(pages: dict[str, str]) -> None:
    page = pages["models/beta-mini.html"]
    assert page.index("2026-12-01") < page.index('id="run-2"')
    assert 'id="run-1-dimensions"' in page
    assert 'id="run-2-dimensions"' not in page
    assert "A later run of this model stands on the same board" in page[page.index('id="run-2"') :]


def test_a_case_whose_repeats_disagree_is_flaky(pages: dict[str, str]) -> None:
    text = words(section(pages["models/beta-mini.html"], "run-1-flaky"))
    assert "1 of 5 cases" in text
    assert "hypotheek-002 1 of 3" in text


def test_the_worst_schema_has_its_shares_and_an_example(pages: dict[str, str]) -> None:
    found = section(pages["models/beta-mini.html"], "run-1-schemas")
    # 15 attempts of cases that expect the tool; two fail at their values and at an enum.
    assert "86.7 % 13 of 15" in words(found)
    assert re.search(r'href="\.\./attempts/20261201-beta[^"]*/hypotheek-002-r1\.html"', found)
    assert re.search(r'href="\.\./tools/verwerk', found)


def test_numbers_are_those_of_this_run_alone(pages: dict[str, str]) -> None:
    alpha = section(pages[next(path for path in pages if "alpha" in path)], "run-1-dimensions")
    # 15 attempts of call cases: three pass and one wrong tool passes once; the others fail.
    assert "26.7 % 4 of 15" in words(alpha)


def test_a_control_says_so(pages: dict[str, str]) -> None:
    assert "control, unranked" in pages["models/control-null.html"]

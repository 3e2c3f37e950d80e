"""The leaderboard: order, ranks, controls, downloads, and the page of numbers behind it."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from fcbench.aggregate.boards import boards
from fcbench.aggregate.frames import Scored, latest_verdicts, verdict_frame
from fcbench.aggregate.tables import board_table
from fcbench.packages.store import find_packages, open_package
from fcbench.site.data import SiteData
from fcbench.site.leaderboard import leaderboard
from fcbench.site.load import load_site
from fcbench.site.numbers_page import numbers_pages
from fcbench.site.slugs import slug
from tests.site.sample_packages import (
    CASES,
    call_not_due,
    make_package,
    no_call,
    passing,
    sample_runs,
    text_reply,
    wrong_value,
)


def good(count: int) -> list[Any]:
    """Judged attempts of which the first `count` call cases pass."""
    return [passing(case, 1) if number < count else no_call(case, 1) for number, case in enumerate(CASES[:5])]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample packages, and a steered run."""
    folder = tmp_path_factory.mktemp("leaderboard")
    sample_runs(folder)
    make_package(folder, "steered", "tiny", CASES[:1], [passing(CASES[0], 1)], mode="oracle-assisted")
    return folder


@pytest.fixture(scope="module")
def data(runs: Path) -> SiteData:
    """What the site shows of them."""
    return load_site([runs])


def sections(page: str) -> list[str]:
    return re.findall(r'<section class="fc-board.*?</section>', page, re.DOTALL)


def cells(row: str) -> list[str]:
    return [
        " ".join(re.sub(r"<[^>]*>", " ", cell).split()) for cell in re.findall(r"<t[dh].*?</t[dh]>", row, re.DOTALL)
    ]


def rows(section: str) -> dict[str, list[str]]:
    """Cells of each run, by model."""
    found = {}
    for row in re.findall(r"<tr(?: data-fc-part)?>\n.*?</tr>", section.partition("</thead>")[2], re.DOTALL):
        name = re.search(r'class="fc-model"><a href="[^"]*">(.*?)</a>', row)
        assert name
        found[name.group(1)] = cells(row)
    return found


def test_headline_boards_come_first_and_steered_ones_last(data: SiteData) -> None:
    page = leaderboard(data)[0].body
    names = [re.sub(r"<[^>]*>", "", found) for found in re.findall(r"<h2[^>]*>(.*?)</h2>", page, re.DOTALL)]
    assert names[:4] == [
        "complex-schema-nl native function contract headline board",
        "complex-schema-nl task completion contract",
        "complex-schema-nl native function contract steered",
        "complex-schema-nl task completion contract steered",
    ]
    assert ["<strong>Steered.</strong>" in one for one in sections(page)] == [False, False, True, True]
    assert ["<details" in one for one in sections(page)] == [False, True, True, True]


def test_restraint_stands_beside_the_control_that_does_nothing(data: SiteData) -> None:
    first, *_, last = sections(leaderboard(data)[0].body)
    assert re.search(r"Restraint accuracy<span[^>]*>null control: 100.0 %</span>", first)
    assert "null control" not in last


def test_every_rate_stands_with_numerator_and_denominator(data: SiteData) -> None:
    found = rows(sections(leaderboard(data)[0].body)[0])
    assert found["Example/Alpha-8B-Instruct"][3].startswith("26.7 % 1.33 of 5, ")
    assert found["beta-mini"][3].startswith("80.0 % 4 of 5, ")
    for line in found.values():
        for cell in line[3:-1]:
            assert cell == "–" or " of " in cell, line


def test_a_rank_that_the_tests_leave_open_is_an_interval(tmp_path: Path) -> None:
    make_package(tmp_path, "better", "better", CASES[:5], good(4))
    make_package(tmp_path, "worse", "worse", CASES[:5], good(3))
    found = rows(sections(leaderboard(load_site([tmp_path]))[0].body)[0])
    assert found["better"][1] == "1–2 place 1"
    assert found["worse"][1] == "1–2 place 2"


def test_a_board_of_one_run_offers_no_comparison(tmp_path: Path) -> None:
    make_package(tmp_path, "only", "only", CASES[:1], [passing(CASES[0], 1)])
    page = leaderboard(load_site([tmp_path]))[0].body
    assert "fc-pick" not in page
    assert "compare/" not in page


def test_an_incomplete_run_shows_its_bounds_and_no_rank(tmp_path: Path) -> None:
    make_package(tmp_path, "part", "part", CASES[:2], [passing(CASES[0], 1)])
    found = rows(sections(leaderboard(load_site([tmp_path]))[0].body)[0])
    assert found["part"][0] == "unranked"
    assert "incomplete: 50.0–100.0 % possible" in found["part"][1]


def test_the_three_downloads_are_the_table_of_the_board(data: SiteData, runs: Path) -> None:
    packages = [open_package(folder) for folder in sorted(find_packages(runs))]
    scored = [Scored(package=one, verdicts=path) for one in packages if (path := latest_verdicts(one))]
    tables = {key.slug: board_table(frame) for key, frame in boards(verdict_frame(scored)).items()}
    _, assets = leaderboard(data)
    content = {asset.path: asset.content for asset in assets}
    assert len(content) == 3 * len(tables)
    for key, table in tables.items():
        place = f"boards/{slug(key)}"
        assert_frame_equal(pl.read_parquet(io.BytesIO(content[f"{place}.parquet"])), table)
        plain = json.loads(content[f"{place}.json"])
        assert plain["rows"] == table.to_dicts()
        lines = list(csv.DictReader(io.StringIO(content[f"{place}.csv"].decode())))
        assert [line["model"] for line in lines] == table["model"].to_list()
        assert [line["strict_n"] for line in lines] == [str(n) for n in table["strict_n"]]
        assert list(lines[0]) == table.columns


def test_the_same_packages_give_the_same_bytes(data: SiteData, runs: Path) -> None:
    first, second = leaderboard(data), leaderboard(load_site([runs]))
    assert first == second


def test_the_page_of_numbers_has_every_number_of_every_run(data: SiteData) -> None:
    page = next(iter(numbers_pages(data))).body()
    ids = re.findall(r'<h2 id="(run-[^"]*)"', page)
    assert sorted(ids) == ["run-20261130-alpha", "run-20261130-beta", "run-20261130-null"]
    strict = re.search(r"run-20261130-alpha-table.*?(<tr><th[^>]*>Strict accuracy.*?</tr>)", page, re.DOTALL)
    assert strict
    assert cells(strict.group(1))[:4] == ["Strict accuracy", "26.7 %", "1.33", "5"]


def test_each_run_of_the_leaderboard_leads_to_its_numbers(data: SiteData) -> None:
    page = leaderboard(data)[0].body
    numbers = {one.path: one.body() for one in numbers_pages(data)}
    links = re.findall(r'href="(boards/[^"]*-numbers\.html)#([^"]*)"', page)
    assert len(links) == 2 * (3 + 3 + 1 + 1)
    for path, anchor in links:
        assert f'id="{anchor}"' in numbers[path]


def test_a_text_that_a_spreadsheet_would_run_is_only_text(tmp_path: Path) -> None:
    for number, name in enumerate(("=1+1", "+x", "-x", "@x", "\tx", "\rx")):
        make_package(tmp_path, f"r{number}", name, CASES[:1], [passing(CASES[0], 1)])
    _, assets = leaderboard(load_site([tmp_path]))
    table = next(asset.content for asset in assets if asset.path.endswith(".csv")).decode()
    for line in csv.DictReader(io.StringIO(table)):
        assert line["model"][0] not in "=+-@\t\r\n"


def test_restraint_alone_makes_no_percentage_of_calls(tmp_path: Path) -> None:
    judged = [wrong_value(CASES[1], 1), text_reply(CASES[5], 1)]
    make_package(tmp_path, "quiet", "quiet", [CASES[1], CASES[5]], judged)
    make_package(tmp_path, "loud", "loud", [CASES[1], CASES[5]], [passing(CASES[1], 1), call_not_due(CASES[5], 1)])
    found = rows(sections(leaderboard(load_site([tmp_path]))[0].body)[0])
    heads = re.findall(r'data-fc-name="(\w+)"', leaderboard(load_site([tmp_path]))[0].body)
    place = heads[: heads.index("run")].index("restraint_accuracy")
    assert found["quiet"][place].startswith("100.0 % 1 of 1")
    assert found["loud"][place].startswith("0.0 % 0 of 1")

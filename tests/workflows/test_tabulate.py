"""Tables of packages, opened one after the other, and the forms in which they are written."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import get_args

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from polars.testing import assert_frame_equal

from fcbench.aggregate.boards import boards
from fcbench.aggregate.frames import verdict_frame
from fcbench.aggregate.streamed import BoardStreams
from fcbench.aggregate.tables import BOARD_SCHEMA, Segment, board_table, segment_table
from fcbench.core.visible import MAX_CELL, markdown_cell, visible
from fcbench.engine.prices import Price, PriceList
from fcbench.errors import PackageError, UsageError
from fcbench.workflows.board_columns import GROUPS, columns_of
from fcbench.workflows.boards import each_scored, scored_below
from fcbench.workflows.markdown_tables import markdown_table
from fcbench.workflows.tabulate import By, tabulate
from tests.aggregate.tiny_runs import attempt_of, call_case, restraint_case, sealed

PRICES = PriceList(date="2026-05-01", currency="EUR", models={"scripted:model-a": Price(input=10.0, output=50.0)})
HOSTILE = "=1|2</td><img src=x> [a](http://b.c) `x` *y*"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four runs on two boards at two tiers each: repeats, a restraint case, a missing attempt, a control, two runs of
    one model, and a model with a name that means harm."""
    folder = tmp_path_factory.mktemp("runs")
    cases = [call_case("t-1"), call_case("t-2", category="alignment"), restraint_case("r-1")]
    right, wrong = {"start": 1}, {"start": 2}

    def attempts(*told: tuple[str, int, dict[str, int] | None]):
        return [attempt_of(case, repeat, arguments=arguments, text="No.") for case, repeat, arguments in told]

    whole = attempts(
        ("t-1", 1, right), ("t-1", 2, wrong), ("t-2", 1, right), ("t-2", 2, right), ("r-1", 1, None), ("r-1", 2, wrong)
    )
    sealed(folder, cases, whole, run_id="run-a", repeats=2)
    sealed(folder, cases, attempts(("t-1", 1, right), ("r-1", 1, None)), run_id="run-b", repeats=2)
    sealed(folder, cases, whole, run_id="run-c", model="null", control=True, repeats=2)
    sealed(folder, cases[:1], attempts(("t-1", 1, wrong)), run_id="run-d", model=HOSTILE)
    return folder


@pytest.mark.parametrize("by", get_args(By))
def test_tables_of_packages_one_by_one_equal_those_of_all_rows_at_once(runs: Path, by: By) -> None:
    whole = boards(verdict_frame(scored_below(runs)))
    told = tabulate(runs, by=by, prices=PRICES).boards
    assert [one.key for one in told] == list(whole)
    assert len(told) == 4
    for one in told:
        frame = whole[one.key]
        segment = "fault_kind" if by == "fault" else by
        assert_frame_equal(one.frame, board_table(frame, PRICES) if by == "board" else segment_table(frame, segment))


@pytest.mark.parametrize("rows_at_once", [1, 5, 10**6])
def test_it_does_not_matter_how_many_rows_are_held(runs: Path, rows_at_once: int) -> None:
    streams = BoardStreams(get_args(Segment), rows_at_once=rows_at_once)
    whole = boards(verdict_frame(scored_below(runs)))
    for one in scored_below(runs):
        for key, frame in boards(verdict_frame([one])).items():
            streams.add(key, frame)
    for key, stream in streams.streams().items():
        assert_frame_equal(stream.board(), board_table(whole[key]))
        for name in get_args(Segment):
            assert_frame_equal(stream.segment(name), segment_table(whole[key], name))


def test_a_package_is_opened_when_it_is_asked_for(runs: Path, tmp_path: Path) -> None:
    for number, package in enumerate(sorted(path.parent for path in runs.rglob("manifest.json"))[:2]):
        copy = tmp_path / f"{number}"
        copy.mkdir()
        for path in package.iterdir():
            (copy / path.name).write_bytes(path.read_bytes())
    (tmp_path / "1" / "attempts.jsonl").write_bytes(b"")
    packages = each_scored(tmp_path)
    assert next(packages).package.folder.name == "0"
    with pytest.raises(PackageError):
        next(packages)
    with pytest.raises(PackageError):
        tabulate(tmp_path)


def test_a_run_that_lies_there_twice_is_refused(runs: Path, tmp_path: Path) -> None:
    package = next(path.parent for path in sorted(runs.rglob("manifest.json")))
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        for path in package.iterdir():
            (tmp_path / name / path.name).write_bytes(path.read_bytes())
    with pytest.raises(PackageError, match="twice"):
        tabulate(tmp_path)


def test_what_fits_nothing_says_what_is_there(runs: Path) -> None:
    with pytest.raises(UsageError, match="no board fits") as caught:
        tabulate(runs, collection="elsewhere")
    assert "tiny at native-function-contract" in str(caught.value.wanted)


def test_the_groups_of_columns_show_every_number_of_a_board() -> None:
    seen: set[str] = set()

    class Watched(dict[str, object]):
        def __getitem__(self, key: str) -> object:
            seen.add(key)
            return super().__getitem__(key)

    samples = {pl.Boolean: False, pl.String: "x", pl.List: ["x"], pl.Float64: 0.5, pl.Int32: 2, pl.Int64: 2}
    row = Watched({name: samples[type(kind)] for name, kind in BOARD_SCHEMA.items()})
    for group in GROUPS:
        head, cells = columns_of(group, [row])
        assert [len(line) for line in cells] == [len(head)]
    assert set(BOARD_SCHEMA) - seen == set()


def test_incomplete_runs_show_their_bounds_and_several_runs_their_place(runs: Path) -> None:
    text = tabulate(runs, collection="tiny", tier="native-function-contract").text()
    assert "strict if all else failed / passed" in text
    assert "model-a (run 1 of 2, 2026-05-04)" in text
    (line,) = (line for line in text.splitlines() if "run 2 of 2" in line)
    assert "not ranked" in line
    assert "25.0 % to 100.0 %" in line


def test_a_summary_has_costs_only_where_there_are_prices(runs: Path) -> None:
    assert "cost a success" not in tabulate(runs).text()
    text = tabulate(runs, prices=PRICES).text()
    assert "EUR" in text
    assert "unknown" in text, "the control has no price"


def test_files_hold_every_column_in_each_form(runs: Path, tmp_path: Path) -> None:
    tables = tabulate(runs, tier="native-function-contract", prices=PRICES)
    read = {
        "csv": lambda path: pl.read_csv(path).columns,
        "parquet": lambda path: pl.read_parquet(path).columns,
        "json": lambda path: list(json.loads(path.read_text())[0]),
    }
    for form, columns in read.items():
        for path in tables.write(tmp_path, form):
            assert columns(path) == BOARD_SCHEMA.names()


def test_a_spreadsheet_runs_no_formula(runs: Path, tmp_path: Path) -> None:
    paths = tabulate(runs, tier="native-function-contract").write(tmp_path, "csv")
    models = [model for path in paths for model in pl.read_csv(path)["model"].to_list()]
    assert f"'{HOSTILE}" in models
    assert HOSTILE not in models


class _Cells(HTMLParser):
    """The texts of a table's cells, and every tag."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: set[str] = set()
        self._cell: str | None = None

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self._cell = ""

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self.rows[-1].append(self._cell or "")
            self._cell = None

    def handle_data(self, data: str) -> None:
        if self._cell is not None:
            self._cell += data


def rendered(markdown: str) -> _Cells:
    found = _Cells()
    found.feed(MarkdownIt("gfm-like", {"html": True}).disable("linkify").render(markdown))
    return found


@given(st.lists(st.lists(st.text(max_size=40), min_size=3, max_size=3), min_size=1, max_size=4))
def test_whatever_a_cell_holds_a_reader_sees_it_as_text(rows: list[list[str]]) -> None:
    found = rendered("\n".join(markdown_table(["a", "b", "c"], rows)))
    wanted = [[" ".join(visible(cell).split()) for cell in row] for row in rows]
    assert found.rows == [["a", "b", "c"], *wanted]
    assert found.tags == {"table", "thead", "tbody", "tr", "th", "td"}


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        pytest.param("qwen2.5-coder-1.5b", "qwen2.5-coder-1.5b", id="a-name-stays-readable"),
        pytest.param("20.0 % (8.9 % to 39.1 %)", "20.0 % (8.9 % to 39.1 %)", id="figures-stay"),
        pytest.param("-", "-", id="a-hyphen-alone"),
        pytest.param("2026-05-01 10:30; f: 2", "2026-05-01 10:30; f: 2", id="times-and-lists-stay"),
        pytest.param("http://b :smile: &amp;", "http&#58;//b &#58;smile: &#38;amp;", id="no-link-no-picture-no-entity"),
        pytest.param("It fails. Again.", "It fails. Again.", id="sentences-stay"),
        pytest.param("1. one", "1&#46; one", id="no-list"),
        pytest.param("a|b", "a&#124;b", id="a-pipe"),
        pytest.param("a\nb", "a b", id="a-line-break"),
        pytest.param("<b>", "&#60;b&#62;", id="html"),
        pytest.param("www.evil.example", "www&#46;evil&#46;example", id="no-address-becomes-a-link"),
        pytest.param("a@b.c", "a&#64;b&#46;c", id="no-mail-address-either"),
        pytest.param("\x1b[31m", "&#92;u001b&#91;31m", id="a-terminal-escape"),
        pytest.param("naïve 日本", "naïve 日本", id="letters-stay"),
    ],
)
def test_only_what_could_be_obeyed_is_replaced(text: str, cell: str) -> None:
    assert markdown_cell(text) == cell


def test_a_long_text_is_cut() -> None:
    assert markdown_cell("a" * 10_000) == "a" * (MAX_CELL - 1) + "…"


def test_markdown_holds_the_whole_key_and_every_group(runs: Path) -> None:
    tables = tabulate(runs, tier="native-function-contract", prices=PRICES)
    markdown = tables.markdown()
    found = rendered(markdown)
    assert "img" not in found.tags
    assert "a" not in found.tags
    key = tables.boards[0].key
    assert str(key.run.task_hash) in markdown
    assert str(key.oracle_hash) in markdown
    assert "calls where none is due | rounds |" in markdown
    assert [line[4:] for line in markdown.splitlines() if line.startswith("### ")][: len(GROUPS)] == [
        group.capitalize() for group in GROUPS
    ]
    assert any(HOSTILE in row for row in found.rows)

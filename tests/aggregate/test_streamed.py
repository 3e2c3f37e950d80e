"""Tables made in one pass over the packages are the tables made from all rows at once."""

from __future__ import annotations

from typing import get_args

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from fcbench.aggregate.frames import FRAME_SCHEMA
from fcbench.aggregate.streamed import board_tables
from fcbench.aggregate.tables import Segment, board_table, segment_table
from fcbench.errors import BadInputError, MixedBoardsError
from tests.benchmarks.aggregate_rows import write_packages


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Six synthetic packages; some attempts were not judged, cases bear several traps."""
    folder = tmp_path_factory.mktemp("packages")
    return [str(path) for path in write_packages(folder, packages=6, rows=1200)]


@pytest.mark.parametrize(
    "rows_at_once",
    [pytest.param(1, id="package-by-package"), pytest.param(450, id="by-threes"), pytest.param(10**6, id="at-once")],
)
def test_every_table_in_one_pass_equals_the_table_over_all_rows(packages, rows_at_once):
    whole = pl.read_parquet(packages)
    tables = board_tables((pl.scan_parquet(path) for path in packages), rows_at_once=rows_at_once)
    assert set(tables) == {"board", *get_args(Segment)}
    assert_frame_equal(tables.pop("board"), board_table(whole))
    for name, table in tables.items():
        assert table.height > 1
        assert_frame_equal(table, segment_table(whole, name))


def test_only_the_segments_that_are_asked_for_are_made(packages):
    assert set(board_tables((pl.scan_parquet(path) for path in packages), ["trap"])) == {"board", "trap"}


def test_runs_of_two_boards_are_refused(packages):
    other = pl.scan_parquet(packages[1]).with_columns(pl.lit("all", FRAME_SCHEMA["retrieval"]).alias("retrieval"))
    with pytest.raises(MixedBoardsError) as caught:
        board_tables([pl.scan_parquet(packages[0]), other])
    assert "lexical:24 and all" in str(caught.value.found)


def test_a_run_in_two_frames_is_refused(packages):
    with pytest.raises(BadInputError, match="two frames"):
        board_tables([pl.scan_parquet(packages[0]), pl.scan_parquet(packages[0])], rows_at_once=1)


def test_no_run_is_no_board():
    with pytest.raises(BadInputError, match="no row"):
        board_tables([])

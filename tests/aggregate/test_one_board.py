"""No number is ever made of rows of two boards (PROTOCOL 1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

import polars as pl
import pytest

from fcbench.aggregate import gate
from fcbench.aggregate.boards import boards, single_board
from fcbench.aggregate.contrast import axis_contrast
from fcbench.aggregate.disputed import both_scores
from fcbench.aggregate.frames import BOARD_COLUMNS
from fcbench.aggregate.language import language_contrast
from fcbench.aggregate.reliability import reliability_table, repair_table
from fcbench.aggregate.streamed import BoardStream, board_tables
from fcbench.aggregate.tables import Segment, board_table, fault_table, segment_table
from fcbench.aggregate.trend import regressions, trend_table
from fcbench.core.boards import BoardKey, RunKey
from fcbench.errors import MixedBoardsError
from tests.aggregate.test_tables import rows

PROTOCOL_KEY = """collection task_hash oracle_hash registry_hash fixture_hash prompt_hash harness harness_mode
retrieval decoding tier evaluator_version"""
"""As section 1 of the protocol lists it."""


def streamed(frame: pl.DataFrame) -> None:
    stream = BoardStream()
    stream.add(frame)
    stream.board()


TAKE_ONE: list[tuple[str, Callable[[pl.DataFrame], object]]] = [
    ("single_board", single_board),
    ("board_table", board_table),
    *((f"segment_table {name}", lambda frame, name=name: segment_table(frame, name)) for name in get_args(Segment)),
    ("fault_table", fault_table),
    ("board_tables", lambda frame: board_tables([frame.lazy()])),
    ("BoardStream", streamed),
    ("both_scores", lambda frame: both_scores(frame, ["t-1"])),
    ("reliability_table", lambda frame: reliability_table(frame, "level")),
    ("repair_table", lambda frame: repair_table(frame, "all")),
    ("trend_table", trend_table),
    ("regressions", regressions),
    ("axis_contrast, first", lambda frame: axis_contrast(frame, rows({}), "decoding")),
    ("axis_contrast, second", lambda frame: axis_contrast(rows({}), frame, "decoding")),
    ("language_contrast", lambda frame: language_contrast(rows({}), frame)),
    ("gate.share", lambda frame: gate.share(frame, "strict")),
    ("gate.completion", gate.completion),
    ("gate.latency", lambda frame: gate.latency(frame, "latency-p95")),
    ("gate.claimed", lambda frame: gate.claimed(frame, "strict", 0.9)),
    ("gate.fall", lambda frame: gate.fall(rows({}), frame, "strict", 0.05)),
    ("gate.passes", gate.passes),
]


def other(column: str) -> pl.DataFrame:
    """A row of a board and a row of another that differs in this part alone, of another run."""
    value: object = 2 if column == "evaluator_version" else f"another {column}"
    return rows({}, {"run_id": "run-b", column: value})


@pytest.mark.parametrize("take", [pytest.param(function, id=name) for name, function in TAKE_ONE])
def test_every_function_refuses_rows_of_two_boards(take: Callable[[pl.DataFrame], object]) -> None:
    with pytest.raises(MixedBoardsError) as caught:
        take(other("retrieval"))
    assert "retrieval given and another retrieval" in str(caught.value.found)


@pytest.mark.parametrize("column", BOARD_COLUMNS)
def test_each_part_of_the_key_alone_makes_another_board(column: str) -> None:
    with pytest.raises(MixedBoardsError) as caught:
        board_table(other(column))
    assert caught.value.found.startswith(column)
    if column not in ("harness", "harness_mode", "tier") and not column.endswith("_hash"):
        assert len(boards(other(column))) == 2


def test_the_key_is_the_one_of_the_protocol() -> None:
    assert set(PROTOCOL_KEY.split()) == set(BOARD_COLUMNS)
    assert set(BoardKey.__struct_fields__) - {"run"} | set(RunKey.__struct_fields__) == set(BOARD_COLUMNS)


@pytest.mark.parametrize(
    "attribute",
    [
        {"repeats": 3},
        {"badges": "temperature 0.7; quantisation Q4_K_M"},
        {"provider": "elsewhere"},
        {"model": "another"},
        {"harness_assistance": "step count not disclosed; rounds: 20"},
        {"created_at": "2027-01-01T00:00:00.000Z"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_an_attribute_of_a_row_makes_no_other_board(attribute: dict[str, object]) -> None:
    assert board_table(rows({}, {"run_id": "run-b", **attribute})).height == 2


def test_a_program_that_pools_by_hand_is_stopped() -> None:
    one, two = boards(other("retrieval")).values()
    with pytest.raises(MixedBoardsError):
        board_table(pl.concat([one, two]))

"""The reliability boundary and the repair curve, from hand-made rows."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcbench.aggregate.intervals import lower_bound, upper_bound
from fcbench.aggregate.reliability import reliability_table, repair_table, standing
from fcbench.errors import MixedBoardsError
from tests.aggregate.test_tables import UNJUDGED, rows


@pytest.mark.parametrize(
    ("failed", "cases", "threshold", "told"),
    [
        pytest.param(0, 299, 0.99, ("meets", 0), id="the figure of the protocol"),
        pytest.param(0, 298, 0.99, ("cannot tell", 1), id="one case short"),
        pytest.param(1, 299, 0.99, ("cannot tell", 473 - 299), id="one failure costs 174 more"),
        pytest.param(0, 59, 0.95, ("meets", 0), id="59 for 95 %"),
        pytest.param(0, 0, 0.99, ("cannot tell", 299), id="no case at all"),
        pytest.param(5, 40, 0.99, ("fails", 0), id="too many failures"),
    ],
)
def test_a_threshold_is_met_missed_or_open(failed: int, cases: int, threshold: float, told: tuple[str, int]) -> None:
    assert standing(failed, cases, threshold) == told


@given(st.integers(1, 120), st.data())
def test_the_cases_that_are_still_needed_are_just_enough(cases: int, data: st.DataObject) -> None:
    failed = data.draw(st.integers(0, cases))
    word, more = standing(failed, cases, 0.9)
    if word == "cannot tell":
        assert standing(failed, cases + more, 0.9) == ("meets", 0)
        assert standing(failed, cases + more - 1, 0.9)[0] == "cannot tell"
    else:
        assert more == 0
        assert (lower_bound(cases - failed, cases) >= 0.9) == (word == "meets")
        assert (upper_bound(cases - failed, cases) < 0.9) == (word == "fails")


def frame() -> pl.DataFrame:
    """Four cases of two repeats: one holds, one differs, one never conforms, one is half open; and a restraint case."""
    return rows(
        *({"task_id": "t-1", "repeat": repeat, "level": "L1"} for repeat in (1, 2)),
        {"task_id": "t-2", "repeat": 1, "level": "L4"},
        {"task_id": "t-2", "repeat": 2, "level": "L4", "schema_conformance": False, "exact_match": False},
        *(
            {"task_id": "t-3", "repeat": repeat, "level": "L4", "schema_conformance": None, "exact_match": False}
            for repeat in (1, 2)
        ),
        {"task_id": "t-4", "repeat": 1, "level": "L4"},
        {"task_id": "t-4", "repeat": 2, "level": "L4", "outcome": "provider_error", **UNJUDGED},
        {"task_id": "r-1", "repeat": 1, "level": "L4", "decision": "ask", "schema_conformance": None},
    )


def test_a_case_fails_if_any_repeat_fails_and_an_open_case_stands_in_no_rate() -> None:
    table = reliability_table(frame(), "level", threshold=0.5)
    columns = ["segment", "cases", "failed", "open", "unstable", "rate", "standing"]
    assert table.select(columns).rows() == [
        ("L1", 1, 0, 0, 0, 1.0, "cannot tell"),
        ("L4", 2, 2, 1, 1, 0.0, "cannot tell"),
    ]
    assert table["unstable_cases"].to_list() == [[], ["t-2"]]
    assert table["claim"].to_list() == [pytest.approx(0.05), 0.0]
    assert table["ceiling"].to_list() == [1.0, pytest.approx(1 - 0.05**0.5)]
    assert table["more_cases"].to_list() == [4, 11 - 2]


def test_without_segments_all_cases_stand_together() -> None:
    assert reliability_table(frame(), "all").select("segment", "cases", "failed").rows() == [("all", 3, 2)]
    assert reliability_table(frame(), "schema").select("segment").rows() == [("(none)",)]


def test_a_case_whose_open_repeat_cannot_save_it_has_failed() -> None:
    lost = rows({"repeat": 1, "schema_conformance": False}, {"repeat": 2, "outcome": "provider_error", **UNJUDGED})
    assert reliability_table(lost, "all").select("cases", "failed", "open").rows() == [(1, 1, 0)]


def test_another_measure_asks_for_more() -> None:
    wrong = rows({"task_id": "t-1", "exact_match": False}, {"task_id": "t-2"})
    assert reliability_table(wrong, "all")["failed"].to_list() == [0]
    assert reliability_table(wrong, "all", measure="exact-match")["failed"].to_list() == [1]
    assert reliability_table(rows({"passed": False}), "all", measure="pass")["failed"].to_list() == [1]


def test_the_repair_curve_counts_replies_and_what_was_paid_up_to_there() -> None:
    single = {"single_call": True}
    told = rows(
        {"task_id": "t-1", "conforming_replies": [True], "reply_tokens": [100], **single},
        {"task_id": "t-2", "conforming_replies": [False, True], "reply_tokens": [120, 300], **single},
        {"task_id": "t-3", "conforming_replies": [False, False, False], "reply_tokens": [80, 200, 400], **single},
        {"task_id": "t-4", "conforming_replies": [], "reply_tokens": [50], **single},
    )
    columns = ["error_replies", "cases", "failed", "conforming", "tokens", "tokens_per_success"]
    assert repair_table(told, "all").select(columns).rows() == [
        (0, 4, 3, 1, 350, 350.0),
        (1, 4, 2, 2, 650, 325.0),
        (2, 4, 2, 2, 850, 425.0),
    ]


def test_tokens_that_nobody_counted_stay_unknown_and_no_success_has_no_price() -> None:
    silent = rows({"single_call": True, "conforming_replies": [True], "reply_tokens": [None]})
    assert repair_table(silent, "all").select("tokens", "tokens_per_success").rows() == [(None, None)] * 3
    lost = rows({"single_call": True, "conforming_replies": [False], "reply_tokens": [90]})
    assert repair_table(lost, "all").select("tokens", "tokens_per_success").rows() == [(90, None)] * 3


def test_tasks_of_several_calls_have_no_repair_curve() -> None:
    assert repair_table(rows({}), "all").is_empty()


def test_boards_are_never_pooled() -> None:
    mixed = rows({}, {"collection": "other"})
    for table in (reliability_table, repair_table):
        with pytest.raises(MixedBoardsError):
            table(mixed, "all")

"""One model on two boards that differ along one axis."""

from __future__ import annotations

import itertools
import random

import polars as pl
import pytest

from fcbench.aggregate.contrast import AXIS_SCHEMA, axis_contrast
from fcbench.errors import MixedBoardsError, UsageError
from tests.aggregate.test_tables import UNJUDGED, rows

AXES = [
    pytest.param("decoding", {"decoding": "strict"}, ("free", "strict"), id="decoding"),
    pytest.param("retrieval", {"retrieval": "lexical-3:24"}, ("given", "lexical-3:24"), id="retrieval"),
    pytest.param("schema-version", {"registry_hash": "9" * 64}, ("3" * 64, "9" * 64), id="schema-version"),
]


def board(run: str, *cases: tuple[str, tuple[bool | None, ...]], **more: object) -> pl.DataFrame:
    told = []
    for case, held in cases:
        for repeat, one in enumerate(held, start=1):
            verdict = UNJUDGED if one is None else {"passed": one, "exact_match": one}
            told.append({"run_id": run, "task_id": case, "repeat": repeat, "repeats": len(held), **verdict, **more})
    return rows(*told)


@pytest.mark.parametrize(("axis", "change", "values"), AXES)
def test_the_same_cases_are_compared_along_each_axis(axis, change, values) -> None:
    first = board("one", ("t-1", (True, False)), ("t-2", (True, True)), ("t-3", (False, False)))
    second = board("two", ("t-1", (True, True)), ("t-2", (False, True)), ("t-9", (True, True)), **change)
    table = axis_contrast(first, second, axis)
    assert table.schema == AXIS_SCHEMA
    (row,) = table.to_dicts()
    assert (row["first_value"], row["second_value"], row["decision"], row["cases"]) == (*values, "call", 2)
    assert (row["first_rate"], row["second_rate"], row["difference"]) == (0.75, 0.75, 0.0)
    assert (row["first_better"], row["second_better"], row["p"], row["p_holm"]) == (1, 1, 1.0, 1.0)
    assert (row["first_run"], row["second_run"]) == ("one", "two")


@pytest.mark.parametrize(("axis", "change", "values"), AXES)
@pytest.mark.parametrize(
    "other",
    [
        {"harness": "workbench"},
        {"harness_mode": "oracle-assisted"},
        {"tier": "task-completion-contract"},
        {"task_hash": "8" * 64},
        {"prompt_hash": "8" * 64},
        {"fixture_hash": "8" * 64},
        {"collection": "another"},
        {"evaluator_version": 9},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_second_difference_is_refused_by_its_name(axis, change, values, other) -> None:
    first = board("one", ("t-1", (True,)))
    second = board("two", ("t-1", (True,)), **change, **other)
    (name,) = other
    with pytest.raises(UsageError, match=f"more than the {axis}") as caught:
        axis_contrast(first, second, axis)
    assert name in str(caught.value.wanted)


def test_another_oracle_is_refused_but_for_another_schema() -> None:
    first = board("one", ("t-1", (True,)))
    assert axis_contrast(
        first, board("two", ("t-1", (True,)), registry_hash="9" * 64, oracle_hash="8" * 64), "schema-version"
    ).height
    with pytest.raises(UsageError, match="more than the decoding"):
        axis_contrast(first, board("two", ("t-1", (True,)), decoding="strict", oracle_hash="8" * 64), "decoding")


@pytest.mark.parametrize(("axis", "change", "values"), AXES)
def test_boards_that_do_not_differ_in_the_axis_are_refused(axis, change, values) -> None:
    with pytest.raises(UsageError, match="do not differ"):
        axis_contrast(board("one", ("t-1", (True,))), board("two", ("t-1", (True,))), axis)


def test_restraint_cases_stand_apart_and_for_passing_alone() -> None:
    first = pl.concat([board("one", ("t-1", (True,))), board("one", ("r-1", (True,)), decision="ask")])
    strict = {"decoding": "strict"}
    second = pl.concat(
        [board("two", ("t-1", (True,)), **strict), board("two", ("r-1", (False,)), decision="ask", **strict)]
    )
    shown = axis_contrast(first, second, "decoding").select("decision", "cases", "difference").rows()
    assert shown == [("call", 1, 0.0), ("restraint", 1, 1.0)]
    assert axis_contrast(first, second, "decoding", measure="exact-match")["decision"].to_list() == ["call"]


def test_holm_is_over_the_models_and_not_over_controls() -> None:
    names = [f"t-{number}" for number in range(8)]

    def both(side: str, passed: bool, **change: object) -> pl.DataFrame:
        return pl.concat(
            board(
                f"{side}-{model}",
                *((name, (passed,)) for name in names),
                model=model,
                control=model == "null",
                **change,
            )
            for model in ("a", "b", "null")
        )

    table = axis_contrast(both("one", True), both("two", False, decoding="strict"), "decoding")
    p = 2 / 2**8
    assert table.select("model", "p", "p_holm").rows() == [("a", p, 2 * p), ("b", p, 2 * p), ("null", p, None)]


def test_p_is_the_share_of_all_signs() -> None:
    draw = random.Random(3)
    held = [(draw.random() < 0.8, draw.random() < 0.5) for _ in range(12)]
    first = board("one", *((f"t-{place}", (one,)) for place, (one, _) in enumerate(held)))
    second = board("two", *((f"t-{place}", (two,)) for place, (_, two) in enumerate(held)), decoding="strict")
    differences = [one - two for one, two in held]
    sums = [
        abs(sum(sign * one for sign, one in zip(signs, differences, strict=True)))
        for signs in itertools.product((1, -1), repeat=12)
    ]
    expected = sum(one >= abs(sum(differences)) for one in sums) / 2**12
    assert axis_contrast(first, second, "decoding")["p"][0] == pytest.approx(expected)


def test_cases_of_one_family_count_as_one() -> None:
    names = [f"t-{number}" for number in range(8)]
    sides = [("one", True, {}), ("two", False, {"decoding": "strict"})]
    apart = [board(run, *((name, (held,)) for name in names), **change) for run, held, change in sides]
    assert axis_contrast(*apart, "decoding")["p"][0] == 2 / 2**8
    same = [board(run, *((name, (held,)) for name in names), family="f", **change) for run, held, change in sides]
    row = axis_contrast(*same, "decoding").row(0, named=True)
    assert (row["p"], row["cases"], row["first_better"]) == (1.0, 8, 8)


def test_the_interval_is_wider_where_cases_come_in_families() -> None:
    held = [number < 14 for number in range(20)]

    def width(family: bool) -> float:
        told = [
            board("one", (f"t-{number:02d}", (one,)), family=f"f-{number // 5}" if family else None)
            for number, one in enumerate(held)
        ]
        other = [
            board(
                "two", (f"t-{number:02d}", (False,)), decoding="strict", family=f"f-{number // 5}" if family else None
            )
            for number in range(20)
        ]
        row = axis_contrast(pl.concat(told), pl.concat(other), "decoding").row(0, named=True)
        assert row["difference"] == 0.7
        return float(row["difference_high"] - row["difference_low"])

    assert width(family=True) > 1.4 * width(family=False)


def test_models_under_other_settings_do_not_meet() -> None:
    first = board("one", ("t-1", (True,)), badges="temperature 0.7")
    with pytest.raises(UsageError, match="no case was answered on both"):
        axis_contrast(first, board("two", ("t-1", (True,)), decoding="strict"), "decoding")


def test_of_several_runs_the_newest_counts_and_of_two_at_one_time_one() -> None:
    first = pl.concat([board("a", ("t-1", (False,))), board("b", ("t-1", (True,)))])
    (row,) = axis_contrast(first, board("two", ("t-1", (True,)), decoding="strict"), "decoding").to_dicts()
    assert (row["first_run"], row["cases"], row["first_rate"]) == ("b", 1, 1.0)


def test_rows_of_two_boards_are_refused() -> None:
    one = board("one", ("t-1", (True,)))
    other = board("two", ("t-1", (True,)), decoding="strict")
    with pytest.raises(MixedBoardsError):
        axis_contrast(pl.concat([one, other]), other, "decoding")

"""Runs over time: their scores, and where a later run of a model does worse."""

from __future__ import annotations

import itertools
import random

import polars as pl
import pytest
from scipy import stats

from fcbench.aggregate.boards import single_board
from fcbench.aggregate.tables import board_table
from fcbench.aggregate.trend import REGRESSION_SCHEMA, TREND_SCHEMA, family_of, regressions, trend_table
from fcbench.errors import BadInputError, MixedBoardsError
from tests.aggregate.test_tables import UNJUDGED, rows

DAYS = ["2026-05-01T00:00:00.000Z", "2026-06-01T00:00:00.000Z", "2026-07-01T00:00:00.000Z"]


def run_of(day: int, *cases: tuple[str, tuple[bool | None, ...]], **more: object) -> list[dict[str, object]]:
    """The rows of a run: each case with what its repeats gave (None: no verdict)."""
    base = {"run_id": f"run-{day}", "created_at": DAYS[day], **more}
    told = []
    for case, held in cases:
        for repeat, one in enumerate(held, start=1):
            verdict = UNJUDGED if one is None else {"passed": one, "partial_score": float(one)}
            told.append({**base, "task_id": case, "repeat": repeat, "repeats": len(held), **verdict})
    return told


def frame_of(*runs: list[dict[str, object]]) -> pl.DataFrame:
    return rows(*itertools.chain(*runs))


def many(passes: int, of: int) -> list[tuple[str, tuple[bool, ...]]]:
    return [(f"t-{number:02d}", (number < passes,)) for number in range(of)]


def test_runs_of_a_model_stand_by_time_and_are_counted() -> None:
    frame = frame_of(
        run_of(1, ("t-1", (True,)), ("t-2", (False,))),
        run_of(0, ("t-1", (True,)), ("t-2", (True,))),
        run_of(2, ("t-1", (False,)), ("t-2", (False,)), model="model-b"),
    )
    table = trend_table(frame)
    assert table.schema == TREND_SCHEMA
    shown = table.select("model", "run_id", "model_run", "model_runs", "strict").rows()
    assert shown == [
        ("model-a", "run-0", 1, 2, 1.0),
        ("model-a", "run-1", 2, 2, 0.5),
        ("model-b", "run-2", 1, 1, 0.0),
    ]


def test_the_rates_are_those_of_the_boards_table() -> None:
    frame = frame_of(run_of(0, *many(3, 7)), run_of(1, *many(5, 7)))
    columns = ["run_id", "strict", "strict_low", "strict_high", "strict_n", "completion", "partial"]
    assert trend_table(frame).select(columns).equals(board_table(frame).sort("run_id").select(columns))


def test_the_same_name_at_another_provider_or_as_a_control_is_another_line() -> None:
    frame = frame_of(
        run_of(0, *many(3, 3)),
        run_of(1, *many(0, 3), provider="elsewhere"),
        run_of(2, *many(0, 3), control=True),
    )
    assert trend_table(frame)["model_runs"].to_list() == [1, 1, 1]
    assert regressions(frame).is_empty()


def test_quantiles_are_over_cases_and_not_over_attempts() -> None:
    scores = [0.0, 0.1, 0.2, 0.4, 0.9]
    told = [
        {"task_id": f"t-{number}", "repeat": repeat, "partial_score": score + (0.05 if repeat == 1 else -0.05)}
        for number, score in enumerate(scores)
        for repeat in (1, 2)
    ]
    restraint = [{"task_id": "r-1", "decision": "ask", "partial_score": 1.0}]
    row = trend_table(rows(*told, *restraint)).row(0, named=True)
    wanted = pl.Series(scores)
    for name, share in (("score_p10", 0.1), ("score_p25", 0.25), ("score_p50", 0.5), ("score_p90", 0.9)):
        assert row[name] == pytest.approx(wanted.quantile(share, "linear"))


def test_a_significant_fall_is_found_with_its_cases() -> None:
    frame = frame_of(run_of(0, *many(18, 20)), run_of(1, *many(8, 20)))
    row = regressions(frame).row(0, named=True)
    assert (row["first_run"], row["second_run"], row["test"]) == ("run-0", "run-1", "exact McNemar")
    assert row["p"] == pytest.approx(stats.binomtest(0, 10).pvalue)
    assert (row["finding"], row["lost"]) == ("significant fall", [f"t-{number:02d}" for number in range(8, 18)])
    assert row["difference"] == pytest.approx(-0.5)


def test_a_rise_is_no_regression_and_a_lost_case_is_named_without_significance() -> None:
    rise = regressions(frame_of(run_of(0, *many(8, 20)), run_of(1, *many(18, 20)))).row(0, named=True)
    assert (rise["finding"], len(rise["gained"])) == ("no fall", 10)
    assert rise["p_holm"] < 0.05
    lost = regressions(frame_of(run_of(0, *many(9, 20)), run_of(1, *many(8, 20)))).row(0, named=True)
    assert (lost["finding"], lost["lost"], lost["p"]) == ("cases lost", ["t-08"], 1.0)


def test_shares_of_repeats_are_tested_by_sign_flips() -> None:
    cases = {"t-1": ((True, True), (False, False)), "t-2": ((True, True), (True, False)), "t-3": ((False,) * 2,) * 2}
    cases["t-4"] = ((True, True), (False, True))
    frame = frame_of(
        run_of(0, *((name, before) for name, (before, _) in cases.items())),
        run_of(1, *((name, after) for name, (_, after) in cases.items())),
    )
    row = regressions(frame).row(0, named=True)
    assert (row["test"], row["lost"], row["fewer"]) == ("sign-flip", ["t-1"], ["t-2", "t-4"])
    differences = [sum(after) / 2 - sum(before) / 2 for before, after in cases.values()]
    sums = [
        sum(sign * one for sign, one in zip(signs, differences, strict=True))
        for signs in itertools.product((1, -1), repeat=4)
    ]
    assert row["p"] == pytest.approx(sum(abs(one) >= abs(sum(differences)) for one in sums) / 16)


def test_cases_of_one_family_count_as_one_in_the_test() -> None:
    """Ten cases of one family that fall together say as little as one case does: p = 2 x 1/2."""
    before, after = run_of(0, *many(10, 10), family="f"), run_of(1, *many(0, 10), family="f")
    row = regressions(rows(*before, *after)).row(0, named=True)
    assert (row["test"], row["p"], row["finding"], len(row["lost"])) == ("sign-flip", 1.0, "cases lost", 10)
    for number, told in enumerate([*before, *after]):
        told["family"] = f"f-{number % 5}"
    assert regressions(rows(*before, *after))["p"][0] == 2 / 2**5


def test_only_cases_with_a_verdict_in_both_runs_count() -> None:
    frame = frame_of(
        run_of(0, ("t-1", (True,)), ("t-2", (None,)), ("t-3", (True,))),
        run_of(1, ("t-1", (False,)), ("t-2", (False,)), ("t-3", (None,))),
    )
    assert regressions(frame).select("cases", "lost").rows() == [(1, ["t-1"])]


def test_call_and_restraint_cases_are_apart_and_holm_counts_both() -> None:
    restraint = [
        {**row, "decision": "ask"}
        for day in (0, 1)
        for row in run_of(day, *((f"r-{number}", (day == 0,)) for number in range(6)))
    ]
    frame = frame_of(run_of(0, *many(7, 7)), run_of(1, *many(0, 7)), restraint)
    found = regressions(frame).select("decision", "cases", "p", "p_holm", "finding").rows()
    assert found == [
        ("call", 7, 2 / 2**7, 4 / 2**7, "significant fall"),
        ("restraint", 6, 2 / 2**6, 4 / 2**7, "significant fall"),
    ]


def test_controls_are_shown_and_left_out_of_holm() -> None:
    frame = frame_of(
        run_of(0, *many(7, 7)),
        run_of(1, *many(0, 7)),
        [{**row, "run_id": f"c-{row['run_id']}"} for row in run_of(0, *many(7, 7), model="null", control=True)],
        [{**row, "run_id": f"c-{row['run_id']}"} for row in run_of(1, *many(0, 7), model="null", control=True)],
    )
    table = regressions(frame).select("model", "control", "p_holm", "finding").rows()
    assert table == [("model-a", False, 2 / 2**7, "significant fall"), ("null", True, None, "cases lost")]


def test_changed_settings_are_named() -> None:
    frame = frame_of(
        run_of(0, *many(3, 3), badges="local; engine old 1"), run_of(1, *many(2, 3), badges="local; engine old 2")
    )
    assert regressions(frame).select("badges_gone", "badges_new").row(0) == (["engine old 1"], ["engine old 2"])


def test_consecutive_runs_only_are_compared() -> None:
    frame = frame_of(*(run_of(day, *many(3 - day, 3)) for day in (2, 0, 1)))
    table = regressions(frame)
    assert table.schema == REGRESSION_SCHEMA
    assert table.select("first_run", "second_run").rows() == [("run-0", "run-1"), ("run-1", "run-2")]


def test_equal_models_are_seldom_said_to_fall() -> None:
    """The chance that a board of five unchanged models names any fall stays below 5 %, though each fall has a test."""
    draw = random.Random(8)
    falls = 0
    for _ in range(120):
        told = []
        for model in range(5):
            chances = [draw.random() for _ in range(30)]
            for day in (0, 1):
                cases = [(f"t-{place}", (draw.random() < chance,)) for place, chance in enumerate(chances)]
                told += run_of(day, *cases, model=f"m-{model}")
                for row in told[-30:]:
                    row["run_id"] = f"m-{model}-{day}"
        falls += "significant fall" in regressions(rows(*told))["finding"].to_list()
    assert falls <= stats.binom.ppf(0.999, 120, 0.05)


def test_a_real_fall_is_mostly_found() -> None:
    draw = random.Random(9)
    found = 0
    for _ in range(60):
        before = run_of(0, *((f"t-{place}", (draw.random() < 0.9,)) for place in range(100)))
        after = run_of(1, *((f"t-{place}", (draw.random() < 0.65,)) for place in range(100)))
        found += regressions(rows(*before, *after))["finding"][0] == "significant fall"
    assert found > 50


@pytest.mark.parametrize("function", [trend_table, regressions])
def test_rows_of_two_boards_are_refused(function) -> None:
    frame = frame_of(run_of(0, *many(1, 2)), run_of(1, *many(1, 2), retrieval="all"))
    with pytest.raises(MixedBoardsError):
        function(frame)
    with pytest.raises(BadInputError, match="no row"):
        function(frame.clear())


def test_a_family_is_what_was_chosen_and_not_the_digests() -> None:
    one = single_board(frame_of(run_of(0, *many(1, 2))))
    other = single_board(frame_of(run_of(0, *many(1, 2), task_hash="9" * 64, evaluator_version=2)))
    assert family_of(one) == family_of(other)
    assert family_of(one) == "tiny; native-function-contract; contract, production-parity; given; free"

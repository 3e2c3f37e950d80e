"""pass^k and pass@k: against scipy's binomials, every choice of repeats by brute force, and simulated models."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import comb

from fcbench.aggregate.repeats import MAX_K, REPEAT_SCHEMA, pass_at, pass_hat
from fcbench.aggregate.tables import board_table, segment_table
from tests.aggregate.test_tables import UNJUDGED, only, rows


def cases_of(*held: tuple[bool | None, ...], **more: object):
    """A frame with one case for each tuple of what its repeats gave (None: no verdict)."""
    told = []
    for number, repeats in enumerate(held):
        for repeat, one in enumerate(repeats, start=1):
            verdict = UNJUDGED if one is None else {"passed": one}
            told.append({"task_id": f"t-{number}", "repeat": repeat, "repeats": len(repeats), **verdict, **more})
    return rows(*told)


@st.composite
def repeats(draw: st.DrawFn) -> tuple[list[bool], int]:
    held = draw(st.lists(st.booleans(), min_size=1, max_size=9))
    return held, draw(st.integers(min_value=1, max_value=len(held)))


@given(repeats())
def test_both_are_the_shares_of_all_choices_of_k_repeats(drawn: tuple[list[bool], int]) -> None:
    held, k = drawn
    chosen = list(itertools.combinations(held, k))
    assert pass_hat(len(held), sum(held), k) == pytest.approx(sum(map(all, chosen)) / len(chosen))
    assert pass_at(len(held), sum(held), k) == pytest.approx(sum(map(any, chosen)) / len(chosen))


@given(st.integers(1, 200), st.integers(0, 200), st.integers(1, 200))
def test_both_are_the_quotients_of_binomials(judged: int, passes: int, k: int) -> None:
    passes = min(passes, judged)
    if k > judged:
        assert pass_hat(judged, passes, k) is None
        assert pass_at(judged, passes, k) is None
        return
    whole = comb(judged, k, exact=True)
    assert pass_hat(judged, passes, k) == pytest.approx(comb(passes, k, exact=True) / whole, abs=1e-12)
    assert pass_at(judged, passes, k) == pytest.approx(1 - comb(judged - passes, k, exact=True) / whole, abs=1e-12)


def test_both_meet_the_true_chances_on_average() -> None:
    """Five repeats of cases with a known chance p: the means over many are p^3 and 1 - (1 - p)^3. A biased estimate,
    such as (c/n)^3, misses them by more than the tolerance, as the last line shows."""
    draw = random.Random(8)
    n, k, cases = 5, 3, 40_000
    chances = [draw.choice((0.2, 0.5, 0.9)) for _ in range(cases)]
    passes = [sum(draw.random() < p for _ in range(n)) for p in chances]
    true_hat = sum(p**k for p in chances) / cases
    true_at = sum(1 - (1 - p) ** k for p in chances) / cases
    assert sum(pass_hat(n, c, k) or 0 for c in passes) / cases == pytest.approx(true_hat, abs=0.006)
    assert sum(pass_at(n, c, k) or 0 for c in passes) / cases == pytest.approx(true_at, abs=0.006)
    assert sum((c / n) ** k for c in passes) / cases > true_hat + 0.02


def test_the_board_has_columns_for_two_three_and_five() -> None:
    row = only(board_table(cases_of((True, True, False), (True, True, True), (False, False, False))))
    assert (row["pass_hat_2"], row["pass_hat_2_sum"], row["pass_hat_2_n"]) == (pytest.approx(4 / 9), 4 / 3, 3)
    assert (row["pass_hat_3"], row["pass_at_3"], row["pass_at_3_n"]) == (1 / 3, 2 / 3, 3)
    assert (row["pass_hat_5"], row["pass_hat_5_sum"], row["pass_hat_5_n"], row["pass_at_5"]) == (None, 0.0, 0, None)


def test_one_repeat_leaves_every_k_blank() -> None:
    row = only(board_table(cases_of((True,), (False,))))
    assert [row[f"pass_{kind}_{k}"] for kind in ("hat", "at") for k in (2, 3, 5)] == [None] * 6


def test_a_run_whose_repeats_are_identical_leaves_them_blank() -> None:
    frame = cases_of((True, True, True), (False, False, False), badges="local; deterministic 20/20")
    row = only(board_table(frame))
    assert (row["pass_hat_3"], row["pass_hat_3_n"], row["strict"]) == (None, 0, 0.5)
    assert segment_table(frame, "k")["segment"].to_list() == ["1"]


def test_a_case_with_too_few_judged_repeats_is_left_out_of_that_k() -> None:
    row = only(board_table(cases_of((True, True, None), (True, True, True))))
    assert (row["pass_hat_2_n"], row["pass_hat_3_n"], row["pass_hat_3"]) == (2, 1, 1.0)


def test_restraint_cases_do_not_count() -> None:
    frame = cases_of((True, True), (False, False), decision="ask")
    row = only(board_table(frame))
    assert (row["pass_hat_2"], row["pass_hat_2_n"]) == (None, 0)
    assert segment_table(frame, "k").is_empty()


def test_the_table_has_every_k_in_the_order_of_numbers() -> None:
    table = segment_table(cases_of((True,) * 11 + (False,)), "k")
    assert table.schema == REPEAT_SCHEMA
    assert table["segment"].to_list() == [str(k) for k in range(1, 13)]
    assert table["pass_hat"].to_list() == [pytest.approx((12 - k) / 12) for k in range(1, 13)]
    assert table["pass_at"].to_list() == [pytest.approx(11 / 12), *[1.0] * 11]
    strict = only(board_table(cases_of((True,) * 11 + (False,))))["strict"]
    assert table["pass_hat"][0] == table["pass_at"][0] == strict


def test_a_run_of_very_many_repeats_stops_at_the_limit() -> None:
    assert segment_table(cases_of((True, False) * MAX_K), "k").height == MAX_K

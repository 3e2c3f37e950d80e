"""All pairs of a board and rank intervals: against scipy, hand-made boards, and simulated ones with a known truth."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from scipy.stats import binomtest, permutation_test

from fcbench.aggregate.frames import FRAME_SCHEMA
from fcbench.aggregate.holm import holm
from fcbench.aggregate.pairwise import LEVEL, PAIR_SCHEMA, Passes, compare_all
from fcbench.aggregate.power import UNKNOWN_SQUARE, detectable
from fcbench.aggregate.ranks import rank_intervals
from fcbench.aggregate.tables import board_table
from tests.aggregate.test_tables import BASE, UNJUDGED


def board_of(runs, *, repeats=1, clusters=None):
    """Passes of named runs: one list of passing repeats each."""
    return passes_of_lists(list(runs.values()), list(runs), [repeats] * len(runs), clusters)


def passes_of_lists(lines, names, repeats, clusters=None):
    counts = pl.DataFrame({str(n): line for n, line in enumerate(lines)})
    counts = counts.select(pl.all().cast(pl.Int64))
    return Passes(names, counts, repeats, None if clusters is None else pl.Series(clusters, dtype=pl.Int64))


def rows_of(runs, **changes):
    """A frame: for each run a string of + and - over cases, and repeats behind a slash."""
    rows = []
    for run, marks in runs.items():
        for case, repeats in enumerate(marks.split()):
            for repeat, mark in enumerate(repeats, start=1):
                rows.append(
                    {**BASE, "run_id": run, "model": run, "task_id": f"t-{case}", "repeat": repeat}
                    | {"repeats": len(repeats), "passed": mark == "+"}
                    | changes
                )
    return pl.DataFrame(rows, schema=FRAME_SCHEMA, orient="row")


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
@settings(deadline=None, max_examples=60)
def test_with_one_repeat_p_is_scipys_binomial_test_of_the_cases_that_differ(pairs):
    table = compare_all(board_of({"a": [a for a, _ in pairs], "b": [b for _, b in pairs]}))
    lost, gained = sum(a > b for a, b in pairs), sum(b > a for a, b in pairs)
    expected = binomtest(gained, lost + gained).pvalue if lost + gained else 1.0
    row = table.row(0, named=True)
    assert row["p"] == pytest.approx(expected, rel=1e-9)
    assert (row["test"], row["cases"]) == ("mcnemar", len(pairs))
    assert row["difference"] == pytest.approx((gained - lost) / len(pairs), abs=1e-12)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 4)), min_size=2, max_size=14))
@settings(deadline=None, max_examples=60)
def test_with_families_p_is_scipys_permutation_test_of_their_sums(cases):
    labels = sorted({family for _, _, family in cases})
    clusters = [labels.index(family) for _, _, family in cases]
    a, b, _ = zip(*cases, strict=True)
    row = compare_all(board_of({"a": a, "b": b}, repeats=3, clusters=clusters)).row(0, named=True)
    sums = np.bincount(clusters, weights=np.subtract(b, a))
    moved = sums[sums != 0]
    assert row["test"] == "sign-flip"
    if len(moved) < 2:
        assert row["p"] == 1.0
        return
    whole = permutation_test(
        (moved,), lambda x, axis: np.sum(x, axis=axis), permutation_type="samples", n_resamples=np.inf
    )
    assert row["p"] == pytest.approx(min(1.0, whole.pvalue), abs=1e-12)


def test_runs_with_another_number_of_repeats_are_compared_by_their_shares():
    passes = passes_of_lists([[1, 2, 2], [0, 1, 1]], ["a", "b"], [2, 1])
    row = compare_all(passes).row(0, named=True)
    # Shares 1/2, 1, 1 and 0, 1, 1.
    assert (row["a"], row["b"], row["test"]) == (pytest.approx(5 / 6), pytest.approx(2 / 3), "sign-flip")
    assert (row["difference"], row["p"]) == (pytest.approx(-1 / 6), 1.0)


def test_cases_that_one_run_lacks_are_left_out_of_its_pairs_only():
    passes = board_of({"a": [1, 1, 0], "b": [0, 1, None], "c": [0, 0, 0]})
    table = compare_all(passes).select("run_a", "run_b", "cases", "difference")
    wanted = [("a", "b", 2, -0.5), ("a", "c", 3, -2 / 3), ("b", "c", 2, -0.5)]
    assert_frame_equal(table, pl.DataFrame(wanted, schema=table.schema, orient="row"))


def test_the_mean_square_is_the_share_of_cases_that_differ_or_the_square_of_their_families():
    runs = {"a": [1, 1, 1, 0, 0], "b": [0, 0, 1, 1, 0]}
    assert compare_all(board_of(runs))["mean_square"].item() == pytest.approx(3 / 5)
    # One family moves by -2, one by +1, over five cases.
    together = compare_all(board_of(runs, clusters=[0, 0, 0, 1, 1]))
    assert together["mean_square"].item() == pytest.approx((4 + 1) / 5)
    thirds = compare_all(board_of({"a": [3, 1], "b": [2, 3]}, repeats=3))
    assert thirds["mean_square"].item() == pytest.approx((1 / 9 + 4 / 9) / 2)


def test_a_board_says_what_it_can_show():
    two = {"a": " ".join("+" * 80 + "-" * 20), "b": " ".join("+" * 70 + "-" * 10 + "+" * 20)}
    table = board_table(rows_of(two))
    assert table["detectable"].to_list() == [detectable(100, 0.3)] * 2
    alone = board_table(rows_of({"a": two["a"]}))
    assert alone["detectable"].to_list() == [detectable(100, UNKNOWN_SQUARE)]
    assert board_table(rows_of({"a": "+ -"}))["detectable"].to_list() == [None]


def test_the_correction_is_over_all_pairs_of_the_board():
    runs = {"a": [1] * 40, "b": [1] * 31 + [0] * 9, "c": [1] * 28 + [0] * 12}
    table = compare_all(board_of(runs))
    assert table.schema == PAIR_SCHEMA
    assert table["p_holm"].to_list() == holm(table["p"].to_list())
    assert table["p"].to_list() == pytest.approx([2**-8, 2**-11, 0.25])
    assert table["p_holm"].to_list() == pytest.approx([2**-7, 3 * 2**-11, 0.25])


def test_a_rank_interval_counts_who_is_significantly_better_and_worse():
    frame = rows_of(
        {
            "best": " ".join("+" * 40),
            "good": " ".join("+" * 31 + "-" * 9),
            "fair": " ".join("+" * 28 + "-" * 12),
            "poor": " ".join("-" * 40),
        }
    )
    table = board_table(frame).select("run_id", "rank", "rank_low", "rank_high")
    wanted = [("best", 1, 1, 1), ("good", 2, 2, 3), ("fair", 3, 2, 3), ("poor", 4, 4, 4)]
    assert_frame_equal(table, pl.DataFrame(wanted, schema=table.schema, orient="row"))


def test_twins_in_one_family_do_not_count_twice():
    """Seven cases lost, none gained: significant, unless they are variants of three situations."""
    runs = {"a": " ".join("+" * 12), "b": " ".join("+" * 5 + "-" * 7)}
    apart = board_table(rows_of(runs))
    assert apart["rank_high"].to_list() == [1, 2]
    families = pl.Series([f"f{case // 3}" for case in range(12)] * 2, dtype=FRAME_SCHEMA["family"])
    together = board_table(rows_of(runs).with_columns(families.alias("family")))
    assert together.select("rank_low", "rank_high").rows() == [(1, 2), (1, 2)]


@pytest.mark.parametrize("change", [{"control": True}, {"purpose": "interactive"}, {"purpose": "imported"}])
def test_who_is_not_ranked_has_no_interval_and_widens_none(change):
    runs = {"a": " ".join("+" * 20), "b": " ".join("-" * 20)}
    others = rows_of({f"other-{n}": " ".join("+-" * 10) for n in range(60)}, **change)
    table = board_table(pl.concat([rows_of(runs), others]))
    ranked, rest = table.head(2), table.tail(60)
    assert ranked.select("run_id", "rank_low", "rank_high").rows() == [("a", 1, 1), ("b", 2, 2)]
    assert rest["rank_low"].null_count() == rest["rank_high"].null_count() == 60


def test_an_incomplete_run_has_no_interval():
    frame = rows_of({"a": "+ +", "b": "- -"})
    broken = {**BASE, "run_id": "b", "model": "b", "task_id": "t-3", "outcome": "provider_error", **UNJUDGED}
    table = board_table(pl.concat([frame, pl.DataFrame([broken], schema=FRAME_SCHEMA, orient="row")]))
    assert table.select("run_id", "rank_low", "rank_high").rows() == [("a", 1, 1), ("b", None, None)]


def test_one_run_alone_is_first():
    assert board_table(rows_of({"a": "+ -"})).select("rank", "rank_low", "rank_high").rows() == [(1, 1, 1)]


def simulated(rng, accuracies, *, cases, repeats, alike=0.8):
    """Passes of runs whose true accuracy is known; cases are hard or easy for all of them alike."""
    hardness = rng.random(cases)
    lines = []
    for accuracy in accuracies:
        own = rng.random(cases)
        chance = np.where(rng.random(cases) < alike, hardness, own) < accuracy
        noise = rng.random((cases, repeats)) < np.where(chance, 0.9, 0.1)[:, None]
        lines.append(noise.sum(axis=1))
    return lines


@pytest.mark.parametrize("repeats", [1, 3])
def test_equal_runs_are_told_apart_no_more_often_than_promised(repeats):
    """Boards of 6 equal runs: any interval that is not 1 to 6 is a false claim; at most 5 % of boards may have one."""
    rng = np.random.default_rng(5)
    boards, wrong = 150, 0
    for _ in range(boards):
        runs = {f"r{n}": line for n, line in enumerate(simulated(rng, [0.6] * 6, cases=80, repeats=repeats))}
        pairs = compare_all(board_of(runs, repeats=repeats))
        table = rank_intervals(list(runs), pairs)
        wrong += table.filter((pl.col("rank_low") > 1) | (pl.col("rank_high") < 6)).height > 0
    assert wrong / boards < LEVEL + 3 * (LEVEL * (1 - LEVEL) / boards) ** 0.5


def test_intervals_hold_the_true_place_of_runs_that_differ():
    rng = np.random.default_rng(6)
    truth = [0.9, 0.7, 0.7, 0.4]
    missed = told = 0
    for _ in range(60):
        runs = {f"r{n}": line for n, line in enumerate(simulated(rng, truth, cases=170, repeats=1))}
        table = rank_intervals(list(runs), compare_all(board_of(runs)))
        low, high = table["rank_low"].to_list(), table["rank_high"].to_list()
        # Runs 1 and 2 are equal: each may stand in place 2 or 3.
        places = [(1, 1), (2, 3), (2, 3), (4, 4)]
        missed += any(one > true[0] or other < true[1] for one, other, true in zip(low, high, places, strict=True))
        told += (low, high) == ([1, 2, 2, 4], [1, 3, 3, 4])
    assert missed <= 8
    assert told > 30

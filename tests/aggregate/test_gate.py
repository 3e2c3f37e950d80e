"""What a gate computes: shares between two ends, claims, falls, and how often a fall is told wrongly."""

from __future__ import annotations

import random
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from fcbench.aggregate.gate import (
    claimed,
    completion,
    failing_cases,
    fall,
    fall_of,
    latency,
    passes,
    segment_of,
    segment_values,
    share,
)
from fcbench.aggregate.tables import board_table
from fcbench.errors import MixedBoardsError
from tests.aggregate.test_tables import UNJUDGED, rows


def board(passed: str, **more: object) -> pl.DataFrame:
    """One case a word: `+` passes, `-` fails, `?` has no verdict; a repeat a letter."""
    found = []
    for place, word in enumerate(passed.split()):
        for repeat, letter in enumerate(word, start=1):
            row: dict[str, object] = {"task_id": f"t-{place}", "repeat": repeat, **more}
            row |= {"passed": letter == "+", "exact_match": letter == "+"} if letter != "?" else UNJUDGED
            found.append(row)
    return rows(*found)


@pytest.mark.parametrize(
    ("passed", "value", "least", "most"),
    [
        pytest.param("+ - + +", 0.75, 0.75, 0.75, id="one repeat"),
        pytest.param("++ +- --", 0.5, 0.5, 0.5, id="shares of repeats"),
        pytest.param("++ +? ??", 1.0, 0.5, 1.0, id="what is missing may fail"),
        pytest.param("?? ??", None, 0.0, 1.0, id="nothing judged"),
    ],
)
def test_a_share_stands_between_two_ends(
    passed: str, value: float | None, least: float | None, most: float | None
) -> None:
    found = share(board(passed), "strict")
    assert (found.value, found.least, found.most) == (value, least, most)
    assert found.cases == len(passed.split())


def test_a_share_is_the_number_of_the_tables() -> None:
    frame = board("++ +- -? +-")
    table = board_table(frame).row(0, named=True)
    found = share(frame, "strict")
    assert (found.value, found.least, found.most) == pytest.approx(
        (table["strict"], table["strict_worst"], table["strict_best"])
    )
    assert completion(frame).value == pytest.approx(table["completion"])
    assert latency(board("+ -"), "latency-p95").value == board_table(board("+ -"))["latency_p95_s"].item()


def test_call_and_restraint_cases_never_share_a_denominator() -> None:
    frame = rows(
        {"task_id": "a", "passed": True},
        {"task_id": "b", "passed": False, "decision": "no_call"},
        {"task_id": "c", "passed": True, "decision": "ask"},
    )
    assert (share(frame, "strict").value, share(frame, "strict").cases) == (1.0, 1)
    assert (share(frame, "restraint").value, share(frame, "restraint").cases) == (0.5, 2)
    assert passes(frame) == (1, 0)


@pytest.mark.parametrize(
    ("passed", "threshold", "standing", "claim"),
    [
        pytest.param("+ " * 20, 0.8, "pass", 0.05 ** (1 / 20), id="proven"),
        pytest.param("+ " * 20, 0.9, "cannot tell", 0.05 ** (1 / 20), id="too few"),
        pytest.param("- " * 20, 0.8, "fail", 0.0, id="disproven"),
        pytest.param("+ " * 19 + "?", 0.8, "cannot tell", float(beta.ppf(0.05, 19, 2)), id="open counts as failed"),
        pytest.param("+- " * 10, 0.5, "fail", 0.0, id="a case fails if any repeat fails"),
        pytest.param("", 0.5, "cannot tell", 0.0, id="no case"),
    ],
)
def test_a_claim_is_exact(passed: str, threshold: float, standing: str, claim: float) -> None:
    frame = board(passed) if passed else board("+").clear()
    found = claimed(frame, "strict", threshold)
    assert (found.standing, found.claim) == (standing, pytest.approx(claim))
    assert (found.more_cases > 0) == (standing == "cannot tell")


def test_segments_are_found_and_cut_out() -> None:
    frame = rows(
        {"task_id": "a", "level": "L1", "traps": ["t1", "t2"]},
        {"task_id": "b", "level": "L2", "traps": []},
        {"task_id": "c", "level": None, "traps": ["t2"]},
    )
    known = segment_values(frame)
    assert (known["level"], known["trap"]) == (["L1", "L2"], ["t1", "t2"])
    assert segment_of(frame, "level", "L2")["task_id"].to_list() == ["b"]
    assert segment_of(frame, "trap", "t2")["task_id"].to_list() == ["a", "c"]


@pytest.mark.parametrize(
    ("new", "base", "standing"),
    [
        pytest.param("- " * 12, "+ " * 12, "fail", id="everything lost"),
        pytest.param("+ " * 12, "+ " * 12, "cannot tell", id="the same, and too few to rule a fall out"),
        pytest.param("+ " * 90, "+ " * 90, "pass", id="the same, and enough"),
        pytest.param("+ " * 12, "- " * 12, "pass", id="everything gained"),
        pytest.param("?? " * 12, "++ " * 12, "cannot tell", id="nothing judged is no fall"),
        pytest.param("+- " * 30, "++ " * 30, "fail", id="half the repeats lost"),
    ],
)
def test_a_fall_is_proven_ruled_out_or_open(new: str, base: str, standing: str) -> None:
    found = fall(board(new, run_id="new"), board(base, run_id="base"), "strict", 0.05)
    assert found.standing == standing


def test_missing_attempts_never_help_a_run_past_its_baseline() -> None:
    whole = fall(board("+ " * 100, run_id="n"), board("+ " * 100, run_id="b"), "strict", 0.05)
    holes = fall(board("+ " * 80 + "? " * 20, run_id="n"), board("+ " * 100, run_id="b"), "strict", 0.05)
    assert (whole.standing, holes.standing) == ("pass", "cannot tell")
    assert holes.difference == 0  # and they are no fall either


def test_another_board_is_refused() -> None:
    with pytest.raises(MixedBoardsError, match="different boards"):
        fall(board("+", run_id="n"), board("+", run_id="b", retrieval="all"), "strict", 0.05)


def test_failing_cases_are_those_with_a_failing_repeat() -> None:
    assert failing_cases(board("++ +- ?? --")) == ("t-1", "t-3")


SHARES = st.lists(st.sampled_from([Fraction(k, 3) for k in range(-3, 4)]), min_size=1, max_size=60)


@given(SHARES, st.floats(0, 0.5))
def test_the_ends_hold_the_difference_and_more_cases_are_asked_for_only_where_they_help(
    differences: list[Fraction], margin: float
) -> None:
    found = fall_of(differences, differences, margin)
    assert found.low is not None
    assert found.high is not None
    assert found.difference is not None
    assert found.low <= found.difference <= found.high
    if found.standing == "pass":
        assert found.low >= -margin
    if found.standing == "fail":
        assert found.difference < -margin
    if found.standing == "cannot tell" and found.more_cases:
        assert found.more_cases > 0
        assert found.difference > -margin


def drawn(rng: random.Random, cases: int, lost: float, gained: float) -> list[Fraction]:
    letters = rng.choices((-1, 1, 0), weights=(lost, gained, 1 - lost - gained), k=cases)
    return [Fraction(letter) for letter in letters]


@pytest.mark.parametrize(
    ("lost", "gained", "wrong"),
    [
        pytest.param(0.10, 0.10, "fail", id="no fall is rarely called one"),
        pytest.param(0.12, 0.07, "pass", id="a fall of just the margin is rarely ruled out"),
        pytest.param(0.05, 0.00, "pass", id="the same without gains"),
    ],
)
def test_on_data_with_known_truth_a_wrong_verdict_is_rare(lost: float, gained: float, wrong: str) -> None:
    rng = random.Random(11)
    trials = 400
    told = [fall_of(one, one, 0.05).standing for one in (drawn(rng, 120, lost, gained) for _ in range(trials))]
    # One-sided 2.5 % each; the bound allows three standard errors of the simulation.
    assert told.count(wrong) / trials <= 0.025 + 3 * (0.025 * 0.975 / trials) ** 0.5


def test_on_data_with_known_truth_a_large_fall_is_found() -> None:
    rng = random.Random(12)
    told = [fall_of(one, one, 0.05).standing for one in (drawn(rng, 120, 0.30, 0.05) for _ in range(100))]
    assert told.count("fail") >= 95

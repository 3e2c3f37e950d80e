"""Differences of two runs: against a likelihood maximised by scipy, statsmodels, and simulated runs of known truth."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.stats import bootstrap as scipy_bootstrap
from scipy.stats import norm
from statsmodels.stats.contingency_tables import mcnemar

from fcbench.aggregate.bootstrap import bootstrap
from fcbench.aggregate.noninferiority import good_enough
from fcbench.aggregate.paired import CasePair, interval, paired_sums, score
from fcbench.aggregate.power import detectable

TABLES = st.tuples(st.integers(0, 15), st.integers(0, 15), st.integers(0, 60)).filter(lambda one: sum(one) > 0)
"""Cases that only the first passes, that only the second passes, and the others."""
THIRDS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=40)


def once(lost, gained, same):
    """Cases with one repeat."""
    kinds = [(1, 0)] * lost + [(0, 1)] * gained + [(1, 1)] * same
    return paired_sums(CasePair(a=Fraction(a), b=Fraction(b)) for a, b in kinds)


def thirds(cases, families=None):
    """Cases with three repeats on either side."""
    return paired_sums(
        CasePair(a=Fraction(a, 3), b=Fraction(b, 3), repeats=3, family=None if families is None else families[n])
        for n, (a, b) in enumerate(cases)
    )


@given(TABLES, st.floats(-0.9, 0.9))
@settings(deadline=None, max_examples=80)
def test_the_score_is_that_of_the_likelihood_under_the_supposed_difference(table, supposed):
    """Tango (1998) by another way: the share of lost cases that maximises the likelihood, found by scipy."""
    lost, gained, same = table
    n = sum(table)

    def unlikely(share):
        chances = (share, share + supposed, 1 - 2 * share - supposed)
        return -sum(
            count * math.log(max(chance, 1e-300)) for count, chance in zip((lost, gained, same), chances, strict=True)
        )

    low, high = max(0.0, -supposed), (1 - supposed) / 2
    best = minimize_scalar(unlikely, bounds=(low, high), method="bounded", options={"xatol": 1e-12}).x
    variance = (2 * best + supposed - supposed**2) / n
    if variance < 1e-6:
        return
    wanted = ((gained - lost) / n - supposed) / math.sqrt(variance)
    assert score(once(*table), supposed) == pytest.approx(wanted, rel=1e-3, abs=1e-4)


@given(TABLES)
@settings(deadline=None, max_examples=60)
def test_at_no_difference_the_score_is_mcnemars_statistic(table):
    lost, gained, same = table
    if lost + gained == 0:
        assert score(once(*table), 0.0) == 0
        return
    chi = mcnemar([[same, lost], [gained, 0]], exact=False, correction=False).statistic
    assert score(once(*table), 0.0) ** 2 == pytest.approx(chi, rel=1e-9)


@given(TABLES)
@settings(deadline=None, max_examples=60)
def test_the_ends_of_the_interval_are_where_the_score_is_that_of_the_level(table):
    sums = once(*table)
    low, high = interval(sums)
    z = norm.ppf(0.975)
    assert -1 <= low <= sums.difference <= high <= 1
    if low > -1 + 1e-9:
        assert score(sums, low + 1e-9) == pytest.approx(z, abs=1e-4)
    if high < 1 - 1e-9:
        assert score(sums, high - 1e-9) == pytest.approx(-z, abs=1e-4)


@given(THIRDS)
@settings(deadline=None, max_examples=60)
def test_the_difference_is_that_of_the_accuracies_and_turns_its_sign_with_the_runs(cases):
    sums, turned = thirds(cases), thirds([(b, a) for a, b in cases])
    assert sums.difference == pytest.approx(sum(b - a for a, b in cases) / 3 / len(cases), abs=1e-12)
    low, high = interval(sums)
    assert interval(turned) == (pytest.approx(-high, abs=1e-9), pytest.approx(-low, abs=1e-9))


@given(TABLES)
@settings(deadline=None, max_examples=40)
def test_repeats_that_only_repeat_themselves_tell_nothing_new(table):
    lost, gained, same = table
    cases = [(3, 0)] * lost + [(0, 3)] * gained + [(3, 3)] * same
    assert thirds(cases).effective == pytest.approx(sum(table))
    assert interval(thirds(cases)) == pytest.approx(interval(once(*table)), abs=1e-9)


@given(TABLES, st.integers(2, 4))
@settings(deadline=None, max_examples=40)
def test_cases_that_only_repeat_their_family_tell_nothing_new(table, size):
    lost, gained, same = table
    kinds = [(1, 0)] * lost + [(0, 1)] * gained + [(1, 1)] * same
    pairs = [
        CasePair(a=Fraction(a), b=Fraction(b), family=number)
        for number, (a, b) in enumerate(kinds)
        for _ in range(size)
    ]
    assert interval(paired_sums(pairs)) == pytest.approx(interval(once(*table)), abs=1e-9)


def test_no_case_has_no_difference():
    with pytest.raises(ValueError, match="no case"):
        paired_sums([])


# ---- simulated pairs of runs ----


def runs_of(rng, *, cases, accuracy, difference, alike, repeats):
    """Two runs over cases of which a share is equally hard for both; the true difference is known."""
    first, second = rng.random(cases), rng.random(cases)
    second = np.where(rng.random(cases) < alike, first, second)
    a, b = first < accuracy, second < accuracy + difference
    if repeats == 1:
        return list(zip(a.astype(int).tolist(), b.astype(int).tolist(), strict=True))
    # With repeats a case that is passed as a rule may fail once: chances that keep both means.
    chance_a = np.where(rng.random(cases) < 0.5, a, accuracy)
    chance_b = np.where(rng.random(cases) < 0.5, b, accuracy + difference)
    return list(zip(rng.binomial(3, chance_a).tolist(), rng.binomial(3, chance_b).tolist(), strict=True))


def sums_of_runs(drawn, repeats):
    if repeats == 3:
        return thirds(drawn)
    return paired_sums(CasePair(a=Fraction(a), b=Fraction(b)) for a, b in drawn)


CASES = [
    pytest.param({"cases": 60, "accuracy": 0.7, "alike": 0.8, "repeats": 1}, id="60 cases once"),
    pytest.param({"cases": 172, "accuracy": 0.9, "alike": 0.95, "repeats": 1}, id="172 alike, once"),
    pytest.param({"cases": 172, "accuracy": 0.6, "alike": 0.0, "repeats": 1}, id="172 unlike, once"),
    pytest.param({"cases": 100, "accuracy": 0.8, "alike": 0.8, "repeats": 3}, id="100 thrice"),
]


@pytest.mark.parametrize("kind", CASES)
@pytest.mark.parametrize("difference", [0.0, -0.1])
def test_the_interval_holds_the_true_difference_about_as_often_as_promised(kind, difference):
    rng, draws, held, z = np.random.default_rng(8), 250, 0, norm.ppf(0.975)
    for _ in range(draws):
        sums = sums_of_runs(runs_of(rng, difference=difference, **kind), kind["repeats"])
        # In the interval is what the score does not reject; its ends are tested above.
        held += abs(score(sums, difference)) <= z
    assert held / draws > 0.94 - 3 * math.sqrt(0.95 * 0.05 / draws)


@pytest.mark.parametrize("kind", CASES)
def test_a_run_that_is_worse_by_the_margin_is_rarely_called_good_enough(kind):
    rng, draws = np.random.default_rng(9), 250
    answers = [
        good_enough(sums_of_runs(runs_of(rng, difference=-0.08, **kind), kind["repeats"]), 0.08).answer
        for _ in range(draws)
    ]
    bound = 0.055 + 3 * math.sqrt(0.05 * 0.95 / draws)
    assert answers.count("yes") / draws < bound
    assert answers.count("no") / draws < bound


def test_about_so_many_more_cases_decide_four_times_of_five():
    rng = np.random.default_rng(10)
    first = once(6, 6, 108)
    found = good_enough(first, 0.04)
    assert found.answer == "cannot tell"
    cases = first.cases + found.more_cases
    # Runs whose cases differ as often as those: 10 % of them.
    decided = 0
    for _ in range(200):
        lost, gained, same = rng.multinomial(cases, [0.05, 0.05, 0.9])
        decided += good_enough(once(int(lost), int(gained), int(same)), 0.04).answer == "yes"
    assert 0.7 < decided / 200 < 0.9


def test_the_answers_and_what_they_need():
    assert good_enough(once(0, 0, 60), 0.05).answer == "yes"
    few = good_enough(once(0, 0, 25), 0.05)
    # Without a single difference: z = sqrt(n m / (1 - m)) reaches 1.645 at 52 cases.
    assert (few.answer, few.more_cases) == ("cannot tell", 27)
    assert good_enough(once(0, 0, 52), 0.05).answer == "yes"
    assert good_enough(once(0, 0, 51), 0.05).answer == "cannot tell"
    assert good_enough(once(40, 2, 60), 0.05).answer == "no"
    assert good_enough(once(5, 0, 95), 0.05).more_cases is None


def test_families_take_as_many_more_cases_as_they_have_members():
    kinds = [(1, 0)] * 3 + [(0, 1)] * 3 + [(1, 1)] * 54
    families = paired_sums(
        CasePair(a=Fraction(a), b=Fraction(b), family=number) for number, (a, b) in enumerate(kinds) for _ in range(4)
    )
    alone, together = good_enough(once(3, 3, 54), 0.04), good_enough(families, 0.04)
    assert together.p == pytest.approx(alone.p)
    assert together.more_cases == pytest.approx(4 * alone.more_cases, abs=4)


@pytest.mark.parametrize("margin", [0, 1, -0.1, 2, math.nan])
def test_a_margin_is_a_share(margin):
    with pytest.raises(ValueError, match="margin"):
        good_enough(once(1, 1, 1), margin)


# ---- what a board can show ----


@pytest.mark.parametrize("cases", [25, 60, 172, 400])
@pytest.mark.parametrize("square", [0.05, 0.2, 0.5])
def test_the_smallest_difference_is_found_at_least_four_times_of_five(cases, square):
    rng, draws = np.random.default_rng(11), 400
    difference = detectable(cases, square)
    discordant = max(square, difference)
    chances = [(discordant + difference) / 2, (discordant - difference) / 2, 1 - discordant]
    found = sum(
        mcnemar([[0, int(lost)], [int(gained), 0]], exact=True).pvalue < 0.05
        for lost, gained, _ in rng.multinomial(cases, np.clip(chances, 0, 1), draws)
    )
    assert found / draws > 0.8 - 3 * math.sqrt(0.8 * 0.2 / draws)
    # And it is not far too large: two thirds of it are found less often.
    if cases >= 100:
        smaller = 2 * difference / 3
        chances = [(discordant + smaller) / 2, (discordant - smaller) / 2, 1 - discordant]
        fewer = sum(
            mcnemar([[0, int(lost)], [int(gained), 0]], exact=True).pvalue < 0.05
            for lost, gained, _ in rng.multinomial(cases, chances, draws)
        )
        assert fewer / draws < 0.8


def test_too_few_cases_show_nothing():
    assert detectable(5, 0.5) is None
    assert detectable(12, 0.5) == pytest.approx(0.657, abs=1e-3)


@pytest.mark.parametrize("bad", [(0, 0.5), (10, -0.1), (10, 1.5), (10, math.nan)])
def test_what_cannot_be_asked(bad):
    with pytest.raises(ValueError, match="cases"):
        detectable(*bad)


# ---- the cross-check ----


def test_the_bootstrap_is_near_scipys():
    rng = np.random.default_rng(12)
    values = rng.binomial(3, 0.7, 80) / 3
    wanted = scipy_bootstrap((values,), np.mean, method="percentile", n_resamples=5000, rng=rng).confidence_interval
    found = bootstrap([(float(value), 1) for value in values])
    # The percentiles 5 and 95 would lie 0.009 further in.
    assert found == pytest.approx((wanted.low, wanted.high), abs=0.005)
    assert found == bootstrap([(float(value), 1) for value in values])


def test_the_bootstrap_draws_families_whole():
    rng = np.random.default_rng(13)
    families = [(float(4 * one), 4) for one in rng.binomial(1, 0.6, 30)]
    low, high = bootstrap(families)
    alone = bootstrap([(total / 4, 1) for total, _ in families])
    assert (low, high) == pytest.approx(alone, abs=0.01)
    mixed = bootstrap([(0.0, 1), (8.0, 8)] * 10)
    assert mixed[0] < 8 / 9 < mixed[1]


def test_the_bootstrap_of_nothing_is_refused():
    with pytest.raises(ValueError, match="no cluster"):
        bootstrap([])

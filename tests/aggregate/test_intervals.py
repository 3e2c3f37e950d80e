"""Intervals agree with scipy and with the figures of PROTOCOL 6."""

from __future__ import annotations

import pytest
from scipy.stats import beta, binomtest

from fcbench.aggregate.intervals import cases_needed, lower_bound, upper_bound, wilson

COUNTS = [(0, 1), (1, 1), (0, 10), (3, 10), (10, 10), (171, 172), (86, 172), (1, 400), (597, 600), (2999, 3000)]


@pytest.mark.parametrize(("successes", "n"), COUNTS)
def test_wilson_agrees_with_scipy(successes, n):
    theirs = binomtest(successes, n).proportion_ci(0.95, method="wilson")
    assert wilson(successes, n) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


@pytest.mark.parametrize(("successes", "n"), COUNTS)
def test_clopper_pearson_agrees_with_scipy(successes, n):
    low = beta.ppf(0.05, successes, n - successes + 1) if successes else 0.0
    high = beta.ppf(0.95, successes + 1, n - successes) if successes < n else 1.0
    assert lower_bound(successes, n) == pytest.approx(low, abs=1e-9)
    assert upper_bound(successes, n) == pytest.approx(high, abs=1e-9)


@pytest.mark.parametrize(
    ("failures", "threshold", "cases"), [(0, 0.99, 299), (1, 0.99, 473), (2, 0.99, 628), (0, 0.95, 59)]
)
def test_the_cases_that_a_claim_needs_are_those_of_the_protocol(failures, threshold, cases):
    assert cases_needed(failures, threshold) == cases
    assert lower_bound(cases - failures, cases) >= threshold
    assert lower_bound(cases - 1 - failures, cases - 1) < threshold


def test_wilson_takes_shares_of_cases_and_ends_exactly():
    low, high = wilson(1.5, 3)
    assert low + high == pytest.approx(1.0)
    assert wilson(0, 5)[0] == 0.0
    assert wilson(5, 5)[1] == 1.0
    assert wilson(0, 0) is None


@pytest.mark.parametrize(("successes", "n"), [(-1, 3), (4, 3)])
def test_impossible_counts_are_refused(successes, n):
    with pytest.raises(ValueError, match="successes of 3"):
        wilson(successes, n)
    with pytest.raises(ValueError, match="successes of 3"):
        lower_bound(successes, n)

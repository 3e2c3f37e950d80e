"""The sign-flip test agrees with scipy's permutation test, with McNemar's test, and with its own name."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, permutation_test

from fcbench.aggregate.mcnemar import exact_mcnemar
from fcbench.aggregate.sign_flip import MAX_BITS, _approximated, _counted, sign_flip, sign_flip_of_steps

THIRDS = st.lists(st.integers(-3, 3).map(lambda n: Fraction(n, 3)), max_size=12)


@given(THIRDS)
@settings(max_examples=60, deadline=None)
def test_it_is_scipys_exact_permutation_test(differences: list[Fraction]) -> None:
    # In whole thirds: sums of floats would miss ties by their last bits.
    moved = [int(3 * one) for one in differences if one]
    if len(moved) < 2:
        assert sign_flip(differences) == 1.0
        return
    whole = permutation_test(
        (np.array(moved),), lambda x, axis: np.sum(x, axis=axis), permutation_type="samples", n_resamples=np.inf
    )
    # scipy doubles the smaller tail; the distribution is symmetric, so both are the same but for the cap at 1.
    assert sign_flip(differences) == pytest.approx(min(1.0, whole.pvalue), abs=1e-12)


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 60))
def test_with_one_repeat_it_is_the_test_of_mcnemar(lost: int, gained: int, same: int) -> None:
    differences = [Fraction(1)] * lost + [Fraction(-1)] * gained + [Fraction(0)] * same
    assert sign_flip(differences) == pytest.approx(exact_mcnemar(lost, gained), rel=1e-12)


def test_mixed_denominators_are_brought_to_one_unit() -> None:
    # Signs of 1/2 and 1/3: sums 5/6, 1/6, -1/6, -5/6; all four are at least 1/6 away.
    assert sign_flip([Fraction(1, 2), Fraction(-1, 3)]) == 1.0
    assert sign_flip([Fraction(1, 2), Fraction(1, 3)]) == 0.5


@given(st.lists(st.integers(-5, 5).filter(bool), min_size=1, max_size=60), st.integers(0, 400))
@settings(max_examples=100, deadline=None)
def test_counting_by_polynomial_is_counting_one_by_one(moved: list[int], further: int) -> None:
    ways = Counter({0: 1})
    for step in moved:
        ways = sum((Counter({total + sign * step: n for total, n in ways.items()}) for sign in (1, -1)), Counter())
    observed = min(abs(sum(moved)) + 2 * further, sum(abs(step) for step in moved))
    wanted = sum(n for total, n in ways.items() if abs(total) >= observed) / 2 ** len(moved)
    assert sign_flip_of_steps(Counter(map(abs, moved)), -observed) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("largest", [1, 2, 3, 5])
@pytest.mark.parametrize("z", [0.3, 1.0, 2.0, 3.0, 4.5, 6.0])
def test_the_approximation_of_many_sums_is_within_a_thousandth_of_the_count(largest: int, z: float) -> None:
    """At 150 differences, where the count still is quick; beyond that the approximation comes nearer."""
    rng = random.Random(largest)
    sizes = Counter(rng.randint(1, largest) for _ in range(150))
    spread = sum(size * size * n for size, n in sizes.items()) ** 0.5
    observed = round(z * spread / 2) * 2 + sum(size * n for size, n in sizes.items()) % 2
    assert sum(sizes.values()) * observed < MAX_BITS
    assert _approximated(sizes, observed) == pytest.approx(_counted(sizes, observed), rel=1e-3)


def test_too_many_sums_are_approximated() -> None:
    rng = random.Random(3)
    primes = [Fraction(rng.randint(-40, 60), 101) for _ in range(90)]
    fine = [one + Fraction(1, 10_007) for one in primes]
    assert sign_flip(fine) == pytest.approx(sign_flip(primes), rel=0.05)


@pytest.mark.parametrize("n", [1_000, 20_000])
def test_with_many_cases_it_is_scipys_binomial_test(n: int) -> None:
    for z in (0.0, 0.02, 0.5, 2.0, 5.0, 8.0):
        observed = round(z * n**0.5 / 2) * 2
        wanted = binomtest((n + observed) // 2, n).pvalue
        assert sign_flip_of_steps({1: n}, observed) == pytest.approx(wanted, rel=1e-4)


def test_the_furthest_sum_has_one_choice_on_either_side() -> None:
    assert sign_flip_of_steps({3: 5}, 15) == 2 / 2**5
    assert sign_flip_of_steps({1: 900, 2: 900}, 2700) == 2.0 ** (1 - 1800) == 0.0


def test_two_equal_runs_are_called_different_no_more_often_than_promised() -> None:
    """400 simulated comparisons of 60 cases with 3 repeats where the truth is: no difference."""
    rng = random.Random(11)

    def share(chance: float) -> Fraction:
        return Fraction(sum(rng.random() < chance for _ in range(3)), 3)

    hits = 0
    for _ in range(400):
        chances = [rng.random() for _ in range(60)]
        hits += sign_flip([share(chance) - share(chance) for chance in chances]) < 0.05
    assert hits / 400 < 0.05 + 3 * (0.05 * 0.95 / 400) ** 0.5

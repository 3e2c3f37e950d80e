"""Weighted kappa against the table form of its definition, and the bootstrap interval against simulated raters."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcbench.aggregate.agreement import Pair, agreement, weighted_kappa

RATINGS = st.integers(0, 3)
PAIRS = st.lists(st.tuples(RATINGS, RATINGS), min_size=1, max_size=60)


def by_table(pairs: list[Pair], categories: int = 4) -> float | None:
    """Cohen 1968 as it stands there: matrices of observed and expected proportions and of weights."""
    observed = np.zeros((categories, categories))
    for left, right in pairs:
        observed[left, right] += 1
    observed /= len(pairs)
    expected = np.outer(observed.sum(axis=1), observed.sum(axis=0))
    rows, columns = np.indices(observed.shape)
    weights = ((rows - columns) / (categories - 1)) ** 2
    chance = float((weights * expected).sum())
    return None if chance < 1e-12 else 1 - float((weights * observed).sum()) / chance


@given(PAIRS)
def test_kappa_is_what_the_matrices_give(pairs: list[Pair]) -> None:
    found, wanted = weighted_kappa(pairs), by_table(pairs)
    assert (found is None) == (wanted is None)
    if found is not None:
        assert found == pytest.approx(wanted, abs=1e-9)


@given(PAIRS)
def test_kappa_does_not_care_who_is_first_or_where_the_scale_begins(pairs: list[Pair]) -> None:
    assert weighted_kappa([(y, x) for x, y in pairs]) == weighted_kappa(pairs)
    assert weighted_kappa([(x + 5, y + 5) for x, y in pairs]) == weighted_kappa(pairs)


@pytest.mark.parametrize(
    ("pairs", "kappa"),
    [
        pytest.param([(0, 0), (1, 1), (3, 3)], 1.0, id="equal throughout"),
        pytest.param([(0, 3), (3, 0)], -1.0, id="opposite"),
        pytest.param([(0, 0), (0, 3), (3, 0), (3, 3)], 0.0, id="as chance would have it"),
        # Observed 2 over 4 pairs; expected E[x^2] + E[y^2] - 2 E[x]E[y] = 3.5 + 3.5 - 2 * 1.5 * 1.5 = 2.5.
        pytest.param([(0, 1), (1, 0), (2, 2), (3, 3)], 1 - 0.5 / 2.5, id="two neighbours swapped, by hand"),
        pytest.param([(2, 2), (2, 2)], None, id="one rating throughout is not defined"),
        pytest.param([], None, id="nothing rated"),
    ],
)
def test_kappa_of_small_tables(pairs: list[Pair], kappa: float | None) -> None:
    assert weighted_kappa(pairs) == (None if kappa is None else pytest.approx(kappa))


def test_the_interval_is_seeded_and_holds_the_estimate() -> None:
    draw = random.Random(3)
    items = [[(draw.randrange(4), draw.randrange(4)) for _ in range(3)] for _ in range(25)]
    first, again, other = (agreement(items, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert (first.low, first.high) != (other.low, other.high)
    assert first.low is not None
    assert first.kappa is not None
    assert first.high is not None
    assert first.low < first.kappa < first.high
    assert (first.items, first.pairs) == (25, 75)


def test_whole_items_are_drawn_so_copies_of_a_criterion_add_no_certainty() -> None:
    draw = random.Random(5)
    plain = [[(draw.randrange(4), draw.randrange(4))] for _ in range(30)]
    copied = [item * 20 for item in plain]
    one, many = agreement(plain, seed=1), agreement(copied, seed=1)
    assert (many.kappa, many.low, many.high) == pytest.approx((one.kappa, one.low, one.high))


def test_the_interval_covers_the_truth_of_simulated_raters_about_as_often_as_it_says() -> None:
    """Two raters see a true value and err alike: the true kappa comes from a very long simulation."""

    def pair(draw: random.Random) -> Pair:
        truth = draw.randrange(4)
        seen = [truth if draw.random() < 0.7 else draw.randrange(4) for _ in range(2)]
        return seen[0], seen[1]

    draw = random.Random(11)
    truth = weighted_kappa([pair(draw) for _ in range(200_000)])
    held = 0
    for trial in range(200):
        found = agreement([[pair(draw)] for _ in range(60)], seed=trial, resamples=300)
        held += found.low is not None and found.high is not None and found.low <= truth <= found.high
    # 95 % of 200 is 190; percentile intervals run a little narrow, and 200 trials have a standard error of 1.5 %.
    assert 178 <= held <= 199


@pytest.mark.parametrize(
    ("items", "has_interval"),
    [
        pytest.param([[(0, 1), (2, 3)]], False, id="one item"),
        pytest.param([[(2, 2)]] * 9 + [[(1, 2)]], False, id="a third of the resamples has one rating only"),
        pytest.param([[(0, 0)], [(1, 2)], [(3, 3)], [(2, 2)], [(0, 1)], [(3, 2)], [(1, 1)]], True, id="enough"),
    ],
)
def test_no_interval_is_given_where_the_bootstrap_cannot_give_one(items: list[list[Pair]], has_interval: bool) -> None:
    found = agreement(items, seed=1)
    assert found.kappa is not None
    assert (found.low is not None, found.high is not None) == (has_interval, has_interval)


def test_nothing_rated_gives_no_number() -> None:
    found = agreement([], seed=1)
    assert (found.exact, found.kappa, found.low) == (None, None, None)

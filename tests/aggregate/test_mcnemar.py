"""The exact test of McNemar agrees with scipy's binomial test and with figures worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from fcbench.aggregate.mcnemar import exact_mcnemar

COUNT = st.integers(min_value=0, max_value=300)


@pytest.mark.parametrize(
    ("lost", "gained", "p"),
    [
        pytest.param(0, 0, 1.0, id="nothing differs"),
        pytest.param(1, 0, 1.0, id="one case says nothing"),
        pytest.param(5, 5, 1.0, id="as many each way"),
        pytest.param(1, 9, 2 * (1 + 10) / 1024, id="one against nine"),
        pytest.param(0, 6, 2 / 64, id="none against six"),
    ],
)
def test_figures_worked_out_by_hand(lost: int, gained: int, p: float) -> None:
    assert exact_mcnemar(lost, gained) == p


@given(COUNT, COUNT)
def test_it_is_the_binomial_test_of_scipy(lost: int, gained: int) -> None:
    expected = binomtest(lost, lost + gained).pvalue if lost + gained else 1.0
    assert exact_mcnemar(lost, gained) == pytest.approx(expected, rel=1e-9)
    assert exact_mcnemar(gained, lost) == exact_mcnemar(lost, gained)


def test_thousands_of_cases_neither_overflow_nor_vanish() -> None:
    assert 0 < exact_mcnemar(4000, 4400) < 0.001


@pytest.mark.parametrize(("lost", "gained"), [(-1, 3), (3, -1)])
def test_a_count_below_zero_is_refused(lost: int, gained: int) -> None:
    with pytest.raises(ValueError, match="-1"):
        exact_mcnemar(lost, gained)

"""Holm's correction agrees with figures worked out by hand and refuses what is no p."""

from __future__ import annotations

import math

import pytest

from fcbench.aggregate.holm import holm


@pytest.mark.parametrize(
    ("given", "adjusted"),
    [
        pytest.param([], [], id="no test"),
        pytest.param([0.03], [0.03], id="one test is not corrected"),
        pytest.param([0.01, 0.04, 0.03], [0.03, 0.06, 0.06], id="never below an earlier one"),
        pytest.param([0.9, 0.8], [1.0, 1.0], id="at most 1"),
    ],
)
def test_figures_worked_out_by_hand(given: list[float], adjusted: list[float]) -> None:
    assert holm(given) == pytest.approx(adjusted)


@pytest.mark.parametrize("bad", [-0.1, 1.1, math.nan])
def test_what_is_no_p_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="outside"):
        holm([0.5, bad])

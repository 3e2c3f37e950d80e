"""What a run and a success cost."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcbench.aggregate.tables import board_table
from fcbench.core.evidence import Usage
from fcbench.engine.prices import Price, PriceList, cost_of, price_of
from tests.aggregate.test_tables import UNJUDGED, only, rows

PRICES = PriceList(
    date="2026-06-01",
    currency="EUR",
    models={
        "scripted:model-a": (
            Price(input=1.0, output=4.0, cached_input=0.25, valid_from="2026-01-01"),
            Price(input=2.0, output=8.0, valid_from="2026-05-05"),
        )
    },
)
COSTS = ["cost", "cost_n", "cost_per_success", "cost_currency"]


def test_a_run_costs_what_its_tokens_cost_on_its_day() -> None:
    """By hand: (800 x 1 + 200 x 0.25 + 50 x 4) + (1000 x 1 + 10 x 4) = 2,090 millionths; one of two passed."""
    frame = rows(
        {"task_id": "t-1", "input_tokens": 1000, "cached_input_tokens": 200, "output_tokens": 50},
        {"task_id": "t-2", "input_tokens": 1000, "output_tokens": 10, "passed": False},
    )
    row = only(board_table(frame, PRICES))
    assert [row[name] for name in COSTS] == [pytest.approx(0.00209), 2, pytest.approx(0.00209), "EUR"]
    assert row["tokens_per_success"] == 2060
    assert row["cached_input_tokens"] == 200


def test_a_later_run_has_the_later_price() -> None:
    frame = rows({"created_at": "2026-05-05T00:00:00.000Z", "input_tokens": 1000, "output_tokens": 0})
    assert only(board_table(frame, PRICES))["cost"] == pytest.approx(0.002)


@pytest.mark.parametrize(
    ("change", "prices"),
    [
        pytest.param({}, None, id="no prices"),
        pytest.param({"model": "model-b"}, PRICES, id="another model"),
        pytest.param({"provider": "elsewhere"}, PRICES, id="another provider"),
        pytest.param({"created_at": "2025-12-31T23:59:59.999Z"}, PRICES, id="before the first price"),
        pytest.param({"input_tokens": None}, PRICES, id="nobody counted the input"),
        pytest.param({"output_tokens": None}, PRICES, id="nobody counted the output"),
    ],
)
def test_an_unknown_cost_is_unknown_and_never_nought(change: dict[str, object], prices: PriceList | None) -> None:
    row = only(board_table(rows(change), prices))
    assert (row["cost"], row["cost_per_success"]) == (None, None)


def test_without_a_success_a_success_has_no_cost() -> None:
    row = only(board_table(rows({"passed": False}), PRICES))
    assert row["cost"] > 0
    assert (row["cost_per_success"], row["tokens_per_success"]) == (None, None)


def test_restraint_cases_cost_and_are_no_success() -> None:
    frame = rows(
        {"task_id": "t-1", "input_tokens": 1000, "output_tokens": 0},
        {"task_id": "r-1", "decision": "ask", "input_tokens": 9000, "output_tokens": 0},
    )
    row = only(board_table(frame, PRICES))
    assert (row["cost"], row["cost_per_success"]) == (pytest.approx(0.01), pytest.approx(0.001))


def test_attempts_without_a_verdict_or_without_tokens_are_not_in_it() -> None:
    frame = rows(
        {"task_id": "t-1", "input_tokens": 1000, "output_tokens": 0},
        {"task_id": "t-2", "input_tokens": 500, "output_tokens": 0, **UNJUDGED},
        {"task_id": "t-3", "input_tokens": None},
    )
    row = only(board_table(frame, PRICES))
    assert (row["cost"], row["cost_n"], row["cost_per_success"]) == (pytest.approx(0.001), 1, pytest.approx(0.001))


def test_the_invented_models_are_known_without_a_file_and_in_their_own_currency() -> None:
    frame = rows({"provider": "example", "model": "cheap", "input_tokens": 1_000_000, "output_tokens": 0})
    price = price_of("example", "cheap", dt.date(2026, 5, 4))
    row = only(board_table(frame, PRICES))
    assert price is not None
    assert row["cost"] == pytest.approx(price.input)
    assert row["cost_currency"] not in (None, "EUR")


_TOKENS = st.one_of(st.none(), st.integers(0, 10**9))


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(_TOKENS, _TOKENS, st.one_of(st.none(), st.integers(-5, 10**9)), st.booleans()), min_size=1))
def test_the_sum_is_that_of_the_attempts_one_by_one(attempts: list[tuple[int | None, int | None, int | None, bool]]):
    told = [
        {
            "task_id": f"t-{n}",
            "input_tokens": read,
            "output_tokens": wrote,
            "cached_input_tokens": cached,
            "passed": won,
        }
        for n, (read, wrote, cached, won) in enumerate(attempts)
    ]
    row = only(board_table(rows(*told), PRICES))
    price = PRICES.price_of("scripted:model-a", dt.date(2026, 5, 4))
    each = [
        cost_of(Usage(input_tokens=read, output_tokens=wrote, cached_input_tokens=cached), price)
        for read, wrote, cached, _ in attempts
    ]
    known = [one for one in each if one is not None]
    won = sum(one[3] for one, cost in zip(attempts, each, strict=True) if cost is not None)
    assert row["cost"] == (pytest.approx(sum(known)) if known else None)
    assert row["cost_per_success"] == (pytest.approx(sum(known) / won) if won else None)

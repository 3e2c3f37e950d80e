"""Price files: dated prices, the examples that fcbench ships, and files that do not read."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcbench.core.yaml12 import parse_yaml
from fcbench.engine.prices import Price, PriceList, example_prices, price_of, read_prices
from fcbench.errors import BadInputError

TEXT = """\
date: 2026-12-01
currency: USD
models:
  openai_chat:steady: {input: 1, output: 2}
  openai_chat:changed:
    - {input: 1, output: 2, valid_from: 2026-01-01}
    - {input: 3, output: 4, valid_from: 2026-06-01}
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "prices.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("model", "day", "expected"),
    [
        pytest.param("steady", None, 1, id="one price, any day"),
        pytest.param("steady", date(1999, 1, 1), 1, id="one price, long ago"),
        pytest.param("changed", date(2025, 12, 31), None, id="before its first day it is unknown"),
        pytest.param("changed", date(2026, 1, 1), 1, id="on its first day"),
        pytest.param("changed", date(2026, 5, 31), 1, id="the day before the next"),
        pytest.param("changed", date(2026, 6, 1), 3, id="the next"),
        pytest.param("changed", None, 3, id="the newest"),
        pytest.param("other", None, None, id="not in the file"),
    ],
)
def test_the_price_of_the_day_holds(tmp_path: Path, model: str, day: date | None, expected: float | None) -> None:
    found = price_of("openai_chat", model, day, read_prices(written(tmp_path, TEXT)))
    assert (found.input if found else None) == expected


def test_only_invented_models_are_shipped_and_the_users_file_goes_before_them() -> None:
    assert set(example_prices().models) == {"example:cheap", "example:dear"}
    assert "invented" in example_prices().source
    assert price_of("openai_chat", "gpt") is None
    shipped = price_of("example", "cheap")
    own = PriceList(date="2026-12-01", currency="USD", models={"example:cheap": Price(input=7, output=8)})
    assert shipped is not None
    assert price_of("example", "cheap", None, own) == Price(input=7, output=8) != shipped


@pytest.mark.parametrize(
    ("old", "new", "line", "field"),
    [
        pytest.param("2026-12-01", "2026-13-01", 1, "/date", id="month"),
        pytest.param("USD", "''", 2, "/currency", id="currency"),
        pytest.param("{input: 1, output: 2}\n", "{input: .5, output: -2}\n", 4, "steady/output", id="negative"),
        pytest.param("2026-06-01", "soon", 7, "changed/1/valid_from", id="first day"),
        pytest.param("2026-06-01", "2026-01-01", 5, "changed", id="one day twice"),
        pytest.param(", valid_from: 2026-06-01", ", cached: 1", 7, "changed/1/cached", id="unknown field"),
    ],
)
def test_a_bad_price_is_named_with_line_and_field(tmp_path: Path, old: str, new: str, line: int, field: str) -> None:
    assert old in TEXT
    with pytest.raises(BadInputError) as caught:
        read_prices(written(tmp_path, TEXT.replace(old, new)))
    assert f"prices.yaml:{line}" in (caught.value.where or "")
    assert (caught.value.where or "").endswith(field)


@given(st.one_of(st.binary(max_size=200), st.text(max_size=200).map(lambda text: text.encode(errors="replace"))))
def test_any_bytes_are_read_or_refused(raw: bytes) -> None:
    try:
        prices = parse_yaml(raw, name="prices.yaml").read(PriceList)
    except BadInputError:
        return
    assert prices.currency is not None


AMOUNTS = st.floats(min_value=0, max_value=1e6)


@given(days=st.lists(st.dates(), min_size=1, max_size=6, unique=True), day=st.dates(), amount=AMOUNTS)
def test_the_newest_price_that_holds_is_taken_in_whatever_order_they_stand(
    days: list[date], day: date, amount: float
) -> None:
    entries = tuple(Price(input=amount + place, output=0, valid_from=one.isoformat()) for place, one in enumerate(days))
    prices = PriceList(date="2026-12-01", currency="USD", models={"a:b": entries})
    held = [one for one in days if one <= day]
    found = prices.price_of("a:b", day)
    assert (found.valid_from if found else None) == (max(held).isoformat() if held else None)

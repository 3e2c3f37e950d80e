"""What tokens cost: a dated price file that the user keeps, and sums over usage. An unknown price is unknown, never 0.

fcbench ships no prices: they change, and a number that nobody looked up would be believed.
"""

from __future__ import annotations

from datetime import date
from pathlib import Path

from msgspec import field

from fcbench.core.evidence import Usage
from fcbench.core.names import JsonObject
from fcbench.core.records import Record
from fcbench.core.yaml12 import load_yaml
from fcbench.errors import BadInputError

_MILLION = 1_000_000


class Price(Record, frozen=True, kw_only=True):
    """Prices of one model, each for a million tokens."""

    input: float
    output: float
    cached_input: float | None = None
    """For input tokens that came from the provider's cache; as `input` where it is None."""


class PriceList(Record, frozen=True, kw_only=True):
    """A price file."""

    format_version: int = 1
    date: str
    """The day on which the prices were looked up, as YYYY-MM-DD."""
    currency: str
    """Such as USD."""
    source: str = ""
    """Where they were found."""
    models: dict[str, Price] = field(default_factory=dict)
    """By `provider:model`, as `--model` names it."""

    def price_of(self, model: str) -> Price | None:
        """The price of a model, or None where the file does not know it."""
        return self.models.get(model)


def read_prices(path: Path) -> PriceList:
    """Read a price file (YAML).

    Raises:
        NotFoundError: the file cannot be read.
        BadInputError: it does not hold what it should; the message names line or field.
    """
    prices = load_yaml(path).read(PriceList)
    _check(prices, path)
    return prices


def _check(prices: PriceList, path: Path) -> None:
    problem = None
    if prices.format_version != 1:
        problem = f"format_version {prices.format_version}"
    elif not _is_day(prices.date):
        problem = f"date {prices.date[:40]!r}"
    elif not prices.currency.strip():
        problem = "an empty currency"
    for model, price in prices.models.items():
        parts = (price.input, price.output, price.cached_input or 0.0)
        if not all(0 <= part < float("inf") for part in parts):
            problem = f"a price of {model[:80]!r} that is no amount of money"
    if problem:
        raise BadInputError(
            "this price file does not read",
            wanted="format_version 1, a date as YYYY-MM-DD, a currency, and prices from 0 on for a million tokens",
            found=problem,
            where=str(path),
        )


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def cost_of(usage: Usage, price: Price | None) -> float | None:
    """The cost of counted tokens, in the currency of the price; None where price or tokens are unknown."""
    if price is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    cached = min(max(usage.cached_input_tokens or 0, 0), usage.input_tokens)
    cached_price = price.input if price.cached_input is None else price.cached_input
    fresh = usage.input_tokens - cached
    return (fresh * price.input + cached * cached_price + usage.output_tokens * price.output) / _MILLION


def price_facts(prices: PriceList) -> JsonObject:
    """What is said of a price file wherever a cost is shown."""
    return {"date": prices.date, "currency": prices.currency, "source": prices.source}


__all__ = ["Price", "PriceList", "cost_of", "price_facts", "read_prices"]

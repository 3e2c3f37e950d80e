"""What tokens cost: a dated price file that the user keeps, and sums over usage. An unknown price is unknown, never 0.

fcbench ships no real prices: they change, and a number that nobody looked up would be believed. What it ships are two
invented models, `example:cheap` and `example:dear`, for trying things out.
"""

from __future__ import annotations

import datetime as dt
from functools import cache
from importlib import resources
from pathlib import Path

from msgspec import field

from fcbench.core.canonical import pointer
from fcbench.core.evidence import Usage
from fcbench.core.names import JsonObject
from fcbench.core.records import Record
from fcbench.core.yaml12 import Document, load_yaml, parse_yaml

_MILLION = 1_000_000


class Price(Record, frozen=True, kw_only=True):
    """Prices of one model, each for a million tokens."""

    input: float
    output: float
    cached_input: float | None = None
    """For input tokens that came from the provider's cache; as `input` where it is None."""
    valid_from: str | None = None
    """The first day on which it holds, as YYYY-MM-DD; None: on every day before the next one."""
    source: str = ""
    """Where this one was found, if not where the file says."""


class PriceList(Record, frozen=True, kw_only=True):
    """A price file."""

    format_version: int = 1
    date: str
    """The day on which the prices were looked up, as YYYY-MM-DD."""
    currency: str
    """Such as USD."""
    source: str = ""
    """Where they were found."""
    models: dict[str, Price | tuple[Price, ...]] = field(default_factory=dict)
    """By `provider:model`, as `--model` names it; a list where a price changed, each with its first day."""

    def price_of(self, model: str, day: dt.date | None = None) -> Price | None:
        """The price of a model, or None where the file does not know it.

        Args:
            model: `provider:model`.
            day: the day of the run; without it the newest price is taken.
        """
        listed = self.models.get(model, ())
        entries = (listed,) if isinstance(listed, Price) else listed
        held = [one for one in entries if day is None or _first_day(one) <= day]
        return max(held, key=_first_day, default=None)


def price_of(provider: str, model: str, day: dt.date | None = None, prices: PriceList | None = None) -> Price | None:
    """The price of a model on a day, or None: unknown, which is never 0.

    Args:
        provider: as `--model` begins, such as `openai_chat`, or a preset.
        model: what stands after the colon.
        day: the day of the run; without it the newest price.
        prices: the user's price file; the example models are known without one.
    """
    name = f"{provider}:{model}"
    return (prices.price_of(name, day) if prices else None) or example_prices().price_of(name, day)


@cache
def example_prices() -> PriceList:
    """The invented prices of `example:cheap` and `example:dear`, in an invented currency."""
    text = resources.files("fcbench.engine").joinpath("example_prices.yaml").read_bytes()
    return _read(parse_yaml(text, name="example_prices.yaml"))


def read_prices(path: Path) -> PriceList:
    """Read a price file (YAML).

    Raises:
        NotFoundError: the file cannot be read.
        BadInputError: it does not hold what it should; the message names line or field.
    """
    return _read(load_yaml(path))


def _read(document: Document) -> PriceList:
    _read_each(document)
    prices = document.read(PriceList)
    if prices.format_version != 1:
        raise document.complain(
            "this price file is of another format",
            "/format_version",
            wanted="format_version 1",
            found=f"format_version {prices.format_version}",
        )
    _check_day(document, "/date", prices.date)
    if not prices.currency.strip():
        raise document.complain("this price file names no currency", "/currency", wanted="such as USD", found="nothing")
    for model, listed in prices.models.items():
        place = pointer("models", model)
        if isinstance(listed, Price):
            _check_price(document, place, listed)
            continue
        for position, one in enumerate(listed):
            _check_price(document, f"{place}/{position}", one)
        days = [one.valid_from for one in listed]
        if not days or len(set(days)) < len(days):
            raise document.complain(
                "the prices of this model are not told apart by their days",
                place,
                wanted="at least one price, each with another valid_from",
                found=", ".join(str(day) for day in days) or "none",
            )
    return prices


def _read_each(document: Document) -> None:
    """Each price by itself first: what is wrong is then named with its own line."""
    models = document.value.get("models") if isinstance(document.value, dict) else None
    for model, listed in models.items() if isinstance(models, dict) else ():
        if isinstance(listed, dict):
            document.read(Price, pointer("models", model))
        for position in range(len(listed) if isinstance(listed, list) else 0):
            document.read(Price, pointer("models", model, position))


def _check_price(document: Document, place: str, price: Price) -> None:
    for name in ("input", "output", "cached_input"):
        amount = getattr(price, name)
        if amount is not None and not 0 <= amount < float("inf"):
            raise document.complain(
                "this is no amount of money", f"{place}/{name}", wanted="a number from 0 on", found=str(amount)
            )
    if price.valid_from is not None:
        _check_day(document, f"{place}/valid_from", price.valid_from)


def _check_day(document: Document, place: str, text: str) -> None:
    if not _is_day(text):
        raise document.complain("this is no day", place, wanted="a day as YYYY-MM-DD", found=repr(text[:40]))


def _first_day(price: Price) -> dt.date:
    return dt.date.fromisoformat(price.valid_from) if price.valid_from else dt.date.min


def _is_day(text: str) -> bool:
    try:
        return dt.date.fromisoformat(text).isoformat() == text
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


__all__ = ["Price", "PriceList", "cost_of", "example_prices", "price_facts", "price_of", "read_prices"]

"""What a sealed run used: tokens as the provider counted them, and money where a price is known."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date

from fcbench.core.evidence import Attempt, Usage
from fcbench.core.names import CaseId
from fcbench.core.records import Record, decode_line
from fcbench.engine.prices import Price, PriceList, cost_of, example_prices, price_of
from fcbench.packages.store import Package


class Spending(Record, frozen=True, kw_only=True):
    """Of all tries of the attempts that were looked at."""

    attempts: int
    """Without repeated tries."""
    requests: int
    """That were answered."""
    input_tokens: int
    output_tokens: int
    cached_input_tokens: int
    uncounted: int
    """Replies whose tokens nobody counted: the sums are then lower bounds."""
    price: Price | None
    """None: unknown."""

    @property
    def tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens

    @property
    def cost_of_known(self) -> float | None:
        """The cost of the tokens that were counted; None where the price is unknown or nothing was counted."""
        if self.price is None or (self.requests and self.uncounted == self.requests):
            return None
        usage = Usage(
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            cached_input_tokens=self.cached_input_tokens,
        )
        return cost_of(usage, self.price)

    @property
    def cost(self) -> float | None:
        """The cost; None where the price or the tokens of any reply are unknown."""
        return None if self.uncounted else self.cost_of_known


def spending(package: Package, cases: Collection[CaseId] | None, prices: PriceList | None) -> Spending:
    """What a package's attempts used, tries that failed included.

    Args:
        package: sealed.
        cases: only these; all without.
        prices: the user's price file.
    """
    seen: set[tuple[CaseId, int]] = set()
    requests = read = written = cached = uncounted = 0
    for number, line in enumerate(package.raw_attempts(), start=1):
        attempt = decode_line(line, Attempt, where=f"{package.folder / 'attempts.jsonl'}:{number}")
        if cases is not None and attempt.task_id not in cases:
            continue
        seen.add((attempt.task_id, attempt.repeat))
        for turn in attempt.rounds:
            usage = turn.usage
            requests += 1
            uncounted += usage.input_tokens is None or usage.output_tokens is None
            inward = max(usage.input_tokens or 0, 0)
            read, written = read + inward, written + max(usage.output_tokens or 0, 0)
            cached += min(max(usage.cached_input_tokens or 0, 0), inward)
    return Spending(
        attempts=len(seen),
        requests=requests,
        input_tokens=read,
        output_tokens=written,
        cached_input_tokens=cached,
        uncounted=uncounted,
        price=package_price(package, prices),
    )


def package_price(package: Package, prices: PriceList | None) -> Price | None:
    """The price of a package's model on the day of the run, by preset or by provider."""
    info = package.header.provider
    day = date.fromisoformat(package.header.created_at[:10])
    for provider in (info.attributes.get("preset"), info.provider):
        found = price_of(provider, info.model, day, prices) if provider else None
        if found:
            return found
    return None


def currency_of(price: Price | None, prices: PriceList | None) -> str:
    """The currency of the list that a price stands in; empty where it is unknown."""
    if price is None:
        return ""
    own = prices is not None and any(price is one for listed in prices.models.values() for one in _entries(listed))
    return prices.currency if prices is not None and own else example_prices().currency


def _entries(listed: Price | tuple[Price, ...]) -> tuple[Price, ...]:
    return (listed,) if isinstance(listed, Price) else listed

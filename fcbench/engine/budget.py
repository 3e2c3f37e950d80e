"""Ceilings of a run: requests, tokens, money, time. Reaching one ends the run in order, and it stays resumable.

Requests, tokens and money are counted over the whole run, its earlier parts included, since they are what it costs.
Time is that of this command alone, so that a run of weeks can be done in nights.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from fcbench.core.evidence import Attempt, Usage
from fcbench.core.records import Record
from fcbench.engine.events import Spent
from fcbench.engine.halt import Halt, HaltReason
from fcbench.engine.prices import Price, cost_of
from fcbench.errors import UsageError
from fcbench.harnesses.loop import OUT_OF_TIME


class Ceilings(Record, frozen=True, kw_only=True):
    """What a run may use at most; None: as much as it needs."""

    per_minute: float | None = None
    """Requests a minute."""
    max_requests: int | None = None
    max_tokens: int | None = None
    """Input and output together, as the provider counts them."""
    max_cost: float | None = None
    """In the currency of the price file."""
    max_time_s: float | None = None
    """Wall time of one command, in seconds."""

    def check(self, price: Price | None, model: str) -> None:
        """Refuse a ceiling that could not be held.

        Raises:
            UsageError: money is to be held and the price is unknown, or a ceiling is not above 0.
        """
        for name in self.__struct_fields__:
            given = getattr(self, name)
            if given is not None and not 0 < given < float("inf"):
                raise UsageError("a ceiling is a number above 0", found=f"{name} {given}", where="the run's options")
        if self.max_cost is not None and price is None:
            raise UsageError(
                "a ceiling on money cannot be held: the price of this model is unknown",
                wanted=f"a price file that holds {model}",
                found="no price",
                where="--max-cost",
                next_step="give one with --prices FILE, or hold tokens with --max-tokens instead",
            )


class Meter:
    """Counts what a run uses, and asks for its end where a ceiling is reached."""

    def __init__(self, ceilings: Ceilings, halt: Halt, price: Price | None = None, before: Spent | None = None) -> None:
        self._ceilings = ceilings
        self._halt = halt
        self._price = price
        before = before or Spent()
        self.spent = replace(before, cost=(before.cost or 0.0) if price else None)

    def sent(self) -> None:
        """A request goes out."""
        self.spent = replace(self.spent, requests=self.spent.requests + 1)
        self.check()

    def answered(self, usage: Usage) -> None:
        """A reply came, with what it used."""
        self.spent = add(self.spent, usage, self._price)
        self.check()

    def returned(self, attempt: Attempt) -> None:
        """An attempt came back that was made elsewhere, with all that it used."""
        before = self.spent
        more = spent_by((attempt,), self._price)
        self.spent = replace(
            before,
            requests=before.requests + more.requests,
            input_tokens=before.input_tokens + more.input_tokens,
            output_tokens=before.output_tokens + more.output_tokens,
            uncounted=before.uncounted + more.uncounted,
            cost=None if before.cost is None else before.cost + (more.cost or 0.0),
        )
        self.check()

    def check(self) -> None:
        """Ask for the end where a ceiling is reached, by this part of the run or by earlier ones."""
        spent, ceilings = self.spent, self._ceilings
        tokens = spent.input_tokens + spent.output_tokens
        if ceilings.max_requests is not None and spent.requests >= ceilings.max_requests:
            self._reached(f"{spent.requests:,} requests", "--max-requests")
        if ceilings.max_tokens is not None and tokens >= ceilings.max_tokens:
            self._reached(f"{tokens:,} tokens", "--max-tokens")
        if ceilings.max_cost is not None and spent.cost is not None and spent.cost >= ceilings.max_cost:
            self._reached(f"a cost of {spent.cost:.4f}", "--max-cost")
        if (ceilings.max_tokens is not None or ceilings.max_cost is not None) and spent.uncounted:
            self._uncounted()

    def out_of_time(self) -> None:
        """The wall time of this command is over."""
        found = f"{self._ceilings.max_time_s:g} s"
        self._reached(found, "--max-time", again="repeat the command: the run goes on")

    def _reached(self, found: str, option: str, again: str | None = None) -> None:
        self._halt.ask(
            HaltReason(
                kind="ceiling",
                message=f"the run has reached its ceiling {option}",
                found=found,
                next_step=again or f"repeat the command with a higher {option}, or without it: the run goes on",
            )
        )

    def _uncounted(self) -> None:
        self._halt.ask(
            HaltReason(
                kind="ceiling",
                message="the ceiling cannot be held: the provider does not count tokens",
                found="a reply without usage",
                next_step="repeat the command with --max-requests or --max-time instead: the run goes on",
            )
        )


def add(spent: Spent, usage: Usage, price: Price | None) -> Spent:
    """A sum with one more reply."""
    cost = cost_of(usage, price)
    return replace(
        spent,
        input_tokens=spent.input_tokens + max(usage.input_tokens or 0, 0),
        output_tokens=spent.output_tokens + max(usage.output_tokens or 0, 0),
        uncounted=spent.uncounted + (usage.input_tokens is None or usage.output_tokens is None),
        cost=None if spent.cost is None else spent.cost + (cost or 0.0),
    )


def spent_by(attempts: Iterable[Attempt], price: Price | None) -> Spent:
    """What the recorded attempts of a run used, all tries included.

    What an attempt sent before our own code broke (`harness_error`) is not in its record, and so not in the sum.
    """
    spent = Spent(cost=0.0 if price else None)
    for attempt in attempts:
        requests = len(attempt.rounds) + attempt.retries + _ended_unanswered(attempt)
        spent = replace(spent, requests=spent.requests + requests)
        for turn in attempt.rounds:
            spent = add(spent, turn.usage, price)
    return spent


def _ended_unanswered(attempt: Attempt) -> bool:
    """Whether the last request of an attempt went out and no round holds its reply."""
    if attempt.outcome == "timeout":
        return attempt.stop == OUT_OF_TIME
    refused_late = attempt.outcome == "budget_exhausted" and attempt.error is not None
    return refused_late or attempt.outcome in ("provider_error", "schema_refused")


__all__ = ["Ceilings", "Meter", "add", "spent_by"]

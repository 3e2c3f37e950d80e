"""A channel that tries again: exponential backoff with jitter, Retry-After honoured, everything capped."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable

from fcbench.core.records import Record
from fcbench.engine.budget import Meter
from fcbench.engine.pace import Pace
from fcbench.harnesses.channel import Channel, Exchange, OutOfTimeError
from fcbench.providers.base import ProviderFailure, Request, SchemaRefused

Sleep = Callable[[float], Awaitable[None]]
ToldRetry = Callable[[float, ProviderFailure], None]
"""Told of each wait before a repeated request: seconds, and why."""


class RetryPolicy(Record, frozen=True, kw_only=True):
    """How often and how long."""

    max_retries: int = 5
    first_wait_s: float = 1.0
    longest_wait_s: float = 60.0
    """Also the longest Retry-After that is waited for without a gate: beyond it an attempt ends as `provider_error`."""

    def wait_s(self, retry: int, failure: ProviderFailure, rng: random.Random) -> float | None:
        """Seconds to wait before retry number `retry` (from 1), or None to give up."""
        if not failure.is_transient or retry > self.max_retries:
            return None
        if failure.retry_after_s is not None:
            return failure.retry_after_s if 0 <= failure.retry_after_s <= self.longest_wait_s else None
        return self.backoff_s(retry, rng)

    def backoff_s(self, retry: int, rng: random.Random) -> float:
        """A random wait below a bound that doubles."""
        # Full jitter: clients that failed together must not come back together.
        return rng.uniform(0, min(self.longest_wait_s, self.first_wait_s * 2 ** (retry - 1)))


class RetryingChannel:
    """Puts a retry policy before another channel. Waiting does not count against the attempt's time."""

    def __init__(self, inner: Channel, policy: RetryPolicy, rng: random.Random, sleep: Sleep = asyncio.sleep) -> None:
        self._inner = inner
        self._policy = policy
        self._rng = rng
        self._sleep = sleep

    async def ask(self, request: Request) -> Exchange:
        """Send one request, again where that may help.

        Raises:
            ProviderFailure: the last failure, once the policy gives up.
        """
        retry = 0
        while True:
            try:
                exchange = await self._inner.ask(request)
            except ProviderFailure as failure:
                retry += 1
                wait_s = self._policy.wait_s(retry, failure, self._rng)
                if wait_s is None:
                    failure.retries = retry - 1
                    raise
                await self._sleep(wait_s)
            except (OutOfTimeError, SchemaRefused) as ended:
                ended.retries = retry
                raise
            else:
                return Exchange(reply=exchange.reply, reply_s=exchange.reply_s, retries=retry)


class PacedChannel:
    """The channel of a run: every request passes the gate and is counted, and is repeated where that may help.

    While the provider rests or is down, requests wait at the gate; what fails while the breaker is open costs an
    attempt none of its tries, so that an outage makes no `provider_error`.
    """

    def __init__(
        self, inner: Channel, pace: Pace, meter: Meter, policy: RetryPolicy, rng: random.Random, told: ToldRetry
    ) -> None:
        self._inner = inner
        self._pace = pace
        self._meter = meter
        self._policy = policy
        self._rng = rng
        self._told = told

    async def ask(self, request: Request) -> Exchange:
        """Send one request, again where that may help.

        Raises:
            ProviderFailure: the last failure, once the policy gives up.
            RunHalted: the run ends, since the provider is down or rests for long.
        """
        repeated = tries = 0
        while True:
            try:
                exchange = await self._once(request)
            except ProviderFailure as failure:
                is_its_own = not self._pace.is_down or not failure.is_transient
                tries += is_its_own
                if not failure.is_transient or tries > self._policy.max_retries:
                    failure.retries = repeated
                    raise
                repeated += 1
                # A rest that was asked for, and the pause of an open breaker, are waited for at the gate.
                if is_its_own and not failure.retry_after_s:
                    wait_s = self._policy.backoff_s(tries, self._rng)
                    self._told(wait_s, failure)
                    await asyncio.sleep(wait_s)
            except (OutOfTimeError, SchemaRefused) as ended:
                ended.retries = repeated
                raise
            else:
                self._meter.answered(exchange.reply.usage)
                return Exchange(reply=exchange.reply, reply_s=exchange.reply_s, retries=repeated)

    async def _once(self, request: Request) -> Exchange:
        number = await self._pace.enter()
        try:
            self._meter.sent()
            exchange = await self._inner.ask(request)
        except ProviderFailure as failure:
            self._pace.failed(number, failure)
            raise
        else:
            self._pace.answered()
            return exchange
        finally:
            self._pace.leave()


__all__ = ["PacedChannel", "RetryPolicy", "RetryingChannel", "Sleep", "ToldRetry"]

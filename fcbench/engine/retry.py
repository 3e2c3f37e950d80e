"""A channel that tries again: exponential backoff with jitter, Retry-After honoured, everything capped."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable

from fcbench.core.records import Record
from fcbench.harnesses.channel import Channel, Exchange
from fcbench.providers.base import ProviderFailure, Request

Sleep = Callable[[float], Awaitable[None]]


class RetryPolicy(Record, frozen=True, kw_only=True):
    """How often and how long."""

    max_retries: int = 5
    first_wait_s: float = 1.0
    longest_wait_s: float = 60.0
    """Also the longest Retry-After that is waited for: beyond it the attempt ends as `provider_error`."""

    def wait_s(self, retry: int, failure: ProviderFailure, rng: random.Random) -> float | None:
        """Seconds to wait before retry number `retry` (from 1), or None to give up."""
        if not failure.is_transient or retry > self.max_retries:
            return None
        if failure.retry_after_s is not None:
            return failure.retry_after_s if 0 <= failure.retry_after_s <= self.longest_wait_s else None
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
            else:
                return Exchange(reply=exchange.reply, reply_s=exchange.reply_s, retries=retry)

"""How a harness asks a provider. The engine puts retries and limits behind the same protocol."""

from __future__ import annotations

import asyncio
from typing import Protocol

from fcbench.core.records import Record
from fcbench.harnesses.clock import Clock
from fcbench.providers.base import Provider, ProviderFailure, Reply, Request


class Exchange(Record, frozen=True, kw_only=True):
    """One reply and what it took."""

    reply: Reply
    reply_s: float
    """Seconds of the request that was answered; waiting for a rate limit or between retries does not count."""
    retries: int = 0


class OutOfTimeError(Exception):
    """The attempt's own time limit ended a request: the model's failure, not the provider's.

    Attributes:
        retries: requests that were repeated before this one.
    """

    retries: int = 0


class Channel(Protocol):
    """Asks one provider."""

    async def ask(self, request: Request) -> Exchange:
        """Send one request.

        Raises:
            OutOfTimeError: `request.timeout_s` passed.
            ProviderFailure: the provider did not answer.
            SchemaRefused: it refused the request because of a schema.
        """
        ...


class DirectChannel:
    """A channel without retries."""

    def __init__(self, provider: Provider, clock: Clock) -> None:
        self._provider = provider
        self._clock = clock

    async def ask(self, request: Request) -> Exchange:
        """Send one request, once."""
        begun = self._clock.monotonic()
        try:
            async with asyncio.timeout(request.timeout_s) as timer:
                reply = await self._provider.complete(request)
        except TimeoutError as error:
            if timer.expired():
                raise OutOfTimeError from error
            raise ProviderFailure(f"the connection timed out: {error}", kind="connection") from error
        except ProviderFailure as failure:
            # An SDK's own timer may fire a moment before ours.
            if (
                failure.kind == "timed_out"
                and failure.status is None
                and self._clock.monotonic() - begun >= 0.95 * request.timeout_s
            ):
                raise OutOfTimeError from failure
            raise
        return Exchange(reply=reply, reply_s=self._clock.monotonic() - begun)

"""How fast a provider is asked: one gate before all requests of a run.

Four things hold a request back: the requests in flight (fewer after a 429, more again with each answer), our own
ceiling of requests per minute, a rest that the provider asked for, and the circuit breaker of a provider that is down.
"""

from __future__ import annotations

import asyncio
from datetime import timedelta

from fcbench.core.records import Record
from fcbench.engine.events import Tell, Waiting, WaitReason, nobody
from fcbench.engine.halt import Halt, HaltReason, RunHalted
from fcbench.harnesses.clock import Clock, iso
from fcbench.providers.base import ProviderFailure

DOWN_KINDS = ("unavailable", "connection", "timed_out")
"""Failures that say that nobody is there, or nobody in a state to answer."""
TOLD_FROM_S = 1.0
"""Shortest wait for the ceiling of requests per minute that is told of."""


class PacePolicy(Record, frozen=True, kw_only=True):
    """How a provider is spared."""

    concurrency: int = 1
    """Requests in flight at most."""
    per_minute: float | None = None
    """Requests a minute at most, evenly spaced."""
    failures_to_open: int = 5
    """Failures in a row after which the breaker opens; never fewer than requests may be in flight."""
    first_pause_s: float = 5.0
    longest_pause_s: float = 300.0
    max_pauses: int = 8
    """Pauses in a row after which the run ends; with the defaults a provider may be away for a quarter of an hour."""
    longest_rest_s: float = 600.0
    """Longest Retry-After that is waited for; beyond it the run ends, resumable."""


class Pace:
    """The gate before one provider."""

    def __init__(self, policy: PacePolicy, clock: Clock, halt: Halt, tell: Tell = nobody) -> None:
        self._policy = policy
        self._clock = clock
        self._halt = halt
        self._tell = tell
        self._door = asyncio.Lock()
        self._freed = asyncio.Event()
        self._flying = 0
        self._issued = 0
        self._window = float(policy.concurrency)
        self._cut_at = 0
        """The last request that was out when the window was halved: what those still meet says nothing new."""
        self._rest_until = 0.0
        self._next_at = 0.0
        self._streak = 0
        self._pauses = 0
        self._opened_at: int | None = None
        self._ended = False

    @property
    def room(self) -> int:
        """Requests that may be in flight now."""
        return 1 if self._opened_at is not None else max(1, int(self._window))

    @property
    def is_down(self) -> bool:
        """Whether the breaker is open: the provider failed many times in a row, and has not answered since."""
        return self._opened_at is not None

    async def enter(self) -> int:
        """Wait for one's turn, first come first served. Every entry is followed by one `leave`.

        Returns:
            The number of the request, for `failed`.

        Raises:
            RunHalted: the provider is given up.
        """
        async with self._door:
            while wait_s := self._wait_s():
                await self._wait(wait_s)
            if self._ended:
                raise RunHalted
            if self._policy.per_minute:
                self._next_at = max(self._next_at, self._clock.monotonic()) + 60 / self._policy.per_minute
            self._flying += 1
            self._issued += 1
            return self._issued

    def _wait_s(self) -> float:
        """Seconds to wait before one looks again; infinite until a request comes back; 0 where the way is free."""
        if self._ended:
            return 0.0
        if self._flying >= self.room:
            return float("inf")
        return max(0.0, max(self._rest_until, self._next_at) - self._clock.monotonic())

    async def _wait(self, wait_s: float) -> None:
        self._freed.clear()
        if wait_s < float("inf") and self._next_at > self._rest_until and wait_s >= TOLD_FROM_S:
            self._say("requests per minute", wait_s)
        try:
            async with asyncio.timeout(None if wait_s == float("inf") else wait_s):
                await self._freed.wait()
        except TimeoutError:
            return

    def leave(self) -> None:
        """A request came back, whatever it brought."""
        self._flying -= 1
        self._freed.set()

    def answered(self) -> None:
        """A request was answered: the provider is there, and may take a little more."""
        self._is_there()
        self._window = min(self._window + 1 / self._window, float(self._policy.concurrency))
        self._freed.set()

    def failed(self, number: int, failure: ProviderFailure) -> None:
        """A request failed.

        Raises:
            RunHalted: the provider is down for too long, or asks for a longer rest than is waited for.
        """
        if failure.kind in DOWN_KINDS:
            self._missed(number, failure)
        else:
            self._is_there()
        if failure.kind == "rate_limited" and number > self._cut_at:
            self._window, self._cut_at = max(1.0, self._window / 2), self._issued
        if failure.retry_after_s is not None and failure.is_transient:
            self._rest(failure.retry_after_s, failure)

    def _is_there(self) -> None:
        self._streak, self._pauses, self._opened_at = 0, 0, None

    def _missed(self, number: int, failure: ProviderFailure) -> None:
        self._streak += 1
        if self._opened_at is None:
            if self._streak < max(self._policy.failures_to_open, self._policy.concurrency):
                return
        elif number <= self._opened_at:
            return  # sent before the breaker opened: no probe
        self._pauses += 1
        if self._pauses > self._policy.max_pauses:
            self._give_up(
                HaltReason(
                    kind="provider down",
                    message=f"the provider is down: {self._streak} requests in a row failed",
                    found=failure.message,
                    next_step="repeat the command when the provider is back: the run goes on",
                )
            )
        self._opened_at = self._issued
        pause_s = min(self._policy.longest_pause_s, self._policy.first_pause_s * 2 ** (self._pauses - 1))
        self._pause(pause_s, "provider down", failure)

    def _rest(self, seconds: float, failure: ProviderFailure) -> None:
        if seconds > self._policy.longest_rest_s:
            self._give_up(
                HaltReason(
                    kind="provider down",
                    message=f"the provider asks for a rest of {seconds:.0f} s",
                    found=failure.message,
                    next_step=f"repeat the command after that: the run goes on. Up to "
                    f"{self._policy.longest_rest_s:.0f} s are waited for",
                )
            )
        if seconds > 0:
            self._pause(seconds, "rate limited", failure)

    def _pause(self, seconds: float, why: WaitReason, failure: ProviderFailure) -> None:
        until = self._clock.monotonic() + seconds
        if until > self._rest_until:
            self._rest_until = until
            self._say(why, seconds, failure.message)

    def _give_up(self, reason: HaltReason) -> None:
        self._ended = True
        self._freed.set()
        self._halt.ask(reason)
        raise RunHalted

    def _say(self, why: WaitReason, seconds: float, detail: str = "") -> None:
        now = self._clock.now()
        until = iso(now + timedelta(seconds=seconds))
        self._tell(Waiting(at=iso(now), why=why, seconds=round(seconds, 3), until=until, detail=detail))

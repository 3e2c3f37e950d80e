"""Making the attempts of a run: each is written to the journal as it ends, and told of."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing
from datetime import timedelta

from fcbench.core.evidence import Attempt
from fcbench.engine.budget import Meter
from fcbench.engine.events import AttemptEnded, Event, Spent, Tell, Waiting
from fcbench.engine.halt import Halt, HaltReason
from fcbench.engine.pace import Pace, PacePolicy
from fcbench.engine.plan import AUTO_CASES, Continuation, Stage
from fcbench.engine.prices import Price, cost_of
from fcbench.engine.retry import PacedChannel, RetryPolicy
from fcbench.engine.schedule import Answered, RefusedError, Terms, run_jobs
from fcbench.errors import PackageError
from fcbench.harnesses.channel import DirectChannel
from fcbench.harnesses.clock import Clock, iso
from fcbench.harnesses.loop import Plan
from fcbench.packages.run_directory import RunDirectory
from fcbench.packages.store import FINAL
from fcbench.providers.base import Provider, ProviderFailure
from fcbench.workflows.header import Prepared
from fcbench.workflows.planning import RunRequest, harness_of

MAX_PASSES = 2
"""Passes over the attempts that a provider or harness error left open, inside one call of the command."""
MAX_REOPENINGS = 1
"""How often a provider that is gone, such as a local server that died, is opened anew inside one call."""


class Opened:
    """The provider of a run, and how to open it anew."""

    def __init__(self, provider: Provider, reopen: Callable[[], Provider]) -> None:
        self.provider = provider
        self._reopen = reopen
        self._left = MAX_REOPENINGS

    async def anew(self) -> bool:
        """Open the provider again after it died; False where that was done already.

        Raises:
            PackageError: what came up is not what the run began with.
            FcbenchError: it does not come up.
        """
        if not self._left:
            return False
        self._left -= 1
        before = self.provider.info
        await self.provider.aclose()
        self.provider = await asyncio.to_thread(self._reopen)
        if self.provider.info != before:
            raise PackageError(
                "the provider came back as another",
                wanted="the model and engine with which the run began",
                found="another description of itself",
                next_step="repeat the command: it begins a run of its own",
            )
        return True

    async def aclose(self) -> None:
        """Release the provider."""
        await self.provider.aclose()


class Making:
    """Makes the attempts of a run."""

    def __init__(
        self, prepared: Prepared, request: RunRequest, directory: RunDirectory, clock: Clock, tell: Tell
    ) -> None:
        self._prepared = prepared
        self._plan = prepared.plan
        self._request = request
        self._directory = directory
        self._clock = clock
        self._told = tell
        self._trouble: Exception | None = None
        self._harness = harness_of(prepared, clock)
        self._answered = Answered(earlier=directory.was_answered)
        self.planned = len(self._plan.first_stage())

    def open(self, opened: Opened, halt: Halt, price: Price | None, spent: Spent) -> None:
        """Take the provider, who may end the run, the price of a token and what was used before."""
        self._opened = opened
        self._halt = halt
        self._price = price
        # A provider that answers one request at a time would make the others wait at their own expense.
        slots = getattr(opened.provider, "slots", None)
        self.concurrency = min(self._request.concurrency, slots or self._request.concurrency)
        self._meter = Meter(self._request.ceilings, halt, price, spent)
        policy = PacePolicy(concurrency=self.concurrency, per_minute=self._request.ceilings.per_minute)
        self._pace = Pace(policy, self._clock, halt, self._tell)
        self._rng = random.Random(0)

    @property
    def done(self) -> int:
        """(case, repeat) with a final outcome."""
        return self._directory.done

    @property
    def spent(self) -> Spent:
        """What the run has used."""
        return self._meter.spent

    async def make_all(self) -> Continuation | None:
        """Make every attempt that has no final outcome yet; None where the first stage was not ended.

        Raises:
            RefusedError: the provider refuses the run.
        """
        limit_s = self._request.ceilings.max_time_s
        timer = asyncio.get_running_loop().call_later(limit_s, self._meter.out_of_time) if limit_s else None
        self._meter.check()
        try:
            return await self._stages()
        finally:
            if timer is not None:
                timer.cancel()
            if self._trouble is not None:
                raise self._trouble

    async def _stages(self) -> Continuation | None:
        first = self._plan.first_stage()
        await self._make(first)
        if self._halt.is_asked and self._left(first):
            return None
        probed = {case.id for case, _ in first[:AUTO_CASES]} if self._plan.settings.auto_repeats else set()
        ending = self._plan.then(self._directory.latest_of(probed))
        self.planned = len(first) + len(ending.stage)
        await self._make(ending.stage)
        return ending

    async def _make(self, stage: Stage) -> None:
        for _ in range(MAX_PASSES):
            left = self._left(stage)
            while left and not self._halt.is_asked:
                try:
                    await self._pass(left)
                    break
                except RefusedError as refusal:
                    if refusal.kind != "gone" or not await self._opened.anew():
                        raise
                    self._directory.log(self._clock.now(), f"the provider was opened anew: {refusal.found}")
                    left = self._left(stage)

    async def _pass(self, left: Stage) -> None:
        # Closed also when the journal refuses: no attempt may go on against a provider that is being closed.
        async with aclosing(self._attempts(left)) as attempts:
            async for attempt in attempts:
                self._note(attempt)

    def _attempts(self, left: Stage) -> AsyncGenerator[Attempt, None]:
        if self._request.engine == "ray":
            return self._far_attempts(left)
        direct = DirectChannel(self._opened.provider, self._clock)
        channel = PacedChannel(direct, self._pace, self._meter, RetryPolicy(), self._rng, self._say_retry)
        terms = Terms(
            concurrency=self.concurrency,
            delay_s=self._request.delay_s,
            halt=self._halt,
            tell=self._tell,
            answered=self._answered,
        )
        return run_jobs(self._jobs(left), self._harness, channel, self._clock, terms)

    async def _far_attempts(self, left: Stage) -> AsyncGenerator[Attempt, None]:
        """Attempts that the workers of a cluster make; counted for the ceilings when they come back."""
        from fcbench.workflows.ray_units import units_of  # noqa: PLC0415 - Ray is an extra

        # A worker knows nothing of the others: what they were answered counts with the next pass.
        answered = self._directory.was_answered
        header = self._directory.header
        units = units_of(self._prepared, self._request, header, self._halt, self._say_lost, was_answered=answered)
        wanted = [(job.task.id, job.repeat, job.try_number) for job in self._jobs(left)]
        async with aclosing(units.attempts(wanted)) as attempts:
            async for attempt in attempts:
                self._meter.returned(attempt)
                yield attempt

    def _say_lost(self, text: str) -> None:
        self._directory.log(self._clock.now(), text)

    def _note(self, attempt: Attempt) -> None:
        self._directory.journal.append(attempt)
        self._directory.log(self._clock.now(), _line(attempt))
        self._tell(
            AttemptEnded(
                at=iso(self._clock.now()),
                attempt=attempt,
                done=self.done,
                planned=self.planned,
                cost=cost_of(attempt.usage, self._price),
                spent=self.spent,
            )
        )

    def _left(self, stage: Stage) -> Stage:
        """What of a stage has no final outcome yet."""
        found = ((pair, self._directory.last(pair[0].id, pair[1])) for pair in stage)
        return tuple(pair for pair, last in found if last is None or last.outcome not in FINAL)

    def _jobs(self, left: Stage) -> Iterator[Plan]:
        """Planned as they begin: a plan of a million attempts need not lie in memory."""
        for case, repeat in left:
            last = self._directory.last(case.id, repeat)
            yield self._plan.job(case, repeat, last.try_number + 1 if last else 1)

    def _say_retry(self, seconds: float, failure: ProviderFailure) -> None:
        now = self._clock.now()
        until = iso(now + timedelta(seconds=seconds))
        self._tell(Waiting(at=iso(now), why="retry", seconds=round(seconds, 3), until=until, detail=failure.message))

    def _tell(self, event: Event) -> None:
        """Tell of an event. A listener that fails ends the run in order: its fault is nobody's outcome."""
        if self._trouble is not None:
            return
        if isinstance(event, Waiting):
            self._directory.log(self._clock.now(), f"{event.why}: waiting {event.seconds:g} s {event.detail}".rstrip())
        try:
            self._told(event)
        except Exception as error:
            self._trouble = error
            self._halt.ask(HaltReason(kind="failed", message="what shows the run has failed"))


def _line(attempt: Attempt) -> str:
    error = f", {attempt.error.kind}: {attempt.error.message}" if attempt.error else ""
    return (
        f"{attempt.task_id} repeat {attempt.repeat} try {attempt.try_number}: {attempt.outcome} ({attempt.stop}) after "
        f"{attempt.duration_s:.3f} s, {len(attempt.rounds)} rounds, {attempt.retries} retries{error}"
    )


__all__ = ["MAX_PASSES", "MAX_REOPENINGS", "Making", "Opened"]

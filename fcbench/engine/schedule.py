"""The schedule: jobs in, attempts out, as they finish. It never writes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable, Iterator
from dataclasses import dataclass, field

from fcbench.core.canonical import clean_text
from fcbench.core.evidence import Attempt, AttemptError, Round
from fcbench.engine.events import AttemptBegun, AttemptDropped, RoundBegun, RoundEnded, Tell, nobody
from fcbench.engine.halt import Halt, RunHalted
from fcbench.errors import ProviderError, UsageError
from fcbench.harnesses.channel import Channel
from fcbench.harnesses.clock import Clock, iso
from fcbench.harnesses.loop import Harness, Plan

HOPELESS = ("authentication", "not_found", "gone")
"""Failures that every further request would meet again, as long as none was answered yet (see `Answered`); `gone`
always."""


@dataclass
class Answered:
    """Whether the provider has answered: what a refusal of the key or the model means depends on it."""

    now: bool = False
    """In this command: then one refusal says something of one prompt, and is an outcome."""
    earlier: bool = False
    """In an earlier command of this run: then an attempt that failed before may fail again and ends nothing, else one
    prompt that a gateway refuses would keep the run from its end for ever. An attempt that is made for the first time
    and is refused ends the command all the same: more likely the key has changed."""


class RefusedError(ProviderError):
    """The provider refuses the whole run: nothing that follows could succeed.

    Attributes:
        kind: of the failure, one of `HOPELESS`; after `gone` a new provider may go on.
    """

    def __init__(self, attempt: Attempt, kind: str, said: str) -> None:
        super().__init__(
            "the provider refuses this run",
            wanted="an answer to the first request",
            found=said,
            where=f"{attempt.task_id}, repeat {attempt.repeat}",
            next_step="check the key, the model's name or the server, then repeat the command: the run goes on",
        )
        self.kind = kind


@dataclass(frozen=True, kw_only=True)
class Terms:
    """On what terms attempts are made."""

    concurrency: int = 1
    """Attempts in flight."""
    delay_s: float = 0.0
    """Pause before each attempt, for machines that need rest."""
    halt: Halt = field(default_factory=Halt)
    """Ends the run before its time."""
    tell: Tell = nobody
    answered: Answered = field(default_factory=Answered)
    """Kept up to date here, and shared by the parts of one command."""


async def run_jobs(
    jobs: Iterable[Plan], harness: Harness, channel: Channel, clock: Clock, terms: Terms
) -> AsyncGenerator[Attempt, None]:
    """Make attempts and yield each when it ends.

    Where the end is asked for, no further attempt begins; those in flight finish, as far as the reason leaves them
    time, and the others are dropped.

    Args:
        jobs: in the order in which they begin; the next is asked for when there is room for it.
        harness: makes one attempt.
        channel: the provider behind its retry policy.
        clock: for the times of an attempt that our own code broke.
        terms: how many at a time, with which rest, who may end it and who is told.

    Raises:
        RefusedError: the provider refuses us (key, model name), or it is gone.
    """
    making = _Making(harness, channel, clock, terms)
    waiting = iter(jobs)
    answered = terms.answered
    try:
        while True:
            making.begin(waiting)
            if not making.running:
                return
            ended = await making.some()
            hopeless = [attempt for attempt in ended if _is_hopeless(attempt, answered)]
            for attempt in ended:
                answered.now = answered.now or bool(attempt.rounds)
                if attempt not in hopeless:
                    yield attempt
            if hopeless:
                error = hopeless[0].error
                assert error is not None
                raise RefusedError(hopeless[0], error.kind, error.message)
    finally:
        await making.drop()


class _Making:
    """The attempts in flight."""

    def __init__(self, harness: Harness, channel: Channel, clock: Clock, terms: Terms) -> None:
        self._harness = harness
        self._channel = channel
        self._clock = clock
        self._terms = terms
        self._asked = terms.halt.changed()
        self._drop_at: float | None = None
        self.running: dict[asyncio.Task[Attempt | None], Plan] = {}

    def begin(self, waiting: Iterator[Plan]) -> None:
        """Begin attempts as far as there is room, and the end is not asked for."""
        while len(self.running) < self._terms.concurrency and not self._terms.halt.is_asked:
            job = next(waiting, None)
            if job is None:
                return
            self.running[asyncio.create_task(self._attempt(job))] = job

    async def some(self) -> list[Attempt]:
        """Wait until attempts end, or until it is time to drop those that are left."""
        left_s = None if self._drop_at is None else max(0.0, self._drop_at - self._clock.monotonic())
        waited: list[asyncio.Future[Attempt | None] | asyncio.Future[None]] = [*self.running, self._asked]
        done, _ = await asyncio.wait(waited, timeout=left_s, return_when=asyncio.FIRST_COMPLETED)
        reason = self._terms.halt.reason
        if self._asked.done():
            self._asked = self._terms.halt.changed()
        if reason is not None and reason.grace_s is not None and self._drop_at is None:
            self._drop_at = self._clock.monotonic() + reason.grace_s
        elif not done:
            await self.drop()
        ended = [self._result(task) for task in tuple(self.running) if task.done()]
        return sorted((one for one in ended if one), key=lambda one: (one.task_id, one.repeat))

    def _result(self, task: asyncio.Task[Attempt | None]) -> Attempt | None:
        job = self.running.pop(task)
        attempt = task.result()
        if attempt is None:
            self._say_dropped(job)
        return attempt

    async def drop(self) -> None:
        """Give up the attempts in flight."""
        self._asked.cancel()
        for task in self.running:
            task.cancel()
        await asyncio.gather(*self.running, return_exceptions=True)
        for job in self.running.values():
            self._say_dropped(job)
        self.running.clear()

    def _say_dropped(self, job: Plan) -> None:
        at = iso(self._clock.now())
        self._terms.tell(AttemptDropped(at=at, task_id=job.task.id, repeat=job.repeat, try_number=job.try_number))

    async def _attempt(self, job: Plan) -> Attempt | None:
        """One attempt; None where it was dropped because the run ends."""
        await self._terms.halt.sleep(self._terms.delay_s)
        if self._terms.halt.is_asked:
            return None
        started_at, begun = iso(self._clock.now()), self._clock.monotonic()
        self._terms.tell(AttemptBegun(at=started_at, task_id=job.task.id, repeat=job.repeat, try_number=job.try_number))
        try:
            return await self._harness.attempt(job, self._channel, _Rounds(job, self._clock, self._terms.tell))
        except RunHalted:
            return None
        except UsageError:
            raise
        except Exception as error:
            # A fault of ours must neither be scored as the model's nor end a run of days: it is an outcome of its own.
            return Attempt(
                task_id=job.task.id,
                repeat=job.repeat,
                try_number=job.try_number,
                outcome="harness_error",
                candidates=job.candidates,
                started_at=started_at,
                duration_s=round(self._clock.monotonic() - begun, 6),
                stop="harness error",
                error=AttemptError(kind=type(error).__name__, message=clean_text(str(error))[:2000]),
            )


class _Rounds:
    """Tells of the rounds of one attempt."""

    def __init__(self, job: Plan, clock: Clock, tell: Tell) -> None:
        self._job = job
        self._clock = clock
        self._tell = tell

    def begins(self, number: int) -> None:
        """A request is about to go out."""
        job = self._job
        at = iso(self._clock.now())
        self._tell(RoundBegun(at=at, task_id=job.task.id, repeat=job.repeat, try_number=job.try_number, number=number))

    def ended(self, turn: Round) -> None:
        """A round is over."""
        job = self._job
        at = iso(self._clock.now())
        self._tell(RoundEnded(at=at, task_id=job.task.id, repeat=job.repeat, try_number=job.try_number, turn=turn))


def _is_hopeless(attempt: Attempt, answered: Answered) -> bool:
    """Whether no later request could fare better. Some gateways refuse one prompt as others refuse a key."""
    error = attempt.error
    if error is None or attempt.outcome != "provider_error" or error.kind not in HOPELESS:
        return False
    if error.kind == "gone":
        return True
    failed_before = answered.earlier and attempt.try_number > 1
    return not (answered.now or attempt.rounds or failed_before)

"""The schedule: jobs in, attempts out, as they finish. It never writes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence

from fcbench.core.canonical import clean_text
from fcbench.core.evidence import Attempt, AttemptError
from fcbench.errors import ProviderError, UsageError
from fcbench.harnesses.channel import Channel
from fcbench.harnesses.clock import Clock, iso
from fcbench.harnesses.loop import Harness, Plan

HOPELESS = ("authentication", "not_found", "gone")
"""Failures that every further request would meet again, as long as none was answered yet; `gone` always."""


async def run_jobs(
    jobs: Sequence[Plan], harness: Harness, channel: Channel, clock: Clock, *, concurrency: int, delay_s: float
) -> AsyncGenerator[Attempt, None]:
    """Make attempts, at most `concurrency` at a time, and yield each when it ends.

    Args:
        jobs: in the order in which they begin.
        harness: makes one attempt.
        channel: the provider behind its retry policy.
        clock: for the times of an attempt that our own code broke.
        concurrency: attempts in flight.
        delay_s: pause before each attempt, for machines that need rest.

    Raises:
        ProviderError: the provider refuses us (key, model name): nothing that follows could succeed.
    """
    waiting = iter(jobs)
    running: set[asyncio.Task[Attempt]] = set()
    answered = False
    try:
        while True:
            while len(running) < concurrency and (job := next(waiting, None)) is not None:
                running.add(asyncio.create_task(_attempt(job, harness, channel, clock, delay_s)))
            if not running:
                return
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            ended = sorted((task.result() for task in done), key=lambda one: (one.task_id, one.repeat))
            hopeless = [attempt for attempt in ended if _is_hopeless(attempt, answered)]
            for attempt in ended:
                answered = answered or bool(attempt.rounds)
                if attempt not in hopeless:
                    yield attempt
            if hopeless:
                raise _hopeless(hopeless[0])
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def _attempt(job: Plan, harness: Harness, channel: Channel, clock: Clock, delay_s: float) -> Attempt:
    if delay_s > 0:
        await asyncio.sleep(delay_s)
    started_at, begun = iso(clock.now()), clock.monotonic()
    try:
        return await harness.attempt(job, channel)
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
            duration_s=round(clock.monotonic() - begun, 6),
            stop="harness error",
            error=AttemptError(kind=type(error).__name__, message=clean_text(str(error))[:2000]),
        )


def _is_hopeless(attempt: Attempt, answered: bool) -> bool:
    """Whether no later request could fare better. Some gateways refuse one prompt as others refuse a key."""
    error = attempt.error
    if error is None or attempt.outcome != "provider_error" or error.kind not in HOPELESS:
        return False
    return error.kind == "gone" or not (answered or attempt.rounds)


def _hopeless(attempt: Attempt) -> ProviderError:
    assert attempt.error is not None
    return ProviderError(
        "the provider refuses this run",
        wanted="an answer to the first request",
        found=attempt.error.message,
        where=f"{attempt.task_id}, repeat {attempt.repeat}",
        next_step="check the key, the model's name or the server, then repeat the command: the run goes on",
    )

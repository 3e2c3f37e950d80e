"""The schedule: jobs in, attempts out, as they finish. It never writes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

from fcbench.core.canonical import clean_text
from fcbench.core.evidence import Attempt, AttemptError
from fcbench.errors import ProviderError
from fcbench.harnesses.channel import Channel
from fcbench.harnesses.clock import Clock, iso
from fcbench.harnesses.loop import ContractHarness, Plan

HOPELESS = ("authentication", "not_found")
"""Failures that every further request would meet again: the run stops and stays resumable."""


async def run_jobs(
    jobs: Sequence[Plan], harness: ContractHarness, channel: Channel, clock: Clock, *, concurrency: int, delay_s: float
) -> AsyncIterator[Attempt]:
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
    try:
        while True:
            while len(running) < concurrency and (job := next(waiting, None)) is not None:
                running.add(asyncio.create_task(_attempt(job, harness, channel, clock, delay_s)))
            if not running:
                return
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in sorted(done, key=lambda one: (one.result().task_id, one.result().repeat)):
                attempt = task.result()
                _stop_if_hopeless(attempt)
                yield attempt
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def _attempt(job: Plan, harness: ContractHarness, channel: Channel, clock: Clock, delay_s: float) -> Attempt:
    if delay_s > 0:
        await asyncio.sleep(delay_s)
    started_at, begun = iso(clock.now()), clock.monotonic()
    try:
        return await harness.attempt(job, channel)
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


def _stop_if_hopeless(attempt: Attempt) -> None:
    error = attempt.error
    if error is not None and attempt.outcome == "provider_error" and error.kind in HOPELESS:
        raise ProviderError(
            "the provider refuses this run",
            found=error.message,
            where=f"{attempt.task_id}, repeat {attempt.repeat}",
            next_step="check the key and the model's name, then repeat the command: the run goes on where it stopped",
        )

"""What a worker of a Ray cluster does: it plans the run anew, compares it with the driver's, and makes units of it."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from fcbench.core.records import Record, encode_line
from fcbench.engine.budget import Ceilings, Meter
from fcbench.engine.halt import Halt, HaltReason
from fcbench.engine.pace import Pace, PacePolicy
from fcbench.engine.retry import PacedChannel, RetryPolicy
from fcbench.engine.schedule import Answered, RefusedError, Terms, run_jobs
from fcbench.errors import PackageError, ProviderError, StoppedError
from fcbench.harnesses.channel import DirectChannel
from fcbench.harnesses.clock import SystemClock
from fcbench.packages.manifest import RunHeader
from fcbench.providers.catalog import open_provider
from fcbench.workflows.header import Prepared, make_header
from fcbench.workflows.planning import RunRequest, harness_of, prepare
from fcbench.workflows.project import Project, embedded_root, find_project, load


class PartOfRun(Record, frozen=True, kw_only=True):
    """What a worker is told. No key is in it: a worker takes its own from its environment."""

    request: RunRequest
    project: str | None
    """Folder of the project, which every machine must see; None for the embedded default."""
    header: RunHeader
    """That of the run: a worker whose own would differ is refused."""
    workers: int
    """How many share the requests per minute."""
    was_answered: bool = False
    """Whether the provider answered any attempt of the run before (`engine.schedule.Answered`)."""


def part_of_run(
    prepared: Prepared, request: RunRequest, header: RunHeader, workers: int, *, was_answered: bool = False
) -> PartOfRun:
    """What each worker of a run is told."""
    root = prepared.suites.resolve().parent
    embedded = root == embedded_root().resolve()
    return PartOfRun(
        request=replace(request, prices=None, ceilings=Ceilings(per_minute=request.ceilings.per_minute)),
        project=None if embedded else str(root),
        header=header,
        workers=workers,
        was_answered=was_answered,
    )


class PartWorker:
    """Makes units in a process of the cluster. It has a provider and an event loop of its own."""

    def __init__(self, part: PartOfRun) -> None:
        """Plan the run and open the provider.

        Raises:
            PackageError: what this machine would make is another run.
            FcbenchError: the project, the provider or an extra is missing here.
        """
        project = find_project(Path(part.project)) if part.project else Project(root=embedded_root(), embedded=True)
        self._prepared = prepare(load(project), part.request)
        self._cases = {str(case.id): case for case in self._prepared.plan.cases}
        self._clock = SystemClock()
        request = part.request
        oracles = {case.id: case.oracle for case in self._prepared.plan.cases}
        self._provider = open_provider(request.model, request.options, oracles=oracles, sampling=request.sampling)
        try:
            self._refuse_another(part)
        except BaseException:
            asyncio.run(self._provider.aclose())
            raise
        # Last: a worker that refuses itself leaves no loop behind.
        self._loop = asyncio.new_event_loop()
        slots = getattr(self._provider, "slots", None)
        self._concurrency = min(request.concurrency, slots or request.concurrency)
        self._request = request
        self._per_minute = request.ceilings.per_minute / part.workers if request.ceilings.per_minute else None
        self._halt = Halt()
        self._answered = Answered(earlier=part.was_answered)
        self._harness = harness_of(self._prepared, self._clock)

    def _refuse_another(self, part: PartOfRun) -> None:
        own = make_header(self._prepared, self._provider.info, self._clock, run_id=None)
        differences = own.differences(part.header)
        if differences:
            raise PackageError(
                "a worker of the cluster would make another run",
                wanted="equal project, fcbench, Python, libraries, model and engine on every machine",
                found="different " + ", ".join(differences),
                next_step="install the same environment everywhere, and name the project by a path that all share",
            )

    def make(self, jobs: Sequence[tuple[str, int, int]]) -> Iterator[bytes]:
        """Make the attempts of a unit; each as one line of JSON, in the order in which they end.

        Raises:
            ProviderError: the provider refuses the run.
            StoppedError: it is down.
        """
        plans = [self._prepared.plan.job(self._cases[name], repeat, number) for name, repeat, number in jobs]
        policy = PacePolicy(concurrency=self._concurrency, per_minute=self._per_minute)
        pace, meter = Pace(policy, self._clock, self._halt), Meter(Ceilings(), self._halt)
        direct = DirectChannel(self._provider, self._clock)
        channel = PacedChannel(direct, pace, meter, RetryPolicy(), random.Random(), lambda *_: None)
        terms = Terms(
            concurrency=self._concurrency,
            delay_s=self._request.delay_s,
            halt=self._halt,
            answered=self._answered,
        )
        attempts = run_jobs(plans, self._harness, channel, self._clock, terms)
        try:
            while True:
                try:
                    attempt = self._loop.run_until_complete(anext(attempts))
                except StopAsyncIteration:
                    break
                yield encode_line(attempt)
        except RefusedError as refused:  # made of an attempt, so no other process could build it again
            raise ProviderError(
                refused.message,
                wanted=refused.wanted,
                found=refused.found,
                where=refused.where,
                next_step=refused.next_step,
            ) from None
        else:
            self._refuse_provider_down()
        finally:
            self._loop.run_until_complete(attempts.aclose())

    def _refuse_provider_down(self) -> None:
        reason = self._halt.reason
        if reason is not None and reason.kind == "provider down":
            raise StoppedError(reason.message, found=reason.found, next_step=reason.next_step)

    def halt(self, grace_s: float | None) -> None:
        """Begin no further attempt; called from another thread. Those in flight have some seconds, or all they need."""
        reason = HaltReason(kind="ceiling" if grace_s is None else "interrupted", message="the run ends")
        self._loop.call_soon_threadsafe(self._halt.ask, reason)


__all__ = ["PartOfRun", "PartWorker", "part_of_run"]

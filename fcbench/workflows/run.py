"""Run a suite, collection or subset against one model, and seal the package."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import fcbench
from fcbench.core.evidence import Attempt
from fcbench.engine.budget import spent_by
from fcbench.engine.events import AttemptEnded, EndReason, Event, RunBegun, RunEnded, Tell, nobody
from fcbench.engine.halt import Halt, HaltReason
from fcbench.engine.interrupt import interrupts
from fcbench.engine.schedule import RefusedError
from fcbench.errors import InterruptedRunError, PackageError, StoppedError
from fcbench.harnesses.clock import Clock, SystemClock, iso
from fcbench.harnesses.prompts import prompt_file
from fcbench.packages.manifest import RunHeader
from fcbench.packages.run_directory import (
    Ending,
    RunDirectory,
    create_run,
    end_run,
    find_sealed,
    find_unfinished,
    nothing,
    resume_run,
    write_registry,
)
from fcbench.packages.store import Package
from fcbench.providers.base import Provider
from fcbench.providers.catalog import open_provider
from fcbench.workflows.header import Prepared, make_header
from fcbench.workflows.making import Making, Opened
from fcbench.workflows.planning import RunRequest, check_run_id, harness_of, prepare, protocol_of
from fcbench.workflows.project import Material


@dataclass(frozen=True)
class Progress:
    """What a caller is told after each attempt."""

    done: int
    planned: int
    attempt: Attempt


Listener = Callable[[Progress], None]


def run(
    material: Material,
    request: RunRequest,
    runs: Path,
    *,
    listen: Listener | None = None,
    clock: Clock | None = None,
    tell: Tell = nobody,
) -> Package:
    """Make every planned attempt and seal the package; a run that was interrupted goes on.

    Args:
        material: the loaded project.
        request: what to run.
        runs: the folder of packages; the package lies in `<registry_hash[:12]>/<run_id>`.
        listen: told after each attempt.
        clock: the machine's clock unless given.
        tell: told of everything that happens (`fcbench.engine.events`).

    Raises:
        UsageError: the target, the provider or an option does not exist or does not fit.
        UnavailableError: an extra, a port or a server is missing.
        ProviderError: the provider refuses the run altogether.
        StoppedError: a ceiling was reached, or the provider is down. The run stays resumable.
        InterruptedRunError: a signal ended it. The run stays resumable.
        PackageError: the run is incomplete (and stays resumable), or its directory holds another run.
        WriteError: the folder cannot be written, or another process works on this run.
    """
    return _carried_out(material, request, runs, (clock or SystemClock(), _both(listen, tell)), nothing)


def run_and_judge(
    material: Material, request: RunRequest, runs: Path, *, tell: Tell = nobody, judge: Ending
) -> Package:
    """As `run`, and judge what was sealed. Where a kill comes in between, the same request finds it and judges it.

    Args:
        material: the loaded project.
        request: what to run.
        runs: the folder of packages.
        tell: told of everything that happens.
        judge: what is done with the package before the run counts as ended.

    Raises:
        FcbenchError: as `run` does, and what `judge` raises.
    """
    return _carried_out(material, request, runs, (SystemClock(), tell), judge)


def _carried_out(
    material: Material, request: RunRequest, runs: Path, around: tuple[Clock, Tell], judge: Ending
) -> Package:
    check_run_id(request.run_id)
    price = request.prices.price_of(request.model) if request.prices else None
    request.ceilings.check(price, request.model)
    prepared = prepare(material, request)
    with _cluster(request):
        provider = _opened(prepared, request)
        return asyncio.run(_Run(prepared, request, runs, *around).go(provider, judge))


def _cluster(request: RunRequest) -> AbstractContextManager[None]:
    """A connection to the cluster of `--engine ray`, before our own signal handlers are there: Ray sets some too."""
    if request.engine != "ray":
        return nullcontext()
    request.cluster.check()
    from fcbench.engine.ray_cluster import connected  # noqa: PLC0415 - Ray is an extra

    return connected(request.cluster)


def _opened(prepared: Prepared, request: RunRequest) -> Provider:
    oracles = {case.id: case.oracle for case in prepared.plan.cases}
    return open_provider(request.model, request.options, oracles=oracles, sampling=request.sampling)


def _both(listen: Listener | None, tell: Tell) -> Tell:
    if listen is None:
        return tell

    def told(event: Event) -> None:
        tell(event)
        if isinstance(event, AttemptEnded):
            listen(Progress(done=event.done, planned=event.planned, attempt=event.attempt))

    return told


class _Run:
    """One call of the command."""

    def __init__(self, prepared: Prepared, request: RunRequest, runs: Path, clock: Clock, tell: Tell) -> None:
        self._prepared = prepared
        self._request = request
        self._runs = runs
        self._clock = clock
        self._tell = tell

    async def go(self, provider: Provider, judge: Ending) -> Package:
        """Open the directory, make what is missing and seal; or end what a kill left sealed and without its end."""
        opened = Opened(provider, lambda: _opened(self._prepared, self._request))
        try:
            header = make_header(self._prepared, provider.info, self._clock, run_id=self._request.run_id)
            there = self._there(header)
            if there is not None and there.suffix != ".partial":
                return end_run(there, self._ending(judge))
            directory = self._open(header, there)
            try:
                return await self._make_and_seal(opened, directory, self._ending(judge))
            finally:
                directory.close()
        finally:
            await opened.aclose()

    def _there(self, header: RunHeader) -> Path | None:
        """What this run has become already: a directory under way, or a package."""
        if self._request.run_id is None:
            return find_unfinished(self._parent, header)
        sealed = find_sealed(self._parent / header.run_id, header)
        return sealed.folder if sealed else None

    @property
    def _parent(self) -> Path:
        return self._runs / self._prepared.registry.hash[:12]

    def _ending(self, judge: Ending) -> Ending:
        registry = self._prepared.registry

        def end(package: Package) -> None:
            write_registry(self._runs, registry.hash, registry.contracts.values())
            judge(package)

        return end

    def _open(self, header: RunHeader, under_way: Path | None) -> RunDirectory:
        if under_way:
            return resume_run(under_way, header)
        plan = self._prepared.plan
        folder = self._parent / f"{header.run_id}.partial"
        return create_run(folder, header, plan.cases, plan.used_contracts(), prompt_file(plan.settings.mode))

    async def _make_and_seal(self, opened: Opened, directory: RunDirectory, then: Ending) -> Package:
        directory.log(
            self._clock.now(), f"{directory.made} attempts are there; going on with fcbench {fcbench.__version__}"
        )
        halt, price = Halt(), self._request.prices.price_of(self._request.model) if self._request.prices else None
        making = Making(self._prepared, self._request, directory, self._clock, self._tell)
        making.open(opened, halt, price, spent_by(directory.attempts(), price))
        self._tell(self._begun(directory, making))
        try:
            with interrupts(halt):
                package = await self._finish(making, halt, directory, then)
        except BaseException as error:
            self._tell(self._ended(directory, making, _end_of(error, halt), str(error).partition("\n")[0]))
            raise
        self._tell(self._ended(directory, making, "sealed", "", package.folder))
        return package

    async def _finish(self, making: Making, halt: Halt, directory: RunDirectory, then: Ending) -> Package:
        ending = await making.make_all()
        if halt.reason is not None and (ending is None or directory.missing(ending.repeats)):
            directory.log(self._clock.now(), f"stopped: {halt.reason.message}")
            raise _stopped(halt.reason, directory, making)
        assert ending is not None
        return directory.seal(
            self._clock.now(),
            repeats_done=ending.repeats,
            deterministic=ending.deterministic,
            allow_incomplete=self._request.seal_incomplete,
            then=then,
        )

    def _begun(self, directory: RunDirectory, making: Making) -> RunBegun:
        header, plan, prices = directory.header, self._prepared.plan, self._request.prices
        return RunBegun(
            at=iso(self._clock.now()),
            run_id=header.run_id,
            folder=str(directory.folder),
            collection=header.key.collection,
            provider=header.provider.provider,
            model=header.provider.model,
            harness=header.key.harness,
            mode=header.key.harness_mode,
            retrieval=header.key.retrieval,
            decoding=header.key.decoding,
            cases=len(plan.cases),
            repeats=plan.repeats,
            planned=making.planned,
            done=making.done,
            resumed=directory.made > 0,
            concurrency=making.concurrency,
            currency=prices.currency if prices and making.spent.cost is not None else None,
            spent=making.spent,
        )

    def _ended(
        self, directory: RunDirectory, making: Making, reason: EndReason, message: str, folder: Path | None = None
    ) -> RunEnded:
        return RunEnded(
            at=iso(self._clock.now()),
            reason=reason,
            folder=str(folder or directory.folder),
            message=message,
            done=making.done,
            planned=making.planned,
            counts=directory.counts(),
            spent=making.spent,
        )


def _end_of(error: BaseException, halt: Halt) -> EndReason:
    if isinstance(error, StoppedError) and halt.reason is not None:
        return halt.reason.kind
    if isinstance(error, RefusedError):
        return "refused"
    if isinstance(error, PackageError):
        return "incomplete"
    return "failed" if isinstance(error, Exception) else "interrupted"


def _stopped(reason: HaltReason, directory: RunDirectory, making: Making) -> StoppedError:
    kind = InterruptedRunError if reason.kind == "interrupted" else StoppedError
    return kind(
        reason.message,
        wanted=f"{making.planned} attempts",
        found=f"{making.done} are done" + (f"; {reason.found}" if reason.found else ""),
        where=str(directory.folder),
        next_step=reason.next_step,
    )


__all__ = ["Listener", "Progress", "RunRequest", "harness_of", "prepare", "protocol_of", "run", "run_and_judge"]

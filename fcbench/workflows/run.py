"""Run a suite, collection or subset against one model, and seal the package."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

import fcbench
from fcbench.core.cases import Case
from fcbench.core.evidence import Attempt
from fcbench.core.hashes import fixture_hash
from fcbench.core.names import HarnessMode, HarnessName
from fcbench.core.records import Record
from fcbench.engine.plan import Continuation, RunPlan, Settings, Stage
from fcbench.engine.retry import RetryingChannel, RetryPolicy
from fcbench.engine.schedule import run_jobs
from fcbench.errors import UsageError
from fcbench.harnesses.answers import SyntheticTools
from fcbench.harnesses.channel import DirectChannel
from fcbench.harnesses.clock import Clock, SystemClock
from fcbench.harnesses.loop import ContractHarness, Harness, Plan
from fcbench.harnesses.prompts import prompt_file
from fcbench.harnesses.watching import UNWATCHED, Watcher
from fcbench.harnesses.workbench import WorkbenchHarness
from fcbench.packages.manifest import RunHeader
from fcbench.packages.run_directory import (
    RunDirectory,
    create_run,
    find_partial,
    find_sealed,
    resume_run,
    write_registry,
)
from fcbench.packages.store import FINAL, Package
from fcbench.providers.base import Provider, Sampling
from fcbench.providers.catalog import ProviderOptions, open_provider
from fcbench.suites.model import Collection, Suites, nearest
from fcbench.workbench.pure import computed_answer
from fcbench.workflows.header import Prepared, make_header
from fcbench.workflows.project import Material, fixture_files
from fcbench.workflows.workbench import check_computed, check_tools, sessions_of

_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
MAX_PASSES = 2
"""Passes over the attempts that a provider or harness error left open, inside one call of the command."""


class RunRequest(Record, frozen=True, kw_only=True):
    """What to run. None means: as the collection says."""

    target: str
    """A collection, `collection/subset`, or a suite."""
    model: str
    """`provider:model`, such as `scripted:oracle` or `llama_server:model.gguf`."""
    options: ProviderOptions = ProviderOptions()
    harness: HarnessName | None = None
    mode: HarnessMode | None = None
    retrieval: str | None = None
    repeats: int | None = None
    auto_repeats: bool = False
    sampling: Sampling = Sampling()
    time_scale: float = 1.0
    concurrency: int = 1
    delay_s: float = 0.0
    only: tuple[str, ...] = ()
    """Case ids: makes a run of purpose `interactive`, which is never ranked."""
    run_id: str | None = None
    seal_incomplete: bool = False


@dataclass(frozen=True)
class Progress:
    """What a caller is told after each attempt."""

    done: int
    planned: int
    attempt: Attempt


Listener = Callable[[Progress], None]


def run(
    material: Material, request: RunRequest, runs: Path, *, listen: Listener | None = None, clock: Clock | None = None
) -> Package:
    """Make every planned attempt and seal the package; a run that was interrupted goes on.

    Args:
        material: the loaded project.
        request: what to run.
        runs: the folder of packages; the package lies in `<registry_hash[:12]>/<run_id>`.
        listen: told after each attempt.
        clock: the machine's clock unless given.

    Raises:
        UsageError: the target, the provider or an option does not exist or does not fit.
        UnavailableError: an extra, a port or a server is missing.
        ProviderError: the provider refuses the run altogether.
        PackageError: the run is incomplete (and stays resumable), or its directory holds another run.
        WriteError: the folder cannot be written.
    """
    _check_run_id(request.run_id)
    prepared = prepare(material, request)
    oracles = {case.id: case.oracle for case in prepared.plan.cases}
    provider = open_provider(request.model, request.options, oracles=oracles, sampling=request.sampling)
    return asyncio.run(
        _run(prepared, request, provider, runs, listen or (lambda progress: None), clock or SystemClock())
    )


def _check_run_id(run_id: str | None) -> None:
    if run_id is not None and (not _RUN_ID.fullmatch(run_id) or run_id.endswith((".partial", "."))):
        raise UsageError(
            "this run id cannot name a folder",
            wanted="1 to 100 letters, digits, dots, hyphens and underscores, the first a letter or digit",
            found=run_id[:120],
            where="--run-id",
        )


def prepare(material: Material, request: RunRequest, protocol: Collection | None = None) -> Prepared:
    """Plan a run; nothing is asked or written.

    Args:
        material: the loaded project.
        request: what to run.
        protocol: whose settings stand for those that are left out; the target's own collection without.

    Raises:
        UsageError: the target, a case or a setting does not exist or does not fit.
        UnavailableError: an expected tool cannot be executed here.
    """
    known = material.suites.case_set(request.target)
    protocol = protocol or protocol_of(material.suites, request.target)
    harness = request.harness or protocol.harness
    cases = _chosen(known, request, harness)
    names = sorted({case.task.registry for case in cases})
    if len(names) != 1:
        raise UsageError(
            "a run covers one registry",
            wanted=f"cases of one registry that the {harness} harness can carry",
            found=", ".join(names) or "no case",
            where=request.target,
            next_step="choose another collection, suite or subset: `fcbench suite stats` lists what there is",
        )
    registry = material.registries[names[0]]
    settings = Settings(
        mode=_mode(request, protocol, harness),
        retrieval=request.retrieval or protocol.retrieval,
        sampling=request.sampling,
        repeats=request.repeats or protocol.repeats,
        auto_repeats=request.auto_repeats,
        time_scale=request.time_scale,
    )
    if harness == "workbench":
        check_tools(cases)
    plan = RunPlan(cases, registry.contracts, settings)
    if harness == "contract":
        check_computed(plan.used_contracts())
    fixtures = fixture_hash(fixture_files(material.project, plan.cases))
    return Prepared(
        plan=plan,
        registry=registry,
        collection=request.target,
        harness=harness,
        suites=material.project.suites,
        fixture_hash=fixtures,
        interactive=bool(request.only),
        base_url=request.options.base_url,
    )


def protocol_of(suites: Suites, target: str) -> Collection:
    """The collection whose defaults a target takes: its own, or the first that lists the suite.

    Raises:
        UsageError: the target is a suite of no collection.
    """
    whole = target.partition("/")[0]
    for collection in suites.collections.values():
        if whole == collection.name or whole in collection.suites:
            return collection
    raise UsageError(
        "this suite is in no collection, so nothing says how to run it",
        wanted="a collection that lists the suite",
        found=whole,
        where="suites/collections.yaml",
        next_step="add the suite to a collection, or run a collection: " + ", ".join(suites.collections),
    )


def _mode(request: RunRequest, protocol: Collection, harness: HarnessName) -> HarnessMode:
    """The mode asked for, else the collection's; on the workbench there is one only."""
    if harness != "workbench":
        return request.mode or protocol.mode
    if request.mode == "oracle-assisted":
        raise UsageError(
            "the workbench gives no hints",
            wanted="mode production-parity",
            found=request.mode,
            where="--mode",
            next_step="leave --mode out, or choose --harness contract",
        )
    return "production-parity"


def _chosen(there: tuple[Case, ...], request: RunRequest, harness: HarnessName) -> tuple[Case, ...]:
    cases = tuple(case for case in there if harness in case.harnesses)
    if not request.only:
        return cases
    known = {str(case.id) for case in cases}
    unknown = [name for name in request.only if name not in known]
    if unknown:
        raise UsageError(
            "these cases are not in the target",
            wanted="ids of cases of the target",
            found=", ".join(unknown),
            where=f"--case, target {request.target}",
            next_step=nearest(unknown[0], known) or f"ids look like {min(known, default='gs-001')}",
        )
    return tuple(case for case in cases if case.id in request.only)


async def _run(
    prepared: Prepared, request: RunRequest, provider: Provider, runs: Path, listen: Listener, clock: Clock
) -> Package:
    try:
        header = make_header(prepared, provider.info, clock, run_id=request.run_id)
        sealed = find_sealed(runs / prepared.registry.hash[:12] / header.run_id, header)
        if sealed:
            return sealed
        directory = _open(prepared, header, runs, resume=request.run_id is None)
        directory.log(
            clock.now(), f"{len(directory.attempts)} attempts are there; going on with fcbench {fcbench.__version__}"
        )
        try:
            ending = await _Maker(prepared, request, provider, directory, listen, clock).make_all()
            package = directory.seal(
                clock.now(),
                repeats_done=ending.repeats,
                deterministic=ending.deterministic,
                allow_incomplete=request.seal_incomplete,
            )
        finally:
            directory.close()
        write_registry(runs, prepared.registry.hash, prepared.registry.contracts.values())
        return package
    finally:
        await provider.aclose()


def _open(prepared: Prepared, header: RunHeader, runs: Path, *, resume: bool) -> RunDirectory:
    parent = runs / prepared.registry.hash[:12]
    under_way = find_partial(parent, header) if resume else None
    if under_way:
        return resume_run(under_way, header)
    folder = parent / f"{header.run_id}.partial"
    prompt = prompt_file(prepared.plan.settings.mode)
    return create_run(folder, header, prepared.plan.cases, prepared.plan.used_contracts(), prompt)


def harness_of(prepared: Prepared, clock: Clock, watcher: Watcher = UNWATCHED) -> Harness:
    """The harness of a planned run."""
    contracts = prepared.plan.contracts
    if prepared.harness == "contract":
        return ContractHarness(contracts, clock, watcher, SyntheticTools(computed_answer))
    sessions = sessions_of(prepared.suites, prepared.registry.name)
    return WorkbenchHarness(contracts, sessions, clock, watcher=watcher)


class _Maker:
    """Makes the attempts of a run and writes each to the journal as it ends."""

    def __init__(
        self,
        prepared: Prepared,
        request: RunRequest,
        provider: Provider,
        directory: RunDirectory,
        listen: Listener,
        clock: Clock,
    ) -> None:
        self._plan = prepared.plan
        self._request = request
        # A provider that answers one request at a time would make the others wait at their own expense.
        self._concurrency = min(request.concurrency, getattr(provider, "slots", None) or request.concurrency)
        self._channel = RetryingChannel(DirectChannel(provider, clock), RetryPolicy(), random.Random(0))
        self._harness = harness_of(prepared, clock)
        self._directory = directory
        self._listen = listen
        self._final = {key for key, attempt in directory.latest.items() if attempt.outcome in FINAL}
        self._clock = clock

    async def make_all(self) -> Continuation:
        """Make every attempt that has no final outcome yet."""
        first = self._plan.first_stage()
        await self._make(first, len(first))
        ending = self._plan.then(self._directory.latest)
        await self._make(ending.stage, len(first) + len(ending.stage))
        return ending

    async def _make(self, stage: Stage, planned: int) -> None:
        for _ in range(MAX_PASSES):
            jobs = self._open_jobs(stage)
            if not jobs:
                return
            attempts = run_jobs(
                jobs,
                self._harness,
                self._channel,
                self._clock,
                concurrency=self._concurrency,
                delay_s=self._request.delay_s,
            )
            # Closed also when the journal refuses: no attempt may go on against a provider that is being closed.
            async with aclosing(attempts):
                async for attempt in attempts:
                    self._directory.journal.append(attempt)
                    self._directory.log(self._clock.now(), _line(attempt))
                    if attempt.outcome in FINAL:
                        self._final.add((attempt.task_id, attempt.repeat))
                    self._listen(Progress(done=len(self._final), planned=planned, attempt=attempt))

    def _open_jobs(self, stage: Stage) -> list[Plan]:
        latest = self._directory.latest
        jobs = []
        for case, repeat in stage:
            before = latest.get((case.id, repeat))
            if before is None or before.outcome not in FINAL:
                jobs.append(self._plan.job(case, repeat, before.try_number + 1 if before else 1))
        return jobs


def _line(attempt: Attempt) -> str:
    error = f", {attempt.error.kind}: {attempt.error.message}" if attempt.error else ""
    return (
        f"{attempt.task_id} repeat {attempt.repeat} try {attempt.try_number}: {attempt.outcome} ({attempt.stop}) after "
        f"{attempt.duration_s:.3f} s, {len(attempt.rounds)} rounds, {attempt.retries} retries{error}"
    )

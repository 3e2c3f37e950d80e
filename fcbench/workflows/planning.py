"""What to run, and the plan that follows from it. Nothing is asked or written here."""

from __future__ import annotations

import re

from fcbench.core.cases import Case
from fcbench.core.hashes import fixture_hash
from fcbench.core.names import HarnessMode, HarnessName
from fcbench.core.records import Record
from fcbench.engine.budget import Ceilings
from fcbench.engine.cluster import Cluster, EngineName
from fcbench.engine.plan import RunPlan, Settings
from fcbench.engine.prices import PriceList
from fcbench.engine.shards import Shard
from fcbench.errors import UsageError
from fcbench.harnesses.answers import SyntheticTools
from fcbench.harnesses.clock import Clock
from fcbench.harnesses.loop import ContractHarness, Harness
from fcbench.harnesses.watching import UNWATCHED, Watcher
from fcbench.harnesses.workbench import WorkbenchHarness
from fcbench.providers.base import Sampling
from fcbench.providers.catalog import ProviderOptions
from fcbench.suites.model import Collection, Suites, nearest
from fcbench.workbench.pure import computed_answer
from fcbench.workflows.header import Prepared
from fcbench.workflows.project import Material, fixture_files
from fcbench.workflows.workbench import check_computed, check_tools, sessions_of

_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


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
    """Attempts in flight at most; fewer while the provider says that it is too much."""
    delay_s: float = 0.0
    ceilings: Ceilings = Ceilings()
    prices: PriceList | None = None
    """For the cost, and for a ceiling on it."""
    only: tuple[str, ...] = ()
    """Case ids: makes a run of purpose `interactive`, which is never ranked."""
    engine: EngineName = "local"
    cluster: Cluster = Cluster()
    """Where engine is `ray`. Concurrency is then that of each worker."""
    shard: Shard | None = None
    """Only this part of the plan, to be merged with the others later."""
    run_id: str | None = None
    seal_incomplete: bool = False


def check_run_id(run_id: str | None) -> None:
    """Refuse an id that cannot name a folder.

    Raises:
        UsageError: it cannot.
    """
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
    if not known and (sealed := material.suites.sealed_in(request.target)):
        raise UsageError(
            "every case of this target is sealed",
            wanted="the secret file that opens the seal",
            found=f"{len(sealed)} commitments",
            where=request.target,
            next_step="whoever holds the file names it with --held-out; others wait until the cases are revealed",
        )
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
        shard=request.shard,
    )
    _check_shard(request)
    if harness == "workbench":
        check_tools(cases)
    plan = RunPlan(cases, registry.contracts, settings)
    if request.shard is not None and not plan.first_stage():
        raise UsageError(
            "this shard is empty",
            wanted=f"at most {len(plan.cases) * plan.repeats} shards, one for each attempt of the plan",
            found=str(request.shard),
            where="--shard",
        )
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


def _check_shard(request: RunRequest) -> None:
    if request.shard is None:
        return
    if request.auto_repeats:
        raise UsageError(
            "a shard cannot find out how many repeats are needed: it does not see the replies of the others",
            wanted="a number of repeats",
            found="--repeats auto with --shard",
            where="--repeats",
            next_step="give a number; `--repeats auto` works on one machine and with `--engine ray`",
        )
    if request.only:
        raise UsageError(
            "picked cases are not run in shards",
            wanted="--shard or --case",
            found="both",
            where="--shard",
            next_step="leave one of them out",
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


def harness_of(prepared: Prepared, clock: Clock, watcher: Watcher = UNWATCHED) -> Harness:
    """The harness of a planned run."""
    contracts = prepared.plan.contracts
    if prepared.harness == "contract":
        return ContractHarness(contracts, clock, watcher, SyntheticTools(computed_answer))
    sessions = sessions_of(prepared.suites, prepared.registry.name)
    return WorkbenchHarness(contracts, sessions, clock, watcher=watcher)


__all__ = ["RunRequest", "check_run_id", "harness_of", "prepare", "protocol_of"]

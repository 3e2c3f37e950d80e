"""One attempt of one case, watched round by round and judged at once. No package is written."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass

from fcbench.core.cases import Case
from fcbench.core.contracts import ToolContract, contracts_of
from fcbench.core.evidence import Attempt
from fcbench.core.names import SCORABLE, CaseId, HarnessMode, HarnessName, JsonObject, Tier, ToolName
from fcbench.core.records import Record, to_plain
from fcbench.core.verdicts import Verdict
from fcbench.engine.retry import RetryingChannel, RetryPolicy
from fcbench.errors import NotFoundError, ProviderError, UsageError
from fcbench.evaluator import applicable_tiers, judge
from fcbench.harnesses.channel import DirectChannel
from fcbench.harnesses.clock import Clock, SystemClock
from fcbench.harnesses.watching import UNWATCHED, Watcher
from fcbench.providers.base import Provider, Sampling
from fcbench.providers.catalog import ProviderOptions, open_provider
from fcbench.suites.model import Collection, Suites, nearest
from fcbench.workflows.header import Prepared
from fcbench.workflows.project import Material
from fcbench.workflows.run import RunRequest, harness_of, prepare, protocol_of


class TryRequest(Record, frozen=True, kw_only=True):
    """Which case, and how to ask. None means: as the collection of the case says.

    A case whose suite is in no collection is asked on the first harness that it names, in production-parity, with its
    own tools where it lists some and lexical retrieval where not; its headline is native-function-contract.
    """

    case: str
    """Id of a case."""
    model: str
    """`provider:model`."""
    options: ProviderOptions = ProviderOptions()
    harness: HarnessName | None = None
    mode: HarnessMode | None = None
    retrieval: str | None = None
    sampling: Sampling = Sampling()
    time_scale: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Trial:
    """An attempt that is planned and not begun."""

    case: Case
    prepared: Prepared
    request: TryRequest
    headline: Tier
    """The tier that decides whether the try passed."""

    @property
    def contracts(self) -> dict[ToolName, ToolContract]:
        """The registry of the case."""
        return self.prepared.registry.contracts

    @property
    def missed(self) -> tuple[ToolName, ...]:
        """Tools of the golden run that retrieval does not offer: then it cannot be played."""
        offered = {candidate.name for candidate in self.prepared.plan.candidates[self.case.id]}
        return tuple(dict.fromkeys(step.tool for step in self.case.oracle.calls if step.tool not in offered))

    def data(self) -> JsonObject:
        """As plain JSON: how the case is asked."""
        settings = self.prepared.plan.settings
        return {
            "case": str(self.case.id),
            "model": self.request.model,
            "harness": self.prepared.harness,
            "mode": settings.mode,
            "retrieval": self.prepared.plan.retrieval,
            "headline_tier": self.headline,
            "expected_tools_not_offered": list(map(str, self.missed)),
        }


@dataclass(frozen=True, kw_only=True)
class Tried:
    """What one attempt gave."""

    trial: Trial
    attempt: Attempt
    verdicts: tuple[Verdict, ...]
    """At every tier that harness and case allow, the headline first; empty where nothing can be judged."""

    @property
    def exit_code(self) -> int:
        """0 passed at the headline tier, 1 not, 2 no scorable outcome."""
        if not self.verdicts:
            return 2
        return 0 if self.verdicts[0].passed else 1

    def data(self) -> JsonObject:
        """As plain JSON."""
        passed = self.verdicts[0].passed if self.verdicts else None
        verdicts = [to_plain(verdict) for verdict in self.verdicts]
        return {**self.trial.data(), "passed": passed, "verdicts": verdicts, "attempt": to_plain(self.attempt)}


def plan_trial(material: Material, request: TryRequest) -> Trial:
    """Find the case and plan its attempt; nothing is asked yet.

    Raises:
        NotFoundError: there is no such case.
        UsageError: the harness cannot carry the case, or a setting does not fit.
        UnavailableError: an expected tool cannot be executed here.
    """
    case = material.suites.cases.get(CaseId(request.case))
    if case is None:
        raise _unknown(request.case[:80], material.suites)
    collection = _protocol(material.suites, case)
    harness = request.harness or collection.harness
    tiers = applicable_tiers(case, harness)
    if not tiers:
        raise UsageError(
            "this harness cannot carry the case",
            wanted=f"--harness {' or '.join(case.harnesses)}",
            found=harness,
            where=str(case.id),
        )
    run = RunRequest(
        target=case.suite,
        model=request.model,
        options=request.options,
        harness=harness,
        mode=request.mode,
        retrieval=request.retrieval,
        sampling=request.sampling,
        time_scale=request.time_scale,
        only=(str(case.id),),
    )
    headline = collection.headline_tier if collection.headline_tier in tiers else tiers[0]
    return Trial(case=case, prepared=prepare(material, run, collection), request=request, headline=headline)


def _unknown(name: str, suites: Suites) -> NotFoundError:
    if CaseId(name) in suites.sealed:
        return NotFoundError(
            "this case is sealed",
            wanted="its secret file",
            found=name,
            next_step="name the file with --held-out; who has none sees the case when it is revealed",
        )
    return NotFoundError(
        "there is no case of this id",
        wanted=f"one of {len(suites.cases)} cases",
        found=name,
        next_step=nearest(name, map(str, suites.cases)) or "list cases by suite with `fcbench suite stats`",
    )


def _protocol(suites: Suites, case: Case) -> Collection:
    """The collection of a case; for a suite that is in none, settings that are fair to any case."""
    if any(case.suite in collection.suites for collection in suites.collections.values()):
        return protocol_of(suites, case.suite)
    return Collection(
        name=case.suite,
        title=case.suite,
        suites=(case.suite,),
        harness=case.harnesses[0],
        mode="production-parity",
        retrieval="given" if case.task.tools else "lexical",
        headline_tier="native-function-contract",
    )


def try_case(trial: Trial, *, watcher: Watcher = UNWATCHED, clock: Clock | None = None) -> Tried:
    """Make the attempt and judge it.

    Args:
        trial: as planned.
        watcher: told of each round as it happens. What it raises ends the attempt and is raised here.
        clock: the machine's clock unless given.

    Raises:
        UsageError: the provider or an option does not exist or does not fit.
        UnavailableError: an extra, a port or a server is missing.
        ProviderError: the provider did not answer.
    """
    request = trial.request
    oracles = {trial.case.id: trial.case.oracle}
    provider = open_provider(request.model, request.options, oracles=oracles, sampling=request.sampling)
    attempt = asyncio.run(_attempt(trial, provider, watcher, clock or SystemClock()))
    if attempt.outcome == "provider_error":
        error = attempt.error
        raise ProviderError(
            "the provider did not answer",
            wanted=f"a reply to request {len(attempt.rounds) + 1} of the attempt",
            found=f"{error.kind}: {error.message}" if error else None,
            where=request.model,
            next_step="check the key, the model's name or the server, then repeat the command",
        )
    return Tried(trial=trial, attempt=attempt, verdicts=_verdicts(trial, attempt))


async def _attempt(trial: Trial, provider: Provider, watcher: Watcher, clock: Clock) -> Attempt:
    try:
        channel = RetryingChannel(DirectChannel(provider, clock), RetryPolicy(), random.Random(0))
        harness = harness_of(trial.prepared, clock, watcher)
        return await harness.attempt(trial.prepared.plan.job(trial.case, 1, 1), channel)
    finally:
        await provider.aclose()


def _verdicts(trial: Trial, attempt: Attempt) -> tuple[Verdict, ...]:
    if attempt.outcome not in SCORABLE:
        return ()
    harness, contracts = trial.prepared.harness, contracts_of(trial.case.task, trial.contracts)
    tiers = sorted(applicable_tiers(trial.case, harness), key=lambda tier: tier != trial.headline)
    return tuple(judge(trial.case, attempt, contracts, harness, tier) for tier in tiers)

"""What packages and registries say of each tool: contracts, the cases that expect it, and confusions with others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from fcbench.core.contracts import ToolContract
from fcbench.core.names import CaseId
from fcbench.core.verdicts import Fault
from fcbench.site.data import RunView, SiteData
from fcbench.site.slugs import attempt_path

CONFUSIONS = ("wrong_tool", "distractor_used")
"""Kinds of faults that name a tool called in place of another."""
MAX_REGISTRY = 500
"""Tools of a whole registry that get a page each; of a larger one only those that a run offered or expected."""
MAX_VERSIONS = 5
"""Different contracts of one name on one page."""


@dataclass(kw_only=True)
class Confusion:
    """One tool called where another was due, over the attempts of models (controls left out) at headline tiers."""

    expected: str
    called: str
    registry: str = ""
    """Name of the registry of both."""
    attempts: int = 0
    models: set[str] = field(default_factory=set)
    example: str = ""
    """Page of one such attempt."""


@dataclass(kw_only=True)
class ToolUse:
    """One name of a tool."""

    name: str
    contracts: list[tuple[str, ToolContract]] = field(default_factory=list)
    """(first letters of the registry hash, contract), different ones only."""
    cases: dict[CaseId, list[int]] = field(default_factory=dict)
    """Case that expects it -> attempts of models passed, attempts judged."""
    instead: list[Confusion] = field(default_factory=list)
    """Others called where this one was due."""
    intruding: list[Confusion] = field(default_factory=list)
    """This one called where others were due."""

    @property
    def passed(self) -> int:
        """Attempts of models that passed, over the cases that expect it."""
        return sum(passed for passed, _ in self.cases.values())

    @property
    def judged(self) -> int:
        """Attempts of models that were judged, over the cases that expect it."""
        return sum(judged for _, judged in self.cases.values())


def tool_uses(data: SiteData) -> dict[str, ToolUse]:
    """Every tool of the registries that the runs used, by name, sorted."""
    uses: dict[str, ToolUse] = {}
    for registry, contract in _contracts(data):
        use = uses.setdefault(contract.name, ToolUse(name=contract.name))
        if len(use.contracts) < MAX_VERSIONS and all(contract != known for _, known in use.contracts):
            use.contracts.append((registry, contract))
    for run in data.runs:
        _count_cases(run, uses)
    for one in confusions(data):
        if one.expected in uses:
            uses[one.expected].instead.append(one)
        if one.called in uses:
            uses[one.called].intruding.append(one)
    return dict(sorted(uses.items()))


def _contracts(data: SiteData) -> Iterator[tuple[str, ToolContract]]:
    for registry, contracts in sorted(data.registries.items()):
        if len(contracts) <= MAX_REGISTRY:
            yield from ((registry[:12], contract) for contract in contracts)
    for run in data.runs:
        registry = str(run.manifest.header.key.registry_hash)[:12]
        yield from ((registry, contract) for contract in run.package.contracts.values())


def _count_cases(run: RunView, uses: dict[str, ToolUse]) -> None:
    for task_id, case in run.package.cases.items():
        expecting = [uses[name] for name in {step.tool for step in case.oracle.calls} if name in uses]
        kinds = [] if run.is_control else [run.status(*key).kind for key in _keys(run, task_id)]
        for use in expecting:
            counts = use.cases.setdefault(task_id, [0, 0])
            counts[0] += kinds.count("pass")
            counts[1] += sum(kind != "none" for kind in kinds)


def _keys(run: RunView, task_id: CaseId) -> Iterator[tuple[CaseId, int]]:
    yield from ((task_id, repeat) for repeat in range(1, run.manifest.repeats_done + 1))


def confusions(data: SiteData) -> list[Confusion]:
    """Each pair of (due, called) of a registry, the most frequent first; an attempt counts once a pair."""
    found: dict[tuple[str, str, str], Confusion] = {}
    for run in data.runs:
        if run.is_control:
            continue
        for task_id, repeat in run.entries:
            verdict = run.verdict(task_id, repeat)
            faults = verdict.faults if verdict else ()
            pairs = {pair for fault in faults if (pair := _pair(run, task_id, fault)) is not None}
            for pair in sorted(pairs):
                made = Confusion(expected=pair[0], called=pair[1], registry=run.manifest.header.registry)
                one = found.setdefault((made.registry, *pair), made)
                one.attempts += 1
                one.models.add(run.model)
                one.example = one.example or attempt_path(run.slug, task_id, repeat)
    return sorted(found.values(), key=lambda one: (-one.attempts, one.expected, one.called))


def _pair(run: RunView, task_id: CaseId, fault: Fault) -> tuple[str, str] | None:
    """(tool that was due, tool that was called); None where the fault does not say both."""
    case = run.case(task_id)
    if fault.kind not in CONFUSIONS or not fault.tool or case is None:
        return None
    steps = {step.step: step.tool for step in case.oracle.calls}
    tools = set(steps.values())
    due = steps.get(fault.step or "") or (next(iter(tools)) if len(tools) == 1 else None)  # type: ignore[call-overload]
    return (due, fault.tool) if due and due != fault.tool else None

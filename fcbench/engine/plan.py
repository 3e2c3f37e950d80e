"""The plan of a run: which task is asked how often, with which tools. Pure: the same input gives the same plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from fcbench.core.canonical import json_equal
from fcbench.core.cases import Case
from fcbench.core.contracts import ToolContract, by_key, contracts_of
from fcbench.core.evidence import Attempt, Candidate
from fcbench.core.names import SCORABLE, CaseId, HarnessMode, ToolName
from fcbench.core.records import Record
from fcbench.engine.shards import Shard, in_shard
from fcbench.harnesses.assistance import assistance_for
from fcbench.harnesses.loop import Plan
from fcbench.providers.base import Sampling
from fcbench.providers.wire_names import wire_names
from fcbench.retrieval.lexical import candidates
from fcbench.retrieval.spec import RetrievalSpec

AUTO_CASES = 20
AUTO_REPEATS = 3


Stage = tuple[tuple[Case, int], ...]
"""(case, repeat) in the order of asking."""


@dataclass(frozen=True)
class Continuation:
    """What follows the first stage of a run."""

    stage: Stage
    repeats: int
    """Repeats that every case will have."""
    deterministic: str | None
    """Such as `20/20` where three replies were identical on every probed case."""


class Settings(Record, frozen=True, kw_only=True):
    """What every attempt of a run shares."""

    mode: HarnessMode
    retrieval: str
    sampling: Sampling = Sampling()
    repeats: int = 1
    auto_repeats: bool = False
    """Whether three identical replies on the first twenty cases end the repeating (PROTOCOL 7)."""
    time_scale: float = 1.0
    shard: Shard | None = None
    """Which part of the plan is made here; never with `auto_repeats`, since no part sees all replies."""


class RunPlan:
    """Cases, their candidates and the jobs that follow."""

    def __init__(self, cases: Sequence[Case], contracts: Mapping[ToolName, ToolContract], settings: Settings) -> None:
        self.settings = settings
        self.cases = tuple(sorted(cases, key=lambda case: case.id))
        self.contracts = contracts
        spec = RetrievalSpec.parse(settings.retrieval)
        self.retrieval = str(spec)
        whole = tuple(contracts[key] for key in sorted(contracts))
        self.candidates: dict[CaseId, tuple[Candidate, ...]] = {}
        for case in self.cases:
            known = self.contracts_of(case)
            tools = whole if known is contracts else tuple(known.values())
            self.candidates[case.id] = on_the_wire(candidates(case.task, tools, spec))

    @property
    def repeats(self) -> int:
        """Planned repeats of each case."""
        return AUTO_REPEATS if self.settings.auto_repeats else self.settings.repeats

    def contracts_of(self, case: Case) -> Mapping[ToolName, ToolContract]:
        """The contracts that the tool names of a case stand for."""
        return contracts_of(case.task, self.contracts)

    def used_contracts(self) -> tuple[ToolContract, ...]:
        """Every contract that an offered or expected call of this run names, and those these contracts name."""
        used: dict[int, ToolContract] = {}
        for case in self.cases:
            known = self.contracts_of(case)
            names = {candidate.name for candidate in self.candidates[case.id]}
            names.update(step.tool for calls in (case.oracle.calls, *case.oracle.alternatives) for step in calls)
            for name in tuple(names):
                contract = known[name]
                names.update(one.tool for one in contract.equivalents)
                names.update(contract.follow_ups)
            used.update((id(known[name]), known[name]) for name in names if name in known)
        return tuple(by_key(used.values()).values())

    def job(self, case: Case, repeat: int, try_number: int) -> Plan:
        """One attempt to be made. The oracle ends here: the plan holds at most its disclosed part."""
        assisted = self.settings.mode == "oracle-assisted"
        return Plan(
            task=case.task,
            repeat=repeat,
            try_number=try_number,
            candidates=self.candidates[case.id],
            sampling=self.settings.sampling,
            time_scale=self.settings.time_scale,
            mode=self.settings.mode,
            assistance=assistance_for(case.oracle, self.contracts_of(case)) if assisted else None,
        )

    def first_stage(self) -> Stage:
        """(case, repeat) in the order of asking; under `auto_repeats` only the probed cases."""
        probed = self.cases[:AUTO_CASES] if self.settings.auto_repeats else self.cases
        stage = _grid(probed, range(1, self.repeats + 1))
        mine = in_shard(((case.id, repeat) for case, repeat in stage), self.settings.shard)
        return tuple((case, repeat) for case, repeat in stage if (case.id, repeat) in mine)

    def then(self, latest: Mapping[tuple[str, int], Attempt]) -> Continuation:
        """What follows the first stage, given its last tries."""
        return continuation(self.cases, self.settings, latest)


def on_the_wire(chosen: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """Candidates with the names under which they go out, noted where they differ."""
    wire = wire_names(one.name for one in chosen)
    return tuple(one if wire[one.name] == one.name else replace(one, wire_name=wire[one.name]) for one in chosen)


def continuation(cases: Sequence[Case], settings: Settings, latest: Mapping[tuple[str, int], Attempt]) -> Continuation:
    """What follows the first stage of a run over cases that are sorted by id, given its last tries."""
    if not settings.auto_repeats:
        return Continuation(stage=(), repeats=settings.repeats, deterministic=None)
    probed, rest = cases[:AUTO_CASES], cases[AUTO_CASES:]
    begun = any(repeat > 1 and case.id == name for name, repeat in latest for case in rest)
    # Repeats that are there already stay: a resumed run must not shrink below what it has.
    if begun or sum(_is_identical(case, latest) for case in probed) < len(probed):
        return Continuation(stage=_grid(rest, range(1, AUTO_REPEATS + 1)), repeats=AUTO_REPEATS, deterministic=None)
    said = f"{len(probed)}/{len(probed)}"
    return Continuation(stage=_grid(rest, range(1, 2)), repeats=1 if rest else AUTO_REPEATS, deterministic=said)


def _is_identical(case: Case, latest: Mapping[tuple[str, int], Attempt]) -> bool:
    first, *others = (_replies(latest.get((case.id, repeat))) for repeat in range(1, AUTO_REPEATS + 1))
    return bool(first) and all(json_equal(other, first) for other in others)


def _grid(cases: Sequence[Case], repeats: range) -> Stage:
    # Repeat by repeat: an interrupted run then has whole repeats, and the three of one case lie apart in time.
    return tuple((case, repeat) for repeat in repeats for case in cases)


def _replies(attempt: Attempt | None) -> list[object] | None:
    """Text, finish reason and ordered calls of every round; ids and times are ignored (PROTOCOL 7)."""
    if attempt is None or attempt.outcome not in SCORABLE:
        return None
    return [
        [turn.text, turn.finish_reason, [[call.name, call.raw_arguments] for call in turn.calls]]
        for turn in attempt.rounds
    ]

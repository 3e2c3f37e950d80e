"""The plan of a run: which task is asked how often, with which tools. Pure: the same input gives the same plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fcbench.core.canonical import json_equal
from fcbench.core.cases import Case
from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import Attempt, Candidate
from fcbench.core.names import CaseId, HarnessMode, ToolName
from fcbench.core.records import Record
from fcbench.harnesses.assistance import assistance_for
from fcbench.harnesses.loop import Plan
from fcbench.providers.base import Sampling
from fcbench.retrieval.lexical import RetrievalSpec, candidates

AUTO_CASES = 20
AUTO_REPEATS = 3


class Settings(Record, frozen=True, kw_only=True):
    """What every attempt of a run shares."""

    mode: HarnessMode
    retrieval: str
    sampling: Sampling = Sampling()
    repeats: int = 1
    auto_repeats: bool = False
    """Whether three identical replies on the first twenty cases end the repeating (PROTOCOL 7)."""
    time_scale: float = 1.0


class RunPlan:
    """Cases, their candidates and the jobs that follow."""

    def __init__(self, cases: Sequence[Case], contracts: Mapping[ToolName, ToolContract], settings: Settings) -> None:
        self.settings = settings
        self.cases = tuple(sorted(cases, key=lambda case: case.id))
        self.contracts = contracts
        spec = RetrievalSpec.parse(settings.retrieval)
        offered = tuple(contracts[name] for name in sorted(contracts))
        self.candidates: dict[CaseId, tuple[Candidate, ...]] = {
            case.id: candidates(case.task, offered, spec) for case in self.cases
        }

    @property
    def repeats(self) -> int:
        """Planned repeats of each case."""
        return AUTO_REPEATS if self.settings.auto_repeats else self.settings.repeats

    def used_contracts(self) -> tuple[ToolContract, ...]:
        """Every contract that an offered or expected call of this run names, and those these contracts name."""
        names = {candidate.name for found in self.candidates.values() for candidate in found}
        for case in self.cases:
            for calls in (case.oracle.calls, *case.oracle.alternatives):
                names.update(step.tool for step in calls)
        for name in tuple(names):
            contract = self.contracts[name]
            names.update(one.tool for one in contract.equivalents)
            names.update(contract.follow_ups)
        return tuple(self.contracts[name] for name in sorted(names) if name in self.contracts)

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
            assistance=assistance_for(case.oracle, self.contracts) if assisted else None,
        )

    def stages(self) -> tuple[tuple[tuple[Case, int], ...], ...]:
        """(case, repeat) in order; with `auto_repeats` the probe, then the first repeats of the rest, then the others."""
        if not self.settings.auto_repeats:
            return (_grid(self.cases, range(1, self.repeats + 1)),)
        probe, rest = self.cases[:AUTO_CASES], self.cases[AUTO_CASES:]
        return (
            _grid(probe, range(1, AUTO_REPEATS + 1)),
            _grid(rest, range(1, 2)),
            _grid(rest, range(2, AUTO_REPEATS + 1)),
        )

    def identical(self, latest: Mapping[tuple[str, int], Attempt]) -> tuple[int, int]:
        """How many probed cases gave the same replies in every repeat, and how many were probed."""
        probe = self.cases[:AUTO_CASES]
        same = 0
        for case in probe:
            repeats = [latest.get((case.id, repeat)) for repeat in range(1, AUTO_REPEATS + 1)]
            first = _replies(repeats[0])
            same += first is not None and all(json_equal(_replies(one), first) for one in repeats[1:])
        return same, len(probe)


def _grid(cases: Sequence[Case], repeats: range) -> tuple[tuple[Case, int], ...]:
    return tuple((case, repeat) for case in cases for repeat in repeats)


def _replies(attempt: Attempt | None) -> list[object] | None:
    """Text, finish reason and ordered calls of every round; ids and times are ignored (PROTOCOL 7)."""
    if attempt is None or attempt.outcome == "provider_error":
        return None
    return [
        [turn.text, turn.finish_reason, [[call.name, call.raw_arguments] for call in turn.calls]]
        for turn in attempt.rounds
    ]

"""The gates that need the evaluator: each golden run passes, and each mutation of it does what the table says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from msgspec.structs import replace

from fcbench.core.canonical import digest_text
from fcbench.core.cases import Case
from fcbench.core.contracts import ToolContract, contracts_of
from fcbench.core.evidence import Attempt
from fcbench.core.findings import Finding
from fcbench.core.names import HarnessName, JsonObject, Tier, ToolName
from fcbench.errors import BadInputError
from fcbench.evaluator import EXPECTED, applicable_tiers, golden_attempt, judge, mutations, wrong_reason
from fcbench.workflows.golden_runs import GoldenRuns, StumbledError, case_finding, run_name
from fcbench.workflows.project import Material

_BY_STATE: Tier = "task-completion-execution"
"""The tier where the end state decides as well."""


def judge_cases(material: Material, runs: GoldenRuns | None = None) -> Iterator[Finding]:
    """One finding for each golden run that does not pass and each mutation with another result, or for another reason.

    On the workbench a golden run is the one that the real tools gave, with the end state that it left. A case whose
    tools, engine or fixture are not there is judged on synthetic results.

    A mutated attempt keeps that end state: each mutation must fail by what was called. The end state has mutations of
    its own: the golden calls with another end state, part by part, must fail where the part counts and only there; and
    an added call that changes state must fail by the end state as well where that is another one.
    """
    played = runs or GoldenRuns(material)
    for case in material.suites.cases.values():
        contracts = contracts_of(case.task, material.registries[case.task.registry].contracts)
        for harness in case.harnesses:
            stage = Stage(material=material, case=case, harness=harness, runs=played, contracts=contracts)
            try:
                yield from _golden(stage)
                yield from _mutated(stage)
                yield from _other_states(stage)
            except StumbledError as error:
                message = f"step {error.step} fails on the workbench: {error.code}: {error.message}"
                yield case_finding(material, case, "golden-run", message)
            except BadInputError as error:
                yield case_finding(material, case, "golden-run", f"{error.message}: {error.found or ''}")


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One case on one harness."""

    material: Material
    case: Case
    harness: HarnessName
    runs: GoldenRuns
    contracts: Mapping[ToolName, ToolContract]
    """By the names that the model sees."""

    @property
    def ends_in_a_state(self) -> bool:
        """Whether a verdict on this harness compares the end state."""
        by_state = _BY_STATE in applicable_tiers(self.case, self.harness)
        return by_state and self.case.oracle.decision == "call" and self.case.oracle.end_state is not None

    def attempt(self, run: int = 0) -> Attempt:
        """The attempt that plays a golden run.

        Raises:
            StumbledError: the real tools do not carry it.
            BadInputError: the synthetic answers do not.
        """
        if self.harness == "workbench" and self.runs.can_play(self.case):
            return self.runs.attempt(self.case, self.contracts, run)
        return golden_attempt(self.case, self.contracts, harness=self.harness, run=run)

    def finding(self, rule: str, message: str) -> Finding:
        """A finding at the place of the case."""
        return case_finding(self.material, self.case, rule, message)


def _golden(stage: Stage) -> Iterator[Finding]:
    case, contracts = stage.case, stage.contracts
    for run in range(1 + len(case.oracle.alternatives)):
        attempt = stage.attempt(run)
        for tier in applicable_tiers(case, stage.harness):
            verdict = judge(case, attempt, contracts, stage.harness, tier)
            if not verdict.passed:
                why = next((one.reason for one in verdict.conditions if not one.passed), "no condition says why")
                yield stage.finding("golden-run", f"{run_name(run)} fails at {tier}: {why}")


def _mutated(stage: Stage) -> Iterator[Finding]:
    case, contracts = stage.case, stage.contracts
    for operator, attempt in mutations(case, stage.attempt(), contracts):
        for tier in applicable_tiers(case, stage.harness):
            verdict = judge(case, attempt, contracts, stage.harness, tier)
            wanted = EXPECTED[operator, tier]
            if verdict.passed is not (wanted == "pass"):
                yield stage.finding("mutation", f"{operator} must {wanted} at {tier} and does not")
            elif wanted == "fail" and (other := wrong_reason(operator, case, verdict)):
                yield stage.finding("mutation", f"{operator} fails at {tier} for another reason: {other}")
        by_state = operator == "extra_state_change" and stage.ends_in_a_state
        if by_state and not _is_seen(stage, attempt, *(case.oracle.end_state or ())):
            yield stage.finding("mutation", f"another end state beside {operator} is not seen at {_BY_STATE}")


def _other_states(stage: Stage) -> Iterator[Finding]:
    """The golden calls with another end state, part by part: what counts must be seen, the rest must not be."""
    case = stage.case
    effects = {stage.contracts[step.tool].effect for step in case.oracle.calls}
    golden = stage.attempt()
    for part in (case.oracle.end_state or ()) if stage.ends_in_a_state else ():
        counts = part not in ("view", "session") or part in effects
        if _is_seen(stage, golden, part) is not counts:
            what = "is not seen" if counts else "counts, though no expected call changes it,"
            yield stage.finding("mutation", f"another {part} in the end state {what} at {_BY_STATE}")


def _is_seen(stage: Stage, attempt: Attempt, *parts: str) -> bool:
    """Whether a verdict misses the golden end state where these parts are others."""
    changed: JsonObject = {part: digest_text(f"another {part}") for part in parts}
    elsewhere = replace(attempt, end_state={**(stage.case.oracle.end_state or {}), **changed})
    verdict = judge(stage.case, elsewhere, stage.contracts, stage.harness, _BY_STATE)
    return any(one.name == "end_state" and not one.passed for one in verdict.conditions)

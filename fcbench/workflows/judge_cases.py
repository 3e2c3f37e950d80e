"""The gates that need the evaluator: each golden run passes, and each mutation of it does what the table says."""

from __future__ import annotations

from collections.abc import Iterator

from fcbench.core.cases import Case
from fcbench.core.contracts import contracts_of
from fcbench.core.evidence import Attempt
from fcbench.core.findings import Finding
from fcbench.core.names import HarnessName
from fcbench.errors import BadInputError
from fcbench.evaluator import EXPECTED, applicable_tiers, golden_attempt, judge, mutations, wrong_reason
from fcbench.workflows.project import Material


def judge_cases(material: Material) -> Iterator[Finding]:
    """One finding for each golden run that does not pass and each mutation with another result, or for another reason.

    The workbench tiers are judged on synthetic results: what the real session answers is checked where it runs.
    """
    for case in material.suites.cases.values():
        for harness in case.harnesses:
            try:
                yield from _golden(material, case, harness)
                yield from _mutated(material, case, harness)
            except BadInputError as error:
                yield _finding(material, case, "golden-run", f"{error.message}: {error.found or ''}")


def _golden(material: Material, case: Case, harness: HarnessName) -> Iterator[Finding]:
    contracts = contracts_of(case.task, material.registries[case.task.registry].contracts)
    for run in range(1 + len(case.oracle.alternatives)):
        attempt = golden_attempt(case, contracts, harness=harness, run=run)
        for tier in applicable_tiers(case, harness):
            verdict = judge(case, attempt, contracts, harness, tier)
            if not verdict.passed:
                why = next((one.reason for one in verdict.conditions if not one.passed), "no condition says why")
                name = f"alternative {run}" if run else "the golden run"
                yield _finding(material, case, "golden-run", f"{name} fails at {tier}: {why}")


def _mutated(material: Material, case: Case, harness: HarnessName) -> Iterator[Finding]:
    contracts = contracts_of(case.task, material.registries[case.task.registry].contracts)
    golden: Attempt = golden_attempt(case, contracts, harness=harness)
    for operator, attempt in mutations(case, golden, contracts):
        for tier in applicable_tiers(case, harness):
            verdict = judge(case, attempt, contracts, harness, tier)
            wanted = EXPECTED[operator, tier]
            if verdict.passed is not (wanted == "pass"):
                yield _finding(material, case, "mutation", f"{operator} must {wanted} at {tier} and does not")
            elif wanted == "fail" and (other := wrong_reason(operator, case, verdict)):
                yield _finding(material, case, "mutation", f"{operator} fails at {tier} for another reason: {other}")


def _finding(material: Material, case: Case, rule: str, message: str) -> Finding:
    place = material.suites.places[case.id]
    return Finding(rule=rule, message=f"{case.id}: {message}", file=place.document.file, line=place.line_of())

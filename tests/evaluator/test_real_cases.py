"""The quality gates of PROTOCOL 8 that need the evaluator, over every case of the project."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from fcbench.evaluator import EXPECTED, applicable_tiers, golden_attempt, judge, mutations, wrong_reason
from fcbench.workflows.golden_runs import GoldenRuns
from fcbench.workflows.project import find_project, load

ROOT = Path(__file__).resolve().parents[2]


@lru_cache(maxsize=1)
def project() -> tuple[Any, Any, GoldenRuns]:
    material = load(find_project(ROOT))
    return material.registries, material.suites, GoldenRuns(material)


def suites() -> list[str]:
    return sorted(project()[1].suites)


@pytest.mark.parametrize("suite", suites())
def test_every_golden_run_passes_and_every_mutation_does_what_the_table_says_for_a_right_reason(suite: str) -> None:
    registries, loaded, runs = project()
    judged = 0
    for case in loaded.cases.values():
        if case.suite != suite:
            continue
        contracts = registries[case.task.registry].contracts
        for harness in case.harnesses:
            # Synthetic answers need not carry what the real tools do.
            real = harness == "workbench" and runs.can_play(case)
            golden = runs.attempt(case, contracts) if real else golden_attempt(case, contracts, harness=harness)
            mutated = list(mutations(case, golden, contracts))
            for tier in applicable_tiers(case, harness):
                verdict = judge(case, golden, contracts, harness, tier)
                assert verdict.passed, (case.id, tier, [fault.sentence for fault in verdict.faults])
                assert verdict.partial.score == 1.0
                assert verdict.anomalies == ()
                for operator, attempt in mutated:
                    verdict = judge(case, attempt, contracts, harness, tier)
                    wanted = EXPECTED[operator, tier] == "pass"
                    told = [fault.sentence for fault in verdict.faults]
                    assert verdict.passed is wanted, (case.id, harness, tier, operator, told)
                    assert bool(verdict.faults) is not verdict.passed
                    if not wanted:
                        other = wrong_reason(operator, case, verdict)
                        assert other is None, (case.id, harness, tier, operator, other)
                judged += 1
    assert judged

"""Judging beside what a plain script does: `json.loads`, jsonschema (compiled once) and `==` on the same arguments.

The script is evaluation code as article B prints it, but that it compiles each schema only once. It decides less (no
matching, no faults): a ratio below one means that a whole verdict costs less than validating alone costs there.
"""

from __future__ import annotations

import json

import jsonschema

from fcbench.evaluator import golden_attempt, judge
from fcbench.workflows.project import find_project, load
from tests.benchmarks.ratios import Ratio, side_by_side


def measure(pairs: int = 5, times: int = 3) -> Ratio:
    """All call cases of complex-schema-nl at the strict tier, `times` over."""
    material = load(find_project())
    contracts = material.registries["complex-schema"].contracts
    cases = [case for case in material.suites.case_set("complex-schema-nl") if case.oracle.decision == "call"]
    attempts = [golden_attempt(case, contracts) for case in cases]
    validators = [jsonschema.Draft202012Validator(contracts[case.oracle.calls[0].tool].parameters) for case in cases]

    def ours() -> None:
        for _ in range(times):
            for case, attempt in zip(cases, attempts, strict=True):
                judge(case, attempt, contracts, "contract", "native-function-contract")

    def script() -> None:
        for _ in range(times):
            for case, attempt, validator in zip(cases, attempts, validators, strict=True):
                arguments = json.loads(attempt.calls[0].raw_arguments)
                validator.validate(arguments)
                bool(arguments == case.oracle.calls[0].arguments)

    return side_by_side(f"evaluating {times * len(cases)} records (judge / plain script)", ours, script, pairs)

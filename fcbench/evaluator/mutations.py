"""What a small change of the golden run must do at each tier (PROTOCOL 8): operators, and the table of results.

A case whose golden run passes may still be judged too mildly. So each operator changes one thing in the golden attempt,
and the table says what the evaluator must then answer. The suite check and the tests run it over every case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Literal

from fcbench.core.cases import Case
from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import Attempt
from fcbench.core.names import Tier, ToolName
from fcbench.core.verdicts import Verdict
from fcbench.evaluator.callmutations import (
    dropped_required_key,
    duplicate,
    missing_step,
    swapped,
    wrong_tool,
    wrong_value,
)
from fcbench.evaluator.edits import Stage
from fcbench.evaluator.extramutations import extra_read, extra_state_change, silent_reply, text_only_claim
from fcbench.evaluator.reasons import COMPLETION_REASONS, STRICT_REASONS, Reason
from fcbench.evaluator.rules import STRICT_TIERS
from fcbench.evaluator.wording import listed

Operator = Literal[
    "wrong_tool",
    "missing_step",
    "swapped_in_block",
    "swapped_independent",
    "swapped_dependent",
    "wrong_value",
    "dropped_required_key",
    "extra_read",
    "extra_state_change",
    "duplicate",
    "text_only_claim",
    "silent_reply",
]
OPERATORS: dict[Operator, str] = {
    "wrong_tool": "one call goes to a tool that neither a golden run nor a declared equivalent names",
    "missing_step": "one call is left out",
    "swapped_in_block": "two neighbours of one free-order block change places",
    "swapped_independent": "two neighbours that do not need one another change places",
    "swapped_dependent": "a step and one that it needs change places",
    "wrong_value": "one argument of one call has a value that the case does not allow",
    "dropped_required_key": "one call lacks a key that its schema requires, and is rejected",
    "extra_read": "one more call of a tool that only reads (in a restraint case: the only call)",
    "extra_state_change": "one more call of a tool that changes session, project or file and is not part of the task",
    "duplicate": "one call stands twice; a state-changing one is recorded as a duplicate and not executed",
    "text_only_claim": "no call at all, but a text that claims the work is done",
    "silent_reply": "an `ask` case that ends without text",
}
Result = Literal["pass", "fail"]
_STRICT: dict[Operator, Result] = {name: "pass" if name == "swapped_in_block" else "fail" for name in OPERATORS}
_COMPLETION: dict[Operator, Result] = _STRICT | {
    # Order is free unless a step needs another (rule 2); reads and instances of a required capability are tolerated
    # (rule 6); a duplicate of one reply is not executed, so the end state is the golden one.
    "swapped_independent": "pass",
    "extra_read": "pass",
    "duplicate": "pass",
}
_TABLES: dict[Tier, dict[Operator, Result]] = {
    "native-function-contract": _STRICT,
    "real-tool-execution": _STRICT,
    "task-completion-execution": _COMPLETION,
    "task-completion-contract": _COMPLETION,
}
EXPECTED: dict[tuple[Operator, Tier], Result] = {
    (operator, tier): result for tier, table in _TABLES.items() for operator, result in table.items()
}
"""What every mutated golden attempt must get."""
REASONS: dict[tuple[Operator, Tier], tuple[Reason, ...]] = {
    (operator, tier): (STRICT_REASONS if tier in STRICT_TIERS else COMPLETION_REASONS)[operator]
    for (operator, tier), result in EXPECTED.items()
    if result == "fail"
}
"""Why every mutated golden attempt that must fail does: one of these reasons holds."""


def wrong_reason(operator: Operator, case: Case, verdict: Verdict) -> str | None:
    """What a failing verdict of a mutation says that the table does not; None where it fails for a right reason.

    Args:
        operator: the operator that made the mutation.
        case: the case.
        verdict: its verdict, at a tier where the table says that it fails.
    """
    if any(reason.explains(verdict, case) for reason in REASONS[operator, verdict.tier]):
        return None
    failed = [condition.name for condition in verdict.conditions if not condition.passed]
    kinds = sorted({fault.kind for fault in verdict.faults})
    return f"conditions {listed(failed) or 'none'}, fault kinds {listed(list(kinds)) or 'none'}"


def mutations(
    case: Case, attempt: Attempt, contracts: Mapping[ToolName, ToolContract]
) -> Iterator[tuple[Operator, Attempt]]:
    """Every mutation of a golden attempt, with the operator's name; an operator may apply many times, or never.

    Imported `any_call` cases have none: nearly every call is right there.

    Args:
        case: the case.
        attempt: its golden attempt (`golden_attempt`), judged by the first golden run.
        contracts: contracts by name; the tools that an extra call may use are taken from the attempt's candidates.
    """
    if case.oracle.decision == "any_call":
        return
    stage = Stage(case=case, attempt=attempt, contracts=contracts)
    plain: list[tuple[Operator, Callable[[Stage], Iterator[Attempt]]]] = [
        ("extra_read", extra_read),
        ("extra_state_change", extra_state_change),
    ]
    if case.oracle.decision == "call":
        plain += [
            ("wrong_tool", wrong_tool),
            ("missing_step", missing_step),
            ("wrong_value", wrong_value),
            ("dropped_required_key", dropped_required_key),
            ("duplicate", duplicate),
            ("text_only_claim", text_only_claim),
        ]
    elif case.oracle.decision == "ask":
        plain.append(("silent_reply", silent_reply))
    for name, operator in plain:
        for mutated in operator(stage):
            yield name, mutated
    yield from swapped(stage)

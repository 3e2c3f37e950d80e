"""Calls that no expected step took: which of them a completion tier tolerates (PROTOCOL 3, rule 6)."""

from __future__ import annotations

from collections.abc import Sequence

from fcbench.core.cases import ExpectedCall
from fcbench.core.contracts import ToolContract
from fcbench.core.records import Record
from fcbench.evaluator.observed import Observed
from fcbench.evaluator.rules import Rules


class Extra(Record, frozen=True, kw_only=True):
    """One call beyond the expected ones."""

    call: Observed
    tolerated: bool
    reason: str
    duplicate: bool = False
    """Whether an identical call stands before it, or the harness recorded it as one."""
    changes: bool = False
    """Whether it changes state: session, project or file, or the view where the case expects a change there."""


def extras(
    steps: Sequence[ExpectedCall], calls: Sequence[Observed], taken: frozenset[int], rules: Rules
) -> tuple[Extra, ...]:
    """Every call that the assignment left over, in order.

    Args:
        steps: the expected steps.
        calls: all calls that count.
        taken: positions of the calls that an expected step took.
        rules: the rules of the tier.
    """
    seen: set[tuple[str, str]] = set()
    found: list[Extra] = []
    needed = [rules.contracts[step.tool] for step in steps]
    for call in calls:
        mark = (call.name, call.call.raw_arguments)
        if call.index not in taken:
            tolerated, reason = _tolerated(call, needed, rules)
            duplicate = mark in seen or call.call.result.status == "duplicate"
            changes = call.contract is not None and changes_state(call.contract, needed)
            found.append(Extra(call=call, tolerated=tolerated, reason=reason, duplicate=duplicate, changes=changes))
        seen.add(mark)
    return tuple(found)


def changes_state(contract: ToolContract, needed: Sequence[ToolContract]) -> bool:
    """Whether a call changes what the case is about; a view change only where the case expects one."""
    return contract.changes_state or (contract.effect == "view" and expects_view(needed))


def expects_view(needed: Sequence[ToolContract]) -> bool:
    """Whether an expected call is a view or session change."""
    return any(contract.effect in ("view", "session") for contract in needed)


def _tolerated(call: Observed, needed: Sequence[ToolContract], rules: Rules) -> tuple[bool, str]:
    contract = call.contract
    if contract is None:
        return False, "no such tool is registered"
    if rules.any_call and any(call.name == other.name for other in needed):
        return True, "any call of this tool is right"
    if rules.strict:
        return False, "the strict tiers want the expected calls and no other"
    if contract.effect == "reads":
        return True, "it only reads"
    if contract.effect == "view" and not expects_view(needed):
        return True, "it changes the view, and no expected call is about the view or the session"
    if any(contract.capability == other.capability for other in needed):
        return True, f"it is another instance of a required capability ({contract.capability[:80]})"
    if any(contract.name in other.follow_ups for other in needed):
        return True, "it is the declared follow-up of a required step"
    return False, f"it changes the {contract.effect}, and nothing declares that this is part of the task"

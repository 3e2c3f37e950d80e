"""Calls that no expected step took: which of them a completion tier tolerates (PROTOCOL 3, rule 6)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from fcbench.core.contracts import ToolContract
from fcbench.evaluator.observed import Observed
from fcbench.evaluator.plan import RunPlan
from fcbench.evaluator.rules import Rules


class Extra:
    """One call beyond the expected ones.

    Attributes:
        call: the call.
        tolerated: whether rule 6 allows it.
        reason: why, or why not.
        duplicate: whether an identical call stands before it, or the harness recorded it as one.
        changes: whether it changes state: session, project or file, or the view where the case expects a change there.
    """

    __slots__ = ("call", "changes", "duplicate", "reason", "tolerated")

    def __init__(self, call: Observed, judged: tuple[bool, str], *, duplicate: bool, changes: bool) -> None:
        self.call = call
        self.tolerated, self.reason = judged
        self.duplicate = duplicate
        self.changes = changes


def extras(run: RunPlan, calls: Sequence[Observed], chosen: Sequence[Observed | None], rules: Rules) -> list[Extra]:
    """Every call that the assignment left over, in order.

    Args:
        run: the golden run.
        calls: all calls that count.
        chosen: the call of each step.
        rules: the rules of the tier.
    """
    taken = {call.index for call in chosen if call is not None}
    seen: set[tuple[str, str]] = set()
    found: list[Extra] = []
    for call in calls:
        mark = (call.name, _content(call))
        if call.index not in taken:
            duplicate = mark in seen or call.status == "duplicate"
            changes = call.contract is not None and changes_state(call.contract, run.needed)
            found.append(Extra(call, _tolerated(call, run, chosen, rules), duplicate=duplicate, changes=changes))
        seen.add(mark)
    return found


def _content(call: Observed) -> str:
    """The arguments, whatever the order of their keys and the white space between them."""
    arguments = call.arguments
    return call.call.raw_arguments if arguments is None else json.dumps(arguments, sort_keys=True)


def changes_state(contract: ToolContract, needed: Sequence[ToolContract]) -> bool:
    """Whether a call changes what the case is about; a view change only where the case expects one."""
    return contract.changes_state or (contract.effect == "view" and expects_view(needed))


def expects_view(needed: Sequence[ToolContract]) -> bool:
    """Whether an expected call is a view or session change."""
    return any(contract.effect in ("view", "session") for contract in needed)


_STRICT: Final = (False, "the strict tiers want the expected calls and no other")
_UNKNOWN: Final = (False, "no such tool is registered")


def _tolerated(call: Observed, run: RunPlan, chosen: Sequence[Observed | None], rules: Rules) -> tuple[bool, str]:
    contract = call.contract
    if contract is None:
        return _UNKNOWN
    if rules.strict:
        return _STRICT
    if contract.effect == "reads":
        return True, "it only reads"
    if contract.effect == "view" and not expects_view(run.needed):
        return True, "it changes the view, and no expected call is about the view or the session"
    if _is_instance(contract, run, chosen):
        return True, f"it is another instance of a required capability ({contract.capability[:80]})"
    if _is_follow_up(call, run, chosen):
        return True, "it is the declared follow-up of a required step that stands before it"
    return False, f"it changes the {contract.effect}, and nothing declares that this is part of the task"


def _is_instance(contract: ToolContract, run: RunPlan, chosen: Sequence[Observed | None]) -> bool:
    """Whether a tool has the capability of an expected one, of one that stands for it, or is a declared equivalent."""
    standing = [call.contract for call in chosen if call is not None and call.contract is not None]
    if any(contract.capability == other.capability for other in (*run.needed, *standing)):
        return True
    return any(contract.name in expected.others for expected in run.expected)


def _is_follow_up(call: Observed, run: RunPlan, chosen: Sequence[Observed | None]) -> bool:
    """Whether a step before the call declares it as what comes next, or the equivalent that stood for the step does."""
    for needed, taken in zip(run.needed, chosen, strict=True):
        if taken is None or taken.index > call.index:
            continue
        standing = () if taken.contract is None else taken.contract.follow_ups
        if call.name in needed.follow_ups or call.name in standing:
            return True
    return False

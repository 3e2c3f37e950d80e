"""Mutation operators that add a call or take the whole answer away."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import Attempt
from fcbench.evaluator.edits import Stage, grouped, with_calls


def extra_read(stage: Stage) -> Iterator[Attempt]:
    """One more call of an offered tool that only reads.

    Not where an `ask` case has one reply: with a call in it, that reply no longer ends in the text that asks.
    """
    if stage.case.task.single_call and stage.case.oracle.decision == "ask":
        return
    for contract in stage.others():
        if contract.effect == "reads":
            mutated = _added(stage, contract)
            if mutated is not None:
                yield mutated
                return


def extra_state_change(stage: Stage) -> Iterator[Attempt]:
    """One more call of an offered tool that changes state and that nothing declares to be part of the task."""
    needed = [stage.contracts[name] for name in sorted(stage.expected)]
    for contract in stage.others():
        declared = any(contract.capability == other.capability or contract.name in other.follow_ups for other in needed)
        if contract.changes_state and not declared:
            mutated = _added(stage, contract)
            if mutated is not None:
                yield mutated
                return


def _added(stage: Stage, contract: ToolContract) -> Attempt | None:
    call = stage.made(contract)
    if call is None:
        return None
    groups, attempt = grouped(stage.attempt), stage.attempt
    if not stage.case.task.single_call:
        return with_calls(attempt, [*groups, [call]])
    # Only the first reply of a single-call task counts, so the call goes there, beside its text.
    first = replace(attempt.rounds[0], calls=(*attempt.rounds[0].calls, call), finish_reason="tool_calls")
    return replace(attempt, rounds=(first, *attempt.rounds[1:]))


def text_only_claim(stage: Stage) -> Iterator[Attempt]:
    """No call, but a text that says what was done."""
    names = ", ".join(step.tool for step in stage.case.oracle.calls)
    text = f"I have called {names} as you asked; everything is done."
    first = replace(stage.attempt.rounds[0], calls=(), text=text, finish_reason="stop")
    yield replace(stage.attempt, rounds=(first,), final_text=text)


def silent_reply(stage: Stage) -> Iterator[Attempt]:
    """A reply that ends without a word."""
    first = replace(stage.attempt.rounds[0], calls=(), text="", finish_reason="stop")
    yield replace(stage.attempt, rounds=(first,), final_text="")

"""The four dimensions of a call, kept apart (PROTOCOL 5)."""

from __future__ import annotations

from collections.abc import Sequence

from fcbench.core.names import JsonObject
from fcbench.core.verdicts import Dimensions, Fault, FaultKind
from fcbench.evaluator.facts import Facts, StepFacts
from fcbench.evaluator.scene import Scene
from fcbench.evaluator.values import Difference, leaf_count

UNSUPPORTED: frozenset[FaultKind] = frozenset(
    {
        "extra_state_changing_call",
        "unexpected_call",
        "duplicate_call",
        "tool_not_offered",
        "unknown_key",
        "branch_confusion",
        "global_field_repeated",
        "invented_optional",
        "distractor_used",
        "dummy_for_missing_data",
        "value_repaired",
        "call_not_due",
    }
)
"""Fault kinds that break restraint: something was done or said that the instruction does not support."""


def call_dimensions(facts: Facts, faults: Sequence[Fault]) -> Dimensions:
    """The dimensions of a case whose decision is to call."""
    calls = facts.scene.calls
    syntactic = all(call.call.arguments is not None for call in calls) if calls else None
    broken = syntactic is False
    conforms = None if broken else bool(calls) and all(call.valid for call in calls)
    faithful = None if broken else bool(calls) and all(map(_is_faithful, facts.steps))
    restrained = not any(fault.kind in UNSUPPORTED for fault in faults)
    precision, recall = (None, None) if broken else _precision_and_recall(facts.steps)
    return Dimensions(
        syntactic_validity=syntactic,
        schema_conformance=conforms,
        argument_fidelity=faithful,
        restraint=restrained,
        exact_match=bool(conforms and faithful and restrained),
        field_precision=precision,
        field_recall=recall,
    )


def restraint_dimensions(scene: Scene, faults: Sequence[Fault]) -> Dimensions:
    """The dimensions where no call is due: there is nothing to conform to and no value to be faithful to."""
    restrained = not any(fault.kind in UNSUPPORTED for fault in faults)
    return Dimensions(
        syntactic_validity=all(call.call.arguments is not None for call in scene.calls) if scene.calls else None,
        schema_conformance=None,
        argument_fidelity=None,
        restraint=restrained,
        exact_match=not faults,
    )


def _is_faithful(item: StepFacts) -> bool:
    """Whether the expected keys hold the expected values; keys beyond them are a matter of restraint."""
    return item.call is not None and not any(map(_breaks_fidelity, item.differences))


def _breaks_fidelity(difference: Difference) -> bool:
    # An extra item makes the list another value; an extra key leaves the expected keys as they are.
    return difference.kind != "extra" or not isinstance(difference.path[-1], str)


def _precision_and_recall(steps: Sequence[StepFacts]) -> tuple[float | None, float | None]:
    expected = observed = right = 0
    for item in steps:
        wanted = item.reading.expected if item.reading is not None else item.step.arguments
        fields = _fields(wanted)
        expected += fields
        if item.call is None:
            continue
        lost = sum(leaf_count(each.expected) for each in item.differences if each.kind != "extra")
        here = max(0, fields - lost)
        right += here
        observed += here + sum(leaf_count(each.found) for each in item.differences if each.kind != "missing")
    return (right / observed if observed else None), (right / expected if expected else None)


def _fields(arguments: JsonObject) -> int:
    return sum(leaf_count(value) for value in arguments.values())

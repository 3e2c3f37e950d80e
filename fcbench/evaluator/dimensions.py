"""The four dimensions of a call, kept apart (PROTOCOL 5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fcbench.core.verdicts import Dimensions, Fault, FaultKind
from fcbench.evaluator.facts import Facts
from fcbench.evaluator.scene import Scene
from fcbench.evaluator.valuefaults import MAX_FAULTS

UNSUPPORTED: Final[frozenset[FaultKind]] = frozenset(
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
ALL_RIGHT: Final = {
    fields: Dimensions(
        syntactic_validity=True,
        schema_conformance=True,
        argument_fidelity=True,
        restraint=True,
        exact_match=True,
        field_precision=1.0 if fields else None,
        field_recall=1.0 if fields else None,
    )
    for fields in (True, False)
}
"""What a strict pass gives, with and without expected values."""


def call_dimensions(facts: Facts, faults: Sequence[Fault]) -> Dimensions:
    """The dimensions of a case whose decision is to call."""
    called = bool(facts.scene.calls)
    syntactic = _parsed(facts.scene)
    restrained = _is_restrained(faults)
    if facts.invented and len(faults) >= MAX_FAULTS:
        # So many differences that not all became faults: an invented key may be among the others.
        restrained = False
    if syntactic is False:
        return Dimensions(
            syntactic_validity=False,
            schema_conformance=None,
            argument_fidelity=None,
            restraint=restrained,
            exact_match=False,
        )
    conforms = called and facts.scene.all_valid
    faithful = called and facts.faithful
    right = facts.fields - facts.lost
    observed = right + facts.wrong
    return Dimensions(
        syntactic_validity=syntactic,
        schema_conformance=conforms,
        argument_fidelity=faithful,
        restraint=restrained,
        exact_match=conforms and faithful and restrained,
        field_precision=right / observed if observed else None,
        field_recall=right / facts.fields if facts.fields else None,
    )


def restraint_dimensions(scene: Scene, faults: Sequence[Fault]) -> Dimensions:
    """The dimensions where no call is due: there is nothing to conform to and no value to be faithful to."""
    return Dimensions(
        syntactic_validity=_parsed(scene),
        schema_conformance=None,
        argument_fidelity=None,
        restraint=_is_restrained(faults),
        exact_match=not faults,
    )


def any_call_dimensions(scene: Scene) -> Dimensions:
    """The dimensions of decision `any_call`: no values are known, so fidelity stays open."""
    syntactic = _parsed(scene)
    conforms = None if syntactic is False else bool(scene.calls) and all([call.valid for call in scene.calls])
    return Dimensions(
        syntactic_validity=syntactic,
        schema_conformance=conforms,
        argument_fidelity=None,
        restraint=all([call.offered for call in scene.calls]),
        exact_match=bool(conforms),
    )


def _parsed(scene: Scene) -> bool | None:
    if scene.all_valid:
        return True if scene.calls else None
    return all([call.arguments is not None for call in scene.calls])


def _is_restrained(faults: Sequence[Fault]) -> bool:
    for fault in faults:
        if fault.kind in UNSUPPORTED:
            return False
    return True

"""Why a mutated golden run must fail: which conditions fail, and which fault kinds say so (PROTOCOL 8).

A verdict that fails for another reason than the change that was made is as wrong as one that passes. The table is read
beside `mutations.EXPECTED`, which says whether the mutation fails at all.
"""

from __future__ import annotations

from fcbench.core.cases import Case
from fcbench.core.records import Record
from fcbench.core.verdicts import FaultKind, Verdict

SCHEMA_KINDS: frozenset[FaultKind] = frozenset(
    {
        "missing_required_key",
        "unknown_key",
        "branch_confusion",
        "global_field_repeated",
        "wrong_type",
        "enum_out_of_vocabulary",
        "enum_word_not_translated",
        "pattern_violation",
        "range_violation",
        "length_violation",
        "unique_items_violation",
        "other_schema_violation",
    }
)
"""Kinds that say how arguments break their schema."""
VALUE_KINDS: frozenset[FaultKind] = frozenset(
    {
        "wrong_value",
        "missing_argument",
        "invented_optional",
        "decimal_mark",
        "thousands_mark",
        "date_order",
        "surname_prefix",
        "value_repaired",
    }
)
"""Kinds that say how a value parts from the expected one."""
_PLACED = frozenset({"sequence", "argument_keys", "argument_values", "needed_steps_first", "arguments"})
"""Conditions that a call in another step's place may break or keep."""
_MOVED: frozenset[FaultKind] = frozenset({"wrong_order", "unresolved_reference"})


class Reason(Record, frozen=True, kw_only=True):
    """One way in which a mutation may fail at one tier."""

    conditions: frozenset[str]
    """All of these fail, as far as the tier has them for this case (a call-only case has no `succeeded`)."""
    perhaps: frozenset[str] = frozenset()
    """These may fail as well; every other condition holds."""
    kinds: frozenset[FaultKind]
    """At least one fault is of these kinds."""
    consequences: frozenset[FaultKind] = frozenset()
    """Faults of these kinds may stand beside it; no fault is of any other kind."""

    def explains(self, verdict: Verdict, case: Case) -> bool:
        """Whether a failing verdict of this case fails for this reason."""
        wanted, perhaps, beside, telling = self.conditions, self.perhaps, self.consequences, self.kinds
        if has_stand_ins(case):
            wanted, perhaps, beside = wanted - _PLACED, perhaps | _PLACED, beside | VALUE_KINDS | _MOVED
            if telling <= _MOVED:
                # Of two exchanged calls, each with the values of the other may be the fewer faults.
                telling = telling | VALUE_KINDS
        present = {condition.name for condition in verdict.conditions}
        failed = {condition.name for condition in verdict.conditions if not condition.passed}
        kinds = {fault.kind for fault in verdict.faults}
        return (
            wanted & present <= failed <= self.conditions | perhaps
            and bool(kinds & telling)
            and kinds <= telling | beside
        )


def has_stand_ins(case: Case) -> bool:
    """Whether two steps of one golden run call the same tool.

    Then the call of one may be the best that is left for the other, and values and order of both may part as well.
    """
    runs = (case.oracle.calls, *case.oracle.alternatives)
    return any(len({step.tool for step in run}) < len(run) for run in runs)


_ADRIFT: frozenset[FaultKind] = frozenset({"unresolved_reference"})
_FILLED_IN: frozenset[FaultKind] = frozenset({"dummy_for_missing_data", "value_repaired"})
_NOT_RUN = frozenset({"executed", "succeeded"})
_REFUSED = frozenset({"schema_valid"})
_NO_STEP_STRICT = frozenset({"sequence", "argument_keys", "argument_values"}) | _NOT_RUN
_NO_STEP_COMPLETION = frozenset({"capabilities_covered", "arguments", "succeeded"})


def _nothing_called(lost: frozenset[str]) -> Reason:
    return Reason(
        conditions=lost | _REFUSED | {"structured_call"}, kinds=frozenset({"no_call", "refused_although_complete"})
    )


def _another_tool(lost: frozenset[str], extra: frozenset[str]) -> tuple[Reason, Reason]:
    """An offered tool instead, or, where the case offers no other, one that does not exist."""
    return (
        Reason(
            conditions=lost, perhaps=extra, kinds=frozenset({"wrong_tool", "distractor_used"}), consequences=_ADRIFT
        ),
        Reason(
            conditions=lost | extra | _REFUSED | {"tools_offered"},
            kinds=frozenset({"tool_not_offered"}),
            consequences=_ADRIFT | {"missing_call"},
        ),
    )


def _missing_step(lost: frozenset[str]) -> tuple[Reason, Reason]:
    missing = Reason(conditions=lost, kinds=frozenset({"missing_call"}), consequences=_ADRIFT)
    return missing, _nothing_called(lost)


def _not_due(condition: str) -> Reason:
    # A reply that holds a call did not end with the text that an `ask` case wants.
    return Reason(
        conditions=frozenset({condition}),
        perhaps=frozenset({"text_reply"}),
        kinds=frozenset({"call_not_due"}),
        consequences=_FILLED_IN | {"no_text_reply"},
    )


def _beyond(condition: str, *kinds: FaultKind) -> Reason:
    return Reason(conditions=frozenset({condition}), kinds=frozenset(kinds))


_NO_TEXT = Reason(conditions=frozenset({"text_reply"}), kinds=frozenset({"no_text_reply"}))

STRICT_REASONS: dict[str, tuple[Reason, ...]] = {
    "wrong_tool": _another_tool(_NO_STEP_STRICT, frozenset()),
    "missing_step": _missing_step(_NO_STEP_STRICT),
    "swapped_independent": (_beyond("sequence", "wrong_order"),),
    "swapped_dependent": (
        Reason(
            conditions=frozenset({"sequence"}),
            perhaps=frozenset({"argument_values"}),
            kinds=frozenset({"wrong_order"}),
            consequences=_ADRIFT,
        ),
        # Inside a block the order is free; only the reference is lost.
        Reason(conditions=frozenset({"argument_values"}), kinds=_ADRIFT),
    ),
    "wrong_value": (
        Reason(conditions=frozenset({"argument_values"}), kinds=VALUE_KINDS),
        Reason(
            conditions=frozenset({"argument_values"}) | _REFUSED | _NOT_RUN,
            kinds=SCHEMA_KINDS,
            consequences=VALUE_KINDS | _ADRIFT,
        ),
    ),
    "dropped_required_key": (
        Reason(
            conditions=frozenset({"argument_keys"}) | _REFUSED | _NOT_RUN,
            perhaps=frozenset({"argument_values"}),
            kinds=frozenset({"missing_required_key"}),
            consequences=_ADRIFT,
        ),
    ),
    "extra_read": (_beyond("sequence", "unexpected_call", "distractor_used"), _not_due("no_call")),
    "extra_state_change": (_beyond("sequence", "extra_state_changing_call"), _not_due("no_call")),
    "duplicate": (_beyond("sequence", "duplicate_call"),),
    "text_only_claim": (_nothing_called(_NO_STEP_STRICT),),
    "silent_reply": (_NO_TEXT,),
}
"""By operator, at the strict tiers; where several reasons stand, one of them must hold."""
COMPLETION_REASONS: dict[str, tuple[Reason, ...]] = {
    "wrong_tool": _another_tool(_NO_STEP_COMPLETION, frozenset({"extras_tolerated"})),
    "missing_step": _missing_step(_NO_STEP_COMPLETION),
    "swapped_dependent": (
        Reason(
            conditions=frozenset({"needed_steps_first"}),
            perhaps=frozenset({"arguments"}),
            kinds=frozenset({"wrong_order"}),
            consequences=_ADRIFT,
        ),
        Reason(conditions=frozenset({"arguments"}), kinds=_ADRIFT),
    ),
    "wrong_value": (
        Reason(conditions=frozenset({"arguments"}), kinds=VALUE_KINDS),
        Reason(
            conditions=frozenset({"arguments"}) | _REFUSED | {"succeeded"},
            kinds=SCHEMA_KINDS,
            consequences=VALUE_KINDS | _ADRIFT,
        ),
    ),
    "dropped_required_key": (
        Reason(
            conditions=frozenset({"arguments"}) | _REFUSED | {"succeeded"},
            kinds=frozenset({"missing_required_key"}),
            consequences=_ADRIFT,
        ),
    ),
    "extra_state_change": (_beyond("extras_tolerated", "extra_state_changing_call"), _not_due("only_reads")),
    "text_only_claim": (_nothing_called(_NO_STEP_COMPLETION),),
    "silent_reply": (_NO_TEXT,),
}
"""By operator, at the completion tiers, for those that fail there."""

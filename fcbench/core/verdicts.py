"""Verdicts: what one version of the evaluator says of one attempt at one tier."""

from __future__ import annotations

from typing import Literal

from msgspec import field

from fcbench.core.names import CaseId, JsonValue, Pointer, Tier
from fcbench.core.records import Record

FaultKind = Literal[
    "no_call",
    "wrong_tool",
    "missing_call",
    "extra_state_changing_call",
    "unexpected_call",
    "duplicate_call",
    "wrong_order",
    "tool_not_offered",
    "retrieval_miss",
    "unresolved_reference",
    "malformed_json",
    "missing_required_key",
    "missing_argument",
    "unknown_key",
    "wrong_type",
    "enum_out_of_vocabulary",
    "pattern_violation",
    "range_violation",
    "length_violation",
    "unique_items_violation",
    "branch_confusion",
    "global_field_repeated",
    "other_schema_violation",
    "invented_optional",
    "distractor_used",
    "dummy_for_missing_data",
    "value_repaired",
    "refused_although_complete",
    "call_not_due",
    "wrong_value",
    "decimal_mark",
    "thousands_mark",
    "date_order",
    "enum_word_not_translated",
    "surname_prefix",
    "execution_failed",
    "end_state_differs",
    "timed_out",
    "no_text_reply",
]
"""Closed list (PROTOCOL 5). `unexpected_call` is an extra call that changes nothing but breaks a strict tier;
`missing_argument` an expected key that the schema does not require; `call_not_due` a call where the decision is not to
call; `no_text_reply` an `ask` case that ended without text."""


class Fault(Record, frozen=True, kw_only=True):
    """One thing that is wrong, said so that a reader understands it."""

    kind: FaultKind
    sentence: str
    """One plain English sentence; values from the model are quoted and cut, never markup."""
    tool: str | None = None
    step: str | None = None
    """The expected step concerned."""
    round: int | None = None
    call: int | None = None
    """Position of the observed call in the attempt, from 0, over all rounds."""
    pointer: Pointer | None = None
    """Where in the arguments."""
    expected: JsonValue = None
    found: JsonValue = None
    depth: int | None = None
    """For a missing required key: levels below the root of the arguments, the root being 1."""


class Condition(Record, frozen=True, kw_only=True):
    """One condition of a tier."""

    name: str
    """Machine name, the same for all attempts of a tier."""
    passed: bool
    reason: str
    """One sentence: why it passed or failed here."""


class Dimensions(Record, frozen=True, kw_only=True):
    """The four dimensions of PROTOCOL 5; None where a broken earlier one leaves it open."""

    syntactic_validity: bool | None
    schema_conformance: bool | None
    argument_fidelity: bool | None
    restraint: bool | None
    exact_match: bool
    """Conformance and fidelity and restraint."""
    field_precision: float | None = None
    """Right values over observed values, over JSON Pointers of the arguments; None without observed values."""
    field_recall: float | None = None
    """Right values over expected values; None without expected values."""


class PartialScore(Record, frozen=True, kw_only=True):
    """The components of PROTOCOL 4, each 0 to 1; a component that the tier does not have is None."""

    score: float
    tool_coverage: float
    arguments: float
    schema_validity: float
    observed_execution: float | None = None
    successful_execution: float | None = None
    unexpected_state_changes: int = 0


class CallJudgement(Record, frozen=True, kw_only=True):
    """How one observed call was read."""

    call: int
    """Position in the attempt, from 0."""
    step: str | None = None
    """The expected step that it was assigned to."""
    role: Literal["expected", "equivalent", "tolerated", "unexpected", "recovered"]
    reason: str


class Verdict(Record, frozen=True, kw_only=True):
    """What one evaluator version says of one attempt at one tier."""

    task_id: CaseId
    repeat: int
    tier: Tier
    evaluator_version: int
    passed: bool
    passed_with_recovery: bool = False
    """Passed, counting a rejected invalid call that was followed by a right one (PROTOCOL 3, rule 4)."""
    conditions: tuple[Condition, ...]
    partial: PartialScore
    dimensions: Dimensions
    faults: tuple[Fault, ...] = ()
    judgements: tuple[CallJudgement, ...] = ()
    conforming_replies: tuple[bool, ...] = ()
    """For single-call tasks where a call is due: whether the first, second and third reply conformed (PROTOCOL 5)."""
    expected_tools_offered: bool = True
    """Whether retrieval offered every expected tool."""
    anomalies: tuple[str, ...] = field(default_factory=tuple)
    """Names of PROTOCOL 7's anomalies that this attempt alone shows."""

"""What a person should look at, as far as one attempt shows it (PROTOCOL 7). An anomaly never changes a verdict."""

from __future__ import annotations

from collections.abc import Sequence

from fcbench.core.evidence import Attempt
from fcbench.core.names import JsonValue
from fcbench.core.verdicts import Fault, PartialScore
from fcbench.evaluator.scene import Scene

ANOMALIES = (
    "zero_partial_although_succeeded",
    "call_shaped_text",
    "finish_reason_length",
    "timed_out",
    "retrieval_miss",
    "missing_phase",
    "rejected_only_by_type",
)
"""Every name; those that need many attempts (a case no model passes, a high flip rate) are found elsewhere."""
_CUT = ("length", "max_tokens", "max_output_tokens")
_MARKS = ("<tool_call", "<function=", "<|tool_call", "[TOOL_CALLS]", "```tool_call", "<|python_tag|>")
_MAX_TEXT = 100_000


def anomalies(scene: Scene, partial: PartialScore, faults: Sequence[Fault], *, offered: bool) -> tuple[str, ...]:
    """Names of the anomalies of one attempt, in the order of `ANOMALIES`."""
    oracle = scene.case.oracle
    expected = {step.tool for run in (oracle.calls, *oracle.alternatives) for step in run}
    succeeded = any(call.name in expected and call.call.succeeded for call in scene.calls)
    found = (
        partial.score == 0 and succeeded,
        _has_call_shaped_text(scene),
        any(turn.finish_reason in _CUT for turn in scene.attempt.rounds),
        scene.timed_out,
        not offered,
        bool(missing_phases(scene.attempt)),
        bool(faults) and all(map(_is_only_type, faults)),
    )
    return tuple(name for name, shown in zip(ANOMALIES, found, strict=True) if shown)


def missing_phases(attempt: Attempt) -> tuple[str, ...]:
    """Phases that the attempt should have reached and does not record."""
    reached = {phase.name for phase in attempt.phases}
    wanted = ["prepared", "retrieved", "requested", "ended"]
    if attempt.rounds:
        wanted.append("replied")
    if any(call.executed for call in attempt.calls):
        wanted.append("executed")
    return tuple(name for name in wanted if name not in reached)


def _has_call_shaped_text(scene: Scene) -> bool:
    """Whether a reply without a call holds text that looks like one: it earns nothing, but somebody should look."""
    texts = [turn.text for turn in scene.attempt.rounds if not turn.calls]
    return any(_is_call_shaped(text[:_MAX_TEXT], scene.candidates) for text in (*texts, scene.attempt.final_text)) and (
        not scene.attempt.calls or bool(texts)
    )


def _is_call_shaped(text: str, names: frozenset[str]) -> bool:
    if any(mark in text for mark in _MARKS):
        return True
    if '"name"' in text and ('"arguments"' in text or '"parameters"' in text):
        return True
    if "(" not in text and '{"' not in text:
        return False
    return any(f"{name}(" in text or f'{name}{{"' in text for name in names)


def _is_only_type(fault: Fault) -> bool:
    """Whether a fault would vanish if 7 and "7", or true and "true", were the same."""
    if fault.kind not in ("wrong_type", "wrong_value"):
        return False
    if fault.kind == "wrong_type" and fault.expected is None:
        return _is_scalar(fault.found) and fault.found is not None
    return (
        _is_scalar(fault.expected)
        and _is_scalar(fault.found)
        and type(fault.expected) is not type(fault.found)
        and str(fault.expected).casefold() == str(fault.found).casefold()
    )


def _is_scalar(value: JsonValue) -> bool:
    return value is None or isinstance(value, str | int | float | bool)

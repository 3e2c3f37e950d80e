"""What a person should look at, as far as one attempt shows it (PROTOCOL 7). An anomaly never changes a verdict."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from functools import lru_cache
from operator import attrgetter
from typing import Final

from fcbench.core.evidence import Attempt
from fcbench.core.names import JsonValue
from fcbench.core.verdicts import Fault, PartialScore
from fcbench.evaluator.scene import CUT_SHORT, Scene

ANOMALIES: Final = (
    "zero_partial_although_succeeded",
    "call_shaped_text",
    "finish_reason_length",
    "timed_out",
    "retrieval_miss",
    "missing_phase",
    "rejected_only_by_type",
)
"""Every name; those that need many attempts (a case no model passes, a high flip rate) are found elsewhere."""
_NUMERAL: Final = re.compile(r"[-+]?[0-9]{1,40}(?:[.,][0-9]{1,40})*(?:[eE][-+]?[0-9]{1,3})?")
_EXECUTED: Final = ("ok", "error")
_USUAL: Final = ("stop", "tool_calls")
_NAME: Final = attrgetter("name")
_MARKS: Final = ("<tool_call", "<function=", "<|tool_call", "[TOOL_CALLS]", "```tool_call", "<|python_tag|>")
_MAX_TEXT: Final = 100_000


def anomalies(scene: Scene, partial: PartialScore, faults: Sequence[Fault], *, offered: bool) -> tuple[str, ...]:
    """Names of the anomalies of one attempt, in the order of `ANOMALIES`."""
    found: list[str] = []
    if partial.score == 0 and any(call.name in scene.plan.tools and call.succeeded for call in scene.calls):
        found.append("zero_partial_although_succeeded")
    cut = spoken = False
    for turn in scene.attempt.rounds:
        if turn.finish_reason not in _USUAL and turn.finish_reason.casefold() in CUT_SHORT:
            cut = True
        if not turn.calls:
            spoken = True
    if (spoken or not scene.attempt.rounds) and _has_call_shaped_text(scene):
        found.append("call_shaped_text")
    if cut:
        found.append("finish_reason_length")
    if scene.timed_out:
        found.append("timed_out")
    if not offered:
        found.append("retrieval_miss")
    if missing_phases(scene.attempt):
        found.append("missing_phase")
    if faults and _is_only_type(faults[0]) and all(map(_is_only_type, faults)):
        found.append("rejected_only_by_type")
    return tuple(found)


def missing_phases(attempt: Attempt) -> tuple[str, ...]:
    """Phases that the attempt should have reached and does not record."""
    executed = False
    for turn in attempt.rounds:
        for call in turn.calls:
            if call.result.status in _EXECUTED:
                executed = True
    return _missing(tuple(map(_NAME, attempt.phases)), bool(attempt.rounds), executed)


@lru_cache(maxsize=256)
def _missing(reached: tuple[str, ...], replied: bool, executed: bool) -> tuple[str, ...]:
    wanted = ["prepared", "retrieved", "requested", "ended"]
    wanted += ["replied"] if replied else []
    wanted += ["executed"] if executed else []
    return tuple(name for name in wanted if name not in reached)


def _has_call_shaped_text(scene: Scene) -> bool:
    """Whether a reply without a call holds text that looks like one: it earns nothing, but somebody should look."""
    texts = [turn.text for turn in scene.attempt.rounds if not turn.calls]
    return any(_is_call_shaped(text[:_MAX_TEXT], scene.candidates) for text in (*texts, scene.attempt.final_text))


def _is_call_shaped(text: str, names: Set[str]) -> bool:
    if any(mark in text for mark in _MARKS):
        return True
    if '"name"' in text and ('"arguments"' in text or '"parameters"' in text):
        return True
    if "(" not in text and '{"' not in text:
        return False
    return any(f"{name}(" in text or f'{name}{{"' in text for name in names)


def _is_only_type(fault: Fault) -> bool:
    """Whether a fault would vanish if 7 and "7", or true and "true", were the same."""
    found, expected = fault.found, fault.expected
    if fault.kind == "wrong_type" and isinstance(expected, dict):
        return any(_reads_as(found, str(kind)) for kind in _as_list(expected.get("type")))
    return (
        fault.kind == "wrong_value"
        and type(expected) is not type(found)
        and _is_scalar(expected)
        and _is_scalar(found)
        and str(expected).casefold() == str(found).casefold()
    )


def _as_list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else [value]


def _reads_as(found: JsonValue, kind: str) -> bool:
    """Whether a value of another type reads as this one: "7" as a number, "true" as a boolean, 7 as a text."""
    if kind == "string":
        return found is not None and _is_scalar(found)
    if kind == "boolean":
        return str(found).casefold() in ("true", "false", "0", "1")
    if kind not in ("integer", "number") or not isinstance(found, str | bool):
        return False
    return isinstance(found, bool) or _NUMERAL.fullmatch(found.strip()) is not None


def _is_scalar(value: JsonValue) -> bool:
    return value is None or isinstance(value, str | int | float | bool)

"""The conditions of every tier, each with its reason (PROTOCOL 3). Names are stable: tables and pages use them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fcbench.core.verdicts import Condition
from fcbench.evaluator.facts import Facts, StepFacts
from fcbench.evaluator.observed import Observed
from fcbench.evaluator.scene import Scene
from fcbench.evaluator.wording import listed

CONDITIONS: Final = (
    "in_time",
    "structured_call",
    "tools_offered",
    "sequence",
    "argument_keys",
    "argument_values",
    "capabilities_covered",
    "needed_steps_first",
    "arguments",
    "schema_valid",
    "executed",
    "succeeded",
    "extras_tolerated",
    "end_state",
    "no_call",
    "only_reads",
    "text_reply",
)
"""Every name that a condition may have, over all tiers and decisions."""


def _right(name: str, reason: str) -> Condition:
    """A condition that holds: its reason is a fixed sentence, so one record serves all attempts."""
    return Condition(name=name, passed=True, reason=reason)


def _wrong(name: str, reason: str) -> Condition:
    return Condition(name=name, passed=False, reason=reason)


_IN_TIME: Final = _right("in_time", "The attempt ended within its time limit.")
_TIMED_OUT: Final = _wrong("in_time", "The time limit ended the attempt.")
_STRUCTURED: Final = _right("structured_call", "The attempt holds structured calls.")
_TEXT_ONLY: Final = _wrong("structured_call", "The attempt holds no structured call; text earns nothing.")
_OFFERED: Final = _right("tools_offered", "Every call named an offered tool.")
_VALID: Final = _right("schema_valid", "Every call satisfies the schema of its tool.")
_NONE_TO_VALIDATE: Final = _wrong("schema_valid", "There is no call to validate.")
_SEQUENCE: Final = _right("sequence", "The calls are the expected ones, in their order.")
_KEYS: Final = _right("argument_keys", "Every expected call has exactly the expected argument keys.")
_VALUES: Final = _right("argument_values", "Every argument value matches.")
_COVERED: Final = _right(
    "capabilities_covered", "Every expected capability is covered by a matching or declared equivalent tool."
)
_FIRST: Final = _right("needed_steps_first", "Every step that another one needs lies in an earlier round.")
_ARGUMENTS: Final = _right("arguments", "Every expected argument has its value, in a form that the contract declares.")
_EXECUTED: Final = _right("executed", "Every expected call was executed.")
_SUCCEEDED: Final = _right("succeeded", "Every expected call succeeded.")
_NO_EXTRAS: Final = _right(
    "extras_tolerated", "There is no call beyond the expected ones, or only such as rule 6 tolerates."
)
_NO_END_STATE: Final = _right("end_state", "The case records no end state to compare.")
_END_STATE: Final = _right("end_state", "The end state equals the golden run's.")
_NO_CALL: Final = _right("no_call", "Nothing was called.")
_ONLY_READS: Final = _right("only_reads", "Nothing was called but tools that only read.")
_ANSWERED: Final = _right("text_reply", "The reply ended normally with text.")
_UNANSWERED: Final = _wrong("text_reply", "The reply did not end normally with text.")


STRICT_PASS: Final = (_IN_TIME, _STRUCTURED, _OFFERED, _SEQUENCE, _KEYS, _VALUES, _VALID)
"""The conditions of an attempt that passes `native-function-contract`."""


def call_conditions(facts: Facts) -> tuple[Condition, ...]:
    """The conditions of a case whose decision is to call."""
    scene = facts.scene
    rules = scene.rules
    in_sequence = facts.in_order and not facts.unmatched and not facts.untolerated
    if not rules.strict:
        return (in_time(scene), structured_call(scene), tools_offered(scene), *_completion(facts))
    strict = (
        _TIMED_OUT if scene.timed_out else _IN_TIME,
        _STRUCTURED if scene.calls else _TEXT_ONLY,
        _OFFERED if scene.all_offered else tools_offered(scene),
        _SEQUENCE if in_sequence else _sequence(facts),
        _KEYS if facts.keys_right else _keys(facts),
        _VALUES if facts.values_right else _values(facts),
        _VALID if scene.all_valid and scene.calls else schema_valid(scene),
    )
    return (*strict, _executed(facts), _succeeded(facts)) if rules.needs_success else strict


def _completion(facts: Facts) -> tuple[Condition, ...]:
    shared = (_covered(facts), _needed_first(facts), _arguments(facts), schema_valid(facts.scene))
    success = (_succeeded(facts),) if facts.scene.rules.needs_success else ()
    end = (_end_state(facts),) if facts.scene.rules.tier == "task-completion-execution" else ()
    return (*shared, *success, _extras(facts), *end)


def in_time(scene: Scene) -> Condition:
    """A timeout always fails."""
    return _TIMED_OUT if scene.timed_out else _IN_TIME


def tools_offered(scene: Scene) -> Condition:
    """Every call named an offered tool."""
    if scene.all_offered:
        return _OFFERED
    wrong = [call.name for call in scene.calls if not call.offered]
    return _wrong("tools_offered", f"Not offered, but called: {listed(list(dict.fromkeys(wrong)))}.")


def schema_valid(scene: Scene) -> Condition:
    """Every observed call satisfies the schema of its tool."""
    if not scene.calls and scene.plan.case.oracle.decision == "call":
        return _NONE_TO_VALIDATE
    if scene.all_valid:
        return _VALID
    wrong = sum([not call.valid for call in scene.calls])
    said = f"{wrong} of {len(scene.calls)} calls do not satisfy the schema of their tool."
    return _wrong("schema_valid", said)


def structured_call(scene: Scene) -> Condition:
    """There is something to judge."""
    return _STRUCTURED if scene.calls else _TEXT_ONLY


def _names(steps: Sequence[StepFacts]) -> str:
    if len(steps) == 1:
        return f"{steps[0].step.step} ({steps[0].step.tool})"
    return listed([f"{item.step.step} ({item.step.tool})" for item in steps])


def _sequence(facts: Facts) -> Condition:
    swapped = [item for item in facts.steps if item.out_of_order]
    problems = [
        f"without a call: {_names(facts.unmatched)}" if facts.unmatched else "",
        f"calls beyond the expected ones: {len(facts.untolerated)}" if facts.untolerated else "",
        f"in the wrong order: {_names(swapped)}" if swapped else "",
    ]
    return _wrong("sequence", f"The sequence differs: {'; '.join(problem for problem in problems if problem)}.")


def _keys(facts: Facts) -> Condition:
    wrong = [item for item in facts.steps if not item.keys_right]
    return _wrong("argument_keys", f"Argument keys are not the expected ones in: {_names(wrong)}.")


def _values(facts: Facts) -> Condition:
    wrong = [item for item in facts.steps if not item.values_right]
    return _wrong("argument_values", f"Argument values do not match in: {_names(wrong)}.")


def _covered(facts: Facts) -> Condition:
    missing = facts.unmatched
    return _wrong("capabilities_covered", f"Not covered: {_names(missing)}.") if missing else _COVERED


def _needed_first(facts: Facts) -> Condition:
    wrong = [item for item in facts.steps if item.out_of_order]
    if not wrong:
        return _FIRST
    said = f"Called before, or in the same round as, a step that they need: {_names(wrong)}."
    return _wrong("needed_steps_first", said)


def _arguments(facts: Facts) -> Condition:
    wrong = [item for item in facts.steps if item.call is None or item.differences]
    return _wrong("arguments", f"Arguments are not the expected ones in: {_names(wrong)}.") if wrong else _ARGUMENTS


def _executed(facts: Facts) -> Condition:
    wrong = [item for item in facts.steps if item.call is None or not item.call.executed]
    return _wrong("executed", f"Not observed as executed: {_names(wrong)}.") if wrong else _EXECUTED


def _succeeded(facts: Facts) -> Condition:
    wrong = [item for item in facts.steps if item.call is None or not item.call.succeeded]
    return _wrong("succeeded", f"Did not succeed: {_names(wrong)}.") if wrong else _SUCCEEDED


def _extras(facts: Facts) -> Condition:
    wrong = list(dict.fromkeys(extra.call.name for extra in facts.untolerated))
    if not wrong:
        return _NO_EXTRAS
    return _wrong("extras_tolerated", f"Calls that nothing declares to be part of the task: {listed(wrong)}.")


def _end_state(facts: Facts) -> Condition:
    if facts.scene.plan.case.oracle.end_state is None:
        return _NO_END_STATE
    gap = list(facts.end_state_gap)
    return _wrong("end_state", f"The end state differs from the golden run's in: {listed(gap)}.") if gap else _END_STATE


def any_call_conditions(scene: Scene) -> tuple[Condition, ...]:
    """The conditions of imported data that only ask whether anything was called (decision `any_call`)."""
    return (in_time(scene), structured_call(scene))


def restraint_conditions(scene: Scene) -> tuple[Condition, ...]:
    """The conditions of a case whose decision is not to call (PROTOCOL 3, decisions)."""
    found = [in_time(scene), _no_call(scene) if scene.rules.strict else _only_reads(scene), tools_offered(scene)]
    if not scene.rules.strict:
        found.append(schema_valid(scene))
    if scene.plan.case.oracle.decision == "ask":
        found.append(_ANSWERED if scene.answered_in_text else _UNANSWERED)
    return tuple(found)


def _no_call(scene: Scene) -> Condition:
    return _wrong("no_call", f"{len(scene.calls)} calls where none is due.") if scene.calls else _NO_CALL


def _only_reads(scene: Scene) -> Condition:
    wrong = [call.name for call in scene.calls if not only_reads(call)]
    if not wrong:
        return _ONLY_READS
    said = f"Called although no call is due, and not only reading: {listed(list(dict.fromkeys(wrong)))}."
    return _wrong("only_reads", said)


def only_reads(call: Observed) -> bool:
    """Whether a call changes nothing; an unknown tool is not known to."""
    return call.contract is not None and call.contract.effect == "reads"

"""The conditions of every tier, each with its reason (PROTOCOL 3). Names are stable: tables and pages use them."""

from __future__ import annotations

from fcbench.core.verdicts import Condition
from fcbench.evaluator.facts import Facts, StepFacts
from fcbench.evaluator.observed import Observed
from fcbench.evaluator.scene import Scene
from fcbench.evaluator.wording import listed

CONDITIONS = (
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


def call_conditions(facts: Facts) -> tuple[Condition, ...]:
    """The conditions of a case whose decision is to call."""
    scene = facts.scene
    common = (in_time(scene), _structured_call(scene), tools_offered(scene))
    if not scene.rules.strict:
        return (*common, *_completion(facts))
    strict = (_sequence(facts), _keys(facts), _values(facts), schema_valid(scene))
    execution = (_executed(facts), _succeeded(facts)) if scene.rules.needs_success else ()
    return (*common, *strict, *execution)


def _completion(facts: Facts) -> tuple[Condition, ...]:
    shared = (_covered(facts), _needed_first(facts), _arguments(facts), schema_valid(facts.scene))
    success = (_succeeded(facts),) if facts.scene.rules.needs_success else ()
    end = (_end_state(facts),) if facts.scene.rules.tier == "task-completion-execution" else ()
    return (*shared, *success, _extras(facts), *end)


def _condition(name: str, passed: bool, right: str, wrong: str) -> Condition:
    return Condition(name=name, passed=passed, reason=right if passed else wrong)


def in_time(scene: Scene) -> Condition:
    """A timeout always fails."""
    return _condition(
        "in_time", not scene.timed_out, "The attempt ended within its time limit.", "The time limit ended the attempt."
    )


def tools_offered(scene: Scene) -> Condition:
    """Every call named an offered tool."""
    wrong = [call.name for call in scene.calls if not call.offered]
    return _condition(
        "tools_offered",
        not wrong,
        "Every call named an offered tool.",
        f"Not offered, but called: {listed(list(dict.fromkeys(wrong)))}.",
    )


def schema_valid(scene: Scene) -> Condition:
    """Every observed call satisfies the schema of its tool."""
    wrong = sum(not call.valid for call in scene.calls)
    if not scene.calls and scene.case.oracle.decision == "call":
        return Condition(name="schema_valid", passed=False, reason="There is no call to validate.")
    return _condition(
        "schema_valid",
        not wrong,
        "Every call satisfies the schema of its tool.",
        f"{wrong} of {len(scene.calls)} calls do not satisfy the schema of their tool.",
    )


def _structured_call(scene: Scene) -> Condition:
    return _condition(
        "structured_call",
        bool(scene.calls),
        "The attempt holds structured calls.",
        "The attempt holds no structured call; text earns nothing.",
    )


def _names(steps: list[StepFacts]) -> str:
    return listed([f"{item.step.step} ({item.step.tool})" for item in steps])


def _sequence(facts: Facts) -> Condition:
    swapped = [item for item in facts.steps if item.out_of_order]
    problems = [
        f"without a call: {_names(list(facts.unmatched))}" if facts.unmatched else "",
        f"calls beyond the expected ones: {len(facts.untolerated)}" if facts.untolerated else "",
        f"in the wrong order: {_names(swapped)}" if swapped else "",
    ]
    wrong = "; ".join(problem for problem in problems if problem)
    return _condition(
        "sequence", not wrong, "The calls are the expected ones, in their order.", f"The sequence differs: {wrong}."
    )


def _keys(facts: Facts) -> Condition:
    wrong = [item for item in facts.steps if item.call is None or not item.keys_right]
    return _condition(
        "argument_keys",
        not wrong,
        "Every expected call has exactly the expected argument keys.",
        f"Argument keys are not the expected ones in: {_names(wrong)}.",
    )


def _values(facts: Facts) -> Condition:
    wrong = [item for item in facts.steps if item.call is None or not item.values_right]
    return _condition(
        "argument_values",
        not wrong,
        "Every argument value matches.",
        f"Argument values do not match in: {_names(wrong)}.",
    )


def _covered(facts: Facts) -> Condition:
    return _condition(
        "capabilities_covered",
        not facts.unmatched,
        "Every expected capability is covered by a matching or declared equivalent tool.",
        f"Not covered: {_names(list(facts.unmatched))}.",
    )


def _needed_first(facts: Facts) -> Condition:
    wrong = [item for item in facts.steps if item.out_of_order]
    return _condition(
        "needed_steps_first",
        not wrong,
        "Every step that another one needs lies in an earlier round.",
        f"Called before, or in the same round as, a step that they need: {_names(wrong)}.",
    )


def _arguments(facts: Facts) -> Condition:
    wrong = [item for item in facts.steps if item.call is None or item.differences]
    return _condition(
        "arguments",
        not wrong,
        "Every expected argument has its value, in a form that the contract declares.",
        f"Arguments are not the expected ones in: {_names(wrong)}.",
    )


def _executed(facts: Facts) -> Condition:
    wrong = [item for item in facts.steps if item.call is None or not item.call.call.executed]
    return _condition(
        "executed", not wrong, "Every expected call was executed.", f"Not observed as executed: {_names(wrong)}."
    )


def _succeeded(facts: Facts) -> Condition:
    wrong = [item for item in facts.steps if item.call is None or not item.call.call.succeeded]
    return _condition("succeeded", not wrong, "Every expected call succeeded.", f"Did not succeed: {_names(wrong)}.")


def _extras(facts: Facts) -> Condition:
    wrong = list(dict.fromkeys(extra.call.name for extra in facts.untolerated))
    return _condition(
        "extras_tolerated",
        not wrong,
        "There is no call beyond the expected ones, or only such as rule 6 tolerates.",
        f"Calls that nothing declares to be part of the task: {listed(wrong)}.",
    )


def _end_state(facts: Facts) -> Condition:
    if facts.scene.case.oracle.end_state is None:
        return Condition(name="end_state", passed=True, reason="The case records no end state to compare.")
    return _condition(
        "end_state",
        not facts.end_state_gap,
        "The end state equals the golden run's.",
        f"The end state differs from the golden run's in: {listed(list(facts.end_state_gap))}.",
    )


def restraint_conditions(scene: Scene) -> tuple[Condition, ...]:
    """The conditions of a case whose decision is not to call (PROTOCOL 3, decisions)."""
    silent = (
        _condition("no_call", not scene.calls, "Nothing was called.", f"{len(scene.calls)} calls where none is due.")
        if scene.rules.strict
        else _only_reads(scene)
    )
    found = [in_time(scene), silent, tools_offered(scene)]
    if not scene.rules.strict:
        found.append(schema_valid(scene))
    if scene.case.oracle.decision == "ask":
        found.append(_text_reply(scene))
    return tuple(found)


def _only_reads(scene: Scene) -> Condition:
    wrong = [call.name for call in scene.calls if not only_reads(call)]
    return _condition(
        "only_reads",
        not wrong,
        "Nothing was called but tools that only read.",
        f"Called although no call is due, and not only reading: {listed(list(dict.fromkeys(wrong)))}.",
    )


def only_reads(call: Observed) -> bool:
    """Whether a call changes nothing; an unknown tool is not known to."""
    return call.contract is not None and call.contract.effect == "reads"


def answered_in_text(scene: Scene) -> bool:
    """Whether the attempt ended normally with text (decision `ask`)."""
    cut = scene.finish_reason in ("length", "max_tokens", "max_output_tokens", "content_filter")
    return scene.attempt.outcome == "completed" and bool(scene.final_text) and not cut


def _text_reply(scene: Scene) -> Condition:
    return _condition(
        "text_reply",
        answered_in_text(scene),
        "The reply ended normally with text.",
        "The reply did not end normally with text.",
    )

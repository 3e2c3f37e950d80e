"""Everything that is wrong with an attempt, as a list of faults (PROTOCOL 5).

An attempt fails exactly when it has a fault: every condition that fails is explained by at least one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from fcbench.core.verdicts import Fault, FaultKind
from fcbench.evaluator.extras import Extra
from fcbench.evaluator.facts import Facts, StepFacts
from fcbench.evaluator.observed import Observed
from fcbench.evaluator.scene import Scene
from fcbench.evaluator.valuefaults import value_faults
from fcbench.evaluator.violations import schema_faults
from fcbench.evaluator.wording import MAX_TEXT, bounded, one_line

MAX_FAULTS: Final = 200
"""Faults that one verdict keeps."""


def call_faults(facts: Facts) -> tuple[Fault, ...]:
    """The faults of a case whose decision is to call, those of the whole attempt first."""
    scene = facts.scene
    found: list[Fault] = []
    if scene.timed_out or not scene.all_offered:
        found += whole_faults(scene)
    if facts.unmatched:
        found += _absent(facts)
    if facts.untolerated:
        found += _beyond(facts)
    by_call = {item.call.index: item for item in facts.steps if item.call is not None}
    for call in scene.calls:
        _one_call(scene, call, by_call.get(call.index), found)
        if len(found) >= MAX_FAULTS:
            break
    for part in facts.end_state_gap:
        found.append(_of_end_state(scene, part))
    return finished(found)


def _of_end_state(scene: Scene, part: str) -> Fault:
    wanted, reached = scene.plan.case.oracle.end_state or {}, scene.attempt.end_state or {}
    return Fault(
        kind="end_state_differs",
        sentence=f"The {part} that the attempt left behind is not the one of the golden run.",
        expected=bounded(wanted.get(part)),
        found=bounded(reached.get(part)),
    )


def finished(found: list[Fault]) -> tuple[Fault, ...]:
    """The faults that a verdict keeps, every sentence on one line whatever a model put into a name or a key."""
    kept = found[:MAX_FAULTS] if len(found) > MAX_FAULTS else found
    for place, fault in enumerate(kept):
        if not fault.sentence.isprintable():
            kept[place] = replace(fault, sentence=one_line(fault.sentence))
    return tuple(kept)


def whole_faults(scene: Scene) -> Iterator[Fault]:
    """Faults of the attempt as a whole: time, and calls of tools that were not offered."""
    if scene.timed_out:
        yield Fault(kind="timed_out", sentence="The time limit ended the attempt.")
    for call in scene.calls:
        if not call.offered:
            yield of_call("tool_not_offered", call, f"The tool {call.name[:80]} was not offered.")


def of_call(kind: FaultKind, call: Observed, sentence: str, step: str | None = None) -> Fault:
    """A fault of one observed call."""
    return Fault(kind=kind, sentence=sentence, tool=call.name[:80], step=step, round=call.round, call=call.index)


def _absent(facts: Facts) -> Iterator[Fault]:
    """Expected steps that no call stands for."""
    scene = facts.scene
    missed = [item for item in facts.unmatched if _is_missed(scene, item)]
    for item in missed:
        yield Fault(
            kind="retrieval_miss",
            sentence=f"The tool {item.step.tool} was needed for step {item.step.step}, but retrieval did not offer it.",
            tool=item.step.tool,
            step=item.step.step,
        )
    if not scene.calls:
        yield _no_call(scene)
        return
    left = [item for item in facts.unmatched if item not in missed]
    wrong = _taken_instead(facts, len(left))
    for index, item in enumerate(left):
        yield (
            _instead(scene, item, wrong[index])
            if index < len(wrong)
            else Fault(
                kind="missing_call",
                sentence=f"No call stands for step {item.step.step} ({item.step.tool}).",
                tool=item.step.tool,
                step=item.step.step,
            )
        )


def _is_missed(scene: Scene, item: StepFacts) -> bool:
    return bool(scene.candidates) and item.step.tool not in scene.candidates


def _no_call(scene: Scene) -> Fault:
    said = bounded(scene.final_text or None)
    if scene.plan.case.task.single_call and scene.answered_in_text:
        sentence = "The instruction holds everything that the call needs, but the reply was text."
        return Fault(kind="refused_although_complete", sentence=sentence, found=said)
    return Fault(kind="no_call", sentence="The attempt holds no structured call.", found=said)


def _taken_instead(facts: Facts, steps: int) -> list[Extra]:
    """Calls that stand in the place of missing steps: those that nothing explains first, each once, in order."""
    usable = [extra for extra in facts.extras if extra.call.offered and not extra.duplicate]
    usable.sort(key=lambda extra: (extra.tolerated, extra.call.index))
    return sorted(usable[:steps], key=lambda extra: extra.call.index)


def _instead(scene: Scene, item: StepFacts, extra: Extra) -> Fault:
    kind: FaultKind = "distractor_used" if _is_distractor(scene, extra.call) else "wrong_tool"
    sentence = f"Step {item.step.step} needs {item.step.tool}; {extra.call.name[:80]} was called."
    return Fault(
        kind=kind,
        sentence=sentence,
        tool=extra.call.name[:80],
        step=item.step.step,
        round=extra.call.round,
        call=extra.call.index,
        expected=item.step.tool,
        found=extra.call.name[:MAX_TEXT],
    )


def _is_distractor(scene: Scene, call: Observed) -> bool:
    """Whether a tool was put beside the right one on purpose: under retrieval `given` the case lists its tools."""
    return call.name in scene.plan.distractors


def _beyond(facts: Facts) -> Iterator[Fault]:
    """Calls that nothing explains, but for those that stand in the place of a missing step."""
    scene = facts.scene
    left = sum(not _is_missed(scene, item) for item in facts.unmatched)
    instead = {extra.call.index for extra in _taken_instead(facts, left)}
    for extra in facts.untolerated:
        if extra.call.index in instead or not extra.call.offered:
            continue
        name = extra.call.name[:80]
        if extra.duplicate:
            yield of_call("duplicate_call", extra.call, f"An identical call of {name} stands before this one.")
        elif extra.changes:
            sentence = f"The call of {name} changes state, and nothing in the task asks for it: {extra.reason}."
            yield of_call("extra_state_changing_call", extra.call, sentence)
        elif _is_distractor(scene, extra.call):
            yield of_call("distractor_used", extra.call, f"The call of {name} is not needed; it is a distractor.")
        else:
            yield of_call("unexpected_call", extra.call, f"The call of {name} is not expected: {extra.reason}.")


def _one_call(scene: Scene, call: Observed, item: StepFacts | None, out: list[Fault]) -> None:
    """Faults inside one call: its schema, its values, its place and its execution."""
    step = None if item is None else item.step.step
    schema = [] if call.valid else schema_faults(call, scene.plan.text, step)
    out += schema
    if item is None:
        return
    if item.differences:
        value_faults(scene, item, schema, out)
    if item.out_of_order:
        out.append(of_call("wrong_order", call, f"Step {step} stands before a step that must come first.", step))
    if scene.rules.needs_success and call.valid and call.offered and not call.succeeded:
        status = call.status
        out.append(of_call("execution_failed", call, f"Step {step} was answered with status {status}.", step))

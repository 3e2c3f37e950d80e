"""An attempt with changes made to it, as the harness would have recorded it. Made, not measured: never evidence."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import count

from msgspec.structs import replace

from fcbench.core.canonical import digest_text, pointer_parts
from fcbench.core.cases import Case, ExpectedCall
from fcbench.core.comparators import Reference, concrete
from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import Attempt, Call, CallResult, Candidate, Round
from fcbench.core.names import HarnessName, JsonObject, JsonValue, StepId, ToolName
from fcbench.core.samples import sample
from fcbench.core.synthetic import synthetic_result
from fcbench.errors import BadInputError
from fcbench.evaluator.golden import STARTED_AT, made_call
from fcbench.evaluator.mend_edits import Edit, Sides
from fcbench.evaluator.nodes import Path
from fcbench.evaluator.schemaplaces import subschema_at

ASKED = "I need one more detail before I can do this. Could you give it to me?"
"""The reply of a changed `ask` case. That it ends with text is what counts; its words do not."""
OF_CALLS = frozenset(
    {"set_value", "add_value", "remove_value", "rewrite_arguments", "replace_call", "add_call", "drop_call", "succeed"}
)
"""Changes after which a tool would have answered otherwise, and the workbench stood otherwise."""


@dataclass(frozen=True, kw_only=True)
class Bench:
    """What a change is made with."""

    case: Case
    contracts: Mapping[ToolName, ToolContract]
    harness: HarnessName


@dataclass(kw_only=True)
class _Slot:
    """One call and where it stands."""

    round: int
    call: Call
    step: ExpectedCall | None = None
    splits: bool = False
    """Whether it begins a round of its own."""


def applied(bench: Bench, both: Sides, edits: Sequence[Edit]) -> Attempt:
    """The attempt with some changes made, and nothing else changed.

    A changed call counts as answered by its tool. What the tool would have said is not known, so it says what its
    contract allows and later steps need; on the workbench the end state is then taken to be the golden run's.

    Raises:
        BadInputError: no answer can be made up for a tool.
    """
    by_call: dict[int, list[Edit]] = {}
    for edit in edits:
        if edit.call is not None:
            by_call.setdefault(edit.call, []).append(edit)
    kinds = {edit.kind for edit in edits}
    slots = _placed(bench, both, by_call, [edit for edit in edits if edit.kind == "add_call"])
    if "order" in kinds:
        slots = _in_order(both, slots)
    attempt = _rebuilt(bench, both, slots, kinds)
    offered = [edit.tool for edit in edits if edit.kind == "offer_tool" and edit.tool]
    if offered:
        attempt = _offering(attempt, offered)
    if "end_state" in kinds or (bench.harness == "workbench" and kinds & OF_CALLS):
        attempt = replace(attempt, end_state=bench.case.oracle.end_state)
    return replace(attempt, outcome="completed") if kinds & {"in_time", "reply_in_text"} else attempt


def _placed(bench: Bench, both: Sides, by_call: Mapping[int, list[Edit]], added: Sequence[Edit]) -> list[_Slot]:
    """All calls that are left, changed or made, each in its place; sources come before what takes from them."""
    steps = {str(step.step): step for step in both.run}
    played = {index: steps[name] for name, index in {**both.instead, **both.assigned}.items()}
    numbers = [turn.number for turn in both.attempt.rounds for _ in turn.calls]
    kept = {
        index: _Slot(round=numbers[index], call=call, step=played.get(index))
        for index, call in enumerate(both.calls)
        if not any(edit.kind == "drop_call" for edit in by_call.get(index, ()))
    }
    answers: dict[StepId, JsonValue] = {}
    slots = [kept[index] for index in sorted(kept)]
    for place in both.order:
        step = both.run[place]
        index = both.assigned.get(step.step, both.instead.get(step.step, -1))
        slot = kept.get(index)
        if slot is not None and by_call.get(index):
            slot.call = _changed(bench, both, slot.call, step, by_call[index], answers)
        elif slot is None and any(edit.step == step.step for edit in added):
            slot = _Slot(round=0, call=_made(bench, both, step, answers), step=step)
            _insert(slots, slot, both, single=bench.case.task.single_call)
        if slot is not None and slot.call.succeeded:
            answers[step.step] = slot.call.result.content
    return slots


def _changed(
    bench: Bench, both: Sides, call: Call, step: ExpectedCall, edits: Sequence[Edit], answers: dict[StepId, JsonValue]
) -> Call:
    """One call with the changes that concern it."""
    kinds = {edit.kind for edit in edits}
    if kinds & {"rewrite_arguments", "replace_call"}:
        return replace(_made(bench, both, step, answers), id=call.id, id_given=call.id_given)
    arguments: JsonObject = _copied(call.arguments or {})
    for edit in edits:
        if edit.kind in ("set_value", "add_value"):
            _write(arguments, edit.place, _concrete(edit.wanted, answers))
    # From the end, so that a position still means what it meant.
    for edit in sorted((one for one in edits if one.kind == "remove_value"), key=lambda one: _order(one.place)):
        _erase(arguments, edit.place)
    made = _answered(bench, both, step, arguments)
    return replace(made, id=call.id, id_given=call.id_given)


def _order(place: Path) -> tuple[int, ...]:
    """Later positions of a list first."""
    return tuple(-part if isinstance(part, int) else 0 for part in place)


def _made(bench: Bench, both: Sides, step: ExpectedCall, answers: dict[StepId, JsonValue]) -> Call:
    arguments = {key: _concrete(value, answers) for key, value in step.arguments.items()}
    return _answered(bench, both, step, arguments)


def _concrete(wanted: JsonValue, answers: dict[StepId, JsonValue]) -> JsonValue:
    try:
        return concrete(wanted, answers)
    except KeyError as error:
        raise BadInputError("a value comes from an answer that nothing gives", found=str(error)) from error


def _answered(bench: Bench, both: Sides, step: ExpectedCall, arguments: JsonObject) -> Call:
    """A successful call whose answer holds what later steps take from it; nothing where none does."""
    taken = both.taken.get(step.step, ())
    content: JsonValue = synthetic_result(bench.contracts[step.tool], arguments) if taken else {}
    for taker, path, reference in taken:
        content = _fitted(content, reference, bench.contracts[taker], path)
    return made_call(step.step, step.tool, arguments, content)


def _fitted(content: JsonValue, reference: Reference, taker: ToolContract, path: Path) -> JsonValue:
    """An answer in which a reference finds something that the tool which takes it allows."""
    try:
        reference.resolve(content)
    except KeyError:
        schema = subschema_at(taker.parameters, path)
        value = sample(schema if isinstance(schema, dict) else {"type": "integer"}, random.Random(7), optional=0.0)
        if reference.offset and isinstance(value, int | float):
            value = value - reference.offset
        if reference.where:
            value = [_put(dict(reference.where), pointer_parts(reference.item), value)]
        return _put(content, pointer_parts(reference.pointer), value)
    return content


def _put(value: JsonValue, parts: tuple[str, ...], item: JsonValue) -> JsonValue:
    if not parts:
        return item
    head, rest = parts[0], parts[1:]
    if isinstance(value, list) and head.isdigit():
        index = min(int(head), len(value))
        return [*value[:index], _put(value[index] if index < len(value) else None, rest, item), *value[index + 1 :]]
    found: JsonObject = value if isinstance(value, dict) else {}
    return {**found, head: _put(found.get(head), rest, item)}


def _copied(arguments: JsonObject) -> JsonObject:
    """A copy whose objects and lists may be changed."""
    return {key: _copy(value) for key, value in arguments.items()}


def _copy(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in value.items()}
    return [_copy(item) for item in value] if isinstance(value, list) else value


def _write(arguments: JsonObject, place: Path, value: JsonValue) -> None:
    holder = _holder(arguments, place)
    key = place[-1]
    if isinstance(holder, dict):
        holder[str(key)] = value
    elif isinstance(holder, list) and isinstance(key, int):
        holder[key : key + 1] = [value]


def _erase(arguments: JsonObject, place: Path) -> None:
    holder = _holder(arguments, place)
    key = place[-1]
    if isinstance(holder, dict):
        holder.pop(str(key), None)
    elif isinstance(holder, list) and isinstance(key, int):
        del holder[key : key + 1]


def _holder(arguments: JsonObject, place: Path) -> JsonValue:
    value: JsonValue = arguments
    for part in place[:-1]:
        if isinstance(value, dict):
            value = value.get(str(part))
        elif isinstance(value, list) and isinstance(part, int) and part < len(value):
            value = value[part]
    return value


def _insert(slots: list[_Slot], slot: _Slot, both: Sides, *, single: bool) -> None:
    """Put a made call after those of the steps before it; a single-call task has one reply, so it goes there."""
    if single:
        slot.round = both.attempt.rounds[0].number if both.attempt.rounds else 1
        slots.append(slot)
        return
    order = [both.run[place].step for place in both.order]
    assert slot.step is not None
    before = set(order[: order.index(slot.step.step)])
    at = max((place + 1 for place, one in enumerate(slots) if one.step and one.step.step in before), default=0)
    slot.round = slots[at - 1].round if at else 1
    slot.splits = True
    slots.insert(at, slot)
    if at + 1 < len(slots) and slots[at + 1].round == slot.round:
        slots[at + 1].splits = True


def _in_order(both: Sides, slots: Sequence[_Slot]) -> list[_Slot]:
    """The calls of the steps in the golden order, each in a round of its own; what stands for none comes first."""
    rank = {both.run[place].step: number for number, place in enumerate(both.order)}
    rest = [slot for slot in slots if slot.step is None]
    ordered = sorted((slot for slot in slots if slot.step is not None), key=lambda one: rank[one.step.step])  # type: ignore[union-attr]
    for slot in ordered:
        slot.splits = True
    return [*rest, *ordered]


def _rebuilt(bench: Bench, both: Sides, slots: Sequence[_Slot], kinds: Set[str]) -> Attempt:
    """The attempt with these calls in its rounds; its rounds without calls stay at the end."""
    attempt = both.attempt
    shape = attempt.rounds[0] if attempt.rounds else _empty_round()
    groups: list[list[Call]] = []
    last = None
    for slot in slots:
        if last is None or slot.splits or slot.round != last:
            groups.append([])
        groups[-1].append(slot.call)
        last = slot.round
    numbers = count(1)
    texts = {turn.number: turn.text for turn in attempt.rounds}
    rounds = [
        replace(shape, number=next(numbers), calls=tuple(group), finish_reason="tool_calls", text="")
        for group in groups
        if group
    ]
    closing = [turn for turn in attempt.rounds if not turn.calls]
    if bench.case.task.single_call and rounds:
        rounds = [replace(rounds[0], text=texts.get(shape.number, ""))]
    else:
        rounds += [replace(turn, number=next(numbers)) for turn in closing]
    if "reply_in_text" in kinds:
        text = attempt.final_text.strip() or ASKED
        rounds = [one for one in rounds if one.calls]
        rounds.append(replace(shape, number=len(rounds) + 1, calls=(), text=text, finish_reason="stop"))
        return replace(attempt, rounds=tuple(rounds), final_text=text)
    if not rounds:
        rounds = [replace(shape, number=1, calls=(), finish_reason="stop")]
    return replace(attempt, rounds=tuple(rounds))


def _empty_round() -> Round:
    digest = digest_text("made")
    return Round(
        number=1,
        started_at=STARTED_AT,
        duration_s=0.0,
        reply_s=0.0,
        finish_reason="stop",
        request_sha256=digest,
        reply_sha256=digest,
    )


def _offering(attempt: Attempt, names: Sequence[str]) -> Attempt:
    """The attempt with tools among its candidates, and the calls that were refused for want of them answered."""
    more = tuple(Candidate(name=ToolName(name), rank=len(attempt.candidates) + at) for at, name in enumerate(names, 1))
    rounds = tuple(replace(turn, calls=tuple(_accepted(turn.calls, set(names)))) for turn in attempt.rounds)
    return replace(attempt, candidates=(*attempt.candidates, *more), rounds=rounds)


def _accepted(calls: Sequence[Call], names: Set[str]) -> Iterator[Call]:
    for call in calls:
        if call.name in names and call.result.status == "not_offered":
            yield replace(call, result=CallResult(status="ok", content={}, provenance="synthetic"))
        else:
            yield call

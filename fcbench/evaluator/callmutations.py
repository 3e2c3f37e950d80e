"""Mutation operators that change the calls of a golden attempt."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Literal

from msgspec.structs import replace

from fcbench.core.canonical import json_equal
from fcbench.core.cases import ExpectedCall
from fcbench.core.comparators import references, walk
from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import Attempt, Call, CallResult
from fcbench.core.names import JsonObject, JsonValue
from fcbench.evaluator.edits import Stage, changed, grouped, positions, with_arguments, with_calls
from fcbench.evaluator.golden import made_call
from fcbench.evaluator.plan import needed_steps
from fcbench.evaluator.values import matches


def wrong_tool(stage: Stage) -> Iterator[Attempt]:
    """Each call in turn goes to another tool: an offered one, else one that does not exist."""
    for at, call, step in _golden(stage):
        lookalikes = stage.contracts[step.tool].lookalikes
        choice = sorted(stage.others(), key=lambda contract: contract.name not in lookalikes)
        other = next((made for contract in choice if (made := stage.made(contract)) is not None), None)
        yield changed(stage.attempt, at, [other or made_call("wrong", f"not_{call.name}", {}, None)])


def missing_step(stage: Stage) -> Iterator[Attempt]:
    """Each call in turn is left out, unless what remains is another golden run."""
    for at, _, step in _golden(stage):
        left = sorted(other.tool for other in stage.case.oracle.calls if other is not step)
        if not any(sorted(other.tool for other in run) == left for run in stage.case.oracle.alternatives):
            yield changed(stage.attempt, at, [])


def duplicate(stage: Stage) -> Iterator[Attempt]:
    """Each call in turn stands twice in its reply."""
    for at, call, step in _golden(stage):
        again = replace(call, id=f"{call.id}-again")
        if stage.contracts[step.tool].changes_state:
            again = replace(again, result=CallResult(status="duplicate", content={"error": "executed once already"}))
        yield changed(stage.attempt, at, [call, again])


def dropped_required_key(stage: Stage) -> Iterator[Attempt]:
    """Each required key of each call in turn is dropped."""
    for at, call, step in _golden(stage):
        contract, arguments = stage.contracts[step.tool], call.arguments or {}
        for key in contract.required:
            if key in arguments:
                left = {name: value for name, value in arguments.items() if name != key}
                yield changed(stage.attempt, at, [with_arguments(call, left, contract)])


def wrong_value(stage: Stage) -> Iterator[Attempt]:
    """Each argument of each call in turn gets a value that no golden run allows."""
    for at, call, step in _golden(stage):
        arguments = call.arguments or {}
        for key, value in arguments.items():
            allowed = [step.arguments[key], *_elsewhere(stage, step, key)]
            other = next(
                (each for each in _other_values(value, _words(stage, step, key)) if _is_new(allowed, each)), value
            )
            if other is not value and not (references(step.arguments[key]) and json_equal(other, value)):
                wrong = with_arguments(call, {**arguments, key: other}, stage.contracts[step.tool])
                yield changed(stage.attempt, at, [wrong])


def swapped(
    stage: Stage,
) -> Iterator[tuple[Literal["swapped_in_block", "swapped_independent", "swapped_dependent"], Attempt]]:
    """Each two neighbours change places; what that means follows from what the steps need."""
    golden = list(_golden(stage))
    for (here, call, step), (there, other, following) in pairwise(golden):
        pair = ((call, step), (other, following))
        if any(_may_stand_for(stage, one, each, by) for one in pair for _, each, by in golden if each is not one[0]):
            # Then another assignment may be right after the exchange, and what it must give cannot be told here.
            continue
        groups = grouped(stage.attempt)
        groups[here[0]][here[1]], groups[there[0]][there[1]] = other, call
        rounds = {each.id: number for number, group in enumerate(groups) for each in group}
        mutated = with_calls(stage.attempt, groups)
        if not _needs_hold(stage, rounds):
            yield "swapped_dependent", mutated
        elif step.block is not None and step.block == following.block:
            yield "swapped_in_block", mutated
        else:
            yield "swapped_independent", mutated


def _may_stand_for(stage: Stage, one: tuple[Call, ExpectedCall], other: Call, by: ExpectedCall) -> bool:
    """Whether a golden call could also play the step of another one."""
    call, step = one
    if step.tool != by.tool:
        return False
    loose = any(name != "from" for _, name, _ in (*walk(step.arguments), *walk(by.arguments)))
    contract = stage.contracts[step.tool]
    return loose or json_equal(_meant(call, contract), _meant(other, contract))


def _meant(call: Call, contract: ToolContract) -> JsonObject:
    """The arguments with every default said and nothing that only changes how much is shown."""
    said = {**contract.defaults, **(call.arguments or {})}
    return {key: value for key, value in said.items() if key not in contract.neutral_arguments}


def _golden(stage: Stage) -> Iterator[tuple[tuple[int, int], Call, ExpectedCall]]:
    groups = grouped(stage.attempt)
    for at in positions(stage.attempt):
        call = groups[at[0]][at[1]]
        step = stage.step_of(call)
        if step is not None:
            yield at, call, step


def _needs_hold(stage: Stage, rounds: dict[str, int]) -> bool:
    return all(
        rounds[f"made-{needed}"] < rounds[f"made-{step.step}"]
        for step in stage.case.oracle.calls
        for needed in needed_steps(step)
    )


def _elsewhere(stage: Stage, step: ExpectedCall, key: str) -> list[JsonValue]:
    """What other golden runs expect at this argument."""
    runs = stage.case.oracle.alternatives
    return [other.arguments[key] for run in runs for other in run if other.tool == step.tool and key in other.arguments]


def _is_new(allowed: list[JsonValue], value: JsonValue) -> bool:
    return not any(matches(expected, value) for expected in allowed)


def _words(stage: Stage, step: ExpectedCall, key: str) -> list[JsonValue]:
    schema = stage.contracts[step.tool].properties.get(key)
    words = schema.get("enum") if isinstance(schema, dict) else None
    return list(words) if isinstance(words, list) else []


def _other_values(value: JsonValue, words: list[JsonValue]) -> Iterator[JsonValue]:
    """Values near a value: other words of its enum first, then the value changed a little, then much."""
    yield from (word for word in words if not json_equal(word, value))
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield from (value + 1, value * 2 + 1000, -value - 1)
    elif isinstance(value, str):
        yield from (value + "A", value + "x", "x" + value, "not the value")
    elif isinstance(value, list):
        yield from ([*value, *value] if value else ["x"], value[:-1], [])
    elif isinstance(value, dict):
        for key, item in value.items():
            for other in _other_values(item, []):
                yield {**value, key: other}
        yield {}
    else:
        yield "not null"

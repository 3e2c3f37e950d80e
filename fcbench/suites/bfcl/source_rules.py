"""Where the source's checker compares otherwise than JSON does: its rules, for explaining a difference of verdicts.

Nothing here reaches a verdict of ours. A cross-check applies one of these rules to both sides and judges again: a
difference that goes away has that rule as its cause.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

from msgspec.structs import replace

from fcbench.core.cases import Case
from fcbench.core.comparators import comparator_of
from fcbench.core.evidence import Attempt, Call
from fcbench.core.names import JsonObject, JsonValue
from fcbench.suites.bfcl.accepted import OMITTED
from fcbench.suites.bfcl.rows import SourceCase
from fcbench.suites.bfcl.types import parameters_of

Change = Callable[[JsonValue, tuple[str, ...]], JsonValue]
"""Changes a value that is no container; gets the containers that it stands in, outermost first."""
FOLDED_PLACES = ((), ("list",), ("object",), ("list", "object"))
"""Where the source folds texts: an argument, an item of it, a value of its keys. Deeper ones it compares exactly."""
_DROPPED = str.maketrans(dict.fromkeys(" ,./-_*^") | {"'": '"'})
_PYTHON = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "object": "dict", "array": "list"}


def same_case(value: JsonValue, inside: tuple[str, ...]) -> JsonValue:
    """Texts in lower case, where the source folds them."""
    return value.lower() if isinstance(value, str) and inside in FOLDED_PLACES else value


def folded(value: JsonValue, inside: tuple[str, ...]) -> JsonValue:
    """Texts as the source compares them: lower case, eight letters of punctuation and space gone, quotes alike."""
    return value.translate(_DROPPED).lower() if isinstance(value, str) and inside in FOLDED_PLACES else value


def truth_as_number(value: JsonValue, inside: tuple[str, ...]) -> JsonValue:
    """True as 1 and false as 0: the source compares with Python's `==`."""
    return int(value) if isinstance(value, bool) else value


def code_points(value: JsonValue, inside: tuple[str, ...]) -> JsonValue:
    """Texts by their code points, so that a composed letter is not its decomposed form."""
    if not isinstance(value, str) or unicodedata.is_normalized("NFC", value):
        return value
    return value.encode("unicode_escape").decode("ascii")


def changed_case(case: Case, change: Change) -> Case:
    """The case with a change made to every expected value."""
    calls = tuple(
        replace(
            step, arguments={key: _changed(value, change, (), expected=True) for key, value in step.arguments.items()}
        )
        for step in case.oracle.calls
    )
    return replace(case, oracle=replace(case.oracle, calls=calls))


def changed_attempt(attempt: Attempt, change: Change) -> Attempt:
    """The attempt with the same change made to every argument."""

    def changed(call: Call) -> Call:
        if call.arguments is None:
            return call
        arguments = {key: _changed(value, change, (), expected=False) for key, value in call.arguments.items()}
        return replace(call, arguments=arguments)

    rounds = tuple(replace(turn, calls=tuple(map(changed, turn.calls))) for turn in attempt.rounds)
    return replace(attempt, rounds=rounds)


def _changed(value: JsonValue, change: Change, inside: tuple[str, ...], *, expected: bool) -> JsonValue:
    found = comparator_of(value) if expected else None
    if found is not None:
        name, body = found
        if name == "one_of" and isinstance(body, list):
            return {"$one_of": [_changed(item, change, inside, expected=True) for item in body]}
        return {f"${name}": _changed(body, change, inside, expected=False)}
    if isinstance(value, list):
        return [_changed(item, change, (*inside, "list"), expected=expected) for item in value]
    if isinstance(value, dict):
        return {key: _changed(item, change, (*inside, "object"), expected=expected) for key, item in value.items()}
    return change(value, inside)


def with_types_only(source: SourceCase) -> SourceCase:
    """The case with nothing in its function documents but the types of arguments and items.

    The source checks no more than these, so that a mark for "may be left out" is a right value for it although an
    `enum` does not list it.
    """
    return replace(source, functions=tuple(map(_bare, source.functions)))


def _bare(function: JsonObject) -> JsonObject:
    parameters = parameters_of(function)
    properties = parameters["properties"]
    assert isinstance(properties, dict)
    return {
        "name": function.get("name"),
        "parameters": {**parameters, "properties": {name: _typed(part) for name, part in properties.items()}},
    }


def _typed(schema: JsonObject) -> JsonObject:
    items = schema.get("items")
    kept: JsonObject = {"type": schema["type"]} if "type" in schema else {}
    return {**kept, "items": _typed(items)} if isinstance(items, dict) else kept


def refuses_number(parameters: JsonObject, listed: JsonObject, arguments: JsonObject) -> bool:
    """Whether the source refuses a number because of how it is written: `5.0` for an integer, `5` in a list of floats.

    A value must have the declared Python type or that of the first accepted value. A float may be written as an
    integer, but not inside a list.

    Args:
        parameters: JSON Schema of the function's parameters, before any keyword was relaxed.
        listed: accepted values by argument.
        arguments: those of the call.
    """
    properties = parameters.get("properties")
    known: JsonObject = properties if isinstance(properties, dict) else {}
    for name, value in arguments.items():
        schema, alternatives = known.get(name), listed.get(name)
        if not isinstance(schema, dict) or not isinstance(alternatives, list):
            continue
        types = {_declared(schema), _first(alternatives)}
        if _is_number(value) and _python(value) not in types and not (isinstance(value, int) and "float" in types):
            return True
        if isinstance(value, list) and any(map(_is_number, value)) and not _list_fits(value, schema, alternatives):
            return True
    return False


def _list_fits(value: list[JsonValue], schema: JsonObject, alternatives: list[JsonValue]) -> bool:
    items = schema.get("items")
    if not isinstance(items, dict):
        return True
    for other in alternatives:
        if not isinstance(other, list):
            return True
        types = {_declared(items), _first(other)}
        if all(_python(item) in types for item in value):
            return True
    return False


def _declared(schema: JsonObject) -> str:
    return _PYTHON.get(str(schema.get("type", "string")), "str")


def _first(values: list[JsonValue]) -> str | None:
    return next((_python(value) for value in values if value != OMITTED), None)


def _python(value: JsonValue) -> str:
    return type(value).__name__


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)

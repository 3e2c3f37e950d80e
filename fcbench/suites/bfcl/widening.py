"""A function document that contradicts its own accepted answers: the keyword that they break is left out.

The source's checker reads no more of a document than the names and types of its arguments, so that an accepted value
may lie outside an `enum` or a `maximum`, or have another type. Where that is so the value decides, and the contract
says which keyword was left out. Required arguments and unknown names stay as they are: the source checks them too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fcbench.core.canonical import pointer_parts
from fcbench.core.comparators import comparator_of
from fcbench.core.names import JsonObject, JsonValue
from fcbench.core.schema import CompiledSchema, Violation
from fcbench.suites.bfcl.accepted import kind_of

MAX_ROUNDS = 64
"""Keywords that are left out of one document at most."""


def samples(name: str, value: JsonValue) -> Iterator[JsonObject]:
    """Arguments that hold one expected value in forms that together show every accepted part."""
    for index in range(_width(value)):
        yield {name: _form(value, index)}


def _width(value: JsonValue) -> int:
    """The most alternatives that stand at one place."""
    found = comparator_of(value)
    if found is not None:
        body = found[1]
        return max([len(body), *map(_width, body)]) if found[0] == "one_of" and isinstance(body, list) else 1
    parts = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return max([1, *map(_width, parts)])


def _form(value: JsonValue, index: int) -> JsonValue:
    found = comparator_of(value)
    if found is not None:
        body = found[1]
        chosen = body[min(index, len(body) - 1)] if found[0] == "one_of" and isinstance(body, list) else None
        return body if found[0] != "one_of" else _form(chosen, index)
    if isinstance(value, dict):
        return {key: _form(part, index) for key, part in value.items()}
    return [_form(part, index) for part in value] if isinstance(value, list) else value


def widened(parameters: JsonObject, shown: Iterable[JsonObject]) -> tuple[JsonObject, tuple[str, ...]]:
    """The schema with which all shown arguments validate, and the places of the keywords that it leaves out.

    Args:
        parameters: a closed object at the root.
        shown: arguments, each with some of the keys only.

    Raises:
        BadInputError: the schema does not compile.
    """
    todo = list(shown)
    places: list[str] = []
    schema, compiled = parameters, CompiledSchema(parameters)
    for _ in range(MAX_ROUNDS):
        broken = next(((one, each) for each in todo for one in _mendable(compiled, each)), None)
        if broken is None:
            break
        violation, arguments = broken
        schema = _without(schema, violation, arguments)
        places.append(violation.schema_pointer)
        compiled = CompiledSchema(schema)
    return schema, tuple(dict.fromkeys(places))


def _mendable(compiled: CompiledSchema, arguments: JsonObject) -> Iterator[Violation]:
    for violation in compiled.violations(arguments):
        if violation.pointer or violation.keyword not in ("required", "additionalProperties"):
            yield violation


def _without(schema: JsonObject, violation: Violation, arguments: JsonObject) -> JsonObject:
    """A copy of the schema in which one keyword no longer rules the value out."""
    path = pointer_parts(violation.schema_pointer)

    def copy(place: JsonValue, depth: int) -> JsonValue:
        if not isinstance(place, dict):
            return place
        if depth < len(path) - 1:
            return {key: copy(part, depth + 1) if key == path[depth] else part for key, part in place.items()}
        kept = {key: part for key, part in place.items() if key != path[depth]}
        return {**kept, **_mended(place, violation, arguments)}

    mended = copy(schema, 0)
    assert isinstance(mended, dict)
    return mended


def _mended(owner: JsonObject, violation: Violation, arguments: JsonObject) -> JsonObject:
    if violation.keyword == "required":
        listed = owner.get("required")
        return {"required": [name for name in listed if name != violation.key] if isinstance(listed, list) else []}
    if violation.keyword == "type":
        declared = owner.get("type")
        types = declared if isinstance(declared, list) else [declared]
        return {"type": [*types, kind_of(_value_at(arguments, violation.pointer))]}
    return {}


def _value_at(arguments: JsonValue, place: str) -> JsonValue:
    for part in pointer_parts(place):
        if isinstance(arguments, dict):
            arguments = arguments.get(part)
        elif isinstance(arguments, list):
            arguments = arguments[int(part)]
    return arguments

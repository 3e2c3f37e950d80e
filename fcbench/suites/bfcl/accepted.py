"""Accepted values of the source as expected arguments.

The source lists, for each argument, the values that count as right. The empty text in such a list says that the
argument may be left out. It counts as a value as well (an empty list does where the argument is a list), if the
function's schema admits it: a caller that sends nothing in this way has left the argument out. Objects have such lists
for each key, one level deep; what lies deeper is a plain value.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from fcbench.core.cases import contains_comparator
from fcbench.core.names import JsonObject, JsonValue
from fcbench.core.records import Record
from fcbench.core.schema import compile_schema
from fcbench.errors import BadInputError

OMITTED = ""
"""The mark for "may be left out"."""
MAX_VARIANTS = 1024
"""Forms of one object, by the keys that it may leave out; the published data needs 128."""
MAX_FORMS = 4096
"""Forms of one argument, over all accepted values."""


class Accepted(Record, frozen=True, kw_only=True):
    """The values of one argument that count as right."""

    values: tuple[JsonValue, ...]
    """Expected values, comparators inside; empty: no value is right."""
    may_omit: bool


def kind_of(value: JsonValue) -> str:
    """The JSON type of a value; integers are numbers."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "string"
    if value is None:
        return "null"
    return "array" if isinstance(value, list) else "object"


def accepted(alternatives: JsonValue, schema: JsonObject, *, required: bool) -> Accepted:
    """What one list of accepted values means for an argument.

    A value of another type than the function's is right where the list begins with a value of that type (the source
    lets a variable's name stand for a value), and else never.

    Args:
        alternatives: the list.
        schema: JSON Schema of the argument, before any keyword was relaxed.
        required: whether the function requires the argument; then it may never be left out.

    Raises:
        BadInputError: it is no list, or an object in it has no lists of accepted values or too many forms.
    """
    listed = _listed(alternatives)
    first = next((kind_of(value) for value in listed if value != OMITTED), None)
    declared = _declared(schema)
    stands_for = first is not None and first != declared
    known = {declared, first}
    values: list[JsonValue] = []
    for value in listed:
        if value != OMITTED and kind_of(value) in known and _items_fit(value, listed, schema):
            values += [literal(value)] if stands_for else _opened(value, schema)
            _bound(len(values))
    if OMITTED in listed:
        mark: JsonValue = [] if declared == "array" and not stands_for else OMITTED
        # Where a text may stand for a value of another type, the declared type does not rule the empty text out.
        open_schema = {key: part for key, part in schema.items() if key != "type"}
        values += _marks(mark, open_schema if first == "string" else schema) if mark not in values else []
    return Accepted(values=tuple(values), may_omit=OMITTED in listed and not required)


def _bound(forms: int) -> None:
    if forms > MAX_FORMS:
        raise BadInputError("an argument has too many accepted forms", wanted=f"at most {MAX_FORMS}", found=str(forms))


def _declared(schema: JsonObject) -> str:
    """The declared type; integers are numbers, and the source reads an argument without a type as a text."""
    kind = schema.get("type", "string")
    return "number" if kind == "integer" else str(kind)


def _marks(mark: JsonValue, schema: JsonObject) -> list[JsonValue]:
    """The mark as a value, where the function's own schema admits it."""
    return [mark] if compile_schema(schema).is_valid(mark) else []


def literal(value: JsonValue) -> JsonValue:
    """An expected value that means exactly this, whatever its keys are called."""
    return {"$exact": value} if contains_comparator(value) else value


def one_of(values: tuple[JsonValue, ...]) -> JsonValue:
    """An expected value that means any of these."""
    return values[0] if len(values) == 1 else {"$one_of": list(values)}


def _listed(alternatives: JsonValue) -> list[JsonValue]:
    if not isinstance(alternatives, list):
        raise BadInputError("accepted values stand in a list", wanted="a list", found=f"{type(alternatives).__name__}")
    return alternatives


def _items_fit(value: JsonValue, listed: list[JsonValue], schema: JsonObject) -> bool:
    """Whether the items of a list have the declared type, or that of the first item of some accepted list."""
    items = schema.get("items")
    if not isinstance(value, list) or not isinstance(items, dict):
        return True
    declared = _declared(items)
    for other in listed:
        if not isinstance(other, list):
            return True
        first = next((kind_of(item) for item in other if item != OMITTED), None)
        if all(kind_of(item) in (declared, first) for item in value):
            return True
    return False


def _opened(value: JsonValue, schema: JsonObject) -> list[JsonValue]:
    if isinstance(value, dict):
        return list(_objects(value, schema))
    items = schema.get("items")
    if isinstance(value, list) and isinstance(items, dict) and _declared(items) == "object":
        return list(_lists_of_objects(value, items))
    return [literal(value)]


def _objects(value: JsonObject, schema: JsonObject) -> Iterator[JsonValue]:
    """Every form of an object: the whole one first, then with fewer of the keys that may be left out."""
    if any(key.startswith("$") for key in value):
        raise BadInputError("a key of an accepted object begins with $", wanted="other keys", found=", ".join(value))
    lists = {key: _listed(part) for key, part in value.items()}
    optional = [key for key, part in lists.items() if OMITTED in part]
    if 1 << len(optional) > MAX_VARIANTS:
        raise BadInputError(
            "an accepted object has too many forms",
            wanted=f"at most {MAX_VARIANTS}",
            found=f"{len(optional)} keys that may be left out",
        )
    if not all(lists.values()):
        return
    properties = schema.get("properties")
    known: JsonObject = properties if isinstance(properties, dict) else {}
    whole = {key: _key_value(part, known.get(key)) for key, part in lists.items()}
    for count in range(len(optional) + 1):
        for left_out in combinations(optional, count):
            yield {key: part for key, part in whole.items() if key not in left_out}


def _key_value(listed: list[JsonValue], schema: JsonValue) -> JsonValue:
    values = [literal(value) for value in listed if value != OMITTED]
    if OMITTED in listed:
        values += _marks(OMITTED, schema if isinstance(schema, dict) else {}) if values else [OMITTED]
    return one_of(tuple(values))


def _lists_of_objects(value: list[JsonValue], items: JsonObject) -> Iterator[JsonValue]:
    """A list whose items are objects in this order; one that holds something else is never right."""
    found: list[list[JsonValue]] = []
    total = 0
    for item in value:
        found.append(list(_objects(item, items)) if isinstance(item, dict) else [])
        total += len(found[-1])
        _bound(total)
    if all(found):
        yield [one_of(tuple(forms)) for forms in found]

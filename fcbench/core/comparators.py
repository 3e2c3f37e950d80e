"""Expected values: plain JSON, a comparator from a closed list, or a reference to an earlier result.

A comparator is an object with one key that begins with `$` (PROTOCOL 3):

| written                                              | right when the observed value |
|------------------------------------------------------|-------------------------------|
| `value` or `{$exact: value}`                         | equals it as JSON (`core.canonical.json_equal`) |
| `{$casefold: text}`                                  | is the same text but for case |
| `{$one_of: [a, b]}`                                  | matches one of them (each may be a comparator) |
| `{$regex: {pattern, example}}`                       | matches the whole pattern |
| `{$any: {example}}`                                  | is present |
| `{$set: [a, b]}`                                     | holds the same items in any order, one to one |
| `{$tolerance: {value, absolute?, relative?}}`        | is a number within the declared distance |
| `{$path: text}`                                      | is the same path after normalisation |
| `{$dna: text}`                                       | is the same sequence but for case, white space and U/T |
| `{$date: text}`                                      | is the same calendar date (ISO 8601) |
| `{$from: {step, pointer, where?, item?, offset?}}`   | equals what that step really returned |
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date

from msgspec import field

from fcbench.core.canonical import clean_json, json_equal, pointer, pointer_parts, resolve_pointer
from fcbench.core.names import JsonObject, JsonValue, StepId
from fcbench.core.records import Record, from_plain
from fcbench.errors import BadInputError

COMPARATORS = ("exact", "casefold", "one_of", "regex", "any", "set", "tolerance", "path", "dna", "date", "from")


class Reference(Record, frozen=True, kw_only=True):
    """A value to be taken from what the call assigned to an earlier step returned."""

    step: StepId
    pointer: str = ""
    """RFC 6901 pointer into the result."""
    where: JsonObject = field(default_factory=dict)
    """Choice from a list at `pointer`: the first item whose fields equal these."""
    item: str = ""
    """RFC 6901 pointer into the chosen item; only with `where`."""
    offset: int = 0
    """Added to an integer result."""

    def resolve(self, result: JsonValue) -> JsonValue:
        """The value inside one result.

        Raises:
            KeyError: the result has nothing at that place, no item fits `where`, or an offset meets no integer.
        """
        value = resolve_pointer(result, self.pointer)
        if self.where:
            value = resolve_pointer(self._choose(value), self.item)
        if self.offset:
            # JSON has one kind of number: a tool may write the position 7 as 7.0.
            whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
            if not whole or not isinstance(value, int | float) or isinstance(value, bool):
                raise KeyError(self.pointer)
            value = value + self.offset
        return value

    def _choose(self, items: JsonValue) -> JsonValue:
        for item in items if isinstance(items, list) else ():
            if isinstance(item, dict) and all(
                key in item and json_equal(item[key], wanted) for key, wanted in self.where.items()
            ):
                return item
        raise KeyError(self.pointer)


def comparator_of(value: JsonValue) -> tuple[str, JsonValue] | None:
    """Name (without `$`) and body of a comparator; None for a plain value.

    Raises:
        BadInputError: an object mixes a `$` key with others, or the name is not in the closed list.
    """
    if not isinstance(value, dict) or not any(key.startswith("$") for key in value):
        return None
    if len(value) != 1:
        raise BadInputError(
            "a comparator must stand alone in its object", wanted="one key that begins with $", found=", ".join(value)
        )
    ((name, body),) = value.items()
    if name[1:] not in COMPARATORS:
        raise BadInputError(
            "this comparator does not exist", wanted=", ".join("$" + known for known in COMPARATORS), found=name
        )
    return name[1:], body


def reference_of(value: JsonValue) -> Reference | None:
    """The reference that a value is, if it is one."""
    found = comparator_of(value)
    return from_plain(found[1], Reference) if found and found[0] == "from" else None


def walk(value: JsonValue, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], str, JsonValue]]:
    """Every comparator inside an expected value: its path, its name and its body.

    Raises:
        BadInputError: see `comparator_of`.
    """
    found = comparator_of(value)
    if found:
        yield path, *found
        if found[0] in ("one_of", "set") and isinstance(found[1], list):
            for index, item in enumerate(found[1]):
                yield from walk(item, (*path, index))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from walk(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from walk(item, (*path, index))


def references(value: JsonValue) -> tuple[Reference, ...]:
    """Every reference inside an expected value, in the order of the document."""
    return tuple(from_plain(body, Reference) for _, name, body in walk(value) if name == "from")


def check_expected(value: JsonValue) -> None:
    """Check every comparator inside an expected value.

    Raises:
        BadInputError: a comparator is unknown, or its body has the wrong form; `where` holds the JSON Pointer.
    """
    for path, name, body in walk(value):
        try:
            _CHECKS[name](body)
        except (BadInputError, ValueError, TypeError, re.error) as error:
            raise BadInputError(
                f"the comparator ${name} is written wrongly",
                wanted=_WANTED[name],
                found=str(body)[:120],
                where=pointer(*path) or "/",
                next_step=str(error).splitlines()[0],
            ) from error


class _Regex(Record, frozen=True, kw_only=True):
    pattern: str
    example: str


class _Any(Record, frozen=True, kw_only=True):
    example: JsonValue


class Tolerance(Record, frozen=True, kw_only=True):
    """Body of `$tolerance`: at least one distance is given; the larger one counts."""

    value: float
    absolute: float = 0.0
    relative: float = 0.0


def _check_regex(body: JsonValue) -> None:
    regex = from_plain(body, _Regex)
    if not re.fullmatch(regex.pattern, regex.example):
        raise ValueError("the example does not match the pattern")


def _check_tolerance(body: JsonValue) -> None:
    tolerance = from_plain(body, Tolerance)
    if not (tolerance.absolute > 0 or tolerance.relative > 0) or min(tolerance.absolute, tolerance.relative) < 0:
        raise ValueError("a distance above zero is missing")


def _check_text(body: JsonValue) -> None:
    if not isinstance(body, str):
        raise TypeError("a text is wanted")


def _check_date(body: JsonValue) -> None:
    _check_text(body)
    date.fromisoformat(str(body))


def _check_list(body: JsonValue) -> None:
    if not isinstance(body, list) or not body:
        raise TypeError("a list with at least one item is wanted")


def _check_reference(body: JsonValue) -> None:
    reference = from_plain(body, Reference)
    pointer_parts(reference.pointer)
    pointer_parts(reference.item)
    if reference.item and not reference.where:
        raise ValueError("item goes with where")


_CHECKS: dict[str, Callable[[JsonValue], object]] = {
    "exact": lambda body: None,
    "casefold": _check_text,
    "one_of": _check_list,
    "regex": _check_regex,
    "any": lambda body: from_plain(body, _Any),
    "set": _check_list,
    "tolerance": _check_tolerance,
    "path": _check_text,
    "dna": _check_text,
    "date": _check_date,
    "from": _check_reference,
}
_WANTED = {
    "exact": "any value",
    "casefold": "a text",
    "one_of": "a list of alternatives",
    "regex": "{pattern, example}, the example matching",
    "any": "{example}",
    "set": "a list of items",
    "tolerance": "{value, absolute and/or relative}",
    "path": "a path",
    "dna": "a sequence",
    "date": "a date such as 2026-11-30",
    "from": "{step, pointer, where?, item?, offset?}",
}


def concrete(value: JsonValue, results: dict[StepId, JsonValue] | None = None) -> JsonValue:
    """One value that satisfies an expected value: what the golden run says.

    Args:
        value: the expected value.
        results: what each earlier step returned, for references.

    Raises:
        KeyError: a reference cannot be resolved from `results`.
    """
    found = comparator_of(value)
    if found is None:
        if isinstance(value, dict):
            return {key: concrete(item, results) for key, item in value.items()}
        return [concrete(item, results) for item in value] if isinstance(value, list) else value
    name, body = found
    if name == "from":
        reference = from_plain(body, Reference)
        return clean_json(reference.resolve((results or {})[reference.step]))
    if name == "one_of" and isinstance(body, list):
        return concrete(body[0], results)
    if name == "set":
        return [concrete(item, results) for item in body] if isinstance(body, list) else body
    if name in ("regex", "any") and isinstance(body, dict):
        return body["example"]
    return body["value"] if name == "tolerance" and isinstance(body, dict) else body

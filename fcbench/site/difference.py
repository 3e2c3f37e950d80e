"""What differs between expected and observed arguments, value by value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from fcbench.core.canonical import json_equal, pointer
from fcbench.core.names import JsonObject, JsonValue
from fcbench.core.records import Record
from fcbench.core.verdicts import Fault, FaultKind
from fcbench.evaluator.wording import quoted
from fcbench.site.text import short

MAX_ROWS = 30
"""Rows that a page shows of one call: a hostile array must not become a page of a million rows."""
MAX_NESTING = 40

Mark = Literal["equal", "differs", "missing", "extra"]


class Row(Record, frozen=True, kw_only=True):
    """One place of the arguments."""

    pointer: str
    mark: Mark
    expected: str = ""
    found: str = ""
    kinds: tuple[FaultKind, ...] = ()
    """What the evaluator calls it."""
    blamed: bool = False
    """Whether the evaluator reported a fault here, above or below: else it took the difference, as for a default."""


class Difference(Record, frozen=True, kw_only=True):
    """The rows that differ, and the equal ones to be folded."""

    changed: tuple[Row, ...]
    equal: tuple[Row, ...]
    hidden: int = 0
    """Rows left out because there were too many."""


def compare(expected: JsonObject, found: JsonObject, faults: Sequence[Fault]) -> Difference:
    """Compare arguments place by place.

    Where the expected value is a comparator, this page does not judge: the place differs exactly when the evaluator
    reported a fault there.

    Args:
        expected: arguments of the golden run, comparators included.
        found: arguments of the observed call.
        faults: the verdict's faults of this call.
    """
    pointers = tuple(str(fault.pointer) for fault in faults if fault.pointer is not None)
    rows = list(_walk(expected, found, (), pointers))
    changed = [_named(row, faults) for row in rows if row.mark != "equal"]
    equal = [row for row in rows if row.mark == "equal"]
    hidden = max(0, len(changed) - MAX_ROWS) + max(0, len(equal) - MAX_ROWS)
    return Difference(changed=tuple(changed[:MAX_ROWS]), equal=tuple(equal[:MAX_ROWS]), hidden=hidden)


def _named(row: Row, faults: Sequence[Fault]) -> Row:
    places = [(fault.kind, str(fault.pointer)) for fault in faults if fault.pointer is not None]
    kinds = tuple(dict.fromkeys(kind for kind, place in places if place == row.pointer))
    blamed = any(_overlap(place, row.pointer) for _, place in places)
    return msgspec.structs.replace(row, kinds=kinds, blamed=blamed)


def _overlap(left: str, right: str) -> bool:
    return left == right or left.startswith(right + "/") or right.startswith(left + "/")


def _walk(expected: JsonValue, found: JsonValue, path: tuple[str | int, ...], faults: tuple[str, ...]) -> Iterator[Row]:
    place = str(pointer(*path))
    if is_comparator(expected):
        wrong = any(fault == place or fault.startswith(place + "/") for fault in faults)
        yield Row(pointer=place, mark="differs" if wrong else "equal", expected=in_words(expected), found=short(found))
    elif isinstance(expected, dict) and isinstance(found, dict) and len(path) < MAX_NESTING and (expected or found):
        yield from _objects(expected, found, path, faults)
    elif isinstance(expected, list) and isinstance(found, list) and len(path) < MAX_NESTING and (expected or found):
        yield from _arrays(expected, found, path, faults)
    else:
        mark: Mark = "equal" if json_equal(expected, found) else "differs"
        yield Row(pointer=place, mark=mark, expected=short(expected), found=short(found))


def _objects(
    expected: JsonObject, found: JsonObject, path: tuple[str | int, ...], faults: tuple[str, ...]
) -> Iterator[Row]:
    for key, wanted in expected.items():
        if key in found:
            yield from _walk(wanted, found[key], (*path, key), faults)
        else:
            yield Row(pointer=str(pointer(*path, key)), mark="missing", expected=in_words(wanted))
    for key, extra in found.items():
        if key not in expected:
            yield Row(pointer=str(pointer(*path, key)), mark="extra", found=short(extra))


def _arrays(
    expected: list[object], found: list[object], path: tuple[str | int, ...], faults: tuple[str, ...]
) -> Iterator[Row]:
    for index in range(max(len(expected), len(found))):
        if index >= len(found):
            yield Row(pointer=str(pointer(*path, index)), mark="missing", expected=in_words(expected[index]))
        elif index >= len(expected):
            yield Row(pointer=str(pointer(*path, index)), mark="extra", found=short(found[index]))
        else:
            yield from _walk(expected[index], found[index], (*path, index), faults)


def is_comparator(value: JsonValue) -> bool:
    """Whether an expected value is a comparator or a reference (`core.comparators`)."""
    return isinstance(value, dict) and len(value) == 1 and next(iter(value)).startswith("$")


def in_words(value: JsonValue) -> str:
    """An expected value for people: a plain value as JSON, a comparator in words."""
    if not is_comparator(value) or not isinstance(value, dict):
        return short(value)
    ((name, body),) = value.items()
    fields: JsonObject = body if isinstance(body, dict) else {}
    match name:
        case "$exact":
            return short(body)
        case "$one_of" if isinstance(body, list):
            return "one of: " + ", ".join(in_words(item) for item in body)
        case "$set" if isinstance(body, list):
            return "in any order: " + ", ".join(in_words(item) for item in body)
        case "$any":
            return f"any value, such as {short(fields.get('example'))}"
        case "$regex":
            return f"text like {fields.get('pattern', '')}, such as {short(fields.get('example'))}"
        case "$tolerance":
            return f"about {short(fields.get('value'))} ({_distance(fields)})"
        case "$from":
            return f"the result of step {fields.get('step', '?')} at {fields.get('pointer') or 'its root'}"
        case "$casefold" | "$path" | "$dna" | "$date":
            kind = {"$casefold": "in any case", "$path": "as a path", "$dna": "as a sequence", "$date": "as a date"}
            return f"{short(body)}, compared {kind[name]}"
        case _:
            return short(value)


def told(fault: Fault) -> str:
    """A fault's sentence, with a comparator that the evaluator quotes in it said in words."""
    if not is_comparator(fault.expected):
        return fault.sentence
    return fault.sentence.replace(f"expected {quoted(fault.expected)}", f"expected {in_words(fault.expected)}", 1)


def _distance(fields: JsonObject) -> str:
    parts = [f"{name} {short(fields[name])}" for name in ("absolute", "relative") if name in fields]
    return "within " + " or ".join(parts) if parts else "within the declared distance"

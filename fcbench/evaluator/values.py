"""Expected values against observed ones, and references into what earlier calls returned (PROTOCOL 3)."""

from __future__ import annotations

from collections.abc import Callable

from fcbench.core.comparators import Reference, comparator_of
from fcbench.core.names import JsonValue
from fcbench.core.records import from_plain
from fcbench.evaluator.nodes import Difference, Open, Path, Unresolved
from fcbench.evaluator.structures import compiled

Lookup = Callable[[Reference], JsonValue]
"""Gives the value of a reference, or raises KeyError."""


def resolved(expected: JsonValue, lookup: Lookup) -> JsonValue:
    """The expected value with every `$from` replaced by what it refers to, or by `Unresolved`."""

    def value(reference: Reference) -> JsonValue:
        try:
            return {"$exact": lookup(reference)}
        except KeyError:
            return Unresolved(reference.step)

    return _replaced(expected, value)


def opened(expected: JsonValue) -> JsonValue:
    """The expected value with every `$from` replaced by `Open`: what it costs at least, whatever the source says."""
    return _replaced(expected, lambda reference: Open())


def _replaced(expected: JsonValue, value: Lookup) -> JsonValue:
    if isinstance(expected, list):
        return [_replaced(item, value) for item in expected]
    if not isinstance(expected, dict):
        return expected
    found = comparator_of(expected)
    if found is None:
        return {key: _replaced(item, value) for key, item in expected.items()}
    name, body = found
    if name == "from":
        return value(from_plain(body, Reference))
    return {f"${name}": _replaced(body, value)} if name in ("one_of", "set") else expected


def matches(expected: JsonValue, found: JsonValue) -> bool:
    """Whether an observed value is the expected one."""
    return compiled(expected).fits(found)


def differences(expected: JsonValue, found: JsonValue, path: Path = ()) -> list[Difference]:
    """Every place where the two part, at most `nodes.MAX_DIFFERENCES`."""
    out: list[Difference] = []
    compiled(expected).name(found, path, out)
    return out


def leaf_count(value: JsonValue) -> int:
    """Number of fields in a value: scalars, comparators but `$set`, and empty lists and objects count one each."""
    if isinstance(value, list):
        return sum(map(leaf_count, value)) or 1
    if not isinstance(value, dict):
        return 1
    if len(value) == 1 and isinstance(value.get("$set"), list):
        return leaf_count(value["$set"])
    if any(key.startswith("$") for key in value):
        return 1
    return sum(map(leaf_count, value.values())) or 1

"""Expected values against observed ones: the closed list of comparators (PROTOCOL 3).

`differences` walks both values together and names every place where they part. A comparator is one leaf but for `$set`,
whose items are paired first and then compared like those of a list; so counts of fields (PROTOCOL 5, precision and
recall) follow from the differences alone.
"""

from __future__ import annotations

import math
import posixpath
import re
import unicodedata
from collections.abc import Callable
from datetime import date
from typing import Literal

from fcbench.core.canonical import json_equal
from fcbench.core.comparators import Reference, comparator_of
from fcbench.core.names import JsonObject, JsonValue, StepId
from fcbench.core.records import Record, from_plain
from fcbench.evaluator.assignment import cheapest

MAX_DIFFERENCES = 1000
"""Differences that are named for one call: a hostile object of a million keys must not become a million records."""
MAX_PAIRED_ITEMS = 40
"""Items of a set that are paired for a diagnosis: the work grows with their product."""
_MAX_REGEX_TEXT = 10_000
_MAX_DEPTH = 70

Path = tuple[str | int, ...]


class Difference(Record, frozen=True, kw_only=True):
    """One place where an observed value is not the expected one."""

    path: Path
    kind: Literal["wrong", "missing", "extra", "unresolved"]
    expected: JsonValue = None
    found: JsonValue = None


class Unresolved:
    """Stands in an expected value where a reference found no successful source (PROTOCOL 3)."""

    def __init__(self, step: StepId) -> None:
        self.step = step


class Open:
    """Stands in an expected value for a reference whose source is still open: everything matches it."""


Lookup = Callable[[Reference], JsonValue]
"""Gives the value of a reference, or raises KeyError."""


def resolved(expected: JsonValue, lookup: Lookup) -> JsonValue:
    """The expected value with every `$from` replaced by what it refers to, or by `Unresolved`."""
    if isinstance(expected, list):
        return [resolved(item, lookup) for item in expected]
    if not isinstance(expected, dict):
        return expected
    found = comparator_of(expected)
    if found is None:
        return {key: resolved(item, lookup) for key, item in expected.items()}
    name, body = found
    if name == "from":
        reference = from_plain(body, Reference)
        try:
            return {"$exact": lookup(reference)}
        except KeyError:
            return Unresolved(reference.step)
    return {f"${name}": resolved(body, lookup)} if name in ("one_of", "set") else expected


def opened(expected: JsonValue) -> JsonValue:
    """The expected value with every `$from` replaced by `Open`: what it costs at least, whatever the source says."""
    if isinstance(expected, list):
        return [opened(item) for item in expected]
    if not isinstance(expected, dict):
        return expected
    found = comparator_of(expected)
    if found is None:
        return {key: opened(item) for key, item in expected.items()}
    name, body = found
    if name == "from":
        return Open()
    return {f"${name}": opened(body)} if name in ("one_of", "set") else expected


def matches(expected: JsonValue, found: JsonValue) -> bool:
    """Whether an observed value is the expected one."""
    return not differences(expected, found)


def differences(expected: JsonValue, found: JsonValue, path: Path = ()) -> list[Difference]:
    """Every place where the two part, at most `MAX_DIFFERENCES`."""
    out: list[Difference] = []
    _compare(expected, found, path, out)
    return out


def _compare(expected: JsonValue, found: JsonValue, path: Path, out: list[Difference]) -> None:
    if len(out) >= MAX_DIFFERENCES:
        return
    if isinstance(expected, dict):
        comparator = _comparator(expected)
        if comparator is not None:
            body = expected["$" + comparator]
            if not _COMPARE[comparator](body, found) and not (
                comparator == "set" and _pair_items(body, found, path, out)
            ):
                out.append(Difference(path=path, kind="wrong", expected=expected, found=found))
        elif isinstance(found, dict) and len(path) < _MAX_DEPTH:
            _compare_objects(expected, found, path, out)
        else:
            out.append(Difference(path=path, kind="wrong", expected=expected, found=found))
    elif isinstance(expected, list) and isinstance(found, list) and len(path) < _MAX_DEPTH:
        _compare_lists(expected, found, path, out)
    elif isinstance(expected, Unresolved):
        out.append(Difference(path=path, kind="unresolved", expected=str(expected.step), found=found))
    elif not isinstance(expected, Open) and not json_equal(expected, found):
        out.append(Difference(path=path, kind="wrong", expected=expected, found=found))


def _pair_items(body: JsonValue, found: JsonValue, path: Path, out: list[Difference]) -> bool:
    """Name what is wrong inside a set: each expected item against the observed one that it resembles most.

    False where there are no two lists of a size that people write; then the set as a whole is one wrong value.
    """
    if not isinstance(body, list) or not isinstance(found, list) or not found or len(path) >= _MAX_DEPTH:
        return False
    if len(body) > MAX_PAIRED_ITEMS or len(found) > MAX_PAIRED_ITEMS:
        return False
    costs = [[_cost(wanted, item) for item in found] for wanted in body]
    while len(costs[0]) < len(costs):
        # A column for "not there", dearer than any resemblance, so that rows never outnumber columns.
        costs = [[*row, leaf_count(wanted) + 1] for row, wanted in zip(costs, body, strict=True)]
    chosen = cheapest(costs)[1]
    for wanted, column in zip(body, chosen, strict=True):
        if column < len(found):
            _compare(wanted, found[column], (*path, column), out)
        else:
            out.append(Difference(path=(*path, column), kind="missing", expected=wanted))
    for index in sorted(set(range(len(found))) - set(chosen)):
        out.append(Difference(path=(*path, index), kind="extra", found=found[index]))
    return True


def _cost(wanted: JsonValue, item: JsonValue) -> int:
    """How many fields would have to change; two values of nothing in common cost most."""
    parting = differences(wanted, item)
    return sum(max(leaf_count(each.expected) if each.kind != "extra" else 1, 1) for each in parting)


def _compare_objects(expected: JsonObject, found: JsonObject, path: Path, out: list[Difference]) -> None:
    for key, value in expected.items():
        if key in found:
            _compare(value, found[key], (*path, key), out)
        else:
            out.append(Difference(path=(*path, key), kind="missing", expected=value))
    for key, value in found.items():
        if key not in expected:
            if len(out) >= MAX_DIFFERENCES:
                return
            out.append(Difference(path=(*path, key), kind="extra", found=value))


def _compare_lists(expected: list[JsonValue], found: list[JsonValue], path: Path, out: list[Difference]) -> None:
    for index, value in enumerate(expected):
        if index < len(found):
            _compare(value, found[index], (*path, index), out)
        else:
            out.append(Difference(path=(*path, index), kind="missing", expected=value))
    for index in range(len(expected), min(len(found), len(expected) + MAX_DIFFERENCES)):
        out.append(Difference(path=(*path, index), kind="extra", found=found[index]))


def _comparator(expected: JsonObject) -> str | None:
    """The comparator that an expected object is. It stands alone in its object: loading a case has checked that."""
    if len(expected) != 1:
        return None
    (key,) = expected
    return key[1:] if key.startswith("$") and key[1:] in _COMPARE else None


def _casefold(body: JsonValue, found: JsonValue) -> bool:
    return isinstance(body, str) and isinstance(found, str) and _folded(body) == _folded(found)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def _one_of(body: JsonValue, found: JsonValue) -> bool:
    return isinstance(body, list) and any(matches(item, found) for item in body)


def _regex(body: JsonValue, found: JsonValue) -> bool:
    if not isinstance(body, dict) or not isinstance(found, str) or len(found) > _MAX_REGEX_TEXT:
        return False
    return re.fullmatch(str(body["pattern"]), found) is not None


def _set(body: JsonValue, found: JsonValue) -> bool:
    """One-to-one, whatever the order: augmenting paths, since two comparators may fit the same item."""
    if not isinstance(body, list) or not isinstance(found, list) or len(body) != len(found):
        return False
    if all(map(matches, body, found)):
        return True
    owner: dict[int, int] = {}

    def place(wanted: int, tried: set[int]) -> bool:
        for index, item in enumerate(found):
            if index in tried or not matches(body[wanted], item):
                continue
            tried.add(index)
            if index not in owner or place(owner[index], tried):
                owner[index] = wanted
                return True
        return False

    return all(place(wanted, set()) for wanted in range(len(body)))


def _tolerance(body: JsonValue, found: JsonValue) -> bool:
    if not isinstance(body, dict) or isinstance(found, bool) or not isinstance(found, int | float):
        return False
    try:
        value = float(str(body["value"]))
        limit = max(float(str(body.get("absolute", 0))), float(str(body.get("relative", 0))) * abs(value))
        distance = abs(float(found) - value)
    except OverflowError:
        return False
    # 10.3 lies within 0.3 of 10.0, though doubles say 0.3000000000000007.
    return distance <= limit or math.isclose(distance, limit, rel_tol=1e-9)


def _path(body: JsonValue, found: JsonValue) -> bool:
    return isinstance(body, str) and isinstance(found, str) and _normal_path(body) == _normal_path(found)


def _normal_path(text: str) -> str:
    normal = posixpath.normpath(unicodedata.normalize("NFC", text))
    # POSIX keeps exactly two leading slashes apart; no tool here does.
    return "/" + normal.lstrip("/") if normal.startswith("/") else normal


def _dna(body: JsonValue, found: JsonValue) -> bool:
    return isinstance(body, str) and isinstance(found, str) and _sequence(body) == _sequence(found)


def _sequence(text: str) -> str:
    return "".join(text.split()).upper().replace("U", "T")


def _date(body: JsonValue, found: JsonValue) -> bool:
    if not isinstance(body, str) or not isinstance(found, str):
        return False
    try:
        return date.fromisoformat(body) == date.fromisoformat(found)
    except ValueError:
        return False


_COMPARE: dict[str, Callable[[JsonValue, JsonValue], bool]] = {
    "exact": json_equal,
    "casefold": _casefold,
    "one_of": _one_of,
    "regex": _regex,
    "any": lambda body, found: True,
    "set": _set,
    "tolerance": _tolerance,
    "path": _path,
    "dna": _dna,
    "date": _date,
    # A reference that nobody resolved matches nothing; `resolved` replaces all of them before a comparison.
    "from": lambda body, found: False,
}


def leaf_count(value: JsonValue, depth: int = 0) -> int:
    """Number of fields in a value: scalars, comparators but `$set`, and empty lists and objects count one each."""
    if isinstance(value, dict) and len(value) == 1 and isinstance(value.get("$set"), list) and depth < _MAX_DEPTH:
        return leaf_count(value["$set"], depth + 1)
    if isinstance(value, dict) and value and not any(key.startswith("$") for key in value) and depth < _MAX_DEPTH:
        return sum(leaf_count(item, depth + 1) for item in value.values())
    if isinstance(value, list) and value and depth < _MAX_DEPTH:
        return sum(leaf_count(item, depth + 1) for item in value)
    return 1

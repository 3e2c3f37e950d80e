"""Differences between expected and observed arguments, each named as a fault kind (PROTOCOL 5)."""

from __future__ import annotations

from collections.abc import Iterator

from fcbench.core.canonical import pointer
from fcbench.core.comparators import comparator_of, concrete
from fcbench.core.names import JsonValue, Pointer
from fcbench.core.verdicts import Fault, FaultKind
from fcbench.evaluator.facts import StepFacts
from fcbench.evaluator.misreadings import date_slip, mended, number_slip, surname_slip
from fcbench.evaluator.scene import Scene
from fcbench.evaluator.schemaplaces import subschema_at
from fcbench.evaluator.values import Difference, Unresolved
from fcbench.evaluator.wording import bounded, quoted

MAX_FAULTS = 50
"""Differences that are named for one call."""


def value_faults(scene: Scene, item: StepFacts, covered: frozenset[Pointer]) -> Iterator[Fault]:
    """Every difference of a matched step, but for those that a schema violation at the same place names already.

    Args:
        scene: what is judged.
        item: the step and its call.
        covered: places that schema faults of this call name.
    """
    if item.call is None or item.call.call.arguments is None:
        return
    named = 0
    for difference in item.differences:
        place = pointer(*difference.path)
        if place in covered:
            continue
        kind = _kind(scene, item, difference)
        expected = plain(difference.expected)
        yield Fault(
            kind=kind,
            sentence=_sentence(kind, place, expected, difference.found),
            tool=item.call.name[:80],
            step=item.step.step,
            round=item.call.round,
            call=item.call.index,
            pointer=Pointer(place[:400]),
            expected=bounded(expected),
            found=bounded(difference.found),
        )
        named += 1
        if named == MAX_FAULTS:
            return


def plain(value: JsonValue) -> JsonValue:
    """An expected value as a reader wants to see it: comparators by what they stand for."""
    if isinstance(value, Unresolved):
        return None
    if isinstance(value, dict):
        found = comparator_of(value)
        if found is not None and found[0] in ("regex", "tolerance"):
            return value
        if found is not None and found[0] == "set":
            return plain(found[1])
        if found is not None and found[0] == "one_of":
            return {"$one_of": plain(found[1])}
        if found is not None:
            return concrete(value) if found[0] != "from" else None
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


def _kind(scene: Scene, item: StepFacts, difference: Difference) -> FaultKind:
    if difference.kind == "unresolved":
        return "unresolved_reference"
    if difference.kind == "extra":
        return "invented_optional"
    expected = plain(difference.expected)
    if difference.kind == "missing":
        return _missing(item, difference, expected)
    number = number_slip(expected, difference.found, scene.text, scene.case.task.language)
    slip = number or date_slip(expected, difference.found) or surname_slip(expected, difference.found)
    if slip:
        return slip
    contract = item.call.contract if item.call is not None else None
    schema = subschema_at(contract.parameters, difference.path) if contract is not None else None
    pattern = schema.get("pattern") if isinstance(schema, dict) else None
    return "value_repaired" if mended(difference.found, pattern, scene.text) else "wrong_value"


def _missing(item: StepFacts, difference: Difference, expected: JsonValue) -> FaultKind:
    """A list that is too short holds a wrong value; a name's prefix that has no field of its own went elsewhere."""
    if not isinstance(difference.path[-1], str):
        return "wrong_value"
    beside = [
        other for other in item.differences if other.path[:-1] == difference.path[:-1] and other is not difference
    ]
    moved = any(
        isinstance(expected, str)
        and isinstance(other.found, str)
        and surname_slip(plain(other.expected), other.found)
        and expected.casefold() in other.found.casefold()
        for other in beside
    )
    return "surname_prefix" if moved else "missing_argument"


_SLIPS: dict[str, str] = {
    "decimal_mark": "The decimal mark was misread at",
    "thousands_mark": "The thousands mark was misread at",
    "date_order": "Day and month are exchanged at",
    "surname_prefix": "The prefix of the surname is lost or misplaced at",
    "value_repaired": "A value that breaks its pattern was silently mended at",
}


def _sentence(kind: FaultKind, place: Pointer, expected: JsonValue, found: JsonValue) -> str:
    where = place[:200] or "the root"
    if kind == "unresolved_reference":
        return f"The value at {where} should come from an earlier step, and no successful earlier call gives it."
    if kind == "invented_optional":
        return f"Nothing in the instruction supports {quoted(found)} at {where}."
    if kind == "missing_argument":
        return f"The argument {where} is missing; expected {quoted(expected)}."
    if kind in _SLIPS:
        return f"{_SLIPS[kind]} {where}: expected {quoted(expected)}, found {quoted(found)}."
    return f"Wrong value at {where}: expected {quoted(expected)}, found {quoted(found)}."

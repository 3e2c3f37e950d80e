"""Differences between expected and observed arguments, each named as a fault kind (PROTOCOL 5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fcbench.core.names import JsonValue, Pointer
from fcbench.core.verdicts import Fault, FaultKind
from fcbench.evaluator.facts import StepFacts
from fcbench.evaluator.misreadings import date_slip, is_name, is_prefix, mended, number_slip, surname_slip
from fcbench.evaluator.nodes import Difference, Path
from fcbench.evaluator.scene import Scene
from fcbench.evaluator.schemaplaces import is_of_another_branch, subschema_at
from fcbench.evaluator.wording import bounded, place_of, quoted

MAX_FAULTS: Final = 50
"""Differences that are named for one call."""


def value_faults(scene: Scene, item: StepFacts, schema: Sequence[Fault], out: list[Fault]) -> None:
    """Add every difference of a matched step, but for those that a schema violation at the same place names already.

    Args:
        scene: what is judged.
        item: the step and its call.
        schema: the schema faults of this call.
        out: the faults of the attempt.
    """
    call = item.call
    if call is None or call.arguments is None:
        return
    covered = {fault.pointer for fault in schema} if schema else ()
    named = 0
    for difference in item.differences:
        place = place_of(difference.path)
        if place in covered:
            continue
        node, found = difference.node, difference.found
        kind = _kind(scene, item, difference)
        expected, said = (None, "") if node is None or difference.kind == "extra" else node.shown
        out.append(
            Fault(
                kind=kind,
                sentence=_sentence(kind, place[:200] or "the root", said, found),
                tool=call.name[:80],
                step=item.step.step,
                round=call.round,
                call=call.index,
                pointer=place if len(place) <= 400 else Pointer(place[:400]),
                expected=expected,
                found=bounded(found),
            )
        )
        named += 1
        if named == MAX_FAULTS:
            return


def _kind(scene: Scene, item: StepFacts, difference: Difference) -> FaultKind:
    if difference.kind == "unresolved":
        return "unresolved_reference"
    if difference.node is None or difference.kind == "extra":
        return _extra(item, difference)
    expected, found = difference.node.shown[0], difference.found
    if difference.kind == "missing":
        return _missing(item, difference, expected)
    if isinstance(found, str):
        return _text_slip(scene, item, difference, expected, found)
    if isinstance(found, int | float):
        return number_slip(expected, found, scene.plan.text, scene.plan.case.task.language) or "wrong_value"
    return "wrong_value"


def _text_slip(scene: Scene, item: StepFacts, difference: Difference, expected: JsonValue, found: str) -> FaultKind:
    slip = date_slip(expected, found)
    if slip is None and is_name(difference.path):
        slip = surname_slip(expected, found)
    if slip is not None:
        return slip
    contract = item.call.contract if item.call is not None else None
    if contract is None or not scene.rules.has_patterns(contract):
        return "wrong_value"
    schema = subschema_at(contract.parameters, difference.path)
    pattern = schema.get("pattern") if isinstance(schema, dict) else None
    return "value_repaired" if pattern is not None and mended(found, pattern, scene.plan.text) else "wrong_value"


def _missing(item: StepFacts, difference: Difference, expected: JsonValue) -> FaultKind:
    """A list that is too short holds a wrong value; a name's prefix is lost, or went into another field."""
    if not isinstance(difference.path[-1], str):
        return "wrong_value"
    lost = is_name(difference.path) and is_prefix(expected)
    return "surname_prefix" if lost else "missing_argument"


def _extra(item: StepFacts, difference: Difference) -> FaultKind:
    """A key or item that is not expected: part of another union branch, a prefix taken out of its name, or invented."""
    contract = item.call.contract if item.call is not None else None
    path = difference.path
    if is_name(path) and is_prefix(difference.found) and any(_loses_prefix(other, path) for other in item.differences):
        return "surname_prefix"
    if contract is None or item.call is None or len(path) == 1 or not isinstance(path[-1], str):
        return "invented_optional"
    confused = is_of_another_branch(contract.parameters, item.call.arguments, path)
    return "branch_confusion" if confused else "invented_optional"


def _loses_prefix(other: Difference, path: Path) -> bool:
    """Whether the name in a field beside lacks a prefix that it should have."""
    if other.node is None or other.path[:-1] != path[:-1] or not is_name(other.path):
        return False
    return surname_slip(other.node.shown[0], other.found) is not None


_SLIPS: Final[dict[str, str]] = {
    "decimal_mark": "The decimal mark was misread at",
    "thousands_mark": "The thousands mark was misread at",
    "date_order": "Day and month are exchanged at",
    "value_repaired": "A value that breaks its pattern was silently mended at",
    "wrong_value": "Wrong value at",
}


def _sentence(kind: FaultKind, where: str, expected: str, found: JsonValue) -> str:
    if kind in _SLIPS:
        return f"{_SLIPS[kind]} {where}: expected {expected}, found {quoted(found)}."
    if kind == "missing_argument":
        return f"The argument {where} is missing; expected {expected}."
    if kind == "surname_prefix":
        wanted = expected or "nothing"
        return f"The prefix of the surname is lost or misplaced at {where}: expected {wanted}, found {quoted(found)}."
    if kind == "branch_confusion":
        return f"The key {where} belongs to another branch of this union."
    if kind == "invented_optional":
        return f"Nothing in the instruction supports {quoted(found)} at {where}."
    return f"The value at {where} should come from an earlier step, and no successful earlier call gives it."

"""Schema violations of a call, each named as a fault kind (PROTOCOL 5).

A union that fails is judged branch by branch: the branch whose discriminator fits, else the one with the fewest
violations, says what is wrong, and a key that another branch knows is a confusion of branches.
"""

from __future__ import annotations

from collections.abc import Iterator

from fcbench.core.canonical import pointer, pointer_parts, resolve_pointer
from fcbench.core.contracts import ToolContract
from fcbench.core.names import JsonObject, JsonValue, Pointer
from fcbench.core.records import Record
from fcbench.core.schema import UNION_KEYWORDS, Violation, branches, compile_subschema, follow
from fcbench.core.verdicts import Fault, FaultKind
from fcbench.errors import BadInputError
from fcbench.evaluator.misreadings import is_word_of
from fcbench.evaluator.observed import Observed
from fcbench.evaluator.schemas import parameters_schema
from fcbench.evaluator.wording import bounded, quoted

KIND_OF_KEYWORD: dict[str, FaultKind] = {
    "required": "missing_required_key",
    "dependentRequired": "missing_required_key",
    "additionalProperties": "unknown_key",
    "unevaluatedProperties": "unknown_key",
    "type": "wrong_type",
    "enum": "enum_out_of_vocabulary",
    "const": "enum_out_of_vocabulary",
    "pattern": "pattern_violation",
    "format": "pattern_violation",
    "minimum": "range_violation",
    "maximum": "range_violation",
    "exclusiveMinimum": "range_violation",
    "exclusiveMaximum": "range_violation",
    "multipleOf": "range_violation",
    "minLength": "length_violation",
    "maxLength": "length_violation",
    "minItems": "length_violation",
    "maxItems": "length_violation",
    "minProperties": "length_violation",
    "maxProperties": "length_violation",
    "uniqueItems": "unique_items_violation",
}
MAX_FAULTS = 50
"""Faults that are named for the schema of one call."""
_MAX_UNIONS = 6


class Found(Record, frozen=True, kw_only=True):
    """A violation at its place in the whole arguments, with what the other branches of its union know."""

    violation: Violation
    place: Pointer
    other_keys: frozenset[str] = frozenset()
    words: tuple[JsonValue, ...] = ()
    """The values that an enum or a constant allows."""


def schema_faults(observed: Observed, text: str) -> tuple[Fault, ...]:
    """Every way in which a call breaks the schema of its tool; empty for a valid call or an unknown tool.

    Args:
        observed: the call.
        text: the instruction, to tell a word that was not translated from one that was invented.
    """
    if observed.valid:
        return ()
    if observed.call.arguments is None:
        reason = observed.call.parse_error or "the arguments are not one JSON object"
        sentence = f"The arguments of the call to {observed.name[:80]} cannot be read: {reason[:200]}."
        return (_fault(observed, "malformed_json", sentence, found=observed.call.raw_arguments),)
    if observed.contract is None:
        return ()
    faults: list[Fault] = []
    for found in explained(observed.contract, observed.call.arguments):
        faults.append(named(observed, observed.contract, found, text))
        if len(faults) == MAX_FAULTS:
            break
    return tuple(faults)


def _fault(
    observed: Observed, kind: FaultKind, sentence: str, *, found: JsonValue = None, place: Pointer | None = None
) -> Fault:
    return Fault(
        kind=kind,
        sentence=sentence,
        tool=observed.name[:80],
        round=observed.round,
        call=observed.index,
        pointer=place,
        found=bounded(found),
    )


def explained(contract: ToolContract, arguments: JsonObject) -> Iterator[Found]:
    """Every violation of a contract's schema, a failed union told by the branch that was meant."""
    root = contract.parameters
    for violation in parameters_schema(contract).violations(arguments):
        yield from _opened(root, root, arguments, violation, Pointer(""), _MAX_UNIONS)


def _opened(
    root: JsonObject, schema: JsonValue, value: JsonValue, violation: Violation, place: Pointer, unions: int
) -> Iterator[Found]:
    """The violation itself, or, for a union, those of the branch that was meant."""
    here = Pointer(place + violation.pointer)
    owner = _owner(root, schema, violation)
    if violation.keyword not in UNION_KEYWORDS or not unions or not isinstance(owner, dict):
        yield Found(violation=violation, place=here, words=_words(owner, violation.keyword))
        return
    instance = resolve_pointer(value, violation.pointer)
    options = branches(root, {violation.keyword: owner.get(violation.keyword)})
    try:
        judged = [(branch, compile_subschema(root, branch).violations(instance)) for branch in options]
    except BadInputError:
        # A branch that refers outside `$defs` cannot be judged alone; the union's own violation stands.
        judged = []
    if not judged:
        yield Found(violation=violation, place=here)
        return
    branch, meant = min(judged, key=lambda pair: (sum(map(_is_discriminator, pair[1])), len(pair[1])))
    if not meant:
        yield Found(violation=violation, place=here)
    others = frozenset(key for other in options if other is not branch for key in _properties(other))
    for inner in meant:
        for found in _opened(root, branch, instance, inner, here, unions - 1):
            at_item = inner.pointer == "" and found.violation is inner
            yield Found(
                violation=found.violation,
                place=found.place,
                words=found.words,
                other_keys=others if at_item else found.other_keys,
            )


def _owner(root: JsonObject, schema: JsonValue, violation: Violation) -> JsonValue:
    """The subschema that a violation's keyword stands in. A branch alone does not hold the `$defs` of its root."""
    path = pointer_parts(violation.schema_pointer)[:-1]
    base = root if path[:1] == ("$defs",) else schema
    try:
        return follow(base, path)
    except (KeyError, ValueError, IndexError):
        return None


def _words(owner: JsonValue, keyword: str) -> tuple[JsonValue, ...]:
    if not isinstance(owner, dict) or keyword not in ("enum", "const"):
        return ()
    words = owner.get(keyword)
    return tuple(words) if isinstance(words, list) else (words,)


def _is_discriminator(violation: Violation) -> bool:
    return violation.keyword in ("const", "enum") and len(pointer_parts(violation.pointer)) == 1


def _properties(schema: JsonObject) -> JsonObject:
    found = schema.get("properties")
    return found if isinstance(found, dict) else {}


def named(observed: Observed, contract: ToolContract, found: Found, text: str) -> Fault:
    """The fault kind of one violation of a call; `text` is the instruction."""
    violation, arguments = found.violation, observed.call.arguments
    kind = KIND_OF_KEYWORD.get(violation.keyword, "other_schema_violation")
    place = found.place if violation.key is None else Pointer(found.place + pointer(violation.key))
    value = _value_at(arguments, place)
    if kind == "unknown_key" and violation.key is not None:
        if violation.key in found.other_keys:
            kind = "branch_confusion"
        elif found.place and violation.key in contract.properties:
            kind = "global_field_repeated"
    if kind == "enum_out_of_vocabulary" and is_word_of(value, text) and not _is_recased(value, found.words):
        kind = "enum_word_not_translated"
    depth = _depth(arguments, found.place) if kind == "missing_required_key" else None
    return Fault(
        kind=kind,
        sentence=_sentence(kind, violation, place, value, depth),
        tool=observed.name[:80],
        round=observed.round,
        call=observed.index,
        pointer=Pointer(place[:400]),
        expected=bounded(list(found.words)) if found.words else None,
        found=bounded(value),
        depth=depth,
    )


def _value_at(arguments: JsonValue, place: Pointer) -> JsonValue:
    try:
        return resolve_pointer(arguments, place)
    except KeyError:
        return None


def _is_recased(value: JsonValue, words: tuple[JsonValue, ...]) -> bool:
    return isinstance(value, str) and value.casefold() in {str(word).casefold() for word in words}


def _depth(arguments: JsonValue, place: Pointer) -> int:
    """Levels of objects from the root (1) to the one at a place; arrays are transparent."""
    depth, here = 0, arguments
    for part in (*pointer_parts(place), None):
        depth += isinstance(here, dict)
        if part is not None:
            here = _value_at(here, pointer(part))
    return depth


def _sentence(kind: FaultKind, violation: Violation, place: Pointer, value: JsonValue, depth: int | None) -> str:
    where = place[:200] or "the root"
    if kind == "missing_required_key":
        return f"The required key {where} is missing, at level {depth} of the arguments."
    if kind == "branch_confusion":
        return f"The key {where} belongs to another branch of this union."
    if kind == "global_field_repeated":
        return f"The key {where} repeats a field of the root inside a part that does not have it."
    if kind == "enum_word_not_translated":
        return f"At {where} stands {quoted(value)}, a word of the instruction, where the schema has a word of its own."
    return f"At {where}: {violation.message.rstrip('.')}."

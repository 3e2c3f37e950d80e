"""Violations explained: a union that fails is judged branch by branch (PROTOCOL 5).

The branch whose own type and discriminator fit, else the one with the fewest violations, says what is wrong, and the
keys that only other branches know are kept beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from fcbench.core.canonical import pointer, pointer_parts, resolve_pointer
from fcbench.core.contracts import ToolContract
from fcbench.core.names import JsonObject, JsonValue, Pointer
from fcbench.core.parameter_schemas import parameters_schema
from fcbench.core.records import Record
from fcbench.core.schema import UNION_KEYWORDS, Breach, Violation, branches, compile_subschema, follow
from fcbench.errors import BadInputError
from fcbench.evaluator.schemaplaces import properties_of

_MAX_UNIONS: Final = 6


class Found(Record, frozen=True, kw_only=True):
    """A violation at its place in the whole arguments, with what the other branches of its union know."""

    violation: Violation
    place: Pointer
    other_keys: frozenset[str] = frozenset()
    limit: JsonValue = None
    """What the schema says under the keyword: a type, the words of an enum, a pattern, a bound."""


def of_union(contract: ToolContract, arguments: JsonObject, breach: Breach) -> list[Found]:
    """What is wrong in a part of the arguments that fits no branch of a union, or more than one."""
    root = contract.parameters
    violation = Violation(
        pointer=pointer(*breach.path), keyword=breach.keyword, schema_pointer=pointer(*breach.schema_path), message=""
    )
    try:
        return list(_opened(root, root, arguments, violation, Pointer(""), _MAX_UNIONS))
    except (KeyError, BadInputError):
        # Branches that are found by `$anchor` or `$id` cannot be opened; the union's own violation stands.
        return [Found(violation=violation, place=violation.pointer)]


def explained(contract: ToolContract, arguments: JsonObject) -> Iterator[Found]:
    """Every violation of a contract's schema, worded, a failed union told by the branch that was meant."""
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
        yield Found(violation=violation, place=here, limit=_limit(owner, violation.keyword))
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
    telling = _discriminators(options)
    branch, meant = min(judged, key=lambda pair: _distance(pair[1], telling))
    if not meant:
        yield Found(violation=violation, place=here)
    others = frozenset(key for other in options if other is not branch for key in properties_of(other))
    for inner in meant:
        for found in _opened(root, branch, instance, inner, here, unions - 1):
            at_item = inner.pointer == "" and found.violation is inner
            yield Found(
                violation=found.violation,
                place=found.place,
                limit=found.limit,
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


_OF_KEYS: Final = ("required", "dependentRequired", "additionalProperties", "unevaluatedProperties")


def _limit(owner: JsonValue, keyword: str) -> JsonValue:
    return owner.get(keyword) if isinstance(owner, dict) and keyword not in _OF_KEYS else None


def _distance(violations: Sequence[Violation], telling: frozenset[str]) -> tuple[int, int, int]:
    """How far a value is from a branch: by its own type, then by the keys that tell branches apart, then by count."""
    own_type = sum(one.keyword == "type" and one.pointer == "" for one in violations)
    keys = [pointer_parts(one.pointer) for one in violations if one.keyword in ("const", "enum")]
    return own_type, sum(len(key) == 1 and key[0] in telling for key in keys), len(violations)


def _discriminators(options: Sequence[JsonObject]) -> frozenset[str]:
    """Keys whose constant or words differ from branch to branch, none in common between some two."""
    words: dict[str, list[frozenset[str]]] = {}
    for option in options:
        for key, schema in properties_of(option).items():
            if isinstance(schema, dict) and ("const" in schema or "enum" in schema):
                listed = schema["enum"] if isinstance(schema.get("enum"), list) else [schema.get("const")]
                words.setdefault(key, []).append(frozenset(map(repr, listed)))
    return frozenset(
        key
        for key, sets in words.items()
        if any(not (one & other) for one in sets for other in sets if one is not other)
    )

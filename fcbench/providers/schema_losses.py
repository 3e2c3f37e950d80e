"""What a provider does to a tool's schema, keyword by keyword, from the subset that it documents.

A schema goes out untouched. Whether the provider refuses, drops or does not enforce a part of it decides what a row may
claim; `schema_rules.toml` says what each provider documents, and a run records what that means for its own tools.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Literal

from msgspec import field

from fcbench.core.canonical import pointer, resolve_pointer
from fcbench.core.names import JsonObject, JsonValue
from fcbench.core.records import Record, from_plain
from fcbench.errors import FcbenchError
from fcbench.providers.base import SchemaLoss

Effect = Literal["refused", "dropped", "not_enforced", "undocumented"]
ANNOTATIONS = frozenset(
    [
        "$schema",
        "$id",
        "$comment",
        "$anchor",
        "title",
        "description",
        "examples",
        "deprecated",
        "readOnly",
        "writeOnly",
        "default",
        "contentMediaType",
        "contentEncoding",
    ]
)
"""Keywords that allow and forbid nothing."""
_MAPS = ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_SINGLE = frozenset(
    [
        "items",
        "additionalProperties",
        "not",
        "if",
        "then",
        "else",
        "contains",
        "propertyNames",
        "unevaluatedProperties",
        "unevaluatedItems",
    ]
)


class SchemaRules(Record, frozen=True, kw_only=True):
    """The subset of JSON Schema that one provider documents for one way of decoding."""

    name: str
    source: str
    effect: Effect
    known: tuple[str, ...]
    effects: dict[str, Effect] = field(default_factory=dict)
    formats: tuple[str, ...] | None = None
    all_required: bool = False
    """Whether every property must be required."""
    closed: bool = False
    """Whether every object must say `additionalProperties: false`."""
    object_root: bool = False
    """Whether the root must be an object and no union."""
    recursion: bool = True
    min_items_at_most: int | None = None
    max_depth: int | None = None
    """Most objects inside each other."""
    max_properties: int | None = None
    max_enum_values: int | None = None


@cache
def schema_rules() -> dict[str, SchemaRules]:
    """All rules by name."""
    text = resources.files("fcbench.providers").joinpath("schema_rules.toml").read_text(encoding="utf-8")
    found = [from_plain(entry, SchemaRules, where="schema_rules.toml") for entry in tomllib.loads(text)["rules"]]
    return {rules.name: rules for rules in found}


def losses_of(rules_name: str | None, tools: Mapping[str, JsonObject]) -> tuple[SchemaLoss, ...]:
    """What is lost of some tools' schemas.

    Args:
        rules_name: of the rules that hold; None, or a name that this release does not know, loses nothing.
        tools: schema of the parameters by tool.

    Returns:
        One entry for each tool, keyword and effect, in the order of tools and keywords.
    """
    rules = schema_rules().get(rules_name or "")
    if rules is None:
        return ()
    return tuple(loss for name, schema in sorted(tools.items()) for loss in _losses(rules, name, schema))


def _losses(rules: SchemaRules, tool: str, schema: JsonObject) -> Iterator[SchemaLoss]:
    found: defaultdict[tuple[str, Effect], list[str]] = defaultdict(list)
    for place, keyword, effect in [*_of_root(rules, schema), *_of_places(rules, schema)]:
        found[keyword, effect].append(place)
    for (keyword, effect), places in sorted(found.items()):
        yield SchemaLoss(tool=tool, keyword=keyword, effect=effect, pointers=tuple(places))


_Found = tuple[str, str, Effect]


def _of_root(rules: SchemaRules, schema: JsonObject) -> Iterator[_Found]:
    if rules.object_root and (schema.get("type") != "object" or "anyOf" in schema or "oneOf" in schema):
        yield "", "type", "refused"
    everything = list(_subschemas(schema, rules))
    names = sum(_size(part.get("properties")) for _, part, _ in everything)
    if rules.max_properties is not None and names > rules.max_properties:
        yield "", "properties", "refused"
    words = sum(_size(part.get("enum")) for _, part, _ in everything)
    if rules.max_enum_values is not None and words > rules.max_enum_values:
        yield "", "enum", "refused"
    for place, _, depth in everything:
        if rules.max_depth is not None and depth > rules.max_depth:
            yield place, "properties", "refused"


def _size(value: JsonValue) -> int:
    return len(value) if isinstance(value, dict | list) else 0


def _of_places(rules: SchemaRules, schema: JsonObject) -> Iterator[_Found]:
    for place, part, _ in _subschemas(schema, rules):
        for keyword, value in part.items():
            effect = _effect(rules, keyword, value)
            if effect is not None:
                yield f"{place}/{pointer(keyword)[1:]}", keyword, effect
        yield from _of_object(rules, place, part)
        if not rules.recursion and isinstance(part.get("$ref"), str) and _is_recursive(schema, str(part["$ref"])):
            yield f"{place}/$ref", "$ref", "refused"


def _effect(rules: SchemaRules, keyword: str, value: JsonValue) -> Effect | None:
    if keyword in rules.effects:
        return rules.effects[keyword]
    if keyword in ANNOTATIONS:
        return None
    if keyword not in rules.known:
        return rules.effect
    if keyword == "format" and rules.formats is not None and value not in rules.formats:
        return rules.effect
    most = rules.min_items_at_most
    if keyword == "minItems" and most is not None and isinstance(value, int) and value > most:
        return rules.effect
    return None


def _of_object(rules: SchemaRules, place: str, part: JsonObject) -> Iterator[_Found]:
    properties = part.get("properties")
    if not isinstance(properties, dict):
        return
    if rules.closed and part.get("additionalProperties") is not False:
        yield f"{place}/additionalProperties", "additionalProperties", "refused"
    required = part.get("required")
    for name in properties if rules.all_required else ():
        if not isinstance(required, list) or name not in required:
            yield f"{place}/properties{pointer(name)}", "required", "refused"


def _subschemas(schema: JsonObject, rules: SchemaRules | None = None) -> Iterator[tuple[str, JsonObject, int]]:
    """Every schema inside a schema: its pointer, itself, and how many objects it lies in (itself counted).

    With rules, what stands below a keyword that is itself lost is left out: it is lost with it.
    """
    waiting: list[tuple[str, JsonValue, int]] = [("", schema, 0)]
    while waiting:
        place, part, depth = waiting.pop()
        if not isinstance(part, dict):
            continue
        depth += isinstance(part.get("properties"), dict)
        yield place, part, depth
        waiting.extend((place + step, inner, depth) for step, inner in reversed(list(_inside(part, rules))))


def _inside(part: JsonObject, rules: SchemaRules | None) -> Iterator[tuple[str, JsonValue]]:
    for keyword, value in part.items():
        if rules is not None and _effect(rules, keyword, value) is not None:
            continue
        if keyword in _MAPS and isinstance(value, dict):
            yield from ((pointer(keyword, name), inner) for name, inner in value.items())
        elif keyword in _LISTS and isinstance(value, list):
            yield from ((pointer(keyword, at), inner) for at, inner in enumerate(value))
        elif keyword in _SINGLE:
            yield pointer(keyword), value


def _is_recursive(schema: JsonObject, reference: str) -> bool:
    """Whether what a reference leads to leads back to the same reference."""
    seen, waiting = set[str](), [reference]
    while waiting:
        for following in _references(schema, waiting.pop()):
            if following == reference:
                return True
            if following not in seen:
                seen.add(following)
                waiting.append(following)
    return False


def _references(schema: JsonObject, reference: str) -> Iterable[str]:
    try:
        target = resolve_pointer(schema, reference[1:]) if reference.startswith("#") else None
    except (FcbenchError, KeyError):
        return
    for _, part, _ in _subschemas(target) if isinstance(target, dict) else ():
        if isinstance(part.get("$ref"), str):
            yield str(part["$ref"])

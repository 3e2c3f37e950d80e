"""Gates on one JSON Schema: is it inside the contract subset of PROTOCOL 8?

Inside the subset every engine agrees on what is valid, and every provider can take the schema or says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from fcbench.core.names import JsonObject, JsonValue
from fcbench.core.patterns import Pattern, PatternError
from fcbench.core.schema import resolve_reference

Path: TypeAlias = tuple[str | int, ...]
Remark: TypeAlias = tuple[Path, str, str]
"""Where in the schema, the rule, and one sentence."""

KEYWORDS = frozenset(
    (
        "$defs",
        "$ref",
        "additionalProperties",
        "allOf",
        "anyOf",
        "const",
        "contains",
        "default",
        "dependentRequired",
        "description",
        "else",
        "enum",
        "examples",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "if",
        "items",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "multipleOf",
        "not",
        "oneOf",
        "pattern",
        "prefixItems",
        "properties",
        "propertyNames",
        "required",
        "then",
        "title",
        "type",
        "uniqueItems",
    )
)
"""Keywords on which jsonschema-rs and jsonschema agree; any other one is refused by name."""
FORMATS = ("date", "uuid")
NOT_AT_ROOT = ("oneOf", "anyOf", "allOf", "not", "if", "then", "else", "$ref", "enum", "const", "dependentRequired")
"""Providers refuse a whole request whose root schema is more than a plain object."""
FULL_KEYWORDS = ("oneOf", "anyOf", "allOf", "not", "if", "dependentRequired", "$ref")
"""What makes a contract `portability: full`."""
_SAME_OBJECT = frozenset(("if", "then", "else", "allOf", "not", "contains"))
_MAPS, _LISTS = ("properties", "$defs"), ("oneOf", "anyOf", "allOf", "prefixItems")
_SINGLES = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames")


def subschemas(schema: JsonValue, path: Path = ()) -> Iterator[tuple[Path, JsonObject]]:
    """Every subschema that is an object, with its path, in the order of the document; references are not followed."""
    if not isinstance(schema, dict):
        return
    yield path, schema
    for keyword, value in schema.items():
        if keyword in _MAPS and isinstance(value, dict):
            for name, part in value.items():
                yield from subschemas(part, (*path, keyword, name))
        elif keyword in _LISTS and isinstance(value, list):
            for index, part in enumerate(value):
                yield from subschemas(part, (*path, keyword, index))
        elif keyword in _SINGLES:
            yield from subschemas(value, (*path, keyword))


def property_names(schema: JsonValue) -> Iterator[tuple[Path, str]]:
    """Every declared property name with the path of its schema."""
    for path, node in subschemas(schema):
        properties = node.get("properties")
        for name in properties if isinstance(properties, dict) else ():
            yield (*path, "properties", name), name


def is_full(schema: JsonValue) -> bool:
    """Whether a schema uses unions, conditionals or references, which some providers refuse."""
    return any(keyword in node for _, node in subschemas(schema) for keyword in FULL_KEYWORDS)


def shape_remarks(schema: JsonObject) -> Iterator[Remark]:
    """Every way in which a parameter or result schema leaves the subset."""
    for path, node in subschemas(schema):
        for keyword in node:
            if keyword not in KEYWORDS:
                yield (*path, keyword), "keyword", f"{keyword} lies outside the contract subset"
        yield from _pattern(path, node)
        yield from _simple(path, node)
        yield from _reference(schema, path, node)


def root_remarks(schema: JsonObject) -> Iterator[Remark]:
    """What is wrong at the root of the parameters."""
    if schema.get("type") != "object":
        yield (), "root-object", "the root of the parameters must be `type: object`"
    for keyword in NOT_AT_ROOT:
        if keyword in schema:
            yield (
                (keyword,),
                "root-object",
                f"{keyword} at the root: providers refuse it; declare alternatives as argument_forms, or move it below",
            )


def closed_remarks(schema: JsonObject) -> Iterator[Remark]:
    """Objects that accept keys nobody declared; parts of conditions describe the same object and are left out."""
    for path, node in subschemas(schema):
        part = any(step in _SAME_OBJECT for step in _keywords(path))
        if node.get("type") == "object" and not part and node.get("additionalProperties") in (None, True):
            yield path, "closed-object", "an object must be closed: add `additionalProperties: false`"


def description_remarks(schema: JsonObject) -> Iterator[Remark]:
    """Properties without a description, their own or that of the definition they refer to."""
    for path, node in subschemas(schema):
        properties = node.get("properties")
        if not isinstance(properties, dict) or any(step in _SAME_OBJECT for step in _keywords(path)):
            continue
        for name, part in properties.items():
            if part is not False and not _described(schema, part):
                yield (*path, "properties", name), "description", f"the property {name} has no description"


def default_remarks(schema: JsonObject) -> Iterator[Remark]:
    """Defaults on required keys: a key cannot be both left out and demanded."""
    for path, node in subschemas(schema):
        properties, required = node.get("properties"), node.get("required")
        if isinstance(properties, dict) and isinstance(required, list):
            for name in required:
                part = properties.get(name)
                if isinstance(part, dict) and "default" in part:
                    place = (*path, "properties", str(name), "default")
                    yield place, "default-on-required", f"{name} is required and has a default"


def _keywords(path: Path) -> Iterator[str | int]:
    """The steps of a path that are keywords: names of properties and definitions, and indexes, are left out."""
    named = False
    for step in path:
        if named:
            named = False
            continue
        named = step in _MAPS
        yield step


def _described(root: JsonValue, part: JsonValue) -> bool:
    for place in (part, _target(root, part)):
        text = place.get("description") if isinstance(place, dict) else None
        if isinstance(text, str) and text.strip():
            return True
    return False


def _target(root: JsonValue, part: JsonValue) -> JsonValue:
    try:
        return resolve_reference(root, part)
    except KeyError:
        return None


def _pattern(path: Path, node: JsonObject) -> Iterator[Remark]:
    source = node.get("pattern")
    if not isinstance(source, str):
        return
    place = (*path, "pattern")
    try:
        pattern = Pattern(source)
    except PatternError as error:
        yield place, "pattern-explicit", f"the pattern leaves the subset of explicit classes: {error}"
        return
    if pattern.has_dot:
        yield place, "pattern-explicit", f"the pattern {source!r} uses `.`; write the class out"
    if not (pattern.anchored_start and pattern.anchored_end):
        yield place, "pattern-anchored", f"the pattern {source!r} must begin with ^ and end with $, as a whole"


def _simple(path: Path, node: JsonObject) -> Iterator[Remark]:
    step = node.get("multipleOf")
    if isinstance(step, int | float) and (step < 1 or step != int(step)):
        yield (*path, "multipleOf"), "multiple-of", f"multipleOf {step}: validators disagree below 1 and on fractions"
    found = node.get("format")
    if found is not None and found not in FORMATS:
        yield (*path, "format"), "format", f"format {found}: only date and uuid are used; write others as a pattern"


def _reference(root: JsonValue, path: Path, node: JsonObject) -> Iterator[Remark]:
    reference = node.get("$ref")
    if reference is None:
        return
    place = (*path, "$ref")
    if not isinstance(reference, str) or not reference.startswith("#/$defs/"):
        yield place, "ref", f"$ref {reference}: only references to #/$defs/... are used"
    elif _target(root, node) is None:
        yield place, "ref", f"$ref {reference} leads nowhere"

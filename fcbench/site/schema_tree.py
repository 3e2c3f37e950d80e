"""A JSON Schema as a tree to read: one line a field, with what its value must be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fcbench.core.names import JsonObject, JsonValue
from fcbench.site.text import clip, short

MAX_DEPTH = 10
"""Levels that a page shows; a schema of a package may be of any depth."""
MAX_CHILDREN = 80
"""Fields of one level."""
MAX_NODES = 600
"""Lines of one tree."""
MAX_VALUES = 40
"""Values of a list of allowed ones."""
_LIMITS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "minLength": "{} or more letters",
    "maxLength": "letters: at most {}",
    "minItems": "{} or more items",
    "maxItems": "items: at most {}",
    "pattern": "pattern {}",
    "format": "format {}",
    "const": "always {}",
    "default": "by default {}",
    "enum": "one of {}",
    "$ref": "as {}",
}
_BRANCHES = {"oneOf": "exactly one of", "anyOf": "at least one of", "allOf": "all of"}


@dataclass(frozen=True, kw_only=True)
class SchemaNode:
    """One field, entry or branch."""

    name: str
    kind: str
    """Its JSON types in words."""
    is_required: bool
    limits: tuple[str, ...]
    description: str
    children: tuple[SchemaNode, ...]
    hidden: int = 0
    """Children that are left out."""


class _Budget:
    """Lines that a tree may still have."""

    def __init__(self) -> None:
        self.left = MAX_NODES

    def take(self, wanted: int) -> int:
        """As many as there are."""
        given = min(wanted, self.left, MAX_CHILDREN)
        self.left -= given
        return given


def schema_tree(schema: JsonValue) -> SchemaNode:
    """The tree of a schema; everything beyond the limits of a page is counted, not shown."""
    return _node("", schema, False, MAX_DEPTH, _Budget())


def _node(name: str, schema: JsonValue, is_required: bool, depth: int, budget: _Budget) -> SchemaNode:
    found = schema if isinstance(schema, dict) else {}
    parts = list(_parts(found))
    shown = budget.take(len(parts)) if depth else 0
    children = tuple(_node(*part, depth - 1, budget) for part in parts[:shown])
    described = found.get("description")
    return SchemaNode(
        name=clip(name),
        kind=kind_of(schema),
        is_required=is_required,
        limits=tuple(limits_of(found)),
        description=clip(described, 400) if isinstance(described, str) else "",
        children=children,
        hidden=len(parts) - shown,
    )


def _parts(schema: JsonObject) -> Iterator[tuple[str, JsonValue, bool]]:
    """(name, schema, required) of everything inside."""
    properties, required = schema.get("properties"), schema.get("required")
    needed = {name for name in required if isinstance(name, str)} if isinstance(required, list | tuple) else set()
    if isinstance(properties, dict):
        yield from ((name, inner, name in needed) for name, inner in properties.items())
    if isinstance(schema.get("items"), dict):
        yield "each item", schema["items"], False
    for key, words in _BRANCHES.items():
        branches = schema.get(key)
        if isinstance(branches, list | tuple):
            yield from ((f"{words}: {number}", inner, False) for number, inner in enumerate(branches, 1))
    if isinstance(schema.get("additionalProperties"), dict):
        yield "any other key", schema["additionalProperties"], False


def kind_of(schema: JsonValue) -> str:
    """The JSON types of a schema in words."""
    if isinstance(schema, bool):
        return "anything" if schema else "nothing"
    kind = schema.get("type") if isinstance(schema, dict) else None
    if isinstance(kind, str):
        return clip(kind, 40)
    if isinstance(kind, list | tuple):
        return clip(" or ".join(str(one) for one in kind[:8]), 80)
    return ""


def limits_of(schema: JsonObject) -> Iterator[str]:
    """What else a value must be, one text a keyword."""
    for key, words in _LIMITS.items():
        if key in schema:
            yield words.format(_listed(schema[key]) if key == "enum" else short(schema[key], 160))
    if schema.get("additionalProperties") is False and schema.get("properties"):
        yield "no other key"


def _listed(value: JsonValue) -> str:
    """The first of the values that are allowed."""
    if not isinstance(value, list | tuple):
        return short(value, 160)
    shown = ", ".join(short(one, 60) for one in value[:MAX_VALUES])
    return shown + (f" and {len(value) - MAX_VALUES} more" if len(value) > MAX_VALUES else "")

"""How hard a schema is to fill: depth, level and the difficulty vector (PROTOCOL 6)."""

from __future__ import annotations

from collections.abc import Iterator

from fcbench.core.names import JsonObject, JsonValue, Level
from fcbench.core.records import Record
from fcbench.core.schema import UNION_KEYWORDS, resolve_reference

_CONDITIONALS = ("if", "dependentRequired", "dependentSchemas")
_RANGES = (
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
)
# A branch or a condition describes the object that it stands in: it adds no level of its own.
_SAME_OBJECT = ("oneOf", "anyOf", "allOf", "if", "then", "else", "dependentSchemas")


class Difficulty(Record, frozen=True, kw_only=True):
    """Counts over one schema, every subschema once; `depth` in object schemas, the root included."""

    depth: int
    level: Level
    recursive: bool = False
    required_below_root: int = 0
    arrays_of_objects: int = 0
    enums: int = 0
    patterns: int = 0
    ranges: int = 0
    unique_items: int = 0
    unions: int = 0
    conditionals: int = 0
    references: int = 0


def difficulty(schema: JsonValue) -> Difficulty:
    """Measure a schema.

    Depth is the number of object schemas on the longest path; arrays are transparent; a `$ref` is resolved. Level is
    L1 to L3 for depth 1 to 3, and L4 for depth 4 or more, or where a union, a conditional or recursion occurs.
    """
    nodes = list(_subschemas(schema, schema, ()))
    depth, recursive = _depth(schema, schema, ())
    unions = sum(keyword in node for node, _ in nodes for keyword in UNION_KEYWORDS)
    conditionals = sum(keyword in node for node, _ in nodes for keyword in _CONDITIONALS)
    return Difficulty(
        depth=depth,
        level=level_of(depth, special=bool(unions or conditionals or recursive)),
        recursive=recursive,
        required_below_root=sum(len(_list(node.get("required"))) for node, at_root in nodes if not at_root),
        arrays_of_objects=sum(_is_array_of_objects(schema, node) for node, _ in nodes),
        enums=sum("enum" in node for node, _ in nodes),
        patterns=sum("pattern" in node for node, _ in nodes),
        ranges=sum(any(keyword in node for keyword in _RANGES) for node, _ in nodes),
        unique_items=sum(node.get("uniqueItems") is True for node, _ in nodes),
        unions=unions,
        conditionals=conditionals,
        references=sum("$ref" in node for node, _ in nodes),
    )


def level_of(depth: int, *, special: bool) -> Level:
    """The level of a depth (objects on the longest path); `special` where a union, condition or recursion occurs."""
    if special or depth >= 4:
        return "L4"
    levels: tuple[Level, Level, Level] = ("L1", "L2", "L3")
    return levels[max(depth, 1) - 1]


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def children(node: JsonObject) -> Iterator[JsonValue]:
    """The direct subschemas of a schema object, in the order of the document."""
    for keyword, value in node.items():
        if keyword in ("properties", "$defs", "dependentSchemas", "patternProperties") and isinstance(value, dict):
            yield from value.values()
        elif keyword in ("oneOf", "anyOf", "allOf", "prefixItems") and isinstance(value, list):
            yield from value
        elif keyword in ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"):
            yield value


def _subschemas(root: JsonValue, schema: JsonValue, path: tuple[int, ...]) -> Iterator[tuple[JsonObject, bool]]:
    if not isinstance(schema, dict):
        return
    yield schema, not path
    for child in children(schema):
        yield from _subschemas(root, child, (*path, 1))


def _depth(root: JsonValue, schema: JsonValue, trail: tuple[int, ...]) -> tuple[int, bool]:
    """Longest chain of object schemas from here down, and whether the schema contains itself."""
    place = resolve_reference(root, schema)
    if not isinstance(place, dict):
        return 0, False
    if id(place) in trail:
        return 0, True
    deepest, recursive = 0, False
    for keyword, value in place.items():
        for child in () if keyword == "$defs" else children({keyword: value}):
            below, again = _depth(root, child, (*trail, id(place)))
            if keyword in _SAME_OBJECT and _is_object(place) and _is_object(resolve_reference(root, child)):
                below -= 1
            deepest, recursive = max(deepest, below), recursive or again
    return deepest + (1 if _is_object(place) else 0), recursive


def _is_object(schema: JsonValue) -> bool:
    return isinstance(schema, dict) and (schema.get("type") == "object" or "properties" in schema)


def _is_array_of_objects(root: JsonValue, node: JsonObject) -> bool:
    items = resolve_reference(root, node.get("items"))
    if not isinstance(items, dict):
        return False
    union = [branch for keyword in UNION_KEYWORDS for branch in _list(items.get(keyword))]
    return _is_object(items) or any(_is_object(resolve_reference(root, branch)) for branch in union)

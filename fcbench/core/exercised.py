"""What one value really exercises of its schema: the second level label of PROTOCOL 6."""

from __future__ import annotations

from fcbench.core.canonical import MAX_DEPTH
from fcbench.core.difficulty import level_of
from fcbench.core.names import JsonObject, JsonValue, Level
from fcbench.core.schema import UNION_KEYWORDS, compile_subschema, resolve_reference

_CONDITIONALS = ("if", "dependentRequired", "dependentSchemas")


def exercised_level(schema: JsonValue, value: JsonValue) -> Level:
    """The level of the part of a schema that a value uses.

    Depth counts the objects on the longest path of the *value*, the root included, arrays transparent. It is L4 from
    depth 4, and wherever the value passes a union, an object with a condition, or the same schema twice (recursion).
    """
    walk = _Walk(schema)
    depth = walk.depth(schema, value, ())
    return level_of(depth, special=walk.special)


class _Walk:
    def __init__(self, root: JsonValue) -> None:
        self.root = root
        self.special = False

    def depth(self, schema: JsonValue, value: JsonValue, trail: tuple[int, ...]) -> int:
        place = resolve_reference(self.root, schema)
        if not isinstance(place, dict) or len(trail) > MAX_DEPTH:
            return _plain_depth(value)
        if id(place) in trail:
            self.special = True
        trail = (*trail, id(place))
        unions = [branch for keyword in UNION_KEYWORDS for branch in _list(place.get(keyword))]
        if unions or any(keyword in place for keyword in _CONDITIONALS):
            self.special = True
        chosen = [branch for branch in unions if compile_subschema(self.root, _schema(branch)).is_valid(value)]
        chosen += _list(place.get("allOf"))
        through = max((self.depth(branch, value, trail) for branch in chosen), default=0)
        return max(through, self._inside(place, value, trail))

    def _inside(self, place: JsonObject, value: JsonValue, trail: tuple[int, ...]) -> int:
        if isinstance(value, list):
            return max((self.depth(place.get("items", {}), item, trail) for item in value), default=0)
        if not isinstance(value, dict):
            return 0
        properties = place.get("properties")
        known: JsonObject = properties if isinstance(properties, dict) else {}
        rest = place.get("additionalProperties", {})
        return 1 + max((self.depth(known.get(key, rest), item, trail) for key, item in value.items()), default=0)


def _plain_depth(value: JsonValue) -> int:
    if isinstance(value, dict):
        return 1 + max(map(_plain_depth, value.values()), default=0)
    return max(map(_plain_depth, value), default=0) if isinstance(value, list) else 0


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def _schema(value: JsonValue) -> JsonObject:
    return value if isinstance(value, dict) else {}


def schema_at(root: JsonValue, path: tuple[str | int, ...]) -> tuple[JsonObject, ...]:
    """Every subschema that may describe the value at a path: references followed, all branches of unions kept."""
    places = _spread(root, root)
    for part in path:
        places = [inner for place in places for inner in _step(root, place, part)]
    return tuple(places)


def _step(root: JsonValue, place: JsonObject, part: str | int) -> list[JsonObject]:
    properties = place.get("properties")
    if isinstance(part, str) and isinstance(properties, dict) and part in properties:
        return _spread(root, properties[part])
    return _spread(root, place.get("additionalProperties" if isinstance(part, str) else "items"))


def _spread(root: JsonValue, schema: JsonValue, level: int = 0) -> list[JsonObject]:
    place = resolve_reference(root, schema)
    if not isinstance(place, dict) or level > MAX_DEPTH:
        return []
    parts = [branch for keyword in (*UNION_KEYWORDS, "allOf") for branch in _list(place.get(keyword))]
    parts += [place[keyword] for keyword in ("then", "else") if keyword in place]
    return [place, *(inner for part in parts for inner in _spread(root, part, level + 1))]

"""Which part of a schema speaks about a place in the arguments."""

from __future__ import annotations

from fcbench.core.names import JsonObject, JsonValue
from fcbench.core.schema import branches, compile_subschema, resolve_reference


def subschema_at(root: JsonObject, path: tuple[str | int, ...]) -> JsonValue:
    """The subschema of one place, references followed; in a union that of the first branch that knows it.

    None where the schema says nothing of the place.
    """
    place: JsonValue = root
    for part in path:
        place = _child(root, place, part)
        if place is None:
            return None
    return _resolve(root, place)


_MAX_UNIONS = 8
"""Unions inside unions that are searched for a key: a union may contain itself."""


def _child(root: JsonObject, schema: JsonValue, part: str | int, unions: int = _MAX_UNIONS) -> JsonValue:
    here = _resolve(root, schema)
    if not isinstance(here, dict):
        return None
    if isinstance(part, int):
        found: JsonValue = here.get("items")
    else:
        properties = here.get("properties")
        found = properties.get(part) if isinstance(properties, dict) else None
    if found is not None:
        return found
    for branch in branches(root, here) if unions else ():
        child = _child(root, branch, part, unions - 1)
        if child is not None:
            return child
    return None


def _resolve(root: JsonObject, schema: JsonValue) -> JsonValue:
    try:
        return resolve_reference(root, schema)
    except KeyError:
        return None


def is_of_another_branch(root: JsonObject, value: JsonValue, path: tuple[str | int, ...]) -> bool:
    """Whether a key of a polymorphic item belongs to another branch of its oneOf or anyOf than the one that fits it.

    Args:
        root: the schema of the whole value.
        value: the whole value.
        path: of the key, the item's own path before it.
    """
    *place, key = path
    options = branches(root, subschema_at(root, tuple(place)))
    if not any(key in properties_of(option) for option in options):
        return False
    item = value
    for part in place:
        item = item[part]  # type: ignore[index]
    fitting = [option for option in options if compile_subschema(root, option).is_valid(item)]
    return bool(fitting) and not any(key in properties_of(option) for option in fitting)


def properties_of(schema: JsonObject) -> JsonObject:
    """The declared properties of an object schema."""
    found = schema.get("properties")
    return found if isinstance(found, dict) else {}

"""Which part of a schema speaks about a place in the arguments."""

from __future__ import annotations

from fcbench.core.names import JsonObject, JsonValue
from fcbench.core.schema import branches, resolve_reference


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

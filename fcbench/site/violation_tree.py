"""Where arguments break their schema, as the part of the schema's tree that leads there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from fcbench.core.canonical import pointer_parts
from fcbench.core.names import JsonObject, JsonValue
from fcbench.core.schema import Violation
from fcbench.evaluator.schemaplaces import subschema_at
from fcbench.site.schema_tree import kind_of, limits_of
from fcbench.site.text import clip, short

MAX_DEPTH = 12
"""Levels that a page shows; what lies deeper is told at the last of them."""


@dataclass(kw_only=True)
class Place:
    """One place of the arguments, with what its schema asks."""

    name: str
    schema: str = ""
    """Types and limits in words; empty where the schema says nothing of the place."""
    found: str = ""
    """What stands there, where a violation is about it."""
    told: list[tuple[str, str]] = field(default_factory=list)
    """(keyword, message) of each violation here."""
    places: dict[str, Place] = field(default_factory=dict)
    is_missing: bool = False


def violation_tree(schema: JsonObject, arguments: JsonObject, violations: Sequence[Violation]) -> Place | None:
    """The places that break the schema, each below those that lead to it; None without a violation.

    Args:
        schema: of the tool's parameters.
        arguments: as received.
        violations: those to show.
    """
    if not violations:
        return None
    root = Place(name="(the arguments)", schema=_schema(schema, ()))
    for one in violations:
        path = _path(arguments, one)
        place = root
        for depth, part in enumerate(path[:MAX_DEPTH], 1):
            name = f"[{part}]" if isinstance(part, int) else clip(part, 80)
            place = place.places.setdefault(name, Place(name=name, schema=_schema(schema, path[:depth])))
        place.told.append((one.keyword, clip(one.message, 300)))
        place.is_missing = one.keyword == "required" and one.key is not None
        place.found = "" if place.is_missing or not path else short(_value(arguments, path), 160)
    return root


def _path(arguments: JsonObject, one: Violation) -> tuple[str | int, ...]:
    """The place of a violation as keys and positions; of a missing or unknown key, the key's own."""
    path: list[str | int] = []
    value: JsonValue = arguments
    for part in pointer_parts(one.pointer):
        if isinstance(value, list) and part.isdigit() and int(part) < len(value):
            path.append(int(part))
            value = value[int(part)]
        else:
            path.append(part)
            value = value.get(part) if isinstance(value, dict) else None
    return (*path, one.key) if one.key is not None else tuple(path)


def _value(arguments: JsonObject, path: tuple[str | int, ...]) -> JsonValue:
    value: JsonValue = arguments
    for part in path:
        if isinstance(value, dict):
            value = value.get(str(part))
        elif isinstance(value, list) and isinstance(part, int) and part < len(value):
            value = value[part]
        else:
            return None
    return value


def _schema(root: JsonObject, path: tuple[str | int, ...]) -> str:
    found = subschema_at(root, path)
    if not isinstance(found, dict):
        return ""
    return "; ".join(part for part in (kind_of(found), *limits_of(found)) if part)

"""Function documents of the Berkeley Function Calling Leaderboard as JSON Schema 2020-12.

The source writes `dict`, `float` and `tuple` where JSON Schema has `object`, `number` and `array`; its `any` sets no
type. Types of other languages (`String`, `HashMap`, ...) are refused: their values are source text, not JSON.
"""

from __future__ import annotations

from fcbench.core.names import JsonObject, JsonValue
from fcbench.errors import BadInputError

TYPES: dict[str, str | None] = {
    "string": "string",
    "integer": "integer",
    "boolean": "boolean",
    "float": "number",
    "number": "number",
    "dict": "object",
    "object": "object",
    "array": "array",
    "tuple": "array",
    "any": None,
}
"""Type of the source -> type of JSON Schema; None: no constraint."""
KEPT = (
    *("description", "enum", "default", "format", "pattern"),
    *("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"),
)
"""Keywords that mean the same on both sides. Others, such as `optional`, are no JSON Schema and are left out."""
MAX_DEPTH = 32
"""Deepest nesting of a function document that is read."""


def parameters_of(function: JsonObject) -> JsonObject:
    """The parameters of a function document as a closed JSON Schema object.

    Raises:
        BadInputError: the document has no parameters, or a part of them has a form or type that is not known.
    """
    root = json_schema(function.get("parameters"))
    if root.get("type") != "object":
        raise BadInputError(
            "the parameters of a function are one object", wanted="type dict", found=str(root.get("type"))
        )
    return {
        "type": "object",
        "properties": root.get("properties", {}),
        "required": root.get("required", []),
        "additionalProperties": False,
    }


def json_schema(foreign: JsonValue, depth: int = 0) -> JsonObject:
    """One schema of the source, and everything inside it, as JSON Schema 2020-12.

    Raises:
        BadInputError: it is no object, nests too deeply, or has a type that is not in `TYPES`.
    """
    if not isinstance(foreign, dict) or depth > MAX_DEPTH:
        raise BadInputError(
            "this is no schema of a function document",
            wanted=f"an object, at most {MAX_DEPTH} levels deep",
            found=type(foreign).__name__ if depth <= MAX_DEPTH else "more levels",
        )
    schema: JsonObject = {}
    kind = _type(foreign)
    if kind is not None:
        schema["type"] = kind
    for keyword in KEPT:
        if keyword in foreign and _is_usable(keyword, foreign[keyword]):
            schema[keyword] = foreign[keyword]
    if "properties" in foreign:
        schema["properties"] = {
            name: json_schema(part, depth + 1) for name, part in _object(foreign, "properties").items()
        }
    if "required" in foreign:
        schema["required"] = _names(foreign["required"])
        _drop_defaults(schema)
    if "items" in foreign:
        schema["items"] = json_schema(foreign["items"], depth + 1)
    return schema


def _type(foreign: JsonObject) -> str | None:
    written = foreign.get("type", "any")
    if not isinstance(written, str) or written not in TYPES:
        raise BadInputError(
            "this type is not one of the covered ones", wanted=", ".join(TYPES), found=str(written)[:80]
        )
    return TYPES[written]


def _object(foreign: JsonObject, name: str) -> JsonObject:
    found = foreign[name]
    if not isinstance(found, dict):
        raise BadInputError(f"`{name}` of a schema is an object", wanted="an object", found=type(found).__name__)
    return found


def _names(value: JsonValue) -> list[JsonValue]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise BadInputError("`required` is a list of names", wanted="a list of texts", found=str(value)[:80])
    return list(dict.fromkeys(value))


def _drop_defaults(schema: JsonObject) -> None:
    """Leave out the default of each required key: a key cannot be both left out and demanded."""
    properties, required = schema.get("properties"), schema["required"]
    if isinstance(properties, dict) and isinstance(required, list):
        for name in required:
            part = properties.get(name)
            if isinstance(part, dict):
                part.pop("default", None)


def _is_usable(keyword: str, value: JsonValue) -> bool:
    """Whether a keyword has a value that JSON Schema allows; the source never validates its own documents."""
    if keyword in ("description", "pattern", "format"):
        return isinstance(value, str)
    if keyword == "enum":
        return isinstance(value, list) and bool(value)
    if keyword == "default":
        return True
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return keyword in ("minimum", "maximum") or (isinstance(value, int) and value >= 0)

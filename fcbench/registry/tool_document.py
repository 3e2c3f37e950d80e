"""One function out of a document of somebody else's: a JSON Schema, an OpenAI tool, or a tool of MCP.

The schema of the arguments stays as it is, to the letter: a company's own schema is measured as the company sends it.
"""

from __future__ import annotations

import re

from fcbench.core.names import JsonObject, JsonValue
from fcbench.core.records import Record
from fcbench.core.schema import compile_schema
from fcbench.errors import BadInputError

MAX_NAME = 128
"""Longest name of a function that is taken over."""
_SHAPE = ("type", "properties", "oneOf", "anyOf", "allOf", "$ref", "if", "required", "additionalProperties")
"""Keywords of which a schema of arguments has at least one at its root."""
_INPUT = ("inputSchema", "input_schema")
_FORMS = "a JSON Schema of an object, an OpenAI tool {type: function, function}, or an MCP tool {inputSchema}"


class ToolDocument(Record, frozen=True, kw_only=True):
    """What a document says of its function."""

    kind: str
    """`JSON Schema`, `OpenAI tool` or `MCP tool`: for messages."""
    name: str | None
    """As the document has it; a title is made a name. None where it has none."""
    description: str
    schema: JsonObject
    """Schema of the arguments, untouched."""


def read_tool(value: JsonValue, where: str) -> ToolDocument:
    """Find the function in a document.

    Args:
        value: what the file holds.
        where: the file, for messages.

    Raises:
        BadInputError: it is none of the three forms, its arguments are no object, or the schema does not compile.
    """
    if not isinstance(value, dict):
        what = f"a list of {len(value)}" if isinstance(value, list) else type(value).__name__
        raise BadInputError(
            "the file holds no function",
            wanted=_FORMS,
            found=what,
            where=where,
            next_step="put one function into a file of its own" if isinstance(value, list) else None,
        )
    found = _tool(value, where) or ToolDocument(
        kind="JSON Schema",
        name=name_of(_text(value.get("title"))),
        description=_text(value.get("description")) or _text(value.get("title")),
        schema=value,
    )
    _check_root(found.schema, where)
    compile_schema(found.schema, where=where)
    return found


def _tool(value: JsonObject, where: str) -> ToolDocument | None:
    if value.get("type") == "function" and "parameters" not in value:
        inner = value.get("function")
        if not isinstance(inner, dict):
            raise BadInputError(
                "the tool has no function", wanted="{type: function, function: {name, parameters}}", where=where
            )
        return _named("OpenAI tool", inner, "parameters", where)
    for key in _INPUT:
        if key in value:
            return _named("MCP tool", value, key, where)
    if isinstance(value.get("name"), str) and not isinstance(value.get("properties"), dict):
        return _named("OpenAI tool", value, "parameters", where)
    return None


def _named(kind: str, value: JsonObject, key: str, where: str) -> ToolDocument:
    schema = value.get(key)
    if not isinstance(schema, dict):
        raise BadInputError(
            "the tool has no schema of its arguments",
            wanted=f"{key}: a JSON Schema whose root is an object",
            found=type(schema).__name__ if key in value else f"no field {key}",
            where=where,
        )
    return ToolDocument(
        kind=kind,
        name=_text(value.get("name")) or None,
        description=_text(value.get("description")) or _text(schema.get("description")),
        schema=schema,
    )


def _check_root(schema: JsonObject, where: str) -> None:
    kind = schema.get("type")
    is_object = kind is None or kind == "object" or (isinstance(kind, list) and "object" in kind)
    if is_object and any(keyword in schema for keyword in _SHAPE):
        return
    raise BadInputError(
        "the arguments of a function are an object, and this schema has another root",
        wanted=_FORMS,
        found=f"a root of type {kind}" if not is_object else "neither type nor properties at the root",
        where=where,
        next_step="put the value into a property of an object" if not is_object else None,
    )


def name_of(text: str) -> str | None:
    """A function's name made of a title or of a file's name: lower case, digits and underscores; None for nothing."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text)
    return re.sub(r"[^a-z0-9]+", "_", words.lower()).strip("_")[:64].strip("_") or None


def _text(value: JsonValue) -> str:
    return value.strip() if isinstance(value, str) else ""

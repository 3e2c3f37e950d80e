"""Several functions out of one document: a `tools/list` of MCP, the `tools` of an OpenAI request, a list of either."""

from __future__ import annotations

from fcbench.core.names import JsonObject, JsonValue
from fcbench.core.records import Record
from fcbench.errors import BadInputError
from fcbench.registry.tool_document import MAX_NAME, ToolDocument, name_of, read_tool

MAX_TOOLS = 2_000
_FORMS = "a list of tools, {tools: [...]} as MCP and OpenAI have it, a response of MCP with that result, or one tool"


class ListedTool(Record, frozen=True, kw_only=True):
    """One function of a list."""

    document: ToolDocument
    name: str
    is_read_only: bool = False
    """Whether an MCP server says (`annotations.readOnlyHint`) that it changes nothing."""


def read_tools(value: JsonValue, where: str, spare_name: str = "own_function") -> tuple[ListedTool, ...]:
    """The functions of a document, in its order.

    Args:
        value: what the file holds, or what a server said.
        where: for messages.
        spare_name: of a single JSON Schema without a title.

    Raises:
        BadInputError: it is none of the forms, holds no function or too many, or one of them does not read; two have
            one name, or one has a name that cannot be used.
    """
    entries = _entries(value, where)
    found = tuple(_listed(entry, place, spare_name) for entry, place in entries)
    first: dict[str, str] = {}
    for tool, (_, place) in zip(found, entries, strict=True):
        if first.setdefault(tool.name, place) != place:
            raise BadInputError(
                "two functions have one name", wanted="each name once", found=repr(tool.name)[:80], where=place
            )
    return found


def _entries(value: JsonValue, where: str) -> list[tuple[JsonValue, str]]:
    listed = value
    for key in ("result", "tools"):  # a response of JSON-RPC holds a result, which holds tools
        if isinstance(listed, dict) and isinstance(listed.get(key), dict | list) and not _is_tool(listed):
            listed = listed[key]
    if not isinstance(listed, list):
        return [(listed, where)]
    if not listed or len(listed) > MAX_TOOLS:
        found = f"{len(listed):,}" if listed else "none"
        raise BadInputError("the file holds no functions to import", wanted=_FORMS, found=found, where=where)
    return [(entry, f"{where}, tool {number}") for number, entry in enumerate(listed, 1)]


def _is_tool(value: JsonObject) -> bool:
    """Whether an object is a function or a schema itself, whatever its fields are called."""
    return any(key in value for key in ("inputSchema", "input_schema", "parameters", "function", "properties"))


def _listed(entry: JsonValue, where: str, spare_name: str) -> ListedTool:
    document = read_tool(entry, where)
    name = document.name or name_of(spare_name) or "own_function"
    if not name.isprintable() or len(name) > MAX_NAME:
        raise BadInputError(
            "the function's name cannot be used",
            wanted=f"1 to {MAX_NAME} printable letters",
            found=repr(name)[:80],
            where=where,
        )
    hints = entry.get("annotations") if isinstance(entry, dict) else None
    return ListedTool(
        document=document, name=name, is_read_only=isinstance(hints, dict) and hints.get("readOnlyHint") is True
    )

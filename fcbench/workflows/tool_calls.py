"""A whole tool call as models and providers write it, taken apart."""

from __future__ import annotations

from fcbench.core.names import JsonValue
from fcbench.core.records import Record
from fcbench.evaluator.wording import bounded, quoted
from fcbench.workflows.json_faults import parse_or_explain
from fcbench.workflows.validated import NamedViolation

_ARGUMENTS = ("arguments", "parameters", "input")
"""OpenAI's name first; then what other models and providers write."""


class ToolCall(Record, frozen=True, kw_only=True):
    """A call's tool and arguments."""

    name: str
    arguments: JsonValue = None
    fault: NamedViolation | None = None
    """Why the arguments are not one JSON object."""


def read_call(value: JsonValue) -> ToolCall | NamedViolation:
    """The call in a JSON value, or why there is none: `{"name", "arguments"}`, or an entry of OpenAI's `tool_calls`.

    Arguments may be an object or a JSON text; an empty text is an empty object, as it is in a run.
    """
    inner = value.get("function", value) if isinstance(value, dict) else value
    if not isinstance(inner, dict) or not isinstance(inner.get("name"), str):
        return _no_call("it has no name", value)
    key = next((key for key in _ARGUMENTS if key in inner), None)
    if key is None:
        return _no_call("it has no arguments", value)
    name, arguments = str(inner["name"]), inner[key]
    return _from_text(name, arguments) if isinstance(arguments, str) else _with(name, arguments)


def _with(name: str, arguments: JsonValue) -> ToolCall:
    if isinstance(arguments, dict):
        return ToolCall(name=name, arguments=arguments)
    said = f"The arguments are {quoted(arguments)}, not one JSON object."
    return ToolCall(name=name, fault=NamedViolation(kind="malformed_json", message=said, found=bounded(arguments)))


def _from_text(name: str, text: str) -> ToolCall:
    if not text.strip():
        return ToolCall(name=name, arguments={})
    value, fault = parse_or_explain(text.encode("utf-8"))
    if fault is not None:
        said = f"The text of the arguments is not strict JSON: {fault.reason.rstrip('.')}."
        malformed = NamedViolation(
            kind="malformed_json", message=said, found=bounded(text), line=fault.line, column=fault.column
        )
        return ToolCall(name=name, fault=malformed)
    return _with(name, value)


def _no_call(reason: str, value: JsonValue) -> NamedViolation:
    said = f'This is not a tool call ({{"name", "arguments"}}): {reason}.'
    return NamedViolation(kind="malformed_json", message=said, found=bounded(value))

"""What a refusal means, whichever SDK brings it: kinds by status, and what the provider's words complain of."""

from __future__ import annotations

import email.utils
import math
import re
from collections.abc import Mapping, Sequence

from fcbench.providers.base import FailureKind

MAX_MESSAGE = 1000
"""Most letters of a provider's own words that are kept."""
MAX_RETRY_AFTER_S = 3600.0
"""Longest wait that a provider can ask for; a hostile header may say a century."""

# 408 and 504 are a gateway's clock. `timed_out` is for ours: a harness counts that one as the model's own time.
_KIND_OF_STATUS: dict[int, FailureKind] = {
    401: "authentication",
    403: "authentication",
    404: "not_found",
    408: "unavailable",
    409: "unavailable",
    425: "unavailable",
    429: "rate_limited",
}
_TOO_LONG_CODES = ("context_length_exceeded", "exceed_context_size_error")
_TOO_LONG = re.compile(
    r"context_length|exceed\w*[^.]{0,40} context|(maximum|max) context|context (length|size|window)[^.]{0,60}exceed"
    r"|prompt is too long|input token count[^.]{0,40}exceeds|reduce the length of the (messages|prompt|input)"
)
_OF_A_MESSAGE = re.compile(r"\bmessages?\W{1,4}\d")
"""`messages[3]`, `messages.3`, `'messages', 3`: the complaint is about the conversation."""
_SCHEMA_CODES = ("invalid_function_parameters",)
_NAMES_A_TOOL = re.compile(r"\btools?\b|\bfunctions?\b|\bparameters\b|function_declarations|input_schema")
_NAMES_A_SCHEMA = re.compile(r"schema|function_declarations")
_PLACE = re.compile(r"\btools\W{1,4}(\d{1,4})")


def complains_of_length(said: str, code: object = None, kind: object = None) -> bool:
    """Whether a refusal is about a conversation longer than the context, by the provider's words, `code` and `type`."""
    return code in _TOO_LONG_CODES or kind in _TOO_LONG_CODES or bool(_TOO_LONG.search(said.lower()))


def complains_of_schema(said: str, param: object, code: object) -> bool:
    """Whether a 400 is about the schema of a tool, by the provider's words, its `param` and its `code`.

    A complaint about a message is not: there the model's own call may be what the provider cannot read.
    """
    named, text = str(param or "").lower(), said.lower()
    if "messages" in named or "response_format" in named:
        return False
    if named.startswith("tools") or code in _SCHEMA_CODES:
        return True
    if _OF_A_MESSAGE.search(text) or "response_format" in text:
        return False
    return "grammar" in text or bool(_NAMES_A_SCHEMA.search(text) and _NAMES_A_TOOL.search(text))


def named_tool(said: str, param: object, tools: Sequence[str]) -> str:
    """The tool that is complained of: by its place (`tools[3]`), else by its name in the words."""
    found = _PLACE.search(str(param or "")) or _PLACE.search(said)
    if found and int(found[1]) < len(tools):
        return f"{tools[int(found[1])]} (tools[{found[1]}])"
    named = [name for name in tools if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", said)]
    return ", ".join(named[:3]) or "a tool that it does not name"


def retry_after_s(headers: Mapping[str, str], now_s: float) -> float | None:
    """Seconds that a reply asks to wait (RFC 9110, Retry-After: seconds or a date), at most an hour."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return _bounded(milliseconds / 1000)
    value = headers.get("retry-after")
    seconds = _number(value)
    if seconds is not None or value is None:
        return None if seconds is None else _bounded(seconds)
    try:
        return _bounded(email.utils.parsedate_to_datetime(value).timestamp() - now_s)
    except (ValueError, TypeError, OverflowError):
        return None


def _number(text: str | None) -> float | None:
    try:
        number = float(text) if text is not None else math.nan
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _bounded(seconds: float) -> float:
    return min(max(seconds, 0.0), MAX_RETRY_AFTER_S)


def kind_of_status(status: int) -> FailureKind:
    """The kind of failure that an HTTP status means by itself."""
    return _KIND_OF_STATUS.get(status, "unavailable" if status >= 500 else "refused")


def with_advice(message: str) -> str:
    """The message, with what to do where a model refuses a temperature: it cannot be known before it is asked."""
    if "temperature" not in message.lower():
        return message
    return f"{message} (for a model that refuses a temperature: --option temperature=omitted, which is recorded)"

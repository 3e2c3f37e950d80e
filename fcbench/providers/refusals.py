"""What a refusal means, whichever SDK brings it: kinds by status, and what the provider's words complain of."""

from __future__ import annotations

import email.utils
import math
import re
import ssl
from collections.abc import Mapping, Sequence

from fcbench.providers.base import FailureKind

MAX_CONNECT_S = 30.0
"""Longest wait for a connection, in seconds. A machine that cannot be reached is not the model's time."""
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
_OF_A_CONVERSION = re.compile(r"schema conversion failed|failed to parse grammar|not supported by xgrammar")
"""What engines say that compile the schemas of tools, without a word of tools; some of them with a status of 500."""
_PLACE = re.compile(r"\btools\W{1,4}(\d{1,4})")
_DECLARATION = re.compile(r"\bfunction_declarations\W{1,4}(\d{1,4})")
"""Gemini counts all functions inside its one tool."""


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
    if "grammar" in text or complains_of_conversion(said) or _PLACE.search(text):
        return True
    return bool(_NAMES_A_SCHEMA.search(text) and _NAMES_A_TOOL.search(text))


def complains_of_conversion(said: str) -> bool:
    """Whether an engine says that it cannot compile a schema: such words mean it whatever the status is."""
    return bool(_OF_A_CONVERSION.search(said.lower()))


def named_tool(said: str, param: object, tools: Sequence[str]) -> str:
    """The tool that is complained of: by its place (`tools[3]`), else by its name in the words.

    In the answer `tools[3]` is always the place in our request.
    """
    found = _PLACE.search(str(param or "")) or _DECLARATION.search(said) or _PLACE.search(said)
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
    """The kind of failure that an HTTP status means by itself.

    A redirect is never followed: what stands in a request belongs to the host that was named. It is `not_found`, since
    the endpoint is elsewhere and every further request would hear the same.
    """
    if 300 <= status < 400:
        return "not_found"
    return _KIND_OF_STATUS.get(status, "unavailable" if status >= 500 else "refused")


def with_advice(message: str) -> str:
    """The message, with what to do where a model refuses a temperature: it cannot be known before it is asked."""
    if "temperature" not in message.lower():
        return message
    return f"{message} (for a model that refuses a temperature: --option temperature=omitted, which is recorded)"


def certificate_trouble(error: BaseException) -> str | None:
    """What is wrong with the server's certificate, where that is why the connection failed."""
    seen: set[int] = set()
    one: BaseException | None = error
    while one is not None and id(one) not in seen:
        if isinstance(one, ssl.SSLCertVerificationError):
            return one.verify_message or "it cannot be verified"
        seen.add(id(one))
        one = one.__cause__ or one.__context__
    return None

"""The one seam where the SDK's errors become ours. Nothing above this floor learns its words."""

from __future__ import annotations

import email.utils
import math
from collections.abc import Mapping

import openai

from fcbench.core.canonical import clean_text
from fcbench.providers.base import FailureKind, ProviderFailure, SchemaRefused

MAX_MESSAGE = 1000
"""Most letters of a provider's own words that are kept."""
MAX_RETRY_AFTER_S = 3600.0
"""Longest wait that a provider can ask for; a hostile header may say a century."""

_KIND_OF_STATUS: dict[int, FailureKind] = {
    401: "authentication",
    403: "authentication",
    404: "not_found",
    408: "timed_out",
    409: "unavailable",
    425: "unavailable",
    429: "rate_limited",
    504: "timed_out",
}
_SCHEMA_WORDS = ("schema", "grammar", "invalid_function_parameters", "function_declarations")
_NOT_SCHEMA = ("context_length", "context size", "context length", "maximum context", "response_format")


def translate(error: Exception, *, now_s: float) -> ProviderFailure | SchemaRefused:
    """What an error of the SDK, or of the HTTP client below it, means to a run.

    Args:
        error: the caught error.
        now_s: seconds since 1970, to read a Retry-After that is a date.
    """
    if isinstance(error, openai.APIStatusError):
        return _of_status(error, now_s)
    if isinstance(error, openai.APITimeoutError | TimeoutError):
        return ProviderFailure("the provider did not answer in time", kind="timed_out")
    if isinstance(error, openai.APIConnectionError):
        cause = error.__cause__ or error.__context__
        return ProviderFailure(_words("the connection failed", cause or error), kind="connection")
    if isinstance(error, openai.APIResponseValidationError):
        return ProviderFailure(_words("the reply could not be read", error), kind="bad_reply")
    if isinstance(error, openai.APIError):
        return ProviderFailure(_words("the SDK could not use the answer", error), kind="bad_reply")
    if isinstance(error, openai.OpenAIError):
        # What is left concerns credentials, or helpers of the SDK that we do not call: trying again mends neither.
        return ProviderFailure(_words("the SDK refused", error), kind="refused")
    return ProviderFailure(_words("the HTTP client failed", error), kind="connection")


def _words(start: str, error: BaseException) -> str:
    return clean_text(f"{start}: {type(error).__name__}: {error}")[:MAX_MESSAGE]


def _of_status(error: openai.APIStatusError, now_s: float) -> ProviderFailure | SchemaRefused:
    status = error.status_code
    said = clean_text(str(error.message))[:MAX_MESSAGE]
    if status in (400, 422) and complains_of_schema(said, error.param, error.code):
        return SchemaRefused("the provider refuses a tool's schema", found=said)
    kind = _KIND_OF_STATUS.get(status, "unavailable" if status >= 500 else "refused")
    if error.code in ("insufficient_quota", "billing_hard_limit_reached"):
        kind = "refused"  # a 429 that no waiting mends
    wait = retry_after_s(error.response.headers, now_s)
    return ProviderFailure(f"HTTP {status}: {said}", kind=kind, status=status, retry_after_s=wait)


def complains_of_schema(said: str, param: object, code: object) -> bool:
    """Whether a 400 is about the schema of a tool, by the provider's words, its `param` and its `code`."""
    text = f"{said} {code or ''}".lower()
    if any(word in text for word in _NOT_SCHEMA):
        return False
    named = str(param or "")
    return named.startswith("tools") or any(word in text for word in _SCHEMA_WORDS)


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

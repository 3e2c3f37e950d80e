"""The one seam where the SDK's errors become ours. Nothing above this floor learns its words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import openai

from fcbench.core.canonical import clean_text
from fcbench.providers.base import ProviderFailure, SchemaRefused
from fcbench.providers.reading import MAX_QUOTED
from fcbench.providers.refusals import (
    MAX_CONNECT_S,
    MAX_MESSAGE,
    MAX_RETRY_AFTER_S,
    complains_of_conversion,
    complains_of_length,
    complains_of_schema,
    kind_of_status,
    named_tool,
    retry_after_s,
    with_advice,
)
from fcbench.providers.sdk_errors import SdkErrors

_ERRORS = SdkErrors(
    timed_out=openai.APITimeoutError,
    connection=openai.APIConnectionError,
    validation=openai.APIResponseValidationError,
    api=openai.APIError,
    base=openai.OpenAIError,
)


def waits(timeout_s: float) -> openai.Timeout:
    """The SDK's timeouts for a request that has so many seconds: a connection may take half of them at most."""
    return openai.Timeout(timeout_s, connect=min(MAX_CONNECT_S, timeout_s / 2))


def translate(
    error: Exception, *, now_s: float, hide: Callable[[str], str] = str, tools: Sequence[str] = ()
) -> ProviderFailure | SchemaRefused:
    """What an error of the SDK, or of the HTTP client below it, means to a run.

    Args:
        error: the caught error.
        now_s: seconds since 1970, to read a Retry-After that is a date.
        hide: takes the key out of a text.
        tools: names of the tools whose schemas the provider may now refuse; empty in later rounds.
    """
    if isinstance(error, openai.APIStatusError):
        return _of_status(error, now_s, hide, tools)
    return _ERRORS.translate(error, hide)


def _of_status(
    error: openai.APIStatusError, now_s: float, hide: Callable[[str], str], tools: Sequence[str]
) -> ProviderFailure | SchemaRefused:
    status, about = error.status_code, _about(error)
    said = hide(clean_text(_words(error, about)))[:MAX_MESSAGE]
    param, code = about.get("param"), about.get("code")
    if status in (400, 413, 422) and complains_of_length(said, code, about.get("type")):
        return ProviderFailure(f"HTTP {status}: {said}", kind="context_full", status=status)
    # llama.cpp said 500 to a schema that it cannot compile, until December 2025.
    is_of_schema = status in (400, 422) and complains_of_schema(said, param, code)
    if tools and (is_of_schema or (status == 500 and complains_of_conversion(said))):
        which = hide(named_tool(said, param, tools))
        return SchemaRefused(f"the provider refuses the schema of {which}: HTTP {status}: {said}", status=status)
    if 300 <= status < 400:
        said = f"it points to {hide(clean_text(error.response.headers.get('location', 'nowhere')))[:MAX_QUOTED]}"
        said += ", and no redirect is followed: give that address with --base-url if you trust it"
    kind = kind_of_status(status)
    if code in ("insufficient_quota", "billing_hard_limit_reached"):
        kind = "refused"  # a 429 that no waiting mends
    wait = retry_after_s(error.response.headers, now_s)
    message = with_advice(f"HTTP {status}: {said}")
    return ProviderFailure(message, kind=kind, status=status, retry_after_s=wait)


def _about(error: openai.APIStatusError) -> dict[str, object]:
    """The object that describes an error: OpenAI wraps it once, vLLM and Mistral never, Gemini in a list besides."""
    body: object = error.body
    if isinstance(body, list) and body:
        body = body[0]
    if isinstance(body, dict) and isinstance(body.get("error"), dict):
        body = body["error"]
    return body if isinstance(body, dict) else {}


def _words(error: openai.APIStatusError, about: dict[str, object]) -> str:
    """What the provider said: its message, else its whole body, since the SDK drops a body in a form of its own."""
    message = about.get("message")
    if isinstance(message, str) and message:
        return message
    body = error.response.content.decode("utf-8", "replace") if error.body is not None else ""
    return " ".join(body.split()) or str(error.message)


__all__ = ["MAX_CONNECT_S", "MAX_RETRY_AFTER_S", "retry_after_s", "translate", "waits"]

"""The one seam where the SDK's errors become ours. Nothing above this floor learns its words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import openai

from fcbench.core.canonical import clean_text
from fcbench.providers.base import FailureKind, ProviderFailure, SchemaRefused
from fcbench.providers.refusals import (
    MAX_MESSAGE,
    MAX_RETRY_AFTER_S,
    complains_of_length,
    complains_of_schema,
    kind_of_status,
    named_tool,
    retry_after_s,
    with_advice,
)


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
    if isinstance(error, ProviderFailure):
        return error  # of our own HTTP client
    if isinstance(error, openai.APIStatusError):
        return _of_status(error, now_s, hide, tools)
    if isinstance(error, openai.APITimeoutError | TimeoutError):
        return ProviderFailure("the provider did not answer in time", kind="timed_out")
    message, kind = _start_and_kind(error)
    cause = error.__cause__ or error.__context__ if isinstance(error, openai.APIConnectionError) else None
    said = cause or error
    return ProviderFailure(hide(clean_text(f"{message}: {type(said).__name__}: {said}"))[:MAX_MESSAGE], kind=kind)


def _start_and_kind(error: Exception) -> tuple[str, FailureKind]:
    if isinstance(error, openai.APIConnectionError):
        return "the connection failed", "connection"
    if isinstance(error, openai.APIResponseValidationError):
        return "the reply could not be read", "bad_reply"
    if isinstance(error, openai.APIError):
        return "the SDK could not use the answer", "bad_reply"
    if isinstance(error, openai.OpenAIError):
        # What is left concerns credentials, or helpers of the SDK that we do not call: trying again mends neither.
        return "the SDK refused", "refused"
    return "the HTTP client failed", "connection"


def _of_status(
    error: openai.APIStatusError, now_s: float, hide: Callable[[str], str], tools: Sequence[str]
) -> ProviderFailure | SchemaRefused:
    status = error.status_code
    said = hide(clean_text(str(error.message)))[:MAX_MESSAGE]
    if status in (400, 413, 422) and complains_of_length(said, error.code, error.type):
        return ProviderFailure(f"HTTP {status}: {said}", kind="context_full", status=status)
    if tools and status in (400, 422) and complains_of_schema(said, error.param, error.code):
        which = hide(named_tool(said, error.param, tools))
        return SchemaRefused(f"the provider refuses the schema of {which}: HTTP {status}: {said}", status=status)
    kind = kind_of_status(status)
    if error.code in ("insufficient_quota", "billing_hard_limit_reached"):
        kind = "refused"  # a 429 that no waiting mends
    wait = retry_after_s(error.response.headers, now_s)
    message = with_advice(f"HTTP {status}: {said}")
    return ProviderFailure(message, kind=kind, status=status, retry_after_s=wait)


__all__ = ["MAX_RETRY_AFTER_S", "retry_after_s", "translate"]

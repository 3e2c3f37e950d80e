"""The one seam where the errors of Anthropic's SDK become ours."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fcbench.core.canonical import clean_text
from fcbench.providers.anthropic_client import sdk_is_missing
from fcbench.providers.base import FailureKind, ProviderFailure, SchemaRefused
from fcbench.providers.refusals import (
    MAX_CONNECT_S,
    MAX_MESSAGE,
    certificate_trouble,
    complains_of_length,
    complains_of_schema,
    kind_of_status,
    named_tool,
    retry_after_s,
    with_advice,
)

try:
    import anthropic
    import httpx2
except ImportError as error:
    raise sdk_is_missing() from error

# `error.type` of the body: it says more than a status that a gateway may have changed.
_KIND_OF_TYPE: dict[str, FailureKind] = {
    "authentication_error": "authentication",
    "permission_error": "authentication",
    "not_found_error": "not_found",
    "rate_limit_error": "rate_limited",
    "overloaded_error": "unavailable",
    "api_error": "unavailable",
    "timeout_error": "unavailable",
    "billing_error": "refused",
}
_SPENT = "enforced_spend_limit_reached"
"""`error.details.error_code` of a 429 that no waiting mends."""


def waits(timeout_s: float) -> anthropic.Timeout:
    """The SDK's timeouts for a request that has so many seconds: a connection may take half of them at most."""
    return anthropic.Timeout(timeout_s, connect=min(MAX_CONNECT_S, timeout_s / 2))


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
    for one in (error, error.__cause__):
        if isinstance(one, ProviderFailure):
            return one  # of our own HTTP client; the SDK wraps it
    if isinstance(error, anthropic.APIStatusError):
        return _of_status(error, now_s, hide, tools)
    if isinstance(error, anthropic.APITimeoutError) and isinstance(error.__cause__, httpx2.ConnectTimeout):
        return ProviderFailure("the connection was not made in time", kind="connection")
    if isinstance(error, anthropic.APITimeoutError | TimeoutError):
        return ProviderFailure("the provider did not answer in time", kind="timed_out")
    untrusted = certificate_trouble(error)
    if untrusted is not None:
        words = f"the server's certificate is not trusted: {untrusted}"
        return ProviderFailure(hide(clean_text(words))[:MAX_MESSAGE], kind="authentication")
    message, kind = _start_and_kind(error)
    cause = error.__cause__ or error.__context__ if isinstance(error, anthropic.APIConnectionError) else None
    said = cause or error
    return ProviderFailure(hide(clean_text(f"{message}: {type(said).__name__}: {said}"))[:MAX_MESSAGE], kind=kind)


def _start_and_kind(error: Exception) -> tuple[str, FailureKind]:
    if isinstance(error, anthropic.APIConnectionError):
        return "the connection failed", "connection"
    if isinstance(error, anthropic.APIResponseValidationError):
        return "the reply could not be read", "bad_reply"
    if isinstance(error, anthropic.APIError):
        return "the SDK could not use the answer", "bad_reply"
    if isinstance(error, anthropic.AnthropicError):
        # What is left concerns credentials, or helpers of the SDK that we do not call: trying again mends neither.
        return "the SDK refused", "refused"
    return "the HTTP client failed", "connection"


def _of_status(
    error: anthropic.APIStatusError, now_s: float, hide: Callable[[str], str], tools: Sequence[str]
) -> ProviderFailure | SchemaRefused:
    status = error.status_code
    said = hide(clean_text(str(error.message)))[:MAX_MESSAGE]
    if status in (400, 413, 422) and complains_of_length(said):
        return ProviderFailure(f"HTTP {status}: {said}", kind="context_full", status=status)
    if tools and status in (400, 422) and complains_of_schema(said, None, None):
        which = hide(named_tool(said, None, tools))
        return SchemaRefused(f"the provider refuses the schema of {which}: HTTP {status}: {said}", status=status)
    wait = retry_after_s(error.response.headers, now_s)
    message = with_advice(f"HTTP {status}: {said}")
    return ProviderFailure(message, kind=_kind(error), status=status, retry_after_s=wait)


def _kind(error: anthropic.APIStatusError) -> FailureKind:
    if error.error_code == _SPENT:
        return "refused"
    by_type = _KIND_OF_TYPE.get(error.type) if isinstance(error.type, str) else None
    return by_type or kind_of_status(error.status_code)

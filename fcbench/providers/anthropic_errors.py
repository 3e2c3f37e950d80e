"""The one seam where the errors of Anthropic's SDK become ours."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fcbench.core.canonical import clean_text
from fcbench.providers.anthropic_client import sdk_is_missing
from fcbench.providers.base import FailureKind, ProviderFailure, SchemaRefused
from fcbench.providers.refusals import (
    MAX_CONNECT_S,
    MAX_MESSAGE,
    complains_of_length,
    complains_of_schema,
    kind_of_status,
    named_tool,
    retry_after_s,
    with_advice,
)
from fcbench.providers.sdk_errors import SdkErrors

try:
    import anthropic
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

_ERRORS = SdkErrors(
    timed_out=anthropic.APITimeoutError,
    connection=anthropic.APIConnectionError,
    validation=anthropic.APIResponseValidationError,
    api=anthropic.APIError,
    base=anthropic.AnthropicError,
)


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
    if isinstance(error, anthropic.APIStatusError):
        return _of_status(error, now_s, hide, tools)
    return _ERRORS.translate(error, hide)


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

"""The official Anthropic SDK's client, with everything of its own switched off: retries, tracing, other credentials."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fcbench.errors import UnavailableError
from fcbench.providers.http_client import no_cookies, read_capped

if TYPE_CHECKING:
    import anthropic

DEFAULT_BASE_URL = "https://api.anthropic.com"
DEFAULT_KEY_VARIABLE = "ANTHROPIC_API_KEY"
API_VERSION = "2023-06-01"
"""Newer SDKs ask for version 2026-10-21, which takes no temperature from any model; this one still does."""
_HEADERS = {"Accept-Encoding": "identity", "anthropic-version": API_VERSION}
"""A bomb needs compression, a message does not."""


def sdk_is_missing() -> UnavailableError:
    """What is said where the extra is not installed."""
    return UnavailableError(
        "the anthropic SDK is not installed", wanted="the extra anthropic", next_step="pip install 'fcbench[anthropic]'"
    )


def make_client(base_url: str, key: str, kind: str) -> anthropic.AsyncAnthropic:
    """The SDK's client.

    Args:
        base_url: of the endpoint, with or without the `/v1` that the SDK adds itself.
        key: sent as it is.
        kind: the kind of host, as `fcbench.providers.hosts.kind_of_host` says it.

    Raises:
        UnavailableError: the extra `anthropic` is not installed.
    """
    try:
        import anthropic  # noqa: PLC0415 - kept out of start-up, and an extra
    except ImportError as error:
        raise sdk_is_missing() from error
    hooks = {"response": [read_capped]}
    if kind == "loopback" and base_url.startswith("http:"):
        # No proxy of the environment, no certificates to load for nothing.
        http = anthropic.DefaultAsyncHttpxClient(
            event_hooks=hooks, cookies=no_cookies(), trust_env=False, follow_redirects=False, verify=False
        )
    else:
        http = anthropic.DefaultAsyncHttpxClient(event_hooks=hooks, cookies=no_cookies(), follow_redirects=False)
    client = anthropic.AsyncAnthropic(
        api_key=key,
        base_url=base_url.rstrip("/").removesuffix("/v1"),
        max_retries=0,
        http_client=http,
        default_headers=_HEADERS,
        open_telemetry=False,
    )
    # The SDK adds headers that ANTHROPIC_CUSTOM_HEADERS lists; they are nobody else's business.
    client._custom_headers = dict(_HEADERS)
    return client

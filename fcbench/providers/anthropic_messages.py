"""Any endpoint that speaks Anthropic's Messages, through the official SDK with its own retries off."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping

from fcbench.core.canonical import digest_bytes
from fcbench.providers.anthropic_client import API_VERSION, make_client
from fcbench.providers.anthropic_wire import read_reply, request_fields
from fcbench.providers.base import ProviderInfo, Reply, Request
from fcbench.providers.endpoint import ChatEndpoint, KeyGuard, find_key
from fcbench.providers.hosts import kind_of_host
from fcbench.providers.openai_chat import check_decoding
from fcbench.providers.sdk_exchange import all_but, exchange

_SDK_FIELDS = ("model", "max_tokens")
NO_SEED = "not sent: the format has none"


class AnthropicMessages:
    """A provider over `anthropic.AsyncAnthropic`."""

    def __init__(
        self,
        endpoint: ChatEndpoint,
        *,
        info: ProviderInfo | None = None,
        environment: Mapping[str, str] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Make the client; nothing is sent yet.

        Args:
            endpoint: where to ask.
            info: what to record, where the caller knows more than the endpoint says.
            environment: where the key is looked up; the process's own where it is None.
            clock: seconds since 1970, to read a Retry-After that is a date.

        Raises:
            UsageError: no key, one that cannot be sent, or a base URL that cannot be used.
            UnavailableError: the extra `anthropic` is not installed.
        """
        kind = kind_of_host(endpoint.base_url)
        key = find_key(endpoint, os.environ if environment is None else environment)
        self._endpoint = endpoint
        self._info = info or ProviderInfo(
            provider="anthropic_messages",
            model=endpoint.model,
            endpoint=kind,
            attributes={**endpoint.attributes(), "seed": NO_SEED, "API version": API_VERSION},
        )
        self._clock = clock
        self._guard = KeyGuard(key)
        self._client = make_client(endpoint.base_url, key, kind)

    @property
    def info(self) -> ProviderInfo:
        """What a run records about it."""
        return self._info

    async def complete(self, request: Request) -> Reply:
        """Answer one request.

        Raises:
            UsageError: the decoding is `grammar`, which only llama_server can hold to.
            ProviderFailure: see `fcbench.providers.anthropic_errors.translate`, and replies that cannot be read.
            SchemaRefused: the provider refuses a tool's schema.
        """
        check_decoding(request.sampling.decoding)
        sent, received = await self._post(request)
        return self._guard.refuse_quoting(read_reply(received, digest_bytes(sent), self._guard.hide))

    async def _post(self, request: Request) -> tuple[bytes, bytes]:
        """Send one request; its exact body and the raw body of the reply."""
        from fcbench.providers.anthropic_errors import translate, waits  # noqa: PLC0415 - the SDK is kept out of start-up

        temperature = request.sampling.temperature if self._endpoint.sends_temperature else None
        fields = request_fields(request, self._endpoint.model, temperature) | self._endpoint.quirks.body
        # What the SDK must be told by name it is told; the rest goes in as it is, so that no SDK version alters it.
        extra = all_but(fields, _SDK_FIELDS)
        return await exchange(
            request,
            lambda: self._client.messages.with_raw_response.create(
                model=self._endpoint.model,
                messages=(),  # that of the extra body takes its place
                max_tokens=request.sampling.max_output_tokens,
                extra_body=extra,
                timeout=waits(request.timeout_s),
            ),
            translate,
            self._guard,
            self._clock,
        )

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()


__all__ = ["NO_SEED", "AnthropicMessages"]

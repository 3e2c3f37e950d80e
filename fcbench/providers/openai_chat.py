"""Any endpoint that speaks OpenAI's chat completions, through the official SDK with its own retries off."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping

from fcbench.core.canonical import digest_bytes
from fcbench.core.names import JsonObject
from fcbench.errors import UsageError
from fcbench.providers.base import Decoding, ProviderFailure, ProviderInfo, Reply, Request
from fcbench.providers.endpoint import DEFAULT_BASE_URL, DEFAULT_KEY_VARIABLE, ChatEndpoint, KeyGuard, find_key
from fcbench.providers.hosts import kind_of_host
from fcbench.providers.http_client import make_client
from fcbench.providers.sdk_exchange import all_but, exchange
from fcbench.providers.wire import call_of_grammar, read_reply, request_fields

_SDK_FIELDS = ("model",)
_CAN_DECODE: tuple[Decoding, ...] = ("free", "strict")


def check_decoding(decoding: Decoding) -> None:
    """Whether any chat endpoint can be asked for this decoding.

    Raises:
        UsageError: it is `grammar`, which only llama_server can hold to.
    """
    if decoding not in _CAN_DECODE:
        raise UsageError(
            "this provider cannot decode with a grammar",
            wanted="decoding " + " or ".join(_CAN_DECODE),
            found=decoding,
            where="--decoding",
            next_step="use a llama_server model for a grammar",
        )


class OpenAIChat:
    """A provider over `openai.AsyncOpenAI`."""

    def __init__(
        self,
        endpoint: ChatEndpoint,
        *,
        info: ProviderInfo | None = None,
        extra_body: Callable[[Request], JsonObject] | None = None,
        holds_grammar: bool = False,
        environment: Mapping[str, str] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Make the client; nothing is sent yet.

        Args:
            endpoint: where to ask.
            info: what to record, where the caller knows more than the endpoint says.
            extra_body: further fields of the request's body that the SDK does not know, by request.
            holds_grammar: whether the server holds a `response_format` of any schema to the letter.
            environment: where the key is looked up; the process's own where it is None.
            clock: seconds since 1970, to read a Retry-After that is a date.

        Raises:
            UsageError: no key, one that cannot be sent, or a base URL that cannot be used.
            UnavailableError: the SDK is not installed.
        """
        kind = kind_of_host(endpoint.base_url)
        key = find_key(endpoint, os.environ if environment is None else environment)
        self._endpoint = endpoint
        self._info = info or ProviderInfo(
            provider="openai_chat", model=endpoint.model, endpoint=kind, attributes=endpoint.attributes()
        )
        self._extra_body = extra_body
        self._holds_grammar = holds_grammar
        self._clock = clock
        is_openai = kind == "public:api.openai.com"
        usual = "max_completion_tokens" if is_openai else "max_tokens"
        self._limit_field = endpoint.limit_field or endpoint.quirks.limit_field or usual
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
            ProviderFailure: see `fcbench.providers.openai_errors.translate`, and replies that cannot be read.
            SchemaRefused: the provider refuses a tool's schema.
        """
        if not self._holds_grammar:
            check_decoding(request.sampling.decoding)
        sent, received = await self._post(request)
        carried = self._endpoint.quirks.carried_fields
        reply = self._guard.refuse_quoting(read_reply(received, digest_bytes(sent), self._guard.hide, carried))
        return call_of_grammar(reply) if request.sampling.decoding == "grammar" and request.tools else reply

    async def _post(self, request: Request) -> tuple[bytes, bytes]:
        """Send one request; its exact body and the raw body of the reply."""
        from fcbench.providers.openai_errors import translate, waits  # noqa: PLC0415 - the SDK is kept out of start-up

        fields = self._endpoint.adapt(request_fields(request, self._endpoint.model, self._limit_field))
        # Only the model is named to the SDK: the rest goes in as it is, so that no SDK version alters it. The messages
        # too: the SDK would try each of them against every type of message, 0.2 ms of processor time a message.
        extra = all_but(fields, _SDK_FIELDS)
        if self._extra_body is not None:
            extra |= self._extra_body(request)
        return await exchange(
            request,
            lambda: self._client.chat.completions.with_raw_response.create(
                model=self._endpoint.model,
                messages=(),  # those of the extra body take their place
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


__all__ = [
    "DEFAULT_BASE_URL",
    "DEFAULT_KEY_VARIABLE",
    "ChatEndpoint",
    "OpenAIChat",
    "ProviderFailure",
    "check_decoding",
    "find_key",
]

"""Any endpoint that speaks OpenAI's chat completions, through the official SDK with its own retries off."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, cast

from fcbench.core.canonical import digest_bytes
from fcbench.core.names import JsonObject
from fcbench.core.records import Record
from fcbench.errors import UnavailableError, UsageError
from fcbench.providers.base import ProviderFailure, ProviderInfo, Reply, Request
from fcbench.providers.hosts import kind_of_host
from fcbench.providers.wire import bad_reply, call_of_grammar, read_reply, request_fields

if TYPE_CHECKING:
    import httpx2
    import openai
    from openai.types.chat import ChatCompletionMessageParam

DEFAULT_BASE_URL = "https://api.openai.com/v1"
DEFAULT_KEY_VARIABLE = "OPENAI_API_KEY"
_LOOPBACK_KEY = "not-needed-on-loopback"
_SDK_FIELDS = ("model", "messages")


class ChatEndpoint(Record, frozen=True, kw_only=True):
    """Where to ask which model. The key itself is never a part of a record."""

    model: str
    base_url: str = DEFAULT_BASE_URL
    api_key_env: str | None = None
    """Name of the environment variable that holds the key; `OPENAI_API_KEY` where it is None."""
    limit_field: str | None = None
    """Word for the output limit; chosen by the host where it is None."""


def find_key(endpoint: ChatEndpoint, environment: Mapping[str, str]) -> str:
    """The key from the environment. A server on loopback gets a dummy unless a variable is named.

    Raises:
        UsageError: the variable is not set.
    """
    is_loopback = kind_of_host(endpoint.base_url) == "loopback"
    if is_loopback and endpoint.api_key_env is None:
        return _LOOPBACK_KEY  # a real key must not go to whatever listens on this machine
    variable = endpoint.api_key_env or DEFAULT_KEY_VARIABLE
    key = environment.get(variable, "").strip()
    if not key:
        raise UsageError(
            "no key for this endpoint",
            wanted=f"the key in the environment variable {variable}",
            found="it is not set" if variable not in environment else "it is empty",
            next_step=f"export {variable}=..., or name another variable with --api-key-env",
        )
    return key


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
            UsageError: no key, or a base URL that cannot be used.
            UnavailableError: the SDK is not installed.
        """
        kind = kind_of_host(endpoint.base_url)
        key = find_key(endpoint, os.environ if environment is None else environment)
        self._endpoint = endpoint
        self._info = info or ProviderInfo(provider="openai_chat", model=endpoint.model, endpoint=kind)
        self._extra_body = extra_body
        self._holds_grammar = holds_grammar
        self._clock = clock
        is_openai = kind == "public:api.openai.com"
        self._limit_field = endpoint.limit_field or ("max_completion_tokens" if is_openai else "max_tokens")
        self._client = _make_client(endpoint.base_url, key, kind)

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
        if request.sampling.decoding == "grammar" and not self._holds_grammar:
            raise UsageError(
                "this provider cannot decode with a grammar",
                wanted="decoding free or strict",
                found="grammar",
                next_step="use a llama_server model for a grammar",
            )
        sent, received = await self._post(request)
        reply = read_reply(received, digest_bytes(sent))
        return call_of_grammar(reply) if request.sampling.decoding == "grammar" and request.tools else reply

    async def _post(self, request: Request) -> tuple[bytes, bytes]:
        """Send one request; its exact body and the raw body of the reply."""
        from fcbench.providers.openai_errors import translate  # noqa: PLC0415 - the SDK is kept out of start-up

        fields = request_fields(request, self._endpoint.model, self._limit_field)
        # Only model and messages are named to the SDK: the rest goes in as it is, so that no SDK version alters it.
        extra: JsonObject = {name: value for name, value in fields.items() if name not in _SDK_FIELDS}
        if self._extra_body is not None:
            extra |= self._extra_body(request)
        try:
            # The SDK's timeout is per read; a server that drips bytes would never end without the outer one.
            async with asyncio.timeout(request.timeout_s):
                answer = await self._client.chat.completions.with_raw_response.create(
                    model=self._endpoint.model,
                    messages=cast("Iterable[ChatCompletionMessageParam]", fields["messages"]),
                    extra_body=extra,
                    timeout=request.timeout_s,
                )
        except Exception as error:
            raise translate(error, now_s=self._clock()) from error
        sent, received = answer.http_response.request.content, answer.http_response.content
        if not isinstance(received, bytes):  # pragma: no cover - the SDK reads a reply that is no stream
            raise bad_reply("the reply was not read", b"")
        return sent, received

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()


def _make_client(base_url: str, key: str, kind: str) -> openai.AsyncOpenAI:
    try:
        import openai  # noqa: PLC0415 - kept out of start-up: it takes most of a second
    except ImportError as error:  # pragma: no cover - it is a dependency of fcbench
        raise UnavailableError(
            "the openai SDK is not installed", wanted="the package openai", next_step="pip install openai"
        ) from error
    is_openai, is_loopback = kind == "public:api.openai.com", kind == "loopback"
    client = openai.AsyncOpenAI(
        api_key=key,
        base_url=base_url,
        max_retries=0,
        http_client=_loopback_client() if is_loopback and base_url.startswith("http:") else None,
    )
    if not is_openai:
        # The SDK reads both from the environment; they are nobody else's business.
        client.organization = None
        client.project = None
    return client


def _loopback_client() -> httpx2.AsyncClient:
    """A client for plain HTTP on this machine: no proxy of the environment, no redirect to elsewhere.

    Loading the certificates that such a client never uses would cost a third of a second.
    """
    import openai  # noqa: PLC0415

    return openai.DefaultAsyncHttpxClient(trust_env=False, follow_redirects=False, verify=False)


__all__ = ["DEFAULT_BASE_URL", "DEFAULT_KEY_VARIABLE", "ChatEndpoint", "OpenAIChat", "ProviderFailure", "find_key"]

"""One request through an official SDK: sent once, within its time, its errors made ours. The same for every wire."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from fcbench.core.names import JsonObject
from fcbench.providers.base import ProviderFailure, Request, SchemaRefused
from fcbench.providers.endpoint import KeyGuard
from fcbench.providers.reading import bad_reply


class _Sent(Protocol):
    @property
    def content(self) -> bytes: ...


class _Answer(Protocol):
    """What of an HTTP answer is read: its body, and the request that it answers."""

    @property
    def content(self) -> object: ...

    @property
    def request(self) -> _Sent: ...


class _Raw(Protocol):
    """The raw answer of an SDK."""

    @property
    def http_response(self) -> _Answer: ...


class Translate(Protocol):
    """Makes an SDK's error ours: `openai_errors.translate`, `anthropic_errors.translate`."""

    def __call__(
        self, error: Exception, *, now_s: float, hide: Callable[[str], str] = ..., tools: Sequence[str] = ...
    ) -> ProviderFailure | SchemaRefused:
        """See the modules named."""
        ...


def all_but(fields: JsonObject, named: Sequence[str]) -> JsonObject:
    """The body without what the SDK is told by name: the rest goes in as it is, so that no SDK version alters it."""
    return {name: value for name, value in fields.items() if name not in named}


async def exchange(
    request: Request,
    ask: Callable[[], Awaitable[_Raw]],
    translate: Translate,
    guard: KeyGuard,
    clock: Callable[[], float],
) -> tuple[bytes, bytes]:
    """Send one request; its exact body and the raw body of the reply.

    Args:
        request: for its time in seconds and, in round 1, the names of its tools.
        ask: calls the SDK, with its own retries off.
        translate: makes an error of the SDK ours.
        guard: hides the key in what is quoted.
        clock: seconds since 1970 when an error comes, to read a Retry-After that is a date.

    Raises:
        ProviderFailure: what `translate` says, or a reply that was not read.
        SchemaRefused: the provider refuses a tool's schema.
    """
    try:
        # The SDK's timeout is per read; a server that drips bytes would never end without the outer one.
        async with asyncio.timeout(request.timeout_s):
            answer = await ask()
    except Exception as error:
        # A schema that was taken in round 1 is no reason to refuse a later one: that is about the conversation.
        tools = tuple(tool.name for tool in request.tools) if request.round == 1 else ()
        # No cause: a traceback would print the words of the SDK, and with them perhaps the key.
        raise translate(error, now_s=clock(), hide=guard.hide, tools=tools) from None
    sent, received = answer.http_response.request.content, answer.http_response.content
    if not isinstance(received, bytes):  # pragma: no cover - the SDK reads a reply that is no stream
        raise bad_reply("the reply was not read", b"")
    return sent, received

"""Scripted controls: providers without a model, deterministic, marked as controls and never ranked.

`oracle` plays the golden run and is the ceiling; `null` never calls and is the floor of a call case and the ceiling of
a restraint case; `random` calls an offered tool with random valid arguments; `lexical` is a rule-based caller, the
honest baseline of what needs no language model.
"""

from __future__ import annotations

import json
from typing import Protocol

from msgspec import field

from fcbench.core.canonical import canonical_bytes, clean_json, digest_bytes
from fcbench.core.names import Digest, JsonValue
from fcbench.core.records import Record, to_plain
from fcbench.errors import JsonError
from fcbench.providers.base import ProviderInfo, Reply, ReplyCall, Request
from fcbench.providers.wire import request_fields


class Turn(Record, frozen=True, kw_only=True):
    """What a script says in one reply: text, or calls."""

    text: str = ""
    calls: tuple[ReplyCall, ...] = ()


class Script(Protocol):
    """Decides each turn from the request alone (and from what it was constructed with)."""

    def turn(self, request: Request) -> Turn:
        """The reply to one request."""
        ...


class ScriptInfo(Record, frozen=True, kw_only=True):
    """What is recorded about a script."""

    name: str
    attributes: dict[str, str] = field(default_factory=dict)


class ScriptedProvider:
    """A provider whose replies come from a script."""

    def __init__(self, script: Script, info: ScriptInfo) -> None:
        """Wrap a script."""
        self._script = script
        self._info = ProviderInfo(
            provider="scripted",
            model=info.name,
            endpoint="none",
            control=True,
            attributes=info.attributes,
        )

    @property
    def info(self) -> ProviderInfo:
        """What a run records about it; `control` is true."""
        return self._info

    async def complete(self, request: Request) -> Reply:
        """Answer one request at once."""
        turn = self._script.turn(request)
        return Reply(
            text=turn.text,
            calls=turn.calls,
            finish_reason="tool_calls" if turn.calls else "stop",
            request_sha256=_digest(request_fields(request, self._info.model)),
            reply_sha256=_digest(to_plain(turn)),
        )

    async def aclose(self) -> None:
        """Nothing to release."""


def _digest(value: JsonValue) -> Digest:
    """SHA-256 of canonical JSON; of ordinary JSON with sorted keys where a schema holds a number that has none."""
    value = clean_json(value)
    try:
        return digest_bytes(canonical_bytes(value))
    except JsonError:
        return digest_bytes(json.dumps(value, sort_keys=True).encode())


class NullScript:
    """Never calls."""

    def turn(self, request: Request) -> Turn:
        """A polite text, always the same."""
        return Turn(text="Thank you for your request. I cannot carry it out, so I leave everything as it is.")

"""What the readers of every wire share: a raw body becomes values, whatever stands in it."""

from __future__ import annotations

import json
from collections.abc import Callable

from fcbench.core.canonical import MAX_BYTES, canonical_text, clean_text
from fcbench.core.names import JsonObject, JsonValue
from fcbench.errors import JsonError
from fcbench.providers.base import ProviderFailure

MAX_CALLS = 4096
"""Most calls of one reply; beyond, it is turned down. A hostile reply may hold millions, no model writes so many."""
MAX_QUOTED = 300
"""Most letters of a foreign text that an error message quotes."""


class UnreadableError(Exception):
    """Why a reply cannot be read, and what the server said about it."""

    def __init__(self, reason: str, said: JsonValue = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.said = said


def read_body(raw: bytes) -> JsonObject:
    """The body as a JSON object.

    Raises:
        UnreadableError: it is too long, or no JSON object.
    """
    if len(raw) > MAX_BYTES:
        raise UnreadableError(f"the reply has {len(raw):,} bytes, more than {MAX_BYTES:,}")
    try:
        # Not core's strict parser: the envelope is the server's, and only what the model wrote is judged strictly.
        body = json.loads(raw.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError) as error:
        raise UnreadableError("the reply is not JSON") from error
    if not isinstance(body, dict):
        raise UnreadableError("the reply is not a JSON object")
    return body


def bad_reply(message: str, raw: bytes, said: JsonValue = None, hide: Callable[[str], str] = str) -> ProviderFailure:
    """A `bad_reply` failure that quotes the beginning of what came, without the key."""
    quoted = hide(str(said) if said else raw.decode("utf-8", "replace"))
    return ProviderFailure(f"{message}: {clean_text(quoted[:MAX_QUOTED])}", kind="bad_reply")


def argument_text(value: JsonValue) -> str:
    """Arguments as a text: a string as it came, nothing as an empty one, else canonical JSON where possible."""
    if isinstance(value, str):
        return clean_text(value)
    if value is None:
        return ""
    try:
        return canonical_text(value)
    except (JsonError, RecursionError):
        pass
    try:
        return clean_text(json.dumps(value, ensure_ascii=False))
    except (ValueError, RecursionError):
        return clean_text(repr(type(value)))


def word(value: JsonValue) -> str | None:
    """A string that is not empty, with lone surrogates replaced; None for anything else."""
    return clean_text(value) if isinstance(value, str) and value else None


def count(value: JsonValue) -> int | None:
    """A number of tokens; None for anything that is no count."""
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53
    return value if is_count and isinstance(value, int) else None

"""The lines that a program of `command:` reads and writes, one JSON object each (docs/reference/command)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence

from fcbench.core.canonical import clean_json, clean_text, digest_bytes
from fcbench.core.evidence import Usage
from fcbench.core.names import Digest, JsonObject, JsonValue
from fcbench.providers.base import FailureKind, Message, ProviderFailure, Reply, ReplyCall, Request
from fcbench.providers.reading import MAX_CALLS, UnreadableError, argument_text, bad_reply, count, read_body, word
from fcbench.providers.refusals import MAX_MESSAGE

VERSION = 1
"""Of the format; raised when a program that reads the old lines could misread the new ones."""
ERROR_KINDS: tuple[FailureKind, ...] = (
    "rate_limited",
    "unavailable",
    "timed_out",
    "refused",
    "authentication",
    "not_found",
    "context_full",
)
"""Failures that a program may report of whatever it asks in turn."""


def request_line(request: Request, number: int) -> bytes:
    """One request as a line; the reply must bear the same `id`. Nothing in it names the case or the round."""
    sampling = request.sampling
    body: JsonObject = {
        "version": VERSION,
        "id": str(number),
        "messages": [_message(message) for message in request.messages],
        "tools": [
            {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
            for tool in request.tools
        ],
        "sampling": {
            "temperature": sampling.temperature,
            "seed": sampling.seed,
            "max_output_tokens": sampling.max_output_tokens,
        },
        "timeout_s": round(request.timeout_s, 3),
    }
    return json.dumps(clean_json(body), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _message(message: Message) -> JsonObject:
    found: JsonObject = {"role": message.role, "content": message.content}
    if message.calls:
        found["calls"] = [{"id": one.id, "name": one.name, "arguments": one.raw_arguments} for one in message.calls]
    if message.call_id is not None:
        found["call_id"] = message.call_id
    return found


def read_reply(line: bytes, number: int, request_sha256: Digest, hide: Callable[[str], str] = str) -> Reply:
    """Read the line of a reply.

    Args:
        line: as the program wrote it.
        number: of the request.
        request_sha256: of the request's line.
        hide: takes keys out of a text that an error message quotes.

    Raises:
        ProviderFailure: of kind `bad_reply`, if the line is not a reply to this request; of the kind that it names, if
            it reports an error.
    """
    try:
        return _read(line, number, request_sha256, hide)
    except UnreadableError as error:
        raise bad_reply(error.reason, line, error.said, hide) from None


def _read(line: bytes, number: int, request_sha256: Digest, hide: Callable[[str], str]) -> Reply:
    body = read_body(line)
    if body.get("id") != str(number):
        raise UnreadableError(f"the reply is not one to request {number}: its id is another")
    _raise_error(body.get("error"), hide)
    text, usage = body.get("text", ""), body.get("usage")
    if not isinstance(text, str):
        raise UnreadableError("the text of the reply is no text")
    calls = tuple(_calls(body.get("calls", [])))
    return Reply(
        text=clean_text(text),
        calls=calls,
        finish_reason=word(body.get("finish_reason")) or ("tool_calls" if calls else "stop"),
        usage=_usage(usage),
        request_sha256=request_sha256,
        reply_sha256=digest_bytes(line),
    )


def _raise_error(error: JsonValue, hide: Callable[[str], str]) -> None:
    if error is None:
        return
    if not isinstance(error, dict):
        raise UnreadableError("the error of the reply is no object")
    known = [kind for kind in ERROR_KINDS if kind == error.get("kind")]
    if not known:
        raise UnreadableError(f"the error of the reply has no kind of {', '.join(ERROR_KINDS)}")
    said = hide(clean_text(str(error.get("message", ""))))[:MAX_MESSAGE]
    raise ProviderFailure(f"the program reports: {said}", kind=known[0])


def _calls(listed: JsonValue) -> Iterator[ReplyCall]:
    entries: Sequence[JsonValue] = listed if isinstance(listed, list) else [None]
    if len(entries) > MAX_CALLS:
        raise UnreadableError(f"the reply holds {len(entries):,} calls, more than {MAX_CALLS:,}")
    for entry in entries:
        if not isinstance(entry, dict):
            raise UnreadableError("the calls of the reply are no list of objects")
        yield ReplyCall(
            id=word(entry.get("id")),
            name=word(entry.get("name")) or "",
            raw_arguments=argument_text(entry.get("arguments")),
        )


def _usage(value: JsonValue) -> Usage:
    if not isinstance(value, dict):
        return Usage()
    return Usage(
        input_tokens=count(value.get("input_tokens")),
        output_tokens=count(value.get("output_tokens")),
        cached_input_tokens=count(value.get("cached_input_tokens")),
    )

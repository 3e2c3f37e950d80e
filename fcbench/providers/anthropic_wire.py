"""Anthropic's Messages format: what goes out, and how a reply is read whatever stands in it.

Field names, block types and stop reasons are those of the Messages API (version 2023-06-01): `tool_use` blocks hold an
object as `input`, results go back as `tool_result` blocks in the next user turn, and `thinking` and
`redacted_thinking` blocks must come back untouched while tools are in use.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from fcbench.core.canonical import clean_text, digest_bytes, parse_json
from fcbench.core.evidence import Usage
from fcbench.core.names import Digest, JsonObject, JsonValue
from fcbench.errors import JsonError
from fcbench.providers.base import Message, Reply, ReplyCall, Request, ToolSpec
from fcbench.providers.reading import MAX_CALLS, UnreadableError, argument_text, bad_reply, count, read_body, word
from fcbench.providers.wire_history import CallIds, answered_ids
from fcbench.providers.wire_names import legal_name

THINKING = ("thinking", "redacted_thinking")
_NOT_IN_AN_ID = re.compile(r"[^A-Za-z0-9_-]")


def request_fields(request: Request, model: str, temperature: float | None) -> JsonObject:
    """The fields of one request, without streaming. There is no seed in this format.

    Args:
        request: what to ask; its tools go out with their schemas untouched.
        model: the model's name at the provider.
        temperature: what is sent; None leaves the field out, for models that refuse it.
    """
    sampling = request.sampling
    fields: JsonObject = {
        "model": model,
        "max_tokens": sampling.max_output_tokens,
        "messages": sent_turns(request.messages),
    }
    system = "\n\n".join(clean_text(one.content) for one in request.messages if one.role == "system")
    if system:
        fields["system"] = system
    if temperature is not None:
        fields["temperature"] = temperature
    if sampling.reasoning_effort is not None:
        fields["output_config"] = {"effort": sampling.reasoning_effort}
    if request.tools:
        fields["tools"] = [_tool(tool, strict=sampling.decoding == "strict") for tool in request.tools]
        fields["tool_choice"] = {"type": "auto"}
    return fields


def _tool(tool: ToolSpec, *, strict: bool) -> JsonObject:
    found: JsonObject = {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
    if strict:
        found["strict"] = True
    return found


def sent_turns(messages: Sequence[Message]) -> list[JsonValue]:
    """The conversation as turns of `user` and `assistant` in turn: all results of one reply in one user turn.

    A turn of the assistant that holds nothing to send (an empty reply) is left out, since the API refuses empty blocks.
    """
    turns: list[tuple[str, list[JsonValue]]] = []
    ids = CallIds(legal=_legal_id)
    for at, message in enumerate(messages):
        if message.role == "system":
            continue
        blocks: list[JsonValue] = list(_blocks(message, messages[at + 1 :], ids))
        role = "assistant" if message.role == "assistant" else "user"
        if blocks and turns and turns[-1][0] == role:
            turns[-1][1].extend(blocks)
        elif blocks:
            turns.append((role, blocks))
    return [{"role": role, "content": blocks} for role, blocks in turns]


def _legal_id(call_id: str) -> str:
    return _NOT_IN_AN_ID.sub("_", call_id)


def _blocks(message: Message, later: Sequence[Message], ids: CallIds) -> Iterator[JsonObject]:
    content = clean_text(message.content)
    if message.role == "tool":
        yield {"type": "tool_result", "tool_use_id": ids.answered(message.call_id or ""), "content": content}
    elif message.role == "assistant":
        yield from _assistant_blocks(message, content, ids.give(message.calls, answered_ids(later)))
    elif content.strip():
        yield {"type": "text", "text": content}


def _assistant_blocks(message: Message, content: str, given: Sequence[str]) -> Iterator[JsonObject]:
    calls = [_sent_call(call, call_id) for call, call_id in zip(message.calls, given, strict=True)]
    text: list[JsonObject] = [{"type": "text", "text": content}] if content.strip() else []
    if not (text or calls):
        return  # thinking alone is no turn
    if not any(block.get("type") in THINKING for block in message.carried):
        yield from (*text, *calls)
        return
    # The order of a reply with thinking is kept: a signature covers what stood before it.
    waiting = iter(calls)
    for block in message.carried:
        if block.get("type") in THINKING:
            yield block
        elif block.get("type") == "tool_use":
            yield from _next(waiting)
        else:
            yield block
    yield from waiting


def _next(calls: Iterator[JsonObject]) -> Iterator[JsonObject]:
    call = next(calls, None)
    if call is not None:
        yield call


def _sent_call(call: ReplyCall, call_id: str) -> JsonObject:
    return {"type": "tool_use", "id": call_id, "name": legal_name(call.name), "input": _sent_input(call.raw_arguments)}


def _sent_input(raw: str) -> JsonObject:
    """The arguments as an object, which this format demands; a text that is none goes back under `arguments`."""
    text = clean_text(raw)
    if not text.strip():
        return {}
    try:
        found = parse_json(text)
    except JsonError:
        found = None
    return found if isinstance(found, dict) else {"arguments": text}


def read_reply(raw: bytes, request_sha256: Digest, hide: Callable[[str], str] = str) -> Reply:
    """Read the raw body of a message.

    Args:
        raw: the body.
        request_sha256: of the request's body.
        hide: takes the key out of a text that an error message quotes.

    Raises:
        ProviderFailure: of kind `bad_reply`, if the body is no JSON object with a list of content, or holds more than
            `MAX_CALLS` calls.
    """
    try:
        return _read(raw, request_sha256)
    except UnreadableError as error:
        raise bad_reply(error.reason, raw, error.said, hide) from error


def _read(raw: bytes, request_sha256: Digest) -> Reply:
    body = read_body(raw)
    content = body.get("content")
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    if not isinstance(content, list):
        raise UnreadableError("the reply holds no content", body.get("error"))
    blocks = [block for block in content if isinstance(block, dict)]
    uses = [block for block in blocks if block.get("type") == "tool_use"]
    if len(uses) > MAX_CALLS:
        raise UnreadableError(f"the reply holds {len(uses):,} calls, more than {MAX_CALLS:,}")
    return Reply(
        text="".join(_text(block) for block in blocks),
        calls=tuple(_call(block) for block in uses),
        finish_reason=word(body.get("stop_reason")) or "unknown",
        usage=_usage(body.get("usage")),
        request_sha256=request_sha256,
        reply_sha256=digest_bytes(raw),
        carried=tuple(_carried(blocks)),
    )


def _text(block: JsonObject) -> str:
    text = block.get("text")
    return clean_text(text) if block.get("type") == "text" and isinstance(text, str) else ""


def _call(block: JsonObject) -> ReplyCall:
    return ReplyCall(
        id=word(block.get("id")), name=word(block.get("name")) or "", raw_arguments=argument_text(block.get("input"))
    )


def _carried(blocks: Sequence[JsonObject]) -> Iterator[JsonObject]:
    """The blocks of a reply that thought, in order: thinking whole, texts that say something, calls by place only."""
    if not any(block.get("type") in THINKING for block in blocks):
        return
    for block in blocks:
        if block.get("type") in THINKING:
            # Their fields are texts; anything else would be a hostile server's, and is not sent back to it.
            yield {name: clean_text(value) for name, value in block.items() if isinstance(value, str)}
        elif block.get("type") == "tool_use":
            yield {"type": "tool_use"}
        elif (text := _text(block)).strip():
            yield {"type": "text", "text": text}


def _usage(value: JsonValue) -> Usage:
    """Input tokens here are those that no cache gave; ours are all of them, as every other provider counts."""
    if not isinstance(value, dict):
        return Usage()
    fresh, read = count(value.get("input_tokens")), count(value.get("cache_read_input_tokens"))
    written = count(value.get("cache_creation_input_tokens"))
    return Usage(
        input_tokens=None if fresh is None else fresh + (read or 0) + (written or 0),
        output_tokens=count(value.get("output_tokens")),
        cached_input_tokens=read,
    )

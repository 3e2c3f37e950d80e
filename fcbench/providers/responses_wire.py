"""OpenAI's Responses format: what goes out, and how a response is read whatever stands in it.

Nothing is stored at the provider (`store: false`), so reasoning comes back encrypted and goes out again in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from fcbench.core.canonical import MAX_BYTES, canonical_text, clean_json, clean_text, digest_bytes
from fcbench.core.evidence import Usage
from fcbench.core.names import Digest, JsonObject, JsonValue
from fcbench.errors import JsonError
from fcbench.providers.base import Message, Reply, ReplyCall, Request
from fcbench.providers.reading import MAX_CALLS, UnreadableError, argument_text, bad_reply, count, read_body, word
from fcbench.providers.wire_history import CallIds, answered_ids, sent_arguments
from fcbench.providers.wire_names import legal_name

_LENGTH = "max_output_tokens"


def request_fields(request: Request, model: str, *, reasons: bool = False) -> JsonObject:
    """The fields of one request, without streaming. There is no seed in this format.

    `strict` is always said: this API turns it on where it is left out, and would then change or refuse a schema.

    Args:
        request: what to ask; its tools go out with their schemas untouched.
        model: the model's name at the provider.
        reasons: whether to ask for encrypted reasoning, which models that do not reason refuse.
    """
    sampling = request.sampling
    strict = sampling.decoding == "strict"
    fields: JsonObject = {
        "model": model,
        "input": sent_items(request.messages),
        "store": False,
        "max_output_tokens": sampling.max_output_tokens,
        "temperature": sampling.temperature,
    }
    if reasons:
        fields["include"] = ["reasoning.encrypted_content"]
    instructions = "\n\n".join(clean_text(one.content) for one in request.messages if one.role == "system")
    if instructions:
        fields["instructions"] = instructions
    if sampling.reasoning_effort is not None:
        fields["reasoning"] = {"effort": sampling.reasoning_effort}
    if request.tools:
        fields["tools"] = [
            {
                "type": "function",
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters,
                "strict": strict,
            }
            for tool in request.tools
        ]
        fields["tool_choice"] = "auto"
    return fields


def sent_items(messages: Sequence[Message]) -> list[JsonValue]:
    """The conversation as input items; calls and their results refer to each other by ids of their own."""
    ids, items = CallIds(), list[JsonValue]()
    for at, message in enumerate(messages):
        content = clean_text(message.content)
        if message.role == "tool":
            call_id = ids.answered(message.call_id or "")
            items.append({"type": "function_call_output", "call_id": call_id, "output": content})
        elif message.role == "user":
            items.append({"role": "user", "content": content})
        elif message.role == "assistant":
            given = ids.give(message.calls, answered_ids(messages[at + 1 :]))
            items.extend(_assistant_items(message, content, given))
    return items


def _assistant_items(message: Message, content: str, given: Sequence[str]) -> Iterator[JsonObject]:
    calls = [_sent_call(call, call_id) for call, call_id in zip(message.calls, given, strict=True)]
    text: list[JsonObject] = [{"role": "assistant", "content": content}] if content.strip() else []
    if not message.carried:
        yield from (*text, *calls)
        return
    waiting = {"message": iter(text), "function_call": iter(calls)}
    for item in message.carried:
        kind = str(item.get("type"))
        if kind in waiting:
            following = next(waiting[kind], None)
            if following is not None:
                yield following
        elif kind == "reasoning" and (text or calls):
            yield item  # reasoning alone is refused: the item that it led to must follow
    yield from waiting["message"]
    yield from waiting["function_call"]


def _sent_call(call: ReplyCall, call_id: str) -> JsonObject:
    return {
        "type": "function_call",
        "call_id": call_id,
        "name": legal_name(call.name),
        "arguments": sent_arguments(call),
    }


def read_reply(raw: bytes, request_sha256: Digest, hide: Callable[[str], str] = str) -> Reply:
    """Read the raw body of a response.

    Args:
        raw: the body.
        request_sha256: of the request's body.
        hide: takes the key out of a text that an error message quotes.

    Raises:
        ProviderFailure: of kind `bad_reply`, if the body is no JSON object with a list of output, says that the
            response failed, or holds more than `MAX_CALLS` calls.
    """
    try:
        return _read(raw, request_sha256)
    except UnreadableError as error:
        raise bad_reply(error.reason, raw, error.said, hide) from error


def _read(raw: bytes, request_sha256: Digest) -> Reply:
    body = read_body(raw)
    output = body.get("output")
    if not isinstance(output, list):
        raise UnreadableError("the reply holds no output", body.get("error"))
    if body.get("status") in ("failed", "cancelled"):
        raise UnreadableError(f"the response {body['status']}", body.get("error"))
    items = [item for item in output if isinstance(item, dict)]
    calls = [item for item in items if item.get("type") == "function_call"]
    if len(calls) > MAX_CALLS:
        raise UnreadableError(f"the reply holds {len(calls):,} calls, more than {MAX_CALLS:,}")
    return Reply(
        text="".join(text for item in items for text in _texts(item)),
        calls=tuple(_call(item) for item in calls),
        finish_reason=_finish_reason(body, has_calls=bool(calls)),
        usage=_usage(body.get("usage")),
        request_sha256=request_sha256,
        reply_sha256=digest_bytes(raw),
        carried=tuple(_carried(items)),
    )


def _finish_reason(body: JsonObject, *, has_calls: bool) -> str:
    """`length` where the output limit cut it, another reason or status as it is, else the words of chat completions."""
    status = word(body.get("status"))
    if status == "incomplete":
        details = body.get("incomplete_details")
        reason = word(details.get("reason")) if isinstance(details, dict) else None
        return "length" if reason == _LENGTH else reason or "incomplete"
    if status in (None, "completed"):
        return "tool_calls" if has_calls else "stop" if status else "unknown"
    return status or "unknown"


def _texts(item: JsonObject) -> Iterator[str]:
    if item.get("type") != "message":
        return
    content = item.get("content")
    if isinstance(content, str):
        yield clean_text(content)
    for part in content if isinstance(content, list) else ():
        text = (part.get("text") or part.get("refusal")) if isinstance(part, dict) else None
        if isinstance(text, str):
            yield clean_text(text)


def _call(item: JsonObject) -> ReplyCall:
    return ReplyCall(
        id=word(item.get("call_id")) or word(item.get("id")),
        name=word(item.get("name")) or "",
        raw_arguments=argument_text(item.get("arguments")),
    )


def _carried(items: Sequence[JsonObject]) -> Iterator[JsonObject]:
    """The items of a response that reasoned, in order: reasoning whole, everything else by its place only."""
    if not any(item.get("type") == "reasoning" for item in items):
        return
    for item in items:
        if item.get("type") != "reasoning":
            yield {"type": str(word(item.get("type")))}
        elif (reasoning := _reasoning(item)) is not None:
            yield reasoning


def _reasoning(item: JsonObject) -> JsonObject | None:
    """What may go back of a reasoning item: an id alone would point into a store that we do not use."""
    if not isinstance(item.get("encrypted_content"), str):
        return None
    kept: JsonObject = {
        name: item[name] for name in ("type", "id", "summary", "encrypted_content") if item.get(name) is not None
    }
    try:
        clean = clean_json(kept) if len(canonical_text(clean_json(kept))) <= MAX_BYTES else None
    except (JsonError, RecursionError):
        return None
    return {"summary": [], **clean} if isinstance(clean, dict) else None


def _usage(value: JsonValue) -> Usage:
    if not isinstance(value, dict):
        return Usage()
    details = value.get("input_tokens_details")
    return Usage(
        input_tokens=count(value.get("input_tokens")),
        output_tokens=count(value.get("output_tokens")),
        cached_input_tokens=count(details.get("cached_tokens")) if isinstance(details, dict) else None,
    )

"""The chat-completions wire format: what goes out, and how a reply is read whatever stands in it.

The SDK sends the request, but its models do not read the reply: a server that leaves out an id, sends arguments as an
object or writes a lone surrogate is evidence about that server, not a reason to crash. So the raw body is read here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec

from fcbench.core.canonical import MAX_BYTES, canonical_text, clean_json, clean_text, digest_bytes, parse_json
from fcbench.core.evidence import Usage
from fcbench.core.names import Digest, JsonObject, JsonValue
from fcbench.errors import JsonError
from fcbench.providers.base import Reply, ReplyCall, Request, ToolSpec
from fcbench.providers.reading import MAX_CALLS, UnreadableError, argument_text, bad_reply, count, read_body, word
from fcbench.providers.wire_history import sent_messages


def request_fields(request: Request, model: str, limit_field: str = "max_tokens") -> JsonObject:
    """The fields of one request, in the wire format, without streaming.

    Args:
        request: what to ask; its tools go out with their schemas untouched.
        model: the model's name at the provider.
        limit_field: the provider's word for the output limit, `max_tokens` or `max_completion_tokens`.
    """
    sampling = request.sampling
    fields: JsonObject = {
        "model": model,
        "messages": sent_messages(request.messages),
        "temperature": sampling.temperature,
        limit_field: sampling.max_output_tokens,
    }
    if sampling.seed is not None:
        fields["seed"] = sampling.seed
    if sampling.reasoning_effort is not None:
        fields["reasoning_effort"] = sampling.reasoning_effort
    if request.tools and sampling.decoding == "grammar":
        fields["response_format"] = grammar_format(request.tools)
    if request.tools:
        fields["tools"] = [_tool(tool, strict=sampling.decoding == "strict") for tool in request.tools]
        fields["tool_choice"] = "none" if sampling.decoding == "grammar" else "auto"
    return fields


def _tool(tool: ToolSpec, *, strict: bool) -> JsonObject:
    function: JsonObject = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    if strict:
        function["strict"] = True
    return {"type": "function", "function": function}


def grammar_format(tools: Sequence[ToolSpec]) -> JsonObject:
    """A `response_format` that lets through exactly one call of one offered tool, or one text answer.

    The text branch is there because a grammar without it would force a call where none is due.
    """
    options: list[JsonValue] = [
        _closed({"name": {"const": tool.name}, "arguments": {"$ref": f"#/$defs/{tool.name}"}}) for tool in tools
    ]
    options.append(_closed({"answer": {"type": "string"}}))
    # A reference inside a tool's schema counts from that schema's root, which now lies one level deeper.
    schemas = {tool.name: _rebased(tool.parameters, f"#/$defs/{tool.name}") for tool in tools}
    schema: JsonObject = {"anyOf": options, "$defs": schemas}
    return {"type": "json_schema", "json_schema": {"name": "call_or_answer", "schema": schema}}


def _rebased(schema: JsonValue, root: str) -> JsonValue:
    if isinstance(schema, list):
        return [_rebased(item, root) for item in schema]
    if not isinstance(schema, dict):
        return schema
    reference = schema.get("$ref")
    found: JsonObject = {key: _rebased(item, root) for key, item in schema.items()}
    if isinstance(reference, str) and reference.startswith("#"):
        found["$ref"] = root + reference[1:]
    return found


def _closed(properties: JsonObject) -> JsonObject:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def read_reply(
    raw: bytes, request_sha256: Digest, hide: Callable[[str], str] = str, carried: Sequence[str] = ()
) -> Reply:
    """Read the raw body of a chat completion.

    Args:
        raw: the body.
        request_sha256: of the request's body.
        hide: takes the key out of a text that an error message quotes.
        carried: fields of the message and its calls that must come back with the next request.

    Raises:
        ProviderFailure: of kind `bad_reply`, if the body is no JSON object with at least one choice and its message,
            or holds more than `MAX_CALLS` calls.
    """
    try:
        return _read(raw, request_sha256, carried)
    except UnreadableError as error:
        raise bad_reply(error.reason, raw, error.said, hide) from error


def _read(raw: bytes, request_sha256: Digest, carried: Sequence[str]) -> Reply:
    body = read_body(raw)
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        raise UnreadableError("the reply holds no choice", body.get("error"))
    message = choice.get("message")
    if not isinstance(message, dict):
        raise UnreadableError("the first choice holds no message")
    return Reply(
        text=_text(message),
        calls=tuple(_calls(message)),
        finish_reason=word(choice.get("finish_reason")) or "unknown",
        usage=_usage(body.get("usage")),
        request_sha256=request_sha256,
        reply_sha256=digest_bytes(raw),
        carried=tuple(_carried(message, carried)),
    )


def _carried(message: JsonObject, names: Sequence[str]) -> Iterator[JsonObject]:
    """One object, if there is anything: the named fields of the message, and of each of its calls in order."""
    if not names:
        return
    calls = [_picked(entry, names) for entry in _entries(message) if entry is not None]
    of_message = _picked(message, names)
    if of_message or any(calls):
        yield {"message": of_message, "calls": list(calls)}


def _picked(value: JsonValue, names: Sequence[str]) -> JsonObject:
    found: JsonObject = {}
    for name in names if isinstance(value, dict) else ():
        field = value.get(name) if isinstance(value, dict) else None
        try:
            clean = clean_json(field)
            if clean is not None and len(canonical_text(clean)) <= MAX_BYTES:
                found[name] = clean
        except (JsonError, RecursionError):
            continue  # a hostile value; whoever sent it does not need it back
    return found


def call_of_grammar(reply: Reply) -> Reply:
    """The reply to a request with `grammar_format`: its JSON text becomes a call, or its answer the text.

    A text that is no such object, as when the token limit cut it, stays a text.
    """
    try:
        value = parse_json(reply.text)
    except JsonError:
        return reply
    if not isinstance(value, dict):
        return reply
    name, arguments, answer = value.get("name"), value.get("arguments"), value.get("answer")
    if isinstance(name, str) and "arguments" in value:
        call = ReplyCall(id=None, name=name, raw_arguments=argument_text(arguments))
        return msgspec.structs.replace(reply, text="", calls=(call,))
    return msgspec.structs.replace(reply, text=answer) if isinstance(answer, str) else reply


def _text(message: JsonObject) -> str:
    content = message.get("content")
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "".join(part for part in parts if isinstance(part, str))
    if isinstance(content, str) and content:
        return clean_text(content)
    refusal = message.get("refusal")
    return clean_text(refusal) if isinstance(refusal, str) else ""


def _entries(message: JsonObject) -> list[JsonValue]:
    listed = message.get("tool_calls")
    return listed if isinstance(listed, list) else [listed] if isinstance(listed, dict) else []


def _calls(message: JsonObject) -> Iterator[ReplyCall]:
    entries = _entries(message)
    if len(entries) > MAX_CALLS:
        raise UnreadableError(f"the reply holds {len(entries):,} calls, more than {MAX_CALLS:,}")
    for entry in entries:
        if entry is not None:
            yield _entry(entry)
    legacy = message.get("function_call")
    if not entries and isinstance(legacy, dict):
        yield _call(legacy, None)


def _entry(entry: JsonValue) -> ReplyCall:
    """Any entry is evidence of a call, also one in no form that we know: that one keeps its JSON as arguments."""
    if not isinstance(entry, dict):
        return ReplyCall(id=None, name="", raw_arguments=argument_text(entry))
    call_id, function, custom = word(entry.get("id")), entry.get("function"), entry.get("custom")
    if isinstance(function, dict):
        return _call(function, call_id)
    if isinstance(custom, dict):
        return ReplyCall(
            id=call_id, name=word(custom.get("name")) or "", raw_arguments=argument_text(custom.get("input"))
        )
    if "name" in entry and "arguments" in entry:
        return _call(entry, call_id)
    name = word(entry.get("name")) or word(function) or ""
    return ReplyCall(id=call_id, name=name, raw_arguments=argument_text(entry))


def _call(function: JsonObject, call_id: str | None) -> ReplyCall:
    return ReplyCall(
        id=call_id, name=word(function.get("name")) or "", raw_arguments=argument_text(function.get("arguments"))
    )


def _usage(value: JsonValue) -> Usage:
    if not isinstance(value, dict):
        return Usage()
    details = value.get("prompt_tokens_details")
    return Usage(
        input_tokens=count(value.get("prompt_tokens")),
        output_tokens=count(value.get("completion_tokens")),
        cached_input_tokens=count(details.get("cached_tokens")) if isinstance(details, dict) else None,
    )

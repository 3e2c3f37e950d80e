"""Bodies of replies, good and bad, as a server sends them."""

from __future__ import annotations

import json

from fcbench.core.names import JsonObject, JsonValue
from tests.engine.faults.server import Answer, head, http

USED: JsonObject = {"prompt_tokens": 100, "completion_tokens": 10}
GOOD_ARGUMENTS = '{"gene": "araC"}'


def packed(value: object) -> bytes:
    """JSON as bytes; lone surrogates as escapes."""
    return json.dumps(value).encode()


def completion(message: JsonValue, *, finish: JsonValue = "stop", usage: JsonValue = USED, **more: JsonValue) -> bytes:
    """The body of a chat completion."""
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return packed({"id": "x", "object": "chat.completion", "choices": [choice], "usage": usage, **more})


def says(text: JsonValue, **more: JsonValue) -> Answer:
    """A reply of text."""
    return http(completion({"role": "assistant", "content": text}, **more))


def call(
    arguments: JsonValue = GOOD_ARGUMENTS,
    *,
    name: JsonValue = "find_gene",
    call_id: JsonValue = "c1",
    **more: JsonValue,
) -> JsonObject:
    """One entry of `tool_calls`; an empty id is left out."""
    entry: JsonObject = {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
    if call_id == "":
        del entry["id"]
    return entry


def calls(*entries: JsonValue, **more: JsonValue) -> Answer:
    """A reply of calls."""
    message: JsonObject = {"role": "assistant", "content": None, "tool_calls": list(entries)}
    return http(completion(message, **{"finish": "tool_calls", **more}))


def error(status: int, *, headers: dict[str, str] | None = None, **fields: JsonValue) -> Answer:
    """An error as OpenAI words it."""
    return http(packed({"error": {"message": "no", **fields}}), status=status, headers=headers)


def raw(body: bytes, *, status: int = 200, **headers: str) -> Answer:
    """Any body; an underscore in a header's name stands for a hyphen."""
    return http(body, status=status, headers={name.replace("_", "-"): value for name, value in headers.items()})


def chunked(*parts: bytes, ended: bool) -> Answer:
    """A body in chunks; without its end the last chunk is sent again and again."""
    framed = [b"%x\r\n%s\r\n" % (len(part), part) for part in parts]
    start = head(200, {"Transfer-Encoding": "chunked"})
    if ended:
        return Answer(parts=(start, *framed, b"0\r\n\r\n"), end="keep")
    return Answer(parts=(start, *framed), end="repeat")

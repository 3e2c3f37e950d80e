from __future__ import annotations

import asyncio
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcbench.core.names import Digest, JsonObject, JsonValue
from fcbench.core.schema import compile_schema
from fcbench.providers.base import ProviderFailure, Reply, ReplyCall, ToolSpec
from fcbench.providers.openai_chat import ChatEndpoint, OpenAIChat
from fcbench.providers.wire import call_of_grammar, grammar_format, read_reply
from tests.providers.loopback import TOOL, Answer, ask, completion, serve

ZERO = Digest("0" * 64)
TREE = ToolSpec(
    name="add_filter",
    description="Adds filters.",
    parameters={
        "type": "object",
        "properties": {"filter": {"$ref": "#/$defs/filter"}, "self": {"$ref": "#"}},
        "required": ["filter"],
        "additionalProperties": False,
        "$defs": {"filter": {"type": "string", "enum": ["a", "b"]}},
    },
)


def schema_of_grammar() -> JsonObject:
    found = grammar_format((TOOL, TREE))["json_schema"]
    assert isinstance(found, dict)
    schema: JsonObject = found["schema"]
    return schema


@pytest.mark.parametrize(
    ("value", "is_valid"),
    [
        ({"name": "get_gene", "arguments": {"name": "thrA"}}, True),
        ({"name": "add_filter", "arguments": {"filter": "a"}}, True),
        ({"name": "add_filter", "arguments": {"filter": "a", "self": {"filter": "b"}}}, True),
        ({"name": "add_filter", "arguments": {"filter": "a", "self": {"filter": "c"}}}, False),
        ({"name": "add_filter", "arguments": {"name": "thrA"}}, False),
        ({"name": "other", "arguments": {}}, False),
        ({"answer": "none is needed"}, True),
        ({"answer": "x", "name": "get_gene"}, False),
    ],
)
def test_the_grammar_lets_one_valid_call_or_one_answer_through(value: JsonValue, is_valid: bool) -> None:
    assert compile_schema(schema_of_grammar()).is_valid(value) is is_valid


@pytest.mark.parametrize(
    ("text", "reply_text", "calls"),
    [
        ('{"name": "t", "arguments": {"b": 1, "a": 2}}', "", (("t", '{"a":2,"b":1}'),)),
        ('{"answer": "hello"}', "hello", ()),
        ('{"name": "t", "argum', '{"name": "t", "argum', ()),
        ("[1]", "[1]", ()),
        ("words", "words", ()),
    ],
)
def test_a_text_under_the_grammar_becomes_its_call(
    text: str, reply_text: str, calls: tuple[tuple[str, str], ...]
) -> None:
    reply = call_of_grammar(Reply(text=text, finish_reason="stop", request_sha256=ZERO, reply_sha256=ZERO))
    assert reply.text == reply_text
    assert tuple((one.name, one.raw_arguments) for one in reply.calls) == calls


def test_a_server_that_holds_a_grammar_is_sent_it_and_its_text_read_as_a_call() -> None:
    async def once(url: str) -> Reply:
        provider = OpenAIChat(ChatEndpoint(model="m", base_url=url), holds_grammar=True)
        try:
            return await provider.complete(ask(decoding="grammar"))
        finally:
            await provider.aclose()

    body = completion({"content": '{"name": "get_gene", "arguments": {"name": "thrA"}}'})
    with serve(Answer(body=body)) as server:
        reply = asyncio.run(once(server.url))
    sent = json.loads(server.seen[0][2])
    assert sent["response_format"]["type"] == "json_schema"
    assert sent["tools"], "the prompt must still show the tools"
    assert reply.calls == (ReplyCall(id=None, name="get_gene", raw_arguments='{"name":"thrA"}'),)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["choices", "message", "tool_calls", "function", "name", "arguments", "content", "id", "usage"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@settings(max_examples=100, deadline=None)
@given(value=json_values, wrapped=st.booleans())
def test_no_json_crashes_the_reader(value: JsonValue, wrapped: bool) -> None:
    body = {"choices": [{"message": {"content": value, "tool_calls": value}, "finish_reason": value}], "usage": value}
    raw = json.dumps(body if wrapped else value).encode()
    try:
        reply = read_reply(raw, ZERO)
    except ProviderFailure as failure:
        assert failure.kind == "bad_reply"
    else:
        reply.text.encode()
        for call in reply.calls:
            call.raw_arguments.encode()


@settings(max_examples=60, deadline=None)
@given(raw=st.binary(max_size=300))
def test_no_bytes_crash_the_reader(raw: bytes) -> None:
    with pytest.raises(ProviderFailure):
        read_reply(raw, ZERO)

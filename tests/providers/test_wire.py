from __future__ import annotations

import asyncio
import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcbench.core.names import Digest, JsonObject, JsonValue
from fcbench.core.schema import compile_schema
from fcbench.providers.base import Message, ProviderFailure, Reply, ReplyCall, ToolSpec
from fcbench.providers.openai_chat import ChatEndpoint, OpenAIChat
from fcbench.providers.reading import MAX_CALLS
from fcbench.providers.wire import call_of_grammar, grammar_format, read_reply
from fcbench.providers.wire_history import sent_messages
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


@pytest.mark.parametrize(
    ("entry", "name", "raw_arguments"),
    [
        ({"id": "c", "name": "get_gene", "arguments": {"name": "thrA"}}, "get_gene", '{"name":"thrA"}'),
        ({"id": "c", "type": "custom", "custom": {"name": "get_gene", "input": "raw words"}}, "get_gene", "raw words"),
        ({"id": "c", "function": "get_gene"}, "get_gene", '{"function":"get_gene","id":"c"}'),
        ({"id": "c", "tool": "x"}, "", '{"id":"c","tool":"x"}'),
        (1, "", "1"),
    ],
)
def test_an_entry_of_any_form_is_evidence_of_a_call(entry: JsonValue, name: str, raw_arguments: str) -> None:
    (call,) = read_reply(completion({"tool_calls": [None, entry]}), ZERO).calls
    assert (call.name, call.raw_arguments) == (name, raw_arguments)
    assert call.id == ("c" if isinstance(entry, dict) else None)


def test_no_call_is_dropped_and_a_flood_of_them_is_turned_down() -> None:
    one: JsonObject = {"function": {"name": "t", "arguments": "{}"}}
    assert len(read_reply(completion({"tool_calls": [one] * 2000}), ZERO).calls) == 2000
    with pytest.raises(ProviderFailure, match="calls") as caught:
        read_reply(completion({"tool_calls": [1] * (MAX_CALLS + 1)}), ZERO)
    assert caught.value.kind == "bad_reply"


def test_a_history_goes_out_in_a_form_that_strict_servers_take() -> None:
    made = (
        ReplyCall(id="c", name="zoek gén!" + "x" * 80, raw_arguments='{"name": "thrA"}'),
        ReplyCall(id="c", name="", raw_arguments='{"na'),
        ReplyCall(id=None, name="ok-name_1", raw_arguments=" "),
    )
    results = [Message(role="tool", content=f"r{n}", call_id=one) for n, one in enumerate(("c", "c", "spare"))]
    again = [
        Message(role="assistant", calls=(ReplyCall(id="c", name="t", raw_arguments="[1]"),)),
        Message(role="tool", content="r3", call_id="c"),
        Message(role="assistant", content=""),
        Message(role="user", content="go on"),
    ]
    sent = json.loads(json.dumps(sent_messages((Message(role="assistant", calls=made), *results, *again))))
    calls = [one for message in sent for one in message.get("tool_calls", [])]
    names = [one["function"]["name"] for one in calls]
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) for name in names)
    assert names[2:] == ["ok-name_1", "t"]
    ids = [one["id"] for one in calls]
    assert ids[0] == "c"
    assert len(set(ids)) == len(ids) == 4
    assert [message["tool_call_id"] for message in sent if message["role"] == "tool"] == ids
    arguments = [one["function"]["arguments"] for one in calls]
    assert arguments[0] == '{"name": "thrA"}'
    assert [json.loads(one) for one in arguments[1:]] == ['{"na', {}, "[1]"]
    assert "content" not in sent[0]
    assert sent[-2] == {"role": "assistant", "content": " "}


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

from __future__ import annotations

import asyncio
import json
import traceback

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcbench.core.canonical import digest_bytes
from fcbench.core.names import JsonObject
from fcbench.errors import UsageError
from fcbench.providers.base import Message, ProviderFailure, Reply, ReplyCall, Request, SchemaRefused
from fcbench.providers.endpoint import ChatEndpoint, Quirks
from fcbench.providers.openai_responses import OpenAIResponses
from fcbench.providers.reading import MAX_CALLS
from fcbench.providers.responses_wire import read_reply, request_fields
from tests.providers.loopback import TOOL, Answer, ask, serve

CALL = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "call_1",
    "name": "get_gene",
    "arguments": '{"name": "thrA"}',
    "status": "completed",
}
REASONING = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "Z0FBQUFB"}


def said(words: str) -> JsonObject:
    return {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "content": [{"type": "output_text", "text": words, "annotations": []}],
    }


def response(*output: object, **more: object) -> bytes:
    body = {"id": "resp_1", "object": "response", "status": "completed", "output": list(output)}
    return json.dumps(body | more).encode()


def complete(url: str, request: Request, *, environment: dict[str, str] | None = None, **endpoint: object) -> Reply:
    async def once() -> Reply:
        where = ChatEndpoint(model="m-1", base_url=url, **endpoint)  # type: ignore[arg-type]
        provider = OpenAIResponses(where, environment=environment)
        try:
            return await provider.complete(request)
        finally:
            await provider.aclose()
            await provider.aclose()

    return asyncio.run(once())


def conversation(*messages: Message) -> Request:
    return msgspec.structs.replace(ask(), messages=messages, round=2)


def test_a_call_comes_back_with_the_digests_of_what_really_went_over_the_wire() -> None:
    body = response(said("I look."), CALL)
    with serve(Answer(body=body)) as server:
        reply = complete(server.url, ask())
    assert reply.calls == (ReplyCall(id="call_1", name="get_gene", raw_arguments='{"name": "thrA"}'),)
    assert (reply.text, reply.finish_reason, reply.carried) == ("I look.", "tool_calls", ())
    path, _, sent = server.seen[0]
    assert path == "/v1/responses"
    assert (reply.request_sha256, reply.reply_sha256) == (digest_bytes(sent), digest_bytes(body))


@pytest.mark.parametrize(("decoding", "strict"), [("free", False), ("strict", True)])
def test_the_request_stores_nothing_and_says_whether_it_is_strict(decoding: str, strict: bool) -> None:
    with serve(Answer(body=response(said("hi")))) as server:
        complete(server.url, ask(seed=11, max_output_tokens=99, decoding=decoding))
    sent = json.loads(server.seen[0][2])
    assert sent["tools"] == [
        {
            "type": "function",
            "name": "get_gene",
            "description": "Finds a gene.",
            "parameters": TOOL.parameters,
            "strict": strict,
        }
    ]
    assert sent["store"] is False
    assert (sent["instructions"], sent["input"]) == (
        "Be brief.",
        [{"role": "user", "content": "Where is thrA?"}],
    )
    assert (sent["max_output_tokens"], sent["temperature"], sent["tool_choice"]) == (99, 0.0, "auto")
    assert not {"seed", "stream", "include", "reasoning", "previous_response_id"} & sent.keys()


def test_grammar_is_refused() -> None:
    with serve(Answer()) as server, pytest.raises(UsageError, match="grammar"):
        complete(server.url, ask(decoding="grammar"))
    assert not server.seen


def test_reasoning_goes_back_in_its_place_between_rounds() -> None:
    second = {**CALL, "id": "fc_2", "call_id": "call_2"}
    with serve(Answer(body=response(REASONING, said("First."), CALL, second))) as server:
        where = {"quirks": Quirks(no_temperature=("m-*",))}
        reply = complete(server.url, ask(reasoning_effort="low"), **where)
        turn = Message(role="assistant", content=reply.text, calls=reply.calls, carried=reply.carried)
        results = [Message(role="tool", content="x", call_id=f"call_{number}") for number in (1, 2)]
        complete(server.url, conversation(*ask().messages, turn, *results), **where)
    first, later = (json.loads(body) for _, _, body in server.seen)
    assert "temperature" not in first
    assert (first["include"], first["reasoning"]) == (["reasoning.encrypted_content"], {"effort": "low"})
    assert later["input"][1:] == [
        REASONING,
        {"role": "assistant", "content": "First."},
        {"type": "function_call", "call_id": "call_1", "name": "get_gene", "arguments": '{"name": "thrA"}'},
        {"type": "function_call", "call_id": "call_2", "name": "get_gene", "arguments": '{"name": "thrA"}'},
        {"type": "function_call_output", "call_id": "call_1", "output": "x"},
        {"type": "function_call_output", "call_id": "call_2", "output": "x"},
    ]


def test_reasoning_that_could_only_be_looked_up_or_led_to_nothing_is_not_sent_back() -> None:
    plain = read_reply(response({**REASONING, "encrypted_content": None}, CALL), digest_bytes(b""))
    assert [item["type"] for item in plain.carried] == ["function_call"]
    alone = Message(role="assistant", carried=(REASONING,))
    fields = request_fields(conversation(alone, Message(role="user", content="Go on.")), "m")
    assert fields["input"] == [{"role": "user", "content": "Go on."}]


@pytest.mark.parametrize(
    ("more", "word"),
    [
        pytest.param({"status": "completed"}, "stop", id="completed"),
        pytest.param(
            {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}, "length", id="cut"
        ),
        pytest.param(
            {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}, "content_filter", id="filter"
        ),
        pytest.param({"status": "incomplete", "incomplete_details": 3}, "incomplete", id="no reason"),
        pytest.param({"status": "queued"}, "queued", id="another status"),
        pytest.param({"status": None}, "unknown", id="none"),
    ],
)
def test_how_a_response_ended_is_said_in_known_words(more: JsonObject, word: str) -> None:
    with serve(Answer(body=response(said("x"), **more))) as server:
        assert complete(server.url, ask()).finish_reason == word


@pytest.mark.parametrize(
    ("output", "text", "calls"),
    [
        pytest.param([{"type": "message", "content": "plain"}], "plain", [], id="a text for the content"),
        pytest.param([said("a\ud800b"), 3, None, {"type": "web_search_call"}], "a\ufffdb", [], id="foreign items"),
        pytest.param([{"type": "message", "content": [{"type": "refusal", "refusal": "no"}]}], "no", [], id="refusal"),
        pytest.param([{"type": "function_call"}], "", [(None, "", "")], id="a bare call"),
        pytest.param(
            [{**CALL, "call_id": None, "arguments": {"b": 1}}], "", [("fc_1", "get_gene", '{"b":1}')], id="an object"
        ),
    ],
)
def test_odd_replies_are_read_and_never_crash(
    output: list[object], text: str, calls: list[tuple[str | None, str, str]]
) -> None:
    with serve(Answer(body=response(*output))) as server:
        reply = complete(server.url, ask())
    assert reply.text == text
    assert [(one.id, one.name, one.raw_arguments) for one in reply.calls] == calls


def test_usage_is_read_with_its_cache() -> None:
    usage = {"input_tokens": 5, "output_tokens": 2, "input_tokens_details": {"cached_tokens": 3}}
    with serve(Answer(body=response(said("x"), usage=usage))) as server:
        found = complete(server.url, ask()).usage
    assert (found.input_tokens, found.output_tokens, found.cached_input_tokens) == (5, 2, 3)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b'{"error": {"message": "oops"}}', id="an error with status 200"),
        pytest.param(response(status="failed", error={"code": "server_error", "message": "oops"}), id="a failed one"),
        pytest.param(b"<html>", id="a web page"),
        pytest.param(b"[" * 200_000, id="a bomb of brackets"),
        pytest.param(response(*[CALL] * (MAX_CALLS + 1)), id="too many calls"),
    ],
)
def test_a_reply_that_is_none_is_a_failure_of_the_provider(body: bytes) -> None:
    with serve(Answer(body=body)) as server, pytest.raises(ProviderFailure) as caught:
        complete(server.url, ask())
    assert caught.value.kind == "bad_reply"


def test_errors_are_those_of_chat_completions_and_are_asked_once() -> None:
    body = json.dumps({"error": {"message": "Invalid schema for function 'get_gene'", "param": "tools[0].parameters"}})
    for answer, kind in (
        (Answer(status=400, body=body.encode()), SchemaRefused),
        (Answer(status=429, body=b'{"error": {"message": "slow"}}'), ProviderFailure),
    ):
        with serve(answer) as server, pytest.raises((SchemaRefused, ProviderFailure)) as caught:
            complete(server.url, ask())
        assert isinstance(caught.value, kind)
        assert len(server.seen) == 1


KEY = "sk-GOODSECRET-0123456789"


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(Answer(status=500, body=json.dumps({"error": {"message": f"got {KEY}"}}).encode()), id="500"),
        pytest.param(Answer(body=f"Bearer {KEY}".encode()), id="no reply"),
        pytest.param(Answer(body=response(said(KEY))), id="the text"),
        pytest.param(Answer(body=response({**CALL, "arguments": KEY})), id="the arguments"),
    ],
)
def test_a_key_that_a_server_quotes_stands_in_no_message(answer: Answer) -> None:
    with serve(answer) as server, pytest.raises(ProviderFailure) as caught:
        complete(server.url, ask(), environment={"K": KEY}, api_key_env="K")
    assert KEY in server.seen[0][1]["authorization"]
    assert "sk-GOOD" not in "".join(traceback.format_exception(caught.value))


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
_ITEM = st.fixed_dictionaries(
    {"type": st.sampled_from(["message", "function_call", "reasoning", "other"])},
    optional=dict.fromkeys(("content", "call_id", "id", "name", "arguments", "summary"), _JSON)
    | {"encrypted_content": st.text() | _JSON},
)


@given(st.fixed_dictionaries({"output": st.lists(_ITEM | _JSON, max_size=4), "incomplete_details": _JSON}))
def test_whatever_json_a_server_sends_is_a_reply_that_can_be_sent_back(body: JsonObject) -> None:
    reply = read_reply(json.dumps(body).encode(), digest_bytes(b""))
    turn = Message(role="assistant", content=reply.text, calls=reply.calls, carried=reply.carried)
    json.dumps(request_fields(conversation(turn), "m"), ensure_ascii=False, allow_nan=False).encode()

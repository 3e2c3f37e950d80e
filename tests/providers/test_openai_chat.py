from __future__ import annotations

import asyncio
import gzip
import inspect
import json
import socket
import sys
import traceback
from types import SimpleNamespace

import msgspec
import openai
import pytest

from fcbench.core.canonical import MAX_BYTES, digest_bytes
from fcbench.core.names import JsonObject
from fcbench.errors import FcbenchError, UsageError
from fcbench.providers.base import Message, ProviderFailure, Reply, ReplyCall, Request, SchemaRefused
from fcbench.providers.openai_chat import ChatEndpoint, OpenAIChat
from fcbench.providers.openai_errors import MAX_RETRY_AFTER_S, retry_after_s, translate
from tests.providers.loopback import Answer, ask, completion, serve


def complete(url: str, request: Request, **options: object) -> Reply:
    async def once() -> Reply:
        provider = OpenAIChat(ChatEndpoint(model="m-1", base_url=url), **options)  # type: ignore[arg-type]
        try:
            return await provider.complete(request)
        finally:
            await provider.aclose()
            await provider.aclose()

    return asyncio.run(once())


def call(arguments: object, **more: object) -> JsonObject:
    return {"type": "function", "function": {"name": "get_gene", "arguments": arguments}, **more}


def test_a_call_comes_back_with_the_digests_of_what_really_went_over_the_wire() -> None:
    body = completion({"role": "assistant", "content": None, "tool_calls": [call('{"name": "thrA"}', id="c1")]})
    with serve(Answer(body=body)) as server:
        reply = complete(server.url, ask())
    assert reply.calls == (ReplyCall(id="c1", name="get_gene", raw_arguments='{"name": "thrA"}'),)
    assert reply.text == ""
    path, _, sent = server.seen[0]
    assert path == "/v1/chat/completions"
    assert reply.request_sha256 == digest_bytes(sent)
    assert reply.reply_sha256 == digest_bytes(body)


def test_the_request_carries_tools_untouched_and_every_parameter_and_does_not_stream() -> None:
    with serve(Answer(body=completion({"content": "hi"}))) as server:
        complete(server.url, ask(seed=11, max_output_tokens=99, reasoning_effort="low"))
    sent = json.loads(server.seen[0][2])
    assert sent["tools"][0]["function"]["parameters"] == ask().tools[0].parameters
    assert "strict" not in sent["tools"][0]["function"]
    assert {key: sent[key] for key in ("model", "temperature", "seed", "max_tokens", "tool_choice")} == {
        "model": "m-1",
        "temperature": 0.0,
        "seed": 11,
        "max_tokens": 99,
        "tool_choice": "auto",
    }
    assert sent["reasoning_effort"] == "low"
    assert not sent.get("stream")
    assert not {"task_id", "repeat", "round"} & sent.keys()


def test_strict_decoding_marks_the_functions_and_grammar_is_refused() -> None:
    with serve(Answer(body=completion({"content": "hi"}))) as server:
        complete(server.url, ask(decoding="strict"))
        with pytest.raises(UsageError, match="grammar"):
            complete(server.url, ask(decoding="grammar"))
    assert json.loads(server.seen[0][2])["tools"][0]["function"]["strict"] is True
    assert len(server.seen) == 1


def test_extra_body_depends_on_the_request() -> None:
    with serve(Answer(body=completion({"content": "hi"}))) as server:
        for number in (1, 2):
            complete(
                server.url,
                ask(round_number=number),
                extra_body=lambda request: {"cache_prompt": request.round > 1},
            )
    assert [json.loads(body)["cache_prompt"] for _, _, body in server.seen] == [False, True]


def test_calls_without_an_id_go_out_with_the_id_by_which_they_were_answered() -> None:
    history = (
        Message(role="user", content="x"),
        Message(role="assistant", calls=(ReplyCall(id=None, name="get_gene", raw_arguments="{}"),)),
        Message(role="tool", content="lone \ud800 half", call_id="call-1-0"),
    )
    request = Request(messages=history, tools=(), task_id=ask().task_id, repeat=1, round=2)
    with serve(Answer(body=completion({"content": "ok"}))) as server:
        complete(server.url, request)
    sent = json.loads(server.seen[0][2])
    assert sent["messages"][1]["tool_calls"][0]["id"] == sent["messages"][2]["tool_call_id"] == "call-1-0"
    assert sent["messages"][2]["content"] == "lone \ufffd half"
    assert "tools" not in sent
    assert "tool_choice" not in sent


@pytest.mark.parametrize(
    ("message", "calls"),
    [
        pytest.param(
            {"tool_calls": [call({"b": 1, "a": "é"})]}, [(None, '{"a":"é","b":1}')], id="arguments as an object"
        ),
        pytest.param({"tool_calls": [call(None, id=7)]}, [(None, "")], id="null arguments, a number as id"),
        pytest.param({"tool_calls": [call({"n": 2**60})]}, [(None, '{"n": 1152921504606846976}')], id="a huge integer"),
        pytest.param(
            {"function_call": {"name": "get_gene", "arguments": "{}"}}, [(None, "{}")], id="the legacy function_call"
        ),
        pytest.param({"tool_calls": call("{", id="c")}, [("c", "{")], id="one call that is no list"),
        pytest.param({"tool_calls": "junk"}, [], id="calls that are a text"),
        pytest.param(
            {"tool_calls": [call('{"name": "\ud800"}')]}, [(None, '{"name": "\ufffd"}')], id="a lone surrogate"
        ),
    ],
)
def test_odd_calls_are_read_and_never_crash(message: JsonObject, calls: list[tuple[str | None, str]]) -> None:
    with serve(Answer(body=completion({"role": "assistant", "content": None, **message}))) as server:
        reply = complete(server.url, ask())
    assert [(one.id, one.raw_arguments) for one in reply.calls] == calls
    assert all(one.name == "get_gene" for one in reply.calls)


@pytest.mark.parametrize(
    ("message", "choice", "text", "reason"),
    [
        pytest.param({"content": "a\ud800b"}, {}, "a\ufffdb", "stop", id="a lone surrogate"),
        pytest.param({"content": None, "refusal": "no"}, {}, "no", "stop", id="a refusal"),
        pytest.param({"content": [{"type": "text", "text": "a"}, {"text": "b"}, 3]}, {}, "ab", "stop", id="parts"),
        pytest.param({"content": 5}, {"finish_reason": "because"}, "", "because", id="an unknown finish reason"),
        pytest.param({}, {"finish_reason": None}, "", "unknown", id="no finish reason"),
    ],
)
def test_odd_texts_are_read(message: JsonObject, choice: JsonObject, text: str, reason: str) -> None:
    with serve(Answer(body=completion(message, **choice))) as server:
        reply = complete(server.url, ask())
    assert (reply.text, reply.finish_reason) == (text, reason)


def test_invalid_utf8_is_replaced_and_its_raw_digest_kept() -> None:
    body = b'{"choices": [{"message": {"content": "a\xff\xfeb"}, "finish_reason": "stop"}]}'
    with serve(Answer(body=body)) as server:
        reply = complete(server.url, ask())
    assert reply.text == "a\ufffd\ufffdb"
    assert reply.reply_sha256 == digest_bytes(body)


def test_a_reply_of_ten_megabytes_is_read() -> None:
    with serve(Answer(body=completion({"content": "x" * 10_000_000}))) as server:
        assert len(complete(server.url, ask()).text) == 10_000_000


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        pytest.param(
            {"prompt_tokens": 5, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 3}},
            (5, 2, 3),
            id="counted",
        ),
        pytest.param({"prompt_tokens": -1, "completion_tokens": True}, (None, None, None), id="absurd"),
        pytest.param("many", (None, None, None), id="a text"),
    ],
)
def test_usage_is_taken_only_where_it_is_a_count(usage: object, counts: tuple[int | None, ...]) -> None:
    body = json.loads(completion({"content": "x"})) | {"usage": usage}
    with serve(Answer(body=json.dumps(body).encode())) as server:
        found = complete(server.url, ask()).usage
    assert (found.input_tokens, found.output_tokens, found.cached_input_tokens) == counts


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(Answer(body=b'{"choices": []}'), id="no choice"),
        pytest.param(Answer(body=b'{"choices": [{"message": null}]}'), id="no message"),
        pytest.param(Answer(body=b'{"choices": 3, "error": {"message": "oops"}}'), id="an error with status 200"),
        pytest.param(Answer(body=b"<html>busy</html>", headers={"Content-Type": "text/html"}), id="a web page"),
        pytest.param(Answer(body=b""), id="nothing"),
        pytest.param(Answer(body=b"[" * 200_000), id="a bomb of brackets"),
        pytest.param(Answer(body=b"[1]"), id="a list"),
    ],
)
def test_a_reply_that_is_none_is_a_failure_of_the_provider(answer: Answer) -> None:
    with serve(answer) as server, pytest.raises(ProviderFailure) as caught:
        complete(server.url, ask())
    assert caught.value.kind == "bad_reply"
    assert caught.value.is_transient


@pytest.mark.parametrize(
    ("status", "kind", "is_transient"),
    [
        (400, "refused", False),
        (401, "authentication", False),
        (403, "authentication", False),
        (404, "not_found", False),
        (408, "unavailable", True),
        (409, "unavailable", True),
        (413, "refused", False),
        (422, "refused", False),
        (429, "rate_limited", True),
        (500, "unavailable", True),
        (503, "unavailable", True),
        (504, "unavailable", True),
        (529, "unavailable", True),
    ],
)
def test_each_status_has_its_kind_and_is_asked_once(status: int, kind: str, is_transient: bool) -> None:
    body = b'{"error": {"message": "said so", "type": "x"}}'
    answer = Answer(status=status, body=body, headers={"Retry-After": "3"})
    with serve(answer) as server, pytest.raises(ProviderFailure, match="said so") as caught:
        complete(server.url, ask())
    assert (caught.value.kind, caught.value.status, caught.value.retry_after_s) == (kind, status, 3.0)
    assert caught.value.is_transient is is_transient
    assert len(server.seen) == 1, "the SDK must not retry"


def test_a_spent_quota_is_not_waited_for() -> None:
    body = b'{"error": {"message": "pay", "code": "insufficient_quota"}}'
    with serve(Answer(status=429, body=body)) as server, pytest.raises(ProviderFailure) as caught:
        complete(server.url, ask())
    assert not caught.value.is_transient


@pytest.mark.parametrize(
    ("error", "is_schema"),
    [
        pytest.param({"message": "Invalid schema for function 'get_gene'"}, True, id="its words"),
        pytest.param({"message": "no", "param": "tools[0].function.parameters"}, True, id="its param"),
        pytest.param({"message": "no", "code": "invalid_function_parameters"}, True, id="its code"),
        pytest.param({"message": "failed to parse grammar"}, True, id="a grammar"),
        pytest.param({"message": "maximum context length is 8192, tools schema counted"}, False, id="a long prompt"),
        pytest.param({"message": "messages[3] is not valid under the schema of tools"}, False, id="a message"),
        pytest.param(
            {"message": "Invalid schema of a tool call", "param": "messages.[2].tool_calls"}, False, id="its param"
        ),
        pytest.param({"message": "the body does not match the schema"}, False, id="a schema of no tool"),
        pytest.param({"message": "temperature is not supported"}, False, id="another parameter"),
    ],
)
def test_only_a_complaint_about_a_schema_is_a_refused_schema(error: JsonObject, is_schema: bool) -> None:
    answer = Answer(status=400, body=json.dumps({"error": error}).encode())
    with serve(answer) as server, pytest.raises(SchemaRefused if is_schema else ProviderFailure) as caught:
        complete(server.url, ask())
    if is_schema:
        assert isinstance(caught.value, SchemaRefused)
        assert str(error["message"]) in caught.value.message
        assert caught.value.status == 400
        if "get_gene" in str(error) or "tools[0]" in str(error):
            assert "the schema of get_gene" in caught.value.message


def test_a_schema_that_was_taken_in_round_1_is_not_refused_later() -> None:
    answer = Answer(status=400, body=b'{"error": {"message": "Invalid schema for function \'get_gene\'"}}')
    with serve(answer) as server, pytest.raises(ProviderFailure) as caught:
        complete(server.url, ask(round_number=3))
    assert caught.value.kind == "refused"


@pytest.mark.parametrize(
    "error",
    [
        {"message": "the request exceeds the available context size, try increasing it"},
        {"message": "no", "type": "exceed_context_size_error"},
        {"message": "This model's maximum context length is 8192 tokens."},
        {"message": "no", "code": "context_length_exceeded"},
        {"message": "prompt is too long: 210000 tokens > 200000 maximum"},
        {"message": "The input token count (9) exceeds the maximum number of tokens allowed (8)."},
    ],
)
def test_a_conversation_longer_than_the_context_has_a_kind_of_its_own(error: JsonObject) -> None:
    answer = Answer(status=400, body=json.dumps({"error": error}).encode())
    with serve(answer) as server, pytest.raises(ProviderFailure) as caught:
        complete(server.url, ask(round_number=4))
    assert (caught.value.kind, caught.value.status, caught.value.is_transient) == ("context_full", 400, False)


KEY = 'sk-GOODSECRET-0123456789"\\x'


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(
            Answer(status=500, body=json.dumps({"error": {"message": f"got Bearer {KEY}"}}).encode()), id="500"
        ),
        pytest.param(Answer(status=400, body=f"a schema of a tool, Bearer {KEY}".encode()), id="a schema"),
        pytest.param(Answer(status=500, body=f"{'x' * 960} Bearer {KEY}".encode()), id="at the cut of a message"),
        pytest.param(Answer(body=f"Bearer {KEY}".encode()), id="a reply that is none"),
        pytest.param(Answer(body=f"{'x' * 280} Bearer {KEY}".encode()), id="at the cut of a quotation"),
        pytest.param(Answer(body=json.dumps({"error": {"said": KEY}}).encode()), id="an error with status 200"),
        pytest.param(Answer(body=completion({"content": f"you are {KEY}"})), id="the text"),
        pytest.param(Answer(body=completion({"tool_calls": [call({"name": KEY})]})), id="the arguments"),
    ],
)
def test_a_key_that_a_server_quotes_stands_in_no_message(answer: Answer) -> None:
    async def once(url: str) -> None:
        endpoint = ChatEndpoint(model="m", base_url=url, api_key_env="K")
        provider = OpenAIChat(endpoint, environment={"K": KEY})
        try:
            await provider.complete(ask())
        finally:
            await provider.aclose()

    with serve(answer) as server, pytest.raises((ProviderFailure, SchemaRefused)) as caught:
        asyncio.run(once(server.url))
    assert KEY in server.seen[0][1]["authorization"]
    printed = "".join(traceback.format_exception(caught.value))
    for shown in (str(caught.value), printed):
        assert "sk-GOOD" not in shown


@pytest.mark.parametrize("key", ["sk-SECRET1\nsk-SECRET2", "sk-SECRET\0x", "sk SECRET", "sk-SECRÉT"])
def test_a_key_that_fits_no_header_is_refused_without_being_shown(key: str) -> None:
    with pytest.raises(UsageError, match="OPENAI_API_KEY") as caught:
        OpenAIChat(ChatEndpoint(model="m"), environment={"OPENAI_API_KEY": key})
    assert "SECR" not in str(caught.value)


def test_a_reply_without_end_or_with_a_bomb_is_not_read_to_its_end() -> None:
    packed = gzip.compress(completion({"content": "x" * (MAX_BYTES + 1)}))
    assert len(packed) < 100_000
    zipped = {"Content-Encoding": "gzip"}
    for answer in (
        Answer(body=packed, headers=zipped),
        Answer(body=packed, status=500, headers=zipped),
        Answer(body=b"x", headers={"Content-Encoding": "br"}),
        Answer(body=b"not gzip", headers=zipped),
        Answer(body=b"x" * (MAX_BYTES + 1), status=503),
    ):
        with serve(answer) as server, pytest.raises(ProviderFailure, match="was not read") as caught:
            complete(server.url, ask())
        assert caught.value.kind == "bad_reply"
        assert server.seen[0][1]["accept-encoding"] == "identity"


def test_a_reply_that_was_packed_all_the_same_is_read() -> None:
    body = completion({"content": "hi"})
    with serve(Answer(body=gzip.compress(body), headers={"Content-Encoding": "gzip"})) as server:
        reply = complete(server.url, ask())
    assert (reply.text, reply.reply_sha256) == ("hi", digest_bytes(body))


def test_a_slow_server_and_one_that_drips_are_timed_out() -> None:
    hurried = msgspec.structs.replace(ask(), timeout_s=0.3)
    for answer in (Answer(delay_s=1.0), Answer(body=b" " * 1000, drip_s=0.05)):
        with serve(answer) as server, pytest.raises(ProviderFailure) as caught:
            complete(server.url, hurried)
        assert caught.value.kind == "timed_out"


def test_a_cut_body_and_a_closed_port_are_failures_of_the_connection() -> None:
    with serve(Answer(body=completion({"content": "x"}), cut=True)) as server, pytest.raises(ProviderFailure) as caught:
        complete(server.url, ask())
    assert caught.value.kind == "connection"
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/v1"
        with pytest.raises(ProviderFailure) as caught:
            complete(url, ask())
    assert caught.value.kind == "connection"


def _raised(kind: type[Exception]) -> Exception:
    """An instance of an SDK error, whatever its constructor asks for."""
    http = sys.modules["openai._exceptions"].httpx2  # the HTTP library that the SDK itself uses
    request = http.Request("POST", "http://127.0.0.1/v1")
    statuses = {
        openai.BadRequestError: 400,
        openai.AuthenticationError: 401,
        openai.PermissionDeniedError: 403,
        openai.NotFoundError: 404,
        openai.ConflictError: 409,
        openai.UnprocessableEntityError: 422,
        openai.RateLimitError: 429,
    }
    status = next((code for known, code in statuses.items() if issubclass(kind, known)), 500)
    given = {
        "message": "m",
        "request": request,
        "response": http.Response(status, request=request),
        "body": None,
        "unsent_messages": [],
        "symbol": "x",
        "completion": SimpleNamespace(usage=None),
    }
    names = [name for name in inspect.signature(kind.__init__).parameters if name in given]
    if names:
        return kind(**{name: given[name] for name in names})
    try:
        return kind("m")
    except TypeError:
        return kind()  # it brings its own words


def _all_kinds(kind: type[Exception]) -> set[type[Exception]]:
    return {kind}.union(*(_all_kinds(child) for child in kind.__subclasses__()))


def test_every_error_class_of_the_sdk_is_translated() -> None:
    kinds = _all_kinds(openai.OpenAIError)
    assert len(kinds) >= 15
    for kind in sorted(kinds, key=lambda one: one.__name__):
        found = translate(_raised(kind), now_s=0.0)
        assert isinstance(found, ProviderFailure | SchemaRefused), kind
        assert isinstance(found, FcbenchError)
        if kind in (openai.OpenAIError, openai.APIError):
            continue
        if issubclass(kind, openai.APIStatusError) and isinstance(found, ProviderFailure):
            assert found.status is not None, kind


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "-4"}, 0.0),
        ({"retry-after": "1e300"}, MAX_RETRY_AFTER_S),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 90.0),
        ({}, None),
    ],
)
def test_the_wait_that_a_provider_asks_for_is_read_and_bounded(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers, now_s=10.0) == seconds


def test_the_key_comes_from_the_environment_and_a_real_one_never_goes_to_loopback_unasked() -> None:
    environment = {"OPENAI_API_KEY": "sk-real", "OTHER_KEY": "sk-other"}
    with serve(Answer(body=completion({"content": "x"}))) as server:
        complete(server.url, ask(), environment=environment)

        async def named() -> None:
            endpoint = ChatEndpoint(model="m", base_url=server.url, api_key_env="OTHER_KEY")
            provider = OpenAIChat(endpoint, environment=environment)
            await provider.complete(ask())
            assert "sk-other" not in repr(provider.info)
            await provider.aclose()

        asyncio.run(named())
    assert [headers["authorization"] for _, headers, _ in server.seen] == [
        "Bearer not-needed-on-loopback",
        "Bearer sk-other",
    ]


@pytest.mark.parametrize("environment", [{}, {"OPENAI_API_KEY": " "}])
def test_a_missing_key_is_said_by_the_name_of_its_variable(environment: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="OPENAI_API_KEY"):
        OpenAIChat(ChatEndpoint(model="m"), environment=environment)


def test_the_organisation_of_the_environment_stays_at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-secret")
    monkeypatch.setenv("HTTP_PROXY", "http://192.0.2.1:3128")
    with serve(Answer(body=completion({"content": "x"}))) as server:
        complete(server.url, ask())
    assert server.seen
    assert "org-secret" not in repr(server.seen[0][1])

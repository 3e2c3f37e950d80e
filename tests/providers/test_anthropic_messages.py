from __future__ import annotations

import asyncio
import gzip
import inspect
import json
import socket
import traceback

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcbench.core.canonical import MAX_BYTES, digest_bytes
from fcbench.core.names import JsonObject
from fcbench.errors import FcbenchError, UsageError
from fcbench.providers.anthropic_messages import AnthropicMessages
from fcbench.providers.anthropic_wire import read_reply, request_fields
from fcbench.providers.base import Message, ProviderFailure, Reply, ReplyCall, Request, SchemaRefused
from fcbench.providers.endpoint import ChatEndpoint, Quirks
from fcbench.providers.reading import MAX_CALLS
from tests.providers.loopback import TOOL, Answer, ask, serve

anthropic = pytest.importorskip("anthropic", reason="the extra anthropic is not installed")

USE = {"type": "tool_use", "id": "toolu_1", "name": "get_gene", "input": {"name": "thrA"}}
THOUGHT = {"type": "thinking", "thinking": "Let me see.", "signature": "c2lnbmVk"}
HIDDEN = {"type": "redacted_thinking", "data": "ZW5jcnlwdGVk"}


def message(*blocks: object, stop: object = "end_turn", **more: object) -> bytes:
    """A body as the Messages API documents it."""
    body = {
        "id": "msg_01",
        "type": "message",
        "role": "assistant",
        "model": "claude-x",
        "content": list(blocks),
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": 5, "output_tokens": 2},
    }
    return json.dumps(body | more).encode()


def text(words: str) -> JsonObject:
    return {"type": "text", "text": words}


def complete(url: str, request: Request, *, environment: dict[str, str] | None = None, **endpoint: object) -> Reply:
    async def once() -> Reply:
        where = ChatEndpoint(model="m-1", base_url=url, default_key_env="ANTHROPIC_API_KEY", **endpoint)  # type: ignore[arg-type]
        provider = AnthropicMessages(where, environment=environment)
        try:
            return await provider.complete(request)
        finally:
            await provider.aclose()
            await provider.aclose()

    return asyncio.run(once())


def conversation(*messages: Message, **more: object) -> Request:
    return msgspec.structs.replace(ask(), messages=messages, round=2, **more)


def test_a_call_comes_back_with_the_digests_of_what_really_went_over_the_wire() -> None:
    body = message(text("I look."), USE, stop="tool_use")
    with serve(Answer(body=body)) as server:
        reply = complete(server.url, ask())
    assert reply.calls == (ReplyCall(id="toolu_1", name="get_gene", raw_arguments='{"name":"thrA"}'),)
    assert (reply.text, reply.finish_reason, reply.carried) == ("I look.", "tool_use", ())
    path, headers, sent = server.seen[0]
    # A later version takes no temperature from any model.
    assert (path, headers["anthropic-version"]) == ("/v1/messages", "2023-06-01")
    assert reply.request_sha256 == digest_bytes(sent)
    assert reply.reply_sha256 == digest_bytes(body)


def test_the_request_carries_schemas_untouched_a_system_prompt_and_no_seed() -> None:
    with serve(Answer(body=message(text("hi")))) as server:
        complete(server.url, ask(seed=11, max_output_tokens=99, reasoning_effort="low"))
    sent = json.loads(server.seen[0][2])
    assert sent["tools"] == [
        {"name": "get_gene", "description": "Finds a gene.", "input_schema": TOOL.parameters},
    ]
    assert sent["system"] == "Be brief."
    assert sent["messages"] == [{"role": "user", "content": [text("Where is thrA?")]}]
    assert sent["tool_choice"] == {"type": "auto"}
    assert (sent["max_tokens"], sent["temperature"], sent["output_config"]) == (99, 0.0, {"effort": "low"})
    assert not {"seed", "stream", "task_id", "repeat", "round"} & sent.keys()


def test_several_calls_of_one_reply_get_their_results_in_one_user_turn() -> None:
    second = {**USE, "id": "toolu_2", "input": {"name": "araC"}}
    with serve(Answer(body=message(USE, second, stop="tool_use"))) as server:
        reply = complete(server.url, ask())
        asked = conversation(
            *ask().messages,
            Message(role="assistant", content=reply.text, calls=reply.calls),
            Message(role="tool", content='{"ok": true}', call_id="toolu_1"),
            Message(role="tool", content='{"ok": false}', call_id="toolu_2"),
            Message(role="user", content="Go on."),
        )
        complete(server.url, asked)
    turns = json.loads(server.seen[1][2])["messages"]
    assert [turn["role"] for turn in turns] == ["user", "assistant", "user"]
    assert turns[1]["content"] == [USE, second]
    assert turns[2]["content"] == [
        {"type": "tool_result", "tool_use_id": "toolu_1", "content": '{"ok": true}'},
        {"type": "tool_result", "tool_use_id": "toolu_2", "content": '{"ok": false}'},
        text("Go on."),
    ]


def test_thinking_stays_out_of_the_text_and_goes_back_in_its_place() -> None:
    blocks = (THOUGHT, text("First."), HIDDEN, USE)
    with serve(Answer(body=message(*blocks, stop="tool_use"))) as server:
        reply = complete(server.url, ask())
        turn = Message(role="assistant", content=reply.text, calls=reply.calls, carried=reply.carried)
        complete(server.url, conversation(*ask().messages, turn, Message(role="tool", content="x", call_id="toolu_1")))
    assert reply.text == "First."
    assert json.loads(server.seen[1][2])["messages"][1]["content"] == list(blocks)


@pytest.mark.parametrize(
    ("turn", "content"),
    [
        pytest.param(Message(role="assistant", content=" \n"), None, id="an empty reply is no turn"),
        pytest.param(
            Message(role="assistant", content="", carried=(THOUGHT,)), None, id="thinking alone is no turn either"
        ),
        pytest.param(
            Message(role="assistant", calls=(ReplyCall(id="a b/c", name="x y", raw_arguments="[1]"),)),
            [{"type": "tool_use", "id": "a_b_c", "name": "x_y", "input": {"arguments": "[1]"}}],
            id="an id, a name and arguments that the format does not take",
        ),
        pytest.param(
            Message(role="assistant", calls=tuple(ReplyCall(id="c", name="f", raw_arguments="") for _ in range(2))),
            [
                {"type": "tool_use", "id": "c", "name": "f", "input": {}},
                {"type": "tool_use", "id": "c-2", "name": "f", "input": {}},
            ],
            id="two calls of one id",
        ),
    ],
)
def test_odd_turns_go_out_in_a_form_that_the_api_takes(turn: Message, content: object) -> None:
    last = Message(role="user", content="Go on.")
    turns = request_fields(conversation(Message(role="user", content="x"), turn, last), "m", 0.0)["messages"]
    assert isinstance(turns, list)
    if content is None:
        assert turns == [{"role": "user", "content": [text("x"), text("Go on.")]}]
    else:
        assert turns[1] == {"role": "assistant", "content": content}


def test_strict_decoding_marks_the_tools_and_grammar_is_refused() -> None:
    with serve(Answer(body=message(text("hi")))) as server:
        complete(server.url, ask(decoding="strict"))
        with pytest.raises(UsageError, match="grammar"):
            complete(server.url, ask(decoding="grammar"))
    assert json.loads(server.seen[0][2])["tools"][0]["strict"] is True


@pytest.mark.parametrize(
    ("endpoint", "sent"),
    [
        pytest.param({}, True, id="as a rule"),
        pytest.param({"quirks": Quirks(no_temperature=("m-*",))}, False, id="a model known to refuse it"),
        pytest.param({"quirks": Quirks(no_temperature=("m-*",)), "temperature": "sent"}, True, id="asked for"),
        pytest.param({"temperature": "omitted"}, False, id="left out by the user"),
    ],
)
def test_a_temperature_that_a_model_refuses_is_left_out_and_that_is_recorded(
    endpoint: dict[str, object], sent: bool
) -> None:
    with serve(Answer(body=message(text("hi")))) as server:
        complete(server.url, ask(), **endpoint)
        info = AnthropicMessages(ChatEndpoint(model="m-1", base_url=server.url, **endpoint)).info  # type: ignore[arg-type]
    assert ("temperature" in json.loads(server.seen[0][2])) is sent
    assert ("badge" in info.attributes) is not sent
    assert info.attributes["seed"].startswith("not sent")


@pytest.mark.parametrize(
    ("content", "found", "calls"),
    [
        pytest.param("plain", "plain", [], id="a text for the content"),
        pytest.param([text("a\ud800b"), 3, None, {"type": "video"}, text("c")], "a\ufffdbc", [], id="foreign blocks"),
        pytest.param([{"type": "text", "text": 7}], "", [], id="a text that is a number"),
        pytest.param([{"type": "tool_use"}], "", [(None, "", "")], id="a bare call"),
        pytest.param(
            [{**USE, "input": '{"name": 1'}], "", [("toolu_1", "get_gene", '{"name": 1')], id="input as a text"
        ),
        pytest.param([{**USE, "input": [2**60]}], "", [("toolu_1", "get_gene", "[1152921504606846976]")], id="a list"),
    ],
)
def test_odd_replies_are_read_and_never_crash(
    content: object, found: str, calls: list[tuple[str | None, str, str]]
) -> None:
    with serve(Answer(body=message(content=content))) as server:
        reply = complete(server.url, ask())
    assert reply.text == found
    assert [(one.id, one.name, one.raw_arguments) for one in reply.calls] == calls


@pytest.mark.parametrize("stop", ["max_tokens", "refusal", "pause_turn", "because", None])
def test_the_stop_reason_is_kept_as_it_is(stop: str | None) -> None:
    with serve(Answer(body=message(text("x"), stop=stop))) as server:
        assert complete(server.url, ask()).finish_reason == (stop or "unknown")


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        pytest.param({"input_tokens": 5, "output_tokens": 2}, (5, 2, None), id="no cache"),
        pytest.param(
            {
                "input_tokens": 5,
                "output_tokens": 2,
                "cache_read_input_tokens": 30,
                "cache_creation_input_tokens": 4,
            },
            (39, 2, 30),
            id="a cache",
        ),
        pytest.param({"input_tokens": -1, "output_tokens": True}, (None, None, None), id="absurd"),
        pytest.param("many", (None, None, None), id="a text"),
    ],
)
def test_usage_counts_the_tokens_of_caches_as_input(usage: object, counts: tuple[int | None, ...]) -> None:
    with serve(Answer(body=message(text("x"), usage=usage))) as server:
        found = complete(server.url, ask()).usage
    assert (found.input_tokens, found.output_tokens, found.cached_input_tokens) == counts


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(Answer(body=b'{"type": "error", "error": {"message": "oops"}}'), id="an error with status 200"),
        pytest.param(Answer(body=b"<html>busy</html>", headers={"Content-Type": "text/html"}), id="a web page"),
        pytest.param(Answer(body=b""), id="nothing"),
        pytest.param(Answer(body=b"[" * 200_000), id="a bomb of brackets"),
        pytest.param(Answer(body=message(*[USE] * (MAX_CALLS + 1))), id="too many calls"),
        pytest.param(
            Answer(body=gzip.compress(b"x" * (MAX_BYTES + 1)), headers={"Content-Encoding": "gzip"}), id="a bomb"
        ),
        pytest.param(Answer(body=b"x" * (MAX_BYTES + 1), status=503), id="an error without end"),
    ],
)
def test_a_reply_that_is_none_is_a_failure_of_the_provider(answer: Answer) -> None:
    with serve(answer) as server, pytest.raises(ProviderFailure) as caught:
        complete(server.url, ask())
    assert caught.value.kind == "bad_reply"
    assert len(server.seen) == 1


def failed(kind: str, words: str, **details: object) -> bytes:
    error: JsonObject = {"type": kind, "message": words}
    if details:
        error["details"] = details
    return json.dumps({"type": "error", "error": error, "request_id": "req_011"}).encode()


@pytest.mark.parametrize(
    ("status", "type_", "kind", "is_transient"),
    [
        (400, "invalid_request_error", "refused", False),
        (401, "authentication_error", "authentication", False),
        (402, "billing_error", "refused", False),
        (403, "permission_error", "authentication", False),
        (404, "not_found_error", "not_found", False),
        (409, "conflict_error", "unavailable", True),
        (413, "request_too_large", "refused", False),
        (429, "rate_limit_error", "rate_limited", True),
        (500, "api_error", "unavailable", True),
        (504, "timeout_error", "unavailable", True),
        (529, "overloaded_error", "unavailable", True),
        (502, "a new type", "unavailable", True),
    ],
)
def test_each_error_of_the_documentation_has_its_kind_and_is_asked_once(
    status: int, type_: str, kind: str, is_transient: bool
) -> None:
    answer = Answer(status=status, body=failed(type_, "said so"), headers={"retry-after": "3", "request-id": "req_011"})
    with serve(answer) as server, pytest.raises(ProviderFailure, match="said so") as caught:
        complete(server.url, ask())
    assert (caught.value.kind, caught.value.status, caught.value.retry_after_s) == (kind, status, 3.0)
    assert caught.value.is_transient is is_transient
    assert len(server.seen) == 1, "the SDK must not retry"


def test_a_spent_limit_is_not_waited_for_and_a_refused_temperature_is_answered_with_advice() -> None:
    spent = failed("rate_limit_error", "limit", error_code="enforced_spend_limit_reached")
    for answer, words in (
        (Answer(status=429, body=spent), "limit"),
        (
            Answer(status=400, body=failed("invalid_request_error", "`temperature` is deprecated for this model.")),
            "--option temperature=omitted",
        ),
    ):
        with serve(answer) as server, pytest.raises(ProviderFailure, match=words) as caught:
            complete(server.url, ask())
        assert caught.value.kind == "refused"


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("tools.0.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12", SchemaRefused),
        ("tools.0.custom: For 'integer' type, properties maximum, minimum are not supported in schema", SchemaRefused),
        ("messages.1.content.0: unexpected `tool_use_id` in the schema of tools", ProviderFailure),
        ("prompt is too long: 210000 tokens > 200000 maximum", ProviderFailure),
    ],
)
def test_only_a_complaint_about_a_schema_is_a_refused_schema(words: str, kind: type[FcbenchError]) -> None:
    answer = Answer(status=400, body=failed("invalid_request_error", words))
    with serve(answer) as server, pytest.raises((SchemaRefused, ProviderFailure)) as caught:
        complete(server.url, ask())
    assert isinstance(caught.value, kind)
    if kind is SchemaRefused:
        assert "the schema of get_gene" in caught.value.message
    elif "long" in words:
        assert isinstance(caught.value, ProviderFailure)
        assert caught.value.kind == "context_full"


def test_a_slow_server_a_cut_body_and_a_closed_port_are_what_they_are() -> None:
    hurried = msgspec.structs.replace(ask(), timeout_s=0.3)
    for answer in (Answer(delay_s=1.0), Answer(body=b" " * 1000, drip_s=0.05)):
        with serve(answer) as server, pytest.raises(ProviderFailure) as caught:
            complete(server.url, hurried)
        assert caught.value.kind == "timed_out"
    with serve(Answer(body=message(text("x")), cut=True)) as server, pytest.raises(ProviderFailure) as caught:
        complete(server.url, ask())
    assert caught.value.kind == "connection"
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        with pytest.raises(ProviderFailure) as caught:
            complete(f"http://127.0.0.1:{closed.getsockname()[1]}", ask())
    assert caught.value.kind == "connection"


KEY = 'sk-ant-GOODSECRET-0123456789"\\x'


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(Answer(status=500, body=failed("api_error", f"got {KEY}")), id="500"),
        pytest.param(Answer(status=400, body=f"tools.0 input_schema, key {KEY}".encode()), id="a schema"),
        pytest.param(Answer(body=f"{'x' * 280} Bearer {KEY}".encode()), id="at the cut of a quotation"),
        pytest.param(Answer(body=message(text(f"you are {KEY}"))), id="the text"),
        pytest.param(Answer(body=message({**USE, "input": {"name": KEY}})), id="the arguments"),
    ],
)
def test_a_key_that_a_server_quotes_stands_in_no_message(answer: Answer) -> None:
    with serve(answer) as server, pytest.raises((ProviderFailure, SchemaRefused)) as caught:
        complete(server.url, ask(), environment={"K": KEY}, api_key_env="K")
    assert KEY in repr(server.seen[0][1]).replace("\\\\", "\\")
    assert "sk-ant" not in "".join(traceback.format_exception(caught.value))


def test_a_real_key_and_the_headers_of_the_environment_stay_at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_CUSTOM_HEADERS"):
        monkeypatch.setenv(name, "x-secret: sk-real-secret")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://192.0.2.1")
    monkeypatch.setenv("HTTP_PROXY", "http://192.0.2.1:3128")
    with serve(Answer(body=message(text("x")))) as server:
        complete(server.url, ask())
    assert "sk-real" not in repr(server.seen[0][1])
    assert "not-needed-on-loopback" in repr(server.seen[0][1])


@pytest.mark.parametrize("environment", [{}, {"ANTHROPIC_API_KEY": " "}])
def test_a_missing_key_is_said_by_the_name_of_its_variable(environment: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="ANTHROPIC_API_KEY"):
        complete("https://api.anthropic.com", ask(), environment=environment)


def _all_kinds(kind: type[Exception]) -> set[type[Exception]]:
    return {kind}.union(*(_all_kinds(child) for child in kind.__subclasses__()))


def _raised(kind: type[Exception]) -> Exception:
    import httpx2 as http  # the HTTP library that the SDK itself uses

    request = http.Request("POST", "http://127.0.0.1/v1")
    status = getattr(kind, "status_code", 500)
    given = {
        "message": "m",
        "request": request,
        "response": http.Response(status if isinstance(status, int) else 500, request=request),
        "body": None,
    }
    wanted = [name for name in inspect.signature(kind.__init__).parameters if name not in ("self", "args", "kwargs")]
    return kind(**{name: given.get(name, "x") for name in wanted})


def test_every_error_class_of_the_sdk_is_translated() -> None:
    from fcbench.providers.anthropic_errors import translate

    kinds = _all_kinds(anthropic.AnthropicError)
    assert len(kinds) >= 15
    for kind in sorted(kinds, key=lambda one: one.__name__):
        found = translate(_raised(kind), now_s=0.0)
        assert isinstance(found, ProviderFailure | SchemaRefused), kind
        if issubclass(kind, anthropic.APIStatusError) and isinstance(found, ProviderFailure):
            assert found.status is not None, kind


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
_BLOCK = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "tool_use", "thinking", "redacted_thinking", "other"])},
    optional=dict.fromkeys(("text", "id", "name", "input", "thinking", "signature", "data"), _JSON),
)


@given(st.fixed_dictionaries({"content": st.lists(_BLOCK | _JSON, max_size=4), "stop_reason": _JSON, "usage": _JSON}))
def test_whatever_json_a_server_sends_is_a_reply_that_can_be_sent_back(body: JsonObject) -> None:
    reply = read_reply(json.dumps(body).encode("utf-8", "surrogatepass"), digest_bytes(b""))
    turn = Message(role="assistant", content=reply.text, calls=reply.calls, carried=reply.carried)
    fields = request_fields(conversation(turn, Message(role="user", content="Go on.")), "m", None)
    json.dumps(fields, ensure_ascii=False).encode()


@given(st.binary(max_size=200))
def test_whatever_bytes_a_server_sends_are_a_reply_or_a_failure(raw: bytes) -> None:
    try:
        read_reply(raw, digest_bytes(b""))
    except ProviderFailure as failure:
        assert failure.kind == "bad_reply"

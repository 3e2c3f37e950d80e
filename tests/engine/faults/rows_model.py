"""Faults inside a reply: choices, messages, calls, finish reasons, usage."""

from __future__ import annotations

from fcbench.core.names import JsonValue
from tests.engine.faults.replies import GOOD_ARGUMENTS, USED, call, calls, completion, packed, says
from tests.engine.faults.row import DONE, Row
from tests.engine.faults.rows_wire import failing
from tests.engine.faults.server import Answer, http


def choices(value: JsonValue) -> Answer:
    """A reply with these choices."""
    return http(packed({"choices": value, "usage": USED}))


def message(value: JsonValue) -> Answer:
    """A reply with this message."""
    return http(completion(value))


def called(name: str, answer: Answer, holds: str, **facts: object) -> Row:
    """A reply of calls that are answered; then the model stops."""
    return Row(name=name, answers=(answer,), then=DONE, outcome="completed", requests=2, holds=holds,
               facts={"rounds": 2, "text": "done", "stop": "model stopped", **facts})  # fmt: skip


def once(name: str, answer: Answer, holds: str, **facts: object) -> Row:
    """A reply of text, or of nothing: the model stops."""
    return Row(name=name, answers=(answer,), outcome="completed", requests=1, holds=holds,
               facts={"rounds": 1, "stop": "model stopped", **facts})  # fmt: skip


LEGACY: JsonValue = {"content": None, "function_call": {"name": "find_gene", "arguments": GOOD_ARGUMENTS}}
REPAIRED = {"rounds": 3, "finish": ["length"] * 3, "stop": "cut at the output limit"}
DEEP = '{"gene": ' + "[" * 5000 + "]" * 5000 + "}"
ENVELOPES = (
    *failing("empty choices", choices([]), "bad_reply", message="the reply holds no choice"),
    *failing("no choices", http(packed({"id": "x"})), "bad_reply", message="the reply holds no choice"),
    *failing("a message of null", message(None), "bad_reply", message="the first choice holds no message"),
    *failing("an error with status 200", http(packed({"error": {"message": "later"}})), "bad_reply", message="later"),
    once("a message without content and calls", message({"role": "assistant"}), "one round, no text", text=""),
    once("content in parts", message({"content": [{"type": "text", "text": "a"}, {"text": "b"}, 3]}),
         "the joined text", text="ab"),
    once("`tool_calls: null`", message({"content": "hi", "tool_calls": None}), "the text", text="hi", calls=[]),
    once("`tool_calls` that are a text", message({"content": "hi", "tool_calls": "x"}), "the text", calls=[]),
    Row(name="finish reason `length` in a text, every time", answers=(says("cut", finish="length"),),
        outcome="completed", requests=3, facts=REPAIRED, holds="three rounds: at most two repair turns"),
    called("finish reason `length` in a text, once", says("cut", finish="length"),
           "two rounds, the first with the repair turn", finish=["length", "stop"]),
    called("finish reason `length` in the arguments", calls(call('{"gene": "ar'), finish="length"),
           "the cut arguments, call `invalid`; its error result asks for a repair", calls=["invalid"],
           parsed=[None], arguments=['{"gene": "ar']),
    once("finish reason `content_filter`", says("", finish="content_filter"), "the reason; an empty text",
         finish=["content_filter"], text=""),
    once("an unknown finish reason", says("hi", finish="because"), "the provider's word", finish=["because"]),
    once("no finish reason", says("hi", finish=None), "`unknown`", finish=["unknown"]),
    once("a finish reason that is no word", says("hi", finish=[7]), "`unknown`", finish=["unknown"]),
    once("usage missing", says("hi", usage=None), "no counts: never 0 for unknown", tokens=(None, None)),
    once("usage negative", says("hi", usage={"prompt_tokens": -5, "completion_tokens": -1}), "no counts",
         tokens=(None, None)),
    once("usage beyond 2^53", says("hi", usage={"prompt_tokens": 2**53, "completion_tokens": 10**400}), "no counts",
         tokens=(None, None)),
    once("usage huge, yet a count", says("hi", usage={"prompt_tokens": 2**53 - 1, "completion_tokens": 1}),
         "the counts", tokens=(2**53 - 1, 1)),
    once("usage as texts and fractions", says("hi", usage={"prompt_tokens": "5", "completion_tokens": 1.5}),
         "no counts", tokens=(None, None)),
)  # fmt: skip
CALLS = (
    called("arguments that are not JSON", calls(call("gene=araC")), "the string, call `invalid`, why it does not parse",
           calls=["invalid"], arguments=["gene=araC"], parsed=[None]),
    called("arguments that are JSON, but no object", calls(call('["araC"]')), "the string, call `invalid`",
           calls=["invalid"], parsed=[None]),
    called("arguments with NaN", calls(call('{"gene": "araC", "limit": NaN}')), "the string, call `invalid`",
           calls=["invalid"], parsed=[None]),
    called("arguments with a key twice", calls(call('{"gene": "a", "gene": "b"}')), "the string, call `invalid`",
           calls=["invalid"], parsed=[None]),
    called("arguments against the schema", calls(call('{"gene": 3}')), "the arguments, call `invalid`",
           calls=["invalid"], parsed=[{"gene": 3}]),
    called("arguments as an object instead of a string", calls(call({"gene": "araC"})),
           "their canonical JSON, call `ok`", calls=["ok"], arguments=['{"gene":"araC"}']),
    called("arguments of null", calls(call(None)), "an empty string, read as `{}`", calls=["invalid"], parsed=[{}]),
    called("arguments nested 5,000 deep", calls(call(DEEP)), "the string, call `invalid`", calls=["invalid"],
           arguments=[DEEP], parsed=[None]),
    called("arguments with lone surrogates", calls(call('{"gene": "\ud800"}')), "the string with U+FFFD, call `ok`",
           calls=["ok"], parsed=[{"gene": "\ufffd"}]),
    called("arguments with an escaped lone surrogate", calls(call('{"gene": "\\ud800"}')),
           "the string as it came, call `invalid`", calls=["invalid"], arguments=['{"gene": "\\ud800"}'],
           parsed=[None]),
    called("arguments with NUL", calls(call('{"gene": "a\\u0000"}')), "the arguments, call `ok`", calls=["ok"],
           parsed=[{"gene": "a\0"}]),
    called("arguments of 2 MB", calls(call('{"gene": "' + "x" * 2_000_000 + '"}')), "the string, call `invalid`",
           calls=["invalid"], parsed=[None]),
    called("call ids twice", calls(call(call_id="c"), call(call_id="c")),
           "both calls with the id; on the wire each has its own", calls=["ok", "ok"], ids=["c", "c"]),
    called("call ids missing", calls(call(call_id=""), call(call_id="")),
           "ids of ours, marked as not given", calls=["ok", "ok"], ids=[None, None]),
    called("a call id that is no text", calls(call(call_id=7)), "an id of ours, marked as not given", ids=[None]),
    called("parallel calls", calls(call(call_id="a"), call(call_id="b", name="look_up")), "both, in their order",
           calls=["ok", "ok"], names=["find_gene", "look_up"]),
    called("the same state-changing call twice in one reply", calls(call(call_id="a", name="mark_gene"),
           call(call_id="b", name="mark_gene")), "the second as `duplicate`, not executed", calls=["ok", "duplicate"]),
    called("the legacy `function_call`", message(LEGACY), "the call, id not given", calls=["ok"], ids=[None]),
    called("calls beside the finish reason `stop`", calls(call(), finish="stop"), "the call, answered", calls=["ok"]),
    called("a tool that is not offered", calls(call(name="rm")), "the call as `not_offered`", calls=["not_offered"],
           names=["rm"]),
    called("a tool without a name", calls(call(name=None)), "the call as `not_offered`", calls=["not_offered"],
           names=[""]),
    called("an entry of `tool_calls` in no known form", calls("junk"), "a call without a name, its JSON as arguments",
           calls=["not_offered"], arguments=["junk"]),
    Row(name="200 calls in one reply", answers=(calls(*(call(call_id=f"c{at}") for at in range(200))),),
        outcome="budget_exhausted", requests=1, holds="all 200; those beyond 64 as `over_limit`, not executed",
        facts={"rounds": 1, "stop": "call limit", "calls": ["ok"] * 64 + ["over_limit"] * 136}),
    *failing("5,000 calls in one reply", calls(*(call() for _ in range(5000))), "bad_reply",
             message="5,000 calls, more than 4,096"),
    Row(name="the same call in every reply", answers=(calls(call()),), outcome="budget_exhausted", requests=10,
        facts={"rounds": 10, "stop": "round budget"}, holds="ten rounds"),
)  # fmt: skip
MODEL: tuple[tuple[str, tuple[Row, ...]], ...] = (("Envelope of a reply", ENVELOPES), ("Calls", CALLS))

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcbench.core.cases import ExpectedCall, Labels, Oracle
from fcbench.core.names import CaseId, JsonObject, JsonValue, StepId, ToolName
from fcbench.core.schema import compile_schema
from fcbench.errors import NotFoundError
from fcbench.providers.base import Message, Provider, Reply, Request, ToolSpec
from fcbench.providers.catalog import ProviderOptions, open_provider
from fcbench.providers.mentions import date_of, number_of, read
from fcbench.providers.script_oracle import reply_plan, result_of
from fcbench.providers.slots import fill
from fcbench.registry.load import load_registries

ROOT = Path(__file__).parents[2]
CASE = CaseId("c-1")
CONTROLS = ("oracle", "null", "random", "lexical")


def step(name: str, tool: str, arguments: JsonObject | None = None, **more: object) -> ExpectedCall:
    return ExpectedCall(step=StepId(name), tool=ToolName(tool), arguments=arguments or {}, **more)  # type: ignore[arg-type]


def oracle(*calls: ExpectedCall, decision: str = "call", missing: tuple[str, ...] = ()) -> Oracle:
    return Oracle(decision=decision, calls=calls, labels=Labels(category="x", missing=missing))  # type: ignore[arg-type]


def tool(name: str, properties: JsonObject, required: tuple[str, ...] = (), description: str = "A tool.") -> ToolSpec:
    schema: JsonObject = {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }
    return ToolSpec(name=name, description=description, parameters=schema)


def request(
    text: str, *tools: ToolSpec, history: tuple[Message, ...] = (), number: int = 1, repeat: int = 1
) -> Request:
    messages = (Message(role="system", content="s"), Message(role="user", content=text), *history)
    return Request(messages=messages, tools=tools, task_id=CASE, repeat=repeat, round=number)


def answer(provider: Provider, asked: Request) -> Reply:
    return asyncio.run(provider.complete(asked))


def play(
    provider: Provider, results: dict[str, JsonValue], most: int = 9
) -> tuple[list[list[tuple[str, JsonValue]]], str]:
    """Answer each call with the result of its tool, wrapped as the harnesses do, until a text comes."""
    history: tuple[Message, ...] = ()
    rounds: list[list[tuple[str, JsonValue]]] = []
    for number in range(1, 9):
        reply = answer(provider, request("do it", history=history, number=number))
        if not reply.calls:
            return rounds, reply.text
        rounds.append([(call.name, json.loads(call.raw_arguments)) for call in reply.calls])
        history += (Message(role="assistant", content="", calls=reply.calls),)
        for call in reply.calls:
            ok = call.name in results
            body = {"ok": True, "result": results[call.name]} if ok else {"ok": False, "error": {"code": "no"}}
            history += (Message(role="tool", content=json.dumps(body), call_id=call.id),)
    raise AssertionError("it never ended")


@pytest.mark.parametrize("name", CONTROLS)
def test_a_control_says_that_it_is_one_and_repeats_itself_to_the_byte(name: str) -> None:
    tools = (tool("a", {"n": {"type": "integer"}}, ("n",)), tool("b", {"t": {"type": "string"}}, ("t",)))
    oracles = {CASE: oracle(step("s", "a", {"n": 1}))}
    provider = open_provider(f"scripted:{name}", oracles=oracles)
    assert provider.info.control
    assert (provider.info.provider, provider.info.model, provider.info.endpoint) == ("scripted", name, "none")
    asked = request("Run a with n 7", *tools)
    again = open_provider(f"scripted:{name}", oracles=oracles)
    assert answer(provider, asked) == answer(provider, asked) == answer(again, asked)
    asyncio.run(provider.aclose())
    asyncio.run(provider.aclose())


def test_the_null_control_never_calls() -> None:
    reply = answer(open_provider("scripted:null"), request("Run a", tool("a", {})))
    assert reply.calls == ()
    assert reply.text
    assert reply.finish_reason == "stop"


def test_the_oracle_takes_values_from_earlier_results() -> None:
    found = {"$from": {"step": "find", "pointer": "/genes", "where": {"name": "thrA"}, "item": "/start", "offset": -10}}
    golden = oracle(step("find", "list_genes", {"text": {"$casefold": "thr"}}), step("go", "go_to", {"at": found}))
    provider = open_provider("scripted:oracle", oracles={CASE: golden})
    rounds, text = play(
        provider, {"list_genes": {"genes": [{"name": "x"}, {"name": "thrA", "start": 337}]}, "go_to": {}}
    )
    assert rounds == [[("list_genes", {"text": "thr"})], [("go_to", {"at": 327})]]
    assert text


def test_the_oracle_stops_in_words_when_a_result_is_missing() -> None:
    golden = oracle(step("find", "broken"), step("go", "go_to", {"at": {"$from": {"step": "find", "pointer": "/a"}}}))
    rounds, text = play(open_provider("scripted:oracle", oracles={CASE: golden}), {})
    assert rounds == [[("broken", {})]]
    assert "go" in text


def test_a_free_order_block_is_one_reply_unless_a_step_needs_another() -> None:
    calls = (
        step("a", "t", block=1),
        step("b", "t", block=1),
        step("c", "t", {"x": {"$from": {"step": "a", "pointer": ""}}}, block=1),
        step("d", "t"),
        step("e", "t", block=2),
        step("f", "t", block=2, after=("e",)),
    )
    assert [[call.step for call in one] for one in reply_plan(calls)] == [["a", "b"], ["c"], ["d"], ["e"], ["f"]]
    rounds, _ = play(open_provider("scripted:oracle", oracles={CASE: oracle(*calls)}), {"t": 5})
    assert [len(one) for one in rounds] == [2, 1, 1, 1, 1]


@pytest.mark.parametrize("decision", ["ask", "no_call", "unavailable"])
def test_the_oracle_holds_back_where_no_call_is_due(decision: str) -> None:
    golden = oracle(decision=decision, missing=("start_date",))
    reply = answer(open_provider("scripted:oracle", oracles={CASE: golden}), request("x"))
    assert reply.calls == ()
    assert ("start date" in reply.text and reply.text.endswith("?")) == (decision == "ask")


def test_the_oracle_without_a_golden_run_is_an_error_and_not_an_answer() -> None:
    with pytest.raises(NotFoundError, match="golden run"):
        answer(open_provider("scripted:oracle"), request("x"))


@pytest.mark.parametrize(
    ("content", "value"),
    [
        ('{"ok": true, "result": {"a": 1}, "guidance": "g"}', {"a": 1}),
        ("[1]", [1]),
        ('{"ok": true, "result": null}', None),
    ],
)
def test_what_a_tool_returned_is_read_from_its_message(content: str, value: JsonValue) -> None:
    assert result_of(content) == value


@pytest.mark.parametrize("content", ["", "words", '{"ok": false, "error": 1}', '{"ok": true}'])
def test_a_failed_or_unreadable_result_is_none(content: str) -> None:
    with pytest.raises(KeyError):
        result_of(content)


def test_the_random_control_makes_valid_calls_of_every_real_contract_and_ends() -> None:
    provider = open_provider("scripted:random")
    seen = set()
    for registry in load_registries(ROOT / "tools_registry").values():
        for contract in registry.contracts.values():
            spec = ToolSpec(name=contract.name, description=contract.description, parameters=contract.parameters)
            (call,) = answer(provider, request("x", spec)).calls
            assert compile_schema(contract.parameters).is_valid(json.loads(call.raw_arguments)), contract.name
            seen.add(contract.name)
    assert len(seen) > 30
    ends = {
        next(n for n in range(1, 6) if not answer(provider, request("x", tool("a", {}), number=n, repeat=repeat)).calls)
        for repeat in range(1, 30)
    }
    assert ends == {2, 3, 4}


def test_the_random_control_hangs_on_its_seed_alone() -> None:
    spec = tool("a", {"t": {"type": "integer", "minimum": 0, "maximum": 10**9}}, ("t",))
    replies = [
        answer(open_provider("scripted:random", ProviderOptions(seed=seed)), request("x", spec)).calls
        for seed in (1, 1, 2)
    ]
    assert replies[0] == replies[1] != replies[2]


def test_the_lexical_control_calls_once_with_what_the_words_say_and_then_answers() -> None:
    gene = tool(
        "list_genes",
        {
            "start": {"type": "integer", "description": "First base."},
            "end": {"type": "integer", "description": "Last base."},
            "strand": {"type": "string", "enum": ["plus", "minus"]},
            "limit": {"type": "integer", "description": "Most genes."},
        },
        ("start", "end"),
        "Lists the genes of a region.",
    )
    other = tool("book_room", {}, description="Books a room.")
    provider = open_provider("scripted:lexical")
    reply = answer(provider, request("List the genes from 1,200 to 5,600 on the minus strand.", other, gene))
    (call,) = reply.calls
    assert call.name == "list_genes"
    assert json.loads(call.raw_arguments) == {"start": 1200, "end": 5600, "strand": "minus"}
    history = (Message(role="assistant", calls=reply.calls), Message(role="tool", content="{}", call_id=call.id))
    after = answer(provider, request("List the genes", gene, history=history, number=2))
    assert after.calls == ()
    assert answer(provider, request("Sing!", other)).calls == ()
    assert answer(provider, request("Sing!")).calls == ()


@pytest.mark.parametrize(
    ("text", "is_dutch", "value"),
    [
        ("1,200", False, 1200),
        ("1.200", True, 1200),
        ("1.200", False, 1.2),
        ("1,5", True, 1.5),
        ("150.000,50", True, 150000.5),
        ("1,234,567.25", False, 1234567.25),
        ("-3", False, -3),
        ("1.234.567", False, 1234567),
    ],
)
def test_numbers_are_read_as_their_language_writes_them(text: str, is_dutch: bool, value: float) -> None:
    assert number_of(text, is_dutch=is_dutch) == value


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2026-11-30", "2026-11-30"),
        ("3 april 1985", "1985-04-03"),
        ("April 3, 1985", "1985-04-03"),
        ("03-04-1985", "1985-04-03"),
        ("31-02-1985", None),
    ],
)
def test_dates_are_read(text: str, iso: str | None) -> None:
    assert date_of(text) == iso


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("Where is dnaK now?", "gene", "dnaK"),
        ('Label it "my site" here', "quoted", "my site"),
        ("Cut ACGTACGTAC please", "dna", "ACGTACGTAC"),
        ("primer ggg gct ggc aaa", "dna", "ggggctggcaaa"),
        ("write it to out/a.gbk", "file", "out/a.gbk"),
        ("mail j.doe@example.org", "email", "j.doe@example.org"),
        ("about 5 kb away", "number", 5000),
        ("een brief voor Jan van der Berg graag", "name", "Jan van der Berg"),
    ],
)
def test_values_are_found_by_their_form(text: str, kind: str, value: JsonValue) -> None:
    assert [one.value for one in read(text).mentions if one.kind == kind] == [value]


def test_nested_objects_and_lists_are_filled_and_a_missing_value_is_left_out() -> None:
    schema: JsonObject = {
        "type": "object",
        "properties": {
            "buyer": {
                "type": "object",
                "properties": {"birth_date": {"type": "string", "format": "date"}, "email": {"type": "string"}},
                "required": ["birth_date", "email"],
            },
            "sizes": {"type": "array", "items": {"type": "integer"}},
            "colour": {"type": "string", "enum": ["red", "blue"]},
            "gift": {"type": "boolean"},
            "weight": {"type": "number"},
        },
        "required": ["buyer", "sizes", "colour", "gift", "weight"],
    }
    found = fill(schema, read("Blue, sizes 3, 4 and 5, no gift. Buyer: a@b.nl, birth date 3 April 1985."))
    assert found["buyer"] == {"birth_date": "1985-04-03", "email": "a@b.nl"}
    assert found["colour"] == "blue"
    assert found["gift"] is False
    sizes = found["sizes"]
    assert isinstance(sizes, list)
    assert set(sizes) <= {3, 4, 5}
    without = fill(schema, read("Blue."))
    assert "weight" not in without
    assert "buyer" not in without


@settings(max_examples=60, deadline=None)
@given(text=st.text(max_size=300))
def test_no_text_crashes_the_rule_based_caller(text: str) -> None:
    spec = tool(
        "a",
        {
            "n": {"type": "integer"},
            "d": {"type": "string", "format": "date"},
            "items": {"type": "array", "items": {"oneOf": [{"type": "object", "properties": {"k": {"const": "x"}}}]}},
        },
        ("n", "d"),
        text[:50] or "x",
    )
    reply = answer(open_provider("scripted:lexical"), request(text, spec))
    for call in reply.calls:
        assert isinstance(json.loads(call.raw_arguments), dict)

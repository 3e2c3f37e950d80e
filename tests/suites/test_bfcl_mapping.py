"""Function documents and accepted values of BFCL as contracts and expected calls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fcbench.core.comparators import check_expected
from fcbench.core.schema import compile_schema
from fcbench.errors import BadInputError
from fcbench.suites.bfcl import SourceCase, attempt_of, case_of, source_to_case
from fcbench.suites.bfcl.accepted import accepted
from fcbench.suites.bfcl.types import json_schema, parameters_of
from tests.suites.bfcl_rows import PARK, function, pair, pair_rows


@pytest.mark.parametrize(
    ("foreign", "ours"),
    [
        pytest.param({"type": "string"}, {"type": "string"}, id="string"),
        pytest.param({"type": "integer"}, {"type": "integer"}, id="integer"),
        pytest.param({"type": "boolean"}, {"type": "boolean"}, id="boolean"),
        pytest.param({"type": "float"}, {"type": "number"}, id="float"),
        pytest.param({"type": "any", "description": "d"}, {"description": "d"}, id="any: no type"),
        pytest.param({"description": "d"}, {"description": "d"}, id="no type"),
        pytest.param(
            {"type": "tuple", "items": {"type": "float"}}, {"type": "array", "items": {"type": "number"}}, id="tuple"
        ),
        pytest.param(
            {"type": "array", "items": {"type": "dict", "properties": {"a": {"type": "tuple"}}}},
            {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "array"}}}},
            id="array of dict, at every depth",
        ),
        pytest.param({"type": "string", "optional": True}, {"type": "string"}, id="a keyword of no schema is left out"),
        pytest.param({"type": "string", "enum": []}, {"type": "string"}, id="an empty enum is left out"),
        pytest.param({"type": "integer", "maximum": 4}, {"type": "integer", "maximum": 4}, id="a bound is kept"),
        pytest.param(
            {"type": "dict", "properties": {"a": {"type": "integer", "default": 1}}, "required": ["a"]},
            {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
            id="a required key loses its default",
        ),
        pytest.param(
            {"type": "dict", "properties": {"a": {"type": "integer", "default": None}}},
            {"type": "object", "properties": {"a": {"type": "integer", "default": None}}},
            id="another default is kept as it is",
        ),
    ],
)
def test_a_type_becomes_that_of_json_schema(foreign: dict[str, Any], ours: dict[str, Any]) -> None:
    assert json_schema(foreign) == ours
    compile_schema(ours)


@pytest.mark.parametrize(
    "foreign",
    [
        pytest.param({"type": "String"}, id="a type of JavaScript"),
        pytest.param({"type": "HashMap"}, id="a type of Java"),
        pytest.param({"type": ["string", "null"]}, id="a list of types"),
        pytest.param({"type": "dict", "properties": []}, id="properties that are a list"),
        pytest.param({"type": "dict", "properties": {"a": 1}}, id="a property that is a number"),
        pytest.param({"type": "dict", "required": "a"}, id="required that is a text"),
        pytest.param([], id="a list"),
        pytest.param(None, id="nothing"),
    ],
)
def test_another_form_or_type_is_refused(foreign: Any) -> None:
    with pytest.raises(BadInputError):
        json_schema(foreign)


def test_the_parameters_are_a_closed_object() -> None:
    parameters = parameters_of(PARK)
    assert parameters["additionalProperties"] is False
    assert parameters["required"] == ["city"]
    with pytest.raises(BadInputError, match="one object"):
        parameters_of({"name": "f", "parameters": {"type": "array"}})


TEXT, WHOLE, REAL, FLAG = {"type": "string"}, {"type": "integer"}, {"type": "number"}, {"type": "boolean"}
REALS = {"type": "array", "items": REAL}
TENT: dict[str, Any] = {"type": "object", "properties": {"size": WHOLE, "colour": {**TEXT, "enum": ["red"]}}}


@pytest.mark.parametrize(
    ("listed", "schema", "values", "may_omit"),
    [
        pytest.param(["a"], TEXT, ("a",), False, id="one value"),
        pytest.param(["a", "b"], TEXT, ("a", "b"), False, id="alternatives"),
        pytest.param(["a", ""], TEXT, ("a", ""), True, id="may be left out: the empty text is a text"),
        pytest.param(["a", ""], {**TEXT, "enum": ["a"]}, ("a",), True, id="the empty text is no word of the enum"),
        pytest.param([5, ""], WHOLE, (5,), True, id="the empty text is no integer"),
        pytest.param([""], TEXT, ("",), True, id="a text that may only be left out or empty"),
        pytest.param([""], WHOLE, (), True, id="an integer that may only be left out"),
        pytest.param(["", [1.5]], REALS, ([1.5], []), True, id="a list that may be left out may be empty"),
        pytest.param([[]], REALS, ([],), False, id="the empty list is a value"),
        pytest.param([], TEXT, (), False, id="nothing is right"),
        pytest.param([None, ""], WHOLE, (None,), True, id="null stands for an integer"),
        pytest.param(["dontcare", ""], WHOLE, ("dontcare", ""), True, id="a word stands for an integer"),
        pytest.param([5, "5"], WHOLE, (5,), False, id="a later value of another type is never right"),
        pytest.param(["5", 5], {}, ("5",), False, id="without a type a text is expected"),
        pytest.param([[1, 2]], REALS, ([1, 2],), False, id="whole numbers in a list of floats"),
        pytest.param([[1, "x"]], REALS, (), False, id="an item of another type is never right"),
        pytest.param(["data", [1]], REALS, ("data", [1]), False, id="a variable's name stands for a list"),
        pytest.param([{"size": [2]}], TENT, ({"size": 2},), False, id="an object opens its lists"),
        pytest.param(
            [{"size": [2, 3], "colour": ["red", ""]}],
            TENT,
            ({"size": {"$one_of": [2, 3]}, "colour": "red"}, {"size": {"$one_of": [2, 3]}}),
            False,
            id="an object with and without the key that may be left out",
        ),
        pytest.param([{"size": [{"deep": [1]}]}], TENT, ({"size": {"deep": [1]}},), False, id="deeper it is plain"),
        pytest.param([{"size": []}], TENT, (), False, id="an object with a key for which nothing is right"),
        pytest.param(
            [[{"size": [1]}, {"size": [2, ""]}]],
            {"type": "array", "items": TENT},
            ([{"size": 1}, {"$one_of": [{"size": 2}, {}]}],),
            False,
            id="a list of objects",
        ),
        pytest.param([{"$any": 1}], {}, ({"$exact": {"$any": 1}},), False, id="a value that looks like a comparator"),
        pytest.param([True], FLAG, (True,), False, id="true"),
    ],
)
def test_accepted_values_become_expected_ones(
    listed: list[Any], schema: dict[str, Any], values: tuple[Any, ...], may_omit: bool
) -> None:
    found = accepted(listed, schema, required=False)
    assert found.values == values
    assert found.may_omit is may_omit
    for value in found.values:
        check_expected(value)


def test_a_required_argument_is_never_left_out() -> None:
    assert not accepted(["a", ""], TEXT, required=True).may_omit


@pytest.mark.parametrize(
    ("listed", "schema"),
    [
        pytest.param("a", TEXT, id="no list"),
        pytest.param([{"size": 2}], TENT, id="a key without a list"),
        pytest.param([{"$from": ["a"]}], {"type": "object"}, id="a key that begins with a dollar"),
        pytest.param([{f"k{number}": ["", 1] for number in range(11)}], {"type": "object"}, id="too many forms"),
        pytest.param([{f"k{number}": ["", 1] for number in range(10)}] * 5, {"type": "object"}, id="too many in all"),
        pytest.param(
            [[{f"k{number}": ["", 1] for number in range(10)}] * 5],
            {"type": "array", "items": {"type": "object"}},
            id="too many in a list",
        ),
    ],
)
def test_accepted_values_of_another_form_are_refused(listed: Any, schema: dict[str, Any]) -> None:
    with pytest.raises(BadInputError):
        accepted(listed, schema, required=False)


def source(answers: Any, *functions: dict[str, Any], **more: Any) -> SourceCase:
    messages = more.pop("messages", ({"role": "user", "content": "Do it."},))
    return SourceCase(
        id="simple_python_1",
        category=more.pop("category", "simple_python"),
        question=messages,
        functions=functions,
        answers=answers,
    )


def test_the_function_keeps_its_name_and_the_task_its_digest() -> None:
    case, contracts = source_to_case(source(({"math.sum": {"a": [1]}},), function("math.sum", ("a",), a=WHOLE)))
    (contract,) = contracts.values()
    assert contract.name == "math.sum"
    assert contract.imported_from
    assert list(case.task.contracts) == ["math.sum"]
    assert case.task.tools == ("math.sum",)
    assert case.id == "bfcl-simple-python-1"
    assert case.oracle.decision == "call"


@pytest.mark.parametrize(
    ("schema", "value", "relaxed"),
    [
        pytest.param({**TEXT, "enum": ["red"]}, "blue", "/properties/a/enum", id="a word outside its enum"),
        pytest.param(WHOLE, "dontcare", "/properties/a/type", id="a value of another type"),
        pytest.param({**WHOLE, "maximum": 4}, 5, "/properties/a/maximum", id="a number above its maximum"),
    ],
)
def test_an_answer_that_its_function_rules_out_relaxes_the_keyword(
    schema: dict[str, Any], value: Any, relaxed: str
) -> None:
    _, contracts = source_to_case(source(({"f": {"a": [value]}},), function("f", ("a",), a=schema)))
    contract = contracts["f"]  # type: ignore[index]
    assert compile_schema(contract.parameters).is_valid({"a": value})
    assert not compile_schema(contract.parameters).is_valid({"a": value, "b": 1})
    assert not compile_schema(contract.parameters).is_valid({})
    assert (contract.imported_from or "").endswith(relaxed)


def test_a_key_that_an_answer_may_leave_out_is_no_longer_required_inside_an_object() -> None:
    room = {"type": "dict", "properties": {"size": WHOLE, "colour": TEXT}, "required": ["size", "colour"]}
    answers = ({"f": {"a": [{"size": [1], "colour": ["red", ""]}]}},)
    _, contracts = source_to_case(source(answers, function("f", ("a",), a=room)))
    (contract,) = contracts.values()
    assert compile_schema(contract.parameters).is_valid({"a": {"size": 1}})
    assert not compile_schema(contract.parameters).is_valid({"a": {"colour": "red"}})


def test_of_two_functions_with_one_name_in_one_case_the_first_counts() -> None:
    functions = (function("f", ("a",), a=WHOLE), function("f", ("b",), b=WHOLE))
    _, contracts = source_to_case(source(({"f": {"a": [1]}},), *functions))
    assert [contract.required for contract in contracts.values()] == [("a",)]


def test_a_sound_function_is_not_relaxed() -> None:
    _, contracts = source_to_case(source(({"f": {"a": [1, ""]}},), function("f", a=WHOLE)))
    (contract,) = contracts.values()
    assert "relaxed" not in (contract.imported_from or "")
    assert contract.properties == {"a": WHOLE}


def test_parallel_calls_come_in_any_order() -> None:
    answers = ({"f": {"a": [1]}}, {"f": {"a": [2]}})
    case, _ = source_to_case(source(answers, function("f", ("a",), a=WHOLE), category="live_parallel"))
    assert [step.block for step in case.oracle.calls] == [1, 1]


@pytest.mark.parametrize(
    ("category", "decision"),
    [
        pytest.param("live_relevance", "any_call", id="relevance"),
        pytest.param("live_irrelevance", "no_call", id="live irrelevance"),
        pytest.param("irrelevance", "no_call", id="irrelevance"),
    ],
)
def test_relevance_is_a_decision(category: str, decision: str) -> None:
    case, _ = source_to_case(source(None, function("f", a=WHOLE), category=category))
    assert case.oracle.decision == decision
    assert case.oracle.calls == ()


@pytest.mark.parametrize(
    ("roles", "instruction", "context"),
    [
        pytest.param(("user",), "0", None, id="one message"),
        pytest.param(("system", "user"), "1", "0", id="a system message is the context"),
        pytest.param(("user", "assistant", "user"), "2", "user: 0\n\nassistant: 1", id="a longer conversation"),
    ],
)
def test_what_stands_before_the_last_message_of_the_user_is_context(
    roles: tuple[str, ...], instruction: str, context: str | None
) -> None:
    messages = tuple({"role": role, "content": str(number)} for number, role in enumerate(roles))
    case, _ = source_to_case(source(({"f": {"a": [1]}},), function("f", a=WHOLE), messages=messages))
    assert (case.task.instruction, case.task.context) == (instruction, context)


@pytest.mark.parametrize(
    ("answers", "functions"),
    [
        pytest.param(({"g": {}},), (function("f"),), id="a function that is not offered"),
        pytest.param(({"f": {}, "g": {}},), (function("f"), function("g")), id="two functions in one answer"),
        pytest.param((), (function("f"),), id="no answer"),
        pytest.param(({"f": []},), (function("f"),), id="an answer without arguments by name"),
        pytest.param(({"f": {}},), ({"name": 5},), id="a function without a name"),
    ],
)
def test_a_case_of_another_form_is_refused_with_its_id(answers: Any, functions: tuple[dict[str, Any], ...]) -> None:
    with pytest.raises(BadInputError) as caught:
        source_to_case(source(answers, *functions))
    assert "simple_python_1" in str(caught.value)


def test_rows_of_one_case_share_its_objects(tmp_path: Path) -> None:
    answers = [{"park.book": {"city": ["Delft"]}}]
    rows = pair_rows(
        tmp_path,
        pair("p1", [{"park.book": {"city": "Delft"}}], answers),
        pair("p1", [{"park.book": {"city": "Gouda"}}], answers, valid=False, perturbation="other"),
    )
    (first, contracts), (second, others) = map(case_of, rows)
    assert first is second
    assert contracts is others


def test_an_attempt_holds_every_call_in_one_round(tmp_path: Path) -> None:
    calls = [{"park.book": {"city": "Delft"}}, {"nowhere": {}}, {"park.book": []}, {"park.book": {}, "route": {}}, {}]
    (row,) = pair_rows(tmp_path, pair("p1", calls, [{"park.book": {"city": ["Delft"]}}]))
    attempt = attempt_of(row)
    (turn,) = attempt.rounds
    assert [call.name for call in turn.calls] == ["park.book", "nowhere", "park.book", "park.book", ""]
    assert [call.result.status for call in turn.calls] == ["ok", "not_offered", "invalid", "invalid", "invalid"]
    assert [call.arguments is None for call in turn.calls] == [False, False, True, True, True]
    assert turn.calls[0].raw_arguments == '{"city": "Delft"}'


def test_an_attempt_of_text_holds_no_call(tmp_path: Path) -> None:
    (row,) = pair_rows(tmp_path, pair("p1", None, None, category="irrelevance", model_text="None of them."))
    attempt = attempt_of(row)
    assert attempt.calls == ()
    assert attempt.final_text == "None of them."

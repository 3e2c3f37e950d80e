from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, FormatChecker

from fcbench.core.samples import sample
from fcbench.core.schema import (
    MAX_VIOLATIONS,
    CompiledSchema,
    branches,
    compile_schema,
    compile_subschema,
    resolve_reference,
)
from fcbench.errors import BadInputError
from tests.strategies import json_values, subset_schemas

few = settings(max_examples=80, deadline=None)
PERSON = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "pattern": "^[A-Z][a-z]+$"},
        "born": {"type": "string", "format": "date"},
        "roles": {"type": "array", "items": {"enum": ["a", "b"]}, "uniqueItems": True},
        "address": {
            "type": "object",
            "properties": {"zip": {"type": "string", "minLength": 6}, "no": {"type": "integer"}},
            "required": ["zip", "no"],
            "additionalProperties": False,
        },
    },
    "required": ["name", "born"],
    "additionalProperties": False,
}


def wording_says(schema: object, value: object) -> bool:
    return bool(Draft202012Validator(schema, format_checker=FormatChecker(["date", "uuid"])).is_valid(value))


def ends_in_newline(value: object) -> bool:
    if isinstance(value, dict):
        return any(key.endswith("\n") or ends_in_newline(item) for key, item in value.items())
    if isinstance(value, list):
        return any(map(ends_in_newline, value))
    return isinstance(value, str) and value.endswith("\n")


@given(subset_schemas, json_values)
@few
def test_both_libraries_agree_on_any_value_inside_the_contract_subset(schema: object, value: object) -> None:
    if not ends_in_newline(value):
        assert compile_schema(schema).is_valid(value) == wording_says(schema, value)


@given(subset_schemas, st.integers(0, 2**32), st.data())
@few
def test_both_libraries_agree_on_conforming_values_and_on_damaged_ones(
    schema: object, seed: int, data: st.DataObject
) -> None:
    value = sample(schema, random.Random(seed))
    assert compile_schema(schema).is_valid(value)
    assert wording_says(schema, value)
    damaged = damage(value, data.draw)
    if not ends_in_newline(damaged):
        assert compile_schema(schema).is_valid(damaged) == wording_says(schema, damaged)


def damage(value: object, draw: st.DataObject.draw) -> object:
    """The value with one part, at any depth, replaced, dropped, doubled or added to."""
    if isinstance(value, dict) and value and draw(st.booleans()):
        key = draw(st.sampled_from(sorted(value)))
        return {**value, key: damage(value[key], draw)}
    if isinstance(value, list) and value and draw(st.booleans()):
        return [damage(value[0], draw), *value[1:]]
    if isinstance(value, dict):
        return {**dict(list(value.items())[1:]), draw(st.sampled_from(("a", "kind", "more"))): 1}
    if isinstance(value, list):
        return value + value
    if isinstance(value, bool | None):
        return draw(st.sampled_from((0, 1, "true", None)))
    if isinstance(value, int | float):
        return draw(st.sampled_from((value + 0.5, -value, float(value), str(value), True)))
    return draw(st.sampled_from((f"{value}x", f" {value}", "", "٣", "2026-02-30", 5)))


@given(subset_schemas, json_values)
@few
def test_a_value_is_valid_exactly_when_it_has_no_violation(schema: object, value: object) -> None:
    compiled = compile_schema(schema)
    found = compiled.violations(value)
    assert compiled.is_valid(value) == (not found)
    assert all(violation.message for violation in found)


def test_the_one_named_difference_is_a_newline_under_the_dollar_sign() -> None:
    schema = {"type": "string", "pattern": "^[A-Z]{2}$"}
    assert wording_says(schema, "AB\n")
    assert not compile_schema(schema).is_valid("AB\n")
    (found,) = compile_schema({"type": "object", "properties": {"code": schema}}).violations({"code": "AB\n"})
    assert (found.pointer, found.keyword) == ("/code", "pattern")
    assert found.message == "the text does not match its pattern at /code"


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        pytest.param({"pattern": "^\\d$"}, "٣", id="Arabic digits under \\d"),
        pytest.param({"multipleOf": 0.01}, 19.99, id="19.99 under multipleOf 0.01"),
    ],
)
def test_outside_the_subset_the_libraries_do_disagree_which_is_why_the_lint_refuses_it(
    schema: object, value: object
) -> None:
    assert CompiledSchema(schema).is_valid(value) != wording_says(schema, value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param({"name": "Ann", "born": "2000-01-01"}, [], id="valid"),
        pytest.param({"name": "Ann"}, [("", "required", "born")], id="missing key"),
        pytest.param({}, [("", "required", "name"), ("", "required", "born")], id="one violation a missing key"),
        pytest.param(
            {"name": "Ann", "born": "2000-01-01", "x": 1, "y": 2},
            [("", "additionalProperties", "x"), ("", "additionalProperties", "y")],
            id="one violation an unknown key",
        ),
        pytest.param({"name": "ann", "born": "2000-01-01"}, [("/name", "pattern", None)], id="pattern"),
        pytest.param({"name": "Ann", "born": "1-1-2000"}, [("/born", "format", None)], id="format"),
        pytest.param(
            {"name": "Ann", "born": "2000-01-01", "roles": ["a", "a"]}, [("/roles", "uniqueItems", None)], id="unique"
        ),
        pytest.param(
            {"name": "Ann", "born": "2000-01-01", "roles": ["a", "c"]}, [("/roles/1", "enum", None)], id="enum"
        ),
        pytest.param(
            {"name": "Ann", "born": "2000-01-01", "address": {"no": "1"}},
            [("/address", "required", "zip"), ("/address/no", "type", None)],
            id="deep",
        ),
        pytest.param("Ann", [("", "type", None)], id="no object"),
    ],
)
def test_violations_name_pointer_keyword_and_key(value: object, expected: list[tuple[str, str, str | None]]) -> None:
    found = compile_schema(PERSON).violations(value)
    assert sorted(expected, key=str) == sorted(((v.pointer, v.keyword, v.key) for v in found), key=str)


@pytest.mark.parametrize("keyword", ["additionalProperties", "unevaluatedProperties"])
def test_a_key_that_a_pattern_allows_is_not_among_the_unknown_ones(keyword: str) -> None:
    schema = {"patternProperties": {"^x_": {"type": "integer"}}, keyword: False}
    found = compile_schema(schema).violations({"b": 1, "x_a": "1", "a": 2})
    assert [(one.pointer, one.keyword, one.key) for one in found] == [
        ("/x_a", "type", None),
        ("", keyword, "b"),
        ("", keyword, "a"),
    ]


@pytest.mark.parametrize(
    "beside", [{}, {"type": "object"}, {"properties": {}}, {"patternProperties": {}}], ids=lambda beside: str([*beside])
)
@pytest.mark.parametrize("keyword", ["additionalProperties", "unevaluatedProperties"])
def test_where_no_key_is_allowed_each_is_named(beside: dict[str, object], keyword: str) -> None:
    found = compile_schema({**beside, keyword: False}).violations({"b": 1, "a": {}})
    assert [(one.pointer, one.keyword, one.key) for one in found] == [("", keyword, "b"), ("", keyword, "a")]


def test_a_pattern_that_backtracks_without_end_is_decided_and_worded() -> None:
    text = "a" * 64 + "!"
    (found,) = compile_schema({"pattern": "^(a+)+$"}).violations(text)
    assert found.message == f"'{text}' does not match '^(a+)+$'"


def test_an_item_that_is_not_allowed_is_no_key() -> None:
    found = compile_schema({"prefixItems": [True], "unevaluatedItems": False}).violations([1, 2])
    assert [(one.keyword, one.key) for one in found] == [("unevaluatedItems", None)]


def test_nothing_outside_a_schema_is_fetched(tmp_path: Path) -> None:
    secret = tmp_path / "secret.json"
    secret.write_text('{"const": "word of a file"}')
    # The message is cut and the folder's name may be long: what matters is that the file was not read.
    with pytest.raises(BadInputError, match="does not compile") as caught:
        compile_schema({"$ref": secret.as_uri()})
    assert "retrieving it failed" in str(caught.value)
    with pytest.raises(BadInputError, match="nothing is fetched"):
        compile_schema({"$ref": "file:///s.json"})


def test_a_million_wrong_items_do_not_become_a_million_violations() -> None:
    schema = {"type": "array", "items": {"type": "integer"}}
    assert len(compile_schema(schema).violations(["x"] * 5000)) == MAX_VIOLATIONS


def test_messages_are_cut() -> None:
    (found,) = compile_schema({"type": "integer"}).violations("x" * 10_000)
    assert len(found.message) <= 300


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(10**400, id="an integer without end"),
        pytest.param("\ud800", id="a lone surrogate"),
        pytest.param({"\udfff": 1}, id="a lone surrogate in a key"),
        pytest.param(float("inf"), id="infinity"),
        pytest.param(float("nan"), id="NaN"),
    ],
)
def test_a_hostile_value_is_judged_and_never_crashes(value: object) -> None:
    compiled = compile_schema({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]})
    assert not compiled.is_valid(value)
    assert compiled.violations(value)


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param({"type": "nonsense"}, id="unknown type"),
        pytest.param({"$ref": "#/$defs/none"}, id="reference to nothing"),
        pytest.param({"$ref": "http://127.0.0.1:9/schema.json"}, id="reference to another host"),
        pytest.param({"$ref": Path(__file__).as_uri()}, id="reference to a file"),
        pytest.param({"pattern": "("}, id="broken pattern"),
        pytest.param({"minimum": "1"}, id="bound of the wrong type"),
        pytest.param([], id="a list"),
        pytest.param(None, id="nothing"),
    ],
)
def test_a_schema_that_does_not_compile_is_bad_input_with_its_place(schema: object) -> None:
    with pytest.raises(BadInputError) as caught:
        compile_schema(schema, where="contract x")
    assert caught.value.where == "contract x"


def test_branches_resolve_references() -> None:
    root = {"$defs": {"a": {"type": "string"}}, "oneOf": [{"$ref": "#/$defs/a"}, {"type": "integer"}]}
    assert branches(root, root) == ({"type": "string"}, {"type": "integer"})
    assert branches(root, {"type": "string"}) == ()


def test_a_branch_keeps_the_definitions_of_its_root() -> None:
    root = {"$defs": {"day": {"type": "string", "format": "date"}}, "type": "object"}
    branch = compile_subschema(root, {"type": "object", "properties": {"d": {"$ref": "#/$defs/day"}}})
    assert branch.is_valid({"d": "2026-01-31"})
    assert not branch.is_valid({"d": "2026-01-32"})


@pytest.mark.parametrize("reference", ["#", "#/$defs/again"])
def test_a_branch_that_refers_to_its_root_is_judged_by_the_root(reference: str) -> None:
    root = {
        "type": "object",
        "properties": {"next": {"$ref": reference}, "n": {"type": "integer"}},
        "additionalProperties": False,
        "$defs": {"again": {"$ref": "#"}},
    }
    branch = compile_subschema(root, root["properties"]["next"])
    assert branch.is_valid({"next": {"n": 1}})
    assert not branch.is_valid({"next": {"n": "1"}})
    item = compile_subschema(root, {"type": "array", "items": {"$ref": "#/properties/n"}})
    assert [item.is_valid([1]), item.is_valid(["1"])] == [True, False]


def test_a_circle_of_references_ends() -> None:
    root = {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}
    assert isinstance(resolve_reference(root, {"$ref": "#/$defs/a"}), dict)


def test_wording_a_violation_takes_no_time_that_grows_with_the_rest_of_the_value() -> None:
    """12 kB of distinct objects under uniqueItems held the process for seconds when jsonschema saw the whole value."""
    schema = {
        "type": "object",
        "properties": {
            "many": {"type": "array", "uniqueItems": True, "items": {"type": "object"}},
            "few": {"type": "integer"},
        },
    }
    asked: list[object] = []
    compiled = CompiledSchema(schema)
    evolve = compiled._wording.evolve

    def watched(**parts: object) -> object:
        asked.append(parts["schema"])
        return evolve(**parts)

    compiled._wording = type("Watched", (), {"evolve": staticmethod(watched)})()  # type: ignore[assignment]
    found = compiled.violations({"many": [{"n": n} for n in range(2000)] + [{"n": 1}], "few": "x"})
    assert {(one.pointer, one.keyword) for one in found} == {("/many", "uniqueItems"), ("/few", "type")}
    assert asked == [{"type": "integer"}], "only what is cheap is worded by the library"

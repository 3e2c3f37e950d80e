from __future__ import annotations

import random
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcbench.core.canonical import canonical_text
from fcbench.core.contracts import Derived, Repeated, Synthetic
from fcbench.core.samples import sample
from fcbench.core.schema import compile_schema
from fcbench.core.synthetic import synthetic_result
from fcbench.errors import BadInputError
from tests.strategies import make_contract, subset_schemas

NODE = {
    "oneOf": [
        {
            "type": "object",
            "properties": {"leaf": {"type": "string", "pattern": "^[a-z]{3}$"}},
            "required": ["leaf"],
            "additionalProperties": False,
        },
        {
            "type": "object",
            "properties": {"all": {"type": "array", "minItems": 2, "items": {"$ref": "#/$defs/node"}}},
            "required": ["all"],
            "additionalProperties": False,
        },
    ]
}
SCHEMAS = {
    "recursion": {
        "type": "object",
        "properties": {"t": {"$ref": "#/$defs/node"}},
        "required": ["t"],
        "$defs": {"node": NODE},
    },
    "unique enum": {"type": "array", "items": {"enum": [1, 2, 3]}, "uniqueItems": True, "minItems": 3},
    "map": {"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 2},
    "map with names": {
        "type": "object",
        "additionalProperties": {"type": "null"},
        "propertyNames": {"pattern": "^[A-Z]{2}$"},
        "minProperties": 1,
    },
    "dependent": {
        "type": "object",
        "properties": {"a": {"const": 1}, "b": {"const": 2}},
        "dependentRequired": {"a": ["b"]},
        "additionalProperties": False,
    },
    "all of": {"allOf": [{"type": "integer", "minimum": 5}, {"maximum": 6}]},
    "any of": {"anyOf": [{"type": "boolean"}, {"type": "null"}]},
    "not": {"type": "integer", "minimum": 0, "maximum": 3, "not": {"const": 2}},
    "contains": {"type": "array", "items": {"enum": ["a", "b"]}, "contains": {"const": "b"}, "minItems": 1},
    "tuple": {"type": "array", "prefixItems": [{"const": 1}, {"type": "string"}], "items": False, "minItems": 2},
    "open range": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
    "negative": {"type": "integer", "maximum": -10},
    "whole steps": {"type": "integer", "multipleOf": 12, "minimum": 13, "maximum": 30},
    "long text": {"type": "string", "minLength": 100, "maxLength": 101},
    "type by keyword": {"properties": {"a": {"minimum": 3}}, "required": ["a"]},
    "two types": {"type": ["integer", "null"]},
    "examples for a pattern that is not read": {"type": "string", "pattern": "^\\w+$", "examples": ["abc"]},
    "everything": True,
}


@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=SCHEMAS.keys())
def test_samples_conform(schema: object) -> None:
    compiled = compile_schema(schema)
    for seed in range(25):
        assert compiled.is_valid(sample(schema, random.Random(seed)))


@given(subset_schemas, st.integers(0, 2**64))
@settings(max_examples=80, deadline=None)
def test_samples_of_the_contract_subset_conform(schema: object, seed: int) -> None:
    assert compile_schema(schema).is_valid(sample(schema, random.Random(seed)))


def test_optional_keys_come_as_often_as_asked() -> None:
    schema = {"type": "object", "properties": {"a": {"const": 1}}, "additionalProperties": False}
    assert sample(schema, random.Random(1), optional=0) == {}
    assert sample(schema, random.Random(1), optional=1) == {"a": 1}


def test_samples_vary() -> None:
    found = {str(sample(SCHEMAS["recursion"], random.Random(seed))) for seed in range(30)}
    assert len(found) > 10


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param(False, id="nothing is valid"),
        pytest.param({"type": "integer", "minimum": 3, "maximum": 2}, id="empty range"),
        pytest.param({"type": "string", "pattern": "^a$", "minLength": 5}, id="pattern against length"),
        pytest.param(
            {"type": "array", "items": {"const": 1}, "uniqueItems": True, "minItems": 2}, id="unique constants"
        ),
        pytest.param({"type": "string", "pattern": "^\\w+$"}, id="unreadable pattern without examples"),
        pytest.param({"type": "array", "minItems": 10**9}, id="an array without end"),
        pytest.param({"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#"}}}, id="endless recursion"),
    ],
)
def test_a_schema_without_a_value_is_bad_input(schema: object) -> None:
    with pytest.raises(BadInputError, match="no value that satisfies"):
        sample(schema, random.Random(0))


def test_a_schema_that_does_not_compile_is_bad_input() -> None:
    with pytest.raises(BadInputError, match="does not compile"):
        sample({"$ref": "#/$defs/none"}, random.Random(0))


def test_the_same_call_has_the_same_answer_whatever_the_order_of_its_keys() -> None:
    contract = make_contract()
    one = synthetic_result(contract, {"start": 5, "label": "x"})
    assert one == synthetic_result(contract, {"label": "x", "start": 5})
    assert one == synthetic_result(contract, {"label": "x", "start": 5.0})
    assert one != synthetic_result(contract, {"start": 6, "label": "x"})
    assert compile_schema(contract.returns).is_valid(one)


def test_echo_and_constants_stand_where_the_contract_says() -> None:
    returns = {
        "type": "object",
        "properties": {
            "hits": {
                "type": "array",
                "minItems": 1,
                "items": {"type": "object", "properties": {"at": {"type": "integer"}}},
            },
            "note": {"type": "string"},
        },
        "required": ["hits"],
    }
    synthetic = Synthetic(echo={"/hits/0/at": "start"}, constants={"/note": "fixed"})
    contract = make_contract(returns=returns, synthetic=synthetic)
    result = synthetic_result(contract, {"start": 77})
    assert isinstance(result, dict)
    assert result["hits"][0]["at"] == 77
    assert result["note"] == "fixed"


def test_an_argument_beyond_the_canonical_form_still_has_an_answer() -> None:
    contract = make_contract()
    assert synthetic_result(contract, {"start": 10**30}) == synthetic_result(contract, {"start": 10**30})


PLACE = {"type": "integer", "minimum": 1}
REGION = {
    "type": "object",
    "properties": {"start": PLACE, "end": PLACE, "step": {**PLACE, "default": 5}, "text": {"type": "string"}},
    "required": [],
    "additionalProperties": False,
}
OPEN: dict[str, object] = {
    "type": "object",
    "properties": {"at": {}},
    "required": ["at"],
    "additionalProperties": False,
}
SPAN = {"plus": ("end",), "minus": ("start",), "offset": 1}


@pytest.mark.parametrize(
    ("rule", "arguments", "wanted"),
    [
        pytest.param(Derived(**SPAN), {"start": 11, "end": 20}, 10, id="both ends of a span count"),
        pytest.param(Derived(**SPAN), {"start": 20, "end": 11}, "before", id="a span that ends before it starts"),
        pytest.param(Derived(**SPAN), {"start": 20}, "before", id="half a span"),
        pytest.param(Derived(**SPAN, most=4), {"start": 11, "end": 20}, 4, id="cut to the most"),
        pytest.param(Derived(**SPAN, above=9), {"start": 11, "end": 20}, True, id="more than"),
        pytest.param(Derived(**SPAN, above=10), {"start": 11, "end": 20}, False, id="not more than"),
        pytest.param(Derived(size="text"), {"text": "ACGT"}, 4, id="letters are counted"),
        pytest.param(Derived(size="text"), {"text": ""}, "before", id="no letters are below the least"),
        pytest.param(Derived(size="text", least=0), {"text": ""}, 0, id="another least"),
        pytest.param(Derived(size="step"), {}, "before", id="a number has no letters"),
        pytest.param(Derived(plus=("start", "step"), offset=-1), {"start": 7}, 11, id="defaults count"),
        pytest.param(Derived(plus=("step", "step")), {"step": 3}, 6, id="an argument twice"),
        pytest.param(Derived(plus=("start",)), {"start": 7.0}, 7, id="a whole number in floating point"),
        pytest.param(
            Derived(size="text", plus=("start",), minus=("end",), offset=-1, least=-99),
            {"start": 1, "end": 10, "text": "ACG"},
            -7,
            id="shorter",
        ),
        pytest.param(Derived(dna="text"), {"text": "acgu"}, "ACGT", id="letters as DNA is written"),
        pytest.param(Derived(dna="text"), {}, "before", id="no letters"),
    ],
)
def test_a_place_follows_from_the_arguments(rule: Derived, arguments: dict[str, object], wanted: object) -> None:
    synthetic = Synthetic(constants={"/at": "before"}, derived={"/at": rule})
    contract = make_contract(parameters=REGION, returns=OPEN, synthetic=synthetic)
    found = synthetic_result(contract, arguments)
    assert found == {"at": wanted}
    assert type(found["at"]) is type(wanted)


def test_letters_are_as_many_as_told_and_at_most_two_thousand() -> None:
    rule = Derived(**SPAN, letters="AB")
    contract = make_contract(parameters=REGION, returns=OPEN, synthetic=Synthetic(derived={"/at": rule}))
    for count, length in ((7, 7), (10**9, 2000)):
        found = synthetic_result(contract, {"start": 1, "end": count})
        assert isinstance(found, dict)
        assert len(str(found["at"])) == length
        assert set(str(found["at"])) == {"A", "B"}
        assert found == synthetic_result(contract, {"start": 1, "end": count})
    assert synthetic_result(contract, {"start": 1, "end": 12}) == {"at": "AAAAAABABABA"}, "written down once"


ITEMS = [{"id": "x-9", "name": "one", "size": 1}, {"id": "x-9", "name": "two", "size": 2}]


@pytest.mark.parametrize(
    ("rule", "given", "wanted"),
    [
        pytest.param(
            Repeated(argument="text", key="name", numbered="id"),
            ["a", "b", "c"],
            [("x-1", "a", 1), ("x-2", "b", 2), ("x-3", "c", 1)],
            id="the entries that stand there serve in turn",
        ),
        pytest.param(
            Repeated(argument="text"),
            [{"name": "a", "color": "red"}, {"size": 7}],
            [("x-9", "a", 1), ("x-9", "two", 7)],
            id="objects give the values of keys that are there",
        ),
        pytest.param(Repeated(argument="text"), "no list", [("x-9", "one", 1), ("x-9", "two", 2)], id="no list"),
        pytest.param(Repeated(argument="text"), [], [], id="an empty list"),
    ],
)
def test_a_list_answers_an_argument_entry_by_entry(rule: Repeated, given: object, wanted: object) -> None:
    synthetic = Synthetic(constants={"/at": ITEMS}, repeated={"/at": rule})
    found = synthetic_result(make_contract(parameters=REGION, returns=OPEN, synthetic=synthetic), {"text": given})
    assert [tuple(one.items()) for one in found["at"]] == [tuple(zip(ITEMS[0], one, strict=True)) for one in wanted]


def test_a_repeated_list_ends_after_a_hundred_entries() -> None:
    synthetic = Synthetic(constants={"/at": [0]}, repeated={"/at": Repeated(argument="text")})
    found = synthetic_result(
        make_contract(parameters=REGION, returns=OPEN, synthetic=synthetic), {"text": list(range(10_000))}
    )
    assert found == {"at": list(range(100))}


PROGRAM = """
import random
from fcbench.core.canonical import canonical_text
from fcbench.core.samples import sample
from fcbench.core.synthetic import synthetic_result
from tests.core.test_samples import SCHEMAS
from tests.strategies import make_contract
print(canonical_text([sample(schema, random.Random(7)) for schema in SCHEMAS.values()]))
print(canonical_text(synthetic_result(make_contract(), {"start": 5})))
"""


def test_neither_the_process_nor_the_seed_of_hashes_changes_a_sample() -> None:
    outputs = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(filter(None, sys.path))},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "4711")
    }
    here = canonical_text([sample(schema, random.Random(7)) for schema in SCHEMAS.values()])
    assert len(outputs) == 1
    assert outputs.pop().splitlines()[0] == here


def test_the_answers_are_those_of_every_version_of_python() -> None:
    # Written down once (CPython 3.11): `random()` is the one method whose sequence Python promises to keep.
    assert (
        canonical_text(synthetic_result(make_contract(), {"start": 5, "label": "x"}))
        == '{"start":210,"text":"ember10"}'
    )

from __future__ import annotations

import random
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcbench.core.canonical import canonical_text
from fcbench.core.contracts import Synthetic
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

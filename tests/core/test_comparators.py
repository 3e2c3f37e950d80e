from __future__ import annotations

import pytest
from hypothesis import given, settings

from fcbench.core.comparators import (
    COMPARATORS,
    Reference,
    check_expected,
    comparator_of,
    concrete,
    reference_of,
    references,
    walk,
)
from fcbench.core.names import StepId
from fcbench.errors import BadInputError
from tests.strategies import json_values


@pytest.mark.parametrize(
    ("written", "golden"),
    [
        pytest.param({"$exact": {"a": 1}}, {"a": 1}, id="exact"),
        pytest.param({"$casefold": "LacZ"}, "LacZ", id="casefold"),
        pytest.param({"$one_of": [{"$dna": "ACGT"}, "x"]}, "ACGT", id="one_of takes the first"),
        pytest.param({"$regex": {"pattern": "[a-z]+", "example": "abc"}}, "abc", id="regex"),
        pytest.param({"$any": {"example": 3}}, 3, id="any"),
        pytest.param({"$set": [2, {"$casefold": "A"}]}, [2, "A"], id="set"),
        pytest.param({"$tolerance": {"value": 5, "absolute": 1}}, 5, id="tolerance"),
        pytest.param({"$path": "a/b.gbk"}, "a/b.gbk", id="path"),
        pytest.param({"$dna": "acg u"}, "acg u", id="dna"),
        pytest.param({"$date": "2026-11-30"}, "2026-11-30", id="date"),
        pytest.param({"$from": {"step": "s1", "pointer": "/hits/0/start", "offset": -1}}, 41, id="from"),
        pytest.param({"deep": [{"$set": [1]}, {"plain": True}]}, {"deep": [[1], {"plain": True}]}, id="at any depth"),
    ],
)
def test_every_comparator_is_accepted_and_has_one_golden_value(written: object, golden: object) -> None:
    check_expected(written)
    assert concrete(written, {StepId("s1"): {"hits": [{"start": 42}]}}) == golden


def test_the_table_above_covers_the_closed_list() -> None:
    marks = test_every_comparator_is_accepted_and_has_one_golden_value.pytestmark
    written = [row.values[0] for row in marks[0].args[1]]
    assert {name for value in written for _, name, _ in walk(value)} == set(COMPARATORS)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        pytest.param({"$near": 1}, "does not exist", id="unknown name"),
        pytest.param({"$set": [1], "b": 2}, "alone", id="not alone"),
        pytest.param({"$casefold": 3}, "written wrongly", id="casefold of a number"),
        pytest.param({"$one_of": []}, "written wrongly", id="one_of nothing"),
        pytest.param({"$set": "ab"}, "written wrongly", id="set of a text"),
        pytest.param({"$regex": "a+"}, "written wrongly", id="regex without example"),
        pytest.param({"$regex": {"pattern": "a+", "example": "b"}}, "written wrongly", id="example does not match"),
        pytest.param({"$regex": {"pattern": "(", "example": "b"}}, "written wrongly", id="broken pattern"),
        pytest.param({"$any": {}}, "written wrongly", id="any without example"),
        pytest.param({"$tolerance": {"value": 1}}, "written wrongly", id="tolerance without distance"),
        pytest.param({"$tolerance": {"value": 1, "absolute": -1, "relative": 2}}, "written wrongly", id="negative"),
        pytest.param({"$date": "30-11-2026"}, "written wrongly", id="date the wrong way round"),
        pytest.param({"$from": {"pointer": "/a"}}, "written wrongly", id="from without step"),
        pytest.param({"$from": {"step": "s1", "pointer": "a"}}, "written wrongly", id="no pointer"),
        pytest.param({"$from": {"step": "s1", "item": "/a"}}, "written wrongly", id="item without where"),
    ],
)
def test_a_comparator_written_wrongly_is_refused_with_its_place(written: object, message: str) -> None:
    with pytest.raises(BadInputError, match=message) as caught:
        check_expected({"list": [0, written]})
    if message == "written wrongly":
        assert caught.value.where == "/list/1"


def test_a_reference_chooses_an_item_by_its_fields() -> None:
    result = {"hits": [{"name": "a", "at": {"start": 1}}, {"name": "b", "at": {"start": 7}}]}
    reference = Reference(step=StepId("s"), pointer="/hits", where={"name": "b"}, item="/at/start", offset=3)
    assert reference.resolve(result) == 10


@pytest.mark.parametrize(
    "reference",
    [
        pytest.param(Reference(step=StepId("s"), pointer="/none"), id="nothing there"),
        pytest.param(Reference(step=StepId("s"), pointer="/hits", where={"name": "c"}), id="no such item"),
        pytest.param(Reference(step=StepId("s"), pointer="/hits/0/name", offset=1), id="offset on a text"),
        pytest.param(Reference(step=StepId("s"), pointer="/flag", offset=1), id="offset on a boolean"),
        pytest.param(Reference(step=StepId("s"), pointer="/flag", where={"a": 1}), id="choice from no list"),
    ],
)
def test_a_reference_without_a_source_is_a_key_error(reference: Reference) -> None:
    with pytest.raises(KeyError):
        reference.resolve({"hits": [{"name": "a"}], "flag": True})


def test_the_where_of_a_reference_compares_as_json_and_not_as_python() -> None:
    reference = Reference(step=StepId("s"), where={"id": 1})
    with pytest.raises(KeyError):
        reference.resolve([{"id": True}])


def test_references_are_found_in_the_order_of_the_document() -> None:
    value = {"b": {"$from": {"step": "two"}}, "a": [{"$one_of": [{"$from": {"step": "one"}}, 1]}]}
    assert [reference.step for reference in references(value)] == ["two", "one"]
    assert reference_of({"$from": {"step": "x"}}) == Reference(step=StepId("x"))
    assert reference_of({"$any": {"example": 1}}) is None


def test_an_unresolved_step_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        concrete({"$from": {"step": "gone"}}, {})


@given(json_values)
@settings(max_examples=60, deadline=None)
def test_a_value_without_comparators_is_its_own_golden_value(value: object) -> None:
    if not list_dollars(value):
        assert concrete(value) == value
        assert comparator_of(value) is None


def list_dollars(value: object) -> bool:
    if isinstance(value, dict):
        return any(key.startswith("$") for key in value) or any(map(list_dollars, value.values()))
    return isinstance(value, list) and any(map(list_dollars, value))

from __future__ import annotations

import pytest

from fcbench.core.names import JsonValue
from fcbench.evaluator.values import differences, leaf_count, matches

RIGHT_AND_WRONG = [
    pytest.param(1, 1.0, True, id="one-kind-of-number"),
    pytest.param(1, True, False, id="true-is-not-one"),
    pytest.param(True, 1, False, id="one-is-not-true"),
    pytest.param(None, False, False, id="null-is-not-false"),
    pytest.param("é", "e\u0301", True, id="nfc"),
    pytest.param([1, 2], [2, 1], False, id="order-of-a-list-counts"),
    pytest.param({"a": 1, "b": 2}, {"b": 2, "a": 1}, True, id="order-of-keys-does-not"),
    pytest.param({"a": 1}, {"a": 1, "b": None}, False, id="an-extra-key-is-a-difference"),
    pytest.param({"$exact": {"a": 1}}, {"a": 1}, True, id="exact"),
    pytest.param({"$casefold": "araA"}, "ARAA", True, id="casefold"),
    pytest.param({"$casefold": "STRASSE"}, "straße", True, id="casefold-is-more-than-lower"),
    pytest.param({"$casefold": "a"}, 1, False, id="casefold-wants-text"),
    pytest.param({"$one_of": [1, {"$casefold": "x"}]}, "X", True, id="one-of-holds-comparators"),
    pytest.param({"$one_of": [1, 2]}, 3, False, id="one-of"),
    pytest.param({"$regex": {"pattern": "a+", "example": "a"}}, "aaa", True, id="regex"),
    pytest.param({"$regex": {"pattern": "a+", "example": "a"}}, "aab", False, id="regex-matches-the-whole"),
    pytest.param({"$regex": {"pattern": "a+", "example": "a"}}, "a\n", False, id="regex-and-a-newline"),
    pytest.param({"$regex": {"pattern": "1", "example": "1"}}, 1, False, id="regex-wants-text"),
    pytest.param({"$any": {"example": 1}}, None, True, id="any"),
    pytest.param({"$set": [1, 2, 2]}, [2, 1, 2], True, id="set-counts"),
    pytest.param({"$set": [1, 2, 2]}, [2, 1, 1], False, id="set-is-one-to-one"),
    pytest.param({"$set": [1, 2]}, [1, 2, 3], False, id="set-without-extras"),
    pytest.param({"$set": [1]}, 1, False, id="set-wants-a-list"),
    pytest.param({"$set": [{"$one_of": [1, 2]}, 1]}, [1, 2], True, id="set-is-not-greedy"),
    pytest.param({"$tolerance": {"value": 10, "absolute": 0.3}}, 10.3, True, id="tolerance-includes-its-end"),
    pytest.param({"$tolerance": {"value": 10, "absolute": 0.3}}, 10.31, False, id="tolerance"),
    pytest.param({"$tolerance": {"value": -100, "relative": 0.1}}, -91, True, id="relative-to-the-size"),
    pytest.param({"$tolerance": {"value": 1, "absolute": 5}}, True, False, id="tolerance-and-true"),
    pytest.param({"$tolerance": {"value": 1, "absolute": 5}}, 10**400, False, id="tolerance-and-a-huge-number"),
    pytest.param({"$path": "out/a.gbk"}, "./out//a.gbk", True, id="path"),
    pytest.param({"$path": "out/a.gbk"}, "out/x/../a.gbk", True, id="path-with-dots"),
    pytest.param({"$path": "out/a.gbk"}, "/out/a.gbk", False, id="an-absolute-path-is-another"),
    pytest.param({"$path": "/a"}, "//a", True, id="two-slashes"),
    pytest.param({"$dna": "ACGT"}, "ac gu\n", True, id="dna"),
    pytest.param({"$dna": "ACGT"}, "ACGN", False, id="dna-letters"),
    pytest.param({"$date": "2026-03-04"}, "20260304", True, id="iso-basic-date"),
    pytest.param({"$date": "2026-03-04"}, "2026-04-03", False, id="date"),
    pytest.param({"$date": "2026-03-04"}, "4 March", False, id="date-wants-iso"),
    pytest.param({"$from": {"step": "a"}}, 1, False, id="an-open-reference-matches-nothing"),
]


@pytest.mark.parametrize(("expected", "found", "right"), RIGHT_AND_WRONG)
def test_comparators_hold_what_the_protocol_says(expected: JsonValue, found: JsonValue, right: bool) -> None:
    assert matches(expected, found) is right
    assert matches({"a": [expected]}, {"a": [found]}) is right


def test_differences_name_every_place() -> None:
    found = differences({"a": 1, "b": [1, 2], "c": {"d": {"$dna": "A"}}}, {"a": 2, "b": [1], "c": {"d": "C"}, "e": 0})
    assert [(item.kind, item.path) for item in found] == [
        ("wrong", ("a",)),
        ("missing", ("b", 1)),
        ("wrong", ("c", "d")),
        ("extra", ("e",)),
    ]


def test_a_hostile_object_names_a_bounded_number_of_differences() -> None:
    assert len(differences({}, {f"k{index}": index for index in range(50_000)})) == 1000
    assert len(differences([], list(range(50_000)))) == 1000


@pytest.mark.parametrize(
    ("value", "count"),
    [(1, 1), ({}, 1), ({"a": 1, "b": [1, 2]}, 3), ({"a": {"$set": [1, 2, 3]}}, 3), ([{"a": 1}, {"a": 2, "b": 3}], 3)],
)
def test_fields_are_counted_by_leaves_and_a_comparator_is_one(value: JsonValue, count: int) -> None:
    assert leaf_count(value) == count

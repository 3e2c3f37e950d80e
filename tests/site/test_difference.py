"""Differences between expected and observed arguments."""

from __future__ import annotations

import pytest

from fcbench.core.names import JsonObject, Pointer
from fcbench.core.verdicts import Fault
from fcbench.site.difference import MAX_ROWS, compare, in_words, told


@pytest.mark.parametrize(
    ("expected", "found", "changed"),
    [
        pytest.param({"a": 1}, {"a": 1.0}, [], id="one kind of number"),
        pytest.param({"a": True}, {"a": 1}, [("/a", "differs")], id="true is not one"),
        pytest.param({"a": {"b": [1, 2]}}, {"a": {"b": [1, 3]}}, [("/a/b/1", "differs")], id="nested"),
        pytest.param({"a": [1]}, {"a": [1, 2]}, [("/a/1", "extra")], id="one item too many"),
        pytest.param({"a": [1, 2]}, {"a": [1]}, [("/a/1", "missing")], id="one item too few"),
        pytest.param({"a": 1}, {"b": 1}, [("/a", "missing"), ("/b", "extra")], id="another key"),
        pytest.param({"a/b": {"~": 1}}, {"a/b": {"~": 2}}, [("/a~1b/~0", "differs")], id="escaped pointer"),
        pytest.param({"a": {}}, {"a": []}, [("/a", "differs")], id="object and list"),
        pytest.param({}, {}, [("", "differs")][1:], id="nothing"),
    ],
)
def test_only_what_differs_is_listed(expected: JsonObject, found: JsonObject, changed: list[tuple[str, str]]) -> None:
    rows = compare(expected, found, ()).changed
    assert [(row.pointer, row.mark) for row in rows] == changed


def test_a_comparator_differs_exactly_where_the_evaluator_says_so() -> None:
    expected: JsonObject = {"a": {"$one_of": ["x", "y"]}}
    assert compare(expected, {"a": "y"}, ()).changed == ()
    fault = Fault(kind="wrong_value", sentence="No.", pointer=Pointer("/a"))
    (row,) = compare(expected, {"a": "z"}, [fault]).changed
    assert (row.mark, row.expected, row.found) == ("differs", 'one of: "x", "y"', '"z"')


def test_a_difference_that_the_evaluator_took_is_not_blamed() -> None:
    fault = Fault(kind="wrong_value", sentence="No.", pointer=Pointer("/a/b"))
    rows = compare({"a": {"b": 1}, "ab": 1, "c": 2}, {"a": {"b": 2}, "ab": 2}, [fault]).changed
    assert [(row.pointer, row.blamed, row.kinds) for row in rows] == [
        ("/a/b", True, ("wrong_value",)),
        ("/ab", False, ()),
        ("/c", False, ()),
    ]


def test_a_hostile_list_does_not_become_a_giant_page() -> None:
    difference = compare({"a": []}, {"a": list(range(10_000))}, ())
    assert len(difference.changed) == MAX_ROWS
    assert difference.hidden == 10_000 - MAX_ROWS


@pytest.mark.parametrize(
    ("value", "words"),
    [
        pytest.param({"$tolerance": {"value": 3, "absolute": 0.5}}, "about 3 (within absolute 0.5)", id="tolerance"),
        pytest.param({"$from": {"step": "s", "pointer": "/id"}}, "the result of step s at /id", id="reference"),
        pytest.param({"$dna": "ACGT"}, '"ACGT", compared as a sequence', id="sequence"),
        pytest.param({"$any": {"example": 1}}, "any value, such as 1", id="any"),
        pytest.param({"$unheard": 1}, '{"$unheard": 1}', id="an unknown one is shown as it is"),
        pytest.param({"$one_of": 3}, '{"$one_of": 3}', id="a malformed one is shown as it is"),
    ],
)
def test_comparators_are_put_into_words(value: JsonObject, words: str) -> None:
    assert in_words(value) == words


@pytest.mark.parametrize(
    ("expected", "sentence", "said"),
    [
        pytest.param(
            {"$one_of": ["X1.2", "X1"]},
            'Wrong value at /id: expected {"$one_of": ["X1.2", "X1"]}, found "x".',
            'Wrong value at /id: expected one of: "X1.2", "X1", found "x".',
            id="a comparator in words",
        ),
        pytest.param("X1", 'Wrong value at /id: expected "X1", found "x".', None, id="a plain value as it stands"),
        pytest.param({"$one_of": ["a"]}, "Step look was answered with status error.", None, id="not quoted"),
    ],
)
def test_a_sentence_says_a_comparator_in_words(expected: JsonObject | str, sentence: str, said: str | None) -> None:
    fault = Fault(kind="wrong_value", sentence=sentence, expected=expected)
    assert told(fault) == (said or sentence)

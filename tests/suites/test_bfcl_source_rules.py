"""The rules of BFCL's checker that explain a difference of verdicts."""

from __future__ import annotations

from typing import Any

import pytest

from fcbench.suites.bfcl.source_rules import folded, refuses_number, same_case

PARAMETERS: dict[str, Any] = {
    "properties": {
        "whole": {"type": "integer"},
        "real": {"type": "number"},
        "reals": {"type": "array", "items": {"type": "number"}},
        "wholes": {"type": "array", "items": {"type": "integer"}},
        "any": {"description": "no type"},
        "free": {"type": "array"},
    }
}


@pytest.mark.parametrize(
    ("name", "value", "listed", "refused"),
    [
        pytest.param("whole", 5, [5], False, id="an integer as an integer"),
        pytest.param("whole", 5.0, [5], True, id="a float for an integer"),
        pytest.param("whole", 5.0, [5.0], False, id="a float for an integer whose first value is a float"),
        pytest.param("whole", 5.0, ["", 5.0], False, id="the mark is no first value"),
        pytest.param("real", 5.0, [5.0], False, id="a float as a float"),
        pytest.param("real", 5, [5.0], False, id="an integer for a float"),
        pytest.param("any", 5, ["5"], True, id="a number where a text is expected"),
        pytest.param("any", 5, [5], False, id="a number where the first value is one"),
        pytest.param("reals", [1.0, 2.0], [[1.0, 2.0]], False, id="floats in a list of floats"),
        pytest.param("reals", [1, 2.0], [[1.0, 2.0]], True, id="an integer in a list of floats"),
        pytest.param("reals", [1, 2.0], [[1, 2.0]], False, id="an integer in a list that begins with one"),
        pytest.param("reals", [1, 2.0], [[1.0, 2.0], ""], False, id="the mark stands for every list"),
        pytest.param("wholes", [1.0], [[1]], True, id="a float in a list of integers"),
        pytest.param("free", [1.0], [[1]], False, id="a list of anything"),
        pytest.param("whole", True, [5], False, id="true is no number"),
        pytest.param("other", 5.0, [5], False, id="an argument that is not declared"),
    ],
)
def test_a_number_is_refused_for_how_it_is_written(name: str, value: Any, listed: list[Any], refused: bool) -> None:
    assert refuses_number(PARAMETERS, {name: listed}, {name: value}) is refused


@pytest.mark.parametrize(
    ("inside", "found"),
    [
        pytest.param((), "ab", id="an argument"),
        pytest.param(("list",), "ab", id="an item"),
        pytest.param(("object",), "ab", id="a value of an object"),
        pytest.param(("list", "object"), "ab", id="a value of an object in a list"),
        pytest.param(("list", "list"), "A-B", id="a list in a list: compared exactly"),
        pytest.param(("object", "object"), "A-B", id="an object in an object: compared exactly"),
        pytest.param(("object", "list"), "A-B", id="a list in an object: compared exactly"),
    ],
)
def test_texts_are_folded_where_the_source_folds_them(inside: tuple[str, ...], found: str) -> None:
    assert folded("A-B", inside) == found
    assert same_case("AB", inside) == found.replace("-", "")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param(" ,./-_*^", "", id="every character that is dropped"),
        pytest.param("It's", 'it"s', id="quotation marks alike"),
        pytest.param("a:b;c+d", "a:b;c+d", id="other punctuation stays"),
        pytest.param("a\u00a0b", "a\u00a0b", id="a no-break space stays"),
    ],
)
def test_what_folding_drops(text: str, found: str) -> None:
    assert folded(text, ()) == found


def test_other_values_are_not_folded() -> None:
    assert [folded(value, ()) for value in (5, None, True)] == [5, None, True]

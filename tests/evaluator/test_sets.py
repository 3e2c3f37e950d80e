"""What is wrong inside a `$set`: items are paired before they are compared."""

from __future__ import annotations

import pytest

from fcbench.core.names import JsonValue
from fcbench.evaluator.structures import MAX_PAIRED_ITEMS
from fcbench.evaluator.values import differences

RENT = {"soort": "huurprijs", "maximum": 1250.5}
ROOMS = {"soort": "kamers", "minimum": 3}
GARDEN = {"soort": "tuin", "gewenst": True}


def told(expected: JsonValue, found: JsonValue) -> list[tuple[str, str]]:
    return [(each.kind, "/".join(map(str, each.path))) for each in differences(expected, found)]


@pytest.mark.parametrize(
    ("found", "says"),
    [
        pytest.param([ROOMS, RENT], [], id="order is free"),
        pytest.param([ROOMS, {**RENT, "maximum": 1250}], [("wrong", "1/maximum")], id="one value in one item"),
        pytest.param([ROOMS, GARDEN, RENT], [("extra", "1")], id="an item that nobody asked for"),
        pytest.param([ROOMS], [("missing", "1")], id="an item that is missing"),
        pytest.param([{**RENT, "minimum": 3}, ROOMS], [("extra", "0/minimum")], id="a key of another item"),
        pytest.param("RENT", [("wrong", "")], id="no list at all"),
        pytest.param([], [("wrong", "")], id="an empty list"),
    ],
)
def test_each_difference_has_its_place(found: JsonValue, says: list[tuple[str, str]]) -> None:
    assert told({"$set": [RENT, ROOMS]}, found) == says


def test_a_hostile_list_is_one_difference_and_not_a_million_pairs() -> None:
    assert told({"$set": [RENT]}, [ROOMS] * (MAX_PAIRED_ITEMS + 1)) == [("wrong", "")]
    assert told({"$set": [1]}, list(range(2, 500_000))) == [("wrong", "")]

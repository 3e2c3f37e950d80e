from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcbench.retrieval.features import content_words, features
from fcbench.retrieval.learned import Learned
from fcbench.retrieval.nearest import Nearest
from fcbench.retrieval.word_vectors import SIZE, UNIT, text_vector

EXAMPLES = (
    ("wipe the blackboard", 0),
    ("please wipe everything off", 0),
    ("buy two loaves of bread", 1),
    ("we are out of milk, buy some", 1),
    ("which loaves are sold here?", 2),
)


def cosine(left: str, right: str) -> float:
    one, other = text_vector({left: 1}), text_vector({right: 1})
    return float(one @ other) / UNIT**2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("wipe it", 0, id="a word of its examples"),
        pytest.param("erase this", 0, id="a word near to one of its examples"),
        pytest.param("purchase a baguette", 1, id="two words near to those of its examples"),
        pytest.param("which ones are sold?", 2, id="the form of a question"),
    ],
)
def test_examples_vote_for_the_tool_of_texts_like_them(text: str, expected: int) -> None:
    votes = Learned(EXAMPLES, 3).votes(text)
    assert int(np.argmax(votes.means)) == expected
    assert {each.dtype for each in votes} == {np.dtype(np.int64)}


def test_a_text_with_nothing_in_common_gets_no_vote() -> None:
    votes = Learned(EXAMPLES, 3).votes("qqqq 4,100 to 4,200")
    assert [each.tolist() for each in votes] == [[0, 0, 0], [0, 0, 0]]


def test_a_registry_without_a_tool_or_an_example_can_be_asked() -> None:
    assert [each.tolist() for each in Learned((), 2).votes("wipe it")] == [[0, 0], [0, 0]]
    assert [each.tolist() for each in Learned((), 0).votes("wipe it")] == [[], []]


def test_the_order_of_examples_plays_no_part() -> None:
    text = "could you buy bread and wipe the table?"
    there, back = Learned(EXAMPLES, 3).votes(text), Learned(EXAMPLES[::-1], 3).votes(text)
    assert [each.tolist() for each in there] == [each.tolist() for each in back]


def test_a_tool_is_as_near_as_its_most_alike_example_however_many_others_it_has() -> None:
    odd = "sharpen every pencil in the drawer"
    many = [(f"wipe the board number {word}", 0) for word in ("alpha", "beta", "gamma", "delta", "epsilon", "zeta")]
    whole, others = Learned([*many, (odd, 0), ("sharpen a knife", 1)], 2).votes(odd).nearest
    assert whole == pytest.approx((5 + 1) * UNIT**2, rel=0.01)
    assert whole > 2 * others > 0


@settings(deadline=None)
@given(
    rows=st.lists(st.dictionaries(st.integers(0, 6), st.integers(1, 1024), max_size=4), min_size=1, max_size=8),
    seed=st.integers(0, 9),
)
def test_likeness_is_that_of_the_best_example_counted_one_by_one(rows: list[dict[int, int]], seed: int) -> None:
    drawn = np.random.default_rng(seed)
    vectors = [drawn.integers(-90, 90, SIZE) for _ in rows]
    owners = [int(each) for each in drawn.integers(0, 3, len(rows))]
    text, vector = rows[0], vectors[-1]
    expected = [0, 0, 0]
    for row, numbers, owner in zip(rows, vectors, owners, strict=True):
        shared = sum(weight * text[place] for place, weight in row.items() if place in text)
        alike = 5 * shared + sum(int(left) * int(right) for left, right in zip(numbers, vector, strict=True))
        expected[owner] = max(expected[owner], alike)
    assert Nearest(rows, vectors, owners, 3).likeness(text, vector).tolist() == expected


@pytest.mark.parametrize(
    ("near", "far"),
    [
        pytest.param(("erase", "wipe"), ("erase", "bread"), id="verbs"),
        pytest.param(("protein", "enzyme"), ("protein", "window"), id="biology"),
        pytest.param(("spreadsheet", "excel"), ("spreadsheet", "wipe"), id="programs"),
    ],
)
def test_words_that_are_used_alike_lie_closer(near: tuple[str, str], far: tuple[str, str]) -> None:
    assert cosine(*near) > 0.4 > cosine(*far)


def test_the_vector_of_a_text_is_whole_numbers_of_one_length() -> None:
    found = text_vector({"gene": 3, "protein": 5, "qqqq": 9})
    assert (found.shape, found.dtype) == ((SIZE,), np.int64)
    assert abs(float(np.sqrt(found @ found)) - UNIT) < SIZE / 10
    assert not text_vector({"qqqq": 9}).any()


def test_features_are_words_pairs_meanings_and_forms_of_values() -> None:
    found = features("How many of the tabs hold dnaK?")
    assert {"tab", "hold", "tab hold", "how", "mani", "how mani", "@gene", "?"} <= set(found)
    assert found["tab"] > found["how"] > found["tab hold"] > found["how mani"]
    assert "@" not in found
    assert "@" in features("hello there")


def test_content_words_are_lower_case_and_each_stands_once() -> None:
    assert content_words("Wipe THE board, wipe a Board") == ("wipe", "board")


def test_weights_fall_from_the_commonest_feature_to_the_rarest() -> None:
    votes = [Learned(EXAMPLES, 3).votes(text).means[1] for text in ("milk", "loaves", "the")]
    assert all(left > right for left, right in pairwise(votes))

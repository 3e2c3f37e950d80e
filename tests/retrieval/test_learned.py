from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from fcbench.retrieval.features import content_words, features
from fcbench.retrieval.learned import Learned
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
    assert int(np.argmax(votes)) == expected
    assert votes.dtype == np.int64


def test_a_text_with_nothing_in_common_gets_no_vote() -> None:
    assert Learned(EXAMPLES, 3).votes("qqqq 4,100 to 4,200").tolist() == [0, 0, 0]


def test_a_registry_without_a_tool_or_an_example_can_be_asked() -> None:
    assert Learned((), 2).votes("wipe it").tolist() == [0, 0]
    assert Learned((), 0).votes("wipe it").tolist() == []


def test_the_order_of_examples_plays_no_part() -> None:
    text = "could you buy bread and wipe the table?"
    assert Learned(EXAMPLES, 3).votes(text).tolist() == Learned(EXAMPLES[::-1], 3).votes(text).tolist()


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
    votes = [Learned(EXAMPLES, 3).votes(text)[1] for text in ("milk", "loaves", "the")]
    assert all(left > right for left, right in pairwise(votes))

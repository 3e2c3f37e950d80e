from __future__ import annotations

import random
import re

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcbench.core.patterns import MAX_TEXT, Pattern, PatternError
from tests.strategies import PATTERNS

ALLOWED = (
    *PATTERNS,
    "^$",
    "^a$",
    "^[A-Za-z0-9_.-]{1,40}$",
    "^(?:[a-z]+(?:-[a-z]+)*)?$",
    "^\\(?[0-9]{3}\\)?[ -]?[0-9]{7}$",
    "^[^\\]\\\\]{2,}$",
    "^\\$[0-9]+\\.[0-9]{2}$",
    "^[a\\-z]x{0}y?$",
    "^[à-ÿ]+$",
    "^\\t[\\n]$",
)


@pytest.mark.parametrize("source", ALLOWED)
def test_samples_match_their_pattern_in_python_and_in_the_decider(source: str) -> None:
    pattern = Pattern(source)
    decider = jsonschema_rs.Draft202012Validator({"pattern": source})
    for seed in range(40):
        text = pattern.sample(random.Random(seed))
        assert re.fullmatch(source, text), text
        assert decider.is_valid(text), text


@given(st.sampled_from(ALLOWED), st.text(max_size=10) | st.text("Aab1 -.@$", max_size=10))
@settings(max_examples=80, deadline=None)
def test_python_and_the_decider_agree_on_any_text(source: str, text: str) -> None:
    if not text.endswith("\n"):
        decided = jsonschema_rs.Draft202012Validator({"pattern": source}).is_valid(text)
        assert decided == bool(re.search(source, text))


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        pytest.param("^\\d+$", "no explicit class", id="digit class"),
        pytest.param("^\\w$", "no explicit class", id="word class"),
        pytest.param("^[\\s]$", "no explicit class", id="white space inside a class"),
        pytest.param("^\\p{L}$", "no explicit class", id="Unicode property"),
        pytest.param("^\\bword$", "no explicit class", id="word boundary"),
        pytest.param("^(a)\\1$", "no explicit class", id="back-reference"),
        pytest.param("^(?=a)a$", "a group other than", id="look-ahead"),
        pytest.param("^(?<!a)b$", "a group other than", id="look-behind"),
        pytest.param("^(?P<n>a)$", "a group other than", id="named group"),
        pytest.param("^(?i)a$", "a group other than", id="flags"),
        pytest.param("^a*?$", "lazy", id="lazy quantifier"),
        pytest.param("^a++$", "lazy", id="possessive quantifier"),
        pytest.param("^a{,3}$", "quantifier other than", id="open lower bound"),
        pytest.param("^a{3,1}$", "end lies before", id="bounds turned round"),
        pytest.param("^a{1$", "quantifier other than", id="unclosed bounds"),
        pytest.param("^(a$", "not closed", id="unclosed group"),
        pytest.param("^a)$", "unmatched", id="unmatched parenthesis"),
        pytest.param("^[a$", "ends too early", id="unclosed class"),
        pytest.param("^[]$", "empty class", id="empty class"),
        pytest.param("^[z-a]$", "the range", id="range turned round"),
        pytest.param("^[a&&b]$", "set operation", id="doubled ampersand"),
        pytest.param("^[[:alpha:]]$", "unescaped inside a class", id="POSIX class"),
        pytest.param("^*a$", "nothing before", id="quantifier of nothing"),
        pytest.param("^a^b$", "inside the pattern", id="anchor in the middle"),
        pytest.param("^a\\", "ends too early", id="ends in a backslash"),
        pytest.param("^" + "(" * 100 + "a" + ")" * 100 + "$", "nested groups", id="a hundred groups"),
    ],
)
def test_what_leaves_the_subset_is_refused_with_the_reason(source: str, reason: str) -> None:
    with pytest.raises(PatternError, match=reason):
        Pattern(source)


@given(st.text("^$()[]{}?*+|\\.-a1,:=!<&~", max_size=14))
@settings(max_examples=100, deadline=None)
def test_any_text_is_a_pattern_or_is_refused(source: str) -> None:
    try:
        pattern = Pattern(source)
    except PatternError:
        return
    assert re.search(source, pattern.sample(random.Random(1))) is not None


@pytest.mark.parametrize(
    ("source", "start", "end"),
    [
        ("^a$", True, True),
        ("a$", False, True),
        ("^a", True, False),
        ("^a\\$", True, False),
        ("^a\\\\$", True, True),
        ("^a|b$", False, False),
        ("^(?:a|b)$", True, True),
    ],
)
def test_anchors_are_seen_as_a_whole(source: str, start: bool, end: bool) -> None:
    pattern = Pattern(source)
    assert (pattern.anchored_start, pattern.anchored_end) == (start, end)


def test_a_bomb_of_repetitions_stays_small() -> None:
    assert len(Pattern("^(?:(?:a{900000}){900000}){900000}$").sample(random.Random(0))) <= MAX_TEXT


def test_a_dot_is_read_and_reported() -> None:
    assert Pattern("^a.c$").has_dot
    assert not Pattern("^a\\.[.]$").has_dot

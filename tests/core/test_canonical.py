from __future__ import annotations

import json
import math

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fcbench.core.canonical import (
    MAX_DEPTH,
    canonical_bytes,
    canonical_text,
    clean_json,
    clean_text,
    digest,
    digest_text,
    is_safe_integer,
    json_equal,
    parse_json,
    pointer,
    pointer_parts,
    resolve_pointer,
)
from fcbench.errors import JsonError
from tests.strategies import MAX_SAFE, json_values, texts

few = settings(max_examples=50, deadline=None)


def refusal(text: str | bytes) -> JsonError | None:
    try:
        parse_json(text)
    except JsonError as error:
        return error
    return None


@given(json_values)
@few
def test_a_value_survives_canonical_text_and_strict_parsing(value: object) -> None:
    assert json_equal(parse_json(canonical_text(value)), value)


@given(json_values)
@few
def test_the_canonical_form_is_a_fixed_point(value: object) -> None:
    once = canonical_bytes(value)
    assert canonical_bytes(parse_json(once)) == once


@given(st.text(max_size=40) | st.binary(max_size=40).map(lambda raw: raw.decode("latin-1")))
@example('{"a":1,"a":2}')
@example("[" * 5000)
@example('"' + "\\" * 999)
@example("\ufeff1")
@example('"\ud800"')
@few
def test_any_text_is_parsed_or_refused_and_never_crashes(text: str) -> None:
    assert refusal(text) is None or refusal(text).found


@given(st.binary(max_size=60))
@few
def test_any_bytes_are_parsed_or_refused(raw: bytes) -> None:
    assert refusal(raw) is None or refusal(raw).wanted


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param('{"a": 1, "a": 1}', "stands twice", id="equal keys"),
        pytest.param('[{"a": {"b": 1, "c": 2, "b": 3}}]', "'b'", id="equal keys deep down"),
        pytest.param('{"\\u0061": 1, "a": 2}', "stands twice", id="equal keys after unescaping"),
        pytest.param("NaN", "NaN", id="NaN"),
        pytest.param("[Infinity]", "Infinity", id="Infinity"),
        pytest.param("-Infinity", "-Infinity", id="minus Infinity"),
        pytest.param("1e999", "1e999", id="a double overflows"),
        pytest.param("9" * 500, "500 digits", id="an integer without end"),
        pytest.param("0." + "1" * 500, "no double", id="a fraction without end"),
        pytest.param('"\\ud800"', "surrogate", id="lone high surrogate"),
        pytest.param('{"\\udc00": 1}', "surrogate", id="lone low surrogate in a key"),
        pytest.param("\ufeff{}", "byte order mark", id="byte order mark"),
        pytest.param("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "levels", id="one level too deep"),
        pytest.param('{"a":' * 100_000, "levels", id="a hundred thousand levels"),
        pytest.param("{} {}", "Extra data", id="two values"),
        pytest.param("{'a': 1}", "line 1", id="single quotes"),
        pytest.param("[1,]", "line 1", id="trailing comma"),
        pytest.param("", "line 1", id="nothing"),
        pytest.param("01", "Extra data", id="leading zero"),
        pytest.param('"a\nb"', "control character", id="raw line break in a string"),
    ],
)
def test_what_is_not_strict_json_is_refused_with_the_reason(text: str, found: str) -> None:
    with pytest.raises(JsonError) as caught:
        parse_json(text, where="reply 3")
    assert found in str(caught.value)
    assert caught.value.where == "reply 3"


def test_brackets_inside_strings_are_not_nesting() -> None:
    text = json.dumps("[" * 1000 + '\\"{')
    assert parse_json(text) == "[" * 1000 + '\\"{'


def test_the_deepest_allowed_nesting_is_parsed() -> None:
    assert parse_json("[" * MAX_DEPTH + "]" * MAX_DEPTH)


def test_too_many_bytes_are_refused_before_they_are_read() -> None:
    with pytest.raises(JsonError, match="not strict"):
        parse_json("[1, 2, 3]", max_bytes=8)


def test_bytes_that_are_not_utf8_are_refused_with_their_place() -> None:
    with pytest.raises(JsonError) as caught:
        parse_json(b'"a\xff"')
    assert "byte 2" in str(caught.value)


def test_a_pair_of_surrogates_is_one_letter() -> None:
    assert parse_json('"\\ud83d\\ude00"') == "😀"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        # RFC 8785, 3.2.2 and Appendix B: the shortest form of ECMAScript.
        pytest.param(333333333.33333329, "333333333.3333333", id="rounding"),
        pytest.param(1e30, "1e+30", id="large"),
        pytest.param(4.50, "4.5", id="trailing zero"),
        pytest.param(2e-3, "0.002", id="small"),
        pytest.param(0.000000000000000000000000001, "1e-27", id="very small"),
        pytest.param(-0.0, "0", id="minus zero"),
        pytest.param(1.0, "1", id="whole double"),
        pytest.param(5e-324, "5e-324", id="smallest double"),
        pytest.param(1.7976931348623157e308, "1.7976931348623157e+308", id="largest double"),
        pytest.param(MAX_SAFE, "9007199254740991", id="largest safe integer"),
        pytest.param('\u20ac$\u000f\nA\'B"\\\\"/', '"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"', id="string escapes"),
        # RFC 8785, 3.2.3: keys are sorted by UTF-16 code units, not by code points.
        pytest.param(
            {"\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\U0001f600": 5, "\u0080": 6, "\u00f6": 7},
            '{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}',
            id="key order",
        ),
    ],
)
def test_the_canonical_form_is_that_of_rfc_8785(value: object, text: str) -> None:
    assert canonical_text(value) == text


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(MAX_SAFE + 1, id="integer beyond 2^53 - 1"),
        pytest.param([{"a": -(MAX_SAFE + 1)}], id="negative one, deep down"),
        pytest.param(math.nan, id="NaN"),
        pytest.param(math.inf, id="infinity"),
        pytest.param("\ud800", id="lone surrogate"),
        pytest.param({"\udc00": 1}, id="lone surrogate in a key"),
    ],
)
def test_what_has_no_canonical_form_is_an_error_of_ours(value: object) -> None:
    with pytest.raises(JsonError, match="no canonical form"):
        digest(value)


def test_a_whole_double_beyond_the_safe_integers_is_written_but_not_read_back_as_one() -> None:
    text = canonical_text(1e20)
    assert text == "100000000000000000000"
    with pytest.raises(JsonError, match="no canonical form"):
        canonical_text(parse_json(text))


def test_digests_are_sha256_of_the_canonical_form() -> None:
    assert digest({}) == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    assert digest_text("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert digest({"b": 1.0, "a": []}) == digest({"a": [], "b": 1})


def test_a_text_with_a_lone_surrogate_still_has_a_digest() -> None:
    assert digest_text("\ud800") != digest_text("\ufffd")


@given(json_values)
@few
def test_equality_is_reflexive(value: object) -> None:
    assert json_equal(value, value)


@given(json_values, json_values)
@few
def test_equality_is_symmetric(one: object, other: object) -> None:
    assert json_equal(one, other) == json_equal(other, one)


@given(json_values, json_values)
@few
def test_equal_canonical_forms_mean_equal_values(one: object, other: object) -> None:
    if canonical_bytes(one) == canonical_bytes(other):
        assert json_equal(one, other)


@given(st.dictionaries(texts, json_values, min_size=2, max_size=5))
@few
def test_key_order_never_matters(value: dict[str, object]) -> None:
    turned = dict(reversed(value.items()))
    assert json_equal(value, turned)
    assert digest(value) == digest(turned)


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        pytest.param(True, 1, False, id="True is not 1"),
        pytest.param(False, 0, False, id="False is not 0"),
        pytest.param(0, False, False, id="0 is not False"),
        pytest.param(1, 1.0, True, id="1 is 1.0"),
        pytest.param("1", 1, False, id="a text is no number"),
        pytest.param(None, False, False, id="null is not false"),
        pytest.param(None, 0, False, id="null is not 0"),
        pytest.param("é", "e\u0301", True, id="texts are compared after NFC"),
        pytest.param("ﬁ", "fi", False, id="but not after NFKC"),
        pytest.param([1, 2], [2, 1], False, id="item order matters"),
        pytest.param([1], [1, 1], False, id="length matters"),
        pytest.param([True], [1], False, id="True is not 1 inside a list"),
        pytest.param({"a": 1}, {"a": 1, "b": None}, False, id="null is not absent"),
        pytest.param({}, [], False, id="an object is no list"),
        pytest.param(2**53, float(2**53), True, id="large whole double"),
        pytest.param(2**53 + 1, float(2**53), False, id="no rounding of integers"),
    ],
)
def test_equality_of_json(one: object, other: object, equal: bool) -> None:
    assert json_equal(one, other) is equal
    assert json_equal(other, one) is equal
    assert json_equal({"k": [one]}, {"k": [other]}) is equal


@given(st.lists(texts, max_size=5))
@few
def test_pointer_parts_come_back(parts: list[str]) -> None:
    assert list(pointer_parts(pointer(*parts))) == parts


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        # RFC 6901, section 5.
        pytest.param("", "whole", id="root"),
        pytest.param("/foo/0", "bar", id="index"),
        pytest.param("/", 0, id="empty key"),
        pytest.param("/a~1b", 1, id="slash"),
        pytest.param("/c%d", 2, id="per cent is literal"),
        pytest.param("/m~0n", 8, id="tilde"),
        pytest.param("/ ", 7, id="blank"),
    ],
)
def test_pointers_resolve_as_rfc_6901_says(text: str, wanted: object) -> None:
    value = {"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, " ": 7, "m~n": 8}
    assert resolve_pointer(value, text) == (value if wanted == "whole" else wanted)


@pytest.mark.parametrize(
    "text", ["/foo/2", "/foo/-", "/foo/01", "/foo/+1", "/foo/٠", "/none", "/foo/0/0", "/foo/" + "9" * 99]
)
def test_a_pointer_to_nothing_is_a_key_error(text: str) -> None:
    with pytest.raises(KeyError):
        resolve_pointer({"foo": ["bar", "baz"]}, text)


def test_a_pointer_without_its_slash_is_refused() -> None:
    with pytest.raises(JsonError, match="not a JSON Pointer"):
        pointer_parts("a/b")


def test_cleaning_replaces_lone_surrogates_everywhere() -> None:
    assert clean_text("a\ud800b") == "a\ufffdb"
    assert clean_json({"\udfff": ["x\ud83d", 1]}) == {"\ufffd": ["x\ufffd", 1]}


def test_a_boolean_is_no_safe_integer() -> None:
    assert [is_safe_integer(value) for value in (0, -MAX_SAFE, MAX_SAFE + 1, True, 1.0)] == [
        True,
        True,
        False,
        False,
        False,
    ]

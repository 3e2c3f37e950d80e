from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fcbench.core.canonical import canonical_text, json_equal
from fcbench.core.contracts import ToolContract
from fcbench.core.yaml12 import MAX_FILE_BYTES, Document, load_yaml, parse_yaml
from fcbench.errors import BadInputError, NotFoundError, RegistryError
from tests.strategies import json_values

LAUGHS = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10)
)


def parse(text: str) -> Document:
    return parse_yaml(text.encode(), name="x.yaml")


def complaint(text: str | bytes) -> BadInputError:
    with pytest.raises(BadInputError) as caught:
        parse_yaml(text if isinstance(text, bytes) else text.encode(), name="x.yaml", error=RegistryError)
    assert type(caught.value) is RegistryError
    return caught.value


@pytest.mark.parametrize(
    ("written", "value"),
    [
        # YAML 1.2.2, section 10.3.2, and where YAML 1.1 reads something else.
        pytest.param("NO", "NO", id="Norway"),
        pytest.param("yes", "yes", id="yes is a text"),
        pytest.param("on", "on", id="on is a text"),
        pytest.param("y", "y", id="y is a text"),
        pytest.param("true", True, id="true"),
        pytest.param("False", False, id="False"),
        pytest.param("tRUE", "tRUE", id="mixed case is a text"),
        pytest.param("~", None, id="tilde"),
        pytest.param("", None, id="nothing"),
        pytest.param("Null", None, id="Null"),
        pytest.param("012", 12, id="leading zero is decimal"),
        pytest.param("0o17", 15, id="octal"),
        pytest.param("0x1F", 31, id="hexadecimal"),
        pytest.param("0b101", "0b101", id="no binary"),
        pytest.param("1_000", "1_000", id="no underscores"),
        pytest.param("+12", 12, id="plus"),
        pytest.param("-7", -7, id="minus"),
        pytest.param("1.50", 1.5, id="fraction"),
        pytest.param("1.", 1.0, id="point at the end"),
        pytest.param(".5", 0.5, id="point at the start"),
        pytest.param("1e3", 1000.0, id="exponent without a point"),
        pytest.param("12:30:45", "12:30:45", id="no sexagesimal"),
        pytest.param("190:20", "190:20", id="no sexagesimal either"),
        pytest.param("2026-11-30", "2026-11-30", id="a date is a text"),
        pytest.param("2026-11-30T10:00:00Z", "2026-11-30T10:00:00Z", id="a time is a text"),
        pytest.param("=", "=", id="no value tag"),
        pytest.param("'12'", "12", id="single quotes"),
        pytest.param('"true"', "true", id="double quotes"),
        pytest.param("!!str 12", "12", id="explicit text"),
        pytest.param(".", ".", id="a point"),
        pytest.param("1.2.3", "1.2.3", id="a version"),
        pytest.param("|\n  a\n  b", "a\nb\n", id="literal block"),
        pytest.param(">-\n  a\n  b", "a b", id="folded block"),
        pytest.param("٣", "٣", id="Arabic digits are a text"),
    ],
)
def test_plain_scalars_follow_the_core_schema_of_yaml_1_2(written: str, value: object) -> None:
    found = parse(f"key: {written}\n").value
    assert isinstance(found, dict)
    assert json_equal(found["key"], value)
    assert type(found["key"]) is type(value)


@pytest.mark.parametrize(
    ("text", "words", "where"),
    [
        pytest.param(
            "a: 1\nb:\n  c: 1\n  c: 2\n", "'c' in line 3 and in line 4", "x.yaml:4, field /b/c", id="equal keys"
        ),
        pytest.param("a: .inf", "finite", "x.yaml:1, field /a", id="infinity"),
        pytest.param("a: [1, .NaN]", "finite", "x.yaml:1, field /a/1", id="NaN"),
        pytest.param("a: 1e999", "no double", "x.yaml:1, field /a", id="overflow"),
        pytest.param("a: 9007199254740992", "2^53 - 1", "x.yaml:1, field /a", id="unsafe integer"),
        pytest.param(f"a: {'9' * 9999}", "2^53 - 1", "x.yaml:1, field /a", id="an integer without end"),
        pytest.param("1: a", "not a text", "x.yaml:1", id="number as a key"),
        pytest.param("null: a", "not a text", "x.yaml:1", id="null as a key"),
        pytest.param("? [a]\n: b", "not a text", "x.yaml:1", id="list as a key"),
        pytest.param("a:\n\t- b\n", "spaces in the indentation", "x.yaml:2", id="tab as indentation"),
        pytest.param("a:\n  - b\n\tc: d\n", "tab", "x.yaml:3", id="tab later on"),
        pytest.param("a: !!python/name:os.system x", "tags", "x.yaml:1, field /a", id="Python object"),
        pytest.param("a: !!timestamp 2026-11-30", "tags", "x.yaml:1, field /a", id="explicit timestamp"),
        pytest.param("!!set {a, b}", "tags", "x.yaml:1", id="set"),
        pytest.param("&a [*a]", "contains itself", "x.yaml:1, field /0", id="recursive anchor"),
        pytest.param("a: *none", "undefined alias", "x.yaml:1", id="unknown alias"),
        pytest.param("<<: 3", "merges a mapping", "x.yaml:1", id="merge of a number"),
        pytest.param("--- a\n--- b\n", "another document", "x.yaml:2", id="two documents"),
        pytest.param("a: [1, 2", "expected ','", "x.yaml:2", id="open list"),
        pytest.param("a: b: c", "mapping values", "x.yaml:1", id="two colons"),
        pytest.param("a: \x01", "not allowed", "x.yaml", id="control character"),
        pytest.param('a: "\\ud800"', "surrogate", "x.yaml:1", id="lone surrogate"),
        pytest.param("[" * 100 + "]" * 100, "64 levels", "x.yaml:1", id="a hundred levels"),
        pytest.param("[" * 50_000, "nest", "x.yaml:1", id="fifty thousand levels"),
        pytest.param("- " * 50_000, "nest", "x.yaml:1", id="fifty thousand dashes"),
        pytest.param(b"a: 1\nb: \xff", "UTF-8", "x.yaml:2", id="not UTF-8"),
    ],
)
def test_what_is_no_clean_yaml_is_refused_with_its_place(text: str | bytes, words: str, where: str) -> None:
    error = complaint(text)
    found = str(error)
    assert words in found or (words == "surrogate" and "escape" in found)
    assert error.where is not None
    assert error.where.startswith(where)


def test_a_tab_says_how_to_mend_it() -> None:
    assert "spaces" in str(complaint("a:\n\t- b\n").next_step)


def test_a_billion_laughs_are_refused() -> None:
    assert "expand" in str(complaint(LAUGHS))


def test_a_huge_file_is_refused_unread() -> None:
    assert "too large" in str(complaint(b"#" * (MAX_FILE_BYTES + 1)))


def test_merge_keys_and_anchors_are_expanded_and_own_keys_win() -> None:
    document = parse("base: &b {p: 1, q: 2}\nother: &o {q: 9, r: 3}\nx:\n  <<: [*b, *o]\n  p: 0\ny: *b\n")
    assert isinstance(document.value, dict)
    assert document.value["x"] == {"p": 0, "q": 2, "r": 3}
    assert document.value["y"] == {"p": 1, "q": 2}
    assert [document.line_of(place) for place in ("/x", "/x/p", "/x/q", "/x/r")] == [3, 5, 1, 2]


def test_every_field_knows_its_line_and_a_missing_one_that_of_what_holds_it() -> None:
    document = parse("# a comment\n- id: a\n  task:\n    text: >-\n      one\n      two\n\n- id: b\n")
    places = ("", "/0", "/0/id", "/0/task", "/0/task/text", "/1/id", "/1/task/none", "/7")
    assert [document.line_of(place) for place in places] == [2, 2, 2, 3, 4, 8, 8, 2]
    assert document.where("/0/task") == "x.yaml:3, field /0/task"


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n", "---\n", "\ufeff"])
def test_an_empty_file_is_null(text: str) -> None:
    assert parse(text).value is None


@given(json_values)
@settings(max_examples=60, deadline=None)
def test_canonical_json_reads_as_the_same_value(value: object) -> None:
    text = canonical_text({"v": value})
    # YAML allows fewer raw control characters than JSON does.
    if not any(0x7F <= ord(letter) < 0xA0 or ord(letter) in (0xFFFE, 0xFFFF, 0xFEFF) for letter in text):
        assert json_equal(parse(text).value, {"v": value})


@given(st.text(max_size=40) | st.text(":-[]{}&*!|>'\"#%@`\n\t ab1.?,<", max_size=30))
@example("&a\n*a : 1")
@example("{a, b: }")
@example("%YAML 1.1\n---\nno")
@example("- &x\n- *x")
@settings(max_examples=100, deadline=None)
def test_any_text_is_read_or_refused_and_never_crashes(text: str) -> None:
    try:
        parse_yaml(text.encode("utf-8", "surrogatepass"), name="x.yaml")
    except BadInputError as error:
        assert str(error.where).startswith("x.yaml")


@pytest.mark.parametrize(
    ("text", "where", "found"),
    [
        pytest.param("name: a\nverison: 1\n", "c.yaml:2, field /verison", "unknown field", id="unknown field"),
        pytest.param("name: a\nversion: one\n", "c.yaml:2, field /version", "Expected `int`", id="wrong type"),
        pytest.param("name: a\n", "c.yaml:1", "missing required field", id="missing field"),
        pytest.param(
            "equivalents:\n  - tool: b\n    reason: [1]\n",
            "c.yaml:3, field /equivalents/0/reason",
            "Expected `str`",
            id="deep down",
        ),
        pytest.param(
            "synthetic:\n  echo:\n    /a: 1\n", "c.yaml:2, field /synthetic/echo", "Expected `str`", id="inside a map"
        ),
    ],
)
def test_a_record_that_does_not_fit_is_refused_with_file_line_and_field(text: str, where: str, found: str) -> None:
    whole = {
        "name": "a",
        "version": "1",
        "category": "c",
        "description": "d",
        "parameters": "{}",
        "returns": "{}",
        "effect": "reads",
        "capability": "c",
    }
    if "version" not in text and "equivalents" not in text and "synthetic" not in text:
        whole = {}
    lines = "".join(f"{key}: {value}\n" for key, value in whole.items() if f"{key}:" not in text)
    with pytest.raises(RegistryError) as caught:
        parse_yaml((text + lines).encode(), name="c.yaml", error=RegistryError).read(ToolContract)
    assert caught.value.where == where
    assert found in str(caught.value.found)


def test_a_file_that_cannot_be_read_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="cannot be read"):
        load_yaml(tmp_path / "none.yaml")
    with pytest.raises(NotFoundError, match="cannot be read"):
        load_yaml(tmp_path)


def test_a_file_is_called_as_asked(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("b: [", encoding="utf-8")
    with pytest.raises(BadInputError) as caught:
        load_yaml(tmp_path / "a.yaml", name="suites/a.yaml")
    assert str(caught.value.where).startswith("suites/a.yaml:")

"""JSON against a schema: how a stream falls into documents, where a text is malformed, and which kind a fault is."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcbench.core.canonical import MAX_BYTES, parse_json
from fcbench.errors import BadInputError, JsonError, NotFoundError, UsageError
from fcbench.workflows.documents import read_documents
from fcbench.workflows.json_faults import parse_or_explain
from fcbench.workflows.schema_source import Contracts, read_contract
from fcbench.workflows.validate import ValidationRequest, Validator, check_files, check_typed
from fcbench.workflows.validated import Checked
from tests.strategies import json_values

EXAMPLE = Path(__file__).resolve().parents[2] / "docs/how-to/validate-json"
HOSTILE = st.text(st.sampled_from('{}[]",:\\ \n\r\t1-a\x00é\ufeff'), max_size=60).map(str.encode) | st.binary(
    max_size=60
)
STRING = '{"type": "string"}'


def texts(raw: bytes) -> list[bytes | None]:
    return [document.text for document in read_documents(io.BytesIO(raw))]


def places(raw: bytes) -> list[tuple[int, int, int]]:
    return [(one.line, one.column, one.part) for one in read_documents(io.BytesIO(raw))]


def validator(tmp_path: Path, schema: object, **more: object) -> Validator:
    path = tmp_path / "schema.json"
    path.write_text(json.dumps(schema))
    return Validator(ValidationRequest(schema=path, **more))  # type: ignore[arg-type]


def check(judge: Validator, raw: bytes) -> list[Checked]:
    return list(check_files(judge, ["-"], io.BytesIO(raw)))


def kinds(judge: Validator, value: object) -> list[tuple[str, str | None, str]]:
    (checked,) = check(judge, json.dumps(value).encode())
    return [(one.pointer, one.keyword, one.kind) for one in checked.violations]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        pytest.param(b"", [], id="nothing"),
        pytest.param(b" \r\n\t", [], id="white space"),
        pytest.param(b'{"a":\n 1}\n', [b'{"a":\n 1}'], id="one value over lines"),
        pytest.param(b'{"a":1}\r\n{"b":2}\r\n', [b'{"a":1}', b'{"b":2}'], id="JSON Lines"),
        pytest.param(b'{"a":1}[2]"x"3 true\n{\n}', [b'{"a":1}', b"[2]", b'"x"', b"3", b"true", b"{\n}"], id="joined"),
        pytest.param(b'[\n{"a":1},\n{"b":2}\n]\n[]', [b'[\n{"a":1},\n{"b":2}\n]', b"[]"], id="lines in an array"),
        pytest.param(b'{"a": "}{"}', [b'{"a": "}{"}'], id="brackets in a text"),
        pytest.param(b'{"a": "\\"}"}1', [b'{"a": "\\"}"}', b"1"], id="escaped quote"),
        pytest.param(b'{"a": 1\n{"b": 2}\n[3]', [b'{"a": 1', b'{"b": 2}', b"[3]"], id="cut after a value"),
        pytest.param(b'{"a": "x\n{"b": 2}\n[3]', [b'{"a": "x', b'{"b": 2}', b"[3]"], id="cut in a text"),
        pytest.param(b'{"a":\n{"b": 2}\n[3]', [b'{"a":', b'{"b": 2}', b"[3]"], id="cut after a colon"),
        pytest.param(b'{"a": [1,\n{"b": 2}\n[3]', [b'{"a": [1,', b'{"b": 2}', b"[3]"], id="cut after a comma"),
        pytest.param(b'{"a": [\n{"b": 2}', [b'{"a": [', b'{"b": 2}'], id="cut, and only one follows"),
        pytest.param(b'[\n{"a": 1},\n{"b":', [b'[\n{"a": 1},\n{"b":'], id="a cut array of lines is one document"),
        pytest.param(b'{"a": "x\n y} z"}\n{"b":1}', [b'{"a": "x\n y} z"}', b'{"b":1}'], id="line break in a text"),
        pytest.param(b'{"a": {"b": 1\n{"c": 2}}\n', [b'{"a": {"b": 1', b'{"c": 2}', b"}"], id="balanced by the next"),
        pytest.param(b'{"a": 1]\n{"b": 2}', [b'{"a": 1]', b'{"b": 2}'], id="wrong bracket"),
        pytest.param(b'}\n{"b": 2}', [b"}", b'{"b": 2}'], id="bracket too many"),
        pytest.param(b'Sure, here it is:\n{"b": 2}\n', [b"Sure, here it is:", b'{"b": 2}'], id="words before"),
        pytest.param(b'```json\n{"b":\n 2}\n```', [b"```json", b'{"b":\n 2}', b"```"], id="a fence"),
        pytest.param(b'{"a": 1}, {"b": 2}\n3', [b'{"a": 1}', b', {"b": 2}', b"3"], id="a comma between"),
        pytest.param(b'\xef\xbb\xbf{"a":\n1}', [b'\xef\xbb\xbf{"a":\n1}'], id="byte order mark"),
    ],
)
def test_a_stream_falls_into_documents_and_a_faulty_one_does_not_take_the_next(
    raw: bytes, expected: list[bytes]
) -> None:
    assert texts(raw) == expected


def test_documents_know_line_column_and_which_of_the_line_they_are() -> None:
    assert places('"é" {"a":\n1} 2\n\n 3'.encode()) == [(1, 1, 1), (1, 5, 2), (2, 4, 1), (4, 2, 1)]


@given(
    st.lists(json_values, min_size=1, max_size=4), st.sampled_from(["\n", " ", " \n\n "]), st.sampled_from([None, 0, 2])
)
def test_what_json_writes_comes_back_value_by_value(values: list[object], between: str, indent: int | None) -> None:
    raw = between.join(json.dumps(value, indent=indent) for value in values).encode()
    assert [parse_json(text) for text in texts(raw) if text is not None] == [
        parse_json(json.dumps(value)) for value in values
    ]


@given(HOSTILE)
def test_every_byte_but_white_space_is_in_exactly_one_document(raw: bytes) -> None:
    spaces = b" \t\r\n"
    found = list(read_documents(io.BytesIO(raw)))
    assert b"".join(one.text or b"" for one in found).translate(None, spaces) == raw.translate(None, spaces)
    assert all(one.text for one in found)
    starts = [(one.line, one.column) for one in found]
    assert starts == sorted(set(starts))
    for one in found:
        assert one.text is not None
        line = raw.split(b"\n")[one.line - 1].decode("utf-8", "replace")
        assert line[one.column - 1 :].startswith(one.text.decode("utf-8", "replace")[0])


@given(HOSTILE)
def test_one_faulty_line_before_costs_no_document_of_json_lines(raw: bytes) -> None:
    """Whatever a line holds: of the documents after it at most the first is lost with it."""
    line = raw.replace(b"\n", b" ")
    rest = [b'{"a": 1}', b'{"b": [2]}', b'{"c": "3"}']
    assert texts(b"\n".join([line, *rest]))[-2:] == rest[1:]


@given(HOSTILE)
def test_any_text_is_checked_and_never_crashes(raw: bytes) -> None:
    judge = Validator(ValidationRequest(schema=EXAMPLE / "hypotheek.yaml"))
    for checked in check(judge, raw):
        assert checked.text()
        json.dumps(checked.data())
        assert checked.valid == (not checked.violations)


@pytest.mark.parametrize("is_one_line", [True, False], ids=["one line", "many lines"])
def test_a_document_beyond_the_limit_is_counted_and_the_next_is_read(is_one_line: bool) -> None:
    line = b"1, " * 1000 + (b"" if is_one_line else b"\n")
    raw = b"[" + line * (MAX_BYTES // 3000 + 1) + b"1]\n[2]\n"
    first, second = read_documents(io.BytesIO(raw))
    assert first.text is None
    assert first.size > MAX_BYTES
    assert second.text == b"[2]"


def test_a_cut_line_before_a_long_file_costs_one_document() -> None:
    line = b'{"b": "' + b"x" * 1_000_000 + b'"}\n'
    found = list(read_documents(io.BytesIO(b'{"a": 1\n' + line * (MAX_BYTES // 1_000_000 + 2))))
    assert [one.line for one in found] == list(range(1, MAX_BYTES // 1_000_000 + 4))
    assert all(one.text is not None for one in found)


def test_a_document_beyond_the_limit_that_does_not_end_is_one_document() -> None:
    raw = b"[\n{}\n" + (b" ," + b"1, " * 1_000_000 + b"1\n") * 6
    (found,) = read_documents(io.BytesIO(raw))
    assert (found.text, found.size) == (None, len(raw))


def test_reading_again_what_a_cut_document_swallowed_takes_linear_time() -> None:
    def calls(blocks: int) -> int:
        """How many functions run: time that no other process can lengthen."""
        count = 0

        def counted(*_: object) -> None:
            nonlocal count
            count += 1

        before = sys.getprofile()
        sys.setprofile(counted)
        try:
            assert len(texts(b"[\n{}\n ,\n" * blocks)) == 3 * blocks
        finally:
            sys.setprofile(before)
        return count

    assert calls(80) < 2.5 * calls(40)


@pytest.mark.parametrize(
    ("raw", "place", "says"),
    [
        pytest.param(b'{"a":\n  NaN}', (2, 3), "NaN", id="NaN"),
        pytest.param(b'{"a": -Infinity}', (1, 7), "Infinity", id="minus infinity"),
        pytest.param(b'{"a": {"b": 1,\n "c": 2, "b": 3}}', (2, 10), "'b' stands twice", id="key twice"),
        pytest.param(b'{"a": 1, "\\u0061": 2}', (1, 10), "'a' stands twice", id="key twice, once escaped"),
        pytest.param(b'[{"a": 1, "a": 2}, NaN]', (1, 11), "twice", id="the object ends before the number"),
        pytest.param(b'{"a": 1, "a": NaN}', (1, 15), "NaN", id="the number comes before the object's end"),
        pytest.param(b'["NaN", 1e999]', (1, 9), "no double", id="number too large"),
        pytest.param(b'[1,\n"\\ud800"]', (2, 1), "surrogate", id="lone surrogate"),
        pytest.param(b'["\xc3\xa9", \xff]', (1, 7), "not UTF-8", id="not UTF-8"),
        pytest.param(b"\xef\xbb\xbf1", (1, 1), "byte order mark", id="byte order mark"),
        pytest.param(b'{"a": "a", "b": "\\ud800"}', (1, 17), "surrogate", id="a value like its key is no key"),
        pytest.param(b"[NaN, }", (1, 2), "NaN", id="the first of two faults"),
        pytest.param(b"[" * 70 + b"]" * 70, (1, 65), "nesting", id="too deep"),
        pytest.param(b'{"a": [1, 2', (1, 12), "delimiter", id="cut"),
        pytest.param(b'{"a": "x', (1, 7), "Unterminated string.", id="cut in a text"),
        pytest.param(b'{"a": 1,}', (1, 9), "property name", id="comma too many"),
        pytest.param(b'["a\nb"]', (1, 4), "control character.", id="line break in a text"),
    ],
)
def test_malformed_json_has_line_and_column(tmp_path: Path, raw: bytes, place: tuple[int, int], says: str) -> None:
    judge = validator(tmp_path, True)
    (checked,) = check(judge, b"\n" + raw)
    (fault,) = checked.violations
    assert (fault.kind, fault.keyword) == ("malformed_json", None)
    assert (fault.line, fault.column) == (place[0] + 1, place[1])
    assert says in fault.message


def test_the_column_of_a_malformed_document_counts_from_the_line(tmp_path: Path) -> None:
    first, second = check(validator(tmp_path, True), '"é" {"a": NaN}'.encode())
    assert first.valid
    assert second.document == "stdin:1:5"
    assert (second.violations[0].line, second.violations[0].column) == (1, 11)


@given(HOSTILE | json_values.map(lambda value: json.dumps(value).encode()))
def test_a_fault_is_explained_exactly_where_the_parser_refuses(raw: bytes) -> None:
    value, fault = parse_or_explain(raw)
    try:
        assert value == parse_json(raw)
        assert fault is None
    except JsonError:
        assert fault is not None
        lines = raw.decode("utf-8", "replace").split("\n")
        assert 1 <= fault.line <= len(lines)
        assert 1 <= fault.column <= len(lines[fault.line - 1]) + 1


def test_a_broken_mortgage_application_has_eleven_faults_of_nine_kinds() -> None:
    judge = Validator(ValidationRequest(schema=EXAMPLE / "hypotheek.yaml", instruction=f"@{EXAMPLE / 'bericht.txt'}"))
    (checked,) = check(judge, (EXAMPLE / "aanvraag.json").read_bytes())
    assert sorted((one.pointer, one.keyword, one.kind) for one in checked.violations) == [
        ("/aanvragers/0/inkomen/boekjaar", "additionalProperties", "branch_confusion"),
        ("/aanvragers/0/inkomen/bruto_jaarinkomen", "type", "wrong_type"),
        ("/aanvragers/0/persoonsgegevens/geboortedatum", "required", "missing_required_key"),
        ("/aanvragers/1/persoonsgegevens/dossier_id", "additionalProperties", "global_field_repeated"),
        ("/aanvragers/1/persoonsgegevens/geboortedatum", "format", "pattern_violation"),
        ("/aanvragers/1/rol", "enum", "enum_word_not_translated"),
        ("/bijlagen", "uniqueItems", "unique_items_violation"),
        ("/dossier_id", "pattern", "pattern_violation"),
        ("/leningdelen/1/hoofdsom", "type", "wrong_type"),
        ("/leningdelen/1/looptijd_maanden", "maximum", "range_violation"),
        ("/leningdelen/1/rente", "additionalProperties", "unknown_key"),
    ]
    by_pointer = {one.pointer: one for one in checked.violations}
    assert by_pointer["/aanvragers/1/rol"].expected == ["hoofdaanvrager", "partner", "borgsteller"]
    assert by_pointer["/aanvragers/0/persoonsgegevens/geboortedatum"].depth == 3
    assert by_pointer["/aanvragers/0/inkomen/bruto_jaarinkomen"].found == "72.350,75"


def test_without_the_instruction_a_copied_word_is_one_outside_the_vocabulary() -> None:
    judge = Validator(ValidationRequest(schema=EXAMPLE / "hypotheek.yaml"))
    (checked,) = check(judge, (EXAMPLE / "aanvraag.json").read_bytes())
    assert {one.kind for one in checked.violations if one.pointer == "/aanvragers/1/rol"} == {"enum_out_of_vocabulary"}


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        pytest.param(
            {"type": "array", "items": {"type": "integer"}}, [1, "2"], [("/1", "type", "wrong_type")], id="array"
        ),
        pytest.param({"type": "array"}, {}, [("", "type", "wrong_type")], id="an object for an array"),
        pytest.param({"type": "string", "maxLength": 1}, "ab", [("", "maxLength", "length_violation")], id="text"),
        pytest.param({"type": "string"}, None, [("", "type", "wrong_type")], id="null"),
        pytest.param(False, 1, [("", "not", "other_schema_violation")], id="false"),
        pytest.param(True, 1, [], id="true"),
        pytest.param(
            {"$defs": {"a": {"$anchor": "x", "type": "string"}}, "anyOf": [{"$ref": "#x"}, {"type": "null"}]},
            1,
            [("", "anyOf", "other_schema_violation")],
            id="a union by anchors cannot be opened",
        ),
        pytest.param(
            {"$id": "https://example.org/a", "$defs": {"b": {"$id": "b", "type": "string"}}, "items": {"$ref": "b"}},
            [1],
            [("/0", "type", "wrong_type")],
            id="reference by $id",
        ),
    ],
)
def test_any_root_and_any_schema_of_2020_12_serves(
    tmp_path: Path, schema: object, value: object, expected: list[tuple[str, str, str]]
) -> None:
    assert kinds(validator(tmp_path, schema), value) == expected


def test_at_most_a_hundred_violations_are_listed_and_it_is_said(tmp_path: Path) -> None:
    judge = validator(tmp_path, {"items": {"type": "string"}})
    (checked,) = check(judge, json.dumps([1] * 1000).encode())
    assert len(checked.violations) == 100
    assert "100 violations or more" in checked.text()
    assert checked.data()["truncated"] is True


CALLS = [
    pytest.param({"name": "s", "arguments": {"a": 1}}, [], id="plain"),
    pytest.param({"name": "s", "arguments": '{"a": 1}'}, [], id="arguments as text"),
    pytest.param({"name": "s", "parameters": {"a": 1}}, [], id="parameters"),
    pytest.param({"id": "1", "type": "function", "function": {"name": "s", "arguments": '{"a": 1}'}}, [], id="OpenAI"),
    pytest.param({"name": "s", "arguments": ""}, ["missing_required_key"], id="empty text is an empty object"),
    pytest.param({"name": "s", "arguments": '{"a": 1,}'}, ["malformed_json"], id="broken text"),
    pytest.param({"name": "s", "arguments": "[1]"}, ["malformed_json"], id="text of an array"),
    pytest.param({"name": "s", "arguments": [1]}, ["malformed_json"], id="array"),
    pytest.param({"name": "s"}, ["malformed_json"], id="no arguments"),
    pytest.param({"function": {"arguments": {}}}, ["malformed_json"], id="no name"),
    pytest.param(["s", {}], ["malformed_json"], id="no object"),
]


@pytest.mark.parametrize(("call", "expected"), CALLS)
def test_of_a_whole_call_the_arguments_are_judged(tmp_path: Path, call: object, expected: list[str]) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    judge = validator(tmp_path, schema, is_call=True)
    assert [kind for _, _, kind in kinds(judge, call)] == expected


def test_a_call_chooses_its_contract_by_its_name() -> None:
    judge = Validator(ValidationRequest(is_call=True))
    assert kinds(judge, {"name": "vraag_dossierstatus_op", "arguments": {"dossier_id": "1"}}) == [
        ("/dossier_id", "pattern", "pattern_violation")
    ]
    assert kinds(judge, {"name": "vraag_dossier_op", "arguments": {}}) == [("", None, "tool_not_offered")]
    judge = Validator(ValidationRequest(tool="bereken_maandlast", is_call=True))
    assert kinds(judge, {"name": "vraag_dossierstatus_op", "arguments": {}}) == [("", None, "wrong_tool")]


def test_a_tool_name_of_any_length_is_told_in_a_few_letters() -> None:
    call = {"name": "x" * 10**6, "input": {}}
    (checked,) = check(Validator(ValidationRequest(is_call=True)), json.dumps(call).encode())
    assert len(json.dumps(checked.data())) < 2000


def test_a_tool_is_found_in_its_registry_and_a_misspelt_one_gets_the_nearest_names() -> None:
    contracts = Contracts(None, "complex-schema")
    assert contracts.find("bereken_maandlast").name == "bereken_maandlast"
    with pytest.raises(NotFoundError, match="did you mean bereken_maandlast"):
        contracts.find("bereken_maandlasten")
    with pytest.raises(NotFoundError, match="did you mean complex-schema"):
        Contracts(None, "complex-scheme")


def test_a_name_that_two_registries_have_asks_for_the_registry(tmp_path: Path) -> None:
    (tmp_path / "suites").mkdir()
    source = read_tool("bereken_maandlast")
    for registry in ("one", "two"):
        folder = tmp_path / "tools_registry" / registry
        folder.mkdir(parents=True)
        (folder / "bereken_maandlast.yaml").write_text(source, encoding="utf-8")
    with pytest.raises(UsageError, match="--registry one"):
        Contracts(tmp_path, None).find("bereken_maandlast")
    assert Contracts(tmp_path, "two").find("bereken_maandlast").name == "bereken_maandlast"


def read_tool(name: str) -> str:
    path = EXAMPLE.parents[2] / "tools_registry/complex-schema" / f"{name}.yaml"
    return path.read_text(encoding="utf-8")


def test_a_contract_file_serves_as_a_schema(tmp_path: Path) -> None:
    path = tmp_path / "tool.yaml"
    path.write_text(read_tool("vraag_dossierstatus_op"), encoding="utf-8")
    assert read_contract(path).name == "vraag_dossierstatus_op"
    judge = Validator(ValidationRequest(schema=path))
    assert kinds(judge, {"dossier_id": "1"}) == [("/dossier_id", "pattern", "pattern_violation")]


@pytest.mark.parametrize(
    ("name", "text", "error", "says"),
    [
        pytest.param("a.json", "{", BadInputError, "strict JSON", id="broken JSON"),
        pytest.param("a.yaml", "a: [", BadInputError, "not YAML", id="broken YAML"),
        pytest.param("a.yaml", "type: nonsense", BadInputError, "does not compile", id="no schema"),
        pytest.param("a.json", "[1]", BadInputError, "no JSON Schema", id="a list"),
        pytest.param(
            "a.json", '{"$schema": "http://json-schema.org/draft-07/schema#"}', BadInputError, "2020-12", id="old"
        ),
        pytest.param("a.json", '{"$ref": "file:///etc/hostname"}', BadInputError, "nothing is fetched", id="elsewhere"),
        pytest.param(
            "a.yaml", "{name: x, parameters: {}, returns: {}, effect: no}", BadInputError, "ToolContract", id="tool"
        ),
        pytest.param("none/a.json", None, NotFoundError, "cannot be read", id="no file"),
        pytest.param("none/a.yaml", None, NotFoundError, "cannot be read", id="no YAML file"),
    ],
)
def test_a_schema_that_does_not_serve_is_an_error_with_its_file(
    tmp_path: Path, name: str, text: str | None, error: type[Exception], says: str
) -> None:
    path = tmp_path / name
    if text is not None:
        path.write_text(text)
    with pytest.raises(error, match=says) as caught:
        read_contract(path)
    assert path.name in str(caught.value)


@pytest.mark.parametrize(
    "request_",
    [
        pytest.param(ValidationRequest(), id="nothing"),
        pytest.param(ValidationRequest(tool="a", schema=Path("b.json")), id="tool and schema"),
        pytest.param(ValidationRequest(registry="a", schema=Path("b.json")), id="registry and schema"),
    ],
)
def test_a_request_says_one_thing_to_check_against(request_: ValidationRequest) -> None:
    with pytest.raises(UsageError):
        Validator(request_)


def test_typed_documents_end_when_they_are_whole_or_at_an_empty_line(tmp_path: Path) -> None:
    judge = validator(tmp_path, {"type": "object"})
    typed = b'{"a": 1}\n\n{"b":\n {"c": 2}\n}\n[\n1,\n\n3\n{"cut": '
    asked: list[str] = []
    found = list(check_typed(judge, io.BytesIO(typed), asked.append))
    assert [(one.document, [fault.kind for fault in one.violations]) for one in found] == [
        ("prompt 1", []),
        ("prompt 2", []),
        ("prompt 3", ["malformed_json"]),
        ("prompt 4", ["wrong_type"]),
        ("prompt 5", ["malformed_json"]),
    ]
    assert asked == ["> ", "> ", "> ", "... ", "... ", "> ", "... ", "... ", "> ", "> ", "... "]


def test_two_values_on_a_typed_line_are_two_documents(tmp_path: Path) -> None:
    judge = validator(tmp_path, {"type": "object"})
    found = list(check_typed(judge, io.BytesIO(b"{} {}\n\n{}\n"), lambda prompt: None))
    assert [(one.document, one.valid) for one in found] == [("prompt 1", True), ("prompt 2", True), ("prompt 3", True)]


def test_all_files_are_looked_at_before_the_first_is_checked(tmp_path: Path) -> None:
    judge = validator(tmp_path, True)
    (tmp_path / "a.json").write_text("1")
    with pytest.raises(NotFoundError):
        next(check_files(judge, [str(tmp_path / "a.json"), str(tmp_path / "b.json")], io.BytesIO()))


def test_a_name_with_an_escape_or_a_line_break_forges_no_line(tmp_path: Path) -> None:
    judge = validator(tmp_path, {"additionalProperties": False})
    (checked,) = check(judge, json.dumps({"\n1 document: 1 valid\x1b[2J": 1}).encode())
    assert len(checked.text().splitlines()) == 2
    assert "\x1b" not in checked.text()

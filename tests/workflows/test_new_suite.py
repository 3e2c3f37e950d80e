"""`fcbench suite new`: whatever schema comes in, what is written loads, passes its check and keeps the schema."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcbench.core.names import CaseId
from fcbench.errors import BadInputError, FcbenchError, NotFoundError, SuiteError, UsageError, WriteError
from fcbench.registry import check_lock
from fcbench.workflows.check_project import check_registries, check_suites
from fcbench.workflows.new_suite import NewSuiteRequest, new_suite
from fcbench.workflows.new_suite_report import NewSuite
from fcbench.workflows.project import Material, find_project, load
from tests.strategies import subset_schemas

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "caller": {
            "type": "string",
            "minLength": 2,
            "description": "Who has the problem.",
            "examples": ["Noor Bakker"],
        },
        "kind": {"type": "string", "enum": ["INCIDENT", "REQUEST"], "description": "What it is about."},
        "seats": {"type": "integer", "minimum": 1, "maximum": 40, "description": "How many people it concerns."},
        "due": {"type": "string", "format": "date", "description": "Day, as yyyy-mm-dd."},
    },
    "required": ["caller", "kind"],
    "additionalProperties": False,
}
SAYS = "Opens one ticket at the service desk."
FUNCTION = {"name": "create_ticket", "description": SAYS, "parameters": PARAMETERS}


def write(folder: Path, value: object, name: str = "ticket.json") -> Path:
    path = folder / name
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def make(folder: Path, value: object, **more: Any) -> NewSuite:
    request = {"schema": write(folder, value), "project": folder / "own", **more}
    return new_suite(NewSuiteRequest(**request))


def material(folder: Path) -> Material:
    return load(find_project(folder))


def rules_of(folder: Path) -> list[str]:
    return [finding.rule for finding in check_suites(folder).findings]


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("value", "kind", "name"),
    [
        pytest.param({"type": "function", "function": FUNCTION}, "OpenAI tool", "create_ticket", id="OpenAI tool"),
        pytest.param({"type": "function", **FUNCTION}, "OpenAI tool", "create_ticket", id="OpenAI tool, flat"),
        pytest.param(FUNCTION, "OpenAI tool", "create_ticket", id="OpenAI function"),
        pytest.param(
            {"name": "create_ticket", "description": SAYS, "inputSchema": PARAMETERS},
            "MCP tool",
            "create_ticket",
            id="MCP tool",
        ),
        pytest.param(
            {**PARAMETERS, "title": "CreateTicket", "description": SAYS}, "JSON Schema", "create_ticket", id="title"
        ),
        pytest.param({**PARAMETERS, "description": SAYS}, "JSON Schema", "ticket", id="the file's name"),
    ],
)
@pytest.mark.parametrize("language", ["en", "nl"])
def test_each_form_gives_a_suite_that_passes_but_for_its_review(
    tmp_path: Path, value: dict[str, Any], kind: str, name: str, language: Any
) -> None:
    made = make(tmp_path, value, language=language)
    root = tmp_path / "own"
    assert (made.kind, made.plan.contract.name) == (kind, name)
    assert rules_of(root) == ["ethics"]
    cases = material(root).suites.cases
    assert sorted(case.oracle.labels.mix for case in cases.values()) == ["edge", "explicit", "noise"]
    assert {case.task.language for case in cases.values()} == {language}
    assert check_lock(root / "tools_registry", material(root).registries) == ()


def test_a_sound_schema_is_no_import_and_passes_the_lint(tmp_path: Path) -> None:
    made = make(tmp_path, FUNCTION)
    assert (made.advice, made.plan.contract.imported_from) == ((), None)
    assert check_registries(tmp_path / "own").findings == ()
    assert "passes all" in made.text()


def test_the_edge_case_leaves_a_required_value_out_of_its_words(tmp_path: Path) -> None:
    make(tmp_path, FUNCTION)
    case = material(tmp_path / "own").suites.cases[CaseId("create-ticket-edge")]
    assert (case.oracle.decision, case.oracle.labels.missing) == ("ask", ("caller",))
    assert "caller" not in case.task.instruction
    assert "kind" in case.task.instruction


def test_the_collection_says_how_the_suite_is_run(tmp_path: Path) -> None:
    make(tmp_path, FUNCTION)
    (one,) = material(tmp_path / "own").suites.collections.values()
    assert (one.name, one.suites, one.harness) == ("create-ticket", ("create-ticket",), "contract")
    assert (one.mode, one.retrieval, one.repeats) == ("production-parity", "given", 3)


def test_the_number_of_cases_is_that_of_the_asked_rate(tmp_path: Path) -> None:
    made = make(tmp_path, FUNCTION, threshold=0.95)
    assert made.needed[0] == 59
    assert "59 with 0 failing" in made.text()
    assert made.data()["cases_needed"] == [
        {"failures": count, "cases": cases} for count, cases in enumerate(made.needed)
    ]


FOREIGN = {
    "type": "object",
    "properties": {
        "Customer Ref": {"type": "string", "pattern": "\\d{4}-\\w"},
        "mail": {"type": "string", "format": "email", "description": "You must fill in the address."},
        "price": {"type": "number", "multipleOf": 0.01, "minimum": 0},
        "at": {"type": "string", "format": "date-time"},
    },
    "required": ["Customer Ref", "mail", "price", "at"],
}


def test_what_the_gates_refuse_is_said_and_measured_as_it_is(tmp_path: Path) -> None:
    made = make(tmp_path, {"name": "CRM.createTicket", "inputSchema": FOREIGN})
    found = {each.rule: each for each in made.advice}
    wanted = {
        "pattern-explicit",
        "format",
        "multiple-of",
        "closed-object",
        "naming-style",
        "order-to-model",
        "description",
        "tool-name",
    }
    assert found.keys() >= wanted
    assert found["multiple-of"].field == "/properties/price/multipleOf"
    assert all(each.advice for each in made.advice)
    (contract,) = material(tmp_path / "own").registries["crm-create-ticket"].contracts.values()
    assert (contract.parameters, contract.name) == (FOREIGN, "CRM.createTicket")
    assert contract.imported_from == "own schema: ticket.json"
    assert rules_of(tmp_path / "own") == ["ethics"]
    assert len(made.examples.drafts) == 3


ROOTS: list[Any] = [
    pytest.param({"oneOf": [PARAMETERS, {**PARAMETERS, "required": ["due"]}]}, "root-object", ["edge"], id="union"),
    pytest.param(
        {"$ref": "#/definitions/Ticket", "definitions": {"Ticket": PARAMETERS}}, "ref", ["edge"], id="root reference"
    ),
    pytest.param({"type": "object"}, "closed-object", ["edge"], id="no properties"),
    pytest.param({**PARAMETERS, "required": []}, None, ["edge"], id="nothing required"),
    pytest.param(
        {"type": "object", "properties": {"a": {"const": 1}}, "required": ["a"]}, "closed-object", ["edge"], id="fixed"
    ),
    pytest.param(
        {"type": "object", "properties": {"a": {"type": "string", "pattern": "(?=x)y"}}, "required": ["a"]},
        "pattern-explicit",
        ["edge", "explicit", "noise"],
        id="no value can be drawn",
    ),
    pytest.param(
        {"type": "object", "properties": {"a": {"type": "integer", "minimum": 5, "maximum": 4}}, "required": ["a"]},
        "satisfiable",
        ["edge", "explicit", "noise"],
        id="no value exists",
    ),
    pytest.param(
        {**PARAMETERS, "properties": {**PARAMETERS["properties"], "$any": {"type": "string"}}, "required": ["$any"]},
        "naming-style",
        ["edge", "explicit", "noise"],
        id="a field that reads as a comparator",
    ),
]


@pytest.mark.parametrize(("schema", "rule", "without"), ROOTS)
def test_an_example_that_cannot_be_made_is_left_out_with_its_reason(
    tmp_path: Path, schema: dict[str, Any], rule: str | None, without: list[str]
) -> None:
    made = make(tmp_path, {"name": "create_ticket", "description": SAYS, "inputSchema": schema})
    assert sorted(made.examples.left_out) == without
    assert rule is None or rule in {each.rule for each in made.advice}
    root = tmp_path / "own"
    assert material(root).registries["create-ticket"].contracts["create_ticket"].parameters == schema  # type: ignore[index]
    assert rules_of(root) == (["ethics"] if len(without) < 3 else ["cases", "ethics"])
    for mix in without:
        assert f"no example of {mix}: {made.examples.left_out[mix]}" in made.text()  # type: ignore[index]


def with_field(**field: Any) -> dict[str, Any]:
    return {**FUNCTION, "parameters": {**PARAMETERS, "properties": {**PARAMETERS["properties"], "caller": field}}}


def test_a_draft_that_a_gate_refuses_is_followed_by_another(tmp_path: Path) -> None:
    make(tmp_path, with_field(type="string", minLength=2, description="Goes into create_ticket as the name."))
    assert rules_of(tmp_path / "own") == ["ethics"]
    case = material(tmp_path / "own").suites.cases[CaseId("create-ticket-explicit")]
    assert "What it is about" not in case.task.instruction


def test_an_example_of_which_every_draft_is_refused_is_left_out(tmp_path: Path) -> None:
    made = make(tmp_path, with_field(const="create_ticket", description="The operation."))
    assert sorted(made.examples.left_out) == ["edge", "explicit", "noise"]
    assert "refused by a gate of the check (first: names-a-tool)" in made.examples.left_out["explicit"]
    assert rules_of(tmp_path / "own") == ["cases", "ethics"]


def _conditional(part: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"mode": {"type": "string", "enum": ["x", "y"]}, "extra": part},
        "required": ["mode"],
        "additionalProperties": False,
        "if": {"properties": {"mode": {"const": "x"}}, "required": ["mode"]},
        "then": {"required": ["extra"]},
        "else": {"properties": {"extra": False}},
    }


def test_nested_conditions_on_which_the_sampler_often_gives_up_still_get_their_examples(tmp_path: Path) -> None:
    parts = {
        "a": _conditional(_conditional({"type": "string", "format": "date"})),
        "order_no": _conditional(_conditional(_conditional({"type": "boolean"}))),
        "kind": _conditional(
            {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False}
        ),
    }
    schema = {"type": "object", "properties": parts, "required": list(parts)}
    made = make(tmp_path, {"name": "create_ticket", "parameters": schema})
    assert made.examples.left_out == {}
    assert rules_of(tmp_path / "own") == ["ethics"]


TREE = {
    "type": "object",
    "properties": {
        "label": {"type": "string", "minLength": 3},
        "children": {"type": "array", "maxItems": 2, "items": {"$ref": "#/$defs/node"}},
    },
    "required": ["label"],
    "additionalProperties": False,
}


@st.composite
def own_schemas(draw: st.DrawFn) -> dict[str, Any]:
    """What a company may send: nested, recursive, conditional, open or closed, with or without descriptions."""
    names = st.sampled_from(["a", "order_no", "kind", "x", "Ref Nr", "überschrift", "no", "12", "start date"])
    part = subset_schemas | st.just({"$ref": "#/$defs/node"})
    properties = draw(st.dictionaries(names, part, max_size=4))
    described = draw(st.sets(st.sampled_from(sorted(properties)))) if properties else set()
    says = draw(st.sampled_from(["What it is.", "Create_ticket: no | yes # \u0085\ttab", "x" * 400]))
    made = {name: {**each, "description": says} if name in described else each for name, each in properties.items()}
    required = draw(st.lists(st.sampled_from(sorted(made)), unique=True)) if made else []
    schema: dict[str, Any] = {"type": "object", "properties": made, "required": required, "$defs": {"node": TREE}}
    return schema | ({"additionalProperties": False} if draw(st.booleans()) else {})


@settings(max_examples=25, deadline=None)
@given(schema=own_schemas(), language=st.sampled_from(["en", "nl"]))
def test_any_schema_gives_a_suite_that_passes_its_check(schema: dict[str, Any], language: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        made = make(root, {"name": "create_ticket", "parameters": schema}, language=language)
        assert set(rules_of(root / "own")) == {"ethics"}
        contract = material(root / "own").registries["create-ticket"].contracts["create_ticket"]  # type: ignore[index]
        assert contract.parameters == schema
        assert made.examples.left_out.keys() <= {"edge"}


@pytest.mark.parametrize(
    ("value", "word"),
    [
        pytest.param("{", "strict JSON", id="no JSON"),
        pytest.param('{"type": "object", "type": "object"}', "strict JSON", id="a key twice"),
        pytest.param('{"type": "object", "minProperties": NaN}', "strict JSON", id="NaN"),
        pytest.param([FUNCTION, FUNCTION], "no function", id="a list of tools"),
        pytest.param("true", "no function", id="a boolean"),
        pytest.param({"type": "array"}, "another root", id="an array"),
        pytest.param({"type": ["string", "null"]}, "another root", id="two types"),
        pytest.param({"anything": 1}, "another root", id="nothing of a schema"),
        pytest.param({"type": "function"}, "no function", id="a tool without its function"),
        pytest.param({"name": "x", "description": "y"}, "no schema", id="a function without parameters"),
        pytest.param({"name": "x", "inputSchema": True}, "no schema", id="a schema that is no object"),
        pytest.param({"type": "object", "properties": 5}, "does not compile", id="not a schema"),
        pytest.param({"type": "object", "properties": {"a": {"$ref": "#/$defs/b"}}}, "does not compile", id="nowhere"),
        pytest.param(
            {"type": "object", "properties": {"a": {"$ref": "https://example.org/a.json"}}},
            "does not compile",
            id="outside",
        ),
        pytest.param(
            {**PARAMETERS, "$schema": "http://json-schema.org/draft-07/schema#"}, "another dialect", id="draft 7"
        ),
        pytest.param(
            {"type": "object", "properties": {"a": {"const": 2**60}}},
            "no canonical",
            id="an integer that no double holds",
        ),
    ],
)
def test_bad_input_is_refused_and_nothing_is_written(tmp_path: Path, value: object, word: str) -> None:
    with pytest.raises(BadInputError, match=word):
        make(tmp_path, value)
    assert [path.name for path in tmp_path.iterdir()] == ["ticket.json"]


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="cannot be read"):
        new_suite(NewSuiteRequest(schema=tmp_path / "none.json", project=tmp_path / "own"))
    assert list(tmp_path.iterdir()) == []


def test_yaml_is_read_as_well(tmp_path: Path) -> None:
    path = write(tmp_path, "type: object\nproperties: {day: {type: string, format: date}}\nrequired: [day]\n", "a.yaml")
    made = new_suite(NewSuiteRequest(schema=path, project=tmp_path / "own", name="note_day"))
    assert made.plan.contract.name == "note_day"
    assert rules_of(tmp_path / "own") == ["ethics"]


def test_a_second_suite_joins_the_project_and_what_was_there_keeps_every_letter(tmp_path: Path) -> None:
    make(tmp_path, FUNCTION)
    root = tmp_path / "own"
    collections = root / "suites/collections.yaml"
    collections.write_text("# mine\n" + collections.read_text() + "  # the end\n")
    before = files(root)
    made = make(tmp_path, {**FUNCTION, "name": "close_ticket"}, registry="create-ticket")
    after = files(root)
    for name, content in before.items():
        assert after[name].startswith(content.rstrip()), name
    changed = sorted(name for name in after if before.get(name) != after[name])
    assert changed == [
        "suites/close-ticket/cases.yaml",
        "suites/close-ticket/suite.yaml",
        "suites/collections.yaml",
        "tools_registry/create-ticket/close_ticket.yaml",
    ]
    assert list(material(root).suites.collections) == ["close-ticket", "create-ticket"]
    assert rules_of(root) == ["ethics", "ethics"]
    assert {each.rule for each in made.advice} == {"copied-description"}
    assert f"fcbench registry lock --project {root}" in made.next_steps


def test_an_empty_half_project_is_filled(tmp_path: Path) -> None:
    for name in ("suites", "tools_registry"):
        (tmp_path / "own" / name).mkdir(parents=True)
    make(tmp_path, FUNCTION)
    assert rules_of(tmp_path / "own") == ["ethics"]


def _suite_twice(root: Path) -> None:
    make(root.parent, FUNCTION)


def _a_stranger(root: Path) -> None:
    root.mkdir()
    (root / "thesis.txt").write_text("mine")


def _a_file(root: Path) -> None:
    root.write_text("mine")


def _a_folder_of_the_suite(root: Path) -> None:
    make(root.parent, {**FUNCTION, "name": "other"})
    (root / "suites/create-ticket").mkdir()


def _flow_collections(root: Path) -> None:
    make(root.parent, {**FUNCTION, "name": "other"})
    (root / "suites/collections.yaml").write_text("collections: {}\n")


def _the_id(root: Path) -> None:
    make(root.parent, {**FUNCTION, "name": "other"})
    path = root / "suites/other/cases.yaml"
    path.write_text(path.read_text().replace("other-noise", "create-ticket-noise"))


def _broken(root: Path) -> None:
    make(root.parent, {**FUNCTION, "name": "other"})
    (root / "suites/other/suite.yaml").write_text("suite: [")


def _the_function(root: Path) -> None:
    make(root.parent, FUNCTION, suite="other", registry="create-ticket")


def _write_protected_by_a_file(root: Path) -> None:
    make(root.parent, {**FUNCTION, "name": "other"})
    (root / "tools_registry/create-ticket").write_text("mine")


@pytest.mark.parametrize(
    ("prepare", "error"),
    [
        pytest.param(_suite_twice, WriteError, id="the suite is there"),
        pytest.param(_a_stranger, UsageError, id="a folder of something else"),
        pytest.param(_a_file, UsageError, id="a file"),
        pytest.param(_a_folder_of_the_suite, WriteError, id="an empty folder of that name"),
        pytest.param(_flow_collections, SuiteError, id="collections that cannot be extended"),
        pytest.param(_the_id, SuiteError, id="a case id is taken"),
        pytest.param(_broken, SuiteError, id="a project that does not load"),
        pytest.param(_the_function, WriteError, id="the function is there"),
        pytest.param(_write_protected_by_a_file, WriteError, id="a file where the registry goes"),
    ],
)
def test_what_is_in_the_way_stays_and_nothing_is_half_written(
    tmp_path: Path, prepare: Any, error: type[FcbenchError]
) -> None:
    prepare(tmp_path / "own")
    before = files(tmp_path)
    with pytest.raises(error):
        make(tmp_path, FUNCTION)
    before["ticket.json"] = json.dumps(FUNCTION).encode()
    assert files(tmp_path) == before


@pytest.mark.parametrize(
    "names",
    [
        pytest.param({"suite": "../up"}, id="a way out"),
        pytest.param({"suite": "fixtures"}, id="a folder that is no suite"),
        pytest.param({"registry": "A b"}, id="no registry name"),
        pytest.param({"name": "x\u001b[2J"}, id="a terminal escape"),
        pytest.param({"name": "x" * 200}, id="too long"),
    ],
)
def test_a_name_that_cannot_be_used_is_refused(tmp_path: Path, names: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="cannot be used"):
        make(tmp_path, FUNCTION, **names)
    assert not (tmp_path / "own").exists()


@pytest.mark.parametrize("name", ["../../up", "/root", "a b", "Kündigung.anlegen", "fixtures", ".hidden", "-"])
def test_a_foreign_name_of_a_function_stays_inside_the_project(tmp_path: Path, name: str) -> None:
    make(tmp_path, {**FUNCTION, "name": name})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["own", "ticket.json"]
    assert rules_of(tmp_path / "own") == ["ethics"]
    (registry,) = material(tmp_path / "own").registries.values()
    assert [one.name for one in registry.contracts.values()] == [name]

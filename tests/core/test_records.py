from __future__ import annotations

import importlib
import inspect
import json
from pathlib import Path

import jsonschema
import msgspec
import pytest
from hypothesis import given, settings

from fcbench.core.boards import BoardKey, RunKey
from fcbench.core.canonical import json_equal
from fcbench.core.cases import Case, ExpectedCall, Labels, Oracle, Task, contains_comparator
from fcbench.core.contracts import ToolContract, contract_digest
from fcbench.core.evidence import Attempt, Usage
from fcbench.core.findings import Finding, errors_of, sorted_findings
from fcbench.core.names import CaseId, Digest, RegistryHash, StepId, ToolName
from fcbench.core.published import core_modules, field_texts, main, record_classes, schema_text
from fcbench.core.records import Record, decode_line, encode_line, from_plain, record_digest, to_plain
from fcbench.errors import BadInputError, JsonError
from tests.strategies import json_objects, make_contract

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "docs" / "reference" / "schemas"
ABOVE = (
    "fcbench.engine.prices",
    "fcbench.export.marker",
    "fcbench.packages.manifest",
    "fcbench.registry.changes",
    "fcbench.registry.lock",
    "fcbench.suites.commitments",
    "fcbench.suites.disputes",
    "fcbench.suites.golden",
    "fcbench.suites.held_out",
    "fcbench.suites.manual",
    "fcbench.suites.model",
    "fcbench.suites.stats",
    "fcbench.workflows.gate_file",
    "fcbench.workflows.sweep_file",
)
"""Modules above the core whose records stand in files."""


def make_case(arguments: dict[str, object]) -> Case:
    call = ExpectedCall(step=StepId("s1"), tool=ToolName("t"), arguments=arguments)
    oracle = Oracle(decision="call", calls=(call,), labels=Labels(category="c"))
    return Case(suite="s", task=Task(id=CaseId("c-1"), instruction="i", language="en", registry="r"), oracle=oracle)


def test_every_record_is_frozen_keyword_only_and_closed() -> None:
    kinds = [kind for name in core_modules() for kind in vars(importlib.import_module(name)).values()]
    records = {kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Record)}
    assert len(records) > 30
    for kind in records:
        config = kind.__struct_config__
        assert (config.frozen, config.forbid_unknown_fields, config.omit_defaults) == (True,) * 3, kind
        signature = inspect.signature(kind).parameters.values()
        assert all(parameter.kind is parameter.KEYWORD_ONLY for parameter in signature), kind


def test_a_record_cannot_be_changed_or_built_by_position() -> None:
    task = make_case({}).task
    with pytest.raises(AttributeError):
        task.instruction = "x"  # type: ignore[misc]
    with pytest.raises(TypeError):
        Usage(1)  # type: ignore[misc]


@given(json_objects)
@settings(max_examples=60, deadline=None)
def test_a_record_survives_its_line_with_any_json_inside(arguments: dict[str, object]) -> None:
    case = make_case(arguments)
    line = encode_line(case)
    assert line.count(b"\n") == 1
    assert decode_line(line, Case) == case
    assert record_digest(decode_line(line, Case)) == record_digest(case)


def test_defaults_are_left_out_so_that_a_new_field_changes_no_digest() -> None:
    assert to_plain(Usage()) == {}
    assert to_plain(make_case({}).task) == {"id": "c-1", "instruction": "i", "language": "en", "registry": "r"}


def test_a_plain_record_holds_lists_and_no_tuples() -> None:
    plain = to_plain(make_case({"a": [1]}))
    assert json_equal(plain, json.loads(encode_line(make_case({"a": [1]}))))


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        pytest.param(b'{"input_tokens": 1, "input_tokens": 2}', JsonError, id="equal keys"),
        pytest.param(b'{"input_tokens": NaN}', JsonError, id="NaN"),
        pytest.param(b'{"input_tokens": 1', JsonError, id="torn"),
        pytest.param(b'{"input_tokens": "1"}', BadInputError, id="wrong type"),
        pytest.param(b'{"input_tokens": true}', BadInputError, id="true is no number"),
        pytest.param(b'{"tokens": 1}', BadInputError, id="unknown field"),
        pytest.param(b"[]", BadInputError, id="no object"),
    ],
)
def test_a_line_that_is_no_record_is_refused(line: bytes, kind: type[BadInputError]) -> None:
    with pytest.raises(kind) as caught:
        decode_line(line, Usage, where="attempts.jsonl:3")
    assert caught.value.where == "attempts.jsonl:3"


def test_the_message_of_a_broken_record_points_at_its_published_schema() -> None:
    with pytest.raises(BadInputError) as caught:
        from_plain({}, Attempt)
    assert "docs/reference/schemas/Attempt.json" in str(caught.value.next_step)
    assert (PUBLISHED / "Attempt.json").is_file()


def test_the_try_of_an_attempt_is_called_try_on_the_wire() -> None:
    attempt = Attempt(
        task_id=CaseId("c"),
        repeat=1,
        try_number=2,
        outcome="completed",
        started_at="2026-11-30T00:00:00.000Z",
        duration_s=1.0,
    )
    assert to_plain(attempt)["try"] == 2


def test_usage_adds_up_what_is_known() -> None:
    assert Usage(input_tokens=1).plus(Usage(input_tokens=2, output_tokens=3)) == Usage(input_tokens=3, output_tokens=3)
    assert Usage().plus(Usage()) == Usage()


@pytest.mark.parametrize(
    ("value", "found"),
    [
        pytest.param({"a": [{"$set": [1]}]}, True, id="deep"),
        pytest.param({"a": [{"b": "$set"}]}, False, id="a dollar in a value"),
        pytest.param(7, False, id="scalar"),
    ],
)
def test_comparators_are_seen_at_any_depth(value: object, found: bool) -> None:
    assert contains_comparator(value) is found


def test_a_contract_knows_its_arguments_and_its_hash_follows_its_content() -> None:
    contract = make_contract()
    assert contract.required == ("start",)
    assert list(contract.properties) == ["start", "label"]
    assert contract.defaults == {}
    assert [
        make_contract(effect=effect).changes_state for effect in ("reads", "view", "session", "project", "file")
    ] == [
        False,
        False,
        True,
        True,
        True,
    ]
    assert contract_digest(contract) == contract_digest(make_contract())
    assert contract_digest(contract) != contract_digest(make_contract(version=2))
    assert make_contract(parameters={"type": "object", "properties": [], "required": "x"}).properties == {}


def test_two_boards_with_one_label_have_two_slugs() -> None:
    def board(hash_of_tasks: str) -> BoardKey:
        run = RunKey(
            collection="genomics/quick",
            task_hash=Digest(hash_of_tasks),
            registry_hash=RegistryHash("b"),
            fixture_hash=Digest("c"),
            prompt_hash=Digest("d"),
            harness="contract",
            harness_mode="production-parity",
            retrieval="lexical:24",
            decoding="free",
        )
        return BoardKey(run=run, oracle_hash=Digest("e"), tier="native-function-contract", evaluator_version=1)

    assert board("1").label == board("2").label
    assert board("1").slug != board("2").slug
    assert "/" not in board("1").slug


def test_findings_are_sorted_and_each_stands_once() -> None:
    late = Finding(rule="b", message="m", file="f.yaml", line=9, severity="warning")
    early = Finding(rule="a", message="m", file="f.yaml", line=2)
    assert sorted_findings([late, early, late]) == (early, late)
    assert errors_of([late, early]) == (early,)
    assert str(early) == "f.yaml:2: m (a)"


def test_the_published_schemas_are_up_to_date() -> None:
    kinds = record_classes((*core_modules(), *ABOVE))
    hint = f"run: python -m fcbench.core.published docs/reference/schemas {' '.join(ABOVE)}"
    assert sorted(path.stem for path in PUBLISHED.glob("*.json")) == sorted(kind.__name__ for kind in kinds), hint
    stale = [kind.__name__ for kind in kinds if (PUBLISHED / f"{kind.__name__}.json").read_text() != schema_text(kind)]
    assert not stale, hint


def test_the_published_schemas_judge_records_as_the_records_do() -> None:
    schema = json.loads((PUBLISHED / "Case.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)
    plain = to_plain(make_case({"free": [{"json": None}]}))
    assert validator.is_valid(plain)
    assert not validator.is_valid({**plain, "unknown": 1})
    with pytest.raises(BadInputError):
        from_plain({**plain, "unknown": 1}, Case)


def test_publishing_writes_one_file_a_record_and_removes_what_is_gone(tmp_path: Path) -> None:
    (tmp_path / "Gone.json").write_text("{}")
    assert main([str(tmp_path)]) == 0
    written = {path.stem for path in tmp_path.iterdir()}
    assert {"Case", "ToolContract", "Verdict"} <= written
    assert "Gone" not in written
    assert main([]) == 64


def test_fields_are_described_by_the_text_under_them() -> None:
    assert field_texts(ToolContract)["capability"].startswith("What a user gets from it")
    schema = json.loads((PUBLISHED / "Attempt.json").read_text())
    assert schema["$defs"]["Attempt"]["properties"]["try"]["description"].startswith("From 1")


def test_every_published_schema_is_a_valid_schema() -> None:
    for path in PUBLISHED.glob("*.json"):
        jsonschema.Draft202012Validator.check_schema(json.loads(path.read_text()))


def test_structs_of_the_core_are_all_records() -> None:
    for name in core_modules():
        for kind in vars(importlib.import_module(name)).values():
            if isinstance(kind, type) and issubclass(kind, msgspec.Struct) and kind is not msgspec.Struct:
                assert issubclass(kind, Record)

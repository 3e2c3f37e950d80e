"""`golden.json`: how the loader reads it, what it gives to a case, and what the check says of one that does not fit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fcbench.core.canonical import digest
from fcbench.core.hashes import oracle_hash
from fcbench.core.names import CaseId, StepId
from fcbench.errors import SuiteError, WriteError
from fcbench.suites import GoldenEntry, GoldenFile, Suites, check, load_suites
from fcbench.suites.golden import golden_text, read_golden, write_golden
from tests.suites.tiny import CASES, COLLECTIONS, SUITE, load, registries, write

ENTRY = GoldenEntry(end_state={"project": "p", "facts": {"files": ["a"]}}, results={StepId("s1"): digest(1)})
OWN = CASES.replace("    decision: call\n", "    decision: call\n    end_state: {project: written}\n")
ON_WORKBENCH = COLLECTIONS.replace("harness: contract", "harness: workbench")


def golden(*cases: str) -> GoldenFile:
    return GoldenFile(format=1, cases={CaseId(case): ENTRY for case in cases})


def loaded(root: Path, recorded: GoldenFile | None, **files: str | None) -> Suites:
    folder = write(root, subset=None, **files)
    if recorded is not None:
        write_golden(folder / "tiny", recorded)
    return load_suites(folder, registries())


def found(suites: Suites) -> list[tuple[str, int]]:
    return [(one.rule, one.line) for one in check(suites, registries()) if one.rule.startswith("golden")]


def test_a_case_gets_the_end_state_that_was_recorded_and_the_oracle_hash_covers_it(tmp_path: Path) -> None:
    bare = load(tmp_path, subset=None)
    suites = loaded(tmp_path, golden("t-001"))
    case = suites.cases[CaseId("t-001")]
    assert case.oracle.end_state == {"project": "p", "facts": {"files": ["a"]}}
    assert oracle_hash([case]) != oracle_hash([bare.cases[case.id]])
    assert suites.golden["tiny"] == golden("t-001")
    assert bare.cases[case.id].oracle.end_state is None
    assert bare.golden == {}


@pytest.mark.parametrize(
    ("cases", "recorded", "end_state"),
    [
        pytest.param(OWN, "t-001", {"project": "written"}, id="the author wrote one"),
        pytest.param(CASES, "t-009", None, id="no entry"),
        pytest.param(
            CASES.replace("  oracle:\n    decision: call", "  harnesses: [contract]\n  oracle:\n    decision: call"),
            "t-001",
            None,
            id="not on the workbench",
        ),
    ],
)
def test_a_case_keeps_what_it_has_where_the_record_does_not_speak(
    tmp_path: Path, cases: str, recorded: str, end_state: dict[str, Any] | None
) -> None:
    suites = loaded(tmp_path, golden(recorded), cases=cases)
    assert suites.cases[CaseId("t-001")].oracle.end_state == end_state


def test_a_case_that_expects_no_call_gets_no_end_state(tmp_path: Path) -> None:
    suites = loaded(tmp_path, golden("t-001", "t-002"))
    assert suites.cases[CaseId("t-002")].oracle.end_state is None
    assert found(suites) == [("golden-stale", 1)]


@pytest.mark.parametrize(
    ("recorded", "files", "findings"),
    [
        pytest.param(None, {}, [], id="neither recorded nor run there"),
        pytest.param(golden("t-001"), {}, [], id="recorded"),
        pytest.param(golden("t-001"), {"collections": ON_WORKBENCH}, [], id="recorded and run there"),
        pytest.param(None, {"collections": ON_WORKBENCH}, [("golden-missing", 4)], id="run there, no file"),
        pytest.param(golden(), {}, [("golden-missing", 4)], id="a file without the case"),
        pytest.param(golden("t-001", "t-009"), {}, [("golden-stale", 1)], id="a case that is gone"),
        pytest.param(golden(), {"cases": OWN}, [("golden-missing", 4)], id="an end state of the author and no results"),
        pytest.param(
            None,
            {"collections": ON_WORKBENCH, "suite": SUITE + "harnesses: [contract]\n"},
            [],
            id="cases of the contract harness",
        ),
    ],
)
def test_the_check_tells_what_is_not_recorded_and_what_is_too_much(
    tmp_path: Path, recorded: GoldenFile | None, files: dict[str, str], findings: list[tuple[str, int]]
) -> None:
    assert found(loaded(tmp_path, recorded, **files)) == findings


def test_the_file_is_the_same_whatever_the_order_of_its_cases(tmp_path: Path) -> None:
    one, other = golden("t-001", "t-002"), golden("t-002", "t-001")
    assert golden_text(one) == golden_text(other)
    assert golden_text(one).endswith("}\n")
    write_golden(tmp_path, one)
    assert read_golden(tmp_path, "golden.json") == other
    assert [path.name for path in tmp_path.iterdir()] == ["golden.json"]


def test_a_suite_without_the_file_has_no_record(tmp_path: Path) -> None:
    assert read_golden(tmp_path, "golden.json") is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("{", "line 1", id="torn"),
        pytest.param('{"format": 1, "format": 1}', "stands twice", id="equal keys"),
        pytest.param("[]", "Expected", id="a list"),
        pytest.param('{"cases": {}}', "format", id="no format"),
        pytest.param('{"format": 1, "made_at": "now"}', "made_at", id="an unknown field"),
        pytest.param('{"format": 1, "cases": {"t-001": {"results": {}}}}', "end_state", id="no end state"),
        pytest.param(
            '{"format": 1, "cases": {"a": {"end_state": {}, "results": {"s": 1}}}}',
            "Expected `str`",
            id="no digest",
        ),
        pytest.param('{"format": 2}', "format 2", id="a newer form"),
        pytest.param(json.dumps({"format": 1, "about": "\ud800"}), "surrogate", id="half a character"),
    ],
)
def test_a_file_that_does_not_read_is_refused_with_its_place(tmp_path: Path, text: str, says: str) -> None:
    folder = write(tmp_path, subset=None)
    (folder / "tiny" / "golden.json").write_text(text, encoding="utf-8")
    with pytest.raises(SuiteError) as caught:
        load_suites(folder, registries())
    assert caught.value.where == "suites/tiny/golden.json"
    assert says in str(caught.value)
    assert "remove the file" in str(caught.value.next_step)


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match="cannot be written"):
        write_golden(tmp_path / "gone", golden())

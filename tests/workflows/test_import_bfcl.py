"""Import of BFCL data: the project that it writes loads, passes its checks and runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fcbench.core.contracts import contracts_of
from fcbench.errors import BadInputError, NotFoundError, WriteError
from fcbench.registry import check_lock
from fcbench.suites.bfcl import case_of
from fcbench.suites.bfcl.yaml_text import yaml_text
from fcbench.workflows.check_project import check_suites
from fcbench.workflows.import_bfcl import import_bfcl
from fcbench.workflows.project import find_project, load
from tests.suites.bfcl_rows import PARK, ROUTE, SHARED, function, pair, pair_rows, write_pairs

TRICKY = [
    "no",
    "012",
    "1e5",
    "2026-11-30",
    " a: b ",
    "#x",
    "é\u2028\u0085\x7f\x00",
    "",
    "null",
    "0o17",
    "- x",
    "@",
    "\t",
]
SECOND = function("park.book", ("town",), town={"type": "string", "description": "Where to."})


def questions(folder: Path, category: str, rows: list[dict[str, Any]], answers: dict[str, Any] | None = None) -> None:
    """A question file of the source, with its answers beside it."""
    name = f"BFCL_v4_{category}.json"
    (folder / "possible_answer").mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    if answers is not None:
        lines = [json.dumps({"id": key, "ground_truth": value}) + "\n" for key, value in answers.items()]
        (folder / "possible_answer" / name).write_text("".join(lines), encoding="utf-8")


def question(name: str, *functions: dict[str, Any], turns: int = 1, words: str = "A wish.") -> dict[str, Any]:
    return {"id": name, "question": [[{"role": "user", "content": words}]] * turns, "function": list(functions)}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    rows = [
        question("simple_python_0", PARK, words="\n".join(TRICKY)),
        question("simple_python_1", SECOND),
        question("simple_python_2", PARK, turns=2),
        question("simple_python_3", PARK),
        question("simple_python_4", {**PARK, "parameters": {"type": "HashMap"}}),
        question("simple_python_5", function("f", ("a",), a={"type": "integer"})),
    ]
    answers: dict[str, Any] = {
        "simple_python_0": [{"park.book": {"city": TRICKY, "nights": [2, ""], "tent": [{"size": [2, ""]}, ""]}}],
        "simple_python_1": [{"park.book": {"town": ["Delft"]}}],
        "simple_python_2": [{"park.book": {"city": ["Delft"]}}],
        "simple_python_4": [{"park.book": {"city": ["Delft"]}}],
        "simple_python_5": [{"f": {}}],
    }
    questions(folder, "simple_python", rows, answers)
    both = [{"route": {"via": ["Delft"], "speed": [5.0]}}, {"park.book": {"city": ["Delft"]}}]
    questions(
        folder, "parallel_multiple", [question("parallel_multiple_0", PARK, ROUTE)], {"parallel_multiple_0": both}
    )
    questions(
        folder, "live_irrelevance", [question("live_irrelevance_0-0-0", PARK), question("live_irrelevance_1-1-0")]
    )
    questions(folder, "live_relevance", [question("live_relevance_0-0-0", PARK)])
    questions(folder, "multi_turn_base", [question("multi_turn_base_0"), question("multi_turn_base_1")])
    return folder


def test_the_project_loads_and_passes_its_checks(data: Path, tmp_path: Path) -> None:
    report = import_bfcl(data, tmp_path / "imported")
    checked = check_suites(tmp_path / "imported")
    assert [str(found) for found in checked.findings if found.severity == "error"] == []
    assert [found.rule for found in checked.findings] == ["ethics"]
    assert report.found.by_category == {
        "simple_python": 2,
        "parallel_multiple": 1,
        "live_irrelevance": 1,
        "live_relevance": 1,
    }


def test_what_is_written_reads_back_as_it_was(data: Path, tmp_path: Path) -> None:
    report = import_bfcl(data, tmp_path / "imported")
    material = load(find_project(tmp_path / "imported"))
    registry = material.registries["bfcl"]
    assert check_lock(tmp_path / "imported/tools_registry", material.registries) == ()
    for case in report.found.cases:
        read = material.suites.cases[case.id]
        assert read.task.instruction == case.task.instruction
        assert read.task.contracts == case.task.contracts
        assert read.task.single_call
        assert [step.arguments for step in read.oracle.calls] == [step.arguments for step in case.oracle.calls]
        assert [step.may_omit for step in read.oracle.calls] == [step.may_omit for step in case.oracle.calls]
        assert [step.block for step in read.oracle.calls] == [step.block for step in case.oracle.calls]
        assert set(contracts_of(read.task, registry.contracts)) == set(case.task.tools)


def test_two_functions_of_one_name_stay_apart(data: Path, tmp_path: Path) -> None:
    import_bfcl(data, tmp_path / "imported")
    material = load(find_project(tmp_path / "imported"))
    first, second = (
        contracts_of(material.suites.cases[name].task, material.registries["bfcl"].contracts)
        for name in ("bfcl-simple-python-0", "bfcl-simple-python-1")  # type: ignore[index]
    )
    assert [one.required for one in first.values()] == [("city",)]
    assert [one.required for one in second.values()] == [("town",)]


def test_what_is_not_covered_is_counted_or_named(data: Path, tmp_path: Path) -> None:
    report = import_bfcl(data, tmp_path / "imported")
    assert report.data()["not_covered"] == {"multi_turn_base": 2}
    left_out = report.found.left_out
    assert sorted(left_out) == [
        "live_irrelevance_1-1-0",
        "simple_python_2",
        "simple_python_3",
        "simple_python_4",
        "simple_python_5",
    ]
    assert "2 turns" in left_out["simple_python_2"]
    assert "no answer" in left_out["simple_python_3"]
    assert "HashMap" in left_out["simple_python_4"]
    assert "no call of f" in left_out["simple_python_5"]
    for name in left_out:
        assert name in report.text()
    assert "not covered: 2 rows of multi_turn_base" in report.text()


def test_one_question_file_is_enough(data: Path, tmp_path: Path) -> None:
    report = import_bfcl(data / "BFCL_v4_parallel_multiple.json", tmp_path / "imported")
    assert [case.id for case in report.found.cases] == ["bfcl-parallel-multiple-0"]


def test_a_file_of_pairs_gives_each_case_once(tmp_path: Path) -> None:
    answers = [{"park.book": {"city": ["Delft"]}}]
    rows = [
        pair("simple_python_0", [], answers),
        pair("simple_python_0", None, answers, perturbation="text"),
        pair("simple_java_0", [], answers, category="simple_java", language="java"),
    ]
    path = write_pairs(tmp_path / "pairs.jsonl.gz", *rows)
    report = import_bfcl(path, tmp_path / "imported")
    assert len(report.found.cases) == 1
    assert report.found.other_categories == {"simple_java": 1}
    (row, *_) = pair_rows(tmp_path, *rows)
    assert report.found.cases[0] == case_of(row)[0]


def test_two_cases_with_one_id_are_refused(tmp_path: Path) -> None:
    answers = [{"park.book": {"city": ["Delft"]}}]
    path = write_pairs(tmp_path / "pairs.jsonl", pair("simple_1", [], answers), pair("Simple-1", [], answers))
    with pytest.raises(BadInputError, match="one id"):
        import_bfcl(path, tmp_path / "imported")


def test_nothing_that_exists_is_overwritten(data: Path, tmp_path: Path) -> None:
    filled = tmp_path / "filled"
    filled.mkdir()
    (filled / "mine.txt").write_text("mine")
    for output in (filled, filled / "mine.txt"):
        with pytest.raises(WriteError, match="exists already"):
            import_bfcl(data, output)
    assert [path.name for path in filled.iterdir()] == ["mine.txt"]


def test_an_empty_folder_is_filled(data: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    import_bfcl(data, tmp_path / "empty")
    assert sorted(path.name for path in (tmp_path / "empty").iterdir()) == ["suites", "tools_registry"]


def test_the_same_data_gives_the_same_files(data: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        import_bfcl(data, tmp_path / name)
    one, two = (
        {path.relative_to(tmp_path / name): path.read_bytes() for path in (tmp_path / name).rglob("*.*")}
        for name in ("one", "two")
    )
    assert one == two


@pytest.mark.parametrize(
    ("name", "error"),
    [
        pytest.param("none", NotFoundError, id="nothing there"),
        pytest.param("empty", NotFoundError, id="a folder without data"),
        pytest.param("other.json", BadInputError, id="a file of another name"),
        pytest.param("BFCL_v4_multiple.json", NotFoundError, id="no answers beside it"),
        pytest.param("BFCL_v4_memory.json", BadInputError, id="nothing that is covered"),
    ],
)
def test_a_path_without_usable_data_is_refused(tmp_path: Path, name: str, error: type[Exception]) -> None:
    (tmp_path / "empty").mkdir()
    for each in ("other.json", "BFCL_v4_multiple.json", "BFCL_v4_memory.json"):
        (tmp_path / each).write_text(json.dumps(question("multiple_0", PARK)) + "\n")
    with pytest.raises(error):
        import_bfcl(tmp_path / name, tmp_path / "imported")
    assert not (tmp_path / "imported").exists()


def test_the_shared_data_is_imported_whole(tmp_path: Path) -> None:
    if not SHARED.is_file():
        pytest.skip("the shared pairs are not here")
    report = import_bfcl(SHARED, tmp_path / "imported")
    assert report.found.left_out == {}
    assert len(load(find_project(tmp_path / "imported")).suites.cases) == len(report.found.cases) > 500


def test_a_text_is_quoted_where_it_could_read_as_something_else() -> None:
    lines = yaml_text(["a word", "no", "1e5", True]).splitlines()
    assert lines == ["- a word", "- 'no'", '- "1e5"', "- true"]

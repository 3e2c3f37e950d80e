"""BFCL result files as packages: judged by this evaluator, never ranked, verified like any other package."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcbench.cli.main import main
from fcbench.errors import BadInputError, FcbenchError
from fcbench.packages.store import open_package
from fcbench.workflows.import_bfcl import import_bfcl
from fcbench.workflows.import_results import ResultsRequest, import_bfcl_results
from fcbench.workflows.score import judge_package
from tests.suites.bfcl_rows import PARK
from tests.workflows.test_import_bfcl import question, questions


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bfcl")
    rows = [question(f"simple_python_{number}", PARK) for number in range(5)]
    answers = {row["id"]: [{"park.book": {"city": ["Delft"]}}] for row in rows}
    questions(folder / "data", "simple_python", rows, answers)
    import_bfcl(folder / "data", folder / "project")
    return folder / "project"


LINES = [
    # FC mode writes dots as underscores, and arguments as a JSON text.
    {
        "id": "simple_python_0",
        "result": [{"park_book": '{"city": "Delft"}'}],
        "input_token_count": 90,
        "output_token_count": 9,
        "latency": 1.5,
    },
    {"id": "simple_python_1", "result": [{"park.book": {"city": "Gouda"}}]},
    {"id": "simple_python_2", "result": "I would book Delft."},
    {"id": "simple_python_3", "result": "Error during inference: 503"},
    {"id": "multi_turn_base_1", "result": [["x"]]},
]


def write(path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def imported(tmp_path, project, lines):
    request = ResultsRequest(
        files=(write(tmp_path / "r.json", lines),), project=project, model="gpt-x-FC", run_id="bfcl-1"
    )
    return import_bfcl_results(request, tmp_path / "runs")


def test_lines_become_attempts_that_our_evaluator_judges(tmp_path, project):
    report, package = imported(tmp_path, project, LINES)
    assert (report.attempts, report.unknown, report.missing, report.texts) == (4, 1, 1, 2)
    assert package.header.purpose == "imported"
    assert package.manifest.complete is False
    passed = {one.task_id: one.passed for one in judge_package(package) if one.tier == "native-function-contract"}
    assert passed == {
        "bfcl-simple-python-0": True,
        "bfcl-simple-python-1": False,
        "bfcl-simple-python-2": False,
    }
    first, *_, failed = package.attempts()
    assert (first.usage.input_tokens, first.usage.output_tokens, first.duration_s) == (90, 9, 1.5)
    assert (first.calls[0].name, first.calls[0].raw_arguments) == ("park.book", '{"city": "Delft"}')
    assert failed.outcome == "provider_error"


def test_the_command_gives_a_package_that_verifies_and_is_not_ranked(tmp_path, project, capsys):
    file = write(tmp_path / "r.json", LINES)
    words = ["import", "bfcl", str(file), "--project", str(project), "--model", "m", "--output", str(tmp_path / "runs")]
    assert main([*words, "--json"]) == 0
    folder = json.loads(capsys.readouterr().out)["folder"]
    assert main(["verify", folder]) == 0
    capsys.readouterr()
    assert main(["tables", str(tmp_path / "runs"), "--json"]) == 0
    assert '"rank": 1' not in capsys.readouterr().out


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param([LINES[0], LINES[0]], id="a-case-twice"),
        pytest.param([{"id": "simple_python_0"}], id="no-result"),
        pytest.param([{"id": 7, "result": "x"}], id="no-id"),
        pytest.param([LINES[-1]], id="only-other-cases"),
        pytest.param([], id="empty"),
    ],
)
def test_what_holds_no_results_is_refused_and_leaves_nothing(tmp_path, project, lines):
    with pytest.raises(BadInputError):
        imported(tmp_path, project, lines)
    assert not (tmp_path / "runs").exists()


KEYS = st.sampled_from(["park.book", "park_book", "city", ""])
HOSTILE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


@given(result=HOSTILE, tokens=HOSTILE, latency=HOSTILE)
def test_any_result_gives_a_package_that_reads_back_or_an_error_of_ours(
    tmp_path_factory, project, result, tokens, latency
):
    folder = tmp_path_factory.mktemp("hostile")
    line = {"id": "simple_python_0", "result": result, "input_token_count": tokens, "latency": latency}
    try:
        _, package = imported(folder, project, [line])
    except FcbenchError:
        return
    assert len(list(judge_package(open_package(package.folder)))) in (0, 2)

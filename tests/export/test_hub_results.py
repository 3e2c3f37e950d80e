"""Results in the form of the Hugging Face hub, read back by huggingface_hub's own parser."""

from __future__ import annotations

import pytest
import yaml
from huggingface_hub import parse_eval_result_entries

from fcbench.aggregate.frames import Scored
from fcbench.aggregate.verdict_files import write_verdicts
from fcbench.errors import UsageError
from fcbench.export.hub_results import HubResults
from fcbench.export.judged import JudgedRun
from tests.aggregate.tiny_runs import attempt_of, call_case, sealed, verdict_for

CASES = [call_case("t-1"), call_case("t-2")]


def run_of(runs, passed, **more):
    package = sealed(runs, CASES, [attempt_of(case.id, arguments={"start": 1}) for case in CASES], **more)
    verdicts = [verdict_for(case.id, passed=case.id in passed) for case in CASES]
    path = write_verdicts(package, verdicts, oracle_hash=package.header.oracle_hash, evaluator_version=1)
    return JudgedRun(Scored(package=package, verdicts=path))


def results_of(*runs):
    results = HubResults("owner/bench")
    for run in runs:
        results.add(run)
    return results


def test_every_result_names_a_task_of_the_benchmark(tmp_path):
    runs = [
        run_of(tmp_path / "runs", {"t-1"}, run_id="run-a", model="lab/one"),
        run_of(tmp_path / "runs", {"t-1", "t-2"}, run_id="run-b", model="two"),
    ]
    report = results_of(*runs).write(tmp_path / "out")
    benchmark = yaml.safe_load((tmp_path / "out" / "eval.yaml").read_text())
    assert sorted(benchmark) == ["description", "evaluation_framework", "name", "tasks"]
    tasks = {task["id"] for task in benchmark["tasks"]}
    found = {}
    for path in sorted((tmp_path / "out" / "models").glob("*/.eval_results/bench.yaml")):
        (entry,) = parse_eval_result_entries(yaml.safe_load(path.read_text()))
        assert entry.dataset_id == "owner/bench"
        assert entry.task_id in tasks
        found[path.parent.parent.name.split("-")[0]] = entry.value
    assert found == {"lab": 0.5, "two": 1.0}
    assert len(report.files) == 3


@pytest.mark.parametrize(
    "more",
    [pytest.param({"control": True}, id="control"), pytest.param({"purpose": "interactive"}, id="interactive")],
)
def test_what_is_never_ranked_is_no_models_result(tmp_path, more):
    ranked = run_of(tmp_path / "runs", {"t-1"}, run_id="run-a", model="one")
    other = run_of(tmp_path / "runs", {"t-1"}, run_id="run-b", model="other", **more)
    report = results_of(ranked, other).write(tmp_path / "out")
    assert list(report.left_out) == ["run-b"]
    assert [path.name for path in (tmp_path / "out" / "models").iterdir()] == ["one"]
    with pytest.raises(UsageError):
        results_of(other).write(tmp_path / "none")


@pytest.mark.parametrize("name", ["", "bench", "a/b/c", "../x", "a/b\n"])
def test_a_dataset_is_owner_and_name(name):
    with pytest.raises(UsageError):
        HubResults(name)

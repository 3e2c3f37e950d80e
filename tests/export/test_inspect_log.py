"""The Inspect log of a package: what the file holds, and that Inspect itself reads it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from fcbench.aggregate.frames import Scored
from fcbench.aggregate.verdict_files import write_verdicts
from fcbench.errors import PackageError
from fcbench.export.inspect_log import write_inspect_log
from fcbench.export.judged import JudgedRun
from fcbench.packages.redacted import write_redacted
from fcbench.suites.commitments import Commitment, commitment_of, new_salt
from tests.aggregate.tiny_runs import attempt_of, call_case, restraint_case, sealed, verdict_for

CASES = [call_case("t-1"), call_case("t-2"), call_case("t-3"), restraint_case("r-1")]
PASSED = {"t-2", "r-1"}


def scored(runs, cases=CASES, **more):
    attempts = [
        attempt_of("t-1", arguments={"start": 2**70, "x": "é\u202e\x00</script>"}),
        attempt_of("t-2", arguments={"start": 1}),
        attempt_of("t-3", outcome="provider_error"),
        *(attempt_of(case.id, text="\x1b[31mNo.") for case in cases[3:]),
    ]
    package = sealed(runs, cases, attempts, **more)
    judged = [one.task_id for one in attempts if one.outcome == "completed"]
    verdicts = [verdict_for(case, passed=case in PASSED, faults=["wrong_value"] * (case == "t-1")) for case in judged]
    path = write_verdicts(package, verdicts, oracle_hash=package.header.oracle_hash, evaluator_version=1)
    return Scored(package=package, verdicts=path)


def members(path):
    with zipfile.ZipFile(path) as archive:
        return {name: json.loads(archive.read(name)) for name in archive.namelist()}


@pytest.fixture
def log(tmp_path):
    report = write_inspect_log(JudgedRun(scored(tmp_path / "runs")), tmp_path / "logs")
    return Path(report.path), report


def test_each_attempt_is_a_sample_with_its_verdict_or_its_error(log):
    path, report = log
    held = members(path)
    samples = {name: one for name, one in held.items() if name.startswith("samples/")}
    assert sorted(samples) == [f"samples/{case}_epoch_1.json" for case in ("r-1", "t-1", "t-2", "t-3")]
    values = {one["id"]: {tier: score["value"] for tier, score in one["scores"].items()} for one in samples.values()}
    tier = "native-function-contract"
    assert values == {"t-1": {tier: "I"}, "t-2": {tier: "C"}, "t-3": {}, "r-1": {tier: "C"}}
    assert {one["id"]: one["error"] is None for one in samples.values()} == {
        "t-1": True,
        "t-2": True,
        "t-3": False,
        "r-1": True,
    }
    assert (report.samples, report.errors) == (4, 1)
    assert [one["id"] for one in held["summaries.json"]] == ["t-1", "t-2", "t-3", "r-1"]


def test_the_header_tells_the_share_of_samples_and_the_boards_own_numbers(log):
    results = members(log[0])["header.json"]["results"]
    (score,) = results["scores"]
    found = {name: metric["value"] for name, metric in score["metrics"].items()}
    # Of three judged samples two are right; of the two judged call cases one.
    assert found["accuracy"] == 2 / 3
    assert found["strict"] == 0.5
    assert found["strict_low"] < 0.5 < found["strict_high"]
    assert (score["scored_samples"], score["unscored_samples"]) == (3, 1)
    assert (results["total_samples"], results["completed_samples"]) == (4, 3)


def test_rounds_are_messages_and_arguments_come_through_whole(log):
    sample = members(log[0])["samples/t-1_epoch_1.json"]
    assert [one["role"] for one in sample["messages"]] == ["user", "assistant", "tool"]
    (call,) = sample["messages"][1]["tool_calls"]
    assert call["arguments"] == {"start": 2**70, "x": "é\u202e\x00</script>"}
    assert sample["messages"][1]["metadata"]["raw_arguments"] == ['{"start": 1}']
    assert sample["scores"]["native-function-contract"]["explanation"] == "start is 2, not 1"
    assert sample["target"] == ['gc_content({"start":1})']


def test_equal_packages_give_equal_bytes(tmp_path):
    runs = [scored(tmp_path / name) for name in ("a", "b")]
    paths = [write_inspect_log(JudgedRun(run), tmp_path / f"logs{place}").path for place, run in enumerate(runs)]
    assert Path(paths[0]).read_bytes() == Path(paths[1]).read_bytes()
    assert Path(paths[0]).name == Path(paths[1]).name


@pytest.mark.parametrize(
    ("cases", "more"),
    [
        pytest.param([*CASES, call_case("secret", held_out=True)], {}, id="held-out"),
        pytest.param(CASES, {"purpose": "shard"}, id="shard"),
    ],
)
def test_what_may_not_leave_is_refused(tmp_path, cases, more):
    with pytest.raises(PackageError):
        JudgedRun(scored(tmp_path / "runs", cases, **more))


def test_manual_cases_are_left_out(tmp_path):
    run = JudgedRun(scored(tmp_path / "runs", [*CASES, call_case("m-1", suite="manual/first-look")]))
    held = members(write_inspect_log(run, tmp_path / "logs").path)
    assert "samples/m-1_epoch_1.json" not in held
    assert "m-1" not in held["header.json"]["eval"]["dataset"]["sample_ids"]


def test_of_a_sealed_case_a_redacted_package_shows_commitment_and_verdict_only(tmp_path):
    secret, salt = call_case("secret", held_out=True), new_salt()
    full = scored(tmp_path / "runs", [*CASES, secret]).package
    commitment = Commitment(id=secret.id, commitment=commitment_of(secret, salt), salt=salt.hex())
    redacted = write_redacted(full, {secret.id: commitment}, tmp_path / "public")
    verdicts = [verdict_for("secret", passed=True)]
    path = write_verdicts(redacted, verdicts, oracle_hash=redacted.header.oracle_hash, evaluator_version=1)
    log = write_inspect_log(JudgedRun(Scored(package=redacted, verdicts=path)), tmp_path / "logs")
    held = members(log.path)
    assert secret.task.instruction not in json.dumps(held)
    sample = held["samples/secret_epoch_1.json"]
    assert [one["content"].partition(" Commitment")[0] for one in sample["messages"]] == ["This case is sealed."]
    assert {tier: score["value"] for tier, score in sample["scores"].items()} == {"native-function-contract": "C"}


READ = """
import json, sys
from inspect_ai.log import list_eval_logs, read_eval_log, read_eval_log_sample, read_eval_log_sample_summaries
(listed,) = list_eval_logs(sys.argv[1])
log = read_eval_log(listed)
head = read_eval_log(listed, header_only=True)
one = read_eval_log_sample(listed, id="t-1", epoch=1)
print(json.dumps({
    "task": [listed.task, listed.task_id, head.eval.task, head.eval.task_id],
    "status": log.status, "samples": [s.id for s in log.samples],
    "scores": {s.id: {n: v.value for n, v in s.scores.items()} for s in log.samples},
    "roles": [m.role for m in one.messages], "arguments": one.messages[1].tool_calls[0].arguments,
    "tokens": head.stats.model_usage["model-a"].total_tokens,
    "metrics": {n: m.value for n, m in head.results.scores[0].metrics.items()},
    "summaries": [[s.id, s.message_count, bool(s.error)] for s in read_eval_log_sample_summaries(listed)],
}))
"""


def inspect_python() -> str:
    """A Python with inspect_ai: FCBENCH_INSPECT_PYTHON names it."""
    named = os.environ.get("FCBENCH_INSPECT_PYTHON")
    if not named or not shutil.which(named):
        pytest.skip(
            "inspect_ai is not installed beside the tests; FCBENCH_INSPECT_PYTHON may name a Python that has it"
        )
    return named


def test_inspect_reads_the_log(log, tmp_path):
    path, _ = log
    done = subprocess.run(
        [inspect_python(), "-c", READ, str(path.parent)],
        env={**os.environ, "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    tier = "native-function-contract"
    assert found["status"] == "success"
    # What the name of the file says is what stands in it.
    assert found["task"] == ["tiny", "runa", "tiny", "runa"]
    assert found["samples"] == ["r-1", "t-1", "t-2", "t-3"]
    assert found["scores"] == {"t-1": {tier: "I"}, "t-2": {tier: "C"}, "t-3": {}, "r-1": {tier: "C"}}
    assert found["roles"] == ["user", "assistant", "tool"]
    assert found["arguments"] == {"start": 2**70, "x": "é\u202e\x00</script>"}
    assert found["tokens"] == 3 * 120
    assert found["metrics"]["strict"] == 0.5
    assert found["summaries"] == [["t-1", 3, False], ["t-2", 3, False], ["t-3", 1, True], ["r-1", 2, False]]

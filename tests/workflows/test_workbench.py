"""A run on the workbench from the command's workflow, and what refuses to begin."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from fcbench.core.cases import Case
from fcbench.core.names import CaseId
from fcbench.errors import UnavailableError, UsageError
from fcbench.evaluator import applicable_tiers, judge
from fcbench.workbench.engines import Engine
from fcbench.workflows.project import Material, find_project, load
from fcbench.workflows.run import RunRequest, run
from fcbench.workflows.score import score
from fcbench.workflows.verify import verify
from fcbench.workflows.workbench import check_tools
from tests.doubles import case as made_case

CASES = ("gs-007", "gs-008", "gs-009", "gs-010")
"""Cases whose expected tools are those of the category `sequence`."""


@pytest.fixture(scope="module")
def material() -> Material:
    return load(find_project())


def request(**changes: object) -> RunRequest:
    return replace(RunRequest(target="genomics", model="scripted:oracle", harness="workbench", only=CASES), **changes)


def test_golden_runs_pass_at_every_tier_on_the_real_tools(material: Material, tmp_path: Path) -> None:
    package = run(material, request(concurrency=2), tmp_path)
    score(package)
    verified = verify(package.folder)
    assert verified.intact, verified.problems
    assert (package.header.key.harness, package.header.key.harness_mode) == ("workbench", "production-parity")
    assert package.header.assistance.step_count_disclosed is False
    assert "biopython" in package.header.versions
    attempts = list(package.attempts())
    assert all(attempt.end_state for attempt in attempts)
    assert {one.result.status for attempt in attempts for one in attempt.calls} == {"ok"}
    for case in package.cases.values():
        (made,) = [attempt for attempt in attempts if attempt.task_id == case.id]
        for tier in applicable_tiers(case, "workbench"):
            assert judge(case, made, package.contracts, "workbench", tier).passed, (case.id, tier)


def test_the_workbench_gives_no_hints(material: Material, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="gives no hints"):
        run(material, request(mode="oracle-assisted"), tmp_path)
    assert not list(tmp_path.iterdir())


def expecting(tool: str, *extras: str) -> Case:
    return replace(made_case(1, tool), requires=extras)


def nothing(engine: Engine) -> str | None:
    """A machine with our own code only."""
    return "1" if engine in ("python", "session") else None


@pytest.mark.parametrize(
    ("case", "message"),
    [
        pytest.param(expecting("no_such_tool"), "no implementation", id="tool"),
        pytest.param(expecting("translate_dna"), "not installed", id="engine of the tool"),
        pytest.param(expecting("get_sequence", "workbench-gpl"), "not installed", id="extra of the case"),
    ],
)
def test_a_run_whose_expected_tools_cannot_work_here_does_not_begin(case: Case, message: str) -> None:
    with pytest.raises(UnavailableError, match=message) as caught:
        check_tools([case], nothing)
    assert caught.value.next_step


def test_a_case_that_expects_no_call_needs_no_tool() -> None:
    asked = expecting("no_such_tool")
    check_tools([replace(asked, oracle=replace(asked.oracle, decision="no_call", calls=()))], nothing)
    assert asked.id == CaseId("t-1")

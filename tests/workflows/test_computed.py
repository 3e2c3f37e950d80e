"""Answers that the contract harness computes: run, sealed, verified; altered, and of a function that is gone."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from fcbench.core.evidence import Attempt
from fcbench.core.names import ToolName
from fcbench.errors import UnavailableError
from fcbench.harnesses.answers import no_function
from fcbench.packages.integrity import checked_records
from fcbench.packages.replay import call_problems, uncomputed
from fcbench.packages.store import Package, open_package
from fcbench.registry.model import Registry
from fcbench.workbench.pure import computed_answer, is_answered
from fcbench.workflows.project import Material, find_project, load
from fcbench.workflows.run import RunRequest, run
from fcbench.workflows.score import score
from fcbench.workflows.verify import verify, verify_all
from fcbench.workflows.workbench import check_computed, uncomputed_findings
from tests.workflows.test_verify import Record, Tamper, on_attempts, on_lines, succeeded_call

CASE = "gs-010"
"""One call of translate_dna on letters of the user's own."""


@pytest.fixture(scope="module")
def material() -> Material:
    return load(find_project())


@pytest.fixture
def package(material: Material, tmp_path: Path) -> Package:
    request = RunRequest(target="genomics-simple", model="scripted:oracle", harness="contract", only=(CASE,))
    made = run(material, request, tmp_path)
    score(made)
    return open_package(made.folder)


def attempts_of(package: Package) -> list[Attempt]:
    return [attempt for _, attempt in checked_records(package)]


def test_a_run_on_the_contract_harness_gives_the_true_translation_and_verifies(package: Package) -> None:
    (attempt,) = attempts_of(package)
    (call,) = attempt.calls
    assert call.result.content == {"protein": "MTHIVRFIGLLLLNA", "length": 15}
    assert (call.result.status, call.result.provenance, call.result.engine) == ("ok", "computed", None)
    found = verify(package.folder)
    assert (found.problems, found.open_questions, found.status) == ((), (), "intact")


def change(**result: object) -> Tamper:
    def edit(records: list[Record]) -> None:
        succeeded_call(records)["result"].update(result)

    return on_attempts(edit)


@pytest.mark.parametrize(
    ("tamper", "told"),
    [
        pytest.param(change(content={"protein": "MTHIVRFIGLLLLN", "length": 14}), "another result", id="a result"),
        pytest.param(change(provenance="synthetic"), "was answered ok", id="where it comes from"),
        pytest.param(change(status="error", content={"code": "bad_sequence"}), "was answered error", id="an error"),
    ],
)
def test_an_altered_computed_answer_is_found(package: Package, tamper: Tamper, told: str) -> None:
    tamper(package.folder)
    (one,) = verify_all(package.folder.parent).packages
    assert any(told in problem for problem in one.problems), one.problems


def test_where_no_function_answers_nobody_can_tell(package: Package) -> None:
    attempts = attempts_of(package)
    assert list(call_problems(package, attempts, no_function)) == []
    (question,) = uncomputed(package, attempts, lambda contract: False)
    assert "'translate_dna'" in question
    assert uncomputed(package, attempts, is_answered) == []


def test_verification_says_that_a_newer_contract_was_not_answered_again(package: Package) -> None:
    def newer(contracts: list[Record]) -> None:
        next(one for one in contracts if one["name"] == "translate_dna")["version"] = 2

    on_lines("contracts.jsonl", newer)(package.folder)
    found = verify(package.folder)
    assert any("'translate_dna'" in question for question in found.open_questions)
    assert not any("another result" in problem for problem in found.problems)
    assert found.problems, "the contract is not the one of the registry hash"


def test_an_answer_that_only_says_it_was_computed_is_not_believed(package: Package) -> None:
    (attempt,) = attempts_of(package)
    (turn, *rest) = attempt.rounds
    (call,) = turn.calls
    refused = replace(call, result=replace(call.result, status="invalid"))
    altered = replace(attempt, rounds=(replace(turn, calls=(refused,)), *rest))
    assert list(call_problems(package, [altered], no_function))
    assert list(call_problems(package, [altered], computed_answer))


def test_a_contract_that_says_computed_without_a_function_is_found_and_starts_no_run(material: Material) -> None:
    registry = material.registries["genomics"]
    name = ToolName("translate_dna")
    newer = replace(registry.contracts[name], version=2)
    with pytest.raises(UnavailableError, match="computed"):
        check_computed([newer])
    check_computed(registry.contracts.values())
    changed = Registry(
        name=registry.name,
        contracts={**registry.contracts, name: newer},
        hash=registry.hash,
        hashes=registry.hashes,
        sources=registry.sources,
    )
    (finding,) = uncomputed_findings(changed)
    assert (finding.rule, finding.field) == ("computed", "/synthetic/computed")
    assert finding.line > 1
    assert list(uncomputed_findings(registry)) == []

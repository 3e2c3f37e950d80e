"""Gate rules on money and on runs with holes, over tiny sealed packages."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from fcbench.core.evidence import Attempt, Usage
from fcbench.packages.store import Package
from fcbench.workflows.gate import GateReport, gate
from fcbench.workflows.gate_file import GateRule
from fcbench.workflows.gate_rules import GateRequest
from tests.aggregate.tiny_runs import attempt_of, call_case, restraint_case, sealed

PRICES = "date: 2026-05-01\ncurrency: EUR\nmodels: {'scripted:model-a': {input: 1000, output: 5000}}\n"
"""An attempt of 100 tokens in and 20 out costs 0.2."""


def uncounted(attempt: Attempt) -> Attempt:
    return replace(attempt, rounds=tuple(replace(turn, usage=Usage()) for turn in attempt.rounds), usage=Usage())


def package(folder: Path, *attempts: Attempt) -> Package:
    cases = [call_case("t-1"), call_case("t-2"), restraint_case("r-1")]
    return sealed(folder / "runs", cases, attempts)


def held(folder: Path, made: Package, rule: GateRule) -> GateReport:
    path = folder / "prices.yaml"
    path.write_text(PRICES)
    return gate(made.folder, GateRequest(rules=(rule,), prices=path))


RIGHT = attempt_of("t-1", arguments={"start": 1})
WRONG = attempt_of("t-2", arguments={"start": 2})
SILENT = attempt_of("r-1", text="No.")


@pytest.mark.parametrize(
    ("rule", "counted", "standing"),
    [
        pytest.param(GateRule(measure="cost", max=0.61), True, "pass", id="three attempts cost 0.6"),
        pytest.param(GateRule(measure="cost", max=0.59), True, "fail", id="and no less"),
        pytest.param(GateRule(measure="cost", max=0.61), False, "cannot tell", id="one that nobody counted"),
        pytest.param(GateRule(measure="cost", max=0.39), False, "fail", id="what is known is too much already"),
        pytest.param(GateRule(measure="tokens", max=360), True, "pass", id="tokens"),
        pytest.param(GateRule(measure="tokens", max=359), True, "fail", id="a token too many"),
        pytest.param(GateRule(measure="cost-per-success", max=0.61), True, "pass", id="one success for all"),
        pytest.param(GateRule(measure="cost-per-success", max=0.59), True, "fail", id="dear success"),
        pytest.param(GateRule(measure="cost", max=0.21, segment="level:L1"), True, "fail", id="a segment of two"),
    ],
)
def test_money_and_tokens_are_held_and_the_unknown_is_never_nothing(
    tmp_path: Path, rule: GateRule, counted: bool, standing: str
) -> None:
    made = package(tmp_path, RIGHT, WRONG, SILENT if counted else uncounted(SILENT))
    report = held(tmp_path, made, rule)
    assert report.standing == standing, report.rules
    if rule.measure.startswith("cost"):
        assert "EUR" in report.rules[0].name


@pytest.mark.parametrize(
    ("least", "standing"),
    [
        pytest.param(0.5, "pass", id="holds whatever the missing attempt would be"),
        pytest.param(0.9, "cannot tell", id="holds only if it passes"),
    ],
)
def test_a_missing_attempt_is_neither_a_pass_nor_a_failure(tmp_path: Path, least: float, standing: str) -> None:
    made = package(tmp_path, RIGHT, attempt_of("t-2", outcome="provider_error"), SILENT)
    report = held(tmp_path, made, GateRule(measure="strict", min=least))
    assert report.standing == standing, report.rules
    assert any("incomplete" in note for note in report.notes)


def test_failing_cases_come_with_their_reason(tmp_path: Path) -> None:
    report = held(tmp_path, package(tmp_path, RIGHT, WRONG, SILENT), GateRule(measure="strict", min=0.5))
    assert report.standing == "pass"
    assert [(one.task_id, one.passed, one.judged) for one in report.failing] == [("t-2", 0, 1)]
    assert report.failing[0].reason

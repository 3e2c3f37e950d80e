"""The suite check judges golden runs and their mutations: what it finds where a case slipped past its loader."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from fcbench.core.names import CaseId
from fcbench.workflows.judge_cases import judge_cases
from fcbench.workflows.project import Material, Project
from tests.suites import tiny


def found_in(folder: Path, **changes: Any) -> list[str]:
    """The findings over the tiny suite with a change of its one expected call."""
    suites = tiny.load(folder)
    case = suites.cases[CaseId("t-001")]
    calls = (replace(case.oracle.calls[0], **changes),)
    suites.cases[case.id] = replace(case, oracle=replace(case.oracle, calls=calls))  # type: ignore[index]
    project = Project(root=folder, embedded=False)
    return [
        each.message for each in judge_cases(Material(project=project, registries=tiny.registries(), suites=suites))
    ]


def test_sound_cases_give_no_finding(tmp_path: Path) -> None:
    assert found_in(tmp_path) == []


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        pytest.param(
            {"arguments": {"start": 17000, "label": "Xmas"}},
            "the golden run fails at native-function-contract: 1 of 1 calls do not satisfy the schema of their tool.",
            id="a value beyond its schema",
        ),
        pytest.param(
            {"may_omit": ("start",)},
            "dropped_required_key fails at native-function-contract for another reason: "
            "conditions schema_valid, fault kinds missing_required_key",
            id="a required key that may be left out",
        ),
    ],
)
def test_a_case_that_is_written_wrongly_is_told(tmp_path: Path, changes: dict[str, Any], says: str) -> None:
    assert f"t-001: {says}" in found_in(tmp_path, **changes)

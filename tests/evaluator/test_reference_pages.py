from __future__ import annotations

import re
from pathlib import Path

from fcbench.evaluator import CONDITIONS, EXPECTED, OPERATORS
from fcbench.evaluator.anomalies import ANOMALIES
from fcbench.evaluator.violations import KIND_OF_KEYWORD
from tests.evaluator.rows import KINDS

PAGES = Path(__file__).resolve().parents[2] / "docs/reference"
FAULTS = (PAGES / "faults.md").read_text(encoding="utf-8")
SCORING = (PAGES / "scoring.md").read_text(encoding="utf-8")


def test_every_fault_kind_has_one_line() -> None:
    assert sorted(re.findall(r"^\| `(\w+)` \|", FAULTS, re.MULTILINE)) == sorted(KINDS)


def test_every_keyword_is_named() -> None:
    for keyword in KIND_OF_KEYWORD:
        if not keyword.startswith("exclusive"):
            assert f"`{keyword}`" in FAULTS


def test_conditions_and_anomalies_are_named() -> None:
    for name in (*CONDITIONS, *ANOMALIES):
        assert f"`{name}`" in SCORING


def test_the_mutation_table_is_the_one_that_runs() -> None:
    rows = {
        name: (strict, complete)
        for name, strict, complete in re.findall(
            r"^\| `(\w+)` \| (pass|fail) \| (pass|fail) \|$", SCORING, re.MULTILINE
        )
    }
    assert rows == {
        name: (EXPECTED[name, "real-tool-execution"], EXPECTED[name, "task-completion-contract"]) for name in OPERATORS
    }

from __future__ import annotations

import re
from pathlib import Path

from fcbench.evaluator import CONDITIONS, EXPECTED, OPERATORS, REASONS
from fcbench.evaluator.anomalies import ANOMALIES
from fcbench.evaluator.reasons import SCHEMA_KINDS, VALUE_KINDS
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


def _kinds(kinds: frozenset[str]) -> str:
    named, left = [], kinds
    for name, group in (("a value kind", VALUE_KINDS), ("a schema kind", SCHEMA_KINDS)):
        if group <= kinds:
            named.append(name)
            left = left - group
    return ", ".join([*named, *_names(left)])


def _names(names: frozenset[str]) -> list[str]:
    return [f"`{name}`" for name in sorted(names)]


def reason_lines() -> list[str]:
    """The rows of the table of reasons, as the page must show them."""
    found = []
    for tiers, tier in (("strict", "real-tool-execution"), ("completion", "task-completion-contract")):
        for operator in OPERATORS:
            for reason in REASONS.get((operator, tier), ()):  # type: ignore[call-overload]
                conditions = [*_names(reason.conditions), *[f"({name})" for name in _names(reason.perhaps)]]
                kinds, beside = _kinds(reason.kinds), _kinds(reason.consequences)
                shown = kinds + (f" (beside it {beside})" if beside else "")
                found.append(f"| {tiers} | `{operator}` | {', '.join(conditions)} | {shown} |")
    return found


def test_the_table_of_reasons_is_the_one_that_runs() -> None:
    shown = re.findall(r"^\| (?:strict|completion) \| .+ \|$", SCORING, re.MULTILINE)
    assert shown == reason_lines()

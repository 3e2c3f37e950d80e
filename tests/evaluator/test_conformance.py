"""The conformance set, run with the very code that docs/reference/conformance.md shows."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any, get_args

import pytest

from fcbench.core.cases import Case
from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import Attempt
from fcbench.core.names import Tier
from fcbench.core.records import from_plain
from fcbench.core.verdicts import FaultKind, Verdict
from fcbench.evaluator import CONDITIONS, applicable_tiers, judge
from tests.conformance.make import FOLDER, TOPICS, lines_of

PAGE = (Path(__file__).resolve().parents[2] / "docs/reference/conformance.md").read_text(encoding="utf-8")
RUNNER: dict[str, Any] = {}
exec(re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)[0], RUNNER)
LINES = [json.loads(line) for file in sorted(FOLDER.glob("*.jsonl")) for line in file.read_text("utf-8").splitlines()]
FIELDS = ("kind", "tool", "step", "call", "pointer", "expected", "found", "depth")


def verdict_of(line: dict[str, Any]) -> Verdict:
    contracts = {each.name: each for each in (from_plain(item, ToolContract) for item in line["contracts"])}
    case, attempt = from_plain(line["case"], Case), from_plain(line["attempt"], Attempt)
    return judge(case, attempt, contracts, line["harness"], line["tier"])


def plain(verdict: Verdict) -> dict[str, Any]:
    """Our verdict in the form of a line."""
    found = verdict.dimensions
    return {
        "passed": verdict.passed,
        "passed_with_recovery": verdict.passed_with_recovery,
        "conditions": {condition.name: condition.passed for condition in verdict.conditions},
        "partial": verdict.partial.score,
        "dimensions": {name: getattr(found, name) for name in found.__struct_fields__},
        "faults": [{name: getattr(fault, name) for name in FIELDS} for fault in verdict.faults],
        "roles": [{"call": each.call, "role": each.role, "step": each.step} for each in verdict.judgements],
        "conforming_replies": list(verdict.conforming_replies),
    }


@pytest.mark.parametrize("line", [pytest.param(line, id=line["id"]) for line in LINES])
def test_our_verdict_is_the_one_of_the_line(line: dict[str, Any]) -> None:
    found = plain(verdict_of(line))
    parts = RUNNER["parted"](line["verdict"], found)
    assert not parts, {name: (line["verdict"][name], found[name]) for name in parts}


def test_the_runner_of_the_page_reads_every_line_and_sees_a_difference() -> None:
    answers = {line["id"]: line["verdict"] for line in LINES}
    assert RUNNER["run"](FOLDER, lambda line: answers[line["id"]]) == []
    name = LINES[0]["id"]
    other = {**answers, name: {**answers[name], "partial": answers[name]["partial"] + 1e-8}}
    assert RUNNER["run"](FOLDER, lambda line: other[line["id"]]) == [(name, ["partial"])]


@pytest.mark.parametrize("topic", TOPICS)
def test_the_files_are_what_their_rows_say(topic: str) -> None:
    assert (FOLDER / f"{topic}.jsonl").read_text(encoding="utf-8") == lines_of(topic)


def test_every_file_has_a_topic_and_every_line_its_own_id() -> None:
    assert {file.stem for file in FOLDER.glob("*.jsonl")} == set(TOPICS)
    assert set(re.findall(r"^\| `([a-z-]+)\.jsonl` \|", PAGE, re.MULTILINE)) == set(TOPICS)
    assert max(Counter(line["id"] for line in LINES).values()) == 1
    assert len({line["about"] for line in LINES}) > len(LINES) * 0.9
    assert all(line["about"].endswith(".") for line in LINES)


def test_the_set_knows_every_kind_condition_and_tier() -> None:
    kinds = {fault["kind"] for line in LINES for fault in line["verdict"]["faults"]}
    assert kinds == set(get_args(FaultKind))
    failed = {name for line in LINES for name, holds in line["verdict"]["conditions"].items() if not holds}
    assert failed == set(CONDITIONS)
    assert {line["tier"] for line in LINES} == set(get_args(Tier))
    for line in LINES:
        assert line["tier"] in applicable_tiers(from_plain(line["case"], Case), line["harness"])

"""`fcbench gate` as CI calls it: exit codes, JUnit, Markdown, and what a hostile model can do to them."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from fcbench.cli.gate_report import gate_lines, junit, summary, xml_text
from fcbench.cli.main import main
from fcbench.core.names import CaseId
from fcbench.core.visible import markdown_text as md
from fcbench.workflows.gate import FailingCase, GateReport, RuleResult, gate
from fcbench.workflows.gate_rules import GateRequest, GateRule
from tests.cli.test_commands import Capture, run


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The controls oracle and null over the quick subset, each twice, and one of another board."""
    folder = tmp_path_factory.mktemp("gate") / "runs"
    for name in ("oracle", "null", "oracle-again"):
        command = ["run", "complex-schema-nl/quick", "--model", f"scripted:{name.partition('-')[0]}"]
        assert main([*command, "--output", str(folder), "--run-id", name, "--repeats", "1"]) == 0
    other = ["run", "complex-schema-nl/quick", "--model", "scripted:oracle", "--mode", "oracle-assisted"]
    assert main([*other, "--output", str(folder), "--run-id", "assisted", "--repeats", "1"]) == 0
    return folder


def package(runs: Path, name: str) -> Path:
    return next(path.parent for path in runs.rglob("manifest.json") if path.parent.name == name)


@pytest.mark.parametrize(
    ("name", "options", "code"),
    [
        pytest.param("oracle", ["--min", "strict=1", "--min", "completion=100%"], 0, id="pass"),
        pytest.param("null", ["--min", "strict=0.5"], 1, id="fail"),
        pytest.param("oracle", ["--min", "strict=0.99", "--claim"], 2, id="too few cases to claim"),
        pytest.param("oracle", ["--max-cost", "1"], 2, id="an unknown price is unknown"),
        pytest.param("null", ["--min", "strict=0.5", "--max-cost", "1"], 1, id="a fail outweighs an unknown"),
        pytest.param("oracle", ["--max-latency-p95", "3600"], 0, id="fast enough"),
        pytest.param("oracle", ["--min", "strict"], 64, id="no number"),
        pytest.param("oracle", ["--min", "strict@L99=1"], 64, id="no such segment"),
        pytest.param("oracle", ["--minimum", "strict=1"], 64, id="no such option"),
        pytest.param("oracle", ["--tier", "best", "--min", "strict=1"], 64, id="no such tier"),
        pytest.param("oracle", [], 64, id="no rule"),
        pytest.param("oracle", ["--claim", "--max-cost", "1"], 64, id="nothing to claim"),
        pytest.param("oracle", ["--no-fall", "strict"], 64, id="a fall from nothing"),
        pytest.param("oracle", ["--config", "nowhere.yaml"], 66, id="no such file"),
    ],
)
def test_each_outcome_has_its_exit_code(
    capsys: Capture,
    runs: Path,
    name: str,
    options: list[str],
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(capsys, "gate", package(runs, name), *options)[0] == code


def test_a_folder_with_several_packages_is_refused(capsys: Capture, runs: Path) -> None:
    code, _, err = run(capsys, "gate", runs, "--min", "strict=1")
    assert code == 64
    assert "4 packages" in err


@pytest.mark.parametrize(
    ("new", "base", "margin", "code"),
    [
        pytest.param("oracle-again", "oracle", "5%", 2, id="four cases rule no fall out"),
        pytest.param("oracle-again", "oracle", "80%", 0, id="but a fall of 80 points they do"),
        pytest.param("oracle", "oracle", "5%", 64, id="itself"),
        pytest.param("oracle", "assisted", "5%", 78, id="another board"),
    ],
)
def test_a_baseline_of_the_same_board_is_compared(
    capsys: Capture, runs: Path, new: str, base: str, margin: str, code: int
) -> None:
    options = ["--baseline", package(runs, base), "--no-fall", "strict", "--margin", margin]
    found, out, err = run(capsys, "gate", package(runs, new), *options)
    assert found == code, out + err
    if code == 78:
        assert "harness_mode production-parity and oracle-assisted" in err


def test_a_gate_file_in_the_current_folder_is_used(
    capsys: Capture, runs: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fcbench-gate.yaml").write_text("rules: [{measure: strict, min: 0.5}]\n")
    assert run(capsys, "gate", package(runs, "null"))[0] == 1
    (tmp_path / "fcbench-gate.yaml").write_text("rules: [{measure: strict, min: 5}]\n")
    code, _, err = run(capsys, "gate", package(runs, "null"))
    assert code == 65
    assert "fcbench-gate.yaml:1, field /rules/0/min" in err


def test_the_reports_hold_one_test_case_a_rule_and_one_a_failing_case(
    capsys: Capture, runs: Path, tmp_path: Path
) -> None:
    junit_file, markdown = tmp_path / "out" / "gate.xml", tmp_path / "summary.md"
    markdown.write_text("before\n")
    options = ["--min", "strict=0.5", "--min", "completion=1", "--max-cost", "1"]
    code, out, _ = run(
        capsys, "gate", package(runs, "null"), *options, "--junit", junit_file, "--summary", markdown, "--json"
    )
    told = json.loads(out)
    assert (code, told["exit_code"], told["standing"]) == (1, 1, "fail")
    rules, cases = ET.parse(junit_file).getroot().findall("testsuite")
    assert [one.get("name") for one in rules] == ["strict >= 0.5", "completion >= 1", "cost <= 1"]
    assert [[inner.tag for inner in one] for one in rules] == [["failure"], ["system-out"], ["error"]]
    assert (rules.get("tests"), rules.get("failures"), rules.get("errors")) == ("3", "1", "1")
    assert [one.get("name") for one in cases] == [one["task_id"] for one in told["failing"]]
    assert all(one.find("failure") is not None for one in cases)
    text = markdown.read_text()
    assert text.startswith("before\n## fcbench gate: FAIL\n")
    assert text.count("| FAIL |") == 1


def test_failures_that_the_gate_allows_are_skipped_in_junit(runs: Path) -> None:
    report = gate(package(runs, "null"), GateRequest(rules=(GateRule(measure="completion", min=1),)))
    _, cases = ET.fromstring(junit(report)).findall("testsuite")
    assert report.standing == "pass"
    assert int(cases.get("skipped") or 0) == len(report.failing) > 0
    assert cases.get("failures") == "0"


HOSTILE = "\x00\x1b[31m]]> <script>&amp; \ud800 \ufffe \u202e | `x` **b** [l](http://e.x) @all #1 \r\n\n## h\n::error::"


@pytest.fixture(scope="module")
def hostile(runs: Path) -> GateReport:
    report = gate(package(runs, "null"), GateRequest(rules=(GateRule(measure="strict", min=0.5),)))
    rule = RuleResult(name=HOSTILE, standing="fail", sentence=HOSTILE, facts={})
    case = FailingCase(task_id=CaseId(HOSTILE), passed=0, judged=1, reason=HOSTILE * 50)
    return replace(report, model=HOSTILE, rules=(rule,), failing=(case,), notes=(HOSTILE,))


def test_hostile_text_leaves_junit_well_formed_and_markdown_plain(hostile: GateReport) -> None:
    root = ET.fromstring(junit(hostile))
    assert [one.tag for one in root] == ["testsuite", "testsuite"]
    assert len(root.findall(".//testcase")) == 2
    assert "<script>&amp;" in str(root.findall(".//failure")[0].text)
    told = summary(hostile)
    for mark in ("<script", "](", "**b", "`", "@all", "\x1b", "\u202e", "\n## h", "::error"):
        assert mark not in told
    # One table row a rule and a case, whatever stands in them.
    assert [line.count("|") for line in told.splitlines() if line.startswith("| &")] == [4, 4]
    assert "\x1b" not in "\n".join(xml_text(line) for line in gate_lines(hostile))


@given(st.text(st.characters()) | st.text(st.characters(categories=("Cc", "Cf", "Cs", "Cn", "Co"))))
def test_any_text_is_legal_xml_and_harmless_markdown(text: str) -> None:
    element = ET.Element("a", b=xml_text(text))
    element.text = xml_text(text)
    again = ET.fromstring(ET.tostring(element, encoding="utf-8"))
    assert (again.text or "") == xml_text(text)
    shown = md(text)
    assert "\n" not in shown
    assert not set(shown.replace("&#", "").replace(";", "")) & set("<>|`*_[]()#&@:\\!")
